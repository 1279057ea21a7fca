//! Reads the values of an item by question, by type and by status.
//!
//! Results borrow from the values and omit nothing, so an app can fall back on the JSON of any value.

mod column;
mod column_id;
mod error;

use std::collections::btree_map;

pub use self::column::Column;
pub use self::column_id::ColumnId;
pub use self::error::ColumnError;

use crate::types::{ColumnValue, Values};
use crate::{ExecutionStatus, QuestionId, SyncStatus};

/// Every iterator yields columns in the text order of their ids.
///
/// ```
/// # fn example(item: &platform_sdk::types::PipelineItem) {
/// let values = &item.values;
/// println!("{} columns, {} of questions", values.columns().count(), values.questions().count());
/// for question in values.pending().chain(values.failed()) {
///     println!("{} has no answer yet", question.id());
/// }
/// let closed = values.without_answer().chain(values.skipped()).chain(values.of_unknown_status());
/// println!("{} have none", closed.count());
/// # }
/// ```
///
/// ```
/// # let values = r#"{
/// #     "organization.name": {"result": ["Fjordfrost"], "category": "platform_data", "references": []},
/// #     "question.1": {"result": [64, 70], "category": "llm", "references": [], "status": "completed"},
/// #     "question.2": {"result": [], "category": "llm", "references": [], "status": "pending"}
/// # }"#;
/// # let values: platform_sdk::types::Values = serde_json::from_str(values)?;
/// let mut lines = Vec::new();
/// for column in values.entity_data().chain(values.answered()) {
///     lines.push(format!("{}: {column}", column.id()));
/// }
/// lines.push(format!("{} to come, {} failed", values.pending().count(), values.failed().count()));
/// assert_eq!(
///     lines,
///     ["organization.name: Fjordfrost", "question.1: 64, 70", "1 to come, 0 failed"]
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
impl Values {
    /// Returns the column of a qualifying question. Every question of the pipeline has one, answered or not.
    ///
    /// ```
    /// # let values = r#"{"question.201": {"result": ["Bergen"], "category": "llm", "references": []}}"#;
    /// # let values: platform_sdk::types::Values = serde_json::from_str(values)?;
    /// assert_eq!(values.question(201)?.text()?, Some("Bergen"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The pipeline has no such question.
    pub fn question(&self, id: impl Into<QuestionId>) -> Result<Column<'_>, ColumnError> {
        self.column(id.into())
    }

    /// Returns the column of a question or of entity data.
    ///
    /// ```
    /// # let city = r#"{"organization.headquarters.city":
    /// #     {"result": ["Bergen"], "category": "platform_data", "references": []}}"#;
    /// # let values: platform_sdk::types::Values = serde_json::from_str(city)?;
    /// let city = values.column("organization.headquarters.city")?;
    /// assert_eq!(city.text()?, Some("Bergen"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The item has no such column.
    pub fn column<'a>(&self, id: impl Into<ColumnId<'a>>) -> Result<Column<'_>, ColumnError> {
        let id = id.into().to_string();
        match self.0.get_key_value(&id) {
            Some((id, value)) => Ok(Column::new(id, value)),
            None => Err(ColumnError::missing(id)),
        }
    }

    /// Returns all columns.
    pub fn columns(&self) -> impl Iterator<Item = Column<'_>> {
        self.0.iter().map(|(id, value)| Column::new(id, value))
    }

    /// Returns the columns of entity data: all that do not belong to a question.
    pub fn entity_data(&self) -> impl Iterator<Item = Column<'_>> {
        self.columns().filter(|column| column.question_id().is_none())
    }

    /// Returns the columns of questions. Each is in one of [`answered`](Self::answered),
    /// [`pending`](Self::pending), [`without_answer`](Self::without_answer), [`failed`](Self::failed),
    /// [`skipped`](Self::skipped) and [`of_unknown_status`](Self::of_unknown_status).
    pub fn questions(&self) -> impl Iterator<Item = Column<'_>> {
        self.columns().filter(|column| column.question_id().is_some())
    }

    /// Returns the answered questions.
    ///
    /// ```
    /// # fn example(item: &platform_sdk::types::PipelineItem) {
    /// for answer in item.values.answered() {
    ///     println!("{}: {answer} ({:?} %)", answer.id(), answer.certainty_score);
    /// }
    /// # }
    /// ```
    pub fn answered(&self) -> impl Iterator<Item = Column<'_>> {
        self.with(ExecutionStatus::Completed)
    }

    /// Returns the questions that are not answered yet.
    pub fn pending(&self) -> impl Iterator<Item = Column<'_>> {
        self.with(ExecutionStatus::Pending)
    }

    /// Returns the questions for which no answer was found.
    pub fn without_answer(&self) -> impl Iterator<Item = Column<'_>> {
        self.with(ExecutionStatus::NoAnswer)
    }

    /// Returns the questions that could not be processed.
    pub fn failed(&self) -> impl Iterator<Item = Column<'_>> {
        self.with(ExecutionStatus::Failed)
    }

    /// Returns the questions that were not asked of this item.
    pub fn skipped(&self) -> impl Iterator<Item = Column<'_>> {
        self.with(ExecutionStatus::Skipped)
    }

    /// Returns the questions that have no status, or one that this version of the SDK does not know.
    pub fn of_unknown_status(&self) -> impl Iterator<Item = Column<'_>> {
        self.questions()
            .filter(|column| matches!(column.status, None | Some(ExecutionStatus::Unknown(_))))
    }

    fn with(&self, status: ExecutionStatus) -> impl Iterator<Item = Column<'_>> {
        self.questions()
            .filter(move |column| column.status.as_ref() == Some(&status))
    }
}

/// Yields the id and the value of each column.
///
/// ```
/// # fn example(item: platform_sdk::types::PipelineItem) {
/// use platform_sdk::types::Values;
///
/// let of_questions: Values = item.values.into_iter().filter(|(id, _)| id.starts_with("question.")).collect();
/// for (id, value) in &of_questions {
///     println!("{id}: {:?}", value.result);
/// }
/// # }
/// ```
impl IntoIterator for Values {
    type Item = (String, ColumnValue);
    type IntoIter = btree_map::IntoIter<String, ColumnValue>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Values {
    type Item = (&'a String, &'a ColumnValue);
    type IntoIter = btree_map::Iter<'a, String, ColumnValue>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl FromIterator<(String, ColumnValue)> for Values {
    fn from_iter<I: IntoIterator<Item = (String, ColumnValue)>>(columns: I) -> Self {
        Self(columns.into_iter().collect())
    }
}

impl ColumnValue {
    /// Returns whether synchronization of the value with the CRM is pending.
    ///
    /// ```
    /// # fn example(item: &platform_sdk::types::PipelineItem) {
    /// if item.values.columns().any(|column| column.is_sync_pending()) {
    ///     println!("item {} is not in the CRM yet", item.pipeline_item_id);
    /// }
    /// # }
    /// ```
    pub fn is_sync_pending(&self) -> bool {
        self.sync_status == Some(SyncStatus::Pending)
    }

    /// Returns whether the CRM rejected the value; `sync_error` has the reason.
    ///
    /// ```
    /// # fn example(item: &platform_sdk::types::PipelineItem) {
    /// for column in item.values.columns().filter(|column| column.is_sync_failed()) {
    ///     println!("{}: {}", column.id(), column.sync_error.as_deref().unwrap_or("no reason given"));
    /// }
    /// # }
    /// ```
    pub fn is_sync_failed(&self) -> bool {
        self.sync_status == Some(SyncStatus::Error)
    }
}
