//! Keeps the requests of a run apart, as a [`Rate`] asks for.

use std::time::Duration;

use parking_lot::Mutex;

use crate::clock::Clock;
use crate::transport::rate::Rate;

/// Spreads requests evenly over the time.
#[derive(Debug)]
pub(crate) struct Pacer {
    interval: Duration,
    /// When the next request may be sent.
    next: Mutex<Duration>,
}

impl Pacer {
    pub(crate) fn new(rate: Rate) -> Self {
        Self {
            interval: rate.interval(),
            next: Mutex::default(),
        }
    }

    /// Waits for its turn.
    pub(crate) async fn turn(&self, clock: &dyn Clock) {
        let now = clock.elapsed();
        let turn = {
            let mut next = self.next.lock();
            let turn = now.max(*next);
            *next = turn + self.interval;
            turn
        };
        if turn > now {
            clock.sleep(turn - now).await;
        }
    }
}
