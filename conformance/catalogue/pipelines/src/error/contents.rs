//! Cases about what errors must not contain: the API key and internals of the deployment.
//!
//! Only the bodies and the headers of errors are checked.

use std::sync::Arc;

use serde_json::json;

use engine::case::{Case, RequestTemplate};
use engine::redact::Secrets;
use engine::rules::internals::{internals_in, texts};
use engine::secret::Secret;
use engine::session::Probe;
use engine::target::Role;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::{Contract, Operation, Parameter};

/// A text that is not the key of any deployment. No part of it is a word, so a response contains none by accident.
const UNKNOWN: &str = "Qx7vT2Lm0Zk4-5f3a9cWb81-Hd6Yr3Np";
/// An error that contains this many consecutive characters of a key discloses a part of it.
const PART: usize = 8;
/// Values that a deployment may not expect.
const HOSTILE: [&str; 6] = ["'", "1' OR '1'='1", "\u{0}", "NaN", "1e999", "99999999999999999999"];
/// Percent-encoded bytes that are not UTF-8, for a query.
const NOT_UTF_8: &str = "%FF%FE%C0%80";
/// The number of hostile values for each query parameter, besides invalid UTF-8 and an object.
const VALUES: usize = 2;
/// Bodies that a deployment may not expect. None of them names an organization.
const BODIES: [&str; 6] = [
    "{",
    "[]",
    r#""\ud800""#,
    r#"{"organization_id": {}}"#,
    r#"{"organization_id": 1e999}"#,
    r#"{"organization_id": "'"}"#,
];

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    let operations = contract.operations().iter();
    operations
        .flat_map(|operation| {
            [
                case(
                    operation,
                    "contains-no-key",
                    "No error repeats an API key",
                    &requests_with_keys(operation),
                )
                .point("error-key")
                .check_with(Arc::clone(operation), no_key),
                case(
                    operation,
                    "contains-no-internals",
                    "No error shows a stack trace or other internals",
                    &hostile_requests(operation),
                )
                .point("error-internals")
                .check_with(Arc::clone(operation), no_internals),
                case(
                    operation,
                    "denied-contains-no-key",
                    "A rejection of a denied key does not repeat it",
                    &[denied(operation)],
                )
                .point("error-key")
                .check_with(Arc::clone(operation), no_denied_key),
            ]
        })
        .collect()
}

/// A case that sends these requests; it still needs a check.
fn case(operation: &Operation, rule: &str, title: &str, requests: &[RequestTemplate]) -> Case {
    let count = requests.len() as u64;
    Case::quoting(
        format!("error/{rule}/{}", operation.id),
        format!("{}: {title}", operation.id),
        "/info",
        "An error never contains the API key, a stack trace or other internals.",
    )
    .on([operation.id.as_str()])
    .needs(requests.iter().flat_map(RequestTemplate::needs))
    .sends(count)
    .writes(u64::from(!operation.is_read()) * count)
}

async fn no_key(probe: Probe, operation: Arc<Operation>) -> Outcome {
    none_repeated(&probe, requests_with_keys(&operation)).await
}

async fn no_denied_key(probe: Probe, operation: Arc<Operation>) -> Outcome {
    none_repeated(&probe, vec![denied(&operation)]).await
}

/// A request with a key that no policy allows anything.
fn denied(operation: &Operation) -> RequestTemplate {
    RequestTemplate::valid(operation).key(Role::NoAccess)
}

/// Asserts that no error among the responses to these requests repeats a key.
async fn none_repeated(probe: &Probe, requests: Vec<RequestTemplate>) -> Outcome {
    let errors = errors_to(probe, requests).await?;
    let keys = Keys::of(probe);
    if errors.is_empty() {
        return probe.inconclusive("an error");
    }
    for error in &errors {
        let found = keys.in_error(error);
        let seen = found.clone().unwrap_or_default();
        let holds = found.is_none();
        probe.assert(holds, "the error", "no API key in any form", seen, &[error]);
    }
    let is_found = errors.iter().any(|error| keys.in_error(error).is_some());
    match keys.known.can_be_found() || is_found {
        true => Ok(()),
        false => probe.inconclusive("a key of at least 12 characters that is not a word of the contract"),
    }
}

/// The keys that errors are searched for.
pub struct Keys {
    /// The keys of the target.
    known: Secrets,
    /// The key that no deployment knows.
    unknown: Secrets,
}

impl Keys {
    /// The keys of the target, in every form that is looked for.
    pub fn of(probe: &Probe) -> Self {
        let unknown = Secret::new(UNKNOWN, "THE_KEY_THAT_WAS_SENT");
        Self {
            known: probe.keys(),
            unknown: Secrets::new([unknown], ""),
        }
    }

    /// Describes the key that an error repeats, and where.
    pub fn in_error(&self, error: &HttpResponse) -> Option<String> {
        let key = |text: &str| {
            let key = self.known.whole_in(text).or(self.unknown.whole_in(text));
            let key = key.map(|variable| format!("${variable}"));
            key.or_else(|| has_part_of(UNKNOWN, text).then(|| "a part of the key that was sent".to_owned()))
        };
        let mut texts = texts(error);
        texts.find_map(|(place, text)| Some(format!("{place} contains {}", key(&text)?)))
    }
}

/// Whether a text contains a part of a key in one piece.
fn has_part_of(key: &str, text: &str) -> bool {
    let pieces = key.as_bytes().windows(PART);
    let mut pieces = pieces.filter_map(|piece| str::from_utf8(piece).ok());
    pieces.any(|piece| text.contains(piece))
}

/// Requests with an unknown key, with two keys, and with a known key and another error.
pub fn requests_with_keys(operation: &Operation) -> Vec<RequestTemplate> {
    let valid = || RequestTemplate::valid(operation);
    vec![
        valid().literal_keys([UNKNOWN]),
        valid().header("API-Key", UNKNOWN),
        valid().query("offset", 1),
    ]
}

async fn no_internals(probe: Probe, operation: Arc<Operation>) -> Outcome {
    let errors = errors_to(&probe, hostile_requests(&operation)).await?;
    if errors.is_empty() {
        return probe.inconclusive("an error");
    }
    for error in &errors {
        let found = internals_in(error);
        let seen = found.clone().unwrap_or_default();
        let expected = "no stack trace and no other internal";
        probe.assert(found.is_none(), "the error", expected, seen, &[error]);
    }
    Ok(())
}

/// Returns the errors among the responses to these requests. A proxy may answer odd bytes, so these responses are not
/// checked against the contract.
pub async fn errors_to(probe: &Probe, requests: Vec<RequestTemplate>) -> Result<Vec<HttpResponse>, Stop> {
    let mut errors = Vec::new();
    for request in requests {
        let response = request.call(probe).await?.unobserved().send().await?;
        if response.status >= 400 {
            errors.push(response);
        }
    }
    Ok(errors)
}

/// Requests with one hostile value each.
pub fn hostile_requests(operation: &Operation) -> Vec<RequestTemplate> {
    let valid = || RequestTemplate::valid(operation);
    let mut requests = Vec::new();
    for (position, parameter) in operation.parameters.iter().enumerate() {
        let name = parameter.name.as_str();
        match parameter.location.as_str() {
            "path" => requests.extend(HOSTILE.map(|value| with_path(operation, parameter, value))),
            "query" => {
                for turn in 0..VALUES {
                    let value = HOSTILE[(position * VALUES + turn) % HOSTILE.len()];
                    requests.push(valid().query(name, value));
                }
                requests.push(valid().raw_query(format!("{name}={NOT_UTF_8}")));
                requests.push(valid().raw_query(format!("{name}%5B%24gt%5D=1")));
            }
            _ => {}
        }
    }
    requests.push(valid().of_unknown_record());
    requests.dedup_by(|later, _| *later == valid());
    if !operation.is_read() {
        requests.extend(BODIES.map(|body| valid().json_text(body)));
    }
    requests
}

/// A request with a hostile value in its path. Its other ids are in range, and its body names no organization.
fn with_path(operation: &Operation, parameter: &Parameter, value: &str) -> RequestTemplate {
    let parameters = operation.parameters.iter();
    let in_path = parameters.filter(|other| other.location == "path");
    let request = in_path.fold(RequestTemplate::to(operation), |request, other| {
        request.path(&other.name, "1")
    });
    let request = request.path(&parameter.name, value);
    match operation.is_read() {
        true => request,
        false => request.json(&json!({})),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_key_that_was_sent_is_found() {
        let said = |part: &str| has_part_of(UNKNOWN, &format!("The key {part}… is not known."));
        assert!(said(&UNKNOWN[..10]) && said(&UNKNOWN[UNKNOWN.len() - PART..]));
        assert!(!said(&UNKNOWN[..PART - 1]));
    }
}
