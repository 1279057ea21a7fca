//! The HTTP client of a run: sends requests as they are, within the limits on rate and number, waits after a 429, and
//! distinguishes trouble on the way from a response.
//!
//! It follows no redirect, and repeats a request only after a 429 or trouble. Responses are checked; trouble never is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::redact::Secrets;
use crate::target::Target;
use crate::target::near_key::NearKey;
use crate::transport::attempt::{Recorder, UnderWay};
use crate::transport::body::Bound;
use crate::transport::budget::RequestBudget;
use crate::transport::durations::{AnswerTimes, Durations, SlowAnswer};
use crate::transport::failed::{Failed, Kind};
use crate::transport::hanging::Hanging;
use crate::transport::limits::Limits;
use crate::transport::pacer::{Pacer, Quota};
use crate::transport::request::Request;
use crate::transport::response::HttpResponse;
use crate::transport::trouble::Trouble;
use crate::transport::wire::{Wire, no_key};
use crate::verdict::Stop;

mod talk;
mod waits;

use self::waits::{LONGEST_WAIT, is_over_quota, requested_wait, unavailable_for, wait_for, waits_for_quota};

/// The limit on attempts of one request.
pub const ATTEMPTS: u32 = 5;
/// The limit on attempts of a request that times out.
const ATTEMPTS_IN_TIME: u32 = 2;
/// The limit on attempts of a request that gets a 429.
const ATTEMPTS_AT_QUOTA: u32 = 10;
/// How long to wait after trouble; the wait doubles each further time.
const PAUSE: Duration = Duration::from_millis(250);
/// After this many consecutive attempts without a response the deployment is considered down.
const GONE: u32 = 40;
/// After this many consecutive 429s nothing more is sent: the quota is used up for longer than a run can wait.
const TURNED_AWAY: u32 = 40;
/// After this many consecutive gateway responses, they are treated as the deployment's.
const PERMANENT: u32 = 8;
/// Why a case has no verdict when its request was not waited for.
const ABANDONED: &str = "the run ended before the response: whether anything was changed is unknown";
/// Why a case has no verdict when it was not checked to the end.
pub(crate) const INTERRUPTED: &str = "the run was interrupted before this case";

/// A 429 that does not say how long to wait. One of them is judged.
#[derive(Debug, Default)]
enum Unexplained {
    #[default]
    None,
    Kept(Box<HttpResponse>),
    Taken,
}

/// Sends requests to one deployment.
#[derive(Debug)]
pub(crate) struct Client {
    wire: Wire,
    recorder: Option<Arc<dyn Recorder>>,
    /// All requests of the run.
    total: RequestBudget,
    /// Cancelled with the last of them: nothing waits for a turn that it could not use.
    used_up: CancellationToken,
    /// The requests among them that are retries.
    retries: RequestBudget,
    /// The non-read requests among them.
    additions: Arc<RequestBudget>,
    in_flight: Semaphore,
    pacer: Pacer,
    quota: Quota,
    clock: Arc<dyn Clock>,
    interrupt: CancellationToken,
    abandon: CancellationToken,
    answered: AtomicBool,
    /// The number of consecutive attempts without a response.
    silent: AtomicU32,
    /// The number of consecutive gateway responses.
    gateway: AtomicU32,
    /// The number of consecutive 429s to requests that can wait.
    turned_away: AtomicU32,
    /// The first 429 that does not say how long to wait, until it is checked against the contract.
    unexplained: Mutex<Unexplained>,
    hanging: Hanging,
    trouble: Mutex<Trouble>,
    durations: Mutex<Durations>,
}

impl Client {
    pub(crate) fn new(target: &Target, limits: Limits, clock: Arc<dyn Clock>) -> Result<Self, reqwest::Error> {
        Ok(Self {
            wire: Wire::new(target, limits.timeout, Bound(limits.max_body_bytes))?,
            recorder: limits.recorder,
            total: RequestBudget::of(limits.total),
            used_up: CancellationToken::new(),
            retries: RequestBudget::of(limits.retries),
            additions: Arc::new(RequestBudget::of(limits.additions)),
            in_flight: Semaphore::new(limits.in_flight.clamp(1, Semaphore::MAX_PERMITS)),
            pacer: Pacer::new(limits.rate),
            quota: Quota::default(),
            clock,
            interrupt: limits.interrupt,
            abandon: limits.abandon,
            answered: AtomicBool::new(false),
            silent: AtomicU32::new(0),
            gateway: AtomicU32::new(0),
            turned_away: AtomicU32::new(0),
            unexplained: Mutex::default(),
            hanging: Hanging::default(),
            trouble: Mutex::default(),
            durations: Mutex::default(),
        })
    }

    /// Whether the run may send non-read requests.
    pub(crate) fn may_write(&self) -> bool {
        self.additions.limit() > 0
    }

    /// A budget of non-read requests, within that of the run.
    pub(crate) fn additions(&self, most: u64) -> RequestBudget {
        RequestBudget::within(Arc::clone(&self.additions), most)
    }

    /// Sends a request, taken from a budget; a non-read request is also taken from `additions`. After trouble, it is
    /// retried if a second request can do no harm; retries have a budget of the run. `case` is the id of the case that
    /// sends it, if any.
    ///
    /// # Errors
    /// When writes are not allowed, there is no connection, no response in time, no such key or no request left, or the
    /// run was interrupted.
    pub(crate) async fn send(
        &self,
        request: &Request,
        budget: &RequestBudget,
        additions: &RequestBudget,
        case: Option<&str>,
    ) -> Result<HttpResponse, Stop> {
        if !budget.take() {
            return Err(Stop::Errored(format!(
                "its limit of {} requests is reached, and it needs more",
                budget.limit()
            )));
        }
        let mut attempts = 0;
        let mut was_401 = false;
        loop {
            attempts += 1;
            let value = self.wire.value_sent(request);
            let response = self.attempt(request, additions, case).await?;
            if let Ok(response) = &response {
                self.take_note_of_key(request, response, value, was_401);
            }
            let (text, pause) = match response {
                Ok(response) if self.is_renewed(request, &response, value, attempts).await? => {
                    was_401 = true;
                    continue;
                }
                Ok(response) if self.is_passing(request, &response, attempts) => {
                    if !request.is_repeatable() {
                        return Err(Stop::Errored(format!(
                            "a gateway responded to the {}; whether anything was changed is unknown: {}",
                            request.method,
                            response.summary()
                        )));
                    }
                    let asked = match is_over_quota(request, &response) {
                        true => Duration::ZERO,
                        false => unavailable_for(&response).unwrap_or_default(),
                    };
                    self.sleep(asked.max(PAUSE * 2_u32.pow(attempts - 1))).await?;
                    continue;
                }
                Ok(mut response) => match wait_for(request, &response, attempts) {
                    None => {
                        if waits_for_quota(request) {
                            self.quota.speed_up(self.clock.elapsed());
                        }
                        response.arrival.attempts = attempts;
                        return Ok(response);
                    }
                    Some(wait) => (self.note_429(request, wait, response), {
                        (wait <= LONGEST_WAIT && attempts < ATTEMPTS_AT_QUOTA).then_some(wait)
                    }),
                },
                Err(trouble) => {
                    self.note(&trouble.text);
                    let pause = PAUSE * 2_u32.pow(attempts - 1);
                    let again = attempts < self.attempts_after(&trouble, request);
                    (trouble.text, again.then_some(pause))
                }
            };
            let Some(pause) = pause else {
                return Err(Stop::Errored(text));
            };
            if !self.retries.take() {
                return Err(Stop::Errored(format!(
                    "{text}; no retries are left: all {} were sent",
                    self.retries.limit()
                )));
            }
            self.sleep(pause).await?;
        }
    }

    /// Records that the key of a request was accepted, if the response shows that.
    fn take_note_of_key(&self, request: &Request, response: &HttpResponse, value: usize, was_401: bool) {
        let shows = response.status != 401 && response.status < 500 && !response.is_page();
        if let Some(role) = request.role()
            && let Some(key) = self.wire.key(role).filter(|_| shows)
        {
            key.accepted(value, was_401);
        }
    }

    /// Whether a response shows that a key has expired, and a command returned a new one. Pays for the attempt with it.
    ///
    /// # Errors
    /// When the command failed.
    async fn is_renewed(
        &self,
        request: &Request,
        response: &HttpResponse,
        value: usize,
        attempts: u32,
    ) -> Result<bool, Stop> {
        let Some(role) = request.role() else {
            return Ok(false);
        };
        let Some(key) = self.wire.key(role).filter(|_| response.status == 401) else {
            return Ok(false);
        };
        let renewed = key.is_renewed(value).await;
        let renewed = renewed.map_err(|reason| Stop::Errored(no_key(role, &reason)))?;
        let again = renewed && attempts < ATTEMPTS && self.retries.take();
        if again {
            self.trouble.lock().expired += 1;
        }
        Ok(again)
    }

    /// Whether a response comes from a gateway in front of the deployment, or is the 503 of a deployment that is
    /// unavailable for a moment, and counts as trouble: another attempt, which is paid for here, may get the
    /// deployment's own response. What is answered repeatedly is judged as the deployment's.
    fn is_passing(&self, request: &Request, response: &HttpResponse, attempts: u32) -> bool {
        // A quota that is used up is still used up at once.
        let is_again = attempts > 1 && is_over_quota(request, response);
        let is_unavailable = response.status == 503 && request.is_repeatable() && !is_again;
        if !(is_unavailable || response.is_from_gateway()) {
            self.gateway.store(0, Ordering::Relaxed);
            return false;
        }
        let in_a_row = self.gateway.fetch_add(1, Ordering::Relaxed);
        let is_paid = || !request.is_repeatable() || self.retries.take();
        if in_a_row >= PERMANENT || attempts >= ATTEMPTS || !is_paid() {
            return false;
        }
        let mut trouble = self.trouble.lock();
        trouble.gateway += 1;
        let (method, path) = (&request.method, self.wire.shown_path(request));
        trouble.add_example(&format!("{method} {path}: {}", response.summary()));
        true
    }

    /// Sends a read once to a deployment that may not be up yet: failures are expected, and not counted as trouble.
    ///
    /// # Errors
    /// When it may not be sent.
    pub(crate) async fn ask_quietly(&self, request: &Request) -> Result<Result<HttpResponse, Failed>, Stop> {
        self.attempt(request, &RequestBudget::of(0), None).await
    }

    /// Sends a read once, and returns the reason if there is no response.
    ///
    /// # Errors
    /// When it may not be sent.
    pub(crate) async fn ask_once(&self, request: &Request) -> Result<Result<HttpResponse, Failed>, Stop> {
        let answered = self.attempt(request, &RequestBudget::of(0), None).await?;
        if let Err(failed) = &answered {
            self.note(&failed.text);
        }
        Ok(answered)
    }

    /// Pays for an addition before sending a request that would make one if the deployment accepted it. Every request
    /// goes through here.
    ///
    /// # Errors
    /// When the run may not write, or may add no more.
    fn pay_for_addition(&self, (method, only_reads): (&str, bool), additions: &RequestBudget) -> Result<(), Stop> {
        if only_reads {
            return Ok(());
        }
        if !self.may_write() {
            return Err(Stop::Skipped(needs_leave(method)));
        }
        match additions.take() {
            true => Ok(()),
            false => Err(Stop::Errored(format!(
                "the {method} was not sent: the deployment might accept it, and the announced limit on additions is \
                 reached"
            ))),
        }
    }

    /// Takes a request from the budgets, if one may still be sent to this path.
    ///
    /// # Errors
    /// When the deployment or this part of it no longer responds, or the run may not send the request, or no more
    /// requests.
    fn pay(&self, path: &str, write: (&str, bool), additions: &RequestBudget) -> Result<(), Stop> {
        let silent = self.silent.load(Ordering::Relaxed);
        if silent >= GONE {
            return Err(Stop::Errored(format!(
                "the deployment stopped responding: {GONE} attempts in a row had no response"
            )));
        }
        if let Some(part) = self.hanging.given_up(path) {
            return Err(Stop::Errored(format!(
                "{part} timed out too often and gets no more requests"
            )));
        }
        self.pay_for_addition(write, additions)?;
        if !self.total.take() {
            return Err(self.limit_reached());
        }
        if !self.total.is_left() {
            self.used_up.cancel();
        }
        Ok(())
    }

    /// Why a request is not sent after the last one of the run.
    fn limit_reached(&self) -> Stop {
        Stop::Errored(format!(
            "the limit of {} requests for the run is reached",
            self.total.limit()
        ))
    }

    /// Waits before a request, unless the run is interrupted or may send none.
    ///
    /// # Errors
    /// When it is or may not.
    async fn wait<T>(&self, waiting: impl Future<Output = T>) -> Result<T, Stop> {
        let waiting = self.used_up.run_until_cancelled(waiting);
        let waited = self.interrupt.run_until_cancelled(waiting).await;
        let waited = waited.ok_or_else(|| Stop::Skipped(INTERRUPTED.to_owned()))?;
        waited.ok_or_else(|| self.limit_reached())
    }

    /// Sends a request once, if it may be sent.
    async fn attempt(
        &self,
        request: &Request,
        additions: &RequestBudget,
        case: Option<&str>,
    ) -> Result<Result<HttpResponse, Failed>, Stop> {
        let turn = async {
            if waits_for_quota(request) {
                self.quota.turn(&*self.clock).await;
            }
            self.pacer.turn(&*self.clock).await;
            // It is never closed.
            self.in_flight.acquire().await.ok()
        };
        let _permit = self.wait(turn).await?;
        if waits_for_quota(request) && self.turned_away.load(Ordering::Relaxed) >= TURNED_AWAY {
            return Err(Stop::Errored(format!(
                "the quota is used up: {TURNED_AWAY} requests in a row got a 429"
            )));
        }
        let write = (request.method.as_str(), request.only_reads());
        self.pay(&request.path, write, additions)?;
        let answered = self.send_once(request, case).await?;
        // Nothing was added without a connection, or by a request that the quota rejected.
        let turned_away = match &answered {
            Ok(response) => response.status == 429,
            Err(failed) => failed.kind == Kind::NotSent,
        };
        if turned_away && !request.only_reads() {
            additions.give_back();
        }
        match &answered {
            Ok(_) => self.hanging.answers(&request.path),
            Err(failed) if failed.kind == Kind::TooLate => self.hanging.is_late(&request.path),
            Err(_) => {}
        }
        let is_answer = |failed: &Failed| failed.kind == Kind::TooLong;
        if answered.as_ref().err().is_none_or(is_answer) {
            self.answered.store(true, Ordering::Relaxed);
            self.silent.store(0, Ordering::Relaxed);
        }
        match &answered {
            Ok(response) if waits_for_quota(request) && response.status == 429 => {
                self.turned_away.fetch_add(1, Ordering::Relaxed);
            }
            Ok(_) if waits_for_quota(request) => self.turned_away.store(0, Ordering::Relaxed),
            _ => {}
        }
        Ok(answered)
    }

    /// Sends a request once, and records it whatever its result.
    async fn send_once(&self, request: &Request, case: Option<&str>) -> Result<Result<HttpResponse, Failed>, Stop> {
        let recorder = self.recorder.as_deref();
        let under_way = recorder.map(|recorder| UnderWay::begin(recorder, &self.wire, request, case));
        // The report needs the outcome of a request that may change something, so the client waits for it until the run
        // is abandoned.
        let (until, stop) = match request.is_repeatable() {
            true => (&self.interrupt, Stop::Skipped(INTERRUPTED.to_owned())),
            false => (&self.abandon, Stop::Errored(ABANDONED.to_owned())),
        };
        let sent = until.run_until_cancelled(self.wire.send(request)).await;
        let sent = sent.ok_or(stop)?;
        if let Some(mut under_way) = under_way {
            under_way.ended(&sent);
        }
        if let Ok(response) = &sent {
            self.note_duration(request, response, case);
        }
        Ok(sent)
    }

    /// Records the response time.
    fn note_duration(&self, request: &Request, response: &HttpResponse, case: Option<&str>) {
        let slow = |duration_ms| SlowAnswer {
            method: request.method.clone(),
            path: self.wire.shown_path(request),
            status: response.status,
            duration_ms,
            case: case.map(str::to_owned),
        };
        self.durations.lock().note(response.arrival.until_end, slow);
    }

    /// The limit on attempts of a request that met this trouble.
    fn attempts_after(&self, trouble: &Failed, request: &Request) -> u32 {
        // Waiting does not help with a deployment that has never responded.
        let responses = self.answered.load(Ordering::Relaxed);
        match trouble.kind {
            Kind::NotSent if responses => ATTEMPTS,
            Kind::BrokenOff if request.is_repeatable() => ATTEMPTS,
            Kind::TooLate if responses && request.is_repeatable() => ATTEMPTS_IN_TIME,
            _ => 1,
        }
    }

    /// Counts trouble on the way.
    fn note(&self, text: &str) {
        self.silent.fetch_add(1, Ordering::Relaxed);
        let mut trouble = self.trouble.lock();
        trouble.count += 1;
        trouble.add_example(text);
    }

    /// Counts a case that is run again because its data has changed.
    pub(crate) fn note_change(&self, text: &str) {
        let mut trouble = self.trouble.lock();
        trouble.grown += 1;
        trouble.add_example(text);
    }

    /// Counts a 429 after which the run waits, and returns a description of it.
    fn note_429(&self, request: &Request, wait: Duration, response: HttpResponse) -> String {
        if wait <= LONGEST_WAIT {
            self.quota.slow_down(self.clock.elapsed(), wait);
        }
        self.trouble.lock().waits += 1;
        let (method, path, seconds) = (&request.method, self.wire.shown_path(request), wait.as_secs());
        match requested_wait(&response) {
            Some(_) => format!("{method} {path}: 429, retry after {seconds} s"),
            None => {
                let mut unexplained = self.unexplained.lock();
                // One that no check takes gives way to the next.
                if !matches!(*unexplained, Unexplained::Taken) {
                    *unexplained = Unexplained::Kept(Box::new(response));
                }
                format!("{method} {path}: 429 without a Retry-After")
            }
        }
    }

    /// A 429 that did not say how long to wait, if it is the response to this request. It is returned once.
    pub(crate) fn take_unexplained(&self, request: &Request) -> Option<HttpResponse> {
        let mut unexplained = self.unexplained.lock();
        match std::mem::replace(&mut *unexplained, Unexplained::Taken) {
            Unexplained::Kept(response) if *response.request == *request => Some(*response),
            other => {
                *unexplained = other;
                None
            }
        }
    }

    /// Waits before another request, unless the run is interrupted or may send none.
    ///
    /// # Errors
    /// When it is or may not.
    pub(crate) async fn sleep(&self, duration: Duration) -> Result<(), Stop> {
        self.wait(self.clock.sleep(duration)).await
    }

    /// Whether a reference leads to the origin of the base URL.
    pub(crate) fn is_of_same_origin(&self, reference: &str) -> bool {
        self.wire.is_of_same_origin(reference)
    }

    /// The clock for all waits.
    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// The number of requests sent.
    pub(crate) fn sent(&self) -> u64 {
        self.total.used()
    }

    /// The trouble so far.
    pub(crate) fn troubles(&self) -> Trouble {
        let trouble = self.trouble.lock();
        trouble.clone()
    }

    /// The average response time so far; `None` without responses.
    pub(crate) fn mean_answer(&self) -> Option<Duration> {
        self.durations.lock().mean()
    }

    /// The response times so far.
    pub(crate) fn answer_times(&self) -> AnswerTimes {
        self.durations.lock().times()
    }

    /// Whether the run was interrupted.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.is_cancelled()
    }

    /// The time limit for one response.
    pub(crate) fn timeout(&self) -> Duration {
        self.wire.timeout()
    }

    /// Redacts a text of the kit: the keys of the target, and the other secrets of the connection.
    pub(crate) fn redact(&self, text: &str) -> String {
        self.secrets().written(text)
    }

    /// The texts similar to the key with full access that are not the key of any role.
    pub(crate) fn near_keys(&self) -> Vec<NearKey> {
        self.wire.near_keys()
    }

    /// The bytes of the header fields of every request with full access.
    pub(crate) fn usual_fields(&self) -> usize {
        self.wire.usual_fields()
    }

    /// Whether a text contains part of a text similar to the key with full access, and `usual` does not.
    pub(crate) fn shows_part_of(&self, near: NearKey, text: &str, usual: &str) -> bool {
        self.wire.shows_part_of(near, text, usual)
    }

    /// The secrets of the target.
    pub(crate) fn secrets(&self) -> Arc<Secrets> {
        self.wire.secrets()
    }

    /// Only the API keys, without the other secrets of the connection.
    pub(crate) fn keys(&self) -> Secrets {
        self.wire.keys()
    }
}

/// Why a case that sends a request of this method is skipped in a run that may only read.
pub(crate) fn needs_leave(method: &str) -> String {
    match method.contains(char::is_lowercase) {
        true => format!("sends the method `{method}` (lower case); needs --allow-writes"),
        false => format!("sends {method}; needs --allow-writes"),
    }
}
