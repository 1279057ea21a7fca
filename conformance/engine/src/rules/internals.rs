//! What an error must not contain: stack traces, statements and messages of a database, and other internals.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};
use serde_json::Value;

use crate::rules::subject::Subject;
use crate::transport::response::HttpResponse;

/// Records the key or the internal that an error shows.
pub(super) fn check_internals(subject: &mut Subject<'_>) {
    let secrets = &subject.response.secrets;
    let mut with_key = texts(subject.response).filter(|(_, text)| secrets.whole_in(text).is_some());
    if let Some((place, _)) = with_key.next() {
        subject.record("the error", "no API key", format!("a key of the target, in {place}"));
    }
    if let Some(internal) = internals_in(subject.response) {
        subject.record("the error", "no stack trace and no other internal", internal);
    }
}

/// All texts of an error with their places: the raw body, each string of a body with escapes, each header. Without
/// escapes, the raw body has every string as it is.
pub fn texts(error: &HttpResponse) -> impl Iterator<Item = (String, String)> {
    let mut texts = vec![("the body".to_owned(), error.text.clone())];
    if error.text.contains('\\') {
        collect(&error.body, &mut texts);
    }
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

/// Patterns of the traces and messages of common runtimes and databases.
const SIGNATURES: [(&str, &str); 19] = [
    ("a Python traceback", r"Traceback \(most recent call last\)"),
    (
        "a path of Python code",
        r#"File "[^"\n]+\.py", line \d+|/[\w./-]+\.py:\d+"#,
    ),
    (
        "a JVM stack trace",
        r"\bat [\w.$/<>]+\([\w$]+\.(?:java|kt|scala|groovy):\d+\)",
    ),
    (
        "a JVM exception",
        r"\b(?:javax?|jakarta|kotlin|scala|org\.(?:springframework|hibernate|postgresql|apache)|com\.(?:mysql|fasterxml))\.(?:\w+\.)*\w*(?:Exception|Error)\b",
    ),
    ("a Rust panic", r"\bpanicked at\b|\bstack backtrace:|\.rs:\d+:\d+"),
    (
        "a Go stack trace",
        r"\bgoroutine \d+ \[|\bpanic: runtime error|/[\w./-]+\.go:\d+",
    ),
    (
        "a Node.js stack trace",
        r"\bat [^\n]*(?:[/\\][^\s()]*\.[cm]?[jt]sx?|node:[\w/]+):\d+:\d+",
    ),
    ("a .NET stack trace", r"\bat [^\n]+ in [^\n]+:line \d+"),
    ("a .NET exception", r"\b(?:System|Microsoft)\.(?:\w+\.)*\w+Exception\b"),
    (
        "a PHP stack trace",
        r"\bStack trace:\s|\bPHP (?:Fatal error|Warning|Notice)|\.php(?: on line |:|\()\d+",
    ),
    ("a Ruby stack trace", r"\.rb:\d+:in\b"),
    ("an Elixir stack trace", r"\*\* \(\w+(?:\.\w+)*Error\)"),
    (
        "an SQL statement",
        r"\bSELECT\b.+\bFROM\b|\bINSERT INTO\b|\bDELETE FROM\b|\bUPDATE \S+ SET\b",
    ),
    ("an SQL error code", r"\bSQLSTATE\b|\bORA-\d{5}\b"),
    (
        "a PostgreSQL message",
        r"\bsyntax error at or near\b|\bPG::\w+|\bpsycopg2?\.|\binvalid byte sequence for encoding\b",
    ),
    (
        "a constraint of a database",
        r"(?i)\bviolates (?:unique|foreign key|check|not-null) constraint\b|\b(?:unique|foreign key) constraint failed\b|\bduplicate entry '[^']*' for key\b",
    ),
    (
        "a missing table or column",
        r#"\b(?:relation|column) "[^"]+" does not exist\b|\bno such (?:table|column): \w"#,
    ),
    ("a MySQL message", r"(?i)\byou have an error in your SQL syntax\b"),
    (
        "an SQLite message",
        r#"\bSQLITE_[A-Z]+\b|\bsqlite3?\.\w+Error\b|\bunrecognized token: ""#,
    ),
];

static TRACES: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let signatures = SIGNATURES.into_iter();
    let compiled = signatures.map(|(name, pattern)| (name, Regex::new(pattern)));
    compiled.filter_map(|(name, regex)| Some((name, regex.ok()?))).collect()
});

/// All patterns as one, which most texts do not match.
static ANY_TRACE: LazyLock<Option<RegexSet>> =
    LazyLock::new(|| RegexSet::new(SIGNATURES.iter().map(|(_, pattern)| pattern)).ok());

/// Describes the internal that an error shows, and where.
pub fn internals_in(error: &HttpResponse) -> Option<String> {
    let may_match = |text: &str| ANY_TRACE.as_ref().is_none_or(|any| any.is_match(text));
    let mut suspects = texts(error).filter(|(_, text)| may_match(text));
    suspects.find_map(|(place, text)| {
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
    fn traces_of_common_stacks_are_recognized() {
        assert_eq!(TRACES.len(), SIGNATURES.len());
        for (text, name) in [
            ("Traceback (most recent call last):\n  File", "a Python traceback"),
            ("File \"/app/api/items.py\", line 31, in list", "a path of Python code"),
            ("\tat com.acme.Items.list(Items.java:41)", "a JVM stack trace"),
            ("org.hibernate.exception.SQLGrammarException: x", "a JVM exception"),
            ("thread 'main' panicked at src/main.rs:3:5:", "a Rust panic"),
            ("goroutine 1 [running]:\nmain.main()", "a Go stack trace"),
            ("/srv/app/items.go:31 +0x1d", "a Go stack trace"),
            (
                "    at Object.<anonymous> (/app/server.js:1:2)",
                "a Node.js stack trace",
            ),
            ("    at async file:///app/server.mjs:10:20", "a Node.js stack trace"),
            (
                "   at Acme.Items.List() in C:\\src\\Items.cs:line 3",
                "a .NET stack trace",
            ),
            ("System.NullReferenceException: Object", "a .NET exception"),
            ("Stack trace:\n#0 /var/www/index.php(3)", "a PHP stack trace"),
            ("app/items.rb:3:in `list'", "a Ruby stack trace"),
            ("** (ArithmeticError) bad argument", "an Elixir stack trace"),
            ("SQLSTATE[42000]: Syntax error", "an SQL error code"),
            ("ERROR: syntax error at or near \"'\"", "a PostgreSQL message"),
            ("You have an error in your SQL syntax; check", "a MySQL message"),
            ("SQLITE_ERROR: near", "an SQLite message"),
            (
                "duplicate key value violates unique constraint \"items_pk\"",
                "a constraint of a database",
            ),
            ("UNIQUE constraint failed: items.id", "a constraint of a database"),
            ("relation \"items\" does not exist", "a missing table or column"),
        ] {
            assert_eq!(trace_in(text).map(|(name, _)| name), Some(name), "{text}");
        }
    }

    #[test]
    fn ordinary_error_texts_are_not_traces() {
        let contract = platform_contract::TEXT;
        assert_eq!(trace_in(contract), None);
        for text in [
            "Nothing is at this path.",
            "limit must be at least 1, at most 1000",
            "The value at query.limit is not a number: line 3 of the request",
            "Not a date: 2023-02-30 (see https://docs.example:8443/errors)",
            "error in request at /api/v1/pipelines/1/items",
            "Request 12:30:45 failed at 10:20:30",
            "The pipeline already contains organization 12: an organization is in a pipeline at most once",
            "The column question.7 does not exist in pipeline 3",
        ] {
            assert_eq!(trace_in(text), None, "{text}");
        }
    }
}
