//! The HTTP client of a run: sends requests as they are, within the limits on rate and number, waits after a 429, and
//! distinguishes trouble on the way from an answer.
//!
//! It follows no redirect, and repeats a request only after a 429 or trouble. Answers are checked; trouble never is.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use reqwest::header::RETRY_AFTER;
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
use crate::transport::answer::Answer;
use crate::transport::body::{Bound, Unread};
use crate::transport::failed::{Failed, Kind};
use crate::transport::limits::Limits;
use crate::transport::pacer::Pacer;
use crate::transport::request::{Credential, Request};
use crate::transport::trouble::Trouble;
use crate::verdict::Stop;

/// The longest wait that is granted to a 429.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// The limit on attempts of one request.
pub const ATTEMPTS: u32 = 5;
/// The limit on attempts of a request that times out.
const ATTEMPTS_IN_TIME: u32 = 2;
/// How long to wait after trouble, and twice as long after each further one.
const PAUSE: Duration = Duration::from_millis(250);
/// After this many attempts in a row without an answer the deployment is considered down.
const GONE: u32 = 40;
/// After this many answers of a gateway in a row, a gateway is taken for the deployment.
const PERMANENT: u32 = 8;
/// How many texts of trouble are kept as examples.
const EXAMPLES: usize = 5;
/// The longest that a connection may take to be established: an address that swallows packets is noticed
/// within seconds, however long an answer may take.
const CONNECT: Duration = Duration::from_secs(5);
/// Why a case has no verdict whose request was not waited for.
const ABANDONED: &str = "the run was ended while the answer was under way: it is not known whether anything was changed";
/// Why a case has no verdict that was not checked, or not to the end.
pub(crate) const INTERRUPTED: &str = "the run was interrupted before this was looked at";

/// Sends requests to one deployment.
#[derive(Debug)]
pub(crate) struct Client {
    http: reqwest::Client,
    base_url: String,
    keys: BTreeMap<Role, ApiKey>,
    connection: Connection,
    timeout: Duration,
    /// What must not be seen, and of how many values of the keys it was made.
    secrets: Mutex<(usize, Arc<Secrets>)>,
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
    /// How many answers in a row came from a gateway.
    gateway: AtomicU32,
    trouble: Mutex<Trouble>,
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
            secrets: Mutex::new((values(&target.keys), Arc::new(target.secrets()))),
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
            gateway: AtomicU32::new(0),
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
    /// When writes are not allowed, there is no connection, no answer in time, no such key or no request left, or the run
    /// was interrupted.
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
        let mut was_401 = false;
        loop {
            attempts += 1;
            let value = self.value_sent(request);
            let answer = self.attempt(request, additions).await?;
            if let Ok(answer) = &answer {
                self.take_note_of_key(request, answer, value, was_401);
            }
            let (text, pause) = match answer {
                Ok(answer) if self.is_renewed(request, &answer, value, attempts).await? => {
                    was_401 = true;
                    continue;
                }
                Ok(answer) if self.is_passing(request, &answer, attempts) => {
                    self.sleep(PAUSE * 2_u32.pow(attempts - 1)).await?;
                    continue;
                }
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

    /// The number of the value that the key of a request has now.
    fn value_sent(&self, request: &Request) -> usize {
        match &request.credential {
            Credential::Role(role) => self.keys.get(role).map_or(0, ApiKey::values),
            Credential::Literal(_) => 0,
        }
    }

    /// Takes note that the key of a request was accepted, if the answer shows that.
    fn take_note_of_key(&self, request: &Request, answer: &Answer, value: usize, was_401: bool) {
        let shows = answer.status != 401 && answer.status < 500 && !answer.is_from_gateway();
        if let Credential::Role(role) = &request.credential
            && let Some(key) = self.keys.get(role).filter(|_| shows)
        {
            key.accepted(value, was_401);
        }
    }

    /// Whether an answer says that a key has expired, and a command gave a new one. Pays for the attempt with it.
    ///
    /// # Errors
    /// When the command failed.
    async fn is_renewed(
        &self,
        request: &Request,
        answer: &Answer,
        value: usize,
        attempts: u32,
    ) -> Result<bool, Stop> {
        let Credential::Role(role) = &request.credential else {
            return Ok(false);
        };
        let Some(key) = self.keys.get(role).filter(|_| answer.status == 401) else {
            return Ok(false);
        };
        let renewed = key.is_renewed(value).await;
        let renewed = renewed.map_err(|reason| Stop::Errored(no_key(*role, &reason)))?;
        let again = renewed && attempts < ATTEMPTS && self.retries.take();
        if again {
            self.trouble.lock().expired += 1;
        }
        Ok(again)
    }

    /// Whether an answer comes from a gateway in front of the deployment, and another attempt may reach the deployment
    /// itself. Pays for that attempt. A gateway that answers again and again is judged as the deployment.
    fn is_passing(&self, request: &Request, answer: &Answer, attempts: u32) -> bool {
        if !answer.is_from_gateway() {
            self.gateway.store(0, Ordering::Relaxed);
            return false;
        }
        let in_a_row = self.gateway.fetch_add(1, Ordering::Relaxed);
        let may_pass = in_a_row < PERMANENT && attempts < ATTEMPTS && request.is_repeatable();
        if !may_pass || !self.retries.take() {
            return false;
        }
        let mut trouble = self.trouble.lock();
        trouble.gateway += 1;
        if trouble.examples.len() < EXAMPLES {
            let (method, path) = (&request.method, self.shown_path(request));
            trouble
                .examples
                .push(format!("{method} {path}: {}", answer.summary()));
        }
        true
    }

    /// Sends a read once to a deployment that may not be up yet: what stands in the way is expected, and not counted as
    /// trouble.
    ///
    /// # Errors
    /// When it may not be sent.
    pub(crate) async fn ask_quietly(
        &self,
        request: &Request,
    ) -> Result<Result<Answer, Failed>, Stop> {
        self.attempt(request, &Account::of(0)).await
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
            // The report needs the outcome of a request that may change something, so it is waited for until the run
            // is abandoned.
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

    /// The limit on attempts of a request that met this trouble.
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

    /// Whether a reference leads to the origin of the base URL.
    pub(crate) fn is_of_same_origin(&self, reference: &str) -> bool {
        let Ok(base) = reqwest::Url::parse(&self.base_url) else {
            return false;
        };
        base.join(reference)
            .is_ok_and(|joined| joined.origin() == base.origin())
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
                let header = key.header().await;
                let header = header.map_err(|reason| Failed::lasting(no_key(*role, &reason)))?;
                builder = builder.header("API-Key", header);
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
            secrets: self.secrets(),
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
        self.secrets().written_excerpt(&request.path)
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
        self.secrets().written(text)
    }

    /// What must not be seen of the target.
    pub(crate) fn secrets(&self) -> Arc<Secrets> {
        let (known, secrets) = &mut *self.secrets.lock();
        let values = values(&self.keys);
        // A command has printed a new key.
        if *known != values {
            let keys = self.keys.values().flat_map(ApiKey::secrets);
            let all = keys.chain(self.connection.secrets());
            (*known, *secrets) = (values, Arc::new(Secrets::new(all, &self.base_url)));
        }
        Arc::clone(secrets)
    }

    /// The API keys alone, without the other secrets of the way to the target.
    pub(crate) fn keys(&self) -> Secrets {
        let keys = self.keys.values().flat_map(ApiKey::secrets);
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
        let (method, path) = (&request.method, self.shown_path(request));
        let failed = Failed::of(error, connect_timeout(self.timeout));
        let secrets = self.secrets();
        Failed {
            kind: failed.kind,
            text: format!("{method} {path}: {}", secrets.excerpt(&failed.text)),
            cause: secrets.excerpt(&failed.cause),
        }
    }
}

/// How many values the keys have had until now.
fn values(keys: &BTreeMap<Role, ApiKey>) -> usize {
    keys.values().map(ApiKey::values).sum()
}

/// Why a request could not be sent whose key a command prints.
fn no_key(role: Role, reason: &str) -> String {
    format!("no fresh key of the role {}: {reason}", role.as_str())
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
