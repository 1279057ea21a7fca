//! A form of a search, and how a page in it is read.

use serde_json::{Map, Value, json};

use super::path::{Path, at, at_mut, is_at, is_there, number, put};

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
    /// Whether the target names the place: then the field has no value but this one.
    pub(super) is_named: bool,
}

impl Form {
    /// Whether a page has its results where this form has them.
    pub(super) fn fits(&self, body: &Value) -> bool {
        at(body, &self.list).is_array()
    }

    pub(super) fn read(&self, mut body: Value) -> Value {
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
            let records = records.into_iter().map(|record| self.read_record(record));
            page.insert(RESULTS.to_owned(), records.collect());
        }
        Value::Object(page)
    }

    /// A result with its fields at their places in the contract, besides its own.
    fn read_record(&self, mut record: Value) -> Value {
        if record.is_object() {
            let moved = self.moved.iter().map(|Move { from, to, is_named }| {
                let value = match at(&record, from) {
                    Value::String(text) if is_of_id(to) => match text.parse::<i64>() {
                        Ok(id) => json!(id),
                        Err(_) => json!(text),
                    },
                    score if is_at(to, DISTANCE) => match number(score) {
                        Some(score) if self.is_similarity => json!(1.0 - score),
                        Some(score) => json!(score),
                        None => score.clone(),
                    },
                    value => value.clone(),
                };
                (to, value, *is_named && is_there(&record, from))
            });
            let known: Vec<_> = moved
                .filter(|(_, value, is_known)| *is_known || !value.is_null())
                .collect();
            known.into_iter().for_each(|(to, value, _)| put(&mut record, to, value));
        }
        record
    }
}

/// Whether a place in the contract is that of an id.
pub(super) fn is_of_id(place: &Path) -> bool {
    place.last().is_some_and(|name| name.ends_with("_id"))
}
