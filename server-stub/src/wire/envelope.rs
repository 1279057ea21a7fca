//! What every response has, whatever it answers: the request's id, the word not to store it, and one
//! form of error.

use std::panic::AssertUnwindSafe;

use axum::Json;
use axum::body::Body;
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::FutureExt;
use tracing::Instrument;

use super::problem::Problem;
use super::request_id::{RequestId, X_REQUEST_ID};

/// Puts each response into its envelope. A handler that panics answers with an internal error.
pub(super) async fn envelope(request: Request, next: Next) -> Response {
    let request_id = RequestId::of(request.headers());
    let path = request.uri().path().to_owned();
    let span = tracing::info_span!(
        "request",
        request_id = request_id.as_str(),
        http.request.method = request.method().as_str(),
        url.path = path
    );
    let answer = AssertUnwindSafe(next.run(request).instrument(span.clone()))
        .catch_unwind()
        .await;
    let _entered = span.enter();
    let mut response = answer.unwrap_or_else(|_| {
        tracing::error!("a handler panicked");
        Problem::internal().into_response()
    });
    close(&mut response, &path, &request_id);
    tracing::info!(
        http.response.status_code = response.status().as_u16(),
        "answered"
    );
    response
}

/// Gives a response the form that every one has.
pub(super) fn close(response: &mut Response, path: &str, request_id: &RequestId) {
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        let body = Json(problem.body(path, request_id.clone()))
            .into_response()
            .into_body();
        *response.body_mut() = Body::new(body);
        response.headers_mut().insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
    }
    let headers = response.headers_mut();
    headers.insert(X_REQUEST_ID, request_id.header());
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
}
