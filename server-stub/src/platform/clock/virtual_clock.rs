//! A clock that follows the machine until it is frozen, and that can be advanced at any time.

use std::collections::BTreeMap;
use std::fmt;
use std::future::pending;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use super::{Clock, Timer};

/// The latest time of a clock, the first second of the year 9999.
const LATEST: DateTime<Utc> = match DateTime::from_timestamp(253_370_764_800, 0) {
    Some(latest) => latest,
    None => DateTime::<Utc>::MAX_UTC,
};
/// Maximum number of moments at which [`VirtualClock::run_to_idle`] stops.
const MOMENTS_MAX: usize = 100_000;

/// A clock that runs or stands still, and can be advanced in both states. Clones share one time.
///
/// For each timer that it created, the clock knows whether the task waits or works. It is settled when every task
/// waits: then all work that was due has been done.
///
/// ```
/// use std::time::Duration;
///
/// use platform_server_stub::platform::clock::{Clock, VirtualClock};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let clock = VirtualClock::running();
/// clock.freeze();
/// let before = clock.now();
/// clock.advance(Duration::from_secs(60)).await;
/// assert_eq!(clock.now() - before, chrono::TimeDelta::seconds(60));
/// # }
/// ```
#[derive(Clone)]
pub struct VirtualClock {
    shared: Arc<Shared>,
}

struct Shared {
    start: Start,
    state: Mutex<State>,
    /// Notified whenever the last working task starts to wait or ends.
    settled: Notify,
    /// Notified whenever the clock begins to run or to stand still, or jumps.
    turned: Notify,
    /// Held while the clock is advanced.
    advancing: tokio::sync::Mutex<()>,
}

#[derive(Debug, Clone, Copy)]
enum Start {
    /// With the time of the machine.
    Running,
    FrozenAt(DateTime<Utc>),
}

struct State {
    /// The time at `since`; the current time of a clock that stands still.
    base: DateTime<Utc>,
    /// When the clock began to run; `None` while it stands still.
    since: Option<Instant>,
    is_frozen: bool,
    is_advancing: bool,
    /// Timers whose tasks are working.
    working: usize,
    /// Waiting tasks, by the moment they wait for and the order they came in.
    waiting: BTreeMap<(DateTime<Utc>, u64), oneshot::Sender<()>>,
    arrivals: u64,
}

impl VirtualClock {
    /// A clock that runs from the time of the machine.
    pub fn running() -> Self {
        Self::of(Start::Running)
    }

    /// A clock that stands still at `start`.
    pub fn frozen_at(start: DateTime<Utc>) -> Self {
        Self::of(Start::FrozenAt(start))
    }

    /// Another clock that starts as this one did, and shares nothing with it.
    pub fn another(&self) -> Self {
        Self::of(self.shared.start)
    }

    fn of(start: Start) -> Self {
        let mut state = State {
            base: DateTime::UNIX_EPOCH,
            since: None,
            is_frozen: false,
            is_advancing: false,
            working: 0,
            waiting: BTreeMap::new(),
            arrivals: 0,
        };
        state.start(start);
        Self {
            shared: Arc::new(Shared {
                start,
                state: Mutex::new(state),
                settled: Notify::new(),
                turned: Notify::new(),
                advancing: tokio::sync::Mutex::new(()),
            }),
        }
    }

    /// Stops the time. Background tasks wait until it is advanced or runs again.
    pub fn freeze(&self) {
        self.shared.turn(|state| state.is_frozen = true);
    }

    /// Lets the time continue from where it stands.
    pub fn resume(&self) {
        self.shared.turn(|state| state.is_frozen = false);
    }

    /// Whether the time stands still.
    pub fn is_frozen(&self) -> bool {
        self.shared.lock().is_frozen
    }

    /// Sets the time back to that of the start: the time given to [`frozen_at`](Self::frozen_at), or that of the
    /// machine. Waits for an advance in progress.
    pub async fn reset(&self) {
        let _only = self.shared.advancing.lock().await;
        let start = self.shared.start;
        self.shared.turn(|state| state.start(start));
    }

    /// Sets the time, also to an earlier one, and whether it stands still. Waits for an advance in progress. A task
    /// that waits for a moment goes on waiting for it.
    pub async fn set(&self, now: DateTime<Utc>, is_frozen: bool) {
        let _only = self.shared.advancing.lock().await;
        self.shared.turn(|state| {
            state.base = now.min(LATEST);
            state.is_frozen = is_frozen;
        });
    }

    /// Advances the clock, and stops at each moment that a task waits for, until that task waits again or has ended.
    /// When this returns, all work that was due has been done, in the order in which it was due. The clock stops at the
    /// beginning of the year 9999.
    pub async fn advance(&self, duration: Duration) {
        let step = Step::begin(&self.shared).await;
        let duration = TimeDelta::from_std(duration).unwrap_or(TimeDelta::MAX);
        let target = self.now().checked_add_signed(duration).unwrap_or(LATEST);
        step.advance_to(target.min(LATEST)).await;
    }

    /// Advances the clock from moment to moment until no task waits, and returns the time at which the last work was
    /// done. If tasks still wait after 100,000 moments, it stops there; [`next_due`](Self::next_due) is then the moment
    /// that would follow.
    pub async fn run_to_idle(&self) -> DateTime<Utc> {
        let step = Step::begin(&self.shared).await;
        for _ in 0..MOMENTS_MAX {
            self.settle().await;
            match self.next_due() {
                Some(due) if due <= LATEST => step.advance_to(due.max(self.now())).await,
                _ => break,
            }
        }
        self.now()
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
        let state = self.shared.lock();
        state.waiting.keys().next().map(|(due, _)| *due)
    }
}

/// An advance in progress. Until it is dropped, the time does not run by itself.
struct Step<'a> {
    clock: VirtualClock,
    shared: &'a Shared,
    _only: tokio::sync::MutexGuard<'a, ()>,
}

impl<'a> Step<'a> {
    async fn begin(shared: &'a Arc<Shared>) -> Self {
        let only = shared.advancing.lock().await;
        shared.turn(|state| state.is_advancing = true);
        let clock = VirtualClock {
            shared: Arc::clone(shared),
        };
        Self {
            clock,
            shared,
            _only: only,
        }
    }

    async fn advance_to(&self, target: DateTime<Utc>) {
        loop {
            self.clock.settle().await;
            if !self.shared.lock().wake_next(target) {
                return;
            }
        }
    }
}

impl Drop for Step<'_> {
    fn drop(&mut self) {
        self.shared.turn(|state| state.is_advancing = false);
    }
}

impl State {
    fn start(&mut self, start: Start) {
        let (base, is_frozen) = match start {
            Start::Running => (Utc::now(), false),
            Start::FrozenAt(moment) => (moment, true),
        };
        self.is_frozen = is_frozen;
        self.base = base;
        self.since = (!is_frozen && !self.is_advancing).then(Instant::now);
    }

    fn now(&self) -> DateTime<Utc> {
        let passed = self.since.map_or(Duration::ZERO, |since| since.elapsed());
        self.base + passed
    }

    /// How long a task has to wait for a moment by the time of the machine; `None` while the clock stands still.
    fn wait(&self, due: DateTime<Utc>) -> Option<Duration> {
        self.since?;
        Some((due - self.now()).to_std().unwrap_or_default())
    }

    /// Advances to the next moment that a task waits for, and wakes the task. If no task waits for a moment up to
    /// `target`, advances to `target` and returns false.
    fn wake_next(&mut self, target: DateTime<Utc>) -> bool {
        let Some(entry) = self.waiting.first_entry().filter(|entry| entry.key().0 <= target) else {
            self.base = self.base.max(target);
            return false;
        };
        let ((due, _), sleeper) = entry.remove_entry();
        self.base = self.base.max(due);
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

    /// Changes how the time passes.
    fn turn(&self, change: impl FnOnce(&mut State)) {
        {
            let mut state = self.lock();
            state.base = state.now();
            state.since = None;
            change(&mut state);
            let runs = !state.is_frozen && !state.is_advancing;
            state.since = runs.then(Instant::now);
        }
        self.turned.notify_waiters();
    }

    fn one_less_works(&self) {
        let mut state = self.lock();
        state.working -= 1;
        if state.working == 0 {
            self.settled.notify_waiters();
        }
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> DateTime<Utc> {
        self.shared.lock().now()
    }

    fn timer(&self) -> Box<dyn Timer> {
        self.shared.lock().working += 1;
        Box::new(VirtualTimer {
            shared: Arc::clone(&self.shared),
        })
    }
}

impl fmt::Debug for VirtualClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VirtualClock")
            .field("now", &self.now())
            .field("is_frozen", &self.is_frozen())
            .finish_non_exhaustive()
    }
}

/// Counted as working, except while it sleeps.
struct VirtualTimer {
    shared: Arc<Shared>,
}

#[async_trait]
impl Timer for VirtualTimer {
    async fn sleep(&mut self, duration: Duration) {
        let (sender, mut woken) = oneshot::channel();
        let place = {
            let mut state = self.shared.lock();
            let place = (state.now() + duration, state.arrivals);
            state.arrivals += 1;
            state.waiting.insert(place, sender);
            place
        };
        self.shared.one_less_works();
        let _sleeping = Sleeping {
            shared: &self.shared,
            place,
        };
        loop {
            let mut turned = pin!(self.shared.turned.notified());
            // From here on no change of the clock is missed.
            turned.as_mut().enable();
            let wait = self.shared.lock().wait(place.0);
            tokio::select! {
                // The clock keeps the sender until it is used, so an error is impossible.
                _ = &mut woken => return,
                () = machine_sleep(wait) => return,
                () = turned => {}
            }
        }
    }
}

/// Sleeps by the time of the machine, or for ever.
async fn machine_sleep(wait: Option<Duration>) {
    match wait {
        Some(wait) => tokio::time::sleep(wait).await,
        None => pending().await,
    }
}

/// Removes a waiting task from the list when it stops waiting without having been woken.
struct Sleeping<'a> {
    shared: &'a Shared,
    place: (DateTime<Utc>, u64),
}

impl Drop for Sleeping<'_> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        if state.waiting.remove(&self.place).is_some() {
            state.working += 1;
        }
    }
}

impl Drop for VirtualTimer {
    fn drop(&mut self) {
        self.shared.one_less_works();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[tokio::test(start_paused = true)]
    async fn running_clock_follows_the_machine_until_it_is_frozen() {
        let clock = VirtualClock::running();
        let start = clock.now();
        clock.timer().sleep(HOUR).await;
        assert!(clock.now() - start >= TimeDelta::hours(1));
        clock.freeze();
        let frozen = clock.now();
        tokio::time::sleep(HOUR).await;
        assert_eq!(clock.now(), frozen);
        clock.resume();
        tokio::time::sleep(HOUR).await;
        assert_eq!(clock.now() - frozen, TimeDelta::hours(1));
    }

    #[tokio::test(start_paused = true)]
    async fn running_clock_can_be_advanced_and_runs_on() {
        let clock = VirtualClock::running();
        let start = clock.now();
        let mut timer = clock.timer();
        let task = tokio::spawn(async move { timer.sleep(HOUR).await });
        clock.advance(HOUR * 2).await;
        assert!(task.is_finished());
        assert_eq!(clock.now() - start, TimeDelta::hours(2));
        tokio::time::sleep(HOUR).await;
        assert_eq!(clock.now() - start, TimeDelta::hours(3));
    }

    #[tokio::test(start_paused = true)]
    async fn task_that_sleeps_when_the_clock_is_frozen_waits_until_it_is_advanced() {
        let clock = VirtualClock::running();
        let mut timer = clock.timer();
        let task = tokio::spawn(async move { timer.sleep(HOUR).await });
        clock.settle().await;
        clock.freeze();
        tokio::time::sleep(HOUR * 5).await;
        assert!(!task.is_finished());
        clock.advance(HOUR).await;
        assert!(task.is_finished());
    }

    #[tokio::test]
    async fn run_to_idle_ends_at_the_moment_of_the_last_work() {
        let clock = VirtualClock::frozen_at(DateTime::UNIX_EPOCH);
        for hours in [1, 3] {
            let mut timer = clock.timer();
            tokio::spawn(async move {
                timer.sleep(HOUR * hours).await;
                timer.sleep(HOUR).await;
            });
        }
        let end = DateTime::UNIX_EPOCH + HOUR * 4;
        assert_eq!(clock.run_to_idle().await, end);
        assert_eq!((clock.next_due(), clock.is_frozen()), (None, true));
        assert_eq!(clock.run_to_idle().await, end, "nothing is left");
    }

    #[tokio::test]
    async fn advance_that_is_dropped_lets_the_clock_run_on() {
        let clock = VirtualClock::running();
        // A task that never waits, so that the clock never settles.
        let working = clock.timer();
        let advance = tokio::time::timeout(Duration::from_millis(5), clock.advance(HOUR));
        assert!(advance.await.is_err());
        let before = clock.now();
        tokio::time::sleep(Duration::from_millis(5)).await;
        assert!(clock.now() > before);
        drop(working);
    }

    #[tokio::test]
    async fn clock_ends_at_the_year_9999_and_goes_back_to_its_start() {
        let clock = VirtualClock::frozen_at(DateTime::UNIX_EPOCH);
        clock.advance(Duration::MAX).await;
        clock.advance(HOUR).await;
        assert_eq!(clock.now(), LATEST);
        assert_eq!(LATEST.to_rfc3339(), "9999-01-01T00:00:00+00:00");
        clock.resume();
        clock.reset().await;
        assert_eq!((clock.now(), clock.is_frozen()), (DateTime::UNIX_EPOCH, true));
    }
}
