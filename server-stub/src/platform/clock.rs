//! Time. No other code in the crate reads the time or sleeps.
//!
//! All code that waits or needs a timestamp uses a [`Clock`], so that a test can stop the time and advance it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use tokio::sync::{Notify, oneshot};

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

/// A clock that stands still until [`advance`](Self::advance) moves it. Clones share one time.
///
/// For each timer that it created, the clock knows whether the task waits or works. It is settled when every task
/// waits: then all work that was due has been done.
#[derive(Clone)]
pub struct ManualClock {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    /// Notified whenever the last working task starts to wait or ends.
    settled: Notify,
}

struct State {
    now: DateTime<Utc>,
    /// Timers whose tasks are working.
    working: usize,
    /// Waiting tasks, by the moment they wait for and the order they came in.
    waiting: BTreeMap<(DateTime<Utc>, u64), oneshot::Sender<()>>,
    arrivals: u64,
}

impl ManualClock {
    /// A clock that is stopped at `start`.
    pub fn new(start: DateTime<Utc>) -> Self {
        let state = State {
            now: start,
            working: 0,
            waiting: BTreeMap::new(),
            arrivals: 0,
        };
        Self {
            shared: Arc::new(Shared {
                state: Mutex::new(state),
                settled: Notify::new(),
            }),
        }
    }

    /// Advances the clock, and stops at each moment that a task waits for, until that task waits again or has ended.
    /// When this returns, all work that was due has been done, in the order in which it was due.
    pub async fn advance(&self, duration: Duration) {
        let target = self.shared.lock().now + duration;
        loop {
            self.settle().await;
            if !self.shared.lock().wake_next(target) {
                return;
            }
        }
    }

    /// Returns when every background task waits or has ended, without advancing the clock.
    pub async fn settle(&self) {
        loop {
            let told = self.shared.settled.notified();
            if self.shared.lock().working == 0 {
                return;
            }
            told.await;
        }
    }

    /// The next moment that a task waits for; `None` if no task waits.
    pub fn next_due(&self) -> Option<DateTime<Utc>> {
        self.shared
            .lock()
            .waiting
            .keys()
            .next()
            .map(|(due, _)| *due)
    }
}

impl State {
    /// Advances to the next moment that a task waits for, and wakes the task. If no task waits for a moment up to
    /// `target`, advances to `target` and returns false.
    fn wake_next(&mut self, target: DateTime<Utc>) -> bool {
        let Some(entry) = self
            .waiting
            .first_entry()
            .filter(|entry| entry.key().0 <= target)
        else {
            self.now = target;
            return false;
        };
        let ((due, _), sleeper) = entry.remove_entry();
        self.now = self.now.max(due);
        self.working += 1;
        // A task dropped at this very moment is counted out when its timer is dropped.
        let _ = sleeper.send(());
        true
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while holding the lock; even then, the counts would still be correct.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn one_less_works(&self) {
        let mut state = self.lock();
        state.working -= 1;
        if state.working == 0 {
            self.settled.notify_waiters();
        }
    }
}

impl Clock for ManualClock {
    fn now(&self) -> DateTime<Utc> {
        self.shared.lock().now
    }

    fn timer(&self) -> Box<dyn Timer> {
        self.shared.lock().working += 1;
        Box::new(ManualTimer {
            shared: Arc::clone(&self.shared),
        })
    }
}

impl fmt::Debug for ManualClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManualClock")
            .field("now", &self.now())
            .finish_non_exhaustive()
    }
}

/// Counted as working, except while it sleeps.
struct ManualTimer {
    shared: Arc<Shared>,
}

#[async_trait]
impl Timer for ManualTimer {
    async fn sleep(&mut self, duration: Duration) {
        let (sender, woken) = oneshot::channel();
        let place = {
            let mut state = self.shared.lock();
            let place = (state.now + duration, state.arrivals);
            state.arrivals += 1;
            state.waiting.insert(place, sender);
            place
        };
        self.shared.one_less_works();
        let _in_bed = InBed {
            shared: &self.shared,
            place,
        };
        // The clock keeps the sender until it is used, so an error is impossible.
        let _ = woken.await;
    }
}

/// Removes a waiting task from the list if it is dropped early.
struct InBed<'a> {
    shared: &'a Shared,
    place: (DateTime<Utc>, u64),
}

impl Drop for InBed<'_> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        if state.waiting.remove(&self.place).is_some() {
            state.working += 1;
        }
    }
}

impl Drop for ManualTimer {
    fn drop(&mut self) {
        self.shared.one_less_works();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn clock() -> ManualClock {
        ManualClock::new(DateTime::UNIX_EPOCH)
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_of_the_machine_passes_as_its_timers_sleep() {
        let clock = SystemClock;
        let start = clock.now();
        clock.timer().sleep(SECOND * 3600).await;
        let passed = (clock.now() - start).num_milliseconds();
        assert!((3_599_900..3_600_100).contains(&passed), "{passed}");
        let real = (Utc::now() - start).num_milliseconds();
        assert!(real < 60_000, "nobody waited: {real}");
    }

    #[tokio::test]
    async fn all_that_is_due_has_been_done_when_advance_returns() {
        let clock = clock();
        let seen = Arc::new(Mutex::new(Vec::new()));
        for seconds in [3u32, 1, 2] {
            let (mut timer, clock, seen) = (clock.timer(), clock.clone(), Arc::clone(&seen));
            tokio::spawn(async move {
                timer.sleep(SECOND * seconds).await;
                seen.lock()
                    .unwrap()
                    .push((seconds, clock.now().timestamp()));
                timer.sleep(SECOND * 10).await;
                seen.lock()
                    .unwrap()
                    .push((seconds, clock.now().timestamp()));
            });
        }
        clock.advance(SECOND * 11).await;
        assert_eq!(*seen.lock().unwrap(), [(1, 1), (2, 2), (3, 3), (1, 11)]);
        assert_eq!(clock.now().timestamp(), 11);
        assert_eq!(clock.next_due().map(|due| due.timestamp()), Some(12));
    }

    #[tokio::test]
    async fn a_task_that_is_stopped_holds_nobody_up() {
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
    async fn many_threads_settle_as_well() {
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
