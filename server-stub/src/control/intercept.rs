//! The layer around the routes that records requests and injects faults.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::RETRY_AFTER;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tower::ServiceExt;

use super::cut::{Cut, failing};
use super::fault::Effect;
use super::faults::{FaultId, Injected};
use super::namespace_state::NamespaceState;
use super::operation::Operation;
use super::recorded_body::Recording;
use super::recorded_requests::{RecordedRequest, RecordedResponse};
use super::redact::Redactor;
use crate::platform::clock::Clock;
use crate::serve::ConnectionReset;
use crate::wire::{self, Outcome};

/// Longer than any body that the contract allows.
const BODY_MAX: usize = 1 << 20;

/// Paths beyond the contract, which are neither recorded nor broken.
const PUBLIC: [&str; 5] = [
    wire::HEALTH_PATH,
    wire::READY_PATH,
    wire::DOCUMENT_PATH,
    wire::CONTRACT_PATH,
    wire::DOCS_PATH,
];

/// Records a request, applies the fault that is due, and records the response.
pub(super) async fn intercept(State(state): State<Arc<NamespaceState>>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let operation = Operation::of(request.method(), path);
    if operation.is_none() && PUBLIC.contains(&path) {
        return next.run(request).await;
    }
    let injected = operation.and_then(|operation| state.faults.take(operation));
    let (parts, body) = request.into_parts();
    let fault = injected.as_ref().map(|injected| injected.id);
    let entry = recorded(&state, &parts, operation, fault);
    let number = state.recorded_requests.enter(entry);
    let headers = parts.headers.clone();
    let recording = Recording::default();
    let request = Request::from_parts(parts, recording.of(body));
    let response = match injected {
        None => next.run(request).await,
        Some(injected) => answer(injected, request, next).await,
    };
    let redactor = Redactor::new(state.platform.keys(), &headers);
    let body = recording.bytes();
    let body = body.map(|bytes| redactor.hide_in_body(&bytes));
    let is_reset = response.extensions().get::<ConnectionReset>().is_some();
    let outcome = (!is_reset).then(|| observed(&response, operation, &redactor));
    state.recorded_requests.complete(number, |request| {
        request.body = body;
        request.response = outcome;
    });
    response
}

/// Responds to a request with a fault.
async fn answer(injected: Injected, request: Request, next: Next) -> Response {
    if !injected.delay.is_zero() {
        tokio::time::sleep(injected.delay).await;
    }
    match injected.effect {
        Effect::None => next.run(request).await,
        Effect::CutBody => {
            let mut response = next.run(request).await;
            response.extensions_mut().insert(Cut);
            response
        }
        Effect::Stale => match injected.stale {
            Some(routes) => match routes.oneshot(request).await {
                Ok(response) => response,
                Err(never) => match never {},
            },
            None => next.run(request).await,
        },
        Effect::Problem { code, retry_after } => {
            discard(request).await;
            wire::problem(code, DETAIL, retry_after)
        }
        Effect::Status { status, retry_after } => {
            discard(request).await;
            let mut response = status.into_response();
            if let Some(seconds) = retry_after {
                response.headers_mut().insert(RETRY_AFTER, seconds.into());
            }
            response
        }
        Effect::ConnectionReset => {
            discard(request).await;
            let mut response = Response::new(failing());
            response.extensions_mut().insert(ConnectionReset);
            response
        }
    }
}

const DETAIL: &str = "This error was injected by the test that controls this server.";

/// Reads the body of a request that is not carried out, so that it is recorded and the connection stays usable.
async fn discard(request: Request) {
    let _ = to_bytes(request.into_body(), BODY_MAX).await;
}

fn recorded(
    state: &NamespaceState,
    parts: &Parts,
    operation: Option<Operation>,
    fault: Option<FaultId>,
) -> RecordedRequest {
    let redactor = Redactor::new(state.platform.keys(), &parts.headers);
    let query = parts.uri.query();
    RecordedRequest {
        number: 0,
        at: state.clock.now(),
        method: redactor.hide_in(parts.method.as_str()),
        path: redactor.hide_in(parts.uri.path()),
        query: query.map(|query| redactor.hide_in_query(query)),
        body: None,
        request_id: wire::request_id(parts).map(|id| redactor.hide_in(id)),
        operation,
        contract_line: operation.and_then(Operation::clause).map(|clause| clause.line),
        fault,
        response: None,
    }
}

fn observed(response: &Response<Body>, operation: Option<Operation>, redactor: &Redactor<'_>) -> RecordedResponse {
    let outcome = Outcome::of(response);
    let status = response.status().as_u16();
    let clause = operation.and_then(Operation::clause);
    let violations = outcome.faults();
    RecordedResponse {
        status,
        code: outcome.code(),
        key: outcome.key().map(|name| redactor.hide_in(name)),
        violations: violations.iter().map(|it| redactor.hide_in(it)).collect(),
        is_declared: clause.is_some_and(|clause| clause.declares(status)),
        is_retryable: clause.is_some_and(|clause| clause.allows_retry(status)),
    }
}
