//! Values of a column: text, numbers and answers to yes/no questions.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

/// One extracted value.
///
/// ```
/// use platform_sdk::ResultValue;
///
/// let values: Vec<ResultValue> = serde_json::from_str(r#"["Bergen", 64, true]"#)?;
/// assert_eq!(values[0].as_text(), Some("Bergen"));
/// assert_eq!(values[1].as_f64(), Some(64.0));
/// assert_eq!(values[1].as_i64(), Some(64));
/// assert_eq!(values[2].as_yes_no(), Some(true));
/// assert_eq!(values[2].to_string(), "yes");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged, from = "Value")]
#[non_exhaustive]
pub enum ResultValue {
    /// Text.
    Text(String),
    /// A number, unconverted.
    Number(Number),
    /// The answer to a yes/no question.
    YesNo(bool),
    /// JSON of a type that the contract does not have today.
    Other(Value),
}

impl ResultValue {
    /// Returns the text, or `None` for any other value.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the number as the nearest `f64`, or `None` for any other value.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(number) => number.as_f64(),
            _ => None,
        }
    }

    /// Returns the number if it is a whole number that fits. `64.0` counts, because some JSON writers produce
    /// it.
    pub fn as_i64(&self) -> Option<i64> {
        // Up to this magnitude, `f64` represents every whole number exactly.
        const EXACT: f64 = (1_i64 << f64::MANTISSA_DIGITS) as f64;
        let Self::Number(number) = self else {
            return None;
        };
        let float = || number.as_f64().filter(|n| n.fract() == 0.0 && n.abs() <= EXACT);
        number.as_i64().or_else(|| float().map(|whole| whole as i64))
    }

    /// Returns the answer to a yes/no question, or `None` for any other value.
    pub fn as_yes_no(&self) -> Option<bool> {
        match self {
            Self::YesNo(answer) => Some(*answer),
            _ => None,
        }
    }
}

impl From<Value> for ResultValue {
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text),
            Value::Number(number) => Self::Number(number),
            Value::Bool(answer) => Self::YesNo(answer),
            other => Self::Other(other),
        }
    }
}

/// Formats for people: text unchanged, `yes` and `no`, anything else as JSON.
impl fmt::Display for ResultValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.pad(text),
            Self::Number(number) => f.pad(&number.to_string()),
            Self::YesNo(answer) => f.pad(if *answer { "yes" } else { "no" }),
            Self::Other(value) => f.pad(&value.to_string()),
        }
    }
}
