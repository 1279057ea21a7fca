//! Questions are answered during a run: an order by their answers changes between two responses, and that fails no
//! case.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use chrono::{TimeZone, Utc};
use platform_conformance::report::Silent;
use platform_conformance::{Options, PipelineRole, Verdict, catalogue, run};
use platform_server_stub::Server;
use platform_server_stub::data::Dataset;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::ManualClock;

use super::growth::add;
use super::only;
use crate::served;

/// The case that compares a list in pages of a third with the whole list.
const CASE: &str = "sort/before-paging";
/// A pipeline with few items, and organizations that are not in it.
const PIPELINE: u64 = 2;
const ADDED: [u64; 4] = [1_050, 1_051, 1_052, 1_053];
/// Longer than any question of the reference server takes.
const LONG: Duration = Duration::from_secs(3_600);

/// A deployment whose pending questions are answered when the first sorted page of the pipeline is read that is not as
/// long as it can be. Returns also whether that happened.
async fn answering() -> (Router, Arc<AtomicBool>) {
    let clock = ManualClock::new(Utc.timestamp_opt(1_795_000_000, 0).unwrap());
    let platform = Platform::in_memory(Dataset::built_in(), Arc::new(clock.clone()));
    let router = Server::new(platform).router();
    for organization in ADDED {
        add(&router, PIPELINE, organization).await;
    }
    let is_answered = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&is_answered);
    let answers = move |request: Request, next: Next| {
        let (clock, flag) = (clock.clone(), Arc::clone(&flag));
        async move {
            let path = format!("/api/v1/pipelines/{PIPELINE}/items");
            let query = request.uri().query().unwrap_or_default();
            let is_short = query.contains("sort_by=") && !query.contains("limit=1000");
            if request.uri().path() == path && is_short && !flag.swap(true, Ordering::SeqCst) {
                clock.advance(LONG).await;
            }
            next.run(request).await
        }
    };
    (router.layer(from_fn(answers)), is_answered)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_by_answers_that_arrive_meanwhile_fails_no_case() {
    let (router, is_answered) = answering().await;
    let target = served::target(router)
        .await
        .with_pipeline(PipelineRole::ManyItems, PIPELINE);
    let options = Options {
        concurrency: 1,
        ..only(&[CASE])
    };
    let report = run(catalogue(), &target, &options, &mut Silent).await.unwrap();
    let case = report.case(CASE).unwrap();
    assert_eq!(case.verdict, Verdict::Passed, "{case:#?}");
    assert!(is_answered.load(Ordering::SeqCst));
    // A second look: the case alone reads each list twice.
    let alone = {
        let target = served::target(Server::built_in().router()).await;
        let report = run(catalogue(), &target, &options, &mut Silent).await.unwrap();
        report.case(CASE).unwrap().requests
    };
    assert!(case.requests > alone, "{} and {alone}", case.requests);
}
