//! Reads times.

use std::borrow::Cow;

use chrono::{DateTime, NaiveDateTime, Utc};
use serde::de::{Deserialize, Deserializer, Error, Unexpected};

/// Reads an ISO 8601 time, or null. A time without an offset is UTC, because some services write UTC that
/// way.
pub(crate) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<DateTime<Utc>>, D::Error> {
    let Some(text) = Option::<Cow<'de, str>>::deserialize(deserializer)? else {
        return Ok(None);
    };
    let time = text.parse::<DateTime<Utc>>().or_else(|_| {
        // Without an offset.
        text.parse::<NaiveDateTime>().map(|time| time.and_utc())
    });
    time.map(Some)
        .map_err(|_| Error::invalid_value(Unexpected::Str(&text), &"a time such as 2026-11-02T09:30:00Z"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::read;

    #[test]
    fn times_are_read_with_and_without_an_offset() {
        for (text, utc) in [
            (json!("2026-11-02T09:30:00Z"), Some("2026-11-02T09:30:00Z")),
            (json!("2026-11-02T09:30:00"), Some("2026-11-02T09:30:00Z")),
            (json!("2026-11-02T09:30:00.25"), Some("2026-11-02T09:30:00.25Z")),
            (json!("2026-11-02T11:30:00+02:00"), Some("2026-11-02T09:30:00Z")),
            (json!(null), None),
        ] {
            let expected = utc.map(|utc| utc.parse().unwrap());
            assert_eq!(read(&text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn invalid_time_is_rejected() {
        for text in ["", "yesterday", "2026-11-02", "2026-13-02T09:30:00Z"] {
            assert!(read(json!(text)).is_err(), "{text}");
        }
        assert!(read(json!(1)).is_err());
    }
}
