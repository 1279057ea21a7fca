//! The progress of one connection, shared by its socket and its service, and the deadline of its client.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use super::Limits;

/// Shared by the parts of one connection. They run in one task, so the lock is never contended.
#[derive(Debug)]
pub(super) struct Progress(Mutex<State>);

#[derive(Debug)]
struct State {
    phase: Phase,
    since: Instant,
    /// Whether no byte of the service's last response has been written yet.
    owes_response: bool,
    /// The time since which the client has accepted no bytes.
    stalled: Option<Instant>,
    /// The status of a rejection that has not been written yet.
    rejected: Option<u16>,
    unread: bool,
    reset: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// No request has begun.
    Idle,
    /// Part of a header has arrived.
    Header,
    /// The service works on a request.
    Exchange,
    /// The service has answered; the response is on its way to the client.
    Answered,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self(Mutex::new(State {
            phase: Phase::Idle,
            since: Instant::now(),
            owes_response: false,
            stalled: None,
            rejected: None,
            unread: false,
            reset: false,
        }))
    }

    /// Bytes have arrived.
    pub(super) fn received(&self) {
        self.lock().step(Phase::Idle, Phase::Header);
    }

    /// A request has been read up to the end of its header.
    pub(super) fn called(&self) {
        let mut state = self.lock();
        state.phase = Phase::Exchange;
    }

    /// The service has answered.
    pub(super) fn answered(&self) {
        let mut state = self.lock();
        state.step(Phase::Exchange, Phase::Answered);
        state.owes_response = true;
    }

    /// Bytes have been written.
    pub(super) fn wrote(&self) {
        self.lock().owes_response = false;
    }

    /// Whether the next bytes written begin the service's last response.
    pub(super) fn owes_response(&self) -> bool {
        self.lock().owes_response
    }

    /// All written bytes have been handed to the system.
    pub(super) fn flushed(&self) {
        self.lock().step(Phase::Answered, Phase::Idle);
    }

    /// The client accepts bytes again, or does not.
    pub(super) fn write_stalled(&self, stalled: bool) {
        let mut state = self.lock();
        state.stalled = match stalled {
            true => state.stalled.or_else(|| Some(Instant::now())),
            false => None,
        };
    }

    /// The input is not HTTP, or too long, and that has not been answered yet.
    pub(super) fn reject(&self, status: u16) {
        self.lock().rejected = Some(status);
    }

    /// The client may still be sending a body that is not read.
    pub(super) fn leave_unread(&self) {
        self.lock().unread = true;
    }

    /// The connection is to be reset.
    pub(super) fn reset(&self) {
        self.lock().reset = true;
    }

    pub(super) fn is_reset(&self) -> bool {
        self.lock().reset
    }

    pub(super) fn rejection(&self) -> Option<u16> {
        self.lock().rejected
    }

    pub(super) fn is_unread(&self) -> bool {
        self.lock().unread
    }

    pub(super) fn is_idle(&self) -> bool {
        self.lock().phase == Phase::Idle
    }

    /// Whether the service has no request to answer.
    pub(super) fn is_between_requests(&self) -> bool {
        self.lock().phase != Phase::Exchange
    }

    /// The time since which the connection has had no request.
    pub(super) fn idle_since(&self) -> Instant {
        self.lock().since
    }

    /// The time at which the client has taken too long; `None` while the service works, or if the limit is too far in
    /// the future to represent.
    pub(super) fn deadline(&self, limits: &Limits) -> Option<Instant> {
        let state = self.lock();
        let by_phase = match state.phase {
            Phase::Idle => state.since.checked_add(limits.idle_timeout),
            Phase::Header => state.since.checked_add(limits.header_timeout),
            Phase::Exchange | Phase::Answered => None,
        };
        let by_stall = state.stalled.and_then(|since| since.checked_add(limits.write_timeout));
        [by_phase, by_stall].into_iter().flatten().min()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing in this file panics while it holds the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn step(&mut self, from: Phase, to: Phase) {
        if self.phase == from {
            self.phase = to;
            self.since = Instant::now();
        }
    }
}
