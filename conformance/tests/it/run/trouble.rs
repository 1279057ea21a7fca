//! Trouble on the way is not a failure, and a failure is steady only if it repeats.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use engine::clock::Clock as _;
use platform_conformance::report::Silent;
use platform_conformance::{Level, Options, Steadiness, Verdict, catalogue, exit_code};

use super::{asks_for, changed, is_list, only, run_on, run_without_waiting};
use crate::served::{self, SkippedTime, run_on_clock};

#[tokio::test]
async fn trouble_is_retried_and_reported() {
    // A body that ends before its announced length breaks the connection.
    let router = changed(|number, request| {
        let broken = || {
            let chunks: [Result<&str, std::io::Error>; 2] =
                [Ok("{\"pipeline_id\":"), Err(std::io::Error::other("gone"))];
            let body = axum::body::Body::from_stream(futures::stream::iter(chunks));
            (StatusCode::OK, body).into_response()
        };
        (is_list(request) && number % 7 == 0).then(broken)
    });
    let report = run_without_waiting(router, &only(&["limit/*", "skip/*"])).await;
    assert_eq!(report.summary.passed, report.cases.len(), "{report:#?}");
    assert!(report.trouble.count > 0, "{:?}", report.trouble);
    let example = &report.trouble.examples[0];
    assert!(example.starts_with("GET /api/v1/pipelines/"), "{example}");
    assert_eq!(exit_code::of(&report.summary), exit_code::PASSED);
}

/// The response of a gateway in front of a deployment: its own error, or a login page.
fn gateway(status: StatusCode) -> Response {
    let page = "<html><h1>nginx</h1></html>";
    (status, [("Content-Type", "text/html")], page).into_response()
}

#[tokio::test]
async fn occasional_gateway_responses_are_retried() {
    for status in [StatusCode::BAD_GATEWAY, StatusCode::OK] {
        let router = changed(move |number, _| (number % 9 == 0).then(|| gateway(status)));
        let report = run_without_waiting(router, &only(&["limit/*", "skip/*", "schema/list_items/*"])).await;
        let failed = report.with(Verdict::Failed);
        assert!(failed.is_empty(), "{status}: {failed:?}");
        assert!(report.trouble.gateway > 0, "{:?}", report.trouble);
        let summary = report.trouble.summary().unwrap();
        assert!(summary.contains("from a gateway"), "{summary}");
    }
    // A server that does not know OPTIONS sends a page as well, and is not asked again.
    let plain =
        changed(|_, request| (request.method() == Method::OPTIONS).then(|| gateway(StatusCode::NOT_IMPLEMENTED)));
    let report = run_without_waiting(plain, &only(&["header/options-*"])).await;
    assert!(report.summary.failed > 0, "{:?}", report.summary);
    assert_eq!(report.trouble.gateway, 0, "{:?}", report.trouble);
    // A gateway that always answers counts as the deployment, and the run stays short.
    let always = changed(|number, request| (number > 40 && is_list(request)).then(|| gateway(StatusCode::BAD_GATEWAY)));
    let report = run_without_waiting(always, &only(&["limit/*"])).await;
    assert!(report.summary.failed > 0, "{:?}", report.summary);
    assert!(report.trouble.gateway < 20, "{:?}", report.trouble);
}

/// The reference server behind a framework that sends its own page with each 4xx of the given statuses.
fn with_pages(has_page: fn(StatusCode) -> bool) -> Router {
    let page = move |request: Request, next: Next| async move {
        let response = next.run(request).await;
        match has_page(response.status()) {
            true => gateway(response.status()),
            false => response,
        }
    };
    served::router().layer(from_fn(page))
}

/// A page with a 4xx is the deployment's answer: another attempt gets the same.
#[tokio::test]
async fn page_with_a_4xx_is_judged_and_not_retried() {
    let patterns = ["limit/*", "skip/*", "error/*", "auth/*", "schema/list_items/*"];
    let all = |status: StatusCode| status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS;
    let report = run_without_waiting(with_pages(all), &only(&patterns)).await;
    assert_eq!(report.trouble.gateway, 0, "{:?}", report.trouble);
    let failed = report.with(Verdict::Failed);
    for id in ["limit/below-minimum-is-rejected", "schema/list_items/404"] {
        assert!(failed.contains(&id), "{id}: {failed:?}");
    }
    // The form of an error is decided, its status may be stated.
    let options = Options {
        level: Level::Stated,
        ..only(&patterns)
    };
    let report = run_without_waiting(with_pages(all), &options).await;
    assert_eq!(report.with(Verdict::Failed), Vec::<&str>::new(), "{report:#?}");
    assert!(report.summary.informed > 0, "{:?}", report.summary);
}

/// A firewall in front of a deployment rejects some requests.
#[tokio::test]
async fn page_with_a_403_or_429_is_not_trouble_of_a_gateway() {
    let firewall = changed(|_, request| asks_for(request, "limit=0").then(|| gateway(StatusCode::FORBIDDEN)));
    let id = "limit/below-minimum-is-rejected";
    let report = run_without_waiting(firewall, &only(&[id])).await;
    assert_eq!(report.with(Verdict::Failed), [id]);
    assert_eq!(report.trouble.gateway, 0, "{:?}", report.trouble);
    let throttle = changed(|number, _| (number % 9 == 0).then(|| gateway(StatusCode::TOO_MANY_REQUESTS)));
    let report = run_without_waiting(throttle, &only(&["limit/*"])).await;
    assert_eq!(report.with(Verdict::Failed), Vec::<&str>::new());
    assert_eq!(report.trouble.gateway, 0, "{:?}", report.trouble);
    assert!(report.trouble.waits > 0, "{:?}", report.trouble);
}

#[tokio::test]
async fn occasional_503_is_trouble_and_repeated_503_is_a_failure() {
    let unavailable = || {
        let problem = r#"{"type":"about:blank","title":"Unavailable","status":503,"code":"unavailable","detail":"Later.",
            "request_id":"a","errors":[]}"#;
        let headers = [("Content-Type", "application/problem+json"), ("Retry-After", "1")];
        (StatusCode::SERVICE_UNAVAILABLE, headers, problem).into_response()
    };
    let router = changed(move |number, _| (number % 9 == 0).then(unavailable));
    let report = run_without_waiting(router, &only(&["limit/*", "skip/*", "schema/list_items/*"])).await;
    assert_eq!(report.with(Verdict::Failed), Vec::<&str>::new());
    assert!(report.trouble.gateway > 0, "{:?}", report.trouble);
    assert!(report.trouble.summary().unwrap().contains("after a 503"));
    let one = changed(move |_, request| {
        request
            .uri()
            .query()
            .is_some_and(|it| it == "limit=1000")
            .then(unavailable)
    });
    let report = run_without_waiting(one, &only(&["limit/maximum-is-accepted"])).await;
    assert_eq!(report.with(Verdict::Failed), ["limit/maximum-is-accepted"]);
}

#[tokio::test]
async fn status_429_is_waited_for_and_never_a_failure() {
    let come_back =
        |seconds: &'static str| move || (StatusCode::TOO_MANY_REQUESTS, [("Retry-After", seconds)]).into_response();
    let now_and_then = changed(move |number, _| (number % 5 == 0).then(come_back("0")));
    let report = run_on(now_and_then, &only(&["limit/*"])).await;
    assert_eq!(report.summary.passed, report.cases.len(), "{report:#?}");
    assert!(report.trouble.waits > 0);
    // If the response asks for an hour, the run does not wait.
    let after_discovery = changed(move |number, request| (number > 40 && is_list(request)).then(come_back("3600")));
    let report = run_on(after_discovery, &only(&["limit/*"])).await;
    assert_eq!(report.with(Verdict::Failed), Vec::<&str>::new());
    let reason = report.cases.iter().find_map(|case| case.reason.clone());
    assert!(reason.unwrap().contains("retry after 3600 s"));
}

/// How long to wait is not stated, so a 429 that does not say it is a fault of the 429 alone.
#[tokio::test]
async fn status_429_without_a_wait_slows_the_run_and_is_one_failure() {
    let clock = Arc::new(SkippedTime::default());
    let router = with_quota(&clock, 10, || StatusCode::TOO_MANY_REQUESTS.into_response());
    let options = only(&["limit/*", "skip/*", "schema/list_items/429"]);
    let report = run_on_clock(clock, &served::target(router).await, &options, &mut Silent).await;
    assert_eq!(report.with(Verdict::Failed), ["schema/list_items/429"], "{report:#?}");
    assert_eq!(report.summary.passed, report.cases.len() - 1, "{report:#?}");
    let waits = report.trouble.waits;
    assert!((1..=20).contains(&waits), "{waits} of {}", report.requests);
}

#[tokio::test]
async fn exhausted_quota_ends_the_run() {
    let never = changed(|number, _| (number > 40).then(|| StatusCode::TOO_MANY_REQUESTS.into_response()));
    let report = run_without_waiting(never, &only(&["limit/*", "search-limit/*"])).await;
    assert_eq!(report.with(Verdict::Failed), Vec::<&str>::new());
    assert!(report.trouble.waits < 60, "{:?}", report.trouble);
    let reasons: Vec<_> = report.cases.iter().filter_map(|case| case.reason.as_deref()).collect();
    let is_said = reasons
        .iter()
        .any(|reason| reason.starts_with("the quota is used up: "));
    assert!(is_said, "{reasons:#?}");
    assert_eq!(exit_code::of(&report.summary), exit_code::COULD_NOT_RUN);
}

/// A 429 that asks to come back after a second.
fn in_a_second() -> Response {
    (StatusCode::TOO_MANY_REQUESTS, [("Retry-After", "1")]).into_response()
}

/// The reference server, which turns away all but some requests in each second.
fn with_quota(clock: &Arc<SkippedTime>, quota: u32, turns_away: fn() -> Response) -> Router {
    let clock = Arc::clone(clock);
    let second = Arc::new(Mutex::new((Duration::ZERO, 0_u32)));
    changed(move |_, _| {
        let mut second = second.lock().unwrap();
        if clock.elapsed() >= second.0 + Duration::from_secs(1) {
            *second = (clock.elapsed(), 0);
        }
        second.1 += 1;
        (second.1 > quota).then(turns_away)
    })
}

#[tokio::test]
async fn rate_falls_to_the_quota() {
    let clock = Arc::new(SkippedTime::default());
    let router = with_quota(&clock, 10, in_a_second);
    let options = only(&["limit/*", "skip/*"]);
    let report = run_on_clock(clock, &served::target(router).await, &options, &mut Silent).await;
    assert_eq!(report.summary.passed, report.cases.len(), "{report:#?}");
    let waits = report.trouble.waits;
    // The rate rises until it exceeds the quota again, some requests at once.
    assert!((1..=24).contains(&waits), "{waits} of {}", report.requests);
}

/// Nothing waits for a turn that it could not use.
#[tokio::test]
async fn run_ends_with_its_last_request() {
    let options = Options {
        rate: Some("1/s".parse().unwrap()),
        max_requests: Some(2),
        ..only(&["limit/*"])
    };
    let start = std::time::Instant::now();
    let report = run_on(served::router(), &options).await;
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(report.requests, 2);
    let reason = "the limit of 2 requests for the run is reached";
    for case in &report.cases {
        assert_eq!(case.reason.as_deref(), Some(reason), "{case:#?}");
    }
}

/// A deployment with paths that never respond.
fn hanging(hangs: fn(&str) -> bool) -> Router {
    let hang = move |request: Request, next: Next| async move {
        if hangs(request.uri().path()) {
            std::future::pending::<()>().await;
        }
        next.run(request).await
    };
    crate::served::router().layer(from_fn(hang))
}

#[tokio::test]
async fn hanging_pipeline_affects_only_cases_that_need_it() {
    let options = Options {
        timeout: Duration::from_secs(1),
        ..only(&["limit/*", "search-limit/*"])
    };
    // A pipeline that the target does not name.
    let other = hanging(|path| path.contains("/pipelines/9/"));
    let report = run_on(other, &options).await;
    let others = report.cases.iter().filter(|case| case.verdict != Verdict::Passed);
    let others: Vec<_> = others.map(|case| (&case.id, case.verdict, &case.reason)).collect();
    assert!(others.is_empty(), "{others:#?}");
    // The pipeline that most cases need.
    let needed = hanging(|path| path.contains("/pipelines/1/"));
    let report = run_on(needed, &options).await;
    for case in &report.cases {
        let verdict = match case.group() {
            "limit" => Verdict::Errored,
            _ => Verdict::Passed,
        };
        assert_eq!(case.verdict, verdict, "{case:#?}");
    }
    let reasons: Vec<_> = report.cases.iter().filter_map(|case| case.reason.as_ref()).collect();
    let given_up = "/api/v1/pipelines/1 timed out too often";
    assert!(
        reasons.iter().any(|reason| reason.starts_with(given_up)),
        "{reasons:#?}"
    );
    assert!(report.trouble.count < 12, "{:?}", report.trouble);
}

/// The writable pipeline is needed by the cases that add, and by no other.
#[tokio::test]
async fn hanging_writable_pipeline_does_not_end_the_run() {
    let options = Options {
        timeout: Duration::from_secs(1),
        allow_writes: true,
        ..only(&["limit/*", "add/created"])
    };
    // It is found, and hangs when all of it is listed.
    let hang = move |request: Request, next: Next| async move {
        let query = request.uri().query().unwrap_or_default();
        if request.uri().path().contains("/pipelines/6/") && query.contains("limit=1000") {
            std::future::pending::<()>().await;
        }
        next.run(request).await
    };
    let report = run_on(served::router().layer(from_fn(hang)), &options).await;
    let added = report.case("add/created").unwrap();
    assert_eq!(added.verdict, Verdict::Skipped, "{added:#?}");
    let reason = added.reason.as_deref().unwrap();
    assert!(reason.contains("it could not be listed"), "{reason}");
    assert_eq!(report.summary.passed, report.cases.len() - 1, "{report:#?}");
}

/// A gateway that fails five times in a row for one request, but not again when the case is checked a second time.
#[tokio::test]
async fn gateway_response_in_only_one_look_is_trouble() {
    let failures = Arc::new(AtomicU64::new(0));
    let router = changed(move |_, request| {
        let fails = asks_for(request, "limit=1000")
            && !asks_for(request, "skip=0")
            && failures.fetch_add(1, Ordering::SeqCst) < 5;
        fails.then(|| gateway(StatusCode::GATEWAY_TIMEOUT))
    });
    let id = "limit/maximum-is-accepted";
    let report = run_without_waiting(router, &only(&[id])).await;
    let case = report.case(id).unwrap();
    assert_eq!(case.verdict, Verdict::Errored, "{case:#?}");
    assert!(report.trouble.gateway >= 4, "{:?}", report.trouble);
}

#[tokio::test]
async fn gateway_response_to_an_addition_is_inconclusive() {
    let router = changed(|_, request| (request.method() == Method::POST).then(|| gateway(StatusCode::BAD_GATEWAY)));
    let id = "add/created";
    let options = Options {
        allow_writes: true,
        ..only(&[id])
    };
    let report = run_without_waiting(router, &options).await;
    let case = report.case(id).unwrap();
    assert_eq!(case.verdict, Verdict::Errored, "{case:#?}");
    let reason = case.reason.as_deref().unwrap();
    assert!(reason.contains("whether anything was changed is unknown"), "{reason}");
}

/// Failures are compared by their requests, not by their names.
#[tokio::test]
async fn different_failure_at_the_second_look_is_flaky() {
    let id = "paging/total-count-is-the-same-on-every-page";
    let counts = Arc::new(AtomicU64::new(0));
    let router = changed(move |number, request| {
        let is_page = number > 30 && is_list(request) && request.uri().query().is_some();
        // A different request of the walk each time.
        let turn = is_page.then(|| counts.fetch_add(1, Ordering::SeqCst))?;
        (turn == 3 || turn == 9).then(|| StatusCode::INTERNAL_SERVER_ERROR.into_response())
    });
    let report = run_on(router, &only(&[id])).await;
    let case = report.case(id).unwrap();
    assert_eq!(case.verdict, Verdict::Failed, "{case:#?}");
    assert_eq!(case.steadiness, Some(Steadiness::Flaky), "{case:#?}");
}

/// The first such response goes to a request that no case watches: the one that shows whether lists exist.
#[tokio::test]
async fn unexplained_429_is_judged_although_the_first_one_is_not_watched() {
    let (unwatched, watched) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let router = changed(move |_, request| {
        let is_due = is_list(request)
            && match request.uri().query() {
                None => !unwatched.swap(true, Ordering::SeqCst),
                Some(_) => unwatched.load(Ordering::SeqCst) && !watched.swap(true, Ordering::SeqCst),
            };
        is_due.then(|| StatusCode::TOO_MANY_REQUESTS.into_response())
    });
    let report = run_without_waiting(router, &only(&["limit/*-is-accepted", "schema/list_items/429"])).await;
    let case = report.case("schema/list_items/429").unwrap();
    assert_eq!(case.verdict, Verdict::Failed, "{report:#?}");
}

#[tokio::test]
async fn repeated_failure_is_steady_and_any_other_is_flaky() {
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
    // The search for data treats all pipelines alike, and searches for products last.
    let (seen, begun) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let once = changed(move |_, request| {
        let uri = request.uri();
        if uri.path().contains("/products/") && uri.query().unwrap_or_default().contains("limit=100") {
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
async fn case_that_may_have_written_is_not_repeated() {
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
        // The others read as well.
        ..only(&[
            "auth/*-key/add_organization",
            "auth/no-access/add_organization",
            "auth/read-only/add_organization",
            "auth/create-only-adds*",
        ])
    };
    let report = run_on(router, &options).await;
    let failed: Vec<_> = report
        .cases
        .iter()
        .filter(|case| case.verdict == Verdict::Failed)
        .collect();
    assert!(!failed.is_empty());
    for case in &failed {
        assert_eq!(case.steadiness, Some(Steadiness::Unconfirmed), "{}", case.id);
    }
    let sent: u64 = report.cases.iter().map(|case| case.requests).sum();
    // One more shows whether the key may add to a pipeline.
    assert_eq!(posts.load(Ordering::SeqCst), sent + 1, "each was sent once");
}
