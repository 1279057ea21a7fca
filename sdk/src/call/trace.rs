//! Tracing spans: one for each call and, within it, one for each attempt.
//!
//! Names and values follow OpenTelemetry's semantic conventions for HTTP client spans. An attempt is a client
//! span; a call is an internal span around it. Spans must never contain text from apps or servers: no query,
//! because it contains search texts, no header except the request id, no body, and no server message, which
//! may repeat any of these.

use std::borrow::Cow;
use std::mem;
use std::pin::Pin;
use std::time::Duration;

use reqwest::{Request, StatusCode, Url};
use tracing::field::Empty;
use tracing::{Instrument, info, info_span};

use crate::ResponseValue;
use crate::call::operation::Operation;
use crate::error::{Error, Fault, Kind, Unreached, request_id};
use crate::redact::Redactor;

/// The span of a call or of an attempt. If dropped before its end, it was cancelled.
pub(crate) struct Span(tracing::Span);

impl Span {
    pub(crate) fn of_call(operation: &Operation) -> Self {
        Self(info_span!(
            target: "platform_sdk",
            "call",
            otel.name = operation.id,
            otel.kind = "internal",
            otel.status_code = Empty,
            error.type = Empty,
        ))
    }

    /// Creates the span of an attempt after `resends` others. The request propagates it.
    pub(crate) fn of_attempt(operation: &Operation, request: &mut Request, resends: usize) -> Self {
        let Operation { method, path, .. } = operation;
        let url = request.url();
        let span = info_span!(
            target: "platform_sdk",
            "attempt",
            otel.name = %format_args!("{method} {path}"),
            otel.kind = "client",
            otel.status_code = Empty,
            error.type = Empty,
            http.request.method = method,
            http.request.resend_count = (resends > 0).then_some(resends),
            http.response.status_code = Empty,
            "http.response.header.x-request-id" = Empty,
            server.address = server_address(url),
            server.port = url.port_or_known_default(),
            url.full = without_query(url),
            url.template = path,
        );
        #[cfg(feature = "opentelemetry")]
        span.in_scope(|| propagation::inject(request.headers_mut()));
        Self(span)
    }

    /// Runs `work` in the span and records how it ended. `work` is passed pinned, because moving it into this
    /// function would copy it and store it twice.
    pub(crate) async fn hold<T>(
        mut self,
        work: Pin<&mut impl Future<Output = Result<ResponseValue<T>, Error>>>,
        redactor: &(dyn Fn() -> Redactor + Sync),
    ) -> Result<ResponseValue<T>, Error> {
        if self.0.is_disabled() {
            return work.await;
        }
        let result = work.instrument(self.0.clone()).await;
        let span = mem::replace(&mut self.0, tracing::Span::none());
        match &result {
            Ok(value) => {
                let id = request_id(value.headers(), &redactor());
                note_answer(&span, value.status(), id.as_deref());
            }
            Err(error) => {
                if let Some(status) = error.status() {
                    note_answer(&span, status, error.request_id());
                }
                note_error(&span, &error_type(error));
            }
        }
        result
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        note_error(&self.0, "cancelled");
    }
}

/// Logs that a call waits before a retry. This is not a warning, because the call has not failed yet.
pub(crate) fn note_wait(delay: Duration, failure: &Error) {
    info!(
        target: "platform_sdk",
        delay_seconds = delay.as_secs_f64(),
        error.type = &*error_type(failure),
        "waiting to try again",
    );
}

/// Logs that a call waits for its turn after a 429 response to another call.
pub(crate) fn note_turn(delay: Duration) {
    info!(
        target: "platform_sdk",
        delay_seconds = delay.as_secs_f64(),
        "waiting for the rate limit",
    );
}

fn note_answer(span: &tracing::Span, status: StatusCode, request_id: Option<&str>) {
    span.record("http.response.status_code", status.as_u16());
    span.record("http.response.header.x-request-id", request_id);
}

fn note_error(span: &tracing::Span, error_type: &str) {
    span.record("otel.status_code", "ERROR");
    span.record("error.type", error_type);
}

/// Returns the `error.type` of a failure, one of the few values that the crate docs list.
pub(super) fn error_type(failure: &Error) -> Cow<'static, str> {
    match (failure.kind(), failure.status()) {
        (Kind::Answered(Fault::Status), Some(status)) => status.as_str().to_owned().into(),
        (Kind::Answered(_), _) => "undecodable".into(),
        (
            Kind::Unconnected {
                why: Unreached::Tls, ..
            },
            _,
        ) => "tls".into(),
        (Kind::Unconnected { timed_out, .. }, _) if !timed_out => "connect".into(),
        (Kind::Unconnected { .. } | Kind::TimedOut { .. }, _) => "timeout".into(),
        (Kind::DeadlinePassed | Kind::HeldBack { .. }, _) => "deadline".into(),
        (Kind::KeyUnavailable { .. }, _) => "key_unavailable".into(),
        (Kind::Broken | Kind::NotHttp, _) => "broken".into(),
        (Kind::Argument(_), _) => "invalid_request".into(),
        // The other kinds are not failures of a call.
        _ => "_OTHER".into(),
    }
}

/// Returns the host, without the brackets that a URL puts around an IPv6 address.
pub(super) fn server_address(url: &Url) -> Option<&str> {
    let host = url.host_str()?;
    Some(host.trim_start_matches('[').trim_end_matches(']'))
}

fn without_query(url: &Url) -> &str {
    let url = url.as_str();
    url.split_once('?').map_or(url, |(before, _)| before)
}

/// Propagates the current OpenTelemetry context with a request.
#[cfg(feature = "opentelemetry")]
mod propagation {
    use opentelemetry::propagation::Injector;
    use opentelemetry::{Context, global};
    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

    pub(super) fn inject(headers: &mut HeaderMap) {
        global::get_text_map_propagator(|propagator| {
            propagator.inject_context(&Context::current(), &mut Headers(headers));
        });
    }

    struct Headers<'a>(&'a mut HeaderMap);

    impl Injector for Headers<'_> {
        fn set(&mut self, name: &str, value: String) {
            // An app's propagator may write values that are invalid in a header. They do not fail the call.
            if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::try_from(value)) {
                self.0.insert(name, value);
            }
        }
    }
}
