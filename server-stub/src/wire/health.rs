//! The probes of an orchestrator: whether the process answers, and whether it can serve.
//!
//! They are routes beyond the contract (D56): they need no key, count against no quota, and a probe that succeeds
//! is not logged.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::access::Unlogged;
use super::problem::Problem;
use crate::platform::Platform;

/// Responds 200 as long as the process responds at all.
pub const HEALTH_PATH: &str = "/healthz";
/// Responds 200 while the server can serve, and 503 with the reason while it cannot.
pub const READY_PATH: &str = "/readyz";

/// Whether the server is shutting down. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Draining(Arc<AtomicBool>);

impl Draining {
    /// Makes the server not ready from now on.
    pub(crate) fn begin(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn has_begun(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// The routes of the probes.
pub(super) fn routes(draining: Draining) -> Router<Platform> {
    let ready = |State(platform): State<Platform>| async move { ready(&platform, &draining).await };
    Router::new()
        .route(HEALTH_PATH, get(async || ok()))
        .route(READY_PATH, get(ready))
}

async fn ready(platform: &Platform, draining: &Draining) -> Response {
    if draining.has_begun() {
        return Problem::unavailable("The server is shutting down.").into_response();
    }
    match platform.ready().await {
        Ok(()) => ok(),
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "the store is not ready");
            Problem::unavailable("The store is not ready; the log has the reason.").into_response()
        }
    }
}

fn ok() -> Response {
    let mut response = "ok\n".into_response();
    response.extensions_mut().insert(Unlogged);
    response
}
