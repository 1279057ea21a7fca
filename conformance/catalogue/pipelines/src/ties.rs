//! Items with equal values in a sorted list. Their order is decided: the source does not state one, so a deployment may
//! have another in each response.

use std::cmp::Ordering;

use serde_json::Value;

use engine::session::Probe;
use engine::session::observed::item_id;
use engine::transport::response::HttpResponse;

use crate::column_values::{are_equal, compare, first_value, rank, sole_value};

/// The cause of a finding about the order of items with equal values.
pub(crate) const ORDER_OF_TIES: &str = "order of ties";
/// The decision about items with equal values.
pub(crate) const TIES: &str = "ties are in ascending order of pipeline_item_id";

/// Asserts that two lists have the same items in the same order. Where only items with equal values are in another
/// order, this rests on the decision about ties.
pub(crate) fn assert_same_order<'a>(
    probe: &Probe,
    what: &str,
    column: &str,
    expected: impl IntoIterator<Item = &'a Value>,
    seen: &[Value],
    evidence: &[&HttpResponse],
) {
    let expected: Vec<_> = expected.into_iter().collect();
    let mut pairs = expected.iter().zip(seen);
    let differs_in_ties = expected.len() == seen.len() && pairs.all(|(one, other)| may_be_tied(one, other, column));
    let ids = |items: Vec<i64>| Value::from(items);
    let (expected, seen) = (
        ids(expected.into_iter().map(item_id).collect()),
        ids(seen.iter().map(item_id).collect()),
    );
    match differs_in_ties {
        true => about_ties(probe).assert_same(what, &expected, &seen, evidence),
        false => probe.assert_same(what, &expected, &seen, evidence),
    }
}

/// The same probe, whose findings are about the order of items with equal values.
pub(crate) fn about_ties(probe: &Probe) -> Probe {
    let sort_by = probe.contract().operation("list_items").parameter("sort_by");
    probe.due_to(ORDER_OF_TIES, &sort_by.pointer, TIES)
}

/// Whether two items have equal values, or both none.
pub(crate) fn are_tied(one: &Value, other: &Value, column: &str) -> bool {
    match (first_value(one, column), first_value(other, column)) {
        (Some(one), Some(other)) => are_equal(one, other),
        (None, None) => true,
        _ => false,
    }
}

/// Whether a deployment may order two items alike, whatever decides where the contract does: the case of texts, the
/// letters beyond ASCII, which of several values counts, where items without a value are.
fn may_be_tied(one: &Value, other: &Value, column: &str) -> bool {
    let (Some(one), Some(other)) = (sole_value(one, column), sole_value(other, column)) else {
        return true;
    };
    match (one, other) {
        (Value::String(one), Value::String(other)) => {
            one.eq_ignore_ascii_case(other) || !one.is_ascii() || !other.is_ascii()
        }
        _ => rank(one) != rank(other) || compare(one, other) == Ordering::Equal,
    }
}
