//! Two ways to do the same, measured side by side.

use std::time::{Duration, Instant};

use crate::Failure;

/// The SDK's way and another.
pub(crate) struct Pair<'a> {
    pub(crate) name: &'static str,
    /// How many times its instructions are counted: the more the shorter it is.
    pub(crate) counted: u32,
    pub(crate) ours: Way<'a>,
    pub(crate) peer: Way<'a>,
}

/// Does it once.
pub(crate) type Way<'a> = Box<dyn Fn() -> Result<(), Failure> + 'a>;

/// How many times each way gets its turn.
const TURNS: usize = 100;

/// The least time of a turn: shorter ones are lost in the clock and in the noise.
const TURN: Duration = Duration::from_millis(10);

/// Times the pairs and prints, for each, the median time of either way, and the median of the ratios turn by
/// turn.
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
        // Who goes first changes from turn to turn.
        if turn.is_multiple_of(2) {
            let ours = timed(goes, &pair.ours)?;
            times.push((ours, timed(goes, &pair.peer)?));
        } else {
            let peer = timed(goes, &pair.peer)?;
            times.push((timed(goes, &pair.ours)?, peer));
        }
    }
    let ratios = times
        .iter()
        .map(|(ours, peer)| ours.div_duration_f64(*peer));
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

/// The value in the middle; there is one at least.
fn median<T: PartialOrd + Copy>(values: impl Iterator<Item = T>) -> T {
    let mut values: Vec<T> = values.collect();
    values.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    values[values.len() / 2]
}
