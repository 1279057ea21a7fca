//! Metrics of calls for the feature `metrics`. Names follow OpenTelemetry's conventions for HTTP clients
//! where these define one. The crate docs list them.
//!
//! Labels never contain text from an app or a server: no id, search text or message.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use metrics::{Gauge, Label, Unit, describe_counter, describe_gauge, describe_histogram};
use reqwest::Request;

use super::trace::{error_type, server_address};
use crate::ResponseValue;
use crate::call::core::ClientCore;
use crate::call::operation::Operation;
use crate::error::Error;

const REQUEST: &str = "http.client.request.duration";
const ACTIVE: &str = "http.client.active_requests";
const CALL: &str = "platform_sdk.call.duration";
const RETRIES: &str = "platform_sdk.call.retries";
const GATE: &str = "platform_sdk.gate.wait.duration";

/// Registers units and descriptions with the installed recorder.
pub(crate) fn describe() {
    describe_histogram!(REQUEST, Unit::Seconds, "Duration of one attempt at a call.");
    describe_gauge!(ACTIVE, Unit::Count, "Attempts that are under way.");
    describe_histogram!(CALL, Unit::Seconds, "Duration of a call with its attempts and waits.");
    describe_counter!(RETRIES, Unit::Count, "Attempts after the first one of a call.");
    describe_histogram!(GATE, Unit::Seconds, "Time that an attempt waited for the quota.");
}

/// Counts a retry after `failure`.
pub(super) fn retry(operation: &Operation, failure: &Error) {
    let labels = vec![
        Label::from_static_parts("operation", operation.id),
        Label::new("error.type", error_type(failure)),
    ];
    metrics::counter!(RETRIES, labels).increment(1);
}

/// Records how long an attempt waited at the gate.
pub(super) fn waited(operation: &Operation, duration: Duration) {
    if !duration.is_zero() {
        metrics::histogram!(GATE, "operation" => operation.id).record(duration.as_secs_f64());
    }
}

/// Measures the duration of a call or an attempt. If dropped before its end, it was cancelled.
pub(super) struct Timer<'a> {
    core: &'a ClientCore,
    name: &'static str,
    labels: Vec<Label>,
    began: Instant,
    active: Option<Gauge>,
    is_over: bool,
}

impl<'a> Timer<'a> {
    pub(super) fn of_call(core: &'a ClientCore, operation: &Operation) -> Self {
        let labels = vec![Label::from_static_parts("operation", operation.id)];
        Self::begin(core, CALL, labels)
    }

    pub(super) fn of_attempt(core: &'a ClientCore, operation: &Operation, request: &Request) -> Self {
        let mut labels = vec![
            Label::from_static_parts("operation", operation.id),
            Label::from_static_parts("http.request.method", operation.method),
            Label::from_static_parts("url.template", operation.path),
        ];
        let url = request.url();
        if let Some(address) = server_address(url) {
            labels.push(Label::new("server.address", address.to_owned()));
        }
        if let Some(port) = url.port_or_known_default() {
            labels.push(Label::new("server.port", port.to_string()));
        }
        let active = metrics::gauge!(ACTIVE, labels.clone());
        active.increment(1);
        let mut timer = Self::begin(core, REQUEST, labels);
        timer.active = Some(active);
        timer
    }

    fn begin(core: &'a ClientCore, name: &'static str, labels: Vec<Label>) -> Self {
        Self {
            core,
            name,
            labels,
            began: core.now(),
            active: None,
            is_over: false,
        }
    }

    pub(super) fn end<T>(mut self, result: &Result<ResponseValue<T>, Error>) {
        let (status, error) = match result {
            Ok(value) => (Some(value.status()), None),
            Err(error) => (error.status(), Some(error_type(error))),
        };
        if let Some(status) = status {
            let status = status.as_str().to_owned();
            self.labels.push(Label::new("http.response.status_code", status));
        }
        self.record(error);
    }

    fn record(&mut self, error: Option<Cow<'static, str>>) {
        self.is_over = true;
        let mut labels = std::mem::take(&mut self.labels);
        labels.extend(error.map(|error| Label::new("error.type", error)));
        let duration = self.core.now().saturating_duration_since(self.began);
        metrics::histogram!(self.name, labels).record(duration.as_secs_f64());
    }
}

impl Drop for Timer<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.record(Some("cancelled".into()));
        }
        if let Some(active) = &self.active {
            active.decrement(1);
        }
    }
}
