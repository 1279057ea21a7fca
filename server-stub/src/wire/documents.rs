//! The public documents of the server: its OpenAPI document, the contract, and the contract as a page.
//!
//! They are routes beyond the contract (D56).

use axum::Router;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;

use super::problem::Problem;
use crate::docs;
use crate::platform::Platform;

/// The OpenAPI document of the served operations, made from the declarations that serve them.
pub const DOCUMENT_PATH: &str = "/openapi.json";
/// The contract, `openapi.yaml`, byte for byte.
pub const CONTRACT_PATH: &str = "/openapi.yaml";
/// The contract as a page for a browser.
pub const DOCS_PATH: &str = "/docs";

/// The routes of the documents; `document` gives the OpenAPI document.
pub(super) fn routes(document: fn() -> Bytes) -> Router<Platform> {
    Router::new()
        .route(
            DOCUMENT_PATH,
            get(async move || ([(CONTENT_TYPE, "application/json")], document())),
        )
        .route(
            CONTRACT_PATH,
            get(async || ([(CONTENT_TYPE, "application/yaml")], docs::CONTRACT)),
        )
        .route(DOCS_PATH, get(page))
}

async fn page() -> Response {
    // The first call renders the page.
    match tokio::task::spawn_blocking(docs::page).await {
        Ok(page) => {
            let headers = [
                (CONTENT_TYPE, "text/html; charset=utf-8"),
                (CONTENT_SECURITY_POLICY, docs::POLICY),
            ];
            (headers, page).into_response()
        }
        Err(error) => {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "the docs page cannot be rendered"
            );
            Problem::internal().into_response()
        }
    }
}
