//! The gate that all calls of a client go through once one of them was answered 429.
//!
//! Until then it costs a call one look at an atomic. Afterwards nobody sends before the time that the server
//! named, and then one request after the other, at a pace that follows the quota: the one that the server
//! declares, or otherwise the one that its 429s reveal. A call that waits holds only its own
//! timer, so one that is dropped, or that nobody polls, is in nobody's way.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use reqwest::header::HeaderMap;

use crate::call::retry::spread;
use crate::error::quota::Quota;

/// How much slower requests are sent than a declared quota allows, in hundredths: what network and timers
/// add to one request and not to the next must not make one too many.
const MARGIN: u32 = 5;

/// Into how many parts the first wait is divided to guess a pace where no quota is declared.
const FIRST_PARTS: u32 = 20;

/// The least time without a call after which the quota counts as whole again.
const SHORTEST_REST: Duration = Duration::from_secs(1);

/// What lets a request through; it says what was known at the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pass {
    round: u64,
}

/// An answer 429.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Refusal {
    /// How long to wait before the next request.
    pub(crate) wait: Duration,
    pub(crate) quota: Option<Quota>,
}

#[derive(Default)]
pub(crate) struct Gate {
    /// Whether `pace` is anything but `None`.
    is_paced: AtomicBool,
    /// How often something was learned from an answer 429.
    rounds: AtomicU64,
    /// How many requests were answered otherwise than 429 while there was a pace.
    answers: AtomicU64,
    pace: Mutex<Option<Pace>>,
}

struct Pace {
    /// When the next request may be sent.
    next: Instant,
    /// The time between two requests, and the least that it may be.
    interval: Duration,
    least: Duration,
    /// After how long without a call the quota is whole again.
    rest: Duration,
    /// When the gate opened last, and how many requests it has let through since.
    opened: Instant,
    passed: u32,
    /// Whether the interval is still a guess, because no answer 429 came while it was in use.
    is_guess: bool,
    /// What is added to the wait that the server asked for, so that its clients do not come back together.
    spread: Duration,
}

impl Gate {
    /// Lets a request through, or says after how long to ask again.
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

    /// How long the next request has to wait.
    pub(crate) fn opens_in(&self, now: Instant) -> Duration {
        let next = self.lock().as_ref().map(|pace| pace.next);
        next.map_or(Duration::ZERO, |next| next.saturating_duration_since(now))
    }

    /// Takes note of an answer 429 to a request that was let through by `pass`. `random` is from 0 to 1.
    pub(crate) fn refuse(&self, pass: Pass, refusal: Refusal, now: Instant, random: f64) {
        let mut guard = self.lock();
        let until = later(now, refusal.wait);
        // Requests that were under way together tell the same thing, which counts once.
        if pass.round == self.rounds.load(Ordering::Acquire) {
            self.rounds.fetch_add(1, Ordering::AcqRel);
            let pace = match guard.take() {
                Some(pace) => pace.slower(&refusal, until),
                None => Pace::guessed(&refusal, now),
            };
            *guard = Some(Pace {
                spread: spread(refusal.wait, random),
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

    /// Takes note of any other answer; `headers` are those of a success.
    pub(crate) fn answer(&self, headers: Option<&HeaderMap>, now: impl FnOnce() -> Instant) {
        if !self.is_paced.load(Ordering::Acquire) {
            return;
        }
        self.answers.fetch_add(1, Ordering::AcqRel);
        if let Some(pace) = self.lock().as_mut() {
            pace.faster(headers.and_then(Quota::of), now());
        }
    }

    /// How many requests were answered otherwise than 429 so far. While it stands still, nobody gets anything.
    pub(crate) fn answers(&self) -> u64 {
        self.answers.load(Ordering::Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Pace>> {
        // Nothing panics while it is locked, and a pace is whole at any time.
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pace {
    /// The first pace, for which there is no experience.
    fn guessed(refusal: &Refusal, now: Instant) -> Self {
        let mut pace = Self {
            next: now,
            interval: refusal.wait / FIRST_PARTS,
            least: Duration::ZERO,
            rest: refusal.wait.max(SHORTEST_REST),
            opened: now,
            passed: 0,
            is_guess: true,
            spread: Duration::ZERO,
        };
        pace.heed(refusal.quota);
        pace
    }

    /// The pace after another answer 429: what was let through since the gate opened, spread over the time
    /// until it opens again.
    fn slower(mut self, refusal: &Refusal, until: Instant) -> Self {
        let passed = self.passed.saturating_sub(1);
        let spread_out = until
            .saturating_duration_since(self.opened)
            .checked_div(passed);
        let slower = spread_out.unwrap_or_else(|| {
            let doubled = self.interval.saturating_mul(2);
            doubled.min(refusal.wait.max(self.interval))
        });
        self.interval = slower.max(self.interval);
        self.is_guess = false;
        self.heed(refusal.quota);
        self
    }

    /// The pace after an answer that is not 429.
    fn faster(&mut self, quota: Option<Quota>, now: Instant) {
        let factor = if self.is_guess { 0.5 } else { 0.97 };
        self.interval = self.interval.mul_f64(factor).max(self.least);
        self.heed(quota);
        // A declared pace is kept as it is; without one, a quota that is used up is waited for.
        if let Some(Quota {
            interval: None,
            used_up_for: Some(wait),
            ..
        }) = quota
        {
            self.next = self.next.max(later(later(now, wait), self.spread));
        }
    }

    /// Keeps to a quota that the server declares.
    fn heed(&mut self, quota: Option<Quota>) {
        let Some(quota) = quota else { return };
        self.rest = quota.window.max(SHORTEST_REST);
        if let Some(interval) = quota.interval {
            self.least = interval + interval * MARGIN / 100;
            // The guess is as good as replaced; what experience says is slower stays.
            self.interval = match self.is_guess {
                true => self.least,
                false => self.interval.max(self.least),
            };
        }
    }
}

/// What is too far away to be told as an instant is as good as never.
fn later(from: Instant, wait: Duration) -> Instant {
    const LONG: Duration = Duration::from_secs(365 * 24 * 60 * 60);
    from + wait.min(LONG)
}
