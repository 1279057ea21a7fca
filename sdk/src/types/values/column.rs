//! One column of an item.

use std::fmt;
use std::ops::Deref;

use super::{ColumnError, ColumnId};
use crate::types::ColumnValue;
use crate::{QuestionId, ResultValue};

/// One column of an item: its id, and by dereference its [`ColumnValue`] with source, certainty, references and
/// synchronisation.
///
/// Reads are of a kind. Without a value, because the question has no answer or the platform does not have the
/// field, they give `None` or an empty list; the `status` says why. Where a value is of another kind, or there
/// are several and one was asked for, they are an error that says what stood there. Nothing is converted but a
/// number into a number. `result` holds the values as they are.
///
/// Shown, it is the values, with commas between them.
///
/// ```
/// # let values = r#"{
/// #     "question.101": {"result": [64], "category": "llm", "references": [], "certainty_score": 88},
/// #     "question.102": {"result": [true], "category": "llm", "references": []},
/// #     "question.103": {"result": ["Oslo", "Bergen"], "category": "llm", "references": []},
/// #     "question.104": {"result": [], "category": "llm", "references": [], "status": "pending"}
/// # }"#;
/// # let values: platform_sdk::types::Values = serde_json::from_str(values)?;
/// let staff = values.question(101)?;
/// assert_eq!(staff.integer()?, Some(64));
/// assert_eq!(staff.number()?, Some(64.0));
/// assert_eq!(staff.integers()?, [64]);
/// assert_eq!(staff.numbers()?, [64.0]);
/// assert_eq!(staff.question_id(), Some(101.into()));
/// assert_eq!(staff.certainty_score, Some(88));
/// assert_eq!(values.question(102)?.yes_no()?, Some(true));
/// assert_eq!(values.question(103)?.texts()?, ["Oslo", "Bergen"]);
/// assert_eq!(values.question(103)?.to_string(), "Oslo, Bergen");
/// assert_eq!(values.question(104)?.text()?, None);
/// assert!(staff.text().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Column<'a> {
    key: &'a str,
    value: &'a ColumnValue,
}

impl<'a> Column<'a> {
    pub(super) fn new(key: &'a str, value: &'a ColumnValue) -> Self {
        Self { key, value }
    }

    /// What it is the column of.
    pub fn id(&self) -> ColumnId<'a> {
        self.key.into()
    }

    /// The question that it is the column of, if it is one.
    pub fn question_id(&self) -> Option<QuestionId> {
        match self.id() {
            ColumnId::Question(id) => Some(id),
            ColumnId::EntityData(_) => None,
        }
    }

    /// The value, for as long as the item is borrowed.
    pub fn value(&self) -> &'a ColumnValue {
        self.value
    }

    /// The text.
    ///
    /// # Errors
    /// The column has several values, or its value is not text.
    pub fn text(&self) -> Result<Option<&'a str>, ColumnError> {
        self.one("text", ResultValue::as_text)
    }

    /// The number, or the nearest `f64`: a whole number beyond 2^53 may have none that is equal.
    ///
    /// # Errors
    /// The column has several values, or its value is not a number.
    pub fn number(&self) -> Result<Option<f64>, ColumnError> {
        self.one("a number", ResultValue::as_f64)
    }

    /// The whole number, exactly.
    ///
    /// # Errors
    /// The column has several values, or its value is not a whole number from -2^63 to 2^63 − 1.
    pub fn integer(&self) -> Result<Option<i64>, ColumnError> {
        self.one("a whole number", ResultValue::as_i64)
    }

    /// The answer to a yes/no question.
    ///
    /// # Errors
    /// The column has several values, or its value is not a yes/no answer.
    pub fn yes_no(&self) -> Result<Option<bool>, ColumnError> {
        self.one("yes or no", ResultValue::as_yes_no)
    }

    /// All values, each a text.
    ///
    /// # Errors
    /// A value is not text.
    pub fn texts(&self) -> Result<Vec<&'a str>, ColumnError> {
        self.all("text", ResultValue::as_text)
    }

    /// All values, each a number, or the nearest `f64`.
    ///
    /// # Errors
    /// A value is not a number.
    pub fn numbers(&self) -> Result<Vec<f64>, ColumnError> {
        self.all("a number", ResultValue::as_f64)
    }

    /// All values, each a whole number, exactly.
    ///
    /// # Errors
    /// One of them is not a whole number from -2^63 to 2^63 − 1.
    pub fn integers(&self) -> Result<Vec<i64>, ColumnError> {
        self.all("a whole number", ResultValue::as_i64)
    }

    fn one<T>(
        &self,
        asked: &str,
        read: impl Fn(&'a ResultValue) -> Option<T>,
    ) -> Result<Option<T>, ColumnError> {
        match &*self.value.result {
            [] => Ok(None),
            [only] => match read(only) {
                Some(value) => Ok(Some(value)),
                None => Err(ColumnError::another_kind(self.key, asked, only)),
            },
            several => Err(ColumnError::several(self.key, several)),
        }
    }

    fn all<T>(
        &self,
        asked: &str,
        read: impl Fn(&'a ResultValue) -> Option<T>,
    ) -> Result<Vec<T>, ColumnError> {
        let values = self.value.result.iter();
        values
            .map(|value| {
                read(value).ok_or_else(|| ColumnError::another_kind(self.key, asked, value))
            })
            .collect()
    }
}

impl Deref for Column<'_> {
    type Target = ColumnValue;

    fn deref(&self) -> &ColumnValue {
        self.value
    }
}

impl fmt::Display for Column<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, value) in self.value.result.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{value}")?;
        }
        Ok(())
    }
}
