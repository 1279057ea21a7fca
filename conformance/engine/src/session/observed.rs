//! The known data of a deployment before the cases begin, and the collections that many cases read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use crate::session::collection::Collection;
use crate::target::{PipelineRole, SomePipelines};
use crate::transport::response::HttpResponse;

/// The known data of a deployment: named by the target, or discovered.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// The pipelines that responded, in order of their ids.
    pub pipelines: Vec<KnownPipeline>,
    /// The pipelines that the target names but that are not among [`pipelines`](Self::pipelines).
    pub not_found: Vec<u64>,
    /// The reads that the deployment does not have.
    pub missing: BTreeSet<String>,
    /// The pipeline of each role.
    pub roles: BTreeMap<PipelineRole, u64>,
    /// Organizations that a search found.
    pub organizations: Vec<u64>,
    /// Products that a search found.
    pub products: Vec<u64>,
    /// A text for each search by text, by the id of its operation: one that lets the search tell records apart.
    pub texts: BTreeMap<String, String>,
    /// A text that finds many records, by the id of the search by description.
    pub wide_texts: BTreeMap<String, String>,
    /// Organizations that may be added to the writable pipeline and are not in it.
    pub to_add: Vec<u64>,
    /// Why nothing can be added to the writable pipeline, if nothing can.
    pub not_writable: Option<String>,
    /// The pipelines that may be added to besides the writable one.
    pub pipelines_to_add: Vec<u64>,
    /// Those of the key for some pipelines.
    pub some_pipelines: SomePipelines,
    /// An id that no record has, for a deployment that rejects ids as large as the contract's.
    pub unknown_id: Option<i64>,
    /// The number of entries of the collections when the run began, if known.
    pub totals: BTreeMap<Collection, u64>,
}

/// The text to search for when any record will do, unless another one finds more.
pub(crate) const ANYTHING: &str = "software and services for businesses";

impl Known {
    /// A text with which a search by description finds many records.
    pub fn wide_text(&self, search: &str) -> &str {
        self.wide_texts.get(search).map_or(ANYTHING, String::as_str)
    }
}

/// The limit on known pipelines; those that the target names come first.
pub const PIPELINES: usize = 14;
/// The limit on question columns of all pipelines that the cases check.
pub const COLUMNS: usize = 24;

/// A pipeline that responded.
#[derive(Debug, Clone)]
pub struct KnownPipeline {
    /// Its id.
    pub pipeline_id: u64,
    /// How many items it has.
    pub total_count: u64,
    /// The id of its first item.
    pub first_item: Option<u64>,
    /// The `entity_type` of its first item.
    pub entity_type: Option<String>,
    /// Its question columns, taken from the values of its first item.
    pub question_columns: Vec<String>,
}

/// All items of a pipeline in one order, as a walk through its pages found them.
#[derive(Clone)]
pub struct Listing {
    /// The items, in the order of the walk; for a sorted walk, their ids and the sort values.
    pub items: Vec<Value>,
    /// The pages, in the order of the walk, without their items: as evidence.
    pub pages: Vec<HttpResponse>,
    /// `total_count` of the first page.
    pub total_count: i64,
    /// Whether the walk reached the end; the walk through a pipeline with too many items is stopped early.
    pub complete: bool,
}

impl fmt::Debug for Listing {
    /// Writes only the sizes: texts from the deployment may repeat secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listing")
            .field("items", &self.items.len())
            .field("pages", &self.pages)
            .field("total_count", &self.total_count)
            .field("complete", &self.complete)
            .finish()
    }
}

impl Listing {
    /// The ids of the items, in the order of the walk.
    pub fn ids(&self) -> Vec<i64> {
        self.items.iter().map(item_id).collect()
    }

    /// The first page, as evidence.
    pub fn first_page(&self) -> Option<&HttpResponse> {
        self.pages.first()
    }
}

/// The first results of a search, as far as they were read.
#[derive(Clone)]
pub struct Walk {
    /// The results.
    pub results: Vec<Value>,
    /// The pages, without their results: as evidence.
    pub pages: Vec<HttpResponse>,
    /// The number of results on each page.
    pub page_lengths: Vec<i64>,
    /// `total_count` of the first page.
    pub total_count: i64,
}

impl Walk {
    /// The first page, as evidence.
    pub fn evidence(&self) -> Vec<&HttpResponse> {
        self.pages.first().into_iter().collect()
    }

    /// The results of each page that has some.
    pub fn result_pages(&self) -> Vec<&[Value]> {
        let mut rest = self.results.as_slice();
        let lengths = self
            .page_lengths
            .iter()
            .filter_map(|length| usize::try_from(*length).ok());
        let mut pages = Vec::new();
        for length in lengths.filter(|length| *length > 0) {
            let (page, after) = rest.split_at(length.min(rest.len()));
            pages.push(page);
            rest = after;
        }
        pages
    }
}

/// The `pipeline_item_id` of an item, or -1 if it has none: the schema cases report that.
pub fn item_id(item: &Value) -> i64 {
    item["pipeline_item_id"].as_i64().unwrap_or(-1)
}

/// The approximate memory of a value.
pub(crate) fn memory_of(value: &Value) -> usize {
    let inside = match value {
        Value::String(text) => text.len(),
        Value::Array(entries) => entries.iter().map(memory_of).sum(),
        Value::Object(members) => members
            .iter()
            // Includes the names and the nodes of the map.
            .map(|(name, value)| 2 * size_of::<String>() + name.len() + memory_of(value))
            .sum(),
        _ => 0,
    };
    size_of::<Value>() + inside
}

/// The items of a page.
pub fn items(page: &HttpResponse) -> &[Value] {
    page.at("/items").as_array().map_or(&[], Vec::as_slice)
}

/// The question columns among the values of an item.
pub fn question_columns(item: &Value) -> Vec<String> {
    let columns = item["values"].as_object().into_iter().flatten();
    columns
        .map(|(column, _)| column.clone())
        .filter(|column| column.starts_with("question."))
        .collect()
}
