//! Places in JSON, as the names of the members that lead to them.

use serde_json::{Map, Value};

/// The names of the members that lead from a value to another inside it.
pub type Path = Vec<String>;

/// How deep a value is looked into.
const DEPTH: usize = 7;
/// The limit on the places of a value.
const PLACES: usize = 400;

/// Whether a path is this one.
pub(super) fn is_at<const N: usize>(path: &[String], names: [&str; N]) -> bool {
    path.iter().eq(names.iter())
}

/// The value at a path; null if there is none.
pub fn at<'a>(value: &'a Value, path: &[String]) -> &'a Value {
    path.iter().fold(value, |value, name| &value[name.as_str()])
}

/// The value at a path; at one that leads through a list, the list of the values in its entries. Null if there is none.
pub(super) fn through_lists(value: &Value, path: &[String]) -> Value {
    match (value, path.split_first()) {
        (value, None) => value.clone(),
        (Value::Array(entries), Some(_)) => entries.iter().map(|entry| through_lists(entry, path)).collect(),
        (value, Some((name, below))) => through_lists(&value[name.as_str()], below),
    }
}

/// Whether there is anything at a path, even null, or a list on the way to it.
pub(super) fn is_there(value: &Value, path: &[String]) -> bool {
    match (value, path.split_first()) {
        (_, None) | (Value::Array(_), _) => true,
        (value, Some((name, below))) => value.get(name.as_str()).is_some_and(|value| is_there(value, below)),
    }
}

pub(super) fn at_mut<'a>(value: &'a mut Value, path: &[String]) -> Option<&'a mut Value> {
    path.iter().try_fold(value, |value, name| value.get_mut(name.as_str()))
}

/// Puts a value at a path, through objects.
pub(super) fn put(target: &mut Value, path: &[String], value: Value) {
    let mut place = target;
    for name in path {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        place = &mut place[name.as_str()];
    }
    *place = value;
}

/// The places of all values inside a value that are not objects.
pub fn leaves(value: &Value) -> Vec<(Path, &Value)> {
    let mut leaves = Vec::new();
    let mut next = vec![(Path::new(), value)];
    while let Some((path, value)) = next.pop()
        && leaves.len() < PLACES
    {
        match value {
            Value::Object(members) if path.len() < DEPTH => next.extend(members.iter().map(|(name, value)| {
                let below = path.iter().chain([name]).cloned().collect();
                (below, value)
            })),
            _ => leaves.push((path, value)),
        }
    }
    leaves
}

/// A number, which may be written as a text.
pub(super) fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

/// A name without case, and without marks between its words.
pub fn plain(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}
