//! Costs of a state directory compared with memory: additions, pages, and opening it.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use platform_server_stub::Server;
use platform_server_stub::data::{Data, Dataset};
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::SystemClock;
use platform_server_stub::store::{Ledger, Record, RedbLedger};
use serde_json::{from_value, json};
use tempfile::TempDir;
use tokio::task::JoinSet;

use super::{Client, Outcome, median, serve};

const ORGANIZATIONS: i64 = 100_000;
const WHILE: Duration = Duration::from_secs(3);
const TURNS: usize = 5;
const PAGE: &str = "/api/v1/pipelines/1/items?limit=100&skip=50000";

pub(super) async fn beside_memory() -> Outcome<()> {
    let home = TempDir::new()?;
    println!("a write of 4 kB that the disk confirms");
    println!("  time                      {:.1?}", confirmed_write(home.path())?);
    println!("additions a second, each with two changes in the background");
    let empty = Arc::new(data(0)?);
    for clients in [1, 8, 64] {
        let memory = additions([in_memory(&empty)], clients).await?;
        let directory = TempDir::new()?;
        let kept = additions([on(directory.path(), &empty)?], clients).await?;
        println!("  {clients:2} clients, memory        {memory:.0}");
        println!(
            "  {clients:2} clients, state         {kept:.0}, {:.2} of memory",
            kept / memory
        );
    }
    opening(home.path()).await
}

/// Measures opening a directory with one item per organization, and reading a page of it.
async fn opening(home: &Path) -> Outcome<()> {
    let (empty, full) = (Arc::new(data(0)?), Arc::new(data(ORGANIZATIONS)?));
    let records = full.items().map(Arc::clone).map(Record::finished);
    let name = empty.fingerprint();
    let ledger = RedbLedger::open(home, &name, [])?;
    ledger.reset(records.collect()).await?;
    drop(ledger);
    let file = home.join("state.redb");
    let (mut opened, mut read) = (Vec::new(), Vec::new());
    let mut length = 0;
    for _ in 0..TURNS {
        let start = Instant::now();
        length = fs::read(&file)?.len();
        read.push(start.elapsed());
        let start = Instant::now();
        drop(RedbLedger::open(home, &name, [])?);
        opened.push(start.elapsed());
    }
    println!("a state of {ORGANIZATIONS} items, {} MB", length / 1_000_000);
    println!("  reading the file          {:.1?}", median(read));
    println!("  opening and closing it    {:.1?}", median(opened));
    let (mut memory, mut kept) = (
        Client::connect(serve(in_memory(&full)).await?).await?,
        Client::connect(serve(on(home, &empty)?).await?).await?,
    );
    if memory.get(PAGE).await? != kept.get(PAGE).await? {
        return Err("the stores answer differently".into());
    }
    let (mut of_memory, mut of_state) = (Vec::new(), Vec::new());
    for _ in 0..200 {
        for (client, times) in [(&mut memory, &mut of_memory), (&mut kept, &mut of_state)] {
            let start = Instant::now();
            client.get(PAGE).await?;
            times.push(start.elapsed());
        }
    }
    let (of_memory, of_state) = (median(of_memory), median(of_state));
    let ratio = of_state.as_secs_f64() / of_memory.as_secs_f64();
    println!("  page of 100, memory       {of_memory:.1?}");
    println!("  page of 100, state        {of_state:.1?}, {ratio:.2} of memory");
    Ok(())
}

fn confirmed_write(home: &Path) -> Outcome<Duration> {
    let mut file = File::create(home.join("probe"))?;
    let mut times = Vec::new();
    for _ in 0..50 {
        let start = Instant::now();
        file.write_all(&[1; 4096])?;
        file.sync_data()?;
        times.push(start.elapsed());
    }
    Ok(median(times))
}

/// Measures additions per second by this many clients that send without a pause, each to the next of the servers.
pub(super) async fn additions(servers: impl IntoIterator<Item = Server>, clients: usize) -> Outcome<f64> {
    let mut addresses = Vec::new();
    for server in servers {
        addresses.push(serve(server).await?);
    }
    let next = Arc::new(AtomicI64::new(1));
    let (start, mut adding) = (Instant::now(), JoinSet::new());
    for address in addresses.into_iter().cycle().take(clients) {
        let next = Arc::clone(&next);
        adding.spawn(async move {
            let mut client = Client::connect(address).await?;
            let mut added = 0;
            while start.elapsed() < WHILE {
                let organization = next.fetch_add(1, Ordering::Relaxed);
                if organization > ORGANIZATIONS {
                    break;
                }
                client.add(organization).await?;
                added += 1;
            }
            Outcome::Ok(added)
        });
    }
    let mut added = 0;
    for client in adding.join_all().await {
        added += client?;
    }
    Ok(f64::from(added) / start.elapsed().as_secs_f64())
}

impl Client {
    async fn add(&mut self, organization: i64) -> Outcome<()> {
        let body = json!({"organization_id": organization}).to_string();
        let request = format!(
            "POST /api/v1/pipelines/1/organizations HTTP/1.1\r\nHost: x\r\nAPI-Key: dev-full-access\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.send(&request).await?;
        let answer = self.response().await?;
        match answer.starts_with(br#"{"pipeline_id""#) {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&answer).into()),
        }
    }
}

fn in_memory(data: &Arc<Dataset>) -> Server {
    Server::new(Platform::in_memory(Arc::clone(data), Arc::new(SystemClock)))
}

fn on(directory: &Path, data: &Arc<Dataset>) -> Outcome<Server> {
    let platform = Platform::with_state(Arc::clone(data), Arc::new(SystemClock), directory)?;
    Ok(Server::new(platform))
}

/// Organizations, and a pipeline that has the first of them as items.
pub(super) fn data(items: i64) -> Outcome<Dataset> {
    let organizations = (1..=ORGANIZATIONS).map(|id| {
        from_value(json!({
            "organization_id": id,
            "name": format!("Mill {id}"),
            "description": "Makes paper.",
            "metrics": {"employee_count": id * 7919 % 100_003},
        }))
    });
    let items: Vec<_> = (1..=items)
        .map(|id| json!({"pipeline_item_id": id, "organization_id": id}))
        .collect();
    let question = |id| {
        json!({
            "question_id": id,
            "text": "Size?",
            "answer_type": "number",
            "answer": {"field": "organization.metrics.employee_count"},
        })
    };
    let data = Data {
        organizations: organizations.collect::<Result<_, _>>()?,
        pipelines: from_value(json!([{
            "pipeline_id": 1,
            "name": "all",
            "questions": [question(1), question(2)],
            "items": items,
        }]))?,
        ..Data::default()
    };
    Ok(Dataset::new(data)?)
}
