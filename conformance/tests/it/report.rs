//! Reports: the JSON report fits its schema, and the terminal shows everything needed to act.

use std::collections::BTreeSet;

use axum::Router;
use axum::http::StatusCode;
use expect_test::expect_file;
use platform_conformance::report::terminal::Terminal;
use platform_conformance::report::{Format, json};
use platform_conformance::{Contract, Options, Report, catalogue, run};
use serde_json::Value;

use crate::served;

/// A report in this format.
pub(crate) fn written(format: Format, report: &Report) -> String {
    let mut text = Vec::new();
    format.write(report, Contract::bundled(), &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn nothing_works() -> Router {
    Router::new().fallback(|| async { (StatusCode::IM_A_TEAPOT, "no") })
}

fn assert_fits(report: &Report) -> Value {
    let validator = jsonschema::validator_for(&json::schema()).unwrap();
    let report = serde_json::to_value(report).unwrap();
    let errors: Vec<_> = validator.iter_errors(&report).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    report
}

#[tokio::test]
async fn report_fits_its_schema() {
    let good = served::run_on(crate::served::router(), &["limit/*", "schema/list_items/*"]).await;
    let report = assert_fits(&good);
    let summary: BTreeSet<_> = report["summary"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        summary,
        BTreeSet::from([
            "left_out",
            "unmet",
            "passed",
            "failed",
            "known",
            "informed",
            "skipped",
            "inconclusive",
            "errored",
            "stale",
            "interrupted",
            "rules"
        ])
    );
    let case = &report["cases"][0];
    assert!(case["id"].is_string() && case["verdict"] == "passed", "{case}");
    assert!(case["basis"] == "stated" || case["basis"] == "decided", "{case}");
    assert_fits(&served::run_on(nothing_works(), &["header/*", "schema/*"]).await);
}

/// Programs read reports by this schema: increment `REPORT_VERSION` when a field is removed or changes its
/// meaning. Then run `UPDATE_EXPECT=1 cargo test -p platform-conformance --test it report::`.
#[test]
fn schema_is_published() {
    expect_file!["../../report.schema.json"].assert_eq(&format!("{:#}\n", json::schema()));
}

#[test]
fn schema_rejects_an_empty_report() {
    let validator = jsonschema::validator_for(&json::schema()).unwrap();
    assert!(!validator.is_valid(&serde_json::json!({"summary": {}, "cases": []})));
}

#[tokio::test]
async fn failure_is_shown_with_clause_and_command() {
    let target = served::target(nothing_works()).await;
    let options = Options {
        only: vec!["header/unknown-route".into()],
        ..Options::default()
    };
    let mut shown = Vec::new();
    run(catalogue(), &target, &options, &mut Terminal::new(&mut shown, None))
        .await
        .unwrap();
    let plain = anstream::adapter::strip_str(std::str::from_utf8(&shown).unwrap()).to_string();
    for part in [
        "failed  header/unknown-route",
        "An unknown route is rejected with 404 and the code route_not_found",
        "expected  404 route_not_found",
        "seen      418 no",
        "-no-such-route-5f3a9c' -H \"API-Key: $PLATFORM_API_KEY\"",
        "1 failed",
    ] {
        assert!(plain.contains(part), "{part:?} is not in:\n{plain}");
    }
    assert!(
        !plain.contains('\r'),
        "a line was overwritten without a terminal:\n{plain}"
    );
}
