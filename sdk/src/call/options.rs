//! What can be different for one call: a clone of the client has it, and all that is done with the clone.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use reqwest::header::HeaderMap;

use crate::call::retry::RetryPolicy;

#[derive(Clone, Default)]
pub(crate) struct CallOptions {
    /// In place of the contract's time-outs.
    pub(crate) attempt_timeout: Option<Duration>,
    pub(crate) total_timeout: Option<Duration>,
    pub(crate) deadline: Option<Instant>,
    pub(crate) retry_policy: RetryPolicy,
    pub(crate) headers: HeaderMap,
    /// Counts the answers 429, for who sends several requests at once.
    pub(crate) rate_limits: Option<Arc<AtomicU64>>,
}

impl CallOptions {
    pub(crate) fn note_rate_limit(&self) {
        if let Some(count) = &self.rate_limits {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}
