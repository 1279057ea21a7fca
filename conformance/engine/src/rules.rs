//! Every response that any case receives is held to what the contract says of it: a declared status, a
//! declared media type, the headers, the body against its schema, an error that agrees with its status.
//!
//! What is wrong is kept by operation and status until the cases of the group `schema` are judged.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};

use chrono::DateTime;
use jsonschema::Validator;
use parking_lot::Mutex;
use serde_json::Value;

use crate::finding::{Finding, Findings, Steadiness};
use crate::transport::client::Answer;
use crate::transport::request::Request;
use platform_contract::{Contract, Header, Operation, Response, to_json_schema};

/// The name under which responses of no operation are kept: unknown routes and methods.
pub const UNROUTED: &str = "unrouted";
/// The status under which responses are kept that an operation should never give.
pub const OTHER_STATUS: &str = "other-status";

/// The name under which is kept what holds for responses of any operation, by what is looked at.
pub const ANY: &str = "any";
/// The kinds of problems, and the URIs that identify them.
pub const PROBLEM_TYPE: &str = "problem-type";
/// What is announced to go away.
pub const DEPRECATION: &str = "deprecation";
/// How long before it goes away something is announced, in days: twelve months, of which none may be longer.
const ANNOUNCED_AHEAD: i64 = 365;

/// The most mismatches with its schema that are told of one body.
const MISMATCHES: usize = 50;
/// The most codes whose types are remembered, and the longest of both.
const CODES: usize = 1_000;
const LONGEST_CODE: usize = 1_000;

/// The checks of all responses, and what they found.
pub(crate) struct SchemaCheck {
    contract: &'static Contract,
    watching: bool,
    /// Those of a contract that is not the bundled one.
    own: OnceLock<Validators>,
    seen: Mutex<BTreeMap<(String, String), Seen>>,
    /// The `type` of each `code`, as they were first seen.
    types: Mutex<BTreeMap<String, String>>,
}

/// What was found in the responses of an operation with a status.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    pub(crate) findings: Findings,
    /// What showed each mismatch first, by its text.
    pub(crate) shown_by: BTreeMap<String, Shown>,
}

/// A request that showed a mismatch.
#[derive(Debug, Clone)]
pub(crate) struct Shown {
    pub(crate) operation: Option<&'static Operation>,
    /// The path, without its query.
    pub(crate) path: String,
    pub(crate) request: Arc<Request>,
}

/// The schemas of all responses of the contract, made ready once in a process.
static VALIDATORS: LazyLock<Validators> = LazyLock::new(|| validators(Contract::bundled()));

/// Validators by their schemas, as these stand in the contract.
type Validators = BTreeMap<String, Validator>;

fn validators(contract: &Contract) -> Validators {
    let responses = contract.operations().iter();
    let responses = responses.flat_map(|operation| &operation.responses);
    let schemas = responses.flat_map(|response| {
        let bodies = response.content.iter().map(|(_, schema)| schema);
        bodies.chain(response.headers.iter().map(|header| &header.schema))
    });
    let mut validators = BTreeMap::new();
    for schema in schemas {
        let known = validators.contains_key(&schema.to_string());
        let options = || jsonschema::draft202012::options().should_validate_formats(true);
        if !known && let Ok(validator) = options().build(&to_json_schema(contract, schema)) {
            validators.insert(schema.to_string(), validator);
        }
    }
    validators
}

/// What was asked of a response, for messages.
struct Subject<'a> {
    answer: &'a Answer,
    findings: Vec<Finding>,
}

impl Subject<'_> {
    /// Records a mismatch, short enough to be read. Here every secret is taken out of it that the deployment
    /// repeats.
    fn record(&mut self, what: impl AsRef<str>, expected: impl AsRef<str>, seen: impl AsRef<str>) {
        let secrets = &self.answer.secrets;
        let id = self.answer.header("x-request-id");
        self.findings.push(Finding {
            what: secrets.written_excerpt(what.as_ref()),
            expected: secrets.written_excerpt(expected.as_ref()),
            seen: secrets.excerpt(seen.as_ref()),
            requests: vec![secrets.written(&self.answer.curl)],
            request_ids: id.map(|id| secrets.excerpt(id)).into_iter().collect(),
            times: 1,
            steadiness: Steadiness::Unconfirmed,
        });
    }
}

impl SchemaCheck {
    /// Prepares the checks. Nothing is checked when nobody is `watching`: no case will judge it.
    pub(crate) fn new(contract: &'static Contract, watching: bool) -> Self {
        Self {
            contract,
            watching,
            own: OnceLock::new(),
            seen: Mutex::default(),
            types: Mutex::default(),
        }
    }

    /// The contract that responses are held to.
    pub(crate) fn contract(&self) -> &'static Contract {
        self.contract
    }

    fn validator(&self, schema: &Value) -> Option<&Validator> {
        let is_bundled = std::ptr::eq(self.contract, Contract::bundled());
        let validators = if is_bundled {
            &*VALIDATORS
        } else {
            self.own.get_or_init(|| validators(self.contract))
        };
        validators.get(&schema.to_string())
    }

    /// Holds a response of an operation, or of no operation, to the contract.
    pub(crate) fn observe(
        &self,
        operation: Option<&'static Operation>,
        path: &str,
        answer: &Answer,
    ) {
        if !self.watching {
            return;
        }
        let mut subject = Subject {
            answer,
            findings: Vec::new(),
        };
        let shown = || Shown {
            operation,
            path: path.to_owned(),
            request: Arc::clone(&answer.request),
        };
        let unrouted = self.contract.unrouted_response(answer.status);
        let early = self.contract.early_response(answer.status);
        let code = answer.code().unwrap_or_default();
        let response = match operation {
            // Its code tells what was refused before any operation was looked at.
            _ if early
                .as_ref()
                .is_some_and(|early| early.codes.contains(code)) =>
            {
                early.as_ref()
            }
            Some(operation) => operation.response(answer.status),
            None => unrouted.as_ref(),
        };
        let name = operation.map_or(UNROUTED, |operation| &operation.id);
        let status = match response {
            Some(response) if response.status.len() == 3 && !response.status.ends_with("XX") => {
                self.count(name, OTHER_STATUS, Vec::new(), None);
                response.status.clone()
            }
            _ => {
                let declared = operation
                    .map(|operation| &operation.responses)
                    .into_iter()
                    .flatten();
                let declared: Vec<_> = declared.map(|response| response.status.as_str()).collect();
                let expected = format!(
                    "one of {}, and never a fault of the server",
                    declared.join(", ")
                );
                subject.record(
                    format!("a response of the status {}", answer.status),
                    expected,
                    answer.summary(),
                );
                OTHER_STATUS.to_owned()
            }
        };
        if let Some(response) = response {
            self.check_body(response, &mut subject);
            self.check_headers(response, &mut subject);
            if answer.status >= 400 {
                check_problem(self.contract, response, path, &mut subject);
            }
        }
        self.count(name, &status, subject.findings, Some(&shown));
        self.observe_type(answer);
        let mut subject = Subject {
            answer,
            findings: Vec::new(),
        };
        check_deprecation(&mut subject);
        self.count(ANY, DEPRECATION, subject.findings, Some(&shown));
    }

    /// One URI for each code, and another for each other code.
    fn observe_type(&self, answer: &Answer) {
        let (Some(code), Some(kind)) = (answer.code(), answer.at("/type").as_str()) else {
            return;
        };
        let mut types = self.types.lock();
        let is_room = types.len() < CODES || types.contains_key(code);
        if !is_room || code.len().max(kind.len()) > LONGEST_CODE {
            return;
        }
        let known = types
            .entry(code.to_owned())
            .or_insert_with(|| kind.to_owned());
        let mut subject = Subject {
            answer,
            findings: Vec::new(),
        };
        let said = |text: &str| answer.secrets.said(text);
        let what = || format!("the type of the code {}", said(code));
        if known != kind {
            let expected = format!("{}, as in another response", said(known));
            subject.record(what(), expected, kind);
        }
        let same = types
            .iter()
            .find(|(other, known)| *other != code && *known == kind);
        if let Some((other, _)) = same {
            let expected = format!("another URI than that of {}", said(other));
            subject.record(what(), expected, kind);
        }
        drop(types);
        // It takes two responses to show it.
        self.count(ANY, PROBLEM_TYPE, subject.findings, None);
    }

    /// What was found in the responses of an operation with a status, and how many there were.
    pub(crate) fn seen(&self, operation: &str, status: &str) -> Seen {
        let seen = self.seen.lock();
        seen.get(&(operation.to_owned(), status.to_owned()))
            .cloned()
            .unwrap_or_default()
    }

    /// Whether anything was found in any response.
    pub(crate) fn has_findings(&self) -> bool {
        let seen = self.seen.lock();
        seen.values().any(|seen| !seen.findings.is_empty())
    }

    /// Whether this mismatch was found in any response.
    pub(crate) fn has_found(&self, what: &str) -> bool {
        let seen = self.seen.lock();
        seen.values().any(|seen| seen.shown_by.contains_key(what))
    }

    fn count(
        &self,
        operation: &str,
        status: &str,
        found: Vec<Finding>,
        shown: Option<&dyn Fn() -> Shown>,
    ) {
        let mut seen = self.seen.lock();
        let seen = seen
            .entry((operation.to_owned(), status.to_owned()))
            .or_default();
        seen.findings.count();
        for finding in found {
            if let Some(shown) = shown.filter(|_| !seen.shown_by.contains_key(&finding.what)) {
                seen.shown_by.insert(finding.what.clone(), shown());
            }
            seen.findings.record_or_count(finding);
        }
    }

    fn check_body(&self, response: &Response, subject: &mut Subject<'_>) {
        let answer = subject.answer;
        let media_type = answer.header("content-type").unwrap_or_default();
        let essence = media_type
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        let Some((_, schema)) = response.content.iter().find(|(name, _)| *name == essence) else {
            let names: Vec<_> = response
                .content
                .iter()
                .map(|(name, _)| name.as_str())
                .collect();
            subject.record(
                "the media type",
                names.join(" or "),
                format!("Content-Type: {media_type}"),
            );
            return;
        };
        if !answer.is_json {
            subject.record("the body", "JSON", &answer.text);
            return;
        }
        let Some(validator) = self.validator(schema) else {
            return;
        };
        // Saying no takes much longer than saying yes.
        if validator.is_valid(&answer.body) {
            return;
        }
        for error in validator.iter_errors(&answer.body).take(MISMATCHES) {
            let place = error.instance_path().to_string();
            let what = format!(
                "the body at {}: {}",
                answer.secrets.excerpt(&general(&place)),
                error.kind().keyword()
            );
            let expected = format!("what the contract's schema says: {}", error.schema_path());
            subject.record(
                what,
                expected,
                format!("{} at {place}", answer.secrets.excerpt(&error.to_string())),
            );
        }
    }

    fn check_headers(&self, response: &Response, subject: &mut Subject<'_>) {
        for header in &response.headers {
            let values: Vec<_> = subject
                .answer
                .headers
                .get_all(&header.name)
                .iter()
                .collect();
            let what = format!("the header {}", header.name);
            match values[..] {
                [] if header.required => subject.record(what, "to be there", "it is missing"),
                [] => {}
                [value] => {
                    let text = value.to_str().unwrap_or_default();
                    if !self.header_fits(header, text) {
                        subject.record(
                            what,
                            format!("what its schema says: {}", header.schema),
                            text,
                        );
                    }
                }
                _ => subject.record(what, "to be there once", format!("{values:?}")),
            }
        }
    }

    fn header_fits(&self, header: &Header, text: &str) -> bool {
        let schema = self.contract.resolve(&header.schema);
        let value = match schema["type"].as_str() {
            Some("integer") => text.parse::<i64>().map_or(Value::Null, Value::from),
            _ => Value::from(text),
        };
        self.validator(&header.schema)
            .is_none_or(|validator| validator.is_valid(&value))
    }
}

/// What is deprecated is announced as RFC 9745 and RFC 8594 say, and early enough.
fn check_deprecation(subject: &mut Subject<'_>) {
    let answer = subject.answer;
    let text = |name| {
        answer
            .headers
            .get(name)
            .map(|value| value.to_str().unwrap_or_default())
    };
    let Some(deprecation) = text("deprecation") else {
        return;
    };
    let since = deprecation
        .strip_prefix('@')
        .and_then(|seconds| seconds.parse().ok());
    let Some(since) = since.and_then(|seconds| DateTime::from_timestamp(seconds, 0)) else {
        subject.record(
            "the header Deprecation",
            "a date such as @1735689600",
            deprecation,
        );
        return;
    };
    let sunset = text("sunset").unwrap_or("it is missing");
    let is_late = DateTime::parse_from_rfc2822(sunset)
        .is_ok_and(|sunset| (sunset.to_utc() - since).num_days() >= ANNOUNCED_AHEAD);
    if !is_late {
        let expected = format!("a date of HTTP, 12 months or more after {since}");
        subject.record("the header Sunset", expected, sunset);
    }
}

/// What holds for the body of every error beyond its schema.
fn check_problem(contract: &Contract, response: &Response, path: &str, subject: &mut Subject<'_>) {
    let answer = subject.answer;
    let body = &answer.body;
    if !body.is_object() {
        return;
    }
    if contract.errors_have("status") && body["status"] != answer.status {
        subject.record(
            "the status in the body",
            answer.status.to_string(),
            body["status"].to_string(),
        );
    }
    let code = answer.code().unwrap_or_default();
    let has_code = contract.errors_have("code");
    if has_code && !response.codes.is_empty() && !response.codes.contains(code) {
        let codes: Vec<_> = response.codes.iter().map(String::as_str).collect();
        subject.record(
            format!("the code {code}"),
            codes.join(" or "),
            answer.summary(),
        );
    }
    let request_id = answer.header("x-request-id");
    let has_id = contract.errors_have("request_id");
    if has_id && request_id.is_some() && body["request_id"].as_str() != request_id {
        let expected = format!(
            "that of the header X-Request-Id, {}",
            request_id.unwrap_or_default()
        );
        subject.record(
            "the request_id in the body",
            expected,
            body["request_id"].to_string(),
        );
    }
    let instance = body["instance"].as_str().unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    let decoded = |text: &str| {
        percent_encoding::percent_decode_str(text)
            .decode_utf8_lossy()
            .into_owned()
    };
    // The base URL may have a path of its own, which stands in front.
    if contract.errors_have("instance") && !decoded(instance).ends_with(&decoded(path)) {
        subject.record(
            "the instance in the body",
            format!("the path that was requested, {path}"),
            instance,
        );
    }
    let faults = body["errors"].as_array().map_or(0, Vec::len);
    let has_both = has_code && contract.errors_have("errors");
    if has_both && (code == "validation_failed") != (faults > 0) {
        let expected = "every fault of the request when the code is validation_failed, else none";
        subject.record(
            "the errors in the body",
            expected,
            format!("{faults} with the code {code}"),
        );
    }
}

/// A place in a body with positions and question ids left out, so that a fault of every item is one.
fn general(place: &str) -> String {
    if place.is_empty() {
        return "its root".to_owned();
    }
    let general = |segment: &str| match segment {
        number if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            "*".to_owned()
        }
        column if column.contains('.') => "*".to_owned(),
        name => name.to_owned(),
    };
    place.split('/').map(general).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_of_a_response_compiles() {
        let operations = Contract::bundled().operations().iter();
        for response in operations.flat_map(|operation| &operation.responses) {
            for (_, schema) in &response.content {
                assert!(VALIDATORS.contains_key(&schema.to_string()), "{schema}");
            }
        }
    }
}
