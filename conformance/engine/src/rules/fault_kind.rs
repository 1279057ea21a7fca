//! Checks the `type` of each error that a 422 lists: a kind that the contract knows has the contract's meaning.
//!
//! The request shows what is wrong with it. A kind of the deployment's own is never wrong, and neither is a kind that
//! describes the error in more general words, such as `malformed` for a date with slashes.

mod body;
mod value;

use std::borrow::Cow;
use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::rules::subject::Subject;
use crate::transport::request::Request;
use platform_contract::{Contract, Operation, Parameter};

/// The place of the kinds in the contract.
const TYPE: &str = "/components/schemas/FieldError/properties/type";
/// A parameter that gets 400 instead of 422, so that its errors may be listed or not.
const SORT_BY: &str = "sort_by";

/// The kinds that describe a place of a request.
pub(super) type Kinds = BTreeSet<&'static str>;

/// Checks every error that a response lists.
pub(super) fn check_kinds(contract: &Contract, operation: &Operation, subject: &mut Subject<'_>) {
    let response = subject.response;
    if response.status != 422 || !contract.errors_have("errors") {
        return;
    }
    let known = contract.get(&format!("{TYPE}/x-known-values"));
    let is_known = |kind: &str| known.is_some_and(|known| known.get(kind).is_some());
    for error in response.at("/errors").as_array().into_iter().flatten() {
        let (Some(loc), Some(kind)) = (error["loc"].as_array(), error["type"].as_str()) else {
            continue;
        };
        let Some(kinds) = kinds_at(contract, operation, &response.request, loc) else {
            continue;
        };
        if kinds.contains(kind) || !kinds.is_empty() && !is_known(kind) {
            continue;
        }
        let place = loc.iter().map(|segment| match segment {
            Value::String(name) => Cow::from(name),
            other => other.to_string().into(),
        });
        let place = place.collect::<Vec<_>>().join(".");
        if kinds.is_empty() {
            let expected = format!("none at {place}, because nothing is wrong there");
            subject.record_at(TYPE, "an entry of errors", expected, error.to_string());
            subject.because("an error where nothing is wrong".to_owned());
            continue;
        }
        let kinds: Vec<_> = kinds.into_iter().collect();
        let expected = format!("{}, or a type of its own", kinds.join(" or "));
        subject.record_at(
            TYPE,
            format!("the type {kind} of an error"),
            expected,
            format!("{kind} at {place}"),
        );
        subject.because(format!("the type {kind} of an error of another kind"));
    }
}

/// The kinds that are right at a place; none if nothing is wrong there, and `None` if the request does not show it.
fn kinds_at(contract: &Contract, operation: &Operation, request: &Request, loc: &[Value]) -> Option<Kinds> {
    let name = loc.get(1).and_then(Value::as_str);
    match loc.first()?.as_str()? {
        "path" => in_path(operation, request, name?),
        "query" => in_query(operation, request, name?, loc.get(2).and_then(Value::as_u64)),
        "body" => body::kinds(contract, operation, request, loc.get(1)),
        _ => None,
    }
}

fn in_path(operation: &Operation, request: &Request, name: &str) -> Option<Kinds> {
    let parameter = parameter(operation, "path", name)?;
    let template = format!("{{{name}}}");
    let position = operation.path.split('/').position(|segment| segment == template)?;
    let path = request.path.split('?').next()?;
    let value = decoded(path.split('/').nth(position)?)?;
    Some(value::kinds(&parameter.schema, &value))
}

fn in_query(operation: &Operation, request: &Request, name: &str, position: Option<u64>) -> Option<Kinds> {
    let sent = Query::of(request)?;
    let values: Vec<_> = sent.values(name).collect();
    let Some(parameter) = parameter(operation, "query", name) else {
        return (!values.is_empty()).then(|| Kinds::from(["unknown"]));
    };
    let mut kinds = broken_rules(operation, &sent, name);
    if values.is_empty() && parameter.required {
        kinds.insert("missing");
    }
    let is_list = parameter.schema["type"] == "array";
    let schema = match is_list {
        true => &parameter.schema["items"],
        false => &parameter.schema,
    };
    for (_, value) in values.iter().enumerate().filter(|(index, _)| {
        // A position counts the values of a list.
        !is_list || position.is_none_or(|position| usize::try_from(position) == Ok(*index))
    }) {
        kinds.extend(value::kinds(schema, value));
    }
    let is_empty = values.iter().any(|value| value.text().is_some_and(str::is_empty));
    if parameter.required && is_empty {
        kinds.insert("missing");
    }
    let most = parameter.schema["maxItems"].as_u64();
    if most.is_some_and(|most| values.len() as u64 > most) {
        kinds.insert("too_many");
    }
    if !is_list && values.len() > 1 {
        kinds.insert("repeated");
    }
    (name != SORT_BY || !kinds.is_empty()).then_some(kinds)
}

/// The kinds of the rules between parameters that the request breaks and that involve this one.
fn broken_rules(operation: &Operation, sent: &Query, name: &str) -> Kinds {
    let rules = operation.parameters.iter().flat_map(|parameter| &parameter.constraints);
    let broken = rules.filter_map(|rule| {
        let (left, right) = rule.split_once("<=")?;
        let terms: Vec<_> = left.split('+').map(str::trim).collect();
        let right = right.trim();
        let is_involved = right == name || terms.contains(&name);
        let kind = match terms.len() {
            1 => "bounds_crossed",
            _ => "out_of_reach",
        };
        let value = |term: &str| sent.value_or_default(operation, term);
        let sum = terms.iter().map(|term| value(term).and_then(|value| number(&value)));
        let is_above = match sum
            .sum::<Option<f64>>()
            .zip(value(right).and_then(|value| number(&value)))
        {
            Some((sum, most)) => sum > most,
            // Dates in the form of the contract are in the order of their texts.
            None => value(terms.first()?)? > value(right)?,
        };
        (is_involved && is_above).then_some(kind)
    });
    broken.collect()
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok()
}

fn parameter<'a>(operation: &'a Operation, location: &str, name: &str) -> Option<&'a Parameter> {
    let mut parameters = operation.parameters.iter();
    parameters.find(|parameter| parameter.location == location && parameter.name == name)
}

/// The parameters of a query, decoded.
struct Query(Vec<(String, Sent)>);

/// A value as sent.
#[derive(Debug, PartialEq)]
pub(super) enum Sent {
    Text(String),
    /// Percent-encoded bytes that are not UTF-8.
    NotUtf8,
}

impl Sent {
    /// The value, if it is text.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::NotUtf8 => None,
        }
    }
}

impl Query {
    /// The query of a request, unless some of it is not percent-encoded correctly.
    fn of(request: &Request) -> Option<Self> {
        let query = request.path.split_once('?').map_or("", |(_, query)| query);
        let parts = query.split('&').filter(|part| !part.is_empty());
        let pairs = parts.map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let spaced = |text: &str| decoded(&text.replace('+', " "));
            Some((spaced(name)?.text()?.to_owned(), spaced(value)?))
        });
        pairs.collect::<Option<_>>().map(Self)
    }

    fn values<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a Sent> {
        let pairs = self.0.iter().filter(move |(known, _)| known == name);
        pairs.map(|(_, value)| value)
    }

    /// The only value of a parameter, else its default; a number stands for itself.
    fn value_or_default(&self, operation: &Operation, term: &str) -> Option<String> {
        if number(term).is_some() {
            return Some(term.to_owned());
        }
        match self.values(term).collect::<Vec<_>>()[..] {
            [] => {
                let default = &parameter(operation, "query", term)?.schema["default"];
                (!default.is_null()).then(|| default.to_string())
            }
            [value] => value.text().map(str::to_owned),
            _ => None,
        }
    }
}

/// Decodes a part of a URL, unless it is not percent-encoded correctly.
fn decoded(text: &str) -> Option<Sent> {
    let is_encoded = |part: &str| {
        part.as_bytes()
            .get(..2)
            .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    if !text.split('%').skip(1).all(is_encoded) {
        return None;
    }
    Some(match percent_decode_str(text).decode_utf8() {
        Ok(text) => Sent::Text(text.into_owned()),
        Err(_) => Sent::NotUtf8,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::transport::request::{Body, Credential};

    fn kinds(operation: &str, path: &str, body: Option<&str>, loc: &Value) -> Option<Vec<&'static str>> {
        let contract = Contract::bundled();
        let operation = contract.operation(operation);
        let request = Request {
            method: operation.method.clone(),
            path: path.to_owned(),
            credential: Credential::Literal(Vec::new()),
            headers: Vec::new(),
            body: body.map(|text| Body::Text(text.to_owned())),
            waits: true,
        };
        let kinds = kinds_at(contract, operation, &request, loc.as_array().unwrap());
        kinds.map(|kinds| kinds.into_iter().collect())
    }

    #[test]
    fn request_shows_the_kind_of_a_fault_in_the_query() {
        let search = "search_organizations_by_description";
        for (query, name, expected) in [
            ("description=a&limit=0", "limit", vec!["less_than_minimum"]),
            ("description=a&limit=101", "limit", vec!["greater_than_maximum"]),
            ("description=a&limit=x", "limit", vec!["malformed", "not_an_integer"]),
            ("description=a&limit=1&limit=2", "limit", vec!["repeated"]),
            ("description=a&limit=5", "limit", vec![]),
            ("limit=5", "description", vec!["missing"]),
            ("description=+", "description", vec!["blank"]),
            ("description=%FF", "description", vec!["malformed", "not_utf8"]),
            ("description=a&offset=1", "offset", vec!["unknown"]),
            ("description=a&skip=990", "skip", vec!["out_of_reach"]),
            ("description=a&skip=990", "limit", vec!["out_of_reach"]),
            ("description=a&skip=980", "skip", vec![]),
            (
                "description=a&founded_year_min=2001&founded_year_max=2000",
                "founded_year_max",
                vec!["bounds_crossed"],
            ),
            (
                "description=a&funded_from=2001-02-01&funded_to=2001-01-31",
                "funded_from",
                vec!["bounds_crossed"],
            ),
            (
                "description=a&funded_from=2023-02-30",
                "funded_from",
                vec!["malformed", "not_a_date"],
            ),
            (
                "description=a&funded_from=01.02.2023",
                "funded_from",
                vec!["malformed", "not_a_date"],
            ),
            (
                "description=a&headquarters_only=maybe",
                "headquarters_only",
                vec!["malformed", "not_a_boolean"],
            ),
            (
                "description=a&funding_stages=late",
                "funding_stages",
                vec!["malformed", "not_one_of"],
            ),
            (
                "description=a&countries=NO&countries=no",
                "countries",
                vec!["malformed"],
            ),
        ] {
            let seen = kinds(
                search,
                &format!("/search/organizations/similar?{query}"),
                None,
                &json!(["query", name]),
            );
            assert_eq!(seen, Some(expected), "{query} {name}");
        }
    }

    #[test]
    fn position_is_that_of_a_value_in_a_list() {
        let path = "/search/organizations/similar?description=a&countries=NO&countries=no";
        let at = |position: u64| {
            let loc = json!(["query", "countries", position]);
            kinds("search_organizations_by_description", path, None, &loc)
        };
        assert_eq!(at(0), Some(vec![]));
        assert_eq!(at(1), Some(vec!["malformed"]));
    }

    #[test]
    fn request_shows_the_kind_of_a_fault_in_the_path_and_the_body() {
        let path = |id: &str| format!("/api/v1/pipelines/{id}/organizations");
        let of_path = |id: &str| kinds("add_organization", &path(id), None, &json!(["path", "pipeline_id"]));
        assert_eq!(of_path("0"), Some(vec!["less_than_minimum"]));
        assert_eq!(of_path("abc"), Some(vec!["malformed", "not_an_integer"]));
        assert_eq!(of_path("6"), Some(vec![]));
        for (body, loc, expected) in [
            ("{", json!(["body"]), vec!["malformed", "not_json"]),
            (
                "",
                json!(["body"]),
                vec!["blank", "malformed", "missing", "not_an_object", "not_json"],
            ),
            ("[]", json!(["body"]), vec!["not_an_object"]),
            ("{}", json!(["body", "organization_id"]), vec!["missing"]),
            (
                "{\"organization_id\": 0}",
                json!(["body", "organization_id"]),
                vec!["less_than_minimum"],
            ),
            ("{\"organization_id\": 7}", json!(["body", "organization_id"]), vec![]),
            ("{\"organization_id\": 7}", json!(["body"]), vec![]),
            (
                "{\"organization_id\": 7, \"organization_id\": 7}",
                json!(["body", "organization_id"]),
                vec!["malformed", "repeated"],
            ),
            (
                "{\"organization_id\": 7, \"organization_id\": 7}",
                json!(["body"]),
                vec!["malformed", "not_json", "repeated"],
            ),
            (
                "{\"organization_id\": \"7\"}",
                json!(["body", "organization_id"]),
                vec!["malformed", "not_an_integer"],
            ),
            (
                "{\"organization_id\": 7, \"x\": 1}",
                json!(["body", "x"]),
                vec!["unknown"],
            ),
        ] {
            let seen = kinds("add_organization", &path("6"), Some(body), &loc);
            assert_eq!(seen, Some(expected), "{body} {loc}");
        }
    }

    #[test]
    fn kind_that_the_request_does_not_show_is_not_judged() {
        let list =
            |query: &str, loc: Value| kinds("list_items", &format!("/api/v1/pipelines/1/items?{query}"), None, &loc);
        assert_eq!(list("limit=%zz", json!(["query", "limit"])), None);
        assert_eq!(list("sort_by=question.1", json!(["query", SORT_BY])), None);
        assert_eq!(list("limit=1", json!(["header", "X-Request-Id"])), None);
    }

    #[test]
    fn every_fault_kind_is_in_the_contract() {
        let known = Contract::bundled().get(&format!("{TYPE}/x-known-values")).unwrap();
        for kind in value::KINDS.iter().chain(body::KINDS).chain(&[
            "unknown",
            "missing",
            "too_many",
            "repeated",
            "bounds_crossed",
            "out_of_reach",
        ]) {
            assert!(known.get(*kind).is_some(), "{kind}");
        }
    }
}
