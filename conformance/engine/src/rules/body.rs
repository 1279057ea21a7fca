//! Checks the body of a response: its media type, its encoding, and its schema.

use std::collections::BTreeMap;

use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use crate::cause;
use crate::resting::{PROBLEM, decisions_at, decisions_of_sentence};
use crate::rules::SchemaCheck;
use crate::rules::mismatch::{beside_null, decisions_of_error, general};
use crate::rules::subject::Subject;
use platform_contract::{Response as DeclaredResponse, escape};

/// The sentence on the media type of a success. The source states only what the body is.
const MEDIA_TYPE: &str = "The body of a success is sent as application/json.";
/// The sentence on the `entity_type` in the response to an addition: the source leaves its value open.
const ENTITY_TYPE: &str = "entity_type is organization";
/// The limit on schema mismatches reported for one body.
const MISMATCHES: usize = 50;

impl SchemaCheck {
    /// Records how the body departs from what the contract declares.
    pub(super) fn check_body(&self, declared_response: &DeclaredResponse, subject: &mut Subject<'_>) {
        let response = subject.response;
        let content = format!("{}/content", declared_response.pointer);
        // The form of an error is decided, including its media type.
        let place = match response.status {
            400.. => PROBLEM,
            _ => &content,
        };
        let media_type = response.header("content-type").unwrap_or_default();
        let essence = media_type
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        let mut declared = declared_response.content.iter();
        let found = declared.clone().find(|(name, _)| *name == essence);
        if found.is_none() {
            record_media_type(declared_response, place, &essence, subject);
        }
        // The source states the body of a success, whatever its media type.
        let is_judged = response.is_json && response.status < 400;
        let Some((name, schema)) = found.or_else(|| declared.next().filter(|_| is_judged)) else {
            return;
        };
        // RFC 8259: JSON is UTF-8. A client that honours another charset reads different text.
        if let Some(charset) = charset(media_type).filter(|charset| !is_utf_8(charset)) {
            subject.record_at(place, "charset of the media type", "utf-8, or none", charset);
        }
        if response.has_byte_order_mark() {
            let seen = "a byte order mark (U+FEFF) before the body";
            subject.record_at(place, "body", "JSON without a byte order mark", seen);
            subject.departs(None, "byte order mark before the body".to_owned());
            return;
        }
        if !response.is_json {
            check_encoding(place, subject);
            return;
        }
        let Some(validator) = self.validator(schema) else {
            return;
        };
        let schema_place = format!("{content}/{}/schema", escape(name));
        // Rejecting takes much longer than accepting.
        if validator.is_valid(&response.body) {
            return;
        }
        let is_foreign = self.lacks_all_fields(schema, &response.body);
        // The records of a page often depart in the same way.
        let mut known = BTreeMap::new();
        for error in validator.iter_errors(&response.body).take(MISMATCHES) {
            let place = error.instance_path().to_string();
            let (general, keyword) = (general(&place), error.kind().keyword());
            let (cause, departs) = match error.kind() {
                _ if is_foreign => ("body has none of the required fields".to_owned(), Some(None)),
                ValidationErrorKind::Required { property } => {
                    let field = property.as_str().unwrap_or_default();
                    (cause::missing(field), Some(Some(field)))
                }
                kind if beside_null(kind).keyword() == "type" => {
                    let cause = cause::of_value(&general, "type", error.instance());
                    (cause, Some(cause::field(&general)))
                }
                _ => (cause::of_value(&general, keyword, error.instance()), None),
            };
            let kind = (general.clone(), keyword.to_owned(), cause.clone());
            if let Some(first) = known.get(&kind) {
                subject.repeats(*first);
                continue;
            }
            known.insert(kind, subject.mismatches.len());
            let seen = response.secrets.excerpt(&error.to_string());
            let mut decisions = decisions_of_error(&self.contract, &schema_place, &error);
            if place == "/entity_type" && self.contract.says(&declared_response.pointer, ENTITY_TYPE) {
                decisions = decisions_of_sentence(&self.contract, &declared_response.pointer, ENTITY_TYPE);
            }
            subject.record_as(
                Some(decisions),
                format!("body at {}: {keyword}", response.secrets.excerpt(&general)),
                format!("a value that fits the schema: {}", error.schema_path()),
                match place.as_str() {
                    "" => seen,
                    place => format!("{seen} at {place}"),
                },
            );
            match departs {
                Some(member) => subject.departs(member, cause),
                None => subject.because(cause),
            }
        }
    }

    /// Whether a body has none of the fields that its schema requires: it is something else.
    fn lacks_all_fields(&self, schema: &Value, body: &Value) -> bool {
        let required = self.contract.resolve(schema)["required"].as_array();
        let mut required = required.into_iter().flatten().filter_map(Value::as_str);
        body.is_object() && required.all(|field| body.get(field).is_none())
    }
}

/// Records why a body is not JSON.
fn check_encoding(place: &str, subject: &mut Subject<'_>) {
    let response = subject.response;
    if let Some(encoding) = response.encoding() {
        let expected = "none: the request does not ask for one";
        subject.record_at(place, "header Content-Encoding", expected, encoding);
        subject.departs(None, format!("body with Content-Encoding {encoding}"));
    } else if let Some(byte) = response.bad_byte() {
        subject.record_at(place, "body", "JSON, which is UTF-8", format!("not UTF-8: {byte}"));
        subject.departs(None, "body is not UTF-8".to_owned());
    } else {
        subject.record_at(place, "body", "JSON", &response.text);
        subject.departs(None, "body is not JSON".to_owned());
    }
}

/// Records a media type that the contract does not declare for a response, whose body is declared at a place.
fn record_media_type(declared_response: &DeclaredResponse, place: &str, essence: &str, subject: &mut Subject<'_>) {
    let response = subject.response;
    let decisions = match response.status {
        ..400 if response.is_json => decisions_of_sentence(subject.contract, "/info", MEDIA_TYPE),
        _ => decisions_at(subject.contract, place),
    };
    let names = declared_response.content.iter().map(|(name, _)| name.as_str());
    let expected = names.collect::<Vec<_>>().join(" or ");
    let seen = format!("Content-Type: {}", response.header("content-type").unwrap_or_default());
    subject.record_as(Some(decisions), "media type", expected, seen);
    let cause = match essence {
        "" => "no media type".to_owned(),
        essence => format!("media type {essence}"),
    };
    match response.is_json {
        true => subject.because(cause),
        false => subject.departs(None, cause),
    }
}

/// The parameter `charset` of a media type.
fn charset(media_type: &str) -> Option<&str> {
    let mut parameters = media_type.split(';').skip(1);
    parameters.find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let is_charset = name.trim().eq_ignore_ascii_case("charset");
        is_charset.then(|| value.trim().trim_matches('"'))
    })
}

/// Whether a reader that honours this charset decodes UTF-8 text correctly. Escaped text is ASCII, too.
fn is_utf_8(charset: &str) -> bool {
    ["utf-8", "utf8", "us-ascii", "ascii"]
        .iter()
        .any(|known| charset.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charset_is_utf_8_in_any_spelling() {
        let table = [
            ("application/json", None),
            ("application/json; charset=UTF-8", Some(true)),
            ("application/json;Charset=\"utf8\"", Some(true)),
            ("application/json; a=b; charset=ISO-8859-1", Some(false)),
        ];
        for (media_type, expected) in table {
            assert_eq!(charset(media_type).map(is_utf_8), expected, "{media_type}");
        }
    }
}
