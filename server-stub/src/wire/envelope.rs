//! Common parts of every response: the request's id, the header against caching, and one form of error.

use std::panic::AssertUnwindSafe;

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::FutureExt;
use tracing::Instrument;

use super::access::Answering;
use super::json::Json;
use super::problem::Problem;
use super::request_id::{RequestId, X_REQUEST_ID};

/// Puts each response into its envelope. If a handler panics, the response is an internal error.
pub(super) async fn envelope(mut request: Request, next: Next) -> Response {
    let is_head = request.method() == Method::HEAD;
    let answering = Answering::of(request.method());
    let request_id = RequestId::of(request.headers());
    request.extensions_mut().insert(request_id.clone());
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
    answering.log(&response, &request_id);
    close(&mut response, &path, &request_id);
    if is_head {
        leave_out_body(&mut response);
    }
    response
}

/// Turns a response to GET into one to HEAD: the same header, without the body.
fn leave_out_body(response: &mut Response) {
    let body = std::mem::take(response.body_mut());
    let headers = response.headers_mut();
    if let (Some(length), false) = (body.size_hint().exact(), headers.contains_key(CONTENT_LENGTH)) {
        headers.insert(CONTENT_LENGTH, length.into());
    }
}

/// Gives a response the common form.
pub(super) fn close(response: &mut Response, path: &str, request_id: &RequestId) {
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        let body = Json(problem.body(path, request_id.clone())).into_response().into_body();
        *response.body_mut() = Body::new(body);
        // It belongs to the empty body that this one replaces.
        response.headers_mut().remove(CONTENT_LENGTH);
        response
            .headers_mut()
            .insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    }
    let headers = response.headers_mut();
    if let Some(allowed) = headers.get(ALLOW).and_then(|value| value.to_str().ok())
        && let Ok(allowed) = format!("{allowed},OPTIONS").parse()
    {
        headers.insert(ALLOW, allowed);
    }
    headers.insert(X_REQUEST_ID, request_id.header());
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
}
