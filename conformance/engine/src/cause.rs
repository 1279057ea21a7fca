//! Causes that the findings of many cases share. A deployment with one defect breaks many cases; its team wants to read
//! about one defect.
//!
//! A cause is a short text that names the defect, in the same words for every operation. A finding without one uses the
//! subject of its rule as its cause, see [`of_rule`].

use std::collections::BTreeSet;

use serde_json::Value;

use crate::transport::departure::ITEM_ID;
use crate::transport::response::HttpResponse;

/// The beginning of the cause of a finding about the effect of parameters, and its end if there are several.
const PARAMETERS: &str = "effect of ";
const TOGETHER: &str = " together";

/// The beginning of the cause of a server failure; its status follows.
const FAILURE: &str = "status ";

/// The beginning of the cause of a finding that only its rule explains; the title of the rule follows.
const VIOLATED: &str = "violated: ";

/// How titles end that say where a rule holds, which another rule about the same thing does not say.
const SCOPES: [&str; 3] = [
    ", in every response",
    ", whatever else it says",
    ", whatever else the request says",
];

/// The beginning of the path of a field in entity data.
const FIELD: &str = "organization.";

/// A status, and the code of the problem if it is one.
pub(crate) type StatusAndCode<'a> = (u16, Option<&'a str>);

/// The cause of a response that is not one of the expected ones. `None` if only the rule identifies it: a request that
/// should be rejected for another reason than its key is accepted.
pub(crate) fn of_response(allowed: &[StatusAndCode<'_>], response: &HttpResponse) -> Option<String> {
    let status = response.status;
    if let Some(failure) = of_failure(response) {
        return Some(failure);
    }
    if let Some(departure) = response.departure_of_all() {
        return Some(departure.cause.clone());
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
    match expected {
        // A redirect, such as to a login page, accepts nothing.
        401 if (200..300).contains(&status) => Some(format!("accepted instead of {expected} {code}")),
        _ if status < 400 => None,
        // Without the check of the key, any other check may be the next.
        401 | 403 => Some(format!("an error other than {expected} {code}")),
        _ => Some(format!("status {status} instead of {expected} {code}")),
    }
}

/// The cause when a response shows a server failure.
pub(crate) fn of_evidence(evidence: &[&HttpResponse]) -> Option<String> {
    evidence.iter().find_map(|response| of_failure(response))
}

/// The name of the field at a place of a body; `None` for the body itself.
pub(crate) fn field(general_place: &str) -> Option<&str> {
    let (_, place) = general_place.split_once('/')?;
    place.rsplit('/').find(|segment| *segment != "*")
}

/// The cause of a finding that follows from a response that departs from its schema.
pub(crate) fn of_departure(evidence: &[&HttpResponse], what: &str, expected: &str, seen: &str) -> Option<String> {
    let departures = evidence.iter().flat_map(|response| &response.departures);
    let explaining = departures.filter(|departure| departure.explains(what, expected, seen));
    // An item is known by its own id, whatever records it names.
    let found = explaining.min_by_key(|departure| departure.member.as_deref() != Some(ITEM_ID))?;
    Some(found.cause.clone())
}

fn of_failure(response: &HttpResponse) -> Option<String> {
    (response.status >= 500).then(|| format!("{FAILURE}{}", response.status))
}

/// Whether a cause is a server failure, which some response of the finding shows.
pub(crate) fn is_of_failure(cause: &str) -> bool {
    cause.strip_prefix(FAILURE).is_some_and(|status| status.len() == 3)
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
    match (field(general_place), value) {
        (Some("code"), Value::String(code)) => of_code(code),
        (Some(field), _) => format!("field {field} violates its schema ({keyword})"),
        (None, _) => format!("body violates its schema ({keyword})"),
    }
}

/// Whether a cause is a departure of a body from its schema.
pub(crate) fn is_of_schema(cause: &str) -> bool {
    cause.starts_with("field ") || cause.starts_with("body ")
}

/// The cause of a text that was encoded twice.
pub(crate) fn of_encoding_twice() -> String {
    "a text is encoded as UTF-8 twice".to_owned()
}

/// The cause of a finding about the effect of parameters.
pub(crate) fn of_parameters<'a>(parameters: impl IntoIterator<Item = &'a str>) -> String {
    let names: BTreeSet<_> = parameters.into_iter().collect();
    let names: Vec<_> = names.into_iter().collect();
    match names[..] {
        [name] => format!("{PARAMETERS}{name}"),
        _ => format!("{PARAMETERS}{}{TOGETHER}", names.join(", ")),
    }
}

/// The parameters that a cause names, if it is of [`of_parameters`].
pub(crate) fn parameters(cause: &str) -> Option<BTreeSet<&str>> {
    let names = cause.strip_prefix(PARAMETERS)?;
    let names = names.strip_suffix(TOGETHER).unwrap_or(names);
    Some(names.split(", ").collect())
}

/// The cause of a finding that has no other: a header, or the title of its rule and what does not hold.
pub(crate) fn of_rule(title: &str, what: &str) -> String {
    let what = what.strip_prefix("the ").unwrap_or(what);
    if what.starts_with("header ") {
        return what.to_owned();
    }
    let without_scope = SCOPES.iter().find_map(|scope| title.strip_suffix(scope));
    let title = without_scope.unwrap_or(title);
    match what {
        "response" | "status" => format!("{VIOLATED}{title}"),
        _ => format!("{VIOLATED}{title} ({})", without_values(what)),
    }
}

/// Whether a cause names its rule by its title.
pub(crate) fn is_of_rule(cause: &str) -> bool {
    cause.starts_with(VIOLATED)
}

/// A text without the values of a request: a path keeps its route, a parameter its name, and numbers, columns and
/// quoted texts are left out.
fn without_values(what: &str) -> String {
    let parts = what.split('"').enumerate().map(|(position, part)| match position % 2 {
        0 => without_values_in_words(part),
        _ => "\"…\"".to_owned(),
    });
    parts.collect()
}

fn without_values_in_words(what: &str) -> String {
    let words = what.split(' ').map(|word| match word.split_once('?') {
        Some((path, _)) if path.starts_with('/') => without_numbers(path),
        _ if word.contains('=') => names(word),
        _ if word.starts_with(FIELD) => without_field(word),
        _ => without_numbers(word),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The names of the parameters of a query, each once, and the colon after it.
fn names(query: &str) -> String {
    let names = query.split('&').filter_map(|pair| pair.split_once('='));
    let names: BTreeSet<_> = names.map(|(name, _)| name).collect();
    let end = if query.ends_with(':') { ":" } else { "" };
    format!("{}{end}", names.into_iter().collect::<Vec<_>>().join("&"))
}

/// The path of a field of an organization without its names, and the comma or colon after it.
fn without_field(path: &str) -> String {
    let end = &path[path.trim_end_matches([',', ':']).len()..];
    format!("{FIELD}*{end}")
}

/// A word with `*` for each part that is a number.
fn without_numbers(word: &str) -> String {
    let parts = word.split_inclusive(['/', '.', ',']).map(|part| {
        let bare = part.trim_end_matches(['/', '.', ',', ':']);
        match bare.parse::<i64>().is_ok() {
            true => format!("*{}", &part[bare.len()..]),
            false => part.to_owned(),
        }
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cause_of_a_rule_contains_no_values() {
        for (what, expected) in [
            ("the response", ""),
            ("status", ""),
            ("the body", " (body)"),
            (
                "total_count of /api/v1/pipelines/1/items?limit=3&sort_by=question.107",
                " (total_count of /api/v1/pipelines/*/items)",
            ),
            (
                "the search with countries=US&countries=NO&founded_year_min=7: the results",
                " (search with countries&founded_year_min: the results)",
            ),
            (
                "the items of pipeline 1 in pages of 97",
                " (items of pipeline * in pages of *)",
            ),
            ("the order by question.107 desc", " (order by question.* desc)"),
            (
                "sync_provider of organization.headquarters.city, which is null for others",
                " (sync_provider of organization.*, which is null for others)",
            ),
            (
                "the results for \"fish in 7 boxes\", and without its last word",
                " (results for \"…\", and without its last word)",
            ),
        ] {
            assert_eq!(of_rule("Pages join", what), format!("violated: Pages join{expected}"));
        }
        assert_eq!(
            of_rule("Pages join, in every response", "the body"),
            of_rule("Pages join", "the body")
        );
        assert_eq!(of_rule("Pages join", "header X-Request-Id"), "header X-Request-Id");
    }
}
