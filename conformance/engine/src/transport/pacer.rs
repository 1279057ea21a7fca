//! Spaces out the requests of a run, by a [`Rate`] and the quota of the deployment.

use std::time::Duration;

use parking_lot::Mutex;

use crate::clock::Clock;
use crate::transport::rate::Rate;

/// The interval after the first 429.
const FIRST: Duration = Duration::from_millis(50);
/// The longest interval that a quota can cause.
const LONGEST: Duration = Duration::from_secs(10);
/// After this many consecutive responses other than 429, the interval decreases.
const FASTER_AFTER: u32 = 100;

/// Spreads requests evenly over time, by a rate.
#[derive(Debug)]
pub(crate) struct Pacer {
    interval: Duration,
    /// When the next request may be sent.
    next: Mutex<Duration>,
}

impl Pacer {
    pub(crate) fn new(rate: Option<Rate>) -> Self {
        Self {
            interval: rate.map_or(Duration::ZERO, Rate::interval),
            next: Mutex::default(),
        }
    }

    /// Waits for its turn.
    pub(crate) async fn turn(&self, clock: &dyn Clock) {
        let turn = reserve(&mut self.next.lock(), self.interval, clock.elapsed());
        sleep_until(turn, clock).await;
    }
}

/// Keeps requests below the quota of a deployment. A 429 stops all of them until the deployment accepts requests again,
/// and slows them down from then on, so that the quota is found within a few 429 responses.
#[derive(Debug, Default)]
pub(crate) struct Quota {
    pace: Mutex<Pace>,
}

#[derive(Debug, Default)]
struct Pace {
    interval: Duration,
    /// When the next request may be sent.
    next: Duration,
    /// Until when the deployment accepts none.
    closed_until: Duration,
    /// The number of consecutive responses other than 429.
    accepted: u32,
}

impl Quota {
    /// Waits for its turn.
    pub(crate) async fn turn(&self, clock: &dyn Clock) {
        loop {
            let turn = self.pace.lock().reserve(clock.elapsed());
            sleep_until(turn, clock).await;
            let closed_until = self.pace.lock().closed_until;
            if closed_until <= clock.elapsed() {
                return;
            }
            // Another request was answered 429 in the meantime.
            sleep_until(closed_until, clock).await;
        }
    }

    /// Records that a request got a 429 with this wait.
    pub(crate) fn slow_down(&self, now: Duration, wait: Duration) {
        let mut pace = self.pace.lock();
        // Requests that were sent together get their 429s together.
        if now >= pace.closed_until {
            let longest = wait.min(LONGEST).max(pace.interval);
            pace.interval = (2 * pace.interval).max(FIRST).min(longest);
        }
        pace.closed_until = pace.closed_until.max(now + wait);
        pace.next = pace.closed_until;
        pace.accepted = 0;
    }

    /// Records that a request got a response other than 429.
    pub(crate) fn speed_up(&self) {
        let mut pace = self.pace.lock();
        pace.accepted += 1;
        if pace.accepted >= FASTER_AFTER {
            let faster = pace.interval * 3 / 4;
            pace.interval = if faster < FIRST { Duration::ZERO } else { faster };
            pace.accepted = 0;
        }
    }
}

impl Pace {
    /// Returns when a request that asks now may be sent.
    fn reserve(&mut self, now: Duration) -> Duration {
        reserve(&mut self.next, self.interval, now)
    }
}

/// Returns when a request that asks now may be sent.
fn reserve(next: &mut Duration, interval: Duration, now: Duration) -> Duration {
    let turn = now.max(*next);
    *next = turn + interval;
    turn
}

async fn sleep_until(time: Duration, clock: &dyn Clock) {
    let now = clock.elapsed();
    if time > now {
        clock.sleep(time - now).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Returns when two requests that ask at once are sent.
    fn sent(quota: &Quota, now: Duration) -> [Duration; 2] {
        [(), ()].map(|()| quota.pace.lock().reserve(now))
    }

    #[test]
    fn only_a_rate_spaces_requests() {
        let sent = |rate: Option<&str>| {
            let pacer = Pacer::new(rate.and_then(|rate| rate.parse().ok()));
            [(), ()].map(|()| reserve(&mut pacer.next.lock(), pacer.interval, SECOND))
        };
        assert_eq!(sent(Some("10/s")), [SECOND, SECOND + SECOND / 10]);
        assert_eq!(sent(None), [SECOND; 2]);
    }

    #[test]
    fn status_429_pauses_and_slows_all_requests() {
        let quota = Quota::default();
        for _ in 0..4 {
            quota.slow_down(SECOND, SECOND);
        }
        assert_eq!(sent(&quota, SECOND), [2 * SECOND, 2 * SECOND + FIRST]);
        quota.slow_down(3 * SECOND, SECOND);
        assert_eq!(quota.pace.lock().interval, 2 * FIRST);
    }

    #[test]
    fn interval_never_exceeds_the_wait_of_a_429() {
        let quota = Quota::default();
        for number in 1..40 {
            quota.slow_down(2 * number * SECOND, SECOND);
        }
        assert_eq!(quota.pace.lock().interval, SECOND);
        let random = Quota::default();
        random.slow_down(SECOND, Duration::ZERO);
        assert_eq!(sent(&random, SECOND), [SECOND; 2]);
    }

    #[test]
    fn interval_shrinks_again_after_a_429() {
        let quota = Quota::default();
        quota.slow_down(SECOND, SECOND);
        (0..10 * FASTER_AFTER).for_each(|_| quota.speed_up());
        assert_eq!(quota.pace.lock().interval, Duration::ZERO);
    }
}
