//! The time that the kit goes by when it waits: for a quota, for an item, between two attempts.
//!
//! A deployment has the time of the world. The reference server in the same process can be given one that
//! is moved on by whoever waits, so that nobody does.

use std::fmt;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;

/// Waits, and tells how much time has passed.
pub trait Clock: fmt::Debug + Send + Sync {
    /// How much time has passed since the run began.
    fn elapsed(&self) -> Duration;

    /// Returns when this much more has passed.
    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()>;
}

/// The time of the machine.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self {
            start: Instant::now(),
        }
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
