//! The kinds of error of one value of a parameter.

use std::sync::LazyLock;

use chrono::NaiveDate;
use regex::Regex;
use serde_json::Value;

use super::{Kinds, Sent};

/// The kinds that a value may have.
#[cfg(test)]
pub(super) const KINDS: &[&str] = &[
    "not_utf8",
    "malformed",
    "blank",
    "not_an_integer",
    "less_than_minimum",
    "greater_than_maximum",
    "not_a_boolean",
    "not_a_date",
    "not_one_of",
    "too_long",
];

static INTEGER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("^(0|-?[1-9][0-9]*)$").ok());
static DATE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("^[0-9]{4}-[0-9]{2}-[0-9]{2}$").ok());

/// The kinds that are right for a value with this schema; none if the value is right.
pub(super) fn kinds(schema: &Value, value: &Sent) -> Kinds {
    let (kind, format) = (schema["type"].as_str(), schema["format"].as_str());
    let Some(text) = value.text() else {
        // A reader that keeps the bytes finds no value of the type either.
        return match (kind, format) {
            (Some("string"), None) => Kinds::from(["not_utf8", "malformed"]),
            _ => Kinds::from([
                "not_utf8",
                "malformed",
                "not_an_integer",
                "not_a_boolean",
                "not_a_date",
                "not_one_of",
            ]),
        };
    };
    let mut kinds = match (kind, format) {
        (Some("integer"), _) => of_integer(schema, text),
        (Some("boolean"), _) => match text {
            "true" | "false" => Kinds::new(),
            _ => Kinds::from(["not_a_boolean", "malformed"]),
        },
        (_, Some("date")) => of_date(text),
        _ => of_text(schema, text),
    };
    if text.trim().is_empty() && !kinds.is_empty() {
        kinds.insert("blank");
    }
    kinds
}

fn of_integer(schema: &Value, text: &str) -> Kinds {
    let is_integer = INTEGER.as_ref().is_some_and(|integer| integer.is_match(text));
    let mut kinds = match is_integer && text.parse::<i64>().is_ok() {
        true => Kinds::new(),
        // A deployment may read a spelling such as `1e3`, or no integer of that size.
        false => Kinds::from(["not_an_integer", "malformed"]),
    };
    kinds.extend(beyond(schema, text.trim().parse().ok()));
    kinds
}

/// The bound that a number is beyond.
pub(super) fn beyond(schema: &Value, number: Option<f64>) -> Kinds {
    let is = |bound: &str, beyond: fn(f64, f64) -> bool| {
        number
            .zip(schema[bound].as_f64())
            .is_some_and(|(number, bound)| beyond(number, bound))
    };
    let mut kinds = Kinds::new();
    if is("minimum", |number, least| number < least) {
        kinds.insert("less_than_minimum");
    }
    if is("maximum", |number, most| number > most) {
        kinds.insert("greater_than_maximum");
    }
    kinds
}

fn of_date(text: &str) -> Kinds {
    let has_form = DATE.as_ref().is_some_and(|date| date.is_match(text));
    match has_form && NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok() {
        true => Kinds::new(),
        false => Kinds::from(["not_a_date", "malformed"]),
    }
}

fn of_text(schema: &Value, text: &str) -> Kinds {
    if let Some(values) = schema["enum"].as_array() {
        let is_listed = values.iter().any(|value| value == text);
        return match is_listed {
            true => Kinds::new(),
            false => Kinds::from(["not_one_of", "malformed"]),
        };
    }
    let mut kinds = Kinds::new();
    let length = text.chars().count() as u64;
    let bounds = schema["maxLength"].as_u64();
    if bounds.is_some_and(|most| length > most) {
        kinds.insert("too_long");
    }
    let pattern = schema["pattern"].as_str().and_then(|pattern| Regex::new(pattern).ok());
    let fits = pattern.as_ref().is_none_or(|pattern| pattern.is_match(text));
    match (fits, text.trim().is_empty()) {
        (true, _) => {}
        (false, true) => {
            kinds.insert("blank");
            // A code that is blank does not have its form. Any other text needs no form.
            if bounds.is_none() {
                kinds.insert("malformed");
            }
        }
        (false, false) => {
            kinds.insert("malformed");
            // The form of a code bounds its length, too: the beginning may have the form.
            let mut beginnings = text.char_indices().map(|(end, _)| &text[..end]);
            if pattern.is_some_and(|pattern| beginnings.any(|beginning| pattern.is_match(beginning))) {
                kinds.insert("too_long");
            }
        }
    }
    kinds
}
