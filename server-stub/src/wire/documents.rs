//! The public documents of the server: its OpenAPI document, the contract, and the contract as a page.
//!
//! They are routes beyond the contract (D56).

use axum::Router;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::routing::get;
use bytes::Bytes;

use crate::platform::Platform;

/// The OpenAPI document of the served operations, made from the declarations that serve them.
pub const DOCUMENT_PATH: &str = "/openapi.json";
/// The contract, `openapi.yaml`, byte for byte.
pub const CONTRACT_PATH: &str = "/openapi.yaml";
/// The contract as a page for a browser.
pub const DOCS_PATH: &str = "/docs";

const CONTRACT: &str = include_str!("../../openapi.yaml");
/// The page, which a test generates from the contract.
const PAGE: &str = include_str!("../../assets/docs.html");
/// The content security policy: the page may use only its own style and script, and inline images.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; \
                      base-uri 'none'; form-action 'none'";

/// The routes of the documents; `document` gives the OpenAPI document.
pub(super) fn routes(document: fn() -> Bytes) -> Router<Platform> {
    Router::new()
        .route(
            DOCUMENT_PATH,
            get(async move || ([(CONTENT_TYPE, "application/json")], document())),
        )
        .route(
            CONTRACT_PATH,
            get(async || ([(CONTENT_TYPE, "application/yaml")], CONTRACT)),
        )
        .route(
            DOCS_PATH,
            get(async || {
                let headers = [
                    (CONTENT_TYPE, "text/html; charset=utf-8"),
                    (CONTENT_SECURITY_POLICY, POLICY),
                ];
                (headers, PAGE)
            }),
        )
}
