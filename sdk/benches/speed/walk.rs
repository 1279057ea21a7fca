//! Walking a whole pipeline at 5 ms per round trip, compared to the loop that an app would write.

use std::fs;
use std::time::{Duration, Instant};

use platform_sdk::Client;
use platform_sdk::paging::Walk;
use platform_sdk::types::PipelineItem;
use tokio::runtime::Runtime;

use crate::call::KEY;
use crate::items::{Items, TOTAL};
use crate::{Failure, canned};

const ROUND_TRIP: Duration = Duration::from_millis(5);

/// The number of turns of the loop and the walk.
const TURNS: usize = 5;

/// Reads all items both ways with several page sizes, and prints for each the shortest time and the smallest
/// memory growth.
pub(crate) fn measure(items: &Items) -> Result<(), Failure> {
    let client = Client::builder()
        .base_url(canned::start(items, ROUND_TRIP)?)
        .api_key(KEY)
        .build()?;
    let walk = || client.list_items().pipeline_id(1).walk();
    println!("| {TOTAL} items | loop | walk | loop / walk | memory of the loop | of the walk |");
    println!("|---|---:|---:|---:|---:|---:|");
    print_row("defaults", &client, 100, &walk)?;
    print_row("pages of 1000", &client, 1000, &walk)?;
    print_row("pages of 100, 16 at once", &client, 100, &|| {
        walk().page_size(100).prefetch(16)
    })
}

fn print_row(name: &str, client: &Client, limit: i32, walk: &dyn Fn() -> Walk<PipelineItem>) -> Result<(), Failure> {
    let runtime = Runtime::new()?;
    let mut best = [Figures::WORST; 2];
    for _ in 0..TURNS {
        best[0].improve(|| runtime.block_on(by_loop(client, limit)))?;
        best[1].improve(|| runtime.block_on(by_walk(walk())))?;
    }
    let [by_loop, by_walk] = best;
    println!(
        "| {name} | {:.2?} | {:.2?} | {:.1} | {} kB | {} kB |",
        by_loop.time,
        by_walk.time,
        by_loop.time.div_duration_f64(by_walk.time),
        by_loop.memory,
        by_walk.memory
    );
    Ok(())
}

/// Requests a page after it has used the previous one.
async fn by_loop(client: &Client, limit: i32) -> Result<usize, Failure> {
    let mut seen = 0;
    loop {
        let request = client.list_items().pipeline_id(1).limit(limit);
        let page = request.skip(i64::try_from(seen)?).send().await?;
        seen += page.items.len();
        if page.items.is_empty() || seen >= TOTAL {
            return Ok(seen);
        }
    }
}

async fn by_walk(walk: Walk<PipelineItem>) -> Result<usize, Failure> {
    let mut items = walk.items()?;
    let mut seen = 0;
    while let Some(item) = items.next().await {
        item?;
        seen += 1;
    }
    Ok(seen)
}

#[derive(Clone, Copy)]
struct Figures {
    time: Duration,
    /// The peak growth of this process's memory in kB, including the server.
    memory: u64,
}

impl Figures {
    const WORST: Self = Self {
        time: Duration::MAX,
        memory: u64::MAX,
    };

    /// Reads all items once more, and keeps the better figures.
    fn improve(&mut self, go: impl Fn() -> Result<usize, Failure>) -> Result<(), Failure> {
        // On Linux, this resets the peak memory.
        fs::write("/proc/self/clear_refs", "5")?;
        let (before, start) = (memory("VmRSS:")?, Instant::now());
        let seen = go()?;
        if seen != TOTAL {
            return Err(format!("{seen} items came").into());
        }
        self.time = self.time.min(start.elapsed());
        self.memory = self.memory.min(memory("VmHWM:")?.saturating_sub(before));
        Ok(())
    }
}

/// Reads a memory figure of this process, in kB.
fn memory(name: &str) -> Result<u64, Failure> {
    let status = fs::read_to_string("/proc/self/status")?;
    let figure = status.lines().find_map(|line| line.strip_prefix(name));
    let figure = figure.ok_or("/proc/self/status has no such figure")?;
    Ok(figure.trim().trim_end_matches(" kB").parse()?)
}
