//! When a call is retried, and how long it waits before.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Policy for retrying a call: how often, and how long to wait between attempts.
///
/// Between two attempts, a call waits for a random part (full jitter) of a limit that doubles with each
/// attempt, so that clients that failed together do not retry together. If the server sends `Retry-After`,
/// the call waits that long and up to a fifth longer.
///
/// A 429 response holds back all calls of the client and its clones until the server accepts requests again.
/// They are then sent one at a time, at the pace of the quota. This wait does not count as an attempt. Nor
/// does another 429 if the server served other calls in the meantime: the call then keeps waiting for its
/// turn, until its [deadline](crate::Client::with_deadline) or until this has happened 32 times.
///
/// The contract defines what can be retried (`x-idempotent`, `x-retryable-statuses`). A read is retried after
/// a network error, a truncated response, 429, 500, 502, 503 and 504. A write is retried only if it was
/// certainly not processed: no connection was made, or the response was 429.
///
/// ```
/// use std::time::Duration;
/// use platform_sdk::{Client, RetryPolicy};
///
/// let client = Client::builder()
///     .base_url("http://127.0.0.1:8080")
///     .api_key("dev-full-access")
///     .retry_policy(
///         RetryPolicy::default()
///             .max_attempts(6)
///             .initial_backoff(Duration::from_millis(100))
///             .max_backoff(Duration::from_secs(5))
///             .max_retry_after(Duration::from_secs(30)),
///     )
///     .build()?;
///
/// // One call that is better lost than late:
/// let impatient = client.with_retry_policy(RetryPolicy::never());
/// # Ok::<(), platform_sdk::Error>(())
/// ```
///
/// A policy can be deserialized from a settings file, with times in seconds. Missing fields get their
/// defaults:
///
/// ```
/// use std::time::Duration;
/// use platform_sdk::RetryPolicy;
///
/// let settings = r#"{"max_attempts": 6, "max_backoff_seconds": 2.5}"#;
/// let policy: RetryPolicy = serde_json::from_str(settings)?;
/// assert_eq!(policy.get_max_attempts(), 6);
/// assert_eq!(policy.get_max_backoff(), Duration::from_millis(2500));
/// assert_eq!(policy.get_initial_backoff(), RetryPolicy::default().get_initial_backoff());
/// assert_eq!(policy.get_max_retry_after(), Duration::from_secs(60));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Settings", into = "Settings")]
pub struct RetryPolicy {
    max_attempts: u32,
    initial_backoff: Duration,
    max_backoff: Duration,
    max_retry_after: Duration,
}

/// The serialized form of a policy.
#[derive(Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    max_attempts: u32,
    initial_backoff_seconds: f64,
    max_backoff_seconds: f64,
    max_retry_after_seconds: f64,
}

impl Default for Settings {
    fn default() -> Self {
        RetryPolicy::default().into()
    }
}

impl From<RetryPolicy> for Settings {
    fn from(policy: RetryPolicy) -> Self {
        Self {
            max_attempts: policy.max_attempts,
            initial_backoff_seconds: policy.initial_backoff.as_secs_f64(),
            max_backoff_seconds: policy.max_backoff.as_secs_f64(),
            max_retry_after_seconds: policy.max_retry_after.as_secs_f64(),
        }
    }
}

impl TryFrom<Settings> for RetryPolicy {
    type Error = String;

    fn try_from(settings: Settings) -> Result<Self, String> {
        let duration = |name: &str, seconds: f64| {
            let why = |_| format!("`{name}` is {seconds}, which is not a duration in seconds");
            Duration::try_from_secs_f64(seconds).map_err(why)
        };
        Ok(Self {
            max_attempts: settings.max_attempts.max(1),
            initial_backoff: duration("initial_backoff_seconds", settings.initial_backoff_seconds)?,
            max_backoff: duration("max_backoff_seconds", settings.max_backoff_seconds)?,
            max_retry_after: duration("max_retry_after_seconds", settings.max_retry_after_seconds)?,
        })
    }
}

impl Default for RetryPolicy {
    /// At most 4 attempts. Waits are at most 0.2, 0.4, 0.8 … and never more than 10 seconds, or up to 60
    /// seconds if the server asks for it.
    fn default() -> Self {
        Self {
            max_attempts: 4,
            initial_backoff: Duration::from_millis(200),
            max_backoff: Duration::from_secs(10),
            max_retry_after: Duration::from_secs(60),
        }
    }
}

impl RetryPolicy {
    /// Returns a policy with a single attempt. The attempt may still wait for its turn after a 429 response
    /// to another call.
    ///
    /// ```
    /// use platform_sdk::RetryPolicy;
    ///
    /// assert_eq!(RetryPolicy::never(), RetryPolicy::default().max_attempts(1));
    /// ```
    pub fn never() -> Self {
        Self::default().max_attempts(1)
    }

    /// Limits the number of attempts, including the first. 0 counts as 1.
    #[must_use]
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts.max(1);
        self
    }

    /// Limits the wait before the second attempt. The limit doubles with each further attempt.
    #[must_use]
    pub fn initial_backoff(mut self, backoff: Duration) -> Self {
        self.initial_backoff = backoff;
        self
    }

    /// Limits the wait before any attempt, unless the server asks for a longer one.
    #[must_use]
    pub fn max_backoff(mut self, backoff: Duration) -> Self {
        self.max_backoff = backoff;
        self
    }

    /// Limits the `Retry-After` that a call waits for. If the server asks for more, the call returns the
    /// error response immediately: an earlier retry would be rejected again, and the app can use the time
    /// ([`Error::retry_after`](crate::Error::retry_after)).
    #[must_use]
    pub fn max_retry_after(mut self, cap: Duration) -> Self {
        self.max_retry_after = cap;
        self
    }

    /// Returns the maximum number of attempts: see [`max_attempts`](Self::max_attempts).
    pub fn get_max_attempts(&self) -> u32 {
        self.max_attempts
    }

    /// Returns the maximum wait before the second attempt: see [`initial_backoff`](Self::initial_backoff).
    pub fn get_initial_backoff(&self) -> Duration {
        self.initial_backoff
    }

    /// Returns the maximum wait before any attempt: see [`max_backoff`](Self::max_backoff).
    pub fn get_max_backoff(&self) -> Duration {
        self.max_backoff
    }

    /// Returns the longest `Retry-After` that a call waits for: see
    /// [`max_retry_after`](Self::max_retry_after).
    pub fn get_max_retry_after(&self) -> Duration {
        self.max_retry_after
    }

    /// Returns the policy that is left after `failed` attempts, with at least one attempt.
    pub(crate) fn after(&self, failed: usize) -> Self {
        let failed = u32::try_from(failed).unwrap_or(u32::MAX);
        let left = self.max_attempts.saturating_sub(failed);
        self.clone().max_attempts(left)
    }

    /// Returns the wait after `failed` attempts, or `None` if there is no further attempt. `random` is from 0
    /// to 1.
    pub(crate) fn delay(&self, failed: u32, retry_after: Option<Duration>, random: f64) -> Option<Duration> {
        let asked = retry_after.unwrap_or_default();
        if !self.allows(failed, asked) {
            return None;
        }
        let doubled = 2_u32.saturating_pow(failed.saturating_sub(1));
        let limit = self.initial_backoff.saturating_mul(doubled).min(self.max_backoff);
        let part = Duration::try_from_secs_f64(limit.as_secs_f64() * random).unwrap_or(limit);
        Some(match retry_after {
            Some(asked) => part.max(asked.saturating_add(spread(asked, random))),
            None => part,
        })
    }

    /// Returns whether a call waits as long as the server asks.
    pub(crate) fn waits(&self, asked: Duration) -> bool {
        asked <= self.max_retry_after
    }

    /// Returns whether another attempt follows `failed` attempts, if the server asks to wait for `asked`.
    fn allows(&self, failed: u32, asked: Duration) -> bool {
        failed < self.max_attempts && self.waits(asked)
    }
}

/// Returns the time added to the wait that the server asks for, so that clients it rejected together do not
/// return together: up to a fifth of the wait, or up to 50 milliseconds if that is longer. `random` is from 0
/// to 1.
pub(crate) fn spread(asked: Duration, random: f64) -> Duration {
    let most = (asked / 5).max(Duration::from_millis(50));
    Duration::try_from_secs_f64(most.as_secs_f64() * random).unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{RetryPolicy, spread};

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn policy() -> RetryPolicy {
        RetryPolicy::default()
            .max_attempts(8)
            .initial_backoff(seconds(1))
            .max_backoff(seconds(10))
            .max_retry_after(seconds(30))
    }

    #[test]
    fn limit_of_the_wait_doubles_up_to_a_maximum() {
        let limits: Vec<_> = (1..8).map(|failed| policy().delay(failed, None, 1.0)).collect();
        let doubled = [1, 2, 4, 8, 10, 10, 10].map(|s| Some(seconds(s)));
        assert_eq!(limits, doubled);
    }

    #[test]
    fn wait_is_a_random_part_of_its_limit() {
        assert_eq!(policy().delay(3, None, 0.0), Some(Duration::ZERO));
        assert_eq!(policy().delay(3, None, 0.25), Some(seconds(1)));
    }

    #[test]
    fn no_attempt_follows_the_last() {
        assert_eq!(policy().delay(8, None, 0.5), None);
        assert_eq!(RetryPolicy::never().delay(1, None, 0.5), None);
        assert_eq!(policy().max_attempts(0).delay(1, None, 0.5), None);
    }

    #[test]
    fn retry_after_is_extended_by_up_to_a_fifth() {
        assert_eq!(policy().delay(1, Some(seconds(7)), 0.0), Some(seconds(7)));
        assert_eq!(policy().delay(1, Some(seconds(10)), 0.5), Some(seconds(11)));
        assert_eq!(policy().delay(1, Some(seconds(30)), 1.0), Some(seconds(36)));
        assert_eq!(policy().delay(4, Some(seconds(1)), 1.0), Some(seconds(8)));
    }

    #[test]
    fn short_waits_are_spread_too() {
        assert_eq!(spread(Duration::ZERO, 1.0), Duration::from_millis(50));
        assert_eq!(spread(Duration::from_millis(100), 0.5), Duration::from_millis(25));
        assert!(spread(Duration::MAX, 1.0) > Duration::MAX / 6);
    }

    #[test]
    fn too_long_a_retry_after_ends_the_call() {
        assert_eq!(policy().delay(1, Some(seconds(31)), 0.5), None);
    }

    #[test]
    fn policy_survives_serialization() {
        let policy = policy().initial_backoff(Duration::from_millis(250));
        let written = serde_json::to_string(&policy).unwrap_or_default();
        assert_eq!(serde_json::from_str::<RetryPolicy>(&written).ok(), Some(policy));
    }

    #[test]
    fn invalid_settings_are_rejected() {
        let rejected = |json: &str| {
            let read = serde_json::from_str::<RetryPolicy>(json);
            read.err().map(|error| error.to_string()).unwrap_or_default()
        };
        let negative = rejected(r#"{"max_backoff_seconds": -1.0}"#);
        assert!(negative.starts_with("`max_backoff_seconds` is -1"), "{negative}");
        assert!(rejected(r#"{"max_retries": 3}"#).contains("max_retries"));
        let once = serde_json::from_str::<RetryPolicy>(r#"{"max_attempts": 0}"#);
        assert!(once.is_ok_and(|policy| policy == RetryPolicy::never()));
    }

    #[test]
    fn delay_does_not_overflow() {
        let eager = policy().max_attempts(u32::MAX).max_backoff(Duration::MAX);
        let eager = eager.initial_backoff(Duration::MAX);
        assert!(eager.delay(u32::MAX - 1, None, 0.5).is_some());
    }
}
