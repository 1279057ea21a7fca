//! A call: one request, retried as needed and allowed, within its deadline.

use std::pin::pin;
use std::time::{Duration, Instant};

use futures_core::future::BoxFuture;
use reqwest::header::{HeaderName, USER_AGENT};
use reqwest::{Request, Response};
use tokio::runtime::Handle;

use crate::ResponseValue;
use crate::call::api_key::ApiKey;
use crate::call::core::ClientCore;
use crate::call::gate::{Gate, Pass, Rejection};
use crate::call::hooks::AttemptReport;
use crate::call::keys::Key;
#[cfg(feature = "metrics")]
use crate::call::metrics::{self, Timer};
use crate::call::operation::Operation;
use crate::call::response::{self, Body, Limit, Reading};
use crate::call::retry_decision::{PlannedRetry, asked_wait, may_be_repeated};
use crate::call::trace::{self, Span};
use crate::error::{Attempt, Error, Kind};
use crate::redact::Redactor;
use crate::types::unknown::{self, Hook, Scan};

const API_KEY: HeaderName = HeaderName::from_static("api-key");

/// Builds a request anew for each attempt, which is cheaper than keeping a copy that is rarely
/// needed.
pub(crate) type BuildRequest = Box<dyn Fn() -> Result<Request, Error> + Send + Sync>;

/// Sends the request of an operation, retries it where that is safe and may help, and reads the
/// response.
///
/// The future is boxed: it is several kilobytes, which would be moved with every future that
/// contains it.
pub(crate) fn send<T: Body + Scan>(
    core: ClientCore,
    operation: &'static Operation,
    request: BuildRequest,
) -> BoxFuture<'static, Result<ResponseValue<T>, Error>> {
    Box::pin(async move {
        if Handle::try_current().is_err() {
            return Err(Error::new(Kind::NoRuntime).of(operation.id));
        }
        let call = Call::new(&core, operation);
        let span = Span::of_call(operation);
        let work = pin!(call.run(&request));
        let redactor = || core.redactor(&request);
        #[cfg(feature = "metrics")]
        let timer = Timer::of_call(&core, operation);
        let answered = span.hold(work, &redactor).await;
        #[cfg(feature = "metrics")]
        timer.end(&answered);
        if let Some(hook) = &core.settings.on_unknown {
            report(hook, operation.id, &answered);
        }
        answered.map_err(|error| error.of(operation.id))
    })
}

/// Returns the error for a request that cannot be built.
pub(crate) fn unsendable(why: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::new(Kind::Argument("the request cannot be built".to_owned())).with_source(why)
}

/// Reports all unknown data in a response, which is a value or a problem.
fn report<T: Scan>(hook: &Hook, operation: &'static str, answered: &Result<ResponseValue<T>, Error>) {
    match answered {
        Ok(value) => unknown::report(hook, operation, &**value),
        Err(error) => {
            if let Some(problem) = error.problem() {
                unknown::report(hook, operation, problem);
            }
        }
    }
}

impl ClientCore {
    /// Adds the headers of every request: those of the app, the key and the user agent.
    fn prepared(&self, operation: &'static str, mut request: Request, key: &Key) -> Request {
        if let Some(hook) = &self.settings.on_request {
            hook(operation, &mut request);
        }
        let headers = request.headers_mut();
        for (name, value) in &self.options.headers {
            headers.insert(name, value.clone());
        }
        headers.insert(API_KEY, key.header());
        headers.insert(USER_AGENT, self.settings.user_agent.clone());
        request
    }

    /// Returns the redactor for the keys and for the search texts of a request.
    fn redactor(&self, request: &BuildRequest) -> Redactor {
        let keys = self.settings.keys.to_hide();
        Redactor::of(keys.iter().map(ApiKey::expose), request().ok().as_ref())
    }

    async fn exchange(&self, request: Request, limit: Limit) -> Result<Response, Error> {
        let sent = async {
            match &self.settings.service {
                #[cfg(feature = "tower")]
                Some(service) => service.call(request).await,
                #[cfg(not(feature = "tower"))]
                Some(never) => match *never {},
                None => {
                    let answer = self.http.execute(request).await;
                    answer.map_err(|error| response::broken(error, limit))
                }
            }
        };
        limit.hold(pin!(sent)).await.flatten()
    }
}

struct Call<'a> {
    core: &'a ClientCore,
    operation: &'static Operation,
    deadline: Option<Instant>,
    attempts: Vec<Attempt>,
    /// Number of attempts that count for the retry policy.
    failed: u32,
    /// Number of the client's requests that had been served when the last attempt ended.
    served: Option<u64>,
    /// Number of 429 responses to this call while other calls were served.
    outrun: u32,
    /// Whether the key of the last attempt was rejected.
    rejected: bool,
}

/// Returns the error of a call whose deadline has passed: its last failure, if there is one.
fn too_late(last: Option<Error>) -> Error {
    last.unwrap_or_else(|| Error::new(Kind::DeadlinePassed))
}

/// Number of 429 responses while other calls are served that do not count as attempts. Later ones
/// count, because the resource may have a quota of its own that does not renew.
const MOST_OUTRUN: u32 = 32;

impl<'a> Call<'a> {
    fn new(core: &'a ClientCore, operation: &'static Operation) -> Self {
        Self {
            core,
            operation,
            deadline: core.deadline_of_a_call(),
            attempts: Vec::new(),
            failed: 0,
            served: None,
            outrun: 0,
            rejected: false,
        }
    }

    async fn run<T: Body>(mut self, request: &BuildRequest) -> Result<ResponseValue<T>, Error> {
        let mut retry = PlannedRetry::default();
        let mut last = None;
        loop {
            if !retry.delay.is_zero() {
                self.core.sleep(retry.delay).await;
            }
            let (pass, waited) = match self.turn(last.is_none()).await {
                Ok(turn) => turn,
                Err(held_back) => return Err(last.unwrap_or(held_back).after(self.attempts)),
            };
            let delay = retry.delay + waited;
            let key = match self.key().await {
                Some(Ok(key)) => key,
                Some(Err(failure)) => return Err(failure.after(self.attempts)),
                None => return Err(too_late(last).after(self.attempts)),
            };
            let Some(duration) = self.time_for_an_attempt() else {
                return Err(too_late(last).after(self.attempts));
            };
            let attempt = self.core.prepared(self.operation.id, request()?, &key);
            retry.spend();
            #[cfg(feature = "metrics")]
            last.iter().for_each(|failure| metrics::retry(self.operation, failure));
            let failure = match self.attempt::<T>(attempt, Limit::starting_now(duration), request).await {
                Ok(value) => {
                    self.gate().answer(Some(value.headers()), || self.now());
                    self.core.settings.retry_budget.earn();
                    return Ok(value);
                }
                Err(failure) => failure,
            };
            let is_rejected = failure.is_unauthenticated();
            let renews = is_rejected && !self.rejected && self.core.settings.keys.reject(&key);
            self.rejected = is_rejected;
            // A failure caused by the key says nothing about the service.
            let counts = self.learn(pass, &failure) && !renews;
            self.failed += u32::from(counts);
            self.attempts.push(Attempt {
                counts,
                ..failure.as_attempt(delay)
            });
            let next = match renews {
                true => Some(PlannedRetry::default()),
                false => self.another(&failure),
            };
            match next {
                Some(next) => retry = next,
                None => return Err(failure.after(self.attempts)),
            }
            last = Some(failure);
        }
    }

    /// Returns the key to send, or `None` once the deadline has passed. A provider may take as long
    /// as an attempt.
    async fn key(&self) -> Option<Result<Key, Error>> {
        let keys = &self.core.settings.keys;
        if let Some(key) = keys.at_hand() {
            return Some(Ok(key));
        }
        let limit = Limit::starting_now(self.time_for_an_attempt()?);
        let unavailable = |timed_out| Error::new(Kind::KeyUnavailable { timed_out });
        Some(match limit.hold(pin!(keys.get())).await {
            Ok(Ok(key)) => Ok(key),
            Ok(Err(why)) => Err(unavailable(None).with_shared_source(why)),
            Err(_) => Err(unavailable(Some(limit.duration))),
        })
    }

    async fn attempt<T: Body>(
        &self,
        mut request: Request,
        limit: Limit,
        build_request: &BuildRequest,
    ) -> Result<ResponseValue<T>, Error> {
        let began = self.core.settings.on_response.is_some().then(|| self.core.now());
        let span = Span::of_attempt(self.operation, &mut request, self.attempts.len());
        #[cfg(feature = "metrics")]
        let timer = Timer::of_attempt(self.core, self.operation, &request);
        let redactor = || self.core.redactor(build_request);
        let work = pin!(async {
            let response = self.core.exchange(request, limit).await?;
            let reading = Reading {
                limit,
                max_bytes: self.core.settings.max_response_bytes,
                has_content: self.operation.has_content,
                redactor: &redactor,
            };
            response::read::<T>(response, reading).await
        });
        let result = span.hold(work, &redactor).await;
        #[cfg(feature = "metrics")]
        timer.end(&result);
        if let (Some(hook), Some(began)) = (&self.core.settings.on_response, began) {
            hook(&AttemptReport {
                operation: self.operation.id,
                resends: self.attempts.len(),
                duration: self.core.now().saturating_duration_since(began),
                status: match &result {
                    Ok(value) => Some(value.status()),
                    Err(error) => error.status(),
                },
                class: result.as_ref().err().map(Error::class),
            });
        }
        result
    }

    /// Returns the time limit of the next attempt, or `None` once the deadline has passed.
    fn time_for_an_attempt(&self) -> Option<Duration> {
        let limit = self.core.attempt_timeout(self.operation);
        match self.core.time_until(self.deadline) {
            Some(Duration::ZERO) => None,
            Some(left) => Some(left.min(limit)),
            None => Some(limit),
        }
    }

    /// Waits until the gate lets the call through and returns the time waited. Fails if that would
    /// be after the deadline.
    async fn turn(&self, is_first: bool) -> Result<(Pass, Duration), Error> {
        let mut waited = Duration::ZERO;
        loop {
            let opens_in = match self.gate().pass(|| self.now()) {
                Ok(pass) => {
                    #[cfg(feature = "metrics")]
                    metrics::waited(self.operation, waited);
                    return Ok((pass, waited));
                }
                Err(opens_in) => opens_in,
            };
            let left = self.core.time_until(self.deadline);
            if left.is_some_and(|left| left <= opens_in) {
                return Err(Error::new(Kind::HeldBack { opens_in }));
            }
            if is_first && waited.is_zero() {
                trace::note_turn(opens_in);
            }
            self.core.sleep(opens_in).await;
            waited += opens_in;
        }
    }

    /// Records a failed attempt and returns whether it counts for the retry policy. A repeated 429
    /// does not count while other calls are served, because then only the quota holds this call
    /// back.
    fn learn(&mut self, pass: Pass, failure: &Error) -> bool {
        let counts = match failure.is_rate_limited() {
            true => {
                self.core.options.note_rate_limit();
                self.rejected(pass, failure);
                let nobody_was_served = |served| served == self.gate().answers();
                let counts = self.served.is_none_or(nobody_was_served) || self.outrun >= MOST_OUTRUN;
                self.outrun += u32::from(!counts);
                counts
            }
            false => {
                if failure.status().is_some() {
                    self.gate().answer(None, || self.now());
                }
                true
            }
        };
        self.served = Some(self.gate().answers());
        counts
    }

    /// Closes the gate after a 429 response, unless the wait is longer than the retry policy
    /// accepts.
    fn rejected(&self, pass: Pass, failure: &Error) {
        let asked = asked_wait(failure);
        let policy = self.core.retry_policy();
        let random = fastrand::f64();
        // If the server asks for no wait, use the delay after a first failure.
        let wait = asked.or_else(|| policy.delay(1, None, random)).unwrap_or_default();
        if policy.waits(wait) {
            let quota = failure.quota();
            let rejection = Rejection { wait, quota };
            self.gate().reject(pass, rejection, self.now(), random);
        }
    }

    /// Returns how to retry, or `None` if the call is not retried.
    fn another(&self, failure: &Error) -> Option<PlannedRetry> {
        if !may_be_repeated(self.operation, failure) {
            return None;
        }
        let core = self.core;
        let retry = core.retry(self.failed as usize, failure, self.deadline)?;
        let opens_in = self.gate().opens_in(self.now());
        let retry = match failure.is_rate_limited() {
            // The gate already delays the attempt.
            true => retry.without_delay(),
            false => retry,
        };
        let delay = retry.delay.max(opens_in);
        let is_in_time = core.time_until(self.deadline).is_none_or(|left| delay < left);
        is_in_time.then(|| {
            trace::note_wait(delay, failure);
            retry
        })
    }

    fn gate(&self) -> &Gate {
        &self.core.settings.gate
    }

    fn now(&self) -> Instant {
        self.core.now()
    }
}
