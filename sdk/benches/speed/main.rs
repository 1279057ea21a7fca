//! How fast the SDK is, beside what an app would have without it. Never a verdict: the figures and what to
//! think of them stand in `docs/benchmarks.md`.
//!
//! ```sh
//! cargo bench -p platform-sdk                   # all of it
//! cargo bench -p platform-sdk -- time           # calls and decoders
//! cargo bench -p platform-sdk -- instructions   # the same; needs valgrind
//! cargo bench -p platform-sdk -- walk           # a pipeline of 100,000 items; needs Linux
//! cargo bench -p platform-sdk -- link           # 10,000 items at 50 Mbit/s, compressed or not
//! ```
//!
//! Two things that are compared are measured in turns, in one run, and the ratio is taken turn by turn: the
//! figures of a busy machine drift, the ratios hardly. A ratio is SDK over peer. Instructions are counted by
//! valgrind, where it is installed; nothing else here needs it.

// What a benchmark finds out is printed.
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

/// What goes wrong ends the run: there is nothing to be measured then.
type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    // `cargo bench` says that this is a benchmark, `cargo test --benches` does not.
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

/// Does with the pairs what the command line asks for: `time`, `instructions`, or both when it says nothing.
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
