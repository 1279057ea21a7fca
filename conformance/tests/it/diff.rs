//! `diff`: the differences between two reports or two profiles are reported, and nothing else.

use std::fs;
use std::process::Command;

use platform_conformance::diff::{Change, Compared, Diff, DiffError, markdown, terminal};
use platform_conformance::report::json;
use platform_conformance::selftest::Plant;
use platform_conformance::{Observed, Profile, Report, exit_code};

use crate::points::{but, clamped};
use crate::served;

async fn good(only: &[&str]) -> Report {
    served::run_on(crate::served::router(), only).await
}

async fn clamping(only: &[&str]) -> Report {
    served::run_on(but(&clamped()), only).await
}

fn kinds(diff: &Diff) -> Vec<(&str, Change)> {
    diff.cases.iter().map(|case| (case.id.as_str(), case.change)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn new_failures_and_new_passes_are_reported() {
    let (before, after) = (good(&["limit/*"]).await, clamping(&["limit/*"]).await);
    let over = "limit/over-maximum-is-rejected";
    let worse = Diff::of_reports(&before, &after);
    assert_eq!(kinds(&worse), [(over, Change::NewlyFailing)]);
    assert!(worse.cases[0].found[0].requests[0].contains("limit=1001"), "{worse:#?}");
    let better = Diff::of_reports(&after, &before);
    assert_eq!(kinds(&better), [(over, Change::NewlyPassing)]);
    assert_eq!(better.cases[0].found, []);
    assert!(!better.cases[0].gone.is_empty());
    for text in [terminal(&worse), markdown(&worse)] {
        for part in ["Newly failing (1)", over, "422 validation_failed", "1 newly failing"] {
            assert!(text.contains(part), "{part:?} is not in:\n{text}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_on_an_unchanged_deployment_do_not_differ() {
    let only = ["limit/*", "header/*", "schema/*"];
    let diff = Diff::of_reports(&clamping(&only).await, &clamping(&only).await);
    assert!(diff.is_empty(), "{diff:#?}");
    assert_eq!(diff.summary(), "no difference");
}

#[tokio::test(flavor = "multi_thread")]
async fn cases_of_only_one_report_are_new_or_gone() {
    let (before, after) = (
        good(&["limit/minimum-is-accepted", "limit/default-applies"]).await,
        good(&["limit/m*"]).await,
    );
    let diff = Diff::of_reports(&before, &after);
    assert_eq!(
        kinds(&diff),
        [
            ("limit/maximum-is-accepted", Change::New),
            ("limit/default-applies", Change::Gone)
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn case_that_fails_differently_is_reported() {
    let teapot = Plant::answer(|asked, answered| {
        if asked.number("limit") == Some(1001) {
            answered.becomes(400, "validation_failed");
        }
    });
    let only = ["limit/over-maximum-is-rejected"];
    let mut before = served::run_on(but(&teapot), &only).await;
    let after = before.clone();
    let finding = &mut before.cases[0].findings[0];
    finding.seen = "another record of many".to_owned();
    finding.times = 7;
    assert!(
        Diff::of_reports(&before, &after).is_empty(),
        "what a finding shows differs from run to run"
    );
    before.cases[0].findings[0].what = "the headers".to_owned();
    let diff = Diff::of_reports(&before, &after);
    assert_eq!(kinds(&diff), [(only[0], Change::OtherFindings)]);
    assert_eq!(diff.cases[0].gone[0].what, "the headers");
}

fn profile(behaviour: Option<&str>) -> Profile {
    let observed = Observed {
        question: "Where?".to_owned(),
        decisions: ["D15".to_owned()].into(),
        behaviour: behaviour.map(str::to_owned),
        value: serde_json::Value::Null,
        as_the_contract: behaviour.map(|name| name == "last"),
        unknown: None,
        requests: vec!["curl 'https://a.example/a|b'".to_owned()],
    };
    Profile {
        version: 1,
        kit_version: "0.1.0".to_owned(),
        contract_version: "1.0.0".to_owned(),
        base_url: "https://a.example/".to_owned(),
        points: [("sort-missing-values".to_owned(), observed)].into(),
    }
}

#[test]
fn points_with_different_behaviour_are_reported() {
    let (last, first, unknown) = (profile(Some("last")), profile(Some("first")), profile(None));
    assert!(Diff::of_profiles(&last, &last).is_empty());
    let diff = Diff::of_profiles(&last, &first);
    assert_eq!(diff.points[0].point, "sort-missing-values");
    for text in [terminal(&diff), markdown(&diff), diff.to_json()] {
        for part in ["sort-missing-values", "last", "first"] {
            assert!(text.contains(part), "{text}");
        }
    }
    let one_sided = Diff::of_profiles(&unknown, &first);
    assert!(
        one_sided.is_empty(),
        "a point that one profile does not know is not a difference"
    );
    assert_eq!(one_sided.not_compared, ["sort-missing-values"]);
    for text in [terminal(&one_sided), markdown(&one_sided)] {
        assert!(text.contains("Unknown in one of the two: "), "{text}");
    }
    let mut none = first.clone();
    none.points.clear();
    assert!(terminal(&Diff::of_profiles(&none, &first)).contains("not in the profile"));
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_and_profiles_are_recognized_by_their_content() {
    let mut report = Vec::new();
    json::write(&good(&["limit/minimum-is-accepted"]).await, &mut report).unwrap();
    let report = Compared::parse("r.json", std::str::from_utf8(&report).unwrap()).unwrap();
    let profile = Compared::parse("p.json", &profile(Some("last")).to_json()).unwrap();
    assert!(matches!(report, Compared::Report(_)) && matches!(profile, Compared::Profile(_)));
    assert!(matches!(Diff::between(&report, &profile), Err(DiffError::Kinds)));
    for text in ["", "{}", "[]", "{\"cases\": 1}"] {
        let error = Compared::parse("x.json", text).unwrap_err().to_string();
        assert!(
            error.contains("x.json is neither a JSON report") && error.contains("probe --out"),
            "{error}"
        );
    }
}

#[test]
fn exit_code_is_1_if_anything_differs() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, text: String| {
        let path = directory.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let (last, first) = (
        file("last.json", profile(Some("last")).to_json()),
        file("first.json", profile(Some("first")).to_json()),
    );
    let neither = file("neither.json", "{}".to_owned());
    let table: [(&[&str], u8); 7] = [
        (&[&last, &last], exit_code::PASSED),
        (&[&last, &first], exit_code::FAILED),
        (&[&last, &first, "--format", "json"], exit_code::FAILED),
        (&[&last, &first, "--format", "markdown"], exit_code::FAILED),
        (&[&last, &neither], exit_code::USAGE),
        (&[&last, "/nowhere.json"], exit_code::USAGE),
        (&[&last, &first, "--format", "pdf"], exit_code::USAGE),
    ];
    for (files, expected) in table {
        let mut program = Command::new(env!("CARGO_BIN_EXE_platform-conformance"));
        let output = program.arg("diff").args(files).output().unwrap();
        assert_eq!(output.status.code(), Some(expected.into()), "{files:?}: {output:?}");
        assert_eq!(output.stdout.is_empty(), expected == exit_code::USAGE, "{files:?}");
    }
}
