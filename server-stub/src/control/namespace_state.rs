//! A platform with the parts that control it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::faults::Faults;
use super::namespaces::Namespaces;
use super::recorded_requests::RecordedRequests;
use crate::data::Dataset;
use crate::model::policy::{ApiKey, RateLimit};
use crate::platform::Platform;
use crate::platform::clock::VirtualClock;
use crate::wire::RateLimiter;

#[derive(Debug)]
pub(super) struct NamespaceState {
    pub(super) platform: Platform,
    seed: Mutex<Seed>,
    pub(super) clock: VirtualClock,
    pub(super) limiter: Arc<RateLimiter>,
    pub(super) faults: Faults,
    pub(super) recorded_requests: RecordedRequests,
    /// The namespaces that were opened from this one.
    pub(super) namespaces: Namespaces<Arc<NamespaceState>>,
}

/// What a reset goes back to.
#[derive(Debug, Clone)]
pub(super) struct Seed {
    pub(super) dataset: Arc<Dataset>,
    pub(super) keys: Vec<Arc<ApiKey>>,
    /// The quota of keys without their own quota.
    pub(super) quota: Option<RateLimit>,
}

impl NamespaceState {
    /// A platform that was made with this data and this clock.
    pub(super) fn new(platform: Platform, dataset: Arc<Dataset>, clock: VirtualClock) -> Self {
        let seed = Seed {
            dataset,
            keys: platform.keys().list(),
            quota: None,
        };
        Self {
            platform,
            seed: Mutex::new(seed),
            clock,
            limiter: Arc::new(RateLimiter::new(None)),
            faults: Faults::new(0),
            recorded_requests: RecordedRequests::default(),
            namespaces: Namespaces::new(),
        }
    }

    pub(super) fn seed(&self) -> Seed {
        self.lock().clone()
    }

    pub(super) fn change_seed(&self, change: impl FnOnce(&mut Seed)) {
        change(&mut self.lock());
    }

    fn lock(&self) -> MutexGuard<'_, Seed> {
        self.seed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
