//! The one HTTP client of a run: it sends requests as they are, no faster and no more than it may, waits
//! when it is told to by 429, and tells trouble on the way from an answer.
//!
//! It follows no redirect, and sends nothing again but after a 429 or trouble on the way: what a deployment
//! answers is what is judged. What stood in the way never is.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::redirect::Policy;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::redact::Secrets;
use crate::target::connection::Connection;
use crate::target::key::ApiKey;
use crate::target::{Role, Target};
use crate::transport::account::Account;
use crate::transport::body::{Bound, Unread};
use crate::transport::request::{Credential, Request};
use crate::transport::trouble::Trouble;
use crate::verdict::Stop;

/// The longest wait that a 429 may ask for. Nobody waits for a longer one.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// How often one request is sent at the most.
pub const ATTEMPTS: u32 = 5;
/// How often one request is sent at the most that is not answered in time: each takes long enough.
const ATTEMPTS_IN_TIME: u32 = 2;
/// How long to wait after trouble, and twice as long after each further one.
const PAUSE: Duration = Duration::from_millis(250);
/// After so many attempts in a row without an answer the deployment is taken for gone.
const GONE: u32 = 40;
/// How many texts of trouble are kept as examples.
const EXAMPLES: usize = 5;
/// The longest that a connection may take to be established: an address that swallows packets is noticed
/// within seconds, however long an answer may take.
const CONNECT: Duration = Duration::from_secs(5);
/// Why a case has no verdict whose request was not waited for.
const ABANDONED: &str = "the run was ended while the answer was under way: it is not known whether anything was changed";
/// What a case is told that was not looked at, or not to the end.
pub(crate) const INTERRUPTED: &str = "the run was interrupted before this was looked at";

/// Sends requests to one deployment.
#[derive(Debug)]
pub(crate) struct Client {
    http: reqwest::Client,
    base_url: String,
    keys: BTreeMap<Role, ApiKey>,
    connection: Connection,
    timeout: Duration,
    secrets: Arc<Secrets>,
    max_body: Bound,
    /// All requests of the run.
    total: Account,
    /// Those of them that send something again.
    retries: Account,
    /// Those of them that do not only read.
    additions: Arc<Account>,
    in_flight: Semaphore,
    pacer: Option<Pacer>,
    clock: Arc<dyn Clock>,
    interrupt: CancellationToken,
    abandon: CancellationToken,
    answered: AtomicBool,
    /// How many attempts in a row had no answer.
    silent: AtomicU32,
    trouble: Mutex<Trouble>,
}

/// How much a client may send, and how fast.
#[derive(Debug)]
pub(crate) struct Limits {
    /// How long one answer may take.
    pub(crate) timeout: Duration,
    /// Requests in flight at once.
    pub(crate) in_flight: usize,
    /// Requests a second.
    pub(crate) rate: Option<NonZeroU32>,
    /// Requests of the run.
    pub(crate) total: u64,
    /// Those of them that send something again.
    pub(crate) retries: u64,
    /// Those of them that do not only read; none at all without leave to write.
    pub(crate) additions: u64,
    /// The longest body that is read.
    pub(crate) max_body_bytes: u64,
    /// Ends the run when it is cancelled: nothing is sent any more.
    pub(crate) interrupt: CancellationToken,
    /// Ends the wait for what is under way, too.
    pub(crate) abandon: CancellationToken,
}

/// Spreads requests evenly over the time.
#[derive(Debug)]
struct Pacer {
    interval: Duration,
    /// When the next request may be sent.
    next: Mutex<Duration>,
}

impl Pacer {
    fn new(rate: NonZeroU32) -> Self {
        Self {
            interval: Duration::from_secs(1) / rate.get(),
            next: Mutex::default(),
        }
    }

    /// Waits for its turn.
    async fn turn(&self, clock: &dyn Clock) {
        let now = clock.elapsed();
        let turn = {
            let mut next = self.next.lock();
            let turn = now.max(*next);
            *next = turn + self.interval;
            turn
        };
        if turn > now {
            clock.sleep(turn - now).await;
        }
    }
}

/// An answer of the deployment, whole.
///
/// Its fields hold what was sent, secrets included if the deployment repeats them: they are for judging.
/// [`summary`](Self::summary) and `Debug` are for showing, and hold none.
#[derive(Clone)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, as text.
    pub text: String,
    /// The body, when it is JSON; else null.
    pub body: Value,
    /// Whether the body is JSON.
    pub is_json: bool,
    /// The request, as a line for a shell. It names the variables of secrets; a value in it that the
    /// deployment sent before may repeat one. Findings hold it without.
    pub curl: Arc<str>,
    /// The request, to be sent again.
    pub(crate) request: Arc<Request>,
    /// What must not be seen of it.
    pub(crate) secrets: Arc<Secrets>,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = (self.secrets.written(&self.curl), self.summary());
        f.debug_tuple("Answer")
            .field(&shown.0)
            .field(&shown.1)
            .finish()
    }
}

impl Answer {
    /// The value of a header, when it is there once and is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let value = values.next().filter(|_| values.next().is_none())?;
        value.to_str().ok()
    }

    /// The node of the body at a JSON pointer; null when there is none.
    pub fn at(&self, pointer: &str) -> &Value {
        self.body.pointer(pointer).unwrap_or(&Value::Null)
    }

    /// Takes the entries of a page out of it; what is left is evidence enough.
    pub fn take(&mut self, member: &str) -> Vec<Value> {
        self.text = String::new();
        let entries = self.body.get_mut(member).and_then(Value::as_array_mut);
        entries.map(std::mem::take).unwrap_or_default()
    }

    /// The `code` of a problem.
    pub fn code(&self) -> Option<&str> {
        self.at("/code").as_str()
    }

    /// Whether its `errors` name a fault at this place, or below it: `["query", "limit"]`.
    pub fn names_fault_at(&self, place: &[&str]) -> bool {
        let errors = self.at("/errors").as_array();
        let is_there = |error: &Value| {
            let segments = error["loc"].as_array().map_or(&[][..], Vec::as_slice);
            segments.len() >= place.len()
                && place
                    .iter()
                    .zip(segments)
                    .all(|(name, segment)| segment == name)
        };
        errors.into_iter().flatten().any(is_there)
    }

    /// Status, code and the beginning of the body, for a person.
    pub fn summary(&self) -> String {
        let shown = |text: &str| self.secrets.excerpt(text);
        match self.code() {
            Some(code) => format!(
                "{} {}: {}",
                self.status,
                shown(code),
                shown(self.at("/detail").as_str().unwrap_or_default())
            ),
            None => format!("{} {}", self.status, shown(&self.text)),
        }
    }
}

impl Client {
    pub(crate) fn new(
        target: &Target,
        limits: Limits,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, reqwest::Error> {
        let builder = reqwest::Client::builder()
            .redirect(Policy::none())
            .timeout(limits.timeout)
            .connect_timeout(connect_timeout(limits.timeout))
            .user_agent(concat!("platform-conformance/", env!("CARGO_PKG_VERSION")));
        let http = target
            .connection
            .apply(builder, target.base_url())
            .build()?;
        let base_url = target.base_url.as_str().trim_end_matches('/').to_owned();
        Ok(Self {
            http,
            base_url,
            keys: target.keys.clone(),
            connection: target.connection.clone(),
            timeout: limits.timeout,
            secrets: Arc::new(target.secrets()),
            max_body: Bound(limits.max_body_bytes),
            total: Account::of(limits.total),
            retries: Account::of(limits.retries),
            additions: Arc::new(Account::of(limits.additions)),
            in_flight: Semaphore::new(limits.in_flight.clamp(1, Semaphore::MAX_PERMITS)),
            pacer: limits.rate.map(Pacer::new),
            clock,
            interrupt: limits.interrupt,
            abandon: limits.abandon,
            answered: AtomicBool::new(false),
            silent: AtomicU32::new(0),
            trouble: Mutex::default(),
        })
    }

    /// Whether the run may send requests that do not only read.
    pub(crate) fn may_write(&self) -> bool {
        self.additions.limit() > 0
    }

    /// An account of requests that do not only read, within that of the run.
    pub(crate) fn additions(&self, most: u64) -> Account {
        Account::within(Arc::clone(&self.additions), most)
    }

    /// Sends a request that an account pays for; `additions` pays for it too when it does not only read. Trouble
    /// on the way is tried again when a second request can do no harm; what sends something again is paid for
    /// by the run.
    ///
    /// # Errors
    /// What stood in the way: no leave to write, no connection, no answer in time, no such key, no request
    /// left, or the run was interrupted.
    pub(crate) async fn send(
        &self,
        request: &Request,
        account: &Account,
        additions: &Account,
    ) -> Result<Answer, Stop> {
        if !account.take() {
            return Err(Stop::Errored(format!(
                "the {} requests that were announced for it are sent, and it needs more",
                account.limit()
            )));
        }
        let mut attempts = 0;
        loop {
            attempts += 1;
            let (text, pause) = match self.attempt(request, additions).await? {
                Ok(answer) => match wait_for(request, &answer) {
                    None => return Ok(answer),
                    Some(wait) => (self.told_to_wait(request, wait), {
                        (wait <= LONGEST_WAIT && attempts < ATTEMPTS).then_some(wait)
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
                    "{text}; the {} requests that were announced for sending again are sent",
                    self.retries.limit()
                )));
            }
            self.sleep(pause).await?;
        }
    }

    /// Sends a read once, and says what stood in the way if there is no answer.
    ///
    /// # Errors
    /// When it may not be sent.
    pub(crate) async fn ask_once(&self, request: &Request) -> Result<Result<Answer, Failed>, Stop> {
        let answered = self.attempt(request, &Account::of(0)).await?;
        if let Err(failed) = &answered {
            self.note(&failed.text);
        }
        Ok(answered)
    }

    /// Pays for an addition before a request is sent that would make one if the deployment accepted it: the
    /// one place that every request goes through.
    ///
    /// # Errors
    /// When the run may not write, or adds no more.
    fn pay_for_addition(&self, request: &Request, additions: &Account) -> Result<(), Stop> {
        if request.only_reads() {
            return Ok(());
        }
        if !self.may_write() {
            return Err(Stop::Skipped(needs_leave(&request.method)));
        }
        match additions.take() {
            true => Ok(()),
            false => Err(Stop::Errored(format!(
                "the {} was not sent: the deployment might accept it, and no more additions were announced",
                request.method
            ))),
        }
    }

    /// Sends a request once, when it may be sent.
    async fn attempt(
        &self,
        request: &Request,
        additions: &Account,
    ) -> Result<Result<Answer, Failed>, Stop> {
        let interrupted = || Stop::Skipped(INTERRUPTED.to_owned());
        let turn = async {
            if let Some(pacer) = &self.pacer {
                pacer.turn(&*self.clock).await;
            }
            // It is never closed.
            self.in_flight.acquire().await.ok()
        };
        let Some(_permit) = self.interrupt.run_until_cancelled(turn).await else {
            return Err(interrupted());
        };
        let silent = self.silent.load(Ordering::Relaxed);
        if silent >= GONE {
            return Err(Stop::Errored(format!(
                "the deployment stopped answering: {GONE} attempts in a row had no answer"
            )));
        }
        self.pay_for_addition(request, additions)?;
        if !self.total.take() {
            return Err(Stop::Errored(format!(
                "the run may send no more than {} requests",
                self.total.limit()
            )));
        }
        let answered = match request.is_repeatable() {
            true => {
                let sent = self
                    .interrupt
                    .run_until_cancelled(self.send_once(request))
                    .await;
                sent.ok_or_else(interrupted)?
            }
            // What may change something is waited for, so that the report can tell what became of it, unless
            // nobody wants to wait any more.
            false => {
                let sent = self
                    .abandon
                    .run_until_cancelled(self.send_once(request))
                    .await;
                sent.ok_or_else(|| Stop::Errored(ABANDONED.to_owned()))?
            }
        };
        // Nothing was added without a connection, nor by a request that the quota turned away.
        let turned_away = match &answered {
            Ok(answer) => answer.status == 429,
            Err(failed) => failed.kind == Kind::NotSent,
        };
        if turned_away && !request.only_reads() {
            additions.give_back();
        }
        let is_answer = |failed: &Failed| failed.kind == Kind::TooLong;
        if answered.as_ref().err().is_none_or(is_answer) {
            self.answered.store(true, Ordering::Relaxed);
            self.silent.store(0, Ordering::Relaxed);
        }
        Ok(answered)
    }

    /// How often a request is sent at the most that met this trouble.
    fn attempts_after(&self, trouble: &Failed, request: &Request) -> u32 {
        // A deployment that has never answered does not begin to while one waits.
        let answers = self.answered.load(Ordering::Relaxed);
        match trouble.kind {
            Kind::NotSent if answers => ATTEMPTS,
            Kind::BrokenOff if request.is_repeatable() => ATTEMPTS,
            Kind::TooLate if answers && request.is_repeatable() => ATTEMPTS_IN_TIME,
            _ => 1,
        }
    }

    /// Counts trouble on the way.
    fn note(&self, text: &str) {
        self.silent.fetch_add(1, Ordering::Relaxed);
        let mut trouble = self.trouble.lock();
        trouble.count += 1;
        if trouble.examples.len() < EXAMPLES {
            trouble.examples.push(text.to_owned());
        }
    }

    /// Counts a 429 with a time to wait, and says so.
    fn told_to_wait(&self, request: &Request, wait: Duration) -> String {
        let mut trouble = self.trouble.lock();
        trouble.waits += 1;
        format!(
            "{} {}: 429, come back after {} s",
            request.method,
            self.shown_path(request),
            wait.as_secs()
        )
    }

    /// Waits, unless the run is interrupted.
    ///
    /// # Errors
    /// When it is.
    pub(crate) async fn sleep(&self, duration: Duration) -> Result<(), Stop> {
        let slept = self
            .interrupt
            .run_until_cancelled(self.clock.sleep(duration))
            .await;
        slept.ok_or_else(|| Stop::Skipped(INTERRUPTED.to_owned()))
    }

    async fn send_once(&self, request: &Request) -> Result<Answer, Failed> {
        let method = reqwest::Method::from_bytes(request.method.as_bytes())
            .map_err(|error| Failed::lasting(error.to_string()))?;
        let mut builder = self
            .http
            .request(method, format!("{}{}", self.base_url, request.path));
        match &request.credential {
            Credential::Role(role) => {
                let key = self.keys.get(role).ok_or_else(|| {
                    Failed::lasting(format!("no key of the role {}", role.as_str()))
                })?;
                builder = builder.header("API-Key", key.header());
            }
            Credential::Literal(texts) => {
                for text in texts {
                    builder = builder.header("API-Key", text);
                }
            }
        }
        for (name, value) in self.connection.headers(&request.headers) {
            builder = builder.header(name, value);
        }
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        if let Some(body) = &request.body {
            builder = builder.body(body.bytes());
        }
        let response = builder
            .send()
            .await
            .map_err(|error| self.trouble(request, &error))?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let unread = |unread| self.unread(request, unread);
        let bytes = self.max_body.read(response).await.map_err(unread)?;
        // What is no text is no JSON either.
        let (body, text) = match String::from_utf8(bytes) {
            Ok(text) => {
                self.max_body.check_values(&text).map_err(unread)?;
                (serde_json::from_str(&text).ok(), text)
            }
            Err(error) => {
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                (None, text)
            }
        };
        Ok(Answer {
            status,
            headers,
            is_json: body.is_some(),
            body: body.unwrap_or(Value::Null),
            text,
            curl: self.curl(request).into(),
            request: Arc::new(request.clone()),
            secrets: Arc::clone(&self.secrets),
        })
    }

    /// How long one answer may take.
    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// What it means that a body was not read.
    fn unread(&self, request: &Request, unread: Unread) -> Failed {
        match unread {
            Unread::Broken(error) => self.trouble(request, &error),
            Unread::TooLong(cause) => Failed {
                kind: Kind::TooLong,
                text: format!("{} {}: {cause}", request.method, self.shown_path(request)),
                cause,
            },
        }
    }

    /// The path and the query of a request, for a person: the line for a shell has them whole.
    fn shown_path(&self, request: &Request) -> String {
        self.secrets.written_excerpt(&request.path)
    }

    /// The time that everything goes by which waits.
    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// How many requests were sent.
    pub(crate) fn sent(&self) -> u64 {
        self.total.used()
    }

    /// The trouble on the way until now.
    pub(crate) fn troubles(&self) -> Trouble {
        let trouble = self.trouble.lock();
        trouble.clone()
    }

    /// Whether the run was interrupted.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.is_cancelled()
    }

    /// A text that the kit wrote without any key of the target, or other secret of the way to it.
    pub(crate) fn redact(&self, text: &str) -> String {
        self.secrets.written(text)
    }

    /// What must not be seen of the target.
    pub(crate) fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// The API keys alone, without the other secrets of the way to the target.
    pub(crate) fn keys(&self) -> Secrets {
        let keys = self.keys.values().map(|key| key.secret().clone());
        Secrets::new(keys, &self.base_url)
    }

    fn curl(&self, request: &Request) -> String {
        let variable = |role: Role| match self.keys.get(&role) {
            Some(key) => key.variable().to_owned(),
            None => role.variable().to_owned(),
        };
        request.curl(&self.base_url, variable, &self.connection)
    }

    fn trouble(&self, request: &Request, error: &reqwest::Error) -> Failed {
        // The error names the whole URL; the message names the path already.
        let mut text = error.to_string();
        if let Some(url) = error.url() {
            text = text.replace(&format!(" for url ({url})"), "");
        }
        let mut source = std::error::Error::source(error);
        let mut cause = error.to_string();
        while let Some(deeper) = source {
            cause = deeper.to_string();
            text.push_str(&format!(": {cause}"));
            source = deeper.source();
        }
        let kind = match error {
            error if error.is_builder() => Kind::Lasting,
            error if error.is_connect() => Kind::NotSent,
            error if error.is_timeout() => Kind::TooLate,
            _ => Kind::BrokenOff,
        };
        if error.is_connect() && error.is_timeout() {
            let within = connect_timeout(self.timeout).as_secs();
            cause = format!("no connection within {within} s");
        }
        let (method, path) = (&request.method, self.shown_path(request));
        let text = format!("{method} {path}: {}", self.secrets.excerpt(&text));
        Failed {
            kind,
            text,
            cause: self.secrets.excerpt(&cause),
        }
    }
}

/// What stood in the way of an answer, with a text for a person.
pub(crate) struct Failed {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    /// The innermost cause alone: `Connection refused (os error 111)`.
    pub(crate) cause: String,
}

impl Failed {
    fn lasting(text: String) -> Self {
        Self {
            kind: Kind::Lasting,
            cause: text.clone(),
            text,
        }
    }
}

/// What kind of trouble there is on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// There was no connection: nothing was sent.
    NotSent,
    /// The connection broke off: the next one may not.
    BrokenOff,
    /// There was no answer in time.
    TooLate,
    /// The body of the answer is longer than what is read.
    TooLong,
    /// What another attempt would meet again.
    Lasting,
}

/// How long a connection may take to be established, when an answer may take so long.
fn connect_timeout(timeout: Duration) -> Duration {
    timeout.min(CONNECT)
}

/// Why a case that sends a request of this method is skipped in a run that may only read.
pub(crate) fn needs_leave(method: &str) -> String {
    format!("sends {method}; needs --allow-writes")
}

/// How long a 429 asks to wait, when the request can wait: those of the role with a quota are sent to see
/// the 429.
fn wait_for(request: &Request, answer: &Answer) -> Option<Duration> {
    let patient = request.credential != Credential::Role(Role::RateLimited);
    let seconds = answer.header(RETRY_AFTER.as_str())?.parse().ok()?;
    let wait = Duration::from_secs(seconds);
    (patient && answer.status == 429).then_some(wait)
}
