//! How long a process takes.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A time span in seconds, from 0 to 3600; fractions are allowed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Seconds(f64);

impl Seconds {
    /// One second.
    pub fn one() -> Self {
        Self(1.0)
    }

    /// Converts a duration of the standard library, at most 3600 seconds of it.
    pub fn of(duration: Duration) -> Self {
        Self(duration.as_secs_f64().min(3600.0))
    }

    /// The same span as a duration of the standard library.
    pub fn duration(self) -> Duration {
        Duration::from_secs_f64(self.0)
    }
}

impl TryFrom<f64> for Seconds {
    type Error = SecondsOutOfRange;

    fn try_from(seconds: f64) -> Result<Self, SecondsOutOfRange> {
        if (0.0..=3600.0).contains(&seconds) {
            Ok(Self(seconds))
        } else {
            Err(SecondsOutOfRange)
        }
    }
}

impl From<Seconds> for f64 {
    fn from(seconds: Seconds) -> Self {
        seconds.0
    }
}

impl JsonSchema for Seconds {
    fn schema_name() -> Cow<'static, str> {
        "Seconds".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number", "minimum": 0, "maximum": 3600})
    }
}

/// A number is not a time span that a process may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the duration is out of range; use 0 to 3600 seconds")]
pub struct SecondsOutOfRange;
