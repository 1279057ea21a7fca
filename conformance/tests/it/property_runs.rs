//! Property runs: the same for the same seed, without failures on a deployment that follows the contract, and reduced
//! to the requests that show a fault.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use platform_conformance::report::Silent;
use platform_conformance::selftest::Plant;
use platform_conformance::{Options, Report, Verdict, catalogue, run};
use platform_server_stub::Server;
use serde_json::json;

use crate::served;

async fn run_cases(router: Router, only: &str, seed: u64, property_runs: u64) -> Report {
    let options = Options {
        allow_writes: true,
        only: vec![only.into()],
        seed,
        property_runs,
        ..Options::default()
    };
    let target = served::target(router).await;
    run(catalogue(), &target, &options, &mut Silent).await.unwrap()
}

/// Returns the requests and the finding of the only failed case.
fn shown(report: &Report) -> (Vec<String>, String) {
    let failed: Vec<_> = report
        .cases
        .iter()
        .filter(|case| case.verdict == Verdict::Failed)
        .collect();
    let [case] = failed[..] else {
        panic!("{:?}", report.with(Verdict::Failed));
    };
    let finding = case.findings.first().unwrap();
    (finding.requests.clone(), finding.what.clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn property_runs_on_the_reference_server_find_no_failure() {
    let server = Server::built_in();
    for seed in [0, u64::MAX] {
        let report = run_cases(server.router(), "law/*", seed, 12).await;
        assert_eq!(report.seed, seed);
        for case in &report.cases {
            assert_eq!(case.verdict, Verdict::Passed, "seed {seed}: {case:#?}");
        }
    }
}

/// Every request of a run, sorted, because cases run concurrently.
async fn sent(seed: u64) -> Vec<String> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sees = Arc::clone(&seen);
    let plant = Plant::request(move |asked| {
        let body = String::from_utf8_lossy(&asked.body).into_owned();
        let line = format!("{} {}?{} {body}", asked.method, asked.path, asked.query);
        sees.lock().unwrap().push(line);
    });
    run_cases(plant.around(crate::served::router()), "law/*", seed, 8).await;
    let mut seen = std::mem::take(&mut *seen.lock().unwrap());
    seen.sort();
    seen
}

#[tokio::test(flavor = "multi_thread")]
async fn same_seed_sends_the_same_requests() {
    let first = sent(7).await;
    assert!(first.len() > 300, "{}", first.len());
    assert_eq!(first, sent(7).await);
    assert_ne!(first, sent(8).await);
}

/// A descending list is remembered, and the next list without an order is descending too. Two requests are needed to
/// show it.
#[tokio::test(flavor = "multi_thread")]
async fn failure_between_two_requests_is_shown_by_both() {
    let was_descending = AtomicBool::new(false);
    let plant = Plant::request(move |asked| {
        if !asked.calls("list_items") {
            return;
        }
        match asked.parameter("sort_order") {
            Some(order) => was_descending.store(order == "desc", Ordering::Relaxed),
            None if was_descending.load(Ordering::Relaxed) => asked.set("sort_order", "desc"),
            None => {}
        }
    });
    let report = run_cases(plant.around(crate::served::router()), "law/random-pages-agree", 0, 100).await;
    let (requests, what) = shown(&report);
    assert_eq!(requests.len(), 2, "{what}\n{requests:#?}");
    assert!(requests[0].contains("sort_order=desc"), "{requests:#?}");
    assert!(!requests[1].contains("sort_order"), "{requests:#?}");
    assert!(what.contains("of seed 0"), "{what}");
}

/// One page shows the fault, and only the relevant parameters remain.
#[tokio::test(flavor = "multi_thread")]
async fn failure_of_one_request_is_shown_by_it_alone() {
    let plant = Plant::answer(|asked, answered| {
        let is_wide = asked.number("limit").is_some_and(|limit| limit > 7);
        if asked.calls("list_items") && is_wide {
            answered.list("items").map(Vec::pop);
        }
    });
    let report = run_cases(plant.around(crate::served::router()), "law/random-pages-agree", 3, 100).await;
    let (requests, what) = shown(&report);
    let [request] = &requests[..] else {
        panic!("{what}\n{requests:#?}");
    };
    assert!(request.contains("skip=0&limit=8'"), "{request}");
    assert!(!request.contains("sort"), "{request}");
}

/// A filter that is ignored in combination with another: the property run is reduced to the page with both.
#[tokio::test(flavor = "multi_thread")]
async fn shrinking_keeps_only_filters_that_fail_together() {
    let plant = Plant::request(|asked| {
        if asked.parameter("countries").is_some() && asked.parameter("founded_year_min").is_some() {
            asked.remove("founded_year_min");
        }
    });
    let report = run_cases(
        plant.around(Server::built_in().router()),
        "law/random-searches-agree/search_organizations_by_organization",
        0,
        100,
    )
    .await;
    let (requests, what) = shown(&report);
    let [request] = &requests[..] else {
        panic!("{what}\n{requests:#?}");
    };
    let (_, query) = request.split_once('?').unwrap();
    let names: Vec<_> = query.split('&').map(|pair| pair.split('=').next()).collect();
    assert_eq!(names.len(), 4, "{request}");
}

/// A request that crashes the server is found and shown as it was sent.
#[tokio::test(flavor = "multi_thread")]
async fn input_that_crashes_the_server_is_shown() {
    let plant = Plant::answer(|asked, answered| {
        if asked.query.contains("%00") {
            answered.becomes(500, "internal_error");
        }
    });
    let report = run_cases(
        plant.around(crate::served::router()),
        "law/hostile-input-is-answered-as-foreseen/search_products_by_description",
        0,
        300,
    )
    .await;
    let (requests, _) = shown(&report);
    assert_eq!(requests.len(), 1, "{requests:#?}");
    assert!(requests[0].contains("%00"), "{requests:#?}");
}

/// A body that is rejected for the wrong reason.
#[tokio::test(flavor = "multi_thread")]
async fn differently_rejected_body_is_shown() {
    let plant = Plant::answer(|asked, answered| {
        if asked.calls("add_organization") && asked.json()["organization_id"].is_string() {
            answered.becomes(404, "organization_not_found");
        }
    });
    let report = run_cases(
        plant.around(crate::served::router()),
        "law/hostile-input-is-answered-as-foreseen/add_organization",
        1,
        500,
    )
    .await;
    let (requests, what) = shown(&report);
    assert_eq!(requests.len(), 1, "{what}\n{requests:#?}");
    assert!(
        requests[0].contains(&json!({"organization_id": "8006399337547544"}).to_string()),
        "{requests:#?}"
    );
}
