//! Rate limits: a fixed window for each key that has a quota.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use chrono::{DateTime, TimeDelta, Utc};

use super::problem::Problem;
use crate::model::policy::{QuotaState, RateLimit};
use crate::platform::keys::Caller;

/// Counts the requests of each key.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    /// The quota of keys without their own quota.
    default: Mutex<Option<RateLimit>>,
    windows: Mutex<HashMap<String, Window>>,
}

#[derive(Debug, Clone, Copy)]
struct Window {
    ends: DateTime<Utc>,
    used: u32,
}

/// The state of a key's quota after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quota {
    limit: RateLimit,
    /// Requests left; `None` if this request exceeded the quota.
    left: Option<u32>,
    /// Whole seconds until the window ends, one or more.
    seconds: u64,
}

impl RateLimiter {
    /// `default` is the quota of keys without their own quota.
    pub(crate) fn new(default: Option<RateLimit>) -> Self {
        Self {
            default: Mutex::new(default),
            windows: Mutex::default(),
        }
    }

    /// Sets the quota of keys without their own quota.
    pub(crate) fn set_default(&self, default: Option<RateLimit>) {
        *self.default() = default;
    }

    /// The quota of keys without their own quota.
    pub(crate) fn default_limit(&self) -> Option<RateLimit> {
        *self.default()
    }

    /// The requests of a key in its current window, and the end of the window; `None` without one.
    pub(crate) fn used(&self, name: &str, now: DateTime<Utc>) -> Option<(u32, DateTime<Utc>)> {
        let window = self.lock().get(name).copied();
        let window = window.filter(|window| window.ends > now);
        window.map(|window| (window.used, window.ends))
    }

    /// Forgets all requests, so that every key has its whole quota.
    pub(crate) fn reset(&self) {
        self.lock().clear();
    }

    /// The quota of a caller, if there is one.
    pub(super) fn limit_of(&self, caller: &Caller) -> Option<RateLimit> {
        caller.rate_limit().or_else(|| *self.default())
    }

    /// Counts one request of a caller with this quota.
    pub(super) fn take(&self, caller: &Caller, limit: RateLimit, now: DateTime<Utc>) -> QuotaState {
        let whole = Window {
            ends: now + TimeDelta::seconds(limit.window_seconds.into()),
            used: 0,
        };
        let mut windows = self.lock();
        let window = windows.entry(caller.name().to_owned()).or_insert(whole);
        if window.ends <= now {
            *window = whole;
        }
        let left = limit.requests.checked_sub(window.used + 1);
        if left.is_some() {
            window.used += 1;
        }
        let ends = window.ends;
        QuotaState { left, ends }
    }

    fn default(&self) -> MutexGuard<'_, Option<RateLimit>> {
        self.default.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Window>> {
        // Nothing panics while holding the lock; even then, a count would still be valid.
        self.windows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Quota {
    pub(super) fn new(limit: RateLimit, QuotaState { left, ends }: QuotaState, now: DateTime<Utc>) -> Self {
        let millis = (ends - now).num_milliseconds().max(0).unsigned_abs();
        Self {
            limit,
            left,
            seconds: millis.div_ceil(1000).max(1),
        }
    }

    /// The response to a request that exceeds the quota.
    pub(super) fn rejection(&self) -> Option<Problem> {
        if self.left.is_some() {
            return None;
        }
        let RateLimit {
            requests,
            window_seconds,
        } = self.limit;
        let seconds = self.seconds;
        let detail = format!(
            "The quota of {requests} requests in {window_seconds} seconds is used up. Try again in {seconds} seconds."
        );
        Some(Problem::rate_limited(detail, seconds))
    }

    /// The state of the quota, as headers.
    pub(super) fn headers(&self) -> HeaderMap {
        let RateLimit {
            requests,
            window_seconds,
        } = self.limit;
        let limit = format!(r#""default";r={};t={}"#, self.left.unwrap_or(0), self.seconds);
        let policy = format!(r#""default";q={requests};w={window_seconds}"#);
        let values = [("ratelimit", limit), ("ratelimit-policy", policy)];
        let header = |(name, value): (&'static str, String)| {
            Some((HeaderName::from_static(name), HeaderValue::from_str(&value).ok()?))
        };
        values.into_iter().filter_map(header).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::keys::KeyRing;

    fn caller(name: &str) -> Caller {
        let key =
            format!(r#"{{"key": "{name}", "name": "{name}", "rate_limit": {{"requests": 2, "window_seconds": 10}}}}"#);
        KeyRing::new([serde_json::from_str(&key).unwrap()])
            .authenticate(Some(name))
            .unwrap()
    }

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
    }

    fn take(limiter: &RateLimiter, name: &str, second: i64) -> Quota {
        let caller = caller(name);
        let limit = limiter.limit_of(&caller).unwrap();
        Quota::new(limit, limiter.take(&caller, limit, at(second)), at(second))
    }

    #[test]
    fn window_lets_exactly_its_quota_through() {
        let limiter = RateLimiter::new(None);
        let left = |name, second| take(&limiter, name, second).left;
        assert_eq!(
            [left("a", 0), left("a", 1), left("a", 2), left("a", 9)],
            [Some(1), Some(0), None, None]
        );
        assert_eq!(left("b", 9), Some(1), "another key has a quota of its own");
        assert_eq!(left("a", 10), Some(1), "a new window begins");
    }

    #[test]
    fn rejection_reports_when_to_try_again() {
        let limiter = RateLimiter::new(None);
        let take = |second| take(&limiter, "a", second);
        assert_eq!(
            (take(0).rejection().is_none(), take(1).rejection().is_none()),
            (true, true)
        );
        let quota = take(4);
        assert!(quota.rejection().is_some());
        assert_eq!(quota.seconds, 6);
        assert_eq!(quota.headers()["ratelimit"], r#""default";r=0;t=6"#);
        assert_eq!(quota.headers()["ratelimit-policy"], r#""default";q=2;w=10"#);
    }
}
