//! Decides whether to retry a call, after which delay, and takes the tokens from the budget.

use std::time::{Duration, Instant};

use crate::call::budget::Tokens;
use crate::call::core::ClientCore;
use crate::call::operation::Operation;
use crate::error::{Error, Fault, Kind, Unreached};

/// The conditions of another attempt: a delay, and tokens of the retry budget. If dropped, the
/// attempt is not made and the tokens are returned.
#[derive(Default)]
pub(crate) struct PlannedRetry {
    pub(crate) delay: Duration,
    tokens: Option<Tokens>,
}

impl PlannedRetry {
    pub(crate) fn without_delay(mut self) -> Self {
        self.delay = Duration::ZERO;
        self
    }

    /// Marks the attempt as made.
    pub(crate) fn spend(&mut self) {
        if let Some(tokens) = self.tokens.take() {
            tokens.spend();
        }
    }
}

impl ClientCore {
    /// Returns how to retry after `failed` failures, and takes tokens from the retry budget.
    /// Returns `None` if the retry policy allows no more attempts, the delay would pass the
    /// deadline, or the budget is used up.
    pub(crate) fn retry(&self, failed: usize, failure: &Error, deadline: Option<Instant>) -> Option<PlannedRetry> {
        let asked = asked_wait(failure);
        // A rate limit is not an outage: a retry at the time that the server names adds no load.
        let is_free = failure.is_rate_limited() && asked.is_some();
        self.planned(failed, asked, is_free, deadline)
    }

    /// Returns how to repeat a lookup after `lookups` lookups.
    pub(crate) fn retry_lookup(&self, lookups: usize, deadline: Option<Instant>) -> Option<PlannedRetry> {
        self.planned(lookups, None, false, deadline)
    }

    fn planned(
        &self,
        failed: usize,
        asked: Option<Duration>,
        is_free: bool,
        deadline: Option<Instant>,
    ) -> Option<PlannedRetry> {
        let failed = u32::try_from(failed).unwrap_or(u32::MAX);
        let delay = self.retry_policy().delay(failed, asked, fastrand::f64())?;
        let is_in_time = self.time_until(deadline).is_none_or(|left| delay < left);
        let tokens = match is_in_time {
            true if is_free => None,
            true => Some(self.settings.retry_budget.take()?),
            false => return None,
        };
        Some(PlannedRetry { delay, tokens })
    }
}

/// Returns how long the server asks to wait before the next request, from `Retry-After` or else
/// from a used-up quota.
pub(crate) fn asked_wait(failure: &Error) -> Option<Duration> {
    let by_quota = || failure.quota()?.used_up_for;
    failure.retry_after().or_else(by_quota)
}

/// Whether the request may be repeated and might then succeed.
pub(crate) fn may_be_repeated(operation: &Operation, failure: &Error) -> bool {
    match failure.kind() {
        Kind::Configuration(_)
        | Kind::NoRuntime
        | Kind::Argument(_)
        | Kind::DeadlinePassed
        | Kind::HeldBack { .. }
        | Kind::KeyUnavailable { .. }
        | Kind::Drift(_)
        | Kind::Unreadable(_)
        | Kind::NotReady(_) => false,
        #[cfg(feature = "blocking")]
        Kind::WithinRuntime => false,
        Kind::Unconnected { why, .. } => *why == Unreached::Other,
        Kind::TimedOut { .. } | Kind::Broken | Kind::NotHttp | Kind::Answered(Fault::Truncated) => {
            operation.is_idempotent
        }
        Kind::Answered(Fault::Status) => failure.status().is_some_and(|status| operation.is_retryable(status)),
        Kind::Answered(Fault::NotJson | Fault::BadEncoding | Fault::OffContract { .. } | Fault::TooLarge { .. }) => {
            false
        }
    }
}
