//! The header that carries the API key.

use axum::http::HeaderName;

pub(super) const API_KEY: HeaderName = HeaderName::from_static("api-key");
