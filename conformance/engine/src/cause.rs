//! Causes that the findings of many cases share. A deployment with one fault breaks many cases; its team wants to read
//! about one fault.
//!
//! A cause is a short text that names the fault, in the same words for every operation. A finding without one uses the
//! subject of its rule as its cause, see [`of_rule`].

use serde_json::Value;

use crate::transport::response::HttpResponse;

/// A status, and the code of the problem if it is one.
pub(crate) type StatusAndCode<'a> = (u16, Option<&'a str>);

/// The cause of a response that is not one of the expected ones. `None` if only the rule identifies it: a request that
/// should be rejected is accepted.
pub(crate) fn of_answer(allowed: &[StatusAndCode<'_>], response: &HttpResponse) -> Option<String> {
    let status = response.status;
    if let Some(failure) = of_failure(response) {
        return Some(failure);
    }
    let code = response.code().map(|code| response.secrets.excerpt(code));
    if allowed.iter().any(|(allowed, _)| *allowed == status) {
        return Some(match code {
            Some(code) => of_code(&code),
            None => missing("code"),
        });
    }
    let is_rejected = status >= 400 && allowed.iter().all(|(allowed, _)| *allowed < 400);
    if is_rejected {
        let code = code.map_or(String::new(), |code| format!(" {code}"));
        return Some(format!("rejected with {status}{code}"));
    }
    let [(expected, Some(code))] = allowed else {
        return None;
    };
    (status >= 400).then(|| format!("status {status} instead of {expected} {code}"))
}

/// The cause when a response shows a server failure.
pub(crate) fn of_evidence(evidence: &[&HttpResponse]) -> Option<String> {
    evidence.iter().find_map(|response| of_failure(response))
}

fn of_failure(response: &HttpResponse) -> Option<String> {
    (response.status >= 500).then(|| format!("status {}", response.status))
}

/// The cause of an unexpected code.
pub(crate) fn of_code(code: &str) -> String {
    format!("error code {code}")
}

/// The cause of a header that is missing or has another value.
pub(crate) fn of_header(name: &str) -> String {
    format!("header {name}")
}

/// The cause of a field of the body, which may be missing.
pub(crate) fn of_member(name: &str, body: &Value) -> String {
    match &body[name] {
        Value::Null => missing(name),
        _ => format!("field {name} has a wrong value"),
    }
}

/// The cause of a missing field.
pub(crate) fn missing(field: &str) -> String {
    format!("field {field} is missing")
}

/// The cause of a value that violates a keyword of its schema: the name of its field, wherever it occurs.
pub(crate) fn of_value(general_place: &str, keyword: &str, value: &Value) -> String {
    let segments = general_place.split('/');
    let field = segments.rev().find(|segment| *segment != "*");
    match (field, value) {
        (Some("code"), Value::String(code)) => of_code(code),
        (Some(field), _) => format!("field {field} violates its schema ({keyword})"),
        (None, _) => format!("body violates its schema ({keyword})"),
    }
}

/// The cause of a finding that has no other: a header, or the name of its rule and what does not hold.
pub(crate) fn of_rule(rule: &str, what: &str) -> String {
    let what = what.strip_prefix("the ").unwrap_or(what);
    if what.starts_with("header ") {
        return what.to_owned();
    }
    let name = rule.split_once('/').map_or(rule, |(_, name)| name);
    format!("violates {name} ({what})")
}
