//! The quotas of keys.

use chrono::{DateTime, Utc};

use crate::model::policy::RateLimit;

/// The quota of a key, and how much of it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyQuota {
    /// The name of the key.
    pub key: String,
    /// Its quota; `None` without a limit.
    pub limit: Option<RateLimit>,
    /// Number of requests in the current window, without those that got 429.
    pub used: u32,
    /// When the current window ends; `None` without one.
    pub ends: Option<DateTime<Utc>>,
}
