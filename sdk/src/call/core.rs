//! The state of a client: its connections, the settings that all clones share, and the options of
//! one clone. Requests, walks and waits hold a core rather than a client, because a client has a
//! method for each of them.
//!
//! Clients are built in `client`; calls are made in `attempt`.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use reqwest::header::HeaderValue;

use crate::call::budget::RetryBudget;
use crate::call::clock::Clock;
use crate::call::gate::Gate;
use crate::call::hooks::{OnRequest, OnResponse};
use crate::call::keys::Keys;
use crate::call::operation::Operation;
use crate::call::options::CallOptions;
use crate::call::retry::RetryPolicy;
use crate::types::unknown::Hook;

#[derive(Clone)]
pub(crate) struct ClientCore {
    pub(crate) http: reqwest::Client,
    /// Without a trailing slash.
    pub(crate) base_url: Arc<str>,
    /// Shared by all clones.
    pub(crate) settings: Arc<Settings>,
    /// May differ between clones.
    pub(crate) options: Arc<CallOptions>,
}

pub(crate) struct Settings {
    pub(crate) keys: Keys,
    pub(crate) user_agent: HeaderValue,
    /// Replaces the network.
    pub(crate) service: Option<Service>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) retry_budget: Arc<RetryBudget>,
    pub(crate) gate: Gate,
    pub(crate) max_response_bytes: u64,
    pub(crate) on_unknown: Option<Hook>,
    pub(crate) on_request: Option<OnRequest>,
    pub(crate) on_response: Option<OnResponse>,
}

#[cfg(feature = "tower")]
pub(crate) type Service = crate::call::in_process::Service;
#[cfg(not(feature = "tower"))]
pub(crate) type Service = std::convert::Infallible;

impl ClientCore {
    pub(crate) fn now(&self) -> Instant {
        self.settings.clock.now()
    }

    /// Waits, using the client's clock.
    pub(crate) fn sleep(&self, duration: Duration) -> impl Future<Output = ()> + Send + use<> {
        self.settings.clock.sleep(duration)
    }

    /// Returns the time left until a deadline, or `None` without one.
    pub(crate) fn time_until(&self, deadline: Option<Instant>) -> Option<Duration> {
        deadline.map(|deadline| deadline.saturating_duration_since(self.now()))
    }

    /// Returns a client whose calls end at `deadline` at the latest.
    pub(crate) fn ending_by(&self, deadline: Option<Instant>) -> Self {
        self.with(|options| options.deadline = earlier(options.deadline, deadline))
    }

    /// Returns a client that counts its 429 responses.
    pub(crate) fn with_rate_limit_count(&self, count: Arc<AtomicU64>) -> Self {
        self.with(|options| options.rate_limits = Some(count))
    }

    /// Returns a client for several requests that are one call to its user.
    pub(crate) fn for_one_call(&self) -> Self {
        self.ending_by(self.deadline_of_a_call())
    }

    pub(crate) fn with(&self, change: impl FnOnce(&mut CallOptions)) -> Self {
        let mut core = self.clone();
        change(Arc::make_mut(&mut core.options));
        core
    }

    pub(crate) fn retry_policy(&self) -> &RetryPolicy {
        &self.options.retry_policy
    }

    pub(crate) fn attempt_timeout(&self, operation: &Operation) -> Duration {
        let chosen = self.options.attempt_timeout;
        chosen.unwrap_or(operation.timeout)
    }

    /// Returns the deadline of a call that begins now.
    pub(crate) fn deadline_of_a_call(&self) -> Option<Instant> {
        let options = &self.options;
        let total = options
            .total_timeout
            .and_then(|timeout| self.now().checked_add(timeout));
        earlier(options.deadline, total)
    }
}

/// Shows the base URL and never the key.
impl fmt::Debug for ClientCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCore")
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}

fn earlier(one: Option<Instant>, other: Option<Instant>) -> Option<Instant> {
    one.into_iter().chain(other).min()
}
