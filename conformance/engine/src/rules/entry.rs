//! The rules for every entry of the values of every item, as a table: they need no known data.

use std::collections::BTreeSet;

use serde_json::Value;
use url::Url;

use crate::rules::time::is_iso_8601;
use platform_contract::{Basis, Contract};

/// The schema of one value.
pub const COLUMN_VALUE: &str = "/components/schemas/ColumnValue";

/// A rule for every entry of the values of every item.
pub struct Rule {
    /// The last part of the ids of its cases.
    pub id: &'static str,
    /// The title of its cases.
    pub title: &'static str,
    /// The property that the rule is about, and its sentence if that is not the first one.
    pub property: &'static str,
    /// See `property`.
    pub sentence: Option<&'static str>,
    /// The point of the behaviour profile; `None` for a stated rule.
    pub point: Option<&'static str>,
    breaks: fn(&Entry<'_>) -> bool,
}

impl Rule {
    /// Whether the entry of a column breaks the rule.
    pub fn is_broken(&self, column: &str, entry: &Value) -> bool {
        self.is_broken_by(&Entry::new(column, entry))
    }

    /// Whether an entry breaks the rule.
    pub(super) fn is_broken_by(&self, entry: &Entry<'_>) -> bool {
        (self.breaks)(entry)
    }

    /// The decisions that it rests on; empty when the source states it.
    pub fn decisions(&self, contract: &Contract) -> BTreeSet<String> {
        let pointer = format!("{COLUMN_VALUE}/properties/{}", self.property);
        let basis = match self.sentence {
            Some(sentence) => contract.basis_of(&pointer, sentence),
            None => contract.basis(&pointer),
        };
        let decision = basis.as_ref().and_then(Basis::decision);
        decision.map(str::to_owned).into_iter().collect()
    }
}

/// One entry of the values of an item. A member that is missing is null.
pub(super) struct Entry<'a> {
    column: &'a str,
    result: &'a Value,
    certainty_score: &'a Value,
    status: &'a Value,
    references: &'a Value,
    sync_status: &'a Value,
    sync_provider: &'a Value,
    pub(super) last_synced_at: &'a Value,
    sync_error: &'a Value,
}

impl<'a> Entry<'a> {
    /// The entry of a column.
    pub(super) fn new(column: &'a str, entry: &'a Value) -> Self {
        const NULL: &Value = &Value::Null;
        let mut read = Self {
            column,
            result: NULL,
            certainty_score: NULL,
            status: NULL,
            references: NULL,
            sync_status: NULL,
            sync_provider: NULL,
            last_synced_at: NULL,
            sync_error: NULL,
        };
        for (name, value) in entry.as_object().into_iter().flatten() {
            match name.as_str() {
                "result" => read.result = value,
                "certainty_score" => read.certainty_score = value,
                "status" => read.status = value,
                "references" => read.references = value,
                "sync_status" => read.sync_status = value,
                "sync_provider" => read.sync_provider = value,
                "last_synced_at" => read.last_synced_at = value,
                "sync_error" => read.sync_error = value,
                _ => {}
            }
        }
        read
    }

    fn is_question(&self) -> bool {
        is_question(self.column)
    }
}

/// Whether a column holds the answers to a question.
pub fn is_question(column: &str) -> bool {
    column.starts_with("question.")
}

fn is_empty(list: &Value) -> bool {
    list.as_array().is_some_and(Vec::is_empty)
}

/// Texts that stand for nothing, and are the name of no CRM provider.
const NO_NAMES: [&str; 8] = ["", "-", "n/a", "nil", "none", "null", "undefined", "not configured"];

/// Every rule, in reading order.
pub const RULES: [Rule; 16] = [
    Rule {
        id: "entity-data-has-no-certainty",
        title: "certainty_score is null for entity data",
        property: "certainty_score",
        sentence: None,
        point: None,
        breaks: |entry| !entry.is_question() && !entry.certainty_score.is_null(),
    },
    Rule {
        id: "entity-data-has-no-status",
        title: "status is null for entity data",
        property: "status",
        sentence: None,
        point: None,
        breaks: |entry| !entry.is_question() && !entry.status.is_null(),
    },
    Rule {
        id: "question-has-a-status",
        title: "A question has an execution status",
        property: "status",
        sentence: None,
        point: None,
        breaks: |entry| entry.is_question() && entry.status.is_null(),
    },
    Rule {
        id: "result-is-empty-unless-completed",
        title: "A question has no result unless it is completed",
        property: "result",
        sentence: Some("Empty unless the question is completed; for entity data, empty unless the field is present."),
        point: Some("result-unless-completed"),
        breaks: |entry| entry.is_question() && *entry.status != "completed" && !is_empty(entry.result),
    },
    Rule {
        id: "no-result-is-an-empty-text",
        title: "A result of entity data is empty where the field is not known, instead of an empty text or null",
        property: "result",
        sentence: Some("Empty unless the question is completed; for entity data, empty unless the field is present."),
        point: Some("result-unless-completed"),
        breaks: |entry| {
            let values = entry.result.as_array().filter(|_| !entry.is_question());
            // Other kinds may come with a value, null among them.
            values.is_some_and(|values| {
                let is_nothing = !values.is_empty() && values.iter().all(Value::is_null);
                is_nothing || values.iter().any(|value| value == "")
            })
        },
    },
    Rule {
        id: "no-certainty-without-an-answer",
        title: "certainty_score is null for a question without an answer",
        property: "certainty_score",
        sentence: Some("and for a question without an answer"),
        point: Some("certainty-without-an-answer"),
        breaks: |entry| entry.is_question() && is_empty(entry.result) && !entry.certainty_score.is_null(),
    },
    Rule {
        id: "answer-has-a-certainty",
        title: "An answer of a question has a certainty_score",
        property: "certainty_score",
        sentence: Some("Every answer has one."),
        point: Some("certainty-of-an-answer"),
        breaks: |entry| {
            let is_answered = *entry.status == "completed" && !is_empty(entry.result);
            entry.is_question() && is_answered && entry.certainty_score.is_null()
        },
    },
    Rule {
        id: "sync-error-exactly-in-error",
        title: "sync_error is set exactly when sync_status is error",
        property: "sync_error",
        sentence: Some("It is set exactly when sync_status is error."),
        point: Some("sync-error"),
        // An empty text is not a message.
        breaks: |entry| match *entry.sync_status == "error" {
            true => entry.sync_error.is_null() || *entry.sync_error == "",
            false => !entry.sync_error.is_null() && !has_error_after_success(entry),
        },
    },
    Rule {
        id: "no-sync-error-after-success",
        title: "A value whose last sync succeeded has no error message",
        property: "sync_error",
        sentence: None,
        point: None,
        breaks: has_error_after_success,
    },
    Rule {
        id: "success-has-a-time",
        title: "A value whose sync succeeded has the time of the sync",
        property: "last_synced_at",
        sentence: None,
        point: None,
        breaks: |entry| *entry.sync_status == "success" && entry.last_synced_at.is_null(),
    },
    Rule {
        id: "references-are-urls",
        title: "Every reference is a URL",
        property: "references/items/format",
        sentence: None,
        point: Some("reference-form"),
        breaks: |entry| {
            let references = entry.references.as_array().into_iter().flatten();
            references.into_iter().any(|reference| !is_url(reference))
        },
    },
    Rule {
        id: "no-reference-is-prose",
        title: "A reference is a URL, not words",
        property: "references",
        sentence: None,
        point: None,
        breaks: |entry| {
            let references = entry.references.as_array().into_iter().flatten();
            references.into_iter().any(is_prose)
        },
    },
    Rule {
        id: "no-provider-no-sync",
        title: "Without a CRM provider there is no sync status",
        property: "sync_provider",
        sentence: None,
        point: None,
        breaks: |entry| entry.sync_provider.is_null() && !entry.sync_status.is_null(),
    },
    Rule {
        id: "provider-has-a-name",
        title: "A CRM provider has a name: sync_provider is null instead of a text for nothing",
        property: "sync_provider",
        sentence: None,
        point: None,
        breaks: |entry| {
            let name = entry.sync_provider.as_str();
            name.is_some_and(|name| NO_NAMES.contains(&&*name.trim().to_lowercase()))
        },
    },
    Rule {
        id: "never-synced-has-no-time",
        title: "A value without a sync status was never synced, and has no time of a sync",
        property: "last_synced_at",
        sentence: Some("It is null as long as sync_status is null."),
        point: Some("sync-time-without-a-status"),
        breaks: |entry| {
            let has_a_time = !entry.last_synced_at.is_null() && !stands_for_never(entry.last_synced_at);
            entry.sync_status.is_null() && has_a_time
        },
    },
    Rule {
        id: "never-synced-is-null",
        title: "last_synced_at is null for a value that was never synced, instead of a time that stands for never",
        property: "last_synced_at",
        sentence: None,
        point: None,
        breaks: |entry| stands_for_never(entry.last_synced_at),
    },
];

/// Whether a time of a sync is none: an empty text, zero, or a time before there was CRM software, such as the one that
/// clocks count from.
fn stands_for_never(time: &Value) -> bool {
    let Some(text) = time.as_str().map(str::trim) else {
        return time.as_f64() == Some(0.0);
    };
    // A day such as `0000-00-00` is in no calendar.
    let is_dated = text.get(4..).is_some_and(|rest| rest.starts_with('-')) || is_iso_8601(text);
    let year = text.get(..4).filter(|_| is_dated);
    let year = year.and_then(|year| year.parse::<u16>().ok());
    year.is_some_and(|year| year <= 1970) || ["0", "never"].contains(&text) || NO_NAMES.contains(&text)
}

/// Whether a value was synced, and has a message of a sync that failed.
fn has_error_after_success(entry: &Entry<'_>) -> bool {
    let message = entry.sync_error.as_str().unwrap_or_default();
    *entry.sync_status == "success" && !message.trim().is_empty()
}

/// Whether a reference is a sentence: it has several words, and the first one cannot begin a URL, because it has none
/// of the characters that separate the parts of one.
fn is_prose(reference: &Value) -> bool {
    let text = reference.as_str().map(str::trim).unwrap_or_default();
    let first = text.split_once(char::is_whitespace).map(|(first, _)| first);
    first.is_some_and(|first| !first.contains(['.', '/', ':']))
}

/// Whether a reference is an absolute URL as in RFC 3986, which allows only ASCII.
pub fn is_url(reference: &Value) -> bool {
    let text = reference.as_str().filter(|text| text.is_ascii());
    text.is_some_and(|text| Url::parse(text).is_ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn source_reference_in_words_is_not_a_url() {
        for (reference, expected) in [
            ("= question.1 * 2", true),
            ("their web site", true),
            ("https://source.example/a b", false),
            ("www.source.example/a b", false),
            ("source.example/about", false),
            ("annex-b", false),
            ("", false),
        ] {
            assert_eq!(is_prose(&Value::from(reference)), expected, "{reference}");
        }
        assert!(!is_prose(&Value::Null));
    }

    #[test]
    fn time_before_any_sync_stands_for_never() {
        for (time, expected) in [
            (json!("1970-01-01T00:00:00Z"), true),
            (json!("1969-12-31T19:00:00-05:00"), true),
            (json!("0001-01-01T00:00:00"), true),
            (json!("0000-00-00 00:00:00"), true),
            (json!("19700101T000000Z"), true),
            (json!(0), true),
            (json!(""), true),
            (json!("2026-11-02T09:30:00Z"), false),
            (json!("20261102T093000Z"), false),
            (json!("2026-11"), false),
            (json!("Mon, 02 Nov 2026 09:30:00 GMT"), false),
            (json!("02-11-2026"), false),
            (json!(1_793_612_000), false),
            (Value::Null, false),
        ] {
            assert_eq!(stands_for_never(&time), expected, "{time}");
        }
    }
}
