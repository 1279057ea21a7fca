//! Only the run limits how long an item may take to become ready.

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
