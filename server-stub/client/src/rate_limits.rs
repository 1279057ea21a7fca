//! The quotas of API keys.

use chrono::{DateTime, Utc};
use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::client::EmulatorClient;
use crate::error::Error;

/// A quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RateLimit {
    /// Requests that may be made within one window, 1 or more.
    pub requests: u32,
    /// Length of the window in seconds, 1 or more.
    pub window_seconds: u32,
}

/// The quotas of all keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RateLimits {
    /// The quota of keys without their own quota; `None` without a limit.
    pub default: Option<RateLimit>,
    /// The quota of each key.
    pub keys: Vec<UsedRateLimit>,
}

/// The quota of a key, and how much of it is used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsedRateLimit {
    /// The name of the key.
    pub key: String,
    /// Its quota; `None` without a limit.
    pub rate_limit: Option<RateLimit>,
    /// Number of requests in the current window, without those that got 429.
    pub used: u32,
    /// When the current window ends; `None` without one.
    pub ends: Option<DateTime<Utc>>,
}

impl EmulatorClient {
    /// Reads the quotas, and how much of each is used.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn list_rate_limits(&self) -> Result<RateLimits, Error> {
        self.get("/rate-limits").await
    }

    /// Sets the quota of keys without their own quota; `None` for no limit.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn set_default_rate_limit(&self, limit: Option<RateLimit>) -> Result<(), Error> {
        let body = json!({"default": limit});
        self.done(self.request(Method::PUT, "/rate-limits").json(&body)).await
    }

    /// Resets the usage of every key.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn reset_rate_limits(&self) -> Result<(), Error> {
        self.done(self.request(Method::POST, "/rate-limits/reset")).await
    }
}
