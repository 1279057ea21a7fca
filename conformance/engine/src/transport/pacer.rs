//! Keeps the requests of a run apart, as a [`Rate`] and the quota of the deployment ask for.

use std::time::Duration;

use parking_lot::Mutex;

use crate::clock::Clock;
use crate::transport::rate::Rate;

/// The interval after the first 429.
const FIRST: Duration = Duration::from_millis(50);
/// The longest interval that a quota leads to.
const LONGEST: Duration = Duration::from_secs(10);
/// After this many answers in a row that are no 429, requests follow each other faster again.
const FASTER_AFTER: u32 = 100;

/// Spreads requests evenly over the time. A 429 stops all of them until the deployment takes requests again, and makes them
/// slower from then on; the quota is found by that within a few answers of 429.
#[derive(Debug)]
pub(crate) struct Pacer {
    /// The interval that a rate asks for.
    least: Duration,
    pace: Mutex<Pace>,
}

#[derive(Debug)]
struct Pace {
    interval: Duration,
    /// When the next request may be sent.
    next: Duration,
    /// Until when the deployment takes none.
    closed_until: Duration,
    /// How many answers in a row were no 429.
    accepted: u32,
}

impl Pacer {
    pub(crate) fn new(rate: Option<Rate>) -> Self {
        let least = rate.map_or(Duration::ZERO, Rate::interval);
        Self {
            least,
            pace: Mutex::new(Pace {
                interval: least,
                next: Duration::ZERO,
                closed_until: Duration::ZERO,
                accepted: 0,
            }),
        }
    }

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

    /// Takes note that a request was answered 429 and asked to wait so long.
    pub(crate) fn slow_down(&self, now: Duration, wait: Duration) {
        let mut pace = self.pace.lock();
        // Requests that were sent together are answered 429 together.
        if now >= pace.closed_until {
            let longest = wait.min(LONGEST).max(pace.interval);
            pace.interval = (2 * pace.interval).max(FIRST).min(longest);
        }
        pace.closed_until = pace.closed_until.max(now + wait);
        pace.next = pace.closed_until;
        pace.accepted = 0;
    }

    /// Takes note that a request was answered something else.
    pub(crate) fn speed_up(&self) {
        let mut pace = self.pace.lock();
        pace.accepted += 1;
        if pace.accepted >= FASTER_AFTER && pace.interval > self.least {
            let faster = pace.interval * 3 / 4;
            let faster = if faster < FIRST { self.least } else { faster };
            pace.interval = faster.max(self.least);
            pace.accepted = 0;
        }
    }
}

impl Pace {
    /// When a request may be sent that asks now.
    fn reserve(&mut self, now: Duration) -> Duration {
        let turn = now.max(self.next);
        self.next = turn + self.interval;
        turn
    }
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

    /// When a number of requests are sent that all ask at once.
    fn sent(pacer: &Pacer, now: Duration, count: u32) -> Vec<Duration> {
        (0..count).map(|_| pacer.pace.lock().reserve(now)).collect()
    }

    #[test]
    fn a_rate_keeps_requests_apart_and_nothing_else_does() {
        let pacer = Pacer::new("10/s".parse().ok());
        let tenth = SECOND / 10;
        assert_eq!(
            sent(&pacer, SECOND, 3),
            [SECOND, SECOND + tenth, SECOND + 2 * tenth]
        );
        assert_eq!(sent(&Pacer::new(None), SECOND, 3), [SECOND; 3]);
    }

    #[test]
    fn a_429_stops_all_requests_and_makes_them_slower() {
        let pacer = Pacer::new(None);
        for _ in 0..4 {
            pacer.slow_down(SECOND, SECOND);
        }
        assert_eq!(sent(&pacer, SECOND, 2), [2 * SECOND, 2 * SECOND + FIRST]);
        pacer.slow_down(3 * SECOND, SECOND);
        assert_eq!(pacer.pace.lock().interval, 2 * FIRST);
    }

    #[test]
    fn a_quota_is_never_taken_for_slower_than_its_time_to_wait() {
        let pacer = Pacer::new(None);
        for number in 1..40 {
            pacer.slow_down(2 * number * SECOND, SECOND);
        }
        assert_eq!(pacer.pace.lock().interval, SECOND);
        let random = Pacer::new(None);
        random.slow_down(SECOND, Duration::ZERO);
        assert_eq!(sent(&random, SECOND, 2), [SECOND; 2]);
    }

    #[test]
    fn requests_become_faster_again_up_to_the_rate() {
        let pacer = Pacer::new("100/s".parse().ok());
        pacer.slow_down(SECOND, SECOND);
        (0..10 * FASTER_AFTER).for_each(|_| pacer.speed_up());
        assert_eq!(pacer.pace.lock().interval, SECOND / 100);
    }
}
