//! Time. No other code in the crate reads the time or sleeps.
//!
//! All code that waits or needs a timestamp uses a [`Clock`], so that a test can stop the time and advance it.

mod manual;
mod virtual_clock;

use std::fmt;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use chrono::{DateTime, Utc};

pub use self::manual::ManualClock;
pub use self::virtual_clock::VirtualClock;

/// Gives the time, and creates timers.
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// The current time.
    fn now(&self) -> DateTime<Utc>;

    /// A timer for one background task, created before the task is spawned and dropped at its end.
    fn timer(&self) -> Box<dyn Timer>;
}

/// Lets one background task wait.
#[async_trait]
pub trait Timer: Send {
    /// Returns when `duration` has passed on the clock that created the timer.
    async fn sleep(&mut self, duration: Duration);
}

/// The time of the machine. In a test that pauses tokio's time, it follows tokio's time.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        // Equal, unless a test has paused or advanced tokio's time, which timers sleep by.
        let (here, machine) = (tokio::time::Instant::now().into_std(), Instant::now());
        let ahead = here.saturating_duration_since(machine);
        let behind = machine.saturating_duration_since(here);
        Utc::now() + ahead - behind
    }

    fn timer(&self) -> Box<dyn Timer> {
        Box::new(SystemTimer)
    }
}

struct SystemTimer;

#[async_trait]
impl Timer for SystemTimer {
    async fn sleep(&mut self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn time_of_the_machine_passes_while_timers_sleep() {
        let clock = SystemClock;
        let start = clock.now();
        clock.timer().sleep(Duration::from_secs(3600)).await;
        let passed = (clock.now() - start).num_milliseconds();
        assert!((3_599_900..3_600_100).contains(&passed), "{passed}");
        let real = (Utc::now() - start).num_milliseconds();
        assert!(real < 60_000, "nobody waited: {real}");
    }
}
