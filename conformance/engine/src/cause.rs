//! Causes that the findings of many cases share. A deployment with one fault breaks many cases; its team wants to read
//! about one fault.
//!
//! A cause is a short text that names the fault, in the same words for every operation. A finding without one uses the
//! subject of its rule as its cause, see [`of_rule`].

use serde_json::Value;

use crate::transport::answer::Answer;

/// A status, and the code of the problem if it is one.
pub(crate) type Foreseen<'a> = (u16, Option<&'a str>);

/// The cause of a response that is not one of the expected ones. `None` if only the rule identifies it: a request that
/// should be rejected is accepted.
pub(crate) fn of_answer(foreseen: &[Foreseen<'_>], answer: &Answer) -> Option<String> {
    let status = answer.status;
    if let Some(failure) = of_failure(answer) {
        return Some(failure);
    }
    let code = answer.code().map(|code| answer.secrets.excerpt(code));
    if foreseen.iter().any(|(foreseen, _)| *foreseen == status) {
        return Some(match code {
            Some(code) => of_code(&code),
            None => missing("code"),
        });
    }
    let is_rejected = status >= 400 && foreseen.iter().all(|(foreseen, _)| *foreseen < 400);
    if is_rejected {
        let code = code.map_or(String::new(), |code| format!(" {code}"));
        return Some(format!("rejected with {status}{code}"));
    }
    let [(expected, Some(code))] = foreseen else {
        return None;
    };
    (status >= 400).then(|| format!("answered {status} instead of {expected} {code}"))
}

/// The cause when a response shows a server failure.
pub(crate) fn of_evidence(evidence: &[&Answer]) -> Option<String> {
    evidence.iter().find_map(|answer| of_failure(answer))
}

fn of_failure(answer: &Answer) -> Option<String> {
    (answer.status >= 500).then(|| format!("answered {}", answer.status))
}

/// The cause of an unexpected code.
pub(crate) fn of_code(code: &str) -> String {
    format!("the code {code}")
}

/// The cause of a header that is missing or has another value.
pub(crate) fn of_header(name: &str) -> String {
    format!("the header {name}")
}

/// The cause of a member of the body, which may be missing.
pub(crate) fn of_member(name: &str, body: &Value) -> String {
    match &body[name] {
        Value::Null => missing(name),
        _ => format!("the member {name}"),
    }
}

/// The cause of a missing member.
pub(crate) fn missing(member: &str) -> String {
    format!("the member {member} is missing")
}

/// The cause of a value that violates a keyword of its schema: the name of its member, wherever it occurs.
pub(crate) fn of_value(general_place: &str, keyword: &str, value: &Value) -> String {
    let segments = general_place.split('/');
    let member = segments.rev().find(|segment| *segment != "*");
    match (member, value) {
        (Some("code"), Value::String(code)) => of_code(code),
        (Some(member), _) => format!("the member {member}: {keyword}"),
        (None, _) => format!("the body: {keyword}"),
    }
}

/// The cause of a finding that has no other: a header, or the subject of its rule and what does not hold.
pub(crate) fn of_rule(rule: &str, what: &str) -> String {
    if what.starts_with("the header ") {
        return what.to_owned();
    }
    let name = rule.split_once('/').map_or(rule, |(_, name)| name);
    format!("{}: {what}", name.replace('-', " "))
}
