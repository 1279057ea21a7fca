//! The values of question columns, and their order in the contract.

use std::cmp::Ordering;

use serde_json::{Value, json};

use engine::session::Probe;
use engine::session::observed::{COLUMNS, Listing, item_id};
use engine::verdict::Stop;

/// The question columns of the known pipelines, up to the limit on checked columns.
pub fn columns(probe: &Probe) -> Result<Vec<(u64, String)>, Stop> {
    let pipelines = probe.known().pipelines.iter();
    let columns: Vec<_> = pipelines
        .flat_map(|pipeline| {
            pipeline
                .question_columns
                .iter()
                .map(|column| (pipeline.pipeline_id, column.clone()))
        })
        .take(COLUMNS)
        .collect();
    match columns.is_empty() {
        true => Err(Stop::not_seen("a pipeline with an item and a question")),
        false => Ok(columns),
    }
}

/// The first value of a column of an item, if its type can be compared.
pub fn first_value<'a>(item: &'a Value, column: &str) -> Option<&'a Value> {
    item["values"][column]["result"]
        .get(0)
        .filter(|value| rank(value) < OTHER)
}

/// The value of an item that has only one.
pub(crate) fn sole_value<'a>(item: &'a Value, column: &str) -> Option<&'a Value> {
    let result = item["values"][column]["result"].as_array();
    match result.map(Vec::as_slice) {
        Some([value]) => Some(value),
        _ => None,
    }
}

/// Whether the first value of a column of an item is of another kind, such as a list. Other kinds may occur, and where
/// such items stand in a sorted list is not defined.
pub(crate) fn is_of_another_kind(item: &Value, column: &str) -> bool {
    let first = item["values"][column]["result"].get(0);
    first.is_some_and(|value| rank(value) == OTHER)
}

/// The rank of a value that is not a number, a string or a boolean.
const OTHER: u8 = 3;

pub(crate) fn rank(value: &Value) -> u8 {
    match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        Value::Bool(_) => 2,
        _ => OTHER,
    }
}

/// The order of the contract: numbers, then strings by code point, then booleans.
pub fn compare(one: &Value, other: &Value) -> Ordering {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one.as_f64().partial_cmp(&other.as_f64()).unwrap_or(Ordering::Equal)
        }
        // UTF-8 sorts like code points.
        (Value::String(one), Value::String(other)) => one.cmp(other),
        (Value::Bool(one), Value::Bool(other)) => one.cmp(other),
        _ => rank(one).cmp(&rank(other)),
    }
}

/// Whether two values are equal, and not as floating-point numbers only: large integers that differ may be that.
pub(crate) fn are_equal(one: &Value, other: &Value) -> bool {
    let are_unlike_integers = one.as_i64().is_some() && other.as_i64().is_some() && one != other;
    compare(one, other) == Ordering::Equal && !are_unlike_integers
}

/// A value in a form that is equal for equal values: 0 is 0.0.
pub(crate) fn comparable(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        other => other.clone(),
    }
}

/// Adjacent items of a sorted listing that both have a value.
pub fn neighbours<'a>(
    listing: &'a Listing,
    column: &'a str,
) -> impl Iterator<Item = ((&'a Value, &'a Value), (&'a Value, &'a Value))> {
    let pairs = listing.items.windows(2);
    pairs.filter_map(move |pair| {
        let values = (first_value(&pair[0], column)?, first_value(&pair[1], column)?);
        Some(((&pair[0], values.0), (&pair[1], values.1)))
    })
}

pub(crate) fn shown(pair: ((&Value, &Value), (&Value, &Value))) -> String {
    let ((one, first), (other, second)) = pair;
    format!(
        "item {} with {first} before item {} with {second}",
        item_id(one),
        item_id(other)
    )
}

/// Groups of equal values, with the ids of each ascending. They are the same in both orders.
pub(crate) fn groups(listing: &Listing, column: &str) -> Vec<(Value, Vec<i64>)> {
    let mut groups: Vec<(Value, Vec<i64>)> = Vec::new();
    for item in &listing.items {
        let Some(value) = first_value(item, column) else {
            continue;
        };
        match groups
            .last_mut()
            .filter(|(last, _)| compare(last, value) == Ordering::Equal)
        {
            Some((_, ids)) => ids.push(item_id(item)),
            None => groups.push((comparable(value), vec![item_id(item)])),
        }
    }
    groups.iter_mut().for_each(|(_, ids)| ids.sort_unstable());
    groups
}
