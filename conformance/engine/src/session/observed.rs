//! What is known of a deployment before the cases begin, and the collections that many of them look at.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use crate::session::collection::Collection;
use crate::target::PipelineRole;
use crate::transport::answer::Answer;

/// What is known of a deployment: named by the target, or found out.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// The pipelines that answered, in order of their ids. The writable one is not among them.
    pub pipelines: Vec<KnownPipeline>,
    /// The pipeline of each role.
    pub roles: BTreeMap<PipelineRole, u64>,
    /// Organizations that a search found.
    pub organizations: Vec<u64>,
    /// Products that a search found.
    pub products: Vec<u64>,
    /// Organizations that may be added to the writable pipeline and are not in it.
    pub to_add: Vec<u64>,
    /// How many entries the collections had when the run began, as far as they are known.
    pub totals: BTreeMap<Collection, u64>,
}

/// The most pipelines that are known, those that the target names first.
pub const PIPELINES: usize = 10;
/// The most question columns of all pipelines that the cases look at.
pub const COLUMNS: usize = 24;

/// A pipeline that answered.
#[derive(Debug, Clone)]
pub struct KnownPipeline {
    /// Its id.
    pub pipeline_id: u64,
    /// How many items it has.
    pub total_count: u64,
    /// The `entity_type` of its first item.
    pub entity_type: Option<String>,
    /// Its question columns, by the values of its first item.
    pub question_columns: Vec<String>,
}

/// All items of a pipeline in one order, as a walk through its pages found them.
#[derive(Clone)]
pub struct Listing {
    /// The items, in the order of the walk; of a sorted walk, their ids and the values sorted by.
    pub items: Vec<Value>,
    /// The pages, in the order of the walk, without their items: as evidence.
    pub pages: Vec<Answer>,
    /// `total_count` of the first page.
    pub total_count: i64,
    /// Whether the walk came to the end; a pipeline of more items than the kit walks is left half-way.
    pub complete: bool,
}

impl fmt::Debug for Listing {
    /// How much there is: what the deployment sent may repeat secrets.
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
    pub fn first_page(&self) -> Option<&Answer> {
        self.pages.first()
    }
}

/// The first results of a search, as far as they were walked through.
#[derive(Clone)]
pub struct Walk {
    /// The results.
    pub results: Vec<Value>,
    /// The pages, without their results: as evidence.
    pub pages: Vec<Answer>,
    /// How many results each page has.
    pub page_lengths: Vec<i64>,
    /// `total_count` of the first page.
    pub total_count: i64,
}

impl Walk {
    /// The first page, as evidence.
    pub fn evidence(&self) -> Vec<&Answer> {
        self.pages.first().into_iter().collect()
    }
}

/// The `pipeline_item_id` of an item, or -1 when it has none: the cases of the schema report that.
pub fn item_id(item: &Value) -> i64 {
    item["pipeline_item_id"].as_i64().unwrap_or(-1)
}

/// About how much memory a value takes.
pub(crate) fn memory_of(value: &Value) -> usize {
    let inside = match value {
        Value::String(text) => text.len(),
        Value::Array(entries) => entries.iter().map(memory_of).sum(),
        Value::Object(members) => members
            .iter()
            // Names, and the nodes of the map.
            .map(|(name, value)| 2 * size_of::<String>() + name.len() + memory_of(value))
            .sum(),
        _ => 0,
    };
    size_of::<Value>() + inside
}

/// The items of a page.
pub fn items(page: &Answer) -> &[Value] {
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
