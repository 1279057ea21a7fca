//! Authentication with the header `API-Key`, and the quota that a key may have.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::access::Access;
use super::api_key::API_KEY;
use super::problem::Problem;
use super::rate_limit::{Quota, RateLimiter};
use crate::model::rejection::Rejection;
use crate::platform::Platform;
use crate::platform::keys::Caller;

/// The state that authentication needs.
#[derive(Debug, Clone)]
pub(super) struct Authentication {
    pub(super) platform: Platform,
    pub(super) limiter: Arc<RateLimiter>,
}

/// Lets a request pass if its key is known and within its quota, and records the caller in it.
pub(super) async fn authenticate(
    State(Authentication { platform, limiter }): State<Authentication>,
    request: Request,
    next: Next,
) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let (caller, mut response) = match caller(&platform, request.headers()) {
        Err(rejection) => (None, Problem::from(rejection).into_response()),
        Ok(caller) => {
            let name = caller.clone();
            (
                Some(name),
                within_quota(caller, &platform, &limiter, request, next).await,
            )
        }
    };
    response.extensions_mut().insert(Access { route, caller });
    response
}

async fn within_quota(
    caller: Caller,
    platform: &Platform,
    limiter: &RateLimiter,
    mut request: Request,
    next: Next,
) -> Response {
    let now = platform.clock().now();
    let quota = match limiter.limit_of(&caller) {
        None => None,
        Some(limit) => match platform.count_request(&caller, limit, now).await {
            Ok(shared) => {
                let state = shared.unwrap_or_else(|| limiter.take(&caller, limit, now));
                Some(Quota::new(limit, state, now))
            }
            Err(error) => return Problem::from(Rejection::Store(error)).into_response(),
        },
    };
    let mut response = match quota.as_ref().and_then(|quota| quota.rejection()) {
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

fn caller(platform: &Platform, headers: &HeaderMap) -> Result<Caller, Rejection> {
    let mut keys = headers.get_all(API_KEY).iter();
    match (keys.next(), keys.next()) {
        (None, _) => platform.authenticate(None),
        (Some(key), None) => platform.authenticate(Some(key.to_str().map_err(|_| Rejection::KeyUnknown)?)),
        // With two keys it is undefined which one counts.
        (Some(_), Some(_)) => Err(Rejection::KeyUnknown),
    }
}
