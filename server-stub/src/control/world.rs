//! A platform with the parts that control it.

use std::sync::Arc;

use super::faults::Faults;
use super::journal::Journal;
use crate::data::Dataset;
use crate::platform::Platform;
use crate::platform::clock::VirtualClock;
use crate::wire::RateLimiter;

#[derive(Debug)]
pub(super) struct World {
    pub(super) platform: Platform,
    /// The data that the platform started with.
    pub(super) dataset: Arc<Dataset>,
    pub(super) clock: VirtualClock,
    pub(super) limiter: Arc<RateLimiter>,
    pub(super) faults: Faults,
    pub(super) journal: Journal,
}
