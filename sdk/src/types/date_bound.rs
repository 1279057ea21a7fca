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

/// Error for text that is not an existing date in the form `YYYY-MM-DD`.
///
/// ```
/// let error = "2023-02-29".parse::<platform_sdk::DateBound>().unwrap_err();
/// assert_eq!(error.to_string(), "not an existing date in the form YYYY-MM-DD: input is out of range");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidDate(chrono::ParseError);

impl fmt::Display for InvalidDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not an existing date in the form YYYY-MM-DD: {}", self.0)
    }
}

impl std::error::Error for InvalidDate {}

impl FromStr for DateBound {
    type Err = InvalidDate;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self).map_err(InvalidDate)
    }
}

impl From<DateBound> for NaiveDate {
    fn from(bound: DateBound) -> Self {
        bound.0
    }
}

impl TryFrom<&str> for DateBound {
    type Error = InvalidDate;

    fn try_from(text: &str) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl TryFrom<String> for DateBound {
    type Error = InvalidDate;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}
