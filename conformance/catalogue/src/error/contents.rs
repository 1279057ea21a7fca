//! What no error contains: the API key, and internals of the deployment.
//!
//! Whatever is answered, only errors are looked at: their bodies and their headers.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::support::any_operation::{call, leave, pipeline_for, records};
use engine::case::Case;
use engine::redact::Secrets;
use engine::secret::Secret;
use engine::session::{Call, Probe};
use engine::transport::client::Answer;
use engine::transport::request::Body;
use engine::verdict::{Outcome, Stop};
use platform_contract::{Contract, Operation, Parameter};

/// A text that is not the key of any deployment, and that no text contains by accident.
const UNKNOWN: &str = "conformance-5f3a9c-Qx7vT2Lm0Zk4";
/// How many requests are sent with a key.
const WITH_KEYS: usize = 3;
/// Values that provoke what a deployment does not expect.
const HOSTILE: [&str; 6] = [
    "'",
    "1' OR '1'='1",
    "\u{0}",
    "NaN",
    "1e999",
    "99999999999999999999",
];
/// Percent-encoded bytes that are not UTF-8, for a query.
const NO_TEXT: &str = "%FF%FE%C0%80";
/// How many values each parameter of a query is given, besides bytes that are not text and an object.
const VALUES: usize = 2;
/// Bodies that do the same. None names an organization.
const BODIES: [&str; 6] = [
    "{",
    "[]",
    r#""\ud800""#,
    r#"{"organization_id": {}}"#,
    r#"{"organization_id": 1e999}"#,
    r#"{"organization_id": "'"}"#,
];

pub(crate) fn cases(contract: &'static Contract) -> Vec<Case> {
    let operations = contract.operations().iter();
    operations
        .flat_map(|operation| [of_keys(operation), of_internals(operation)])
        .collect()
}

fn case(operation: &'static Operation, id: &str, title: &str) -> Case {
    Case::quoting(
        format!("error/{id}/{}", operation.id),
        format!("{}: {title}", operation.id),
        "/info",
        "An error never contains the API key, a stack trace or other internals.",
    )
    .on([operation.id.as_str()])
    .needs(records(operation))
    .needs(leave(operation))
}

fn of_keys(operation: &'static Operation) -> Case {
    let writes = u64::from(!operation.is_read()) * WITH_KEYS as u64;
    case(operation, "contains-no-key", "no error repeats an API key")
        .writes(writes)
        .check(move |probe| no_key(probe, operation))
}

fn of_internals(operation: &'static Operation) -> Case {
    let requests = hostile_requests(operation);
    let writes = u64::from(!operation.is_read()) * requests;
    let title = "no error shows a stack trace or another internal";
    case(operation, "contains-no-internals", title)
        .sends(requests)
        .writes(writes)
        .check(move |probe| no_internals(probe, operation))
}

async fn no_key(probe: Probe, operation: &'static Operation) -> Outcome {
    let errors = errors_to_keys(&probe, operation).await?;
    let keys = Keys::of(&probe);
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
        false => {
            probe.inconclusive("a key of at least 12 characters that is not a word of the contract")
        }
    }
}

/// The keys that are looked for.
pub(crate) struct Keys {
    /// Those of the target.
    known: Secrets,
    /// The one that no deployment knows.
    unknown: Secrets,
}

impl Keys {
    pub(crate) fn of(probe: &Probe) -> Self {
        let unknown = Secret::new(UNKNOWN, "THE_KEY_THAT_WAS_SENT");
        Self {
            known: probe.keys(),
            unknown: Secrets::new([unknown], ""),
        }
    }

    /// Where an error repeats a key, and whose.
    pub(crate) fn in_error(&self, error: &Answer) -> Option<String> {
        let key = |text: &str| {
            let key = self.known.whole_in(text).or(self.unknown.whole_in(text));
            key.map(|variable| format!("${variable}"))
        };
        let mut texts = texts(error);
        texts.find_map(|(place, text)| Some(format!("{place} contains {}", key(&text)?)))
    }
}

/// Errors to requests with a key that is not known, with two keys, and with a known key and another fault.
pub(crate) async fn errors_to_keys(
    probe: &Probe,
    operation: &Operation,
) -> Result<Vec<Answer>, Stop> {
    let calls = [
        call(probe, operation).await?.literal_keys([UNKNOWN]),
        call(probe, operation).await?.header("API-Key", UNKNOWN),
        call(probe, operation).await?.query("offset", 1),
    ];
    errors(calls).await
}

async fn no_internals(probe: Probe, operation: &'static Operation) -> Outcome {
    let errors = errors_to_hostile(&probe, operation).await?;
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

/// The errors among the responses to these requests. What a proxy answers to odd bytes is not held to the contract.
async fn errors(calls: impl IntoIterator<Item = Call>) -> Result<Vec<Answer>, Stop> {
    let mut errors = Vec::new();
    for call in calls {
        let answer = call.unobserved().send().await?;
        if answer.status >= 400 {
            errors.push(answer);
        }
    }
    Ok(errors)
}

/// How many hostile requests an operation is sent.
pub(crate) fn hostile_requests(operation: &Operation) -> u64 {
    let of = |location: &str| {
        let parameters = operation.parameters.iter();
        parameters
            .filter(|parameter| parameter.location == location)
            .count()
    };
    let bodies = match operation.is_read() {
        true => 0,
        false => BODIES.len(),
    };
    let requests = of("path") * HOSTILE.len() + of("query") * (VALUES + 2) + bodies;
    u64::try_from(requests).unwrap_or(u64::MAX)
}

/// Errors to requests with one hostile value each.
pub(crate) async fn errors_to_hostile(
    probe: &Probe,
    operation: &Operation,
) -> Result<Vec<Answer>, Stop> {
    let mut calls = Vec::new();
    for (position, parameter) in operation.parameters.iter().enumerate() {
        let name = parameter.name.as_str();
        if parameter.location == "path" {
            calls.extend(HOSTILE.map(|value| with_path(probe, operation, parameter, value)));
        } else if parameter.location == "query" {
            for turn in 0..VALUES {
                let value = HOSTILE[(position * VALUES + turn) % HOSTILE.len()];
                calls.push(call(probe, operation).await?.query(name, value));
            }
            for odd in [format!("{name}={NO_TEXT}"), format!("{name}%5B%24gt%5D=1")] {
                calls.push(call(probe, operation).await?.raw_query(&odd));
            }
        }
    }
    if !operation.is_read() {
        for body in BODIES {
            let call = probe
                .call(&operation.id)
                .path("pipeline_id", probe.pipeline(pipeline_for(operation))?)
                .header("Content-Type", "application/json");
            calls.push(call.body(Body::Text(body.to_owned())));
        }
    }
    errors(calls).await
}

/// A request with a hostile value in its path. The other ids are in range, and its body names no organization.
fn with_path(probe: &Probe, operation: &Operation, parameter: &Parameter, value: &str) -> Call {
    let parameters = operation.parameters.iter();
    let others = parameters.filter(|other| other.location == "path");
    let call = others.fold(probe.call(&operation.id), |call, other| {
        match other.name == parameter.name {
            true => call.path(&other.name, value),
            false => call.path(&other.name, 1),
        }
    });
    match operation.is_read() {
        true => call,
        false => call.json(&serde_json::json!({})),
    }
}

/// All that an error says, by where: its body as it was sent, each text of its body, each header.
fn texts(error: &Answer) -> impl Iterator<Item = (String, String)> {
    let mut texts = vec![("the body".to_owned(), error.text.clone())];
    collect(&error.body, &mut texts);
    for (name, value) in &error.headers {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        texts.push((format!("the header {name}"), value));
    }
    texts.into_iter()
}

fn collect(node: &Value, texts: &mut Vec<(String, String)>) {
    match node {
        Value::String(text) => texts.push(("the body".to_owned(), text.clone())),
        Value::Array(entries) => entries.iter().for_each(|entry| collect(entry, texts)),
        Value::Object(members) => members.values().for_each(|member| collect(member, texts)),
        _ => {}
    }
}

/// What common runtimes and databases write into a trace or a message of theirs.
const SIGNATURES: [(&str, &str); 16] = [
    ("a trace of Python", r"Traceback \(most recent call last\)"),
    ("a place in Python code", r#"File "[^"\n]+\.py", line \d+"#),
    (
        "a trace of a JVM",
        r"\bat [\w.$/<>]+\([\w$]+\.(?:java|kt|scala|groovy):\d+\)",
    ),
    (
        "an exception of a JVM",
        r"\b(?:javax?|jakarta|kotlin|scala|org\.(?:springframework|hibernate|postgresql|apache)|com\.(?:mysql|fasterxml))\.(?:\w+\.)*\w*(?:Exception|Error)\b",
    ),
    (
        "a panic of Rust",
        r"\bpanicked at\b|\bstack backtrace:|\.rs:\d+:\d+",
    ),
    (
        "a trace of Go",
        r"\bgoroutine \d+ \[|\bpanic: runtime error|/[\w./-]+\.go:\d+",
    ),
    (
        "a trace of Node.js",
        r"\bat [^\n]*(?:[/\\][^\s()]*\.[cm]?[jt]sx?|node:[\w/]+):\d+:\d+",
    ),
    ("a trace of .NET", r"\bat [^\n]+ in [^\n]+:line \d+"),
    (
        "an exception of .NET",
        r"\b(?:System|Microsoft)\.(?:\w+\.)*\w+Exception\b",
    ),
    (
        "a trace of PHP",
        r"\bStack trace:\s|\bPHP (?:Fatal error|Warning|Notice)|\.php(?: on line |:|\()\d+",
    ),
    ("a trace of Ruby", r"\.rb:\d+:in\b"),
    ("a trace of Elixir", r"\*\* \(\w+(?:\.\w+)*Error\)"),
    ("a state of SQL", r"\bSQLSTATE\b|\bORA-\d{5}\b"),
    (
        "a message of PostgreSQL",
        r"\bsyntax error at or near\b|\bPG::\w+|\bpsycopg2?\.|\binvalid byte sequence for encoding\b",
    ),
    (
        "a message of MySQL",
        r"(?i)\byou have an error in your SQL syntax\b",
    ),
    (
        "a message of SQLite",
        r#"\bSQLITE_[A-Z]+\b|\bsqlite3?\.\w+Error\b|\bunrecognized token: ""#,
    ),
];

static TRACES: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let signatures = SIGNATURES.into_iter();
    let compiled = signatures.map(|(name, pattern)| (name, Regex::new(pattern)));
    compiled
        .filter_map(|(name, regex)| Some((name, regex.ok()?)))
        .collect()
});

/// Where an error shows an internal, and which.
pub(crate) fn internals_in(error: &Answer) -> Option<String> {
    texts(error).find_map(|(place, text)| {
        let (name, found) = trace_in(&text)?;
        Some(format!("{place} contains {name}: {found:?}"))
    })
}

fn trace_in(text: &str) -> Option<(&'static str, &str)> {
    let mut traces = TRACES.iter();
    traces.find_map(|(name, regex)| Some((*name, regex.find(text)?.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_traces_of_common_stacks_are_recognised() {
        assert_eq!(TRACES.len(), SIGNATURES.len());
        for (text, name) in [
            (
                "Traceback (most recent call last):\n  File",
                "a trace of Python",
            ),
            (
                "File \"/app/api/items.py\", line 31, in list",
                "a place in Python code",
            ),
            (
                "\tat com.acme.Items.list(Items.java:41)",
                "a trace of a JVM",
            ),
            (
                "org.hibernate.exception.SQLGrammarException: x",
                "an exception of a JVM",
            ),
            (
                "thread 'main' panicked at src/main.rs:3:5:",
                "a panic of Rust",
            ),
            ("goroutine 1 [running]:\nmain.main()", "a trace of Go"),
            ("/srv/app/items.go:31 +0x1d", "a trace of Go"),
            (
                "    at Object.<anonymous> (/app/server.js:1:2)",
                "a trace of Node.js",
            ),
            (
                "    at async file:///app/server.mjs:10:20",
                "a trace of Node.js",
            ),
            (
                "   at Acme.Items.List() in C:\\src\\Items.cs:line 3",
                "a trace of .NET",
            ),
            (
                "System.NullReferenceException: Object",
                "an exception of .NET",
            ),
            ("Stack trace:\n#0 /var/www/index.php(3)", "a trace of PHP"),
            ("app/items.rb:3:in `list'", "a trace of Ruby"),
            ("** (ArithmeticError) bad argument", "a trace of Elixir"),
            ("SQLSTATE[42000]: Syntax error", "a state of SQL"),
            (
                "ERROR: syntax error at or near \"'\"",
                "a message of PostgreSQL",
            ),
            (
                "You have an error in your SQL syntax; check",
                "a message of MySQL",
            ),
            ("SQLITE_ERROR: near", "a message of SQLite"),
        ] {
            assert_eq!(trace_in(text).map(|(name, _)| name), Some(name), "{text}");
        }
    }

    #[test]
    fn what_errors_say_is_not_taken_for_a_trace() {
        let contract = platform_contract::TEXT;
        assert_eq!(trace_in(contract), None);
        for text in [
            "Nothing is at this path.",
            "limit must be at least 1, at most 1000",
            "The value at query.limit is not a number: line 3 of the request",
            "Not a date: 2023-02-30 (see https://docs.example:8443/errors)",
            "error in request at /api/v1/pipelines/1/items",
            "Request 12:30:45 failed at 10:20:30",
        ] {
            assert_eq!(trace_in(text), None, "{text}");
        }
    }
}
