//! Spaces out the requests of a run, by a [`Rate`] and the quota of the deployment.

use std::time::Duration;

use parking_lot::Mutex;

use crate::clock::Clock;
use crate::transport::rate::Rate;

/// The shortest interval after a 429.
const SHORTEST: Duration = Duration::from_millis(1);
/// The longest interval that a quota can cause.
const LONGEST: Duration = Duration::from_secs(10);
/// The share of the rate that it gains in a second, right after a pause. A quota that is probed is exceeded by little.
const GROWTH: f64 = 0.1;
/// How much this share grows in each second without a 429: a rate that fell for another reason is soon back.
const FASTER_GROWTH: f64 = 0.05;
/// How many requests a second the rate gains for each second without a 429, however low it is.
const GAIN: f64 = 0.2;

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

/// Keeps requests below the quota of a deployment. A 429 stops all of them until the deployment accepts requests again.
/// From then on, the rate is what the deployment has accepted, its pause included, and rises until the next 429.
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
    /// Since when the accepted requests are counted: the end of the last pause.
    open_since: Duration,
    /// The number of requests that were accepted since then.
    accepted: u32,
    /// Whether the last response was a 429: the next one that is not ends the pause.
    is_closed: bool,
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
            // Another request got 429 in the meantime.
            sleep_until(closed_until, clock).await;
        }
    }

    /// Records that a request got a 429 with this wait.
    pub(crate) fn slow_down(&self, now: Duration, wait: Duration) {
        let mut pace = self.pace.lock();
        // Requests that were sent together get their 429s together.
        if now >= pace.closed_until {
            let longest = wait.min(LONGEST).max(pace.interval);
            let measured = (now + wait).saturating_sub(pace.open_since) / pace.accepted.max(1);
            pace.interval = measured.max(SHORTEST).max(pace.interval).min(longest);
            pace.is_closed = true;
        }
        pace.closed_until = pace.closed_until.max(now + wait);
        pace.next = pace.closed_until;
    }

    /// Records that a request got a response other than 429.
    pub(crate) fn speed_up(&self, now: Duration) {
        let mut pace = self.pace.lock();
        // Until the deployment has accepted one, the pause goes on.
        if now < pace.closed_until {
            return;
        }
        if std::mem::take(&mut pace.is_closed) {
            pace.open_since = pace.closed_until;
            pace.accepted = 0;
        }
        pace.accepted = pace.accepted.saturating_add(1);
        let (interval, open) = (pace.interval, now - pace.open_since);
        pace.interval = shorter(interval, open);
    }
}

/// The interval after one more response, when none was a 429 for some time. The longer that is, the more the rate
/// gains.
fn shorter(interval: Duration, without_429: Duration) -> Duration {
    let (interval, without_429) = (interval.as_secs_f64(), without_429.as_secs_f64());
    // What the rate gains during the interval, times the interval.
    let growth = (GROWTH + FASTER_GROWTH * without_429) * interval;
    let gain = GAIN * without_429 * interval * interval;
    let shorter = Duration::from_secs_f64(interval / (1.0 + growth + gain));
    if shorter < SHORTEST { Duration::ZERO } else { shorter }
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

    /// A deployment that accepts 100 requests in a second, then sends a 429.
    fn accepts_100(quota: &Quota, start: Duration) {
        (1..=100).for_each(|number| quota.speed_up(start + number * SECOND / 100));
    }

    #[test]
    fn status_429_pauses_and_slows_all_requests() {
        let quota = Quota::default();
        accepts_100(&quota, Duration::ZERO);
        for _ in 0..4 {
            quota.slow_down(SECOND, SECOND);
        }
        // It accepted 100 in the two seconds until it accepts requests again.
        assert_eq!(sent(&quota, SECOND), [2 * SECOND, 2 * SECOND + SECOND / 50]);
    }

    #[test]
    fn further_429s_slow_only_as_far_as_the_pauses_do() {
        let quota = Quota::default();
        accepts_100(&quota, Duration::ZERO);
        // The pause of a second does not help eight times.
        (1..=8).for_each(|number| quota.slow_down(number * SECOND, SECOND));
        assert_eq!(quota.pace.lock().interval, 9 * SECOND / 100);
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

    /// Returns the rate after some seconds without a 429 in which requests are sent as soon as they may be.
    fn rate_after(quota: &Quota, from: u64, seconds: u64) -> f64 {
        let end = Duration::from_secs(from + seconds);
        let mut now = Duration::from_secs(from);
        while now < end {
            now += quota.pace.lock().interval.max(SHORTEST);
            quota.speed_up(now);
        }
        1.0 / quota.pace.lock().interval.as_secs_f64()
    }

    #[test]
    fn rate_rises_step_by_step_while_there_is_no_429() {
        let quota = Quota::default();
        (1..40).for_each(|number| quota.slow_down(number * SECOND, SECOND));
        let rates = [(40, 5), (45, 5)].map(|(from, seconds)| rate_after(&quota, from, seconds));
        let within = [4.0..12.0, 30.0..130.0];
        for (rate, within) in rates.iter().zip(&within) {
            assert!(within.contains(rate), "{rates:?}");
        }
        assert_eq!(rate_after(&quota, 50, 20), f64::INFINITY);
    }

    /// Sends requests one after the other, a millisecond each, to a deployment that responds with a 429 and this wait.
    /// Returns when the last of them was accepted, and the number of 429s.
    fn send(requests: u32, mut wait: impl FnMut(Duration) -> Option<Duration>) -> (Duration, u32) {
        let quota = Quota::default();
        let (mut now, mut accepted, mut rejected) = (Duration::ZERO, 0, 0);
        while accepted < requests {
            now = quota.pace.lock().reserve(now);
            let wait = wait(now);
            now += Duration::from_millis(1);
            match wait {
                Some(wait) => {
                    quota.slow_down(now, wait);
                    rejected += 1;
                }
                None => {
                    quota.speed_up(now);
                    accepted += 1;
                }
            }
        }
        (now, rejected)
    }

    #[test]
    fn run_takes_little_longer_than_a_quota_requires() {
        for (quota, window, windows) in [
            (1, 1, 50),
            (5, 1, 20),
            (10, 1, 30),
            (50, 1, 20),
            (30, 10, 20),
            (100, 60, 10),
        ] {
            let (mut current, mut left) = (0, quota);
            let (taken, rejected) = send(quota * windows, |now| {
                let number = now.as_secs() / window;
                if number > current {
                    (current, left) = (number, quota);
                }
                let wait = SECOND * u32::try_from((number + 1) * window - now.as_secs()).unwrap();
                let is_over = left == 0;
                left -= u32::from(!is_over);
                is_over.then_some(wait)
            });
            let least = window * u64::from(windows);
            let name = format!("{rejected} rejected, {taken:?} instead of {least} s: {quota} in {window} s");
            assert!(2 * taken.as_secs() <= 3 * least, "{name}");
            assert!((1..=20).contains(&rejected), "{name}");
        }
    }

    /// A 429 that another load on the deployment caused is no reason to be slow for the rest of the run.
    #[test]
    fn rate_recovers_after_a_busy_time() {
        let is_busy = |now: Duration| (SECOND / 50..5 * SECOND).contains(&now);
        let (taken, rejected) = send(5_000, |now| is_busy(now).then_some(SECOND));
        assert!(taken < 30 * SECOND, "{taken:?}");
        assert!((4..=5).contains(&rejected), "{rejected}");
    }
}
