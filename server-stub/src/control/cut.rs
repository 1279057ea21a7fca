//! Cuts the body of a response.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use axum::middleware::Next;
use axum::response::Response;
use bytes::Bytes;
use futures::stream::{self, StreamExt};

/// Marks a response whose body is to be cut in half.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut;

/// Why a body ends before its announced length.
#[derive(Debug, thiserror::Error)]
#[error("the fault that was injected cuts the body here")]
pub(super) struct CutHere;

/// Cuts marked responses. Belongs around the envelope, which replaces the bodies of errors.
pub(super) async fn cut_marked(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if response.extensions_mut().remove::<Cut>().is_none() {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // Bodies of the platform are in memory and never fail.
    let whole = to_bytes(body, usize::MAX).await.unwrap_or_default();
    if whole.is_empty() {
        return Response::from_parts(parts, Body::empty());
    }
    let length = HeaderValue::from(whole.len());
    parts.headers.insert(CONTENT_LENGTH, length);
    parts.headers.remove(TRANSFER_ENCODING);
    Response::from_parts(parts, half(whole))
}

fn half(whole: Bytes) -> Body {
    let first = whole.slice(..whole.len() / 2);
    let end = stream::once(async {
        // Lets the first half be sent before the connection is closed.
        tokio::task::yield_now().await;
        Err(CutHere)
    });
    Body::from_stream(stream::once(async { Ok(first) }).chain(end))
}

/// A body that fails at once, for calls without a connection that could be reset.
pub(super) fn failing() -> Body {
    Body::from_stream(stream::once(async { Err::<Bytes, _>(CutHere) }))
}
