//! Laws of the run: how a call may end, given what really happened to its requests.

use std::collections::BTreeMap;
use std::time::Duration;

use platform_sdk::{Error, Outcome, Presence, StatusCode};

use super::call::{MAX_FAILURES, Walked, What};
use super::fault::{Fault, Rejection, RetryAfter};
use super::network::{ATTEMPT_TIMEOUT, DEADLINE};
use super::proxy::Passage;
use super::{Ending, Report};

/// Defaults of `RetryPolicy`.
const MAX_ATTEMPTS: usize = 4;
const MAX_RETRY_AFTER: Duration = Duration::from_secs(60);
/// Maximum number of polls before a wait times out.
const MAX_POLLS: usize = 20;
const MAX_BACKOFF: Duration = Duration::from_millis(800);
/// Jitter that is always allowed on top of the server's `Retry-After`.
const SPREAD: Duration = Duration::from_millis(50);

/// Returns the laws that a call broke.
pub(super) fn broken_laws(report: &Report, passages: &[Passage]) -> Vec<String> {
    let laws = Laws { report, passages };
    let mut broken = Broken::default();
    laws.of_every_call(&mut broken);
    match &report.ending {
        Ending::Failed(error) => laws.of_the_claims(error, &mut broken),
        Ending::Wrong(difference) => broken.push(format!("not the server's answer: {difference}")),
        Ending::Late => broken.push("it did not end in time"),
        Ending::Ensured(_, presence) => laws.of_presence(*presence, &mut broken),
        Ending::Unanswered => {
            let was_answered = passages.iter().any(Passage::was_answered);
            broken.unless(
                !was_answered || machine_was_slow(report, passages),
                "a wait took no note of an answer",
            );
        }
        Ending::Right | Ending::Added(_) => {}
    }
    if !machine_was_slow(report, passages) && laws.is_simple() {
        laws.of_the_policy(&mut broken);
    }
    broken.0
}

/// Returns whether an attempt may have timed out unintentionally. In that case the client handled a timeout,
/// and only the laws that hold for every call apply.
pub(super) fn machine_was_slow(report: &Report, passages: &[Passage]) -> bool {
    let stalls = match report.call.what {
        // Stalls of several pages can overlap.
        What::Walk(_) => 0,
        _ => passages.iter().filter(|passage| passage.stalls()).count(),
    };
    report.took >= ATTEMPT_TIMEOUT * (stalls as u32 + 1)
}

#[derive(Default)]
struct Broken(Vec<String>);

impl Broken {
    fn push(&mut self, complaint: impl Into<String>) {
        self.0.push(complaint.into());
    }

    fn unless(&mut self, holds: bool, complaint: &str) {
        if !holds {
            self.push(complaint);
        }
    }
}

struct Laws<'a> {
    report: &'a Report,
    passages: &'a [Passage],
}

/// Attempts at one request: the number of refused connections, then what reached the proxy.
struct Attempts<'a> {
    unconnected: usize,
    passages: Vec<&'a Passage>,
}

impl Laws<'_> {
    /// Laws that hold however slow the machine is.
    fn of_every_call(&self, broken: &mut Broken) {
        let what = &self.report.call.what;
        let request = what.request();
        let is_its_own = |passage: &Passage| match what {
            What::Walk(_) => passage.request.starts_with(&request),
            What::EnsureOrganization { .. } => passage.request.contains(&request),
            _ => passage.request == request,
        };
        broken.unless(
            self.passages.iter().all(is_its_own),
            "a request was sent that is not that of the contract",
        );
        let most = match what {
            // A prefetched page may be requested once more when its turn comes.
            What::Walk(Walked { resumes: true, .. }) => 2 * MAX_ATTEMPTS * (1 + MAX_FAILURES),
            // It may look after each attempt to add.
            What::EnsureOrganization { .. } => MAX_ATTEMPTS * MAX_ATTEMPTS,
            What::WaitUntilReady { .. } => MAX_ATTEMPTS * MAX_POLLS,
            _ => MAX_ATTEMPTS,
        };
        for attempts in self.requests().values() {
            let count = attempts.unconnected + attempts.passages.len();
            broken.unless(count <= most, "a request was sent too often");
        }
        self.of_writes(broken);
        if let (What::WaitUntilReady { .. }, Ending::Failed(_)) = (what, &self.report.ending) {
            let last = self.passages.last().and_then(Passage::seen);
            broken.unless(
                last.is_some_and(|status| matches!(status.as_u16(), 400 | 404)),
                "a wait ended for what passes by itself",
            );
        }
    }

    /// A write that may have happened is not sent again. An ensure may send it again only after a successful
    /// look at the items.
    fn of_writes(&self, broken: &mut Broken) {
        let looks = matches!(self.report.call.what, What::EnsureOrganization { .. });
        let mut may_have_happened = false;
        let mut count = 0;
        for passage in self.passages {
            if passage.is_write() {
                count += 1;
                broken.unless(!may_have_happened, "a write was sent again that may have happened");
                may_have_happened = passage.may_have_happened();
            } else if looks && passage.was_answered() {
                may_have_happened = false;
            }
        }
        broken.unless(count <= MAX_ATTEMPTS, "a write was sent too often");
    }

    /// The reported presence of an ensured item matches what happened.
    fn of_presence(&self, presence: Presence, broken: &mut Broken) {
        let writes = || self.passages.iter().filter(|passage| passage.is_write());
        let is_true = match presence {
            Presence::Created => writes().any(Passage::changed_something),
            // The client gets the response to the second of two duplicates.
            Presence::AlreadyThere => {
                writes().all(|write| !write.changed_something() || write.fault == Fault::Duplicate)
            }
            _ => writes().any(Passage::may_have_happened) || machine_was_slow(self.report, self.passages),
        };
        broken.unless(is_true, "an item came to be there otherwise than is said");
    }

    /// The outcome that an error reports is true of the server, whatever the client could see.
    fn of_the_claims(&self, error: &Error, broken: &mut Broken) {
        match error.outcome() {
            Outcome::NotSent if matches!(self.report.call.what, What::Walk(_)) => {}
            Outcome::NotSent => {
                broken.unless(self.passages.is_empty(), "what was not sent has arrived");
            }
            // A 409 says that the organization exists, not that this call had no effect.
            Outcome::Rejected if !error.is_already_in_pipeline() => {
                let happened = self.passages.iter().any(Passage::changed_something);
                broken.unless(!happened, "what was rejected has happened");
            }
            _ => {}
        }
    }

    /// A request is retried where that is safe and may help, exactly as often as the policy says, and an
    /// error lists every attempt.
    fn of_the_policy(&self, broken: &mut Broken) {
        let requests = self.requests();
        for attempts in requests.values() {
            let before = attempts.passages.split_last().map_or(&[][..], |(_, before)| before);
            broken.unless(
                before.iter().all(|passage| self.may_be_repeated(passage)),
                "a request was sent again without a reason",
            );
            let last = attempts.passages.last();
            let was_answered = last.is_some_and(|last| last.was_answered());
            broken.unless(
                was_answered || matches!(self.report.ending, Ending::Failed(_)),
                "a call succeeded without an answer",
            );
        }
        let Ending::Failed(error) = &self.report.ending else {
            return;
        };
        // A walk may abandon requests that were in flight when another failed.
        let complaints = requests.values().map(|attempts| self.of_the_failed(attempts, error));
        let fewest = complaints.min_by_key(|broken| broken.0.len());
        broken.0.extend(fewest.unwrap_or_default().0);
    }

    fn of_the_failed(&self, attempts: &Attempts, error: &Error) -> Broken {
        let mut broken = Broken::default();
        let count = attempts.unconnected + attempts.passages.len();
        let can_help = match attempts.passages.last() {
            Some(last) => self.may_be_repeated(last),
            None => true,
        };
        broken.unless(count == MAX_ATTEMPTS || !can_help, "a call gave up too early");
        broken.unless(
            !attempts.passages.last().is_some_and(|last| last.was_answered()),
            "a call failed that had a good answer",
        );
        broken.unless(
            error.attempts().len() == count,
            "an error has other attempts than there were",
        );
        // A later request of the same call may have to wait before its first attempt.
        let is_later = |one: &&Passage| !self.passages.first().is_some_and(|it| std::ptr::eq(it, *one));
        let is_later = attempts.passages.first().is_some_and(is_later);
        attempts.are_told_by(error, self.pace(), is_later, &mut broken);
        match attempts.passages.last() {
            Some(last) => last.is_told_by(error, &mut broken),
            None => broken.unless(error.is_connect(), "a refused connection was not reported as one"),
        }
        broken
    }

    /// Returns the maximum interval between requests, given the 429 responses to any of them.
    fn pace(&self) -> Duration {
        let is_429 = |passage: &&Passage| passage.seen() == Some(StatusCode::TOO_MANY_REQUESTS);
        let waits = self.passages.iter().filter(is_429);
        waits.map(Passage::retry_after).max().unwrap_or_default() / 5
    }

    fn may_be_repeated(&self, passage: &Passage) -> bool {
        let is_write = passage.is_write();
        let Some(status) = passage.seen() else {
            return !is_write;
        };
        let is_retryable = match is_write {
            true => status == StatusCode::TOO_MANY_REQUESTS,
            false => matches!(status.as_u16(), 429 | 500 | 502..=504),
        };
        let wait = passage.retry_after();
        let is_in_time = !self.report.call.is_hurried || wait < DEADLINE;
        is_retryable && wait <= MAX_RETRY_AFTER && is_in_time
    }

    /// Returns the attempts at each request. Refused connections belong to the first.
    fn requests(&self) -> BTreeMap<&str, Attempts<'_>> {
        let mut requests = BTreeMap::<&str, Attempts>::new();
        let mut unconnected = self.report.call.refusals as usize;
        if self.passages.is_empty() {
            let nobody = Attempts {
                unconnected,
                passages: Vec::new(),
            };
            requests.insert("", nobody);
        }
        for passage in self.passages {
            let attempts = requests.entry(&passage.request).or_insert_with(|| Attempts {
                unconnected: std::mem::take(&mut unconnected),
                passages: Vec::new(),
            });
            attempts.passages.push(passage);
        }
        for attempts in requests.values_mut() {
            attempts.unconnected = attempts.unconnected.min(MAX_ATTEMPTS);
        }
        requests
    }

    /// Returns whether the call sends a single request, or one at a time, exactly as the policy says.
    fn is_simple(&self) -> bool {
        !matches!(
            self.report.call.what,
            What::Walk(Walked { resumes: true, .. }) | What::WaitUntilReady { .. } | What::EnsureOrganization { .. }
        )
    }
}

impl Attempts<'_> {
    /// The error lists each attempt with the response that the proxy sent.
    fn are_told_by(&self, error: &Error, pace: Duration, is_later: bool, broken: &mut Broken) {
        let mut outcome = Outcome::NotSent;
        let mut asked = Duration::ZERO;
        for (number, attempt) in error.attempts().iter().enumerate() {
            let passage = number.checked_sub(self.unconnected);
            let passage = passage.and_then(|place| self.passages.get(place));
            let answered = passage.and_then(|passage| passage.answered.clone());
            let (status, request_id) = answered.unzip();
            let its_own = passage.map_or(Outcome::NotSent, |passage| passage.outcome());
            broken.unless(
                attempt.status() == status
                    && attempt.request_id() == request_id.flatten().as_deref()
                    && attempt.outcome() == its_own,
                "an error has an attempt that the proxy saw otherwise",
            );
            // Jitter adds up to a fifth, so that clients do not all return at once.
            let most = match number {
                0 if is_later => pace,
                0 => Duration::ZERO,
                _ => (asked + (asked / 5).max(SPREAD)).max(MAX_BACKOFF) + pace,
            };
            broken.unless(
                (asked..=most).contains(&attempt.delay()),
                "a client waited less than the server asked for, or much more",
            );
            asked = passage.map_or(Duration::ZERO, |passage| passage.retry_after());
            outcome = outcome.max(its_own);
        }
        broken.unless(error.outcome() == outcome, "the outcome is not that of all attempts");
    }
}

impl Passage {
    fn is_write(&self) -> bool {
        self.request.starts_with("POST")
    }

    pub(super) fn changed_something(&self) -> bool {
        self.carried_out.contains(&StatusCode::CREATED)
    }

    /// Returns the status that the client could rely on; `None` without a complete response.
    fn seen(&self) -> Option<StatusCode> {
        let (status, _) = self.answered.as_ref()?;
        let breaks_off = matches!(self.fault, Fault::Cut | Fault::HalfBody | Fault::StallInBody);
        // The status of an error is enough, whatever happened to its body.
        (!breaks_off || !status.is_success()).then_some(*status)
    }

    fn was_answered(&self) -> bool {
        self.seen().is_some_and(|status| status.is_success())
    }

    fn outcome(&self) -> Outcome {
        match self.seen() {
            Some(status) if status.is_client_error() => Outcome::Rejected,
            _ => Outcome::MayHaveHappened,
        }
    }

    /// Returns whether the client must assume that the request may have been carried out.
    fn may_have_happened(&self) -> bool {
        self.outcome() == Outcome::MayHaveHappened
    }

    fn stalls(&self) -> bool {
        matches!(self.fault, Fault::Stall { .. } | Fault::StallInBody)
    }

    fn retry_after(&self) -> Duration {
        match self.fault {
            Fault::Rejection(Rejection { retry_after, .. }) => retry_after.map_or(Duration::ZERO, RetryAfter::duration),
            _ => Duration::ZERO,
        }
    }

    /// The predicates of the error describe this attempt, the last one.
    fn is_told_by(&self, error: &Error, broken: &mut Broken) {
        let status = self.seen().map_or(0, |status| status.as_u16());
        for (name, holds, should) in [
            ("is_rate_limited", error.is_rate_limited(), status == 429),
            ("is_not_found", error.is_not_found(), status == 404),
            ("is_already_in_pipeline", error.is_already_in_pipeline(), status == 409),
            ("is_invalid", error.is_invalid(), matches!(status, 400 | 422)),
            ("is_server_error", error.is_server_error(), status >= 500),
            ("is_timeout", error.is_timeout(), status == 0 && self.stalls()),
            ("is_connect", error.is_connect(), false),
        ] {
            broken.unless(holds == should, &format!("{name} is {holds}"));
        }
    }
}
