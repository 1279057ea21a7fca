//! The errors of these routes.

use axum::Json;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::model::store_error::StoreError;

/// Why a request to the controls was rejected (RFC 9457). Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AdminProblem {
    status: StatusCode,
    detail: String,
}

/// An error (RFC 9457).
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(super) struct ProblemBody {
    /// The kind of problem, in a few words.
    title: &'static str,
    /// The status of the response.
    status: u16,
    /// What is wrong, and what to do.
    detail: String,
}

impl AdminProblem {
    /// The request does not make sense.
    pub(super) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    }

    pub(super) fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, detail)
    }

    pub(super) fn conflict(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, detail)
    }

    pub(super) fn method_not_allowed() -> Self {
        let detail = "the path does not have that method; the header Allow lists those it has";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, detail)
    }

    pub(super) fn unsupported_media_type() -> Self {
        let detail = "send the body as Content-Type: application/json";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail)
    }

    pub(super) fn forbidden(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, detail)
    }

    fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            status,
            detail: detail.into(),
        }
    }
}

impl From<StoreError> for AdminProblem {
    fn from(error: StoreError) -> Self {
        let error = &error as &dyn std::error::Error;
        tracing::error!(error, "the store failed");
        let detail = "the store failed; the log of the server has the reason";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, detail)
    }
}

impl IntoResponse for AdminProblem {
    fn into_response(self) -> Response {
        let body = Json(ProblemBody {
            title: self.status.canonical_reason().unwrap_or_default(),
            status: self.status.as_u16(),
            detail: self.detail,
        });
        let mut response = (self.status, body).into_response();
        let media_type = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(CONTENT_TYPE, media_type);
        response
    }
}
