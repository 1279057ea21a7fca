//! A clock for tests that moves only when a test advances it.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::virtual_clock::VirtualClock;
use super::{Clock, Timer};

/// A clock that stands still until [`advance`](Self::advance) moves it. Clones share one time.
///
/// For each timer that it created, the clock knows whether the task waits or works. It is settled when every task
/// waits: then all work that was due has been done.
#[derive(Clone)]
pub struct ManualClock(VirtualClock);

impl ManualClock {
    /// A clock that is stopped at `start`.
    pub fn new(start: DateTime<Utc>) -> Self {
        Self(VirtualClock::frozen_at(start))
    }

    /// Advances the clock, and stops at each moment that a task waits for, until that task waits again or has ended.
    /// When this returns, all work that was due has been done, in the order in which it was due.
    pub async fn advance(&self, duration: Duration) {
        self.0.advance(duration).await;
    }

    /// Returns when every background task waits or has ended, without advancing the clock.
    pub async fn settle(&self) {
        self.0.settle().await;
    }

    /// The next moment that a task waits for; `None` if no task waits.
    pub fn next_due(&self) -> Option<DateTime<Utc>> {
        self.0.next_due()
    }
}

impl Clock for ManualClock {
    fn now(&self) -> DateTime<Utc> {
        self.0.now()
    }

    fn timer(&self) -> Box<dyn Timer> {
        self.0.timer()
    }
}

impl fmt::Debug for ManualClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManualClock")
            .field("now", &self.now())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn clock() -> ManualClock {
        ManualClock::new(DateTime::UNIX_EPOCH)
    }

    #[tokio::test]
    async fn advance_returns_when_all_due_work_is_done() {
        let clock = clock();
        let seen = Arc::new(Mutex::new(Vec::new()));
        for seconds in [3u32, 1, 2] {
            let (mut timer, clock, seen) = (clock.timer(), clock.clone(), Arc::clone(&seen));
            tokio::spawn(async move {
                timer.sleep(SECOND * seconds).await;
                seen.lock().unwrap().push((seconds, clock.now().timestamp()));
                timer.sleep(SECOND * 10).await;
                seen.lock().unwrap().push((seconds, clock.now().timestamp()));
            });
        }
        clock.advance(SECOND * 11).await;
        assert_eq!(*seen.lock().unwrap(), [(1, 1), (2, 2), (3, 3), (1, 11)]);
        assert_eq!(clock.now().timestamp(), 11);
        assert_eq!(clock.next_due().map(|due| due.timestamp()), Some(12));
    }

    #[tokio::test]
    async fn stopped_task_does_not_delay_others() {
        let clock = clock();
        let mut timer = clock.timer();
        let task = tokio::spawn(async move { timer.sleep(SECOND).await });
        clock.settle().await;
        task.abort();
        assert!(task.await.is_err());
        clock.advance(SECOND * 2).await;
        assert_eq!(clock.next_due(), None);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn many_threads_settle() {
        let clock = clock();
        for _ in 0..200 {
            let mut timer = clock.timer();
            tokio::spawn(async move {
                for _ in 0..5 {
                    timer.sleep(SECOND).await;
                }
            });
        }
        clock.advance(SECOND * 5).await;
        assert_eq!(clock.next_due(), None);
    }
}
