//! First or last day of a range.

use std::fmt;
use std::str::FromStr;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

/// First or last day of a range, inclusive.
///
/// A [`NaiveDate`] converts into it, and so does the text of an existing date in the form `YYYY-MM-DD`.
///
/// ```
/// use platform_sdk::DateBound;
/// use platform_sdk::chrono::NaiveDate;
///
/// assert!(DateBound::try_from("2024-02-29").is_ok());
/// assert!(DateBound::try_from("2023-02-29").is_err());
/// let today: NaiveDate = "2026-06-30".parse()?;
/// assert_eq!(DateBound::from(today).to_string(), "2026-06-30");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DateBound(NaiveDate);

impl fmt::Display for DateBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<NaiveDate> for DateBound {
    fn from(date: NaiveDate) -> Self {
        Self(date)
    }
}

impl FromStr for DateBound {
    type Err = chrono::ParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

impl From<DateBound> for NaiveDate {
    fn from(bound: DateBound) -> Self {
        bound.0
    }
}

impl TryFrom<&str> for DateBound {
    type Error = chrono::ParseError;

    fn try_from(text: &str) -> Result<Self, Self::Error> {
        text.parse().map(Self)
    }
}

impl TryFrom<String> for DateBound {
    type Error = chrono::ParseError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.as_str().try_into()
    }
}
