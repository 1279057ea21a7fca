//! A recording: HAR 1.2 with every request of the run, whatever its outcome, and without a secret.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn};
use chrono::DateTime;
use platform_conformance::report::Silent;
use platform_conformance::report::har::Har;
use platform_conformance::{ApiKey, Options, RECORDED_BODY, Report, Role, Target, catalogue, exit_code, run};
use serde_json::Value;

use crate::served;

fn program(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_platform-conformance"));
    let command = command.env("PLATFORM_API_KEY", "dev-full-access");
    command.args(arguments).output().unwrap()
}

fn read(file: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

fn entries(har: &Value) -> &Vec<Value> {
    har["log"]["entries"].as_array().unwrap()
}

/// Asserts that a recording has what HAR 1.2 requires, and an entry for each request.
fn assert_complete(har: &Value, requests: u64) {
    assert_eq!(har["log"]["version"], "1.2");
    assert_eq!(har["log"]["creator"]["name"], "platform-conformance");
    assert!(har["log"]["creator"]["version"].is_string());
    assert_eq!(u64::try_from(entries(har).len()).unwrap(), requests);
    for entry in entries(har) {
        let started_at = entry["startedDateTime"].as_str().unwrap();
        DateTime::parse_from_rfc3339(started_at).unwrap();
        let timings = &entry["timings"];
        let times = ["send", "wait", "receive"].map(|name| timings[name].as_f64().unwrap());
        assert!(times.iter().all(|time| *time >= 0.0), "{entry}");
        let all: f64 = times.iter().sum();
        assert!((entry["time"].as_f64().unwrap() - all).abs() < 1e-6, "{entry}");
        assert!(entry["cache"].is_object(), "{entry}");
        let (request, response) = (&entry["request"], &entry["response"]);
        for text in ["method", "url", "httpVersion"] {
            assert!(request[text].is_string(), "{text}: {entry}");
        }
        for text in ["statusText", "httpVersion", "redirectURL"] {
            assert!(response[text].is_string(), "{text}: {entry}");
        }
        for list in ["cookies", "headers"] {
            assert!(request[list].is_array() && response[list].is_array(), "{entry}");
        }
        assert!(request["queryString"].is_array(), "{entry}");
        for number in ["headersSize", "bodySize"] {
            assert!(request[number].is_i64() && response[number].is_i64(), "{entry}");
        }
        assert!(response["status"].is_u64(), "{entry}");
        let content = &response["content"];
        assert!(content["size"].is_u64() && content["mimeType"].is_string(), "{entry}");
    }
}

#[test]
fn every_request_is_recorded_with_its_case() {
    let directory = tempfile::tempdir().unwrap();
    let [har, json] = ["run.har", "report.json"].map(|name| directory.path().join(name));
    let output = program(&[
        "run",
        "--stub",
        "--only",
        "limit/*",
        "--record",
        har.to_str().unwrap(),
        "--report",
        &format!("json={}", json.display()),
    ]);
    assert!(output.status.success(), "{output:?}");
    let (har, report) = (read(&har), read(&json));
    assert_complete(&har, report["requests"].as_u64().unwrap());
    let of_case = |id: &str| {
        let entries = entries(&har).iter();
        u64::try_from(entries.filter(|entry| entry["_caseId"] == id).count()).unwrap()
    };
    for case in report["cases"].as_array().unwrap() {
        let sent = case["requests"].as_u64().unwrap();
        assert!(of_case(case["id"].as_str().unwrap()) >= sent, "{case}");
    }
    let zero = "limit/below-minimum-is-rejected";
    let rejected = entries(&har).iter().find(|entry| entry["_caseId"] == zero);
    let rejected = rejected.unwrap();
    let key = &rejected["request"]["headers"][0];
    assert_eq!(key["name"], "API-Key");
    assert_eq!(key["value"], "$PLATFORM_API_KEY");
    assert_eq!(rejected["request"]["queryString"][0]["name"], "limit");
    assert_eq!(rejected["response"]["status"], 422);
    assert_eq!(rejected["response"]["statusText"], "Unprocessable Entity");
    assert_eq!(rejected["response"]["content"]["mimeType"], "application/problem+json");
    let body = rejected["response"]["content"]["text"].as_str().unwrap();
    assert!(body.contains("validation_failed"), "{body}");
}

/// The report and the recording of a run.
async fn recorded(target: &Target, only: &[&str]) -> (Report, Value) {
    let only = only.iter().map(|pattern| (*pattern).into()).collect();
    let options = Options {
        only,
        ..Options::default()
    };
    recorded_with(target, options).await
}

async fn recorded_with(target: &Target, options: Options) -> (Report, Value) {
    let har = Arc::new(Har::begin(Vec::new()).unwrap());
    let options = Options {
        recorder: Some(Arc::clone(&har) as _),
        ..options
    };
    let report = run(catalogue(), target, &options, &mut Silent).await.unwrap();
    let har = serde_json::from_slice(&har.finish().unwrap()).unwrap();
    (report, har)
}

#[tokio::test]
async fn request_without_a_response_is_recorded_with_the_reason() {
    let key = ApiKey::new("secret-123", "PLATFORM_API_KEY").unwrap();
    let target = Target::new("http://127.0.0.1:9/").unwrap();
    let target = target.with_key(Role::FullAccess, key);
    let (report, har) = recorded(&target, &["limit/*"]).await;
    assert!(report.requests > 0);
    assert_complete(&har, report.requests);
    for entry in entries(&har) {
        assert_eq!(entry["response"]["status"], 0);
        let reason = entry["response"]["_error"].as_str().unwrap();
        assert!(reason.contains("refused"), "{reason}");
    }
}

#[tokio::test]
async fn interrupted_request_is_recorded_too() {
    let options = Options {
        only: vec!["limit/*".into()],
        ..Options::default()
    };
    let interrupt = options.interrupt.clone();
    let hang = move |request: Request, next: Next| {
        let interrupt = interrupt.clone();
        async move {
            if request.uri().query() == Some("limit=0") {
                interrupt.cancel();
                std::future::pending::<()>().await;
            }
            next.run(request).await
        }
    };
    let router = crate::served::router().layer(from_fn(hang));
    let (report, har) = recorded_with(&served::target(router).await, options).await;
    assert!(report.summary.interrupted);
    assert_complete(&har, report.requests);
    let is_left = |entry: &&Value| {
        entry["response"]["_error"] == "the run ended before the response"
            && entry["request"]["url"].as_str().unwrap().ends_with("?limit=0")
    };
    assert!(entries(&har).iter().any(|entry| is_left(&entry)), "{har:#}");
}

#[tokio::test]
async fn long_body_is_cut_and_cookie_is_omitted() {
    let body = "ä".repeat(RECORDED_BODY + 1);
    let router = Router::new().fallback(move || {
        let headers = [("Set-Cookie", "session=a-session-of-somebody")];
        let response = (StatusCode::BAD_REQUEST, headers, body.clone());
        async { response }
    });
    let target = served::target(router).await;
    let (report, har) = recorded(&target, &["limit/*"]).await;
    assert_complete(&har, report.requests);
    assert!(!har.to_string().contains("a-session-of-somebody"));
    let content = &entries(&har)[0]["response"]["content"];
    let text = content["text"].as_str().unwrap();
    assert_eq!(text.chars().count(), RECORDED_BODY);
    assert_eq!(content["_truncated"], true);
    assert_eq!(content["size"], 2 * (RECORDED_BODY + 1));
    let comment = content["comment"].as_str().unwrap();
    assert!(comment.contains(&format!("{RECORDED_BODY} characters")), "{comment}");
}

#[tokio::test]
async fn body_within_the_limit_is_recorded_whole() {
    let target = served::target(crate::served::router()).await;
    let (report, har) = recorded(&target, &["schema/list_items/*"]).await;
    assert_complete(&har, report.requests);
    let is_cut = |entry: &&Value| entry["response"]["content"]["_truncated"] == true;
    let (cut, mut whole): (Vec<_>, Vec<_>) = entries(&har).iter().partition(is_cut);
    // A product of the built-in data has a word that is the end of a key, which is hidden.
    whole.retain(|entry| entry["request"]["url"].as_str().unwrap().contains("/items"));
    assert!(!cut.is_empty() && !whole.is_empty());
    for content in whole.into_iter().map(|entry| &entry["response"]["content"]) {
        assert_eq!(
            content["text"].as_str().unwrap().len(),
            content["size"],
            "{}",
            content["text"]
        );
        assert_eq!(content["comment"], Value::Null);
    }
}

#[test]
fn unwritable_recording_is_reported_before_the_run() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("both");
    let file = file.to_str().unwrap();
    let report = format!("json={file}");
    let to_report = ["run", "--stub", "--record", file, "--report", &report];
    let nowhere = ["run", "--stub", "--record", "/no/such/directory/run.har"];
    for (arguments, said) in [
        (&to_report[..], "are the same file"),
        (
            &["run", "--stub", "--record", "-"][..],
            "cannot go to the standard output",
        ),
        (
            &nowhere[..],
            "the recording /no/such/directory/run.har cannot be written",
        ),
    ] {
        let output = program(arguments);
        assert_eq!(output.status.code(), Some(exit_code::USAGE.into()));
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(said), "{text}");
    }
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}
