//! How two pages of results compare: by the records that both have, and their distances. A search that ignores
//! something finds the same records at the same distances without it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::calls::{Finds, distance, results};
use crate::order::same_distance;
use engine::session::Probe;
use engine::transport::response::HttpResponse;

/// The number of results that two searches must have in common to be compared. If each has twice as many, and fewer are
/// in both, they differ.
const COMMON: usize = 5;

/// The number of distances among them. With fewer, two searches may well have the same by chance: the distances of a
/// coarse model tie often.
const DISTANCES: usize = 4;

/// How the results of two pages compare.
pub(crate) enum Compared {
    /// Too few results, or at too few distances.
    Nothing,
    Same,
    Different,
}

pub(crate) fn compare(finds: Finds, one: &[Value], other: &[Value]) -> Compared {
    let known: BTreeMap<_, _> = one.iter().map(|result| (finds.id(result), distance(result))).collect();
    let both = other
        .iter()
        .filter_map(|result| Some((*known.get(&finds.id(result))?, distance(result))));
    let mut both: Vec<_> = both.collect();
    let has_others = both.len() < COMMON && one.len().min(other.len()) >= 2 * COMMON;
    both.retain(|(one, other)| !one.is_nan() && !other.is_nan());
    let differ = |(one, other): &(f64, f64)| !same_distance(*one, *other);
    both.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let steps = both.windows(2).filter(|pair| !same_distance(pair[0].0, pair[1].0));
    let is_coarse = steps.count() + 1 < DISTANCES;
    match () {
        () if has_others || both.iter().any(differ) => Compared::Different,
        () if is_coarse || both.len() < COMMON => Compared::Nothing,
        () => Compared::Same,
    }
}

/// Reports two searches that should rank differently. Returns whether they could be compared.
pub(crate) fn assert_differ(probe: &Probe, finds: Finds, what: &str, pages: [&HttpResponse; 2]) -> bool {
    assert_lists_differ(probe, finds, what, pages.map(results), pages)
}

/// Reports two lists of results, from these pages, that should rank differently. Returns whether they could be
/// compared.
pub(crate) fn assert_lists_differ(
    probe: &Probe,
    finds: Finds,
    what: &str,
    [one, other]: [&[Value]; 2],
    pages: [&HttpResponse; 2],
) -> bool {
    let compared = compare(finds, one, other);
    if !matches!(compared, Compared::Nothing) {
        probe.assert(
            matches!(compared, Compared::Different),
            what,
            "other records, or another distance for some record",
            "the same distance for each record that both find",
            &pages,
        );
    }
    !matches!(compared, Compared::Nothing)
}

/// The results of a page that are at another distance on another page.
pub(crate) fn moved(finds: Finds, page: &HttpResponse, other: &HttpResponse) -> Vec<Value> {
    let there: BTreeMap<_, _> = results(other)
        .iter()
        .map(|result| (finds.id(result), distance(result)))
        .collect();
    let is_moved = |result: &&Value| {
        let there = there.get(&finds.id(result));
        there.is_some_and(|there| !same_distance(*there, distance(result)))
    };
    results(page).iter().filter(is_moved).cloned().collect()
}

/// The results that are among these records.
pub(crate) fn among(finds: Finds, results: &[Value], records: &[Value]) -> Vec<Value> {
    let ids: BTreeSet<_> = records.iter().map(|record| finds.id(record)).collect();
    let is_among = |result: &&Value| ids.contains(&finds.id(result));
    results.iter().filter(is_among).cloned().collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::json;

    use super::*;

    pub(crate) fn page(distances: &[(i64, f64)]) -> Vec<Value> {
        let result =
            |(id, distance): &(i64, f64)| json!({"organization_id": id, "similarity": {"cosine_distance": distance}});
        distances.iter().map(result).collect()
    }

    #[test]
    fn pages_are_compared_by_the_distances_of_common_results() {
        let finds = Finds::Organizations;
        let one = page(&[(1, 0.1), (2, 0.2), (3, 0.3), (4, 0.4), (5, 0.5), (6, 0.6)]);
        let moved = page(&[(1, 0.1), (2, 0.25)]);
        assert!(matches!(compare(finds, &one, &one[1..]), Compared::Same));
        assert!(matches!(compare(finds, &one, &moved), Compared::Different));
        assert!(matches!(compare(finds, &one, &one[..2]), Compared::Nothing));
        let [low, high] = [1, 21].map(|from| page(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(|id| (from + id, 0.5))));
        assert!(matches!(compare(finds, &low, &high), Compared::Different));
        let coarse = page(&[1, 2, 3, 4, 5, 6].map(|id| (id, if id % 2 == 0 { 1.0 } else { 0.875 })));
        assert!(matches!(compare(finds, &coarse, &coarse), Compared::Nothing));
    }
}
