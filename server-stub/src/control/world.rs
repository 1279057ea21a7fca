//! A platform with the parts that control it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::faults::Faults;
use super::journal::Journal;
use super::namespaces::Namespaces;
use crate::data::Dataset;
use crate::model::policy::{ApiKey, RateLimit};
use crate::platform::Platform;
use crate::platform::clock::VirtualClock;
use crate::wire::RateLimiter;

#[derive(Debug)]
pub(super) struct World {
    pub(super) platform: Platform,
    /// The data that the platform started with.
    pub(super) dataset: Arc<Dataset>,
    /// The keys that the platform started with.
    pub(super) keys: Vec<Arc<ApiKey>>,
    pub(super) clock: VirtualClock,
    pub(super) limiter: Arc<RateLimiter>,
    /// The quota that keys without their own quota started with.
    pub(super) initial_quota: Mutex<Option<RateLimit>>,
    pub(super) faults: Faults,
    pub(super) journal: Journal,
    /// The worlds that were opened from this one.
    pub(super) namespaces: Namespaces<Arc<World>>,
}

impl World {
    pub(super) fn initial_quota(&self) -> Option<RateLimit> {
        *self.lock()
    }

    pub(super) fn set_initial_quota(&self, limit: Option<RateLimit>) {
        *self.lock() = limit;
    }

    fn lock(&self) -> MutexGuard<'_, Option<RateLimit>> {
        self.initial_quota
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
