//! Cells of a table.

use serde::Serialize;
use serde_json::{Number, Value};

use crate::ResultValue;

/// The content of a row in one column.
///
/// The cells of a column may have different types: a question may have one value for one item, and a list or
/// no value for the next. A cell serializes as its value, and an empty cell as null.
///
/// ```
/// use platform_sdk::rows::Cell;
///
/// fn text(cell: &Cell<'_>) -> String {
///     match cell {
///         Cell::Empty => String::new(),
///         Cell::Text(text) => text.to_string(),
///         Cell::Number(number) => number.to_string(),
///         Cell::YesNo(answer) => answer.to_string(),
///         Cell::List(values) => values.iter().map(|value| format!("{value}\n")).collect(),
///         other => serde_json::json!(other).to_string(),
///     }
/// }
///
/// assert_eq!(text(&Cell::YesNo(true)), "true");
/// assert_eq!(text(&Cell::Empty), "");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Cell<'a> {
    /// The item does not have the column, or the column has no value.
    Empty,
    /// One text.
    Text(&'a str),
    /// One number, unconverted, or an id.
    Number(Number),
    /// One answer to a yes/no question.
    YesNo(bool),
    /// Several values.
    List(&'a [ResultValue]),
    /// JSON of a type that the contract does not have today.
    Other(&'a Value),
}

impl<'a> Cell<'a> {
    pub(super) fn id(id: Option<i64>) -> Self {
        id.map_or(Self::Empty, |id| Self::Number(id.into()))
    }

    pub(super) fn of(values: &'a [ResultValue]) -> Self {
        match values {
            [] | [ResultValue::Other(Value::Null)] => Self::Empty,
            [ResultValue::Text(text)] => Self::Text(text),
            [ResultValue::Number(number)] => Self::Number(number.clone()),
            [ResultValue::YesNo(answer)] => Self::YesNo(*answer),
            [ResultValue::Other(other)] => Self::Other(other),
            several => Self::List(several),
        }
    }
}
