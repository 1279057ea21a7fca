//! One column of an item.

use std::fmt;
use std::ops::Deref;

use super::{ColumnError, ColumnId};
use crate::types::ColumnValue;
use crate::{QuestionId, ResultValue};

/// One column of an item: its id and its value. Dereferences to [`ColumnValue`], which has the source,
/// certainty, references and synchronization status.
///
/// Each method reads one type. It returns `None` or an empty list if there is no value, because the question
/// has no answer or the platform does not have the field; `status` has the reason. It fails if a value has
/// another type, or if one value is requested and there are several; the error shows what was found. Values
/// are not converted, except between number types. `result` holds the original values.
///
/// Displays as the values, separated by commas.
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

    /// Returns the id of the column.
    pub fn id(&self) -> ColumnId<'a> {
        self.key.into()
    }

    /// Returns the id of the question, if this is the column of a question.
    pub fn question_id(&self) -> Option<QuestionId> {
        match self.id() {
            ColumnId::Question(id) => Some(id),
            ColumnId::EntityData(_) => None,
        }
    }

    /// Returns the value, with the lifetime of the borrowed item.
    pub fn value(&self) -> &'a ColumnValue {
        self.value
    }

    /// Returns the text.
    ///
    /// # Errors
    /// The column has several values, or its value is not text.
    pub fn text(&self) -> Result<Option<&'a str>, ColumnError> {
        self.one("text", ResultValue::as_text)
    }

    /// Returns the number as the nearest `f64`. A whole number beyond 2^53 may have no equal `f64`.
    ///
    /// # Errors
    /// The column has several values, or its value is not a number.
    pub fn number(&self) -> Result<Option<f64>, ColumnError> {
        self.one("a number", ResultValue::as_f64)
    }

    /// Returns the whole number, exactly.
    ///
    /// # Errors
    /// The column has several values, or its value is not a whole number from -2^63 to 2^63 − 1.
    pub fn integer(&self) -> Result<Option<i64>, ColumnError> {
        self.one("a whole number", ResultValue::as_i64)
    }

    /// Returns the answer to a yes/no question.
    ///
    /// # Errors
    /// The column has several values, or its value is not a yes/no answer.
    pub fn yes_no(&self) -> Result<Option<bool>, ColumnError> {
        self.one("yes or no", ResultValue::as_yes_no)
    }

    /// Returns all values as texts.
    ///
    /// # Errors
    /// A value is not text.
    pub fn texts(&self) -> Result<Vec<&'a str>, ColumnError> {
        self.all("text", ResultValue::as_text)
    }

    /// Returns all values as numbers, each the nearest `f64`.
    ///
    /// # Errors
    /// A value is not a number.
    pub fn numbers(&self) -> Result<Vec<f64>, ColumnError> {
        self.all("a number", ResultValue::as_f64)
    }

    /// Returns all values as whole numbers, exactly.
    ///
    /// # Errors
    /// A value is not a whole number from -2^63 to 2^63 − 1.
    pub fn integers(&self) -> Result<Vec<i64>, ColumnError> {
        self.all("a whole number", ResultValue::as_i64)
    }

    fn one<T>(&self, asked: &str, read: impl Fn(&'a ResultValue) -> Option<T>) -> Result<Option<T>, ColumnError> {
        match &*self.value.result {
            [] => Ok(None),
            [only] => match read(only) {
                Some(value) => Ok(Some(value)),
                None => Err(ColumnError::another_kind(self.key, asked, only)),
            },
            several => Err(ColumnError::several(self.key, several)),
        }
    }

    fn all<T>(&self, asked: &str, read: impl Fn(&'a ResultValue) -> Option<T>) -> Result<Vec<T>, ColumnError> {
        let values = self.value.result.iter();
        values
            .map(|value| read(value).ok_or_else(|| ColumnError::another_kind(self.key, asked, value)))
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
