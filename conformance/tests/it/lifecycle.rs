//! How long an item may take to become ready, which only the run limits, and what becomes of it afterwards.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use platform_conformance::report::Silent;
use platform_conformance::selftest::Plant;
use platform_conformance::{Level, Options, Report, Verdict, catalogue, run};
use serde_json::json;

use crate::served;

/// Runs the case that waits for an item, on a deployment where none becomes ready.
async fn never_ready(ready_within: Duration, level: Level) -> Report {
    let plant = Plant::answer(|asked, answered| {
        if asked.calls("get_item_status") && answered.is_success() {
            answered.json()["platform_entity_data_ready"] = json!(false);
            answered.json()["is_ready"] = json!(false);
        }
    });
    let target = served::target(plant.around(crate::served::router())).await;
    let options = Options {
        allow_writes: true,
        only: vec!["add/becomes-ready".into()],
        ready_within: Some(ready_within),
        level,
        ..Options::default()
    };
    run(catalogue(), &target, &options, &mut Silent).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn item_not_ready_in_time_fails_at_either_level() {
    for level in [Level::Contract, Level::Stated] {
        let report = never_ready(Duration::from_secs(1), level).await;
        assert_eq!(report.with(Verdict::Failed), ["add/becomes-ready"]);
        let finding = &report.cases[0].findings[0];
        assert_eq!(finding.what, "the time until the item is ready");
        assert_eq!(finding.expected, "at most 1 seconds, the limit of this run");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn item_ready_in_time_passes() {
    let target = served::target(crate::served::router()).await;
    let options = Options {
        allow_writes: true,
        only: vec!["add/becomes-ready".into()],
        ready_within: Some(Duration::from_secs(60)),
        ..Options::default()
    };
    let report = run(catalogue(), &target, &options, &mut Silent).await.unwrap();
    assert_eq!(report.with(Verdict::Passed), ["add/becomes-ready"]);
}

/// What was ready is read once more when the other cases are done: here questions are asked again when others come.
#[tokio::test(flavor = "multi_thread")]
async fn item_that_changes_after_its_case_fails_at_the_end() {
    let newest = AtomicI64::new(0);
    let plant = Plant::answer(move |asked, answered| {
        if asked.segment(3) != "6" || !answered.is_success() {
            return;
        }
        let id = answered.json()["pipeline_item_id"].as_i64().unwrap_or_default();
        if asked.calls("add_organization") {
            newest.fetch_max(id, Ordering::Relaxed);
        } else if asked.calls("get_item_values") && id + 2 < newest.load(Ordering::Relaxed) {
            answered.entries(|column, entry| {
                if column.starts_with("question.") {
                    entry["status"] = json!("pending");
                }
            });
        }
    });
    let target = served::target(plant.around(crate::served::router())).await;
    let last = "add/ready-items-stay-to-the-end";
    let mut cases = catalogue();
    cases.sort_by_key(|case| case.id != last);
    let options = Options {
        allow_writes: true,
        only: [last, "add/becomes-ready", "add/all-become-ready"]
            .map(Into::into)
            .into(),
        ..Options::default()
    };
    let report = run(cases, &target, &options, &mut Silent).await.unwrap();
    assert_eq!(report.with(Verdict::Failed), [last]);
    let finding = &report.case(last).unwrap().findings[0];
    assert!(finding.what.starts_with("the status of question."), "{finding}");
}
