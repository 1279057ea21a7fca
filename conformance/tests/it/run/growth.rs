//! Others use a deployment during a run: what they add or remove does not fail a case, and does not hide a fault.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use platform_conformance::report::Silent;
use platform_conformance::{Options, PipelineRole, Report, Steadiness, Verdict, catalogue, run};
use serde_json::Value;
use tower::ServiceExt;

use super::{asks_for, is_list, only};
use crate::served;
use platform_server_stub::Server;

/// Pipelines with few items, to which organizations can be added.
const PIPELINES: [u64; 2] = [2, 5];
/// The first organization that is added.
const FIRST: u64 = 1_050;

/// A deployment whose pipelines grow before some of the list requests that come after the search for data.
fn growing(deployment: Router, grows: impl Fn(&Request, u64) -> bool + Clone + Send + Sync + 'static) -> Router {
    let (requests, growths) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let adder = deployment.clone();
    let adds = move |request: Request, next: Next| {
        let (growths, adder) = (Arc::clone(&growths), adder.clone());
        let number = requests.fetch_add(u64::from(is_list(&request)), Ordering::SeqCst);
        // The search for data reads twenty pipelines, one by a word, and one that does not exist.
        let grows = is_list(&request) && number > 22 && grows(&request, number);
        async move {
            if grows {
                let organization = FIRST + growths.fetch_add(1, Ordering::SeqCst);
                for pipeline in PIPELINES {
                    add(&adder, pipeline, organization).await;
                }
            }
            next.run(request).await
        }
    };
    deployment.layer(from_fn(adds))
}

/// Before every nth list request.
fn every(nth: u64) -> impl Fn(&Request, u64) -> bool + Clone + Send + Sync + 'static {
    move |_, number| number.is_multiple_of(nth)
}

async fn add(deployment: &Router, pipeline: u64, organization: u64) {
    let body = Body::from(format!("{{\"organization_id\":{organization}}}"));
    let request = Request::builder()
        .method(Method::POST)
        .uri(format!("/api/v1/pipelines/{pipeline}/organizations"))
        .header("API-Key", "dev-full-access")
        .header("Content-Type", "application/json")
        .body(body)
        .unwrap();
    let added = deployment.clone().oneshot(request).await.unwrap();
    assert_eq!(added.status(), StatusCode::CREATED);
}

async fn run_on_growing(deployment: Router, patterns: &[&str]) -> Report {
    let target = served::target(deployment)
        .await
        .with_pipeline(PipelineRole::ManyItems, PIPELINES[0])
        .with_pipeline(PipelineRole::Other, PIPELINES[1]);
    // One request at a time, so that the data grows before the same requests in each run.
    let options = Options {
        concurrency: 1,
        ..only(patterns)
    };
    run(catalogue(), &target, &options, &mut Silent).await.unwrap()
}

/// Cases that compare responses.
const COMPARING: [&str; 3] = [
    "paging/repeated-read-is-the-same",
    "paging/total-count-is-the-same-on-every-page",
    "sort/default-order-is-ascending",
];

/// Asserts that nothing failed, and lists the failures.
fn assert_nothing_failed(report: &Report) {
    let failed = report.cases.iter();
    let failed = failed.filter(|case| case.verdict == Verdict::Failed);
    let wrong: Vec<_> = failed.map(|case| (&case.id, &case.findings)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn data_that_grows_occasionally_is_checked_again() {
    let router = Server::built_in().router();
    // One of the cases compares what it read before and after this request.
    let asked = Arc::new(AtomicU64::new(0));
    let once = move |request: &Request, _| asks_for(request, "limit=50") && asked.fetch_add(1, Ordering::SeqCst) == 1;
    let report = run_on_growing(growing(router, once), &COMPARING).await;
    let passed = report.with(Verdict::Passed);
    assert_eq!(passed.len(), COMPARING.len(), "{report:#?}");
    assert_eq!(report.trouble.grown, 1, "{:?}", report.trouble);
    let summary = report.trouble.summary().unwrap();
    assert!(summary.contains("had changed"), "{summary}");
}

#[tokio::test(flavor = "multi_thread")]
async fn data_that_always_grows_is_inconclusive() {
    let router = Server::built_in().router();
    let report = run_on_growing(growing(router, every(1)), &COMPARING).await;
    assert_nothing_failed(&report);
    let changed = |reason: &str| reason.starts_with("the data changed during every check");
    let mut reasons = report.cases.iter().filter_map(|case| case.reason.as_deref());
    assert!(reasons.any(changed), "{report:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn growth_does_not_hide_failures() {
    for nth in [1, 9] {
        let teapot = |request: &Request| asks_for(request, "limit=1").then(|| StatusCode::IM_A_TEAPOT.into_response());
        let id = "limit/minimum-is-accepted";
        let router = growing(served::except(teapot), every(nth));
        let report = run_on_growing(router, &[id]).await;
        let case = report.case(id).unwrap();
        let steady = (Verdict::Failed, Some(Steadiness::Steady));
        assert_eq!((case.verdict, case.steadiness), steady, "{case:#?}");
    }
}

/// A deployment whose data is replaced by a part of it, before this request after the search for data.
fn shrinking(is_changed_by: &'static str) -> Router {
    let (before, after) = (Server::built_in().router(), served::router());
    let (searched, has_shrunk) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let route = move |request: Request| {
        let query = request.uri().query().unwrap_or_default();
        let begun = searched.fetch_add(1, Ordering::SeqCst) > 60;
        if begun && query.contains(is_changed_by) {
            has_shrunk.store(1, Ordering::SeqCst);
        }
        let served = match has_shrunk.load(Ordering::SeqCst) {
            0 => before.clone(),
            _ => after.clone(),
        };
        async move { served.oneshot(request).await }
    };
    Router::new().fallback(route)
}

/// What is known of the deployment when the run begins is gone, too: organizations, and items of pipelines.
#[tokio::test(flavor = "multi_thread")]
async fn shrinking_data_is_explored_and_checked_again() {
    let options = Options {
        concurrency: 1,
        ..only(&["paging/*", "item/*", "search-ranking/*", "search-total/*"])
    };
    let target = served::target(shrinking("skip=100")).await;
    let report = run(catalogue(), &target, &options, &mut Silent).await.unwrap();
    assert_nothing_failed(&report);
    assert!(report.trouble.grown > 0, "{:?}", report.trouble);
    assert!(report.summary.passed > 50, "{:?}", report.summary);
}

/// A service in which someone else adds to the writable pipeline before every list request and before every addition.
fn writable_grows(deployment: Router) -> Router {
    let number = Arc::new(AtomicU64::new(0));
    let adder = deployment.clone();
    let adds = move |request: Request, next: Next| {
        let (number, adder) = (Arc::clone(&number), adder.clone());
        async move {
            if is_list(&request) || request.method() == Method::POST {
                let number = number.fetch_add(1, Ordering::SeqCst);
                add(&adder, WRITABLE, FIRST + number).await;
            }
            next.run(request).await
        }
    };
    deployment.layer(from_fn(adds))
}

/// The writable pipeline of the built-in data.
const WRITABLE: u64 = 6;

/// Cases that compare the number of items before and after their requests.
const COUNTING: [&str; 5] = [
    "add/appears-in-the-list",
    "add/at-most-once",
    "add/at-once-exactly-one",
    "add/not-an-object",
    "add/other-type-is-rejected",
];

#[tokio::test(flavor = "multi_thread")]
async fn additions_of_others_do_not_fail_cases_of_adding() {
    let router = writable_grows(Server::built_in().router());
    let report = served::run_on(router, &COUNTING).await;
    assert_nothing_failed(&report);
    assert_eq!(report.with(Verdict::Passed).len(), COUNTING.len(), "{report:#?}");
    assert!(report.trouble.grown > 0, "{:?}", report.trouble);
}

#[tokio::test(flavor = "multi_thread")]
async fn additions_of_others_do_not_hide_a_wrong_total() {
    let rejected = Arc::new(AtomicU64::new(0));
    // Each rejected addition is counted too.
    let counts = move |request: Request, next: Next| {
        let rejected = Arc::clone(&rejected);
        async move {
            let counts = is_list(&request);
            let response = next.run(request).await;
            match response.status() {
                StatusCode::CONFLICT => drop(rejected.fetch_add(1, Ordering::SeqCst)),
                StatusCode::OK if counts => {
                    let extra = rejected.load(Ordering::SeqCst);
                    return with_a_larger_total(response, extra).await;
                }
                _ => {}
            }
            response
        }
    };
    let deployment = Server::built_in().router().layer(from_fn(counts));
    let id = "add/at-most-once";
    let report = served::run_on(writable_grows(deployment), &[id]).await;
    assert_eq!(report.case(id).unwrap().verdict, Verdict::Failed, "{report:#?}");
}

/// A service in which someone else adds the organization of every addition first, as often as `times`.
fn others_are_first(deployment: Router, times: u64) -> Router {
    let adder = deployment.clone();
    let number = Arc::new(AtomicU64::new(0));
    let adds = move |request: Request, next: Next| {
        let (number, adder) = (Arc::clone(&number), adder.clone());
        async move {
            if request.method() != Method::POST || number.fetch_add(1, Ordering::SeqCst) >= times {
                return next.run(request).await;
            }
            let (parts, body) = request.into_parts();
            let body = to_bytes(body, usize::MAX).await.unwrap();
            let copy = || Request::from_parts(parts.clone(), Body::from(body.clone()));
            drop(adder.oneshot(copy()).await.unwrap());
            next.run(copy()).await
        }
    };
    deployment.layer(from_fn(adds))
}

/// Cases that add one organization each.
const ADDING: [&str; 4] = [
    "add/others-stay",
    "add/created",
    "add/location-names-the-values",
    "add/appears-in-the-list",
];

#[tokio::test(flavor = "multi_thread")]
async fn organization_that_others_added_first_fails_no_case() {
    let router = others_are_first(Server::built_in().router(), 2);
    let report = served::run_on(router, &ADDING).await;
    assert_nothing_failed(&report);
    assert_eq!(report.with(Verdict::Inconclusive).len(), 2, "{report:#?}");
    assert!(report.trouble.grown > 0, "{:?}", report.trouble);
    let first = report.case("add/others-stay").unwrap();
    let reason = first.reason.as_deref().unwrap();
    assert!(reason.starts_with("others added the organization "), "{reason}");
}

/// Nobody is first each time: a deployment that adds and responds with a 409 is wrong.
#[tokio::test(flavor = "multi_thread")]
async fn addition_with_a_409_fails() {
    let router = others_are_first(Server::built_in().router(), u64::MAX);
    let report = served::run_on(router, &ADDING).await;
    assert_eq!(report.with(Verdict::Failed).len(), 2, "{report:#?}");
}

async fn with_a_larger_total(response: Response, extra: u64) -> Response {
    let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    let mut page: Value = serde_json::from_slice(&body).unwrap();
    let total = page["total_count"].as_u64().unwrap();
    page["total_count"] = (total + extra).into();
    Json(page).into_response()
}
