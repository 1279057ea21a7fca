//! Error for a column that cannot be read as requested.

use std::error::Error as StdError;
use std::fmt;

use crate::ResultValue;
use crate::text::one_line;

/// Maximum number of characters of a value in an error.
const EXCERPT: usize = 100;

/// Error for a column that the item does not have, or that holds something other than requested.
///
/// Displays as one line that shows what was found.
///
/// ```
/// # let values = r#"{"question.201": {"result": ["Bergen", "Oslo"], "category": "llm", "references": []}}"#;
/// # let values: platform_sdk::types::Values = serde_json::from_str(values)?;
/// let column = values.question(201)?;
/// assert_eq!(
///     column.text().unwrap_err().to_string(),
///     "question.201 is read as one value, but holds 2: Bergen, Oslo"
/// );
/// let error = values.question(202).unwrap_err();
/// assert!(error.is_missing());
/// assert_eq!(error.to_string(), "the item has no column question.202");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnError {
    column: Box<str>,
    /// What was requested and what was found; `None` if there is no such column.
    mismatch: Option<Box<str>>,
}

impl ColumnError {
    pub(super) fn missing(column: String) -> Self {
        Self {
            column: column.into(),
            mismatch: None,
        }
    }

    pub(super) fn several(column: &str, found: &[ResultValue]) -> Self {
        let list: Vec<String> = found.iter().map(ToString::to_string).collect();
        let list = one_line(&list.join(", "), EXCERPT).unwrap_or_default();
        let count = found.len();
        Self::mismatch(column, format!("one value, but holds {count}: {list}"))
    }

    pub(super) fn another_kind(column: &str, asked: &str, found: &ResultValue) -> Self {
        let kind = match found {
            ResultValue::Text(_) => "the text ",
            ResultValue::Number(_) => "the number ",
            ResultValue::YesNo(_) => "the answer ",
            ResultValue::Other(_) => "",
        };
        let found = one_line(&found.to_string(), EXCERPT).unwrap_or_default();
        Self::mismatch(column, format!("{asked}, but holds {kind}`{found}`"))
    }

    fn mismatch(column: &str, what: String) -> Self {
        Self {
            column: column.into(),
            mismatch: Some(what.into()),
        }
    }

    /// Returns the id of the column.
    pub fn column(&self) -> &str {
        &self.column
    }

    /// Returns whether the item has no such column.
    pub fn is_missing(&self) -> bool {
        self.mismatch.is_none()
    }
}

impl StdError for ColumnError {}

impl fmt::Display for ColumnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = &self.column;
        match &self.mismatch {
            Some(what) => write!(f, "{column} is read as {what}"),
            None => write!(f, "the item has no column {column}"),
        }
    }
}
