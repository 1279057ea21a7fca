//! Two implementations of the same task, measured side by side.

use std::time::{Duration, Instant};

use crate::Failure;

/// The SDK's implementation and its peer.
pub(crate) struct Pair<'a> {
    pub(crate) name: &'static str,
    /// The number of runs whose instructions are counted. Shorter tasks need more.
    pub(crate) counted: u32,
    pub(crate) ours: Way<'a>,
    pub(crate) peer: Way<'a>,
}

/// Runs the task once.
pub(crate) type Way<'a> = Box<dyn Fn() -> Result<(), Failure> + 'a>;

/// The number of turns of each side.
const TURNS: usize = 100;

/// The minimum duration of a turn. Shorter turns get lost in clock resolution and noise.
const TURN: Duration = Duration::from_millis(10);

/// Times the pairs, and prints for each the median time of both sides and the median ratio per turn.
pub(crate) fn time(pairs: &[Pair<'_>]) -> Result<(), Failure> {
    println!("| time | SDK | peer | ratio |\n|---|---:|---:|---:|");
    for pair in pairs {
        let (ours, peer, ratio) = in_turns(pair)?;
        println!("| {} | {ours:.1?} | {peer:.1?} | {ratio:.3} |", pair.name);
    }
    println!();
    Ok(())
}

fn in_turns(pair: &Pair<'_>) -> Result<(Duration, Duration, f64), Failure> {
    let once = timed(10, &pair.peer)?;
    let goes = TURN.div_duration_f64(once).ceil() as u32;
    let mut times = Vec::new();
    for turn in 0..TURNS {
        // The order alternates.
        if turn.is_multiple_of(2) {
            let ours = timed(goes, &pair.ours)?;
            times.push((ours, timed(goes, &pair.peer)?));
        } else {
            let peer = timed(goes, &pair.peer)?;
            times.push((timed(goes, &pair.ours)?, peer));
        }
    }
    let ratios = times.iter().map(|(ours, peer)| ours.div_duration_f64(*peer));
    Ok((
        median(times.iter().map(|(ours, _)| *ours)),
        median(times.iter().map(|(_, peer)| *peer)),
        median(ratios),
    ))
}

fn timed(goes: u32, way: &Way<'_>) -> Result<Duration, Failure> {
    let start = Instant::now();
    for _ in 0..goes {
        way()?;
    }
    Ok(start.elapsed() / goes)
}

/// Returns the median of a non-empty list.
fn median<T: PartialOrd + Copy>(values: impl Iterator<Item = T>) -> T {
    let mut values: Vec<T> = values.collect();
    values.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    values[values.len() / 2]
}
