//! Who is calling: the header `API-Key`, and the quota that its key may have.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::problem::Problem;
use super::rate_limit::RateLimiter;
use crate::model::refusal::Refusal;
use crate::platform::Platform;
use crate::platform::keys::Caller;

const API_KEY: HeaderName = HeaderName::from_static("api-key");

/// What authentication needs to know.
#[derive(Debug, Clone)]
pub(super) struct Authentication {
    pub(super) platform: Platform,
    pub(super) limiter: Arc<RateLimiter>,
}

/// Lets a request through when its key is known and within its quota, and notes the caller in it.
pub(super) async fn authenticate(
    State(Authentication { platform, limiter }): State<Authentication>,
    mut request: Request,
    next: Next,
) -> Response {
    let caller = match caller(&platform, request.headers()) {
        Ok(caller) => caller,
        Err(refusal) => return Problem::from(refusal).into_response(),
    };
    let quota = limiter.take(&caller, platform.clock().now());
    let mut response = match quota.as_ref().and_then(|quota| quota.refusal()) {
        Some(problem) => problem.into_response(),
        None => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
    };
    if let Some(quota) = quota {
        response.headers_mut().extend(quota.headers());
    }
    response
}

fn caller(platform: &Platform, headers: &HeaderMap) -> Result<Caller, Refusal> {
    let mut keys = headers.get_all(API_KEY).iter();
    match (keys.next(), keys.next()) {
        (None, _) => platform.authenticate(None),
        (Some(key), None) => {
            platform.authenticate(Some(key.to_str().map_err(|_| Refusal::KeyUnknown)?))
        }
        // Which of two keys would count is nobody's guess.
        (Some(_), Some(_)) => Err(Refusal::KeyUnknown),
    }
}
