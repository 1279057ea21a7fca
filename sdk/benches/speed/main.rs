//! The speed of the SDK, compared to an app without it. The benchmarks print figures and never fail on them;
//! `docs/benchmarks.md` explains the figures.
//!
//! ```sh
//! cargo bench -p platform-sdk                   # all benchmarks
//! cargo bench -p platform-sdk -- time           # calls and decoders
//! cargo bench -p platform-sdk -- instructions   # the same; requires valgrind
//! cargo bench -p platform-sdk -- walk           # a pipeline of 100,000 items; requires Linux
//! cargo bench -p platform-sdk -- link           # 10,000 items at 50 Mbit/s, compressed and uncompressed
//! ```
//!
//! The SDK and its peer take turns in one run, and each turn has its own ratio (SDK / peer): on a busy
//! machine the figures drift, but the ratios hardly change. valgrind counts the instructions; nothing else
//! here requires it.

// Benchmarks print their results.
#![allow(clippy::print_stdout)]

mod call;
mod canned;
mod decode;
mod instructions;
mod items;
mod link;
mod pair;
mod walk;

use std::env;
use std::time::Duration;

use crate::call::Calls;
use crate::items::Items;
use crate::pair::Pair;

/// Any error ends the run.
type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    // `cargo bench` passes `--bench`, `cargo test --benches` does not.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let words = arguments.iter().map(String::as_str);
    let words: Vec<&str> = words.filter(|word| *word != "--bench").collect();

    let items = Items::get(&words)?;
    if words.is_empty() || words.contains(&"walk") {
        walk::measure(&items)?;
    }
    if words.is_empty() || words.contains(&"link") {
        link::measure(&items)?;
    }
    let page = items.page(0, 1000);
    let calls = Calls::start(&canned::start(&items, Duration::ZERO)?)?;
    let mut pairs = call::pairs(&calls);
    pairs.extend(decode::pairs(page.as_bytes()));
    measure(&pairs, &words)
}

/// Measures the pairs as requested on the command line: `time`, `instructions`, or both by default.
fn measure(pairs: &[Pair<'_>], words: &[&str]) -> Result<(), Failure> {
    if let [instructions::WATCHED, name, way] = words {
        return instructions::be_watched(pairs, name, way);
    }
    if words.is_empty() || words.contains(&"time") {
        pair::time(pairs)?;
    }
    if words.is_empty() || words.contains(&"instructions") {
        instructions::count(pairs)?;
    }
    Ok(())
}
