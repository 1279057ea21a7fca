//! Options for one call. They are set on a clone of the client and apply to everything done with the clone.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use reqwest::header::HeaderMap;

use crate::call::retry::RetryPolicy;

#[derive(Clone, Default)]
pub(crate) struct CallOptions {
    /// Overrides the contract's timeouts.
    pub(crate) attempt_timeout: Option<Duration>,
    pub(crate) total_timeout: Option<Duration>,
    pub(crate) deadline: Option<Instant>,
    pub(crate) retry_policy: RetryPolicy,
    pub(crate) headers: HeaderMap,
    /// Counts 429 responses, for callers that send several requests concurrently.
    pub(crate) rate_limits: Option<Arc<AtomicU64>>,
}

impl CallOptions {
    pub(crate) fn note_rate_limit(&self) {
        if let Some(count) = &self.rate_limits {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}
