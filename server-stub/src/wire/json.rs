//! Responses in JSON.

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::problem::Problem;

/// A response with a value as JSON. It is serialized into one vector: without optimization, as in tests, that takes
/// less time than the buffer that [`axum::Json`] writes to piece by piece.
pub(super) struct Json<T>(pub(super) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(body) => json(body),
            // A map with keys that are not texts cannot be written, and no response has one.
            Err(_) => Problem::internal().into_response(),
        }
    }
}

/// A response with a body that is already JSON.
pub(super) fn json(body: impl Into<Body>) -> Response {
    ([(CONTENT_TYPE, "application/json")], body.into()).into_response()
}
