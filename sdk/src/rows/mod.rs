//! Items of a pipeline as a table, for spreadsheets and data frames.
//!
//! Items have different columns, and only the items show which columns a pipeline has. A table is therefore
//! built from all items at once: its columns are the union of theirs. A row has a cell for each column. The
//! cell is empty if the item has no value for the column.
//!
//! ```
//! # use platform_sdk::Client;
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let server = platform_server_stub::Server::built_in();
//! # let client = Client::builder().service(server.router()).api_key("dev-read-only").build()?;
//! let rows = client.list_items().pipeline_id(2).walk().rows().await?;
//! assert_eq!(rows.columns()[..2], ["pipeline_item_id", "pipeline_id"]);
//! assert!(rows.columns().iter().any(|column| column == "question.201"));
//! for row in rows.iter() {
//!     assert_eq!(row.cells().count(), rows.columns().len());
//!     println!("{}", serde_json::to_string(&row)?); // one line of JSON for each item
//! }
//! # Ok(())
//! # }
//! ```

mod cell;
#[cfg(feature = "csv")]
mod csv;

use std::borrow::Cow;
use std::collections::HashSet;

use serde::{Serialize, Serializer};

pub use self::cell::Cell;
#[cfg(feature = "csv")]
pub use self::csv::FormulaText;
use crate::paging::Walk;
use crate::types::PipelineItem;
use crate::{ColumnId, Error};

/// A field of an item that is a column of every table.
struct Field {
    name: &'static str,
    cell: fn(&PipelineItem) -> Cell<'_>,
}

/// The first columns of every table.
const FIELDS: [Field; 6] = [
    Field {
        name: "pipeline_item_id",
        cell: |item| Cell::id(Some(item.pipeline_item_id.get())),
    },
    Field {
        name: "pipeline_id",
        cell: |item| Cell::id(Some(item.pipeline_id.get())),
    },
    Field {
        name: "entity_type",
        cell: |item| Cell::Text(item.entity_type.as_str()),
    },
    Field {
        name: "organization_id",
        cell: |item| Cell::id(item.organization_id.map(|id| id.get())),
    },
    Field {
        name: "person_id",
        cell: |item| Cell::id(item.person_id.map(|id| id.get())),
    },
    Field {
        name: "document_id",
        cell: |item| Cell::id(item.document_id.map(|id| id.get())),
    },
];

/// Pipeline items as rows with the same columns.
///
/// [`Walk::rows`] reads all items of a pipeline. A `Vec` of items converts into rows, and [`of`](Self::of)
/// borrows the items.
///
/// The columns are, in this order: always `pipeline_item_id`, `pipeline_id`, `entity_type`,
/// `organization_id`, `person_id` and `document_id`; the entity data that at least one item has, by name; and
/// the questions, by number. The order depends on nothing else. Certainty, references and status of a value
/// are not columns; read them from the [`item`](Row::item) of a row.
///
/// ```
/// use platform_sdk::rows::Rows;
/// use platform_sdk::types::PipelineItem;
///
/// let items: Vec<PipelineItem> = serde_json::from_str(r#"[
///     {"pipeline_item_id": 1, "pipeline_id": 2, "entity_type": "organization", "values": {
///         "question.20": {"result": [true], "category": "llm", "references": []},
///         "organization.name": {"result": ["Fjordfrost"], "category": "platform_data", "references": []}}},
///     {"pipeline_item_id": 2, "pipeline_id": 2, "entity_type": "document", "values": {
///         "question.3": {"result": [64, 70], "category": "llm", "references": []}}}
/// ]"#)?;
/// let rows = Rows::of(&items);
/// assert_eq!(rows.columns()[6..], ["organization.name", "question.3", "question.20"]);
///
/// assert_eq!(rows.len(), 2);
/// for row in rows.iter() {
///     println!("{:?}", row.cells().collect::<Vec<_>>());
/// }
/// # assert!(!rows.is_empty());
/// # let owned = Rows::from(items.clone());
/// # assert_eq!(owned.columns(), rows.columns());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Rows<'a> {
    columns: Vec<String>,
    items: Cow<'a, [PipelineItem]>,
}

impl<'a> Rows<'a> {
    /// Creates rows that borrow these items, in the same order.
    pub fn of(items: &'a [PipelineItem]) -> Self {
        Self::new(Cow::Borrowed(items))
    }

    fn new(items: Cow<'a, [PipelineItem]>) -> Self {
        let keys: HashSet<&String> = items.iter().flat_map(|item| item.values.keys()).collect();
        let mut values: Vec<ColumnId<'_>> = keys.into_iter().map(ColumnId::from).collect();
        values.sort_unstable_by_key(|id| (matches!(id, ColumnId::Question(_)), *id));
        let fields = FIELDS.iter().map(|field| field.name.to_owned());
        let columns = fields.chain(values.iter().map(ToString::to_string));
        Self {
            columns: columns.collect(),
            items,
        }
    }

    /// Returns the names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Returns the number of rows, one for each item.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns whether there are no items. The first six columns exist even then.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the rows, in the order of the items.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        let columns = &self.columns;
        self.items.iter().map(move |item| Row { columns, item })
    }
}

impl From<Vec<PipelineItem>> for Rows<'static> {
    fn from(items: Vec<PipelineItem>) -> Self {
        Self::new(Cow::Owned(items))
    }
}

/// An item as a row, with a cell for each column of the table.
///
/// Serializes as a map from column names to cells.
///
/// ```
/// use platform_sdk::rows::{Cell, Rows};
///
/// # let item = r#"{"pipeline_item_id": 7, "pipeline_id": 2, "entity_type": "organization", "organization_id": 1001,
/// #     "values": {"question.201": {"result": ["Oslo", "Bergen"], "category": "llm", "references": []}}}"#;
/// # let items: Vec<platform_sdk::types::PipelineItem> = vec![serde_json::from_str(item)?];
/// for row in Rows::of(&items).iter() {
///     assert_eq!(row.get("person_id"), Some(Cell::Empty));
///     assert_eq!(row.get("question.999"), None);
///     if let Some(Cell::List(cities)) = row.get("question.201") {
///         assert_eq!(cities.len(), 2);
///     }
///     assert_eq!(row.cells().len(), 7);
///     assert_eq!(row.item().pipeline_item_id.get(), 7);
///     let line = serde_json::to_string(&row)?;
///     assert!(line.ends_with(r#""document_id":null,"question.201":["Oslo","Bergen"]}"#));
/// }
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'a> {
    columns: &'a [String],
    item: &'a PipelineItem,
}

impl<'a> Row<'a> {
    /// Returns the cells, in the order of the [columns](Rows::columns).
    pub fn cells(&self) -> impl ExactSizeIterator<Item = Cell<'a>> + use<'a> {
        let item = self.item;
        self.columns
            .iter()
            .enumerate()
            .map(move |(place, column)| match FIELDS.get(place) {
                Some(field) => (field.cell)(item),
                None => value(item, column),
            })
    }

    /// Returns the cell of a column, or `None` if the table has no such column.
    pub fn get(&self, column: &str) -> Option<Cell<'a>> {
        let place = self.columns.iter().position(|name| name == column)?;
        self.cells().nth(place)
    }

    /// Returns the item of this row.
    pub fn item(&self) -> &'a PipelineItem {
        self.item
    }
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.columns.iter().zip(self.cells()))
    }
}

fn value<'a>(item: &'a PipelineItem, column: &str) -> Cell<'a> {
    let value = item.values.get(column);
    value.map_or(Cell::Empty, |value| Cell::of(&value.result))
}

impl Walk<PipelineItem> {
    /// Collects all items as [rows](crate::rows) with the same columns. All items must fit into memory,
    /// because the columns are known only after the last item is read.
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let rows = client.list_items().pipeline_id(1).sort_by("question.101").walk().rows().await?;
    /// println!("{} rows of {} columns", rows.len(), rows.columns().len());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Same as for [`collect`](Self::collect).
    pub async fn rows(self) -> Result<Rows<'static>, Error> {
        Ok(self.collect().await?.into())
    }
}
