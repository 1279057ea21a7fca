//! One line in the log for each request.

use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;

use super::problem::{Problem, ProblemCode};
use super::request_id::RequestId;
use crate::platform::keys::Caller;

/// The log target of these lines.
const TARGET: &str = "platform_server_stub::access";

/// What the routes know about a request, left in the response for the log.
#[derive(Debug, Clone)]
pub(super) struct Access {
    /// The path, with the names of its parameters instead of their values.
    pub(super) route: Option<MatchedPath>,
    /// The caller, if the key is known.
    pub(super) caller: Option<Caller>,
}

/// Marks a response that is not logged.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unlogged;

/// Records the route of a request that needs no key.
pub(super) async fn note_route(route: Option<MatchedPath>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let caller = None;
    response.extensions_mut().insert(Access { route, caller });
    response
}

/// A request that is being answered.
#[derive(Debug)]
pub(super) struct Answering {
    method: Method,
    /// Only the log needs durations, and always by the machine's clock.
    since: Instant,
}

impl Answering {
    pub(super) fn of(method: &Method) -> Self {
        Self {
            method: method.clone(),
            since: Instant::now(),
        }
    }

    /// Logs the response before it gets its envelope.
    pub(super) fn log(self, response: &Response, request_id: &RequestId) {
        if response.extensions().get::<Unlogged>().is_some() {
            return;
        }
        let access = response.extensions().get::<Access>();
        let route = access.and_then(|it| it.route.as_ref());
        let caller = access.and_then(|it| it.caller.as_ref());
        let problem = response.extensions().get::<Problem>();
        tracing::info!(
            target: TARGET,
            method = self.method.as_str(),
            route = route.map(MatchedPath::as_str),
            status = response.status().as_u16(),
            code = problem.map(|problem| problem.code().as_str()),
            micros = u64::try_from(self.since.elapsed().as_micros()).unwrap_or(u64::MAX),
            request_id = request_id.as_str(),
            key = caller.map(Caller::name),
        );
    }
}

/// Logs the response to input that is not well-formed enough to be a request.
pub(super) fn log_without_request(response: &Response, code: ProblemCode, request_id: &RequestId) {
    tracing::info!(
        target: TARGET,
        status = response.status().as_u16(),
        code = code.as_str(),
        request_id = request_id.as_str(),
    );
}
