//! Limits on bodies: a body that does not end or is far too long is trouble, and the run continues.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::Response;
use axum::middleware::{Next, from_fn};
use futures::stream;
use platform_conformance::report::Silent;
use platform_conformance::{Options, Report, Verdict, catalogue, run};

use crate::served;

const BOUND: u64 = 1_000_000;
/// The test answers the requests of the first one itself.
const LIMITS: [&str; 3] = [
    "limit/below-minimum-is-rejected",
    "limit/over-maximum-is-rejected",
    "limit/minimum-is-accepted",
];

async fn bounded(router: Router, only: &[&str]) -> Report {
    let options = Options {
        only: only.iter().map(|pattern| (*pattern).into()).collect(),
        max_body_bytes: BOUND,
        ..Options::default()
    };
    run(catalogue(), &served::target(router).await, &options, &mut Silent)
        .await
        .unwrap()
}

/// The reference server, except for requests with `limit=0`.
fn otherwise(response: impl Fn() -> Response<Body> + Clone + Send + Sync + 'static) -> Router {
    let layer = from_fn(move |request: Request, next: Next| {
        let response = response.clone();
        async move {
            let asked = request.uri().query().is_some_and(|query| query.contains("limit=0"));
            match asked {
                true => response(),
                false => next.run(request).await,
            }
        }
    });
    crate::served::router().layer(layer)
}

/// A chunked body without an end. Counts the bytes sent.
fn endless(sent: Arc<AtomicU64>) -> Response<Body> {
    let chunks = stream::repeat_with(move || {
        sent.fetch_add(65_536, Ordering::Relaxed);
        Ok::<_, Infallible>(Bytes::from_static(&[b' '; 65_536]))
    });
    Response::new(Body::from_stream(chunks))
}

fn assert_is_trouble(report: &Report, reason_part: &str) {
    let zero = report.case("limit/below-minimum-is-rejected").unwrap();
    assert_eq!(zero.verdict, Verdict::Errored, "{zero:?}");
    let reason = zero.reason.as_deref().unwrap();
    assert!(reason.contains(reason_part), "{reason}");
    assert!(reason.contains("raise the limit with --max-body-bytes"), "{reason}");
    // It is reported as trouble, it is not sent again, and the rest of the run continues.
    assert_eq!(report.trouble.count, 1, "{:?}", report.trouble);
    assert_eq!(report.summary.passed + 1, report.cases.len(), "{:?}", report.summary);
}

#[tokio::test]
async fn endless_body_is_read_up_to_the_limit() {
    let sent = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&sent);
    let router = otherwise(move || endless(Arc::clone(&counted)));
    let report = bounded(router, &LIMITS).await;
    assert_is_trouble(&report, "the body is longer than 1.0 MB");
    // The buffers of the connection hold more than the limit.
    let sent = sent.load(Ordering::Relaxed);
    assert!(sent < 100 * BOUND, "the connection is closed: {sent} bytes were sent");
}

#[tokio::test]
async fn body_with_a_content_length_above_the_limit_is_not_read() {
    let router = otherwise(|| {
        let body = Body::from_stream(stream::pending::<Result<Bytes, Infallible>>());
        let mut response = Response::new(body);
        let length = (BOUND + 1).to_string().parse().unwrap();
        response.headers_mut().insert("Content-Length", length);
        response
    });
    let report = bounded(router, &LIMITS).await;
    assert_is_trouble(&report, "the body is longer than 1.0 MB");
}

#[tokio::test]
async fn body_at_the_limit_is_read() {
    let router = otherwise(|| Response::new(Body::from(" ".repeat(BOUND.try_into().unwrap()))));
    let report = bounded(router, &LIMITS).await;
    assert_eq!(report.summary.failed, 1, "{:?}", report.summary);
    assert_eq!(report.trouble.count, 0);
}

#[tokio::test]
async fn json_that_needs_too_much_memory_is_not_parsed() {
    // A million objects would need hundreds of megabytes.
    let router = otherwise(|| {
        let mut body = "[".to_owned() + &"{},".repeat(300_000);
        body.push_str("0]");
        Response::new(Body::from(body))
    });
    let report = bounded(router, &LIMITS).await;
    assert_is_trouble(&report, "holds more JSON than a body of 1.0 MB");
}

#[tokio::test]
async fn deployment_that_only_sends_long_bodies_counts_as_unreachable() {
    let router = Router::new().fallback(|| async { endless(Arc::default()) });
    let report = bounded(router, &["limit/*", "search-text/*"]).await;
    assert_eq!(report.summary.errored, report.cases.len());
    assert!(report.requests < 50, "{}", report.requests);
}
