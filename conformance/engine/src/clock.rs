//! The clock for all waits: for a quota, for an item, between two attempts.
//!
//! A deployment runs on real time. The reference server in the same process can run on a clock that every wait
//! advances, so that no wait takes time.

use std::fmt;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;

/// Waits, and measures time.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Returns the time since the run began.
    fn elapsed(&self) -> Duration;

    /// Returns after this duration has passed.
    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()>;
}

/// The system clock.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { start: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        tokio::time::sleep(duration).boxed()
    }
}
