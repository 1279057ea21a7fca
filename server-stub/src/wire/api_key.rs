//! The header that carries the API key.

use axum::http::HeaderName;

pub(crate) const API_KEY: HeaderName = HeaderName::from_static("api-key");
