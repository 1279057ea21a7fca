//! The laws of order: how results stand, and what a filter leaves of them. Each law takes what was seen
//! and returns how it departs from the law; nothing is sent here.

use std::collections::BTreeSet;

use serde_json::Value;

use super::search_calls::{Finds, Walk, count, distance};

/// How far two computations of one distance may lie apart: the contract asks for an order, not for an
/// arithmetic, and the last digits of a sum depend on the order in which it is taken.
const SAME_DISTANCE: f64 = 1e-6;

/// A departure from a law.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Departure {
    /// What does not hold.
    pub(super) what: &'static str,
    /// What the law asks for.
    pub(super) expected: String,
    /// What was seen.
    pub(super) seen: String,
}

fn departure(what: &'static str, expected: impl Into<String>, seen: impl Into<String>) -> Departure {
    Departure { what, expected: expected.into(), seen: seen.into() }
}

/// How a result is shown: its id and its distance.
fn shown(finds: Finds, result: &Value) -> String {
    format!("{} at {}", finds.id(result), distance(result))
}

/// Distances ascend, ties stand in ascending order of their ids, and no id comes twice.
pub(super) fn order(finds: Finds, results: &[Value]) -> Vec<Departure> {
    let mut departures = Vec::new();
    for pair in results.windows(2) {
        let (before, after) = (distance(&pair[0]), distance(&pair[1]));
        let seen = || format!("{}, then {}", shown(finds, &pair[0]), shown(finds, &pair[1]));
        if before > after {
            departures.push(departure("the order of the distances", "nearest first", seen()));
        } else if before == after && finds.id(&pair[0]) >= finds.id(&pair[1]) {
            let expected = format!("ascending {}", finds.id_member());
            departures.push(departure("the order of a tie", expected, seen()));
        }
    }
    let mut met = BTreeSet::new();
    for result in results {
        if !met.insert(finds.id(result)) {
            let seen = format!("{} twice", finds.id(result));
            departures.push(departure("the results", "each record once", seen));
        }
    }
    departures
}

/// Every distance is within its bounds.
pub(super) fn distances_between(least: f64, most: f64, finds: Finds, results: &[Value]) -> Vec<Departure> {
    // Written so that what is not a number is out of bounds.
    let out = results.iter().filter(|result| !(least..=most).contains(&distance(result)));
    let expected = format!("a distance from {least} to {most}");
    out.map(|result| departure("the distance", expected.clone(), shown(finds, result))).collect()
}

/// One list is the beginning of another: the same records at the same distances.
pub(super) fn prefix(finds: Finds, shorter: &[Value], longer: &[Value]) -> Vec<Departure> {
    if shorter.len() > longer.len() {
        let expected = format!("at most {} results", longer.len());
        return vec![departure("the number of results", expected, shorter.len().to_string())];
    }
    first_difference(finds, longer, shorter).into_iter().collect()
}

/// Where two lists first differ, as far as both go.
fn first_difference(finds: Finds, expected: &[Value], seen: &[Value]) -> Option<Departure> {
    let differs = |(expected, seen): &(&Value, &Value)| {
        finds.id(expected) != finds.id(seen) || (distance(expected) - distance(seen)).abs() > SAME_DISTANCE
    };
    let position = expected.iter().zip(seen).position(|pair| differs(&pair))?;
    let show = |results: &[Value]| format!("result {position}: {}", shown(finds, &results[position]));
    Some(departure("the results", show(expected), show(seen)))
}

/// A filter yields exactly the records of the unfiltered search that pass it, in the same order, at the
/// same distance; `total_count` counts them. Where the unfiltered search is longer than what can be
/// reached, that is told as far as it was walked: what passes there has to come first.
pub(super) fn filtered(
    finds: Finds,
    unfiltered: &Walk,
    filtered: &Walk,
    keeps: impl Fn(&Value) -> bool,
) -> Vec<Departure> {
    let mut departures = Vec::new();
    let strangers = filtered.results.iter().filter(|result| !keeps(result));
    departures.extend(strangers.map(|result| {
        departure("a result that does not pass the filter", "only those that pass", shown(finds, result))
    }));
    let passing: Vec<_> = unfiltered.results.iter().filter(|result| keeps(result)).cloned().collect();
    departures.extend(first_difference(finds, &passing, &filtered.results));
    // What is found beyond the passing ones has to lie beyond the part that was walked.
    let walked: BTreeSet<_> = unfiltered.results.iter().map(|result| finds.id(result)).collect();
    let beyond = filtered.results.iter().skip(passing.len());
    let near = beyond.filter(|result| walked.contains(&finds.id(result)) && !keeps_out(finds, &passing, result));
    departures.extend(near.map(|result| {
        departure("the results", "no record twice, and none out of its place", shown(finds, result))
    }));
    let left = unfiltered.total_count - count(&unfiltered.results);
    let (least, most) = (count(&passing), count(&passing) + left);
    if !(least..=most).contains(&filtered.total_count) {
        let expected = match left {
            0 => least.to_string(),
            _ => format!("from {least} (seen to pass) to {most} (with the {left} out of reach)"),
        };
        departures.push(departure("total_count", expected, filtered.total_count.to_string()));
    }
    departures
}

/// The pages of a walk are full, and agree on `total_count`.
pub(super) fn pages(walk: &Walk, totals: &[i64], wanted: i64) -> Vec<Departure> {
    let mut departures = Vec::new();
    if let Some(other) = totals.iter().find(|total| **total != walk.total_count) {
        let expected = format!("{} on every page", walk.total_count);
        departures.push(departure("total_count", expected, other.to_string()));
    }
    let expected = walk.total_count.min(wanted);
    if count(&walk.results) != expected {
        let seen = walk.results.len().to_string();
        departures.push(departure("the number of results on all pages", expected.to_string(), seen));
    }
    departures
}
