//! The gate that all calls of a client pass after one of them got a 429 response.
//!
//! Until then it costs a call one atomic load. Afterwards, no request is sent before the time that
//! the server named. Requests are then sent one at a time, at a pace that follows the quota: the
//! one that the server declares, or else an estimate from its 429 responses. A waiting call holds
//! only its own timer, so a dropped or unpolled call blocks no other.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use reqwest::header::HeaderMap;

use crate::call::retry::spread;
use crate::error::quota::Quota;

/// Percentage by which requests are sent slower than a declared quota allows, so that network and
/// timer jitter does not exceed the quota.
const MARGIN: u32 = 5;

/// Number of parts that the first wait is divided into to guess a pace when no quota is declared.
const FIRST_PARTS: u32 = 20;

/// Minimum time without a call after which the quota counts as full again.
const SHORTEST_REST: Duration = Duration::from_secs(1);

/// Permission to send a request, with the state of the gate at that time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pass {
    round: u64,
}

/// A 429 response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rejection {
    /// Time to wait before the next request.
    pub(crate) wait: Duration,
    pub(crate) quota: Option<Quota>,
}

#[derive(Default)]
pub(crate) struct Gate {
    /// Whether `pace` is `Some`.
    is_paced: AtomicBool,
    /// Number of times the pace was updated by a 429 response.
    rounds: AtomicU64,
    /// Number of responses other than 429 while there was a pace.
    answers: AtomicU64,
    pace: Mutex<Option<Pace>>,
}

struct Pace {
    /// When the next request may be sent.
    next: Instant,
    /// The time between two requests, and its minimum.
    interval: Duration,
    least: Duration,
    /// Time without a call after which the quota is full again.
    rest: Duration,
    /// When the gate last opened, and the number of requests let through since.
    opened: Instant,
    passed: u32,
    /// Whether the interval is still a guess, because no 429 response came while it was in use.
    is_guess: bool,
    /// Added to the wait that the server asked for, so that clients do not return all at once.
    spread: Duration,
}

impl Gate {
    /// Lets a request through, or returns how long to wait before asking again.
    pub(crate) fn pass(&self, now: impl FnOnce() -> Instant) -> Result<Pass, Duration> {
        let pass = Pass {
            round: self.rounds.load(Ordering::Acquire),
        };
        if !self.is_paced.load(Ordering::Acquire) {
            return Ok(pass);
        }
        let mut guard = self.lock();
        let Some(pace) = guard.as_mut() else {
            return Ok(pass);
        };
        let now = now();
        if now < pace.next {
            return Err(pace.next.duration_since(now));
        }
        if now.duration_since(pace.next) >= pace.rest {
            *guard = None;
            self.is_paced.store(false, Ordering::Release);
            return Ok(pass);
        }
        pace.next = later(now, pace.interval);
        pace.passed = pace.passed.saturating_add(1);
        Ok(pass)
    }

    /// Returns how long the next request has to wait.
    pub(crate) fn opens_in(&self, now: Instant) -> Duration {
        let next = self.lock().as_ref().map(|pace| pace.next);
        next.map_or(Duration::ZERO, |next| next.saturating_duration_since(now))
    }

    /// Records a 429 response to a request that was let through by `pass`. `random` is from 0 to 1.
    pub(crate) fn reject(&self, pass: Pass, rejection: Rejection, now: Instant, random: f64) {
        let mut guard = self.lock();
        let until = later(now, rejection.wait);
        // Concurrent requests report the same limit, which counts once.
        if pass.round == self.rounds.load(Ordering::Acquire) {
            self.rounds.fetch_add(1, Ordering::AcqRel);
            let pace = match guard.take() {
                Some(pace) => pace.slower(&rejection, until),
                None => Pace::guessed(&rejection, now),
            };
            *guard = Some(Pace {
                spread: spread(rejection.wait, random),
                ..pace
            });
            self.is_paced.store(true, Ordering::Release);
        }
        if let Some(pace) = guard.as_mut() {
            pace.next = pace.next.max(later(until, pace.spread));
            pace.opened = pace.next;
            pace.passed = 0;
        }
    }

    /// Records any other response; `headers` are those of a success.
    pub(crate) fn answer(&self, headers: Option<&HeaderMap>, now: impl FnOnce() -> Instant) {
        if !self.is_paced.load(Ordering::Acquire) {
            return;
        }
        self.answers.fetch_add(1, Ordering::AcqRel);
        if let Some(pace) = self.lock().as_mut() {
            pace.faster(headers.and_then(Quota::of), now());
        }
    }

    /// Returns the number of responses other than 429 so far. While it does not change, no request
    /// is served.
    pub(crate) fn answers(&self) -> u64 {
        self.answers.load(Ordering::Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Pace>> {
        // No code panics while holding the lock, and a pace is always consistent.
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pace {
    /// Returns the first pace, before there are any measurements.
    fn guessed(rejection: &Rejection, now: Instant) -> Self {
        let mut pace = Self {
            next: now,
            interval: rejection.wait / FIRST_PARTS,
            least: Duration::ZERO,
            rest: rejection.wait.max(SHORTEST_REST),
            opened: now,
            passed: 0,
            is_guess: true,
            spread: Duration::ZERO,
        };
        pace.heed(rejection.quota);
        pace
    }

    /// Returns the pace after another 429 response: the requests let through since the gate opened,
    /// spread over the time until it opens again.
    fn slower(mut self, rejection: &Rejection, until: Instant) -> Self {
        let passed = self.passed.saturating_sub(1);
        let spread_out = until.saturating_duration_since(self.opened).checked_div(passed);
        let slower = spread_out.unwrap_or_else(|| {
            let doubled = self.interval.saturating_mul(2);
            doubled.min(rejection.wait.max(self.interval))
        });
        self.interval = slower.max(self.interval);
        self.is_guess = false;
        self.heed(rejection.quota);
        self
    }

    /// Updates the pace after a response other than 429.
    fn faster(&mut self, quota: Option<Quota>, now: Instant) {
        let factor = if self.is_guess { 0.5 } else { 0.97 };
        self.interval = self.interval.mul_f64(factor).max(self.least);
        self.heed(quota);
        // A declared pace is kept. Without one, wait until a used-up quota is renewed.
        if let Some(Quota {
            interval: None,
            used_up_for: Some(wait),
            ..
        }) = quota
        {
            self.next = self.next.max(later(later(now, wait), self.spread));
        }
    }

    /// Applies a quota that the server declares.
    fn heed(&mut self, quota: Option<Quota>) {
        let Some(quota) = quota else { return };
        self.rest = quota.window.max(SHORTEST_REST);
        if let Some(interval) = quota.interval {
            self.least = interval + interval * MARGIN / 100;
            // A declared quota replaces a guess, but not a slower interval that was measured.
            self.interval = match self.is_guess {
                true => self.least,
                false => self.interval.max(self.least),
            };
        }
    }
}

/// Adds `wait`, limited to a year so that the instant does not overflow.
fn later(from: Instant, wait: Duration) -> Instant {
    const LONG: Duration = Duration::from_secs(365 * 24 * 60 * 60);
    from + wait.min(LONG)
}
