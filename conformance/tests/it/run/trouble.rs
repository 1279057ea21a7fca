//! Trouble on the way is not a failure, and a failure is steady only if it repeats.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use platform_conformance::{Options, Steadiness, Verdict, catalogue, exit_code};

use super::{asks_for, changed, is_list, only, run_on};

#[tokio::test]
async fn trouble_is_retried_and_reported() {
    // A body that ends before its length breaks the connection off.
    let router = changed(|number, request| {
        let broken = || {
            let chunks: [Result<&str, std::io::Error>; 2] =
                [Ok("{\"pipeline_id\":"), Err(std::io::Error::other("gone"))];
            let body = axum::body::Body::from_stream(futures::stream::iter(chunks));
            (StatusCode::OK, body).into_response()
        };
        (is_list(request) && number % 7 == 0).then(broken)
    });
    let report = run_on(router, &only(&["limit/*", "skip/*"])).await;
    assert_eq!(report.summary.passed, report.cases.len(), "{report:#?}");
    assert!(report.trouble.count > 0, "{:?}", report.trouble);
    let example = &report.trouble.examples[0];
    assert!(example.starts_with("GET /api/v1/pipelines/"), "{example}");
    assert_eq!(exit_code::of(&report.summary), exit_code::PASSED);
}

/// What a gateway in front of a deployment answers: an error of its own, or the page of a login.
fn gateway(status: StatusCode) -> Response {
    let page = "<html><h1>nginx</h1></html>";
    (status, [("Content-Type", "text/html")], page).into_response()
}

#[tokio::test]
async fn what_a_gateway_answers_now_and_then_is_asked_for_again() {
    for status in [StatusCode::BAD_GATEWAY, StatusCode::OK] {
        let router = changed(move |number, _| (number % 9 == 0).then(|| gateway(status)));
        let report = run_on(router, &only(&["limit/*", "skip/*", "schema/list_items/*"])).await;
        let failed = report.with(Verdict::Failed);
        assert!(failed.is_empty(), "{status}: {failed:?}");
        assert!(report.trouble.gateway > 0, "{:?}", report.trouble);
        let told = report.trouble.told().unwrap();
        assert!(told.contains("of a gateway"), "{told}");
    }
    // One that always answers is judged as the deployment, and the run stays short.
    let always = changed(|number, request| {
        (number > 40 && is_list(request)).then(|| gateway(StatusCode::BAD_GATEWAY))
    });
    let report = run_on(always, &only(&["limit/*"])).await;
    assert!(report.summary.failed > 0, "{:?}", report.summary);
    assert!(report.trouble.gateway < 20, "{:?}", report.trouble);
}

#[tokio::test]
async fn a_429_is_waited_for_and_never_a_failure() {
    let come_back = |seconds: &'static str| {
        move || (StatusCode::TOO_MANY_REQUESTS, [("Retry-After", seconds)]).into_response()
    };
    let now_and_then = changed(move |number, _| (number % 5 == 0).then(come_back("0")));
    let report = run_on(now_and_then, &only(&["limit/*"])).await;
    assert_eq!(report.summary.passed, report.cases.len(), "{report:#?}");
    assert!(report.trouble.waits > 0);
    // One that asks for an hour is not waited for.
    let after_discovery =
        changed(move |number, request| (number > 40 && is_list(request)).then(come_back("3600")));
    let report = run_on(after_discovery, &only(&["limit/*"])).await;
    assert_eq!(report.with(Verdict::Failed), Vec::<&str>::new());
    let reason = report.cases.iter().find_map(|case| case.reason.clone());
    assert!(reason.unwrap().contains("come back after 3600 s"));
}

/// Whether the same happens again is a matter of the request, not of what it is called.
#[tokio::test]
async fn another_fault_at_a_second_look_is_not_the_same_one() {
    let id = "paging/total-count-is-the-same-on-every-page";
    let counts = Arc::new(AtomicU64::new(0));
    let router = changed(move |number, request| {
        let is_page = number > 60 && is_list(request) && request.uri().query().is_some();
        // Another request of the walk each time.
        let turn = is_page.then(|| counts.fetch_add(1, Ordering::SeqCst))?;
        (turn == 3 || turn == 20).then(|| StatusCode::INTERNAL_SERVER_ERROR.into_response())
    });
    let report = run_on(router, &only(&[id])).await;
    let case = report.case(id).unwrap();
    assert_eq!(case.verdict, Verdict::Failed, "{case:#?}");
    assert_eq!(case.steadiness, Some(Steadiness::Flaky), "{case:#?}");
}

#[tokio::test]
async fn a_repeated_failure_is_steady_and_any_other_is_flaky() {
    let id = "limit/minimum-is-accepted";
    let exists = catalogue().into_iter().any(|case| case.id == id);
    assert!(exists, "{id}");
    let teapot = || StatusCode::IM_A_TEAPOT.into_response();
    let always = changed(move |_, request| asks_for(request, "limit=1").then(teapot));
    let report = run_on(always, &only(&[id])).await;
    let case = report.case(id).unwrap();
    assert_eq!(
        (case.verdict, case.steadiness),
        (Verdict::Failed, Some(Steadiness::Steady))
    );
    // The search for data calls every pipeline alike, and searches for products last.
    let (seen, begun) = (
        Arc::new(AtomicU64::new(0)),
        Arc::new(AtomicBool::new(false)),
    );
    let once = changed(move |_, request| {
        let uri = request.uri();
        if uri.path().contains("/products/")
            && uri.query().unwrap_or_default().contains("limit=100")
        {
            begun.store(true, Ordering::SeqCst);
        }
        let mine = begun.load(Ordering::SeqCst) && asks_for(request, "limit=1");
        (mine && seen.fetch_add(1, Ordering::SeqCst) == 0).then(teapot)
    });
    let report = run_on(once, &only(&[id, "schema/list_items/*"])).await;
    let case = report.case(id).unwrap();
    assert_eq!(
        (case.verdict, case.steadiness),
        (Verdict::Failed, Some(Steadiness::Flaky)),
        "{report:#?}"
    );
    let watching = report.case("schema/list_items/other-status").unwrap();
    assert_eq!(
        (watching.verdict, watching.steadiness),
        (Verdict::Failed, Some(Steadiness::Flaky))
    );
    assert_eq!(exit_code::of(&report.summary), exit_code::FAILED);
}

#[tokio::test]
async fn a_case_that_may_have_changed_something_is_not_repeated() {
    let posts = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&posts);
    let router = changed(move |_, request| {
        let adds = request.method() == Method::POST;
        adds.then(|| {
            counted.fetch_add(1, Ordering::SeqCst);
            StatusCode::CREATED.into_response()
        })
    });
    let options = Options {
        allow_writes: true,
        ..only(&["auth/*add_organization*"])
    };
    let report = run_on(router, &options).await;
    let failed: Vec<_> = report
        .cases
        .iter()
        .filter(|case| case.verdict == Verdict::Failed)
        .collect();
    assert!(!failed.is_empty());
    for case in &failed {
        assert_eq!(
            case.steadiness,
            Some(Steadiness::Unconfirmed),
            "{}",
            case.id
        );
    }
    let sent: u64 = report.cases.iter().map(|case| case.requests).sum();
    assert_eq!(posts.load(Ordering::SeqCst), sent, "each was sent once");
}
