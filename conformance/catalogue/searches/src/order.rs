//! The laws of order: the order of results, and the records that a filter keeps. A law takes results and returns the
//! violations; nothing is sent here.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use serde_json::Value;

use crate::calls::{Finds, Walk, count, distance};
use engine::session::Probe;
use engine::transport::response::HttpResponse;

/// The tolerance between two computations of one distance: the contract defines an order, not the arithmetic, and the
/// last digits of a sum depend on the order of its terms.
const SAME_DISTANCE: f64 = 1e-6;

/// A violation of a law.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    /// The property that is violated.
    pub(crate) what: &'static str,
    /// The expectation of the law.
    pub(crate) expected: String,
    /// The observed value.
    pub(crate) seen: String,
}

/// Asserts that a law has no violations. Reports the first violation of each kind, with the number of them.
pub(crate) fn assert_law(probe: &Probe, law: &str, departures: &[Violation], evidence: &[&HttpResponse]) {
    let mut kinds = BTreeSet::new();
    for first in departures.iter().filter(|violation| kinds.insert(violation.what)) {
        let times = departures
            .iter()
            .filter(|violation| violation.what == first.what)
            .count();
        let seen = match times {
            1 => first.seen.clone(),
            _ => format!("{} ({times} of this kind)", first.seen),
        };
        probe.assert(
            false,
            &format!("{law}: {}", first.what),
            &first.expected,
            seen,
            evidence,
        );
    }
    if departures.is_empty() {
        probe.assert(true, law, "", "", evidence);
    }
}

fn violation(what: &'static str, expected: impl Into<String>, seen: impl Into<String>) -> Violation {
    Violation {
        what,
        expected: expected.into(),
        seen: seen.into(),
    }
}

/// Formats a result as its id and its distance.
fn shown(finds: Finds, result: &Value) -> String {
    format!("{} at {:?}", finds.id(result), distance(result))
}

/// Checks that distances ascend, ties are in ascending order of their ids, and no id occurs twice.
pub(crate) fn order(finds: Finds, results: &[Value]) -> Vec<Violation> {
    let mut departures = Vec::new();
    for pair in results.windows(2) {
        let (before, after) = (distance(&pair[0]), distance(&pair[1]));
        let seen = || format!("{}, then {}", shown(finds, &pair[0]), shown(finds, &pair[1]));
        if before > after {
            departures.push(violation("the order of the distances", "nearest first", seen()));
        } else if before == after && finds.id(&pair[0]) >= finds.id(&pair[1]) {
            let expected = format!("ascending {}", finds.id_member());
            departures.push(violation("the order of a tie", expected, seen()));
        }
    }
    let mut met = BTreeSet::new();
    for result in results {
        if !met.insert(finds.id(result)) {
            let seen = format!("{} twice", finds.id(result));
            departures.push(violation("the results", "each record once", seen));
        }
    }
    departures
}

/// Checks that every distance is within its bounds.
pub(crate) fn distances_between(least: f64, most: f64, finds: Finds, results: &[Value]) -> Vec<Violation> {
    // The condition treats NaN as out of bounds.
    let out = results
        .iter()
        .filter(|result| !(least..=most).contains(&distance(result)));
    let expected = format!("a distance from {least} to {most}");
    out.map(|result| violation("the distance", expected.clone(), shown(finds, result)))
        .collect()
}

/// Checks that one list is the beginning of another: the same records at the same distances.
pub(crate) fn prefix(finds: Finds, shorter: &[Value], longer: &[impl Borrow<Value>]) -> Vec<Violation> {
    if shorter.len() > longer.len() {
        let expected = format!("at most {} results", longer.len());
        return vec![violation("the number of results", expected, shorter.len().to_string())];
    }
    let longer = longer.iter().map(Borrow::borrow);
    first_difference(finds, longer, shorter).into_iter().collect()
}

/// Whether two distances are equal within the tolerance. NaN differs from every distance.
pub(crate) fn same_distance(one: f64, other: f64) -> bool {
    (one - other).abs() <= SAME_DISTANCE
}

/// Returns the first difference between two lists, up to the length of the shorter one.
fn first_difference<'a>(
    finds: Finds,
    expected: impl IntoIterator<Item = &'a Value>,
    seen: impl IntoIterator<Item = &'a Value>,
) -> Option<Violation> {
    let differs = |(_, (expected, seen)): &(usize, (&Value, &Value))| {
        finds.id(expected) != finds.id(seen) || !same_distance(distance(expected), distance(seen))
    };
    let mut pairs = expected.into_iter().zip(seen).enumerate();
    let (position, (expected, seen)) = pairs.find(differs)?;
    let show = |result: &Value| format!("result {position}: {}", shown(finds, result));
    Some(violation("the results", show(expected), show(seen)))
}

/// Checks that a filter yields exactly the records of the unfiltered search that pass it, in the same order and at the
/// same distance, and that `total_count` counts them. If the unfiltered search is longer than its reach, only the
/// walked part is compared: the records that pass there come first.
///
/// Totals that are missing are for the check of the schema.
///
/// `unreadable` returns the field that keeps a record from being compared, if there is one. Such a record is a
/// violation of its own, and nothing else follows from it.
pub(crate) fn filtered(
    finds: Finds,
    unfiltered: &Walk,
    filtered: &Walk,
    keeps: impl Fn(&Value) -> bool,
    unreadable: impl Fn(&Value) -> Option<&'static str>,
) -> Vec<Violation> {
    let mut departures = Vec::new();
    let without_type = filtered.results.iter();
    let without_type = without_type.filter_map(|result| Some((result, unreadable(result)?)));
    departures.extend(without_type.map(|(result, field)| {
        violation(
            "a result that cannot be compared with the filter",
            "a field of its type",
            format!("{}, whose {field} has another type", shown(finds, result)),
        )
    }));
    let of_another_type = count(&departures);
    let results = filtered.results.iter();
    let results: Vec<_> = results.filter(|result| unreadable(result).is_none()).collect();
    let strangers = results.iter().filter(|result| !keeps(result));
    departures.extend(strangers.map(|result| {
        violation(
            "a result that does not pass the filter",
            "only those that pass",
            shown(finds, result),
        )
    }));
    let passing: Vec<_> = unfiltered.results.iter().filter(|result| keeps(result)).collect();
    let first = first_difference(finds, passing.iter().copied(), results.iter().copied());
    departures.extend(first);
    // The results after them have to lie beyond the walked part.
    let beyond = results.get(passing.len()..).unwrap_or_default();
    departures.extend(within_walk(finds, unfiltered, beyond).map(|result| {
        let expected = "a record that the unfiltered search finds at the same position";
        violation("the results", expected, shown(finds, result))
    }));
    if unfiltered.total_count < 0 || filtered.total_count < 0 {
        return departures;
    }
    let left = unfiltered.total_count - count(&unfiltered.results);
    let (least, most) = (count(&passing), count(&passing) + left + of_another_type);
    if !(least..=most).contains(&filtered.total_count) {
        let expected = match left {
            0 => least.to_string(),
            _ => {
                format!("from {least} (seen to pass) to {most} (counting the {left} out of reach)")
            }
        };
        departures.push(violation("total_count", expected, filtered.total_count.to_string()));
    }
    departures
}

/// Those of the results that are in a walk, or nearer than its end.
fn within_walk<'a>(finds: Finds, walk: &Walk, results: &[&'a Value]) -> impl Iterator<Item = &'a Value> {
    let walked: BTreeSet<_> = match results {
        [] => BTreeSet::new(),
        _ => walk.results.iter().map(|result| finds.id(result)).collect(),
    };
    let end = walk.results.last().map_or(0.0, distance);
    let is_within = move |result: &&Value| walked.contains(&finds.id(result)) || distance(result) < end - SAME_DISTANCE;
    results.iter().copied().filter(is_within)
}

/// Checks that the pages of a walk are full and agree on `total_count`. A total that is missing is for the check of the
/// schema.
pub(crate) fn pages(walk: &Walk, totals: &[i64], wanted: i64) -> Vec<Violation> {
    let other = totals.iter().filter(|total| **total != walk.total_count);
    let expected = format!("{} on every page", walk.total_count);
    let mut departures: Vec<_> = other
        .map(|other| violation("total_count", expected.clone(), other.to_string()))
        .collect();
    if walk.total_count < 0 {
        return departures;
    }
    let expected = walk.total_count.min(wanted);
    if count(&walk.results) != expected {
        let seen = walk.results.len().to_string();
        departures.push(violation(
            "the number of results on all pages",
            expected.to_string(),
            seen,
        ));
    }
    departures
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::json;

    use super::*;

    const FINDS: Finds = Finds::Organizations;

    pub(crate) fn results(pairs: &[(i64, f64)]) -> Vec<Value> {
        let result =
            |(id, distance): &(i64, f64)| json!({"organization_id": id, "similarity": {"cosine_distance": distance}});
        pairs.iter().map(result).collect()
    }

    fn walk(pairs: &[(i64, f64)], total_count: i64) -> Walk {
        Walk {
            results: results(pairs),
            pages: Vec::new(),
            page_lengths: Vec::new(),
            total_count,
        }
    }

    /// The results of a filtered search, its `total_count`, and the expected violations.
    type Filtered<'a> = (&'a [(i64, f64)], i64, &'a [&'a str]);

    fn whats(departures: &[Violation]) -> Vec<&str> {
        departures.iter().map(|violation| violation.what).collect()
    }

    /// Every record can be compared.
    fn comparable(_: &Value) -> Option<&'static str> {
        None
    }

    /// Keeps the even ids.
    fn even(result: &Value) -> bool {
        FINDS.id(result) % 2 == 0
    }

    const ALL: [(i64, f64); 5] = [(4, 0.1), (3, 0.2), (2, 0.3), (6, 0.3), (5, 0.4)];

    #[test]
    fn ascending_distances_with_ties_by_id_are_in_order() {
        assert_eq!(order(FINDS, &results(&ALL)), []);
        assert_eq!(order(FINDS, &[]), []);
    }

    #[test]
    fn descending_distances_ties_out_of_order_and_repetition_are_seen() {
        assert_eq!(
            whats(&order(FINDS, &results(&[(1, 0.2), (2, 0.1)]))),
            ["the order of the distances"]
        );
        assert_eq!(
            whats(&order(FINDS, &results(&[(2, 0.2), (1, 0.2)]))),
            ["the order of a tie"]
        );
        assert_eq!(
            whats(&order(FINDS, &results(&[(1, 0.1), (2, 0.2), (1, 0.3)]))),
            ["the results"]
        );
    }

    #[test]
    fn a_distance_out_of_bounds_or_missing_is_seen() {
        let between = |results: &[Value]| distances_between(0.0, 2.0, FINDS, results).len();
        assert_eq!(between(&results(&[(1, 0.0), (2, 2.0)])), 0);
        assert_eq!(between(&results(&[(1, -0.1), (2, 2.1)])), 2);
        assert_eq!(between(&[json!({"organization_id": 1})]), 1);
    }

    #[test]
    fn a_shorter_list_has_to_be_the_beginning_of_a_longer_one() {
        let all = results(&ALL);
        assert_eq!(prefix(FINDS, &all[..2], &all), []);
        assert_eq!(whats(&prefix(FINDS, &all[1..2], &all)), ["the results"]);
        assert_eq!(whats(&prefix(FINDS, &results(&[(4, 0.11)]), &all)), ["the results"]);
        assert_eq!(whats(&prefix(FINDS, &all, &all[..2])), ["the number of results"]);
    }

    #[test]
    fn a_filter_leaves_what_passes_in_its_order() {
        let all = walk(&ALL, 5);
        assert_eq!(
            filtered(FINDS, &all, &walk(&[(4, 0.1), (2, 0.3), (6, 0.3)], 3), even, comparable),
            []
        );
        // The total need not be known.
        for total_count in [-1, 5] {
            let all = walk(&ALL, total_count);
            assert_eq!(filtered(FINDS, &all, &walk(&[(4, 0.1)], -1), even, comparable), []);
        }
        // The first page is enough.
        assert_eq!(filtered(FINDS, &all, &walk(&[(4, 0.1)], 3), even, comparable), []);
    }

    #[test]
    fn a_filter_that_loses_adds_moves_or_miscounts_is_seen() {
        let all = walk(&ALL, 5);
        let table: [Filtered; 6] = [
            (&[(4, 0.1), (6, 0.3)], 2, &["the results", "total_count"]),
            (&[(4, 0.1), (2, 0.3)], 2, &["total_count"]),
            (
                &[(4, 0.1), (3, 0.2)],
                3,
                &["a result that does not pass the filter", "the results"],
            ),
            (&[(4, 0.1), (6, 0.3), (2, 0.3)], 3, &["the results"]),
            (&[(4, 0.2), (2, 0.3), (6, 0.3)], 3, &["the results"]),
            (&[(4, 0.1), (2, 0.3), (6, 0.3), (2, 0.3)], 3, &["the results"]),
        ];
        for (found, total_count, expected) in table {
            assert_eq!(
                whats(&filtered(FINDS, &all, &walk(found, total_count), even, comparable)),
                expected,
                "{found:?}"
            );
        }
    }

    #[test]
    fn a_record_with_a_field_of_another_type_is_seen_alone() {
        let all = walk(&ALL, 5);
        let third = |result: &Value| (FINDS.id(result) == 3).then_some("employee_count");
        let seen = |found: &[(i64, f64)], total_count| {
            let found = filtered(FINDS, &all, &walk(found, total_count), even, third);
            whats(&found).join(", ")
        };
        let alone = "a result that cannot be compared with the filter";
        assert_eq!(seen(&[(4, 0.1), (3, 0.2), (2, 0.3), (6, 0.3)], 4), alone);
        // The filter may also leave it out.
        assert_eq!(seen(&[(4, 0.1), (2, 0.3), (6, 0.3)], 3), "");
        let another = seen(&[(4, 0.1), (3, 0.2), (2, 0.3), (6, 0.3), (5, 0.4)], 5);
        assert!(another.contains("a result that does not pass the filter"), "{another}");
    }

    #[test]
    fn beyond_the_reach_only_what_was_walked_is_compared() {
        let all = walk(&ALL, 8);
        let found = [(4, 0.1), (2, 0.3), (6, 0.3), (8, 0.5)];
        for total_count in 4..=6 {
            assert_eq!(filtered(FINDS, &all, &walk(&found, total_count), even, comparable), []);
        }
        assert_eq!(
            whats(&filtered(FINDS, &all, &walk(&found, 7), even, comparable)),
            ["total_count"]
        );
        let too_near = [(4, 0.1), (2, 0.3), (6, 0.3), (8, 0.3)];
        assert_eq!(
            whats(&filtered(FINDS, &all, &walk(&too_near, 4), even, comparable)),
            ["the results"]
        );
    }

    #[test]
    fn pages_that_are_short_or_disagree_are_seen() {
        let full = walk(&ALL, 5);
        assert_eq!(pages(&full, &[5, 5], 10), []);
        assert_eq!(pages(&walk(&ALL[..3], 5), &[5], 3), []);
        assert_eq!(pages(&walk(&ALL[..3], -1), &[-1], 10), []);
        assert_eq!(whats(&pages(&full, &[5, 6], 10)), ["total_count"]);
        assert_eq!(
            whats(&pages(&walk(&ALL[..3], 5), &[5], 10)),
            ["the number of results on all pages"]
        );
    }
}
