//! A form of a search, and how a page in it is read.

use serde_json::{Map, Value, json};

use super::path::{Path, at, at_mut, is_at, is_there, number, put, through_lists};
use super::words::Words;
use crate::target::search_names::Dates;
use platform_contract::Contract;

pub(super) const RESULTS: &str = "results";
pub(super) const ORGANIZATION_ID: [&str; 2] = ["organization", "organization_id"];
pub(super) const DISTANCE: [&str; 2] = ["similarity", "cosine_distance"];

/// How a search writes its results.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Form {
    pub(super) list: Path,
    pub(super) total: Option<Path>,
    /// The fields of a result that stand elsewhere than in the contract.
    pub(super) moved: Vec<Move>,
    /// Whether a score is the greater the nearer a result is.
    pub(super) is_similarity: bool,
}

/// Where a field of a result stands, and where it stands in the contract.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Move {
    pub(super) from: Path,
    pub(super) to: Path,
    /// The place in the entries of the list at `to`, if it is a field of these. Each value belongs to one entry.
    pub(super) in_entry: Option<Path>,
    pub(super) reading: Reading,
    /// Whether the target names the place: then the field has no value but this one.
    pub(super) is_named: bool,
}

/// How a value becomes what the contract has in its place, if it is written otherwise.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reading {
    AsItIs,
    Number,
    List,
    Date(Dates),
    /// One of these words of the contract.
    Word(Vec<String>),
}

impl Reading {
    /// The reading of a field that has this schema in the contract.
    pub(super) fn of(contract: &Contract, schema: &Value, dates: Dates) -> Self {
        let name = schema["x-type-name"].as_str().unwrap_or_default();
        let listed = contract.get(&format!("/components/schemas/{name}/enum"));
        let words = listed.and_then(Value::as_array).into_iter().flatten();
        let words: Vec<_> = words.filter_map(|word| Some(word.as_str()?.to_owned())).collect();
        match (schema["type"].as_str(), schema["format"].as_str()) {
            (Some("string"), Some("date")) => Self::Date(dates),
            (Some("string"), _) if !words.is_empty() => Self::Word(words),
            (Some("array"), _) => Self::List,
            (Some("integer"), _) => Self::Number,
            _ => Self::AsItIs,
        }
    }

    /// The value as the contract writes it, or as it is if that is not known.
    fn read(&self, value: &Value, words: &Words) -> Value {
        let known = match self {
            Self::AsItIs => None,
            Self::Number => value
                .as_str()
                .and_then(|text| text.parse::<i64>().ok())
                .map(|number| json!(number)),
            Self::List => value.is_string().then(|| json!([value])),
            Self::Date(dates) => dates.read(value).map(|date| json!(date)),
            Self::Word(listed) => value
                .as_str()
                .and_then(|theirs| words.read(listed, theirs))
                .map(|word| json!(word)),
        };
        known.unwrap_or_else(|| value.clone())
    }
}

impl Move {
    /// A field that is moved and otherwise stays as it is.
    pub(super) fn new(from: Path, to: Path) -> Self {
        Self {
            from,
            to,
            in_entry: None,
            reading: Reading::AsItIs,
            is_named: false,
        }
    }
}

impl Form {
    /// Whether a page has its results where this form has them.
    pub(super) fn fits(&self, body: &Value) -> bool {
        at(body, &self.list).is_array()
    }

    pub(super) fn read(&self, mut body: Value, words: &Words) -> Value {
        let is_of_contract = self.moved.is_empty() && is_at(&self.list, [RESULTS]);
        if is_of_contract || !self.fits(&body) {
            return body;
        }
        let total = self.total.as_ref().map(|total| at(&body, total).clone());
        let records = at_mut(&mut body, &self.list).map(Value::take);
        let mut page = match body {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        page.extend(total.map(|total| ("total_count".to_owned(), total)));
        if let Some(Value::Array(records)) = records {
            let records = records.into_iter().map(|record| self.read_record(record, words));
            page.insert(RESULTS.to_owned(), records.collect());
        }
        Value::Object(page)
    }

    /// A result with its fields at their places in the contract, besides its own.
    fn read_record(&self, mut record: Value, words: &Words) -> Value {
        if record.is_object() {
            let read = self
                .moved
                .iter()
                .map(|moved| (moved, self.read_field(&record, moved, words)));
            let is_known =
                |(moved, value): &(&Move, Value)| !value.is_null() || moved.is_named && is_there(&record, &moved.from);
            let known: Vec<_> = read.filter(is_known).collect();
            for (moved, value) in known {
                match (&moved.in_entry, value) {
                    (None, value) => put(&mut record, &moved.to, value),
                    (Some(place), Value::Array(values)) => put_in_entries(&mut record, &moved.to, place, values),
                    (Some(_), _) => {}
                }
            }
        }
        record
    }

    fn read_field(&self, record: &Value, moved: &Move, words: &Words) -> Value {
        let Move { to, reading, .. } = moved;
        let found = through_lists(record, &moved.from);
        match (found, &moved.in_entry) {
            (Value::Array(values), Some(_)) => values.iter().map(|value| reading.read(value, words)).collect(),
            (Value::String(text), _) if is_of_id(to) => match text.parse::<i64>() {
                Ok(id) => json!(id),
                Err(_) => json!(text),
            },
            (score, _) if is_at(to, DISTANCE) => match number(&score) {
                Some(score) if self.is_similarity => json!(1.0 - score),
                Some(score) => json!(score),
                None => score,
            },
            (value, _) => reading.read(&value, words),
        }
    }
}

/// Puts each value into one entry of a list. The list becomes as long as there are values.
fn put_in_entries(record: &mut Value, list: &[String], place: &Path, values: Vec<Value>) {
    let fits = |list: &Value| {
        let entries = list.as_array();
        entries.is_some_and(|entries| entries.len() == values.len() && entries.iter().all(Value::is_object))
    };
    if !fits(at(record, list)) {
        put(record, list, values.iter().map(|_| json!({})).collect());
    }
    let entries = at_mut(record, list).and_then(Value::as_array_mut);
    for (entry, value) in entries.into_iter().flatten().zip(values) {
        put(entry, place, value);
    }
}

/// Whether a place in the contract is that of an id.
pub(super) fn is_of_id(place: &Path) -> bool {
    place.last().is_some_and(|name| name.ends_with("_id"))
}
