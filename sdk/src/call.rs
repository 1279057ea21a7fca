//! What a call is: one request, sent as often as it takes and may be, within its deadline.

use std::pin::pin;
use std::time::{Duration, Instant};

use futures_core::future::BoxFuture;
use reqwest::header::{HeaderName, USER_AGENT};
use reqwest::{Request, Response};
use serde::de::DeserializeOwned;

use crate::error::{Attempt, Error, Fault, Kind};
use crate::operation::Operation;
use crate::response::{self, Limit};
use crate::trace::{self, Span};
use crate::unknown::{self, Scan};
use crate::{Client, ResponseValue};

const API_KEY: HeaderName = HeaderName::from_static("api-key");

/// Writes a request down, anew for each attempt: that is cheaper than to keep a copy which is seldom needed.
pub(crate) type WriteDown =
    Box<dyn Fn() -> Result<Request, progenitor_client::Error<()>> + Send + Sync>;

/// Sends the request of an operation, again where that is safe and may help, and reads its answer.
///
/// The future is boxed: it has several kilobytes, which would be moved along with every future of the app's
/// that it is part of.
pub(crate) fn send<T: DeserializeOwned + Scan + Send + 'static>(
    client: Client,
    operation: &'static Operation,
    request: WriteDown,
) -> BoxFuture<'static, Result<ResponseValue<T>, Error>> {
    Box::pin(async move {
        let call = Call::new(&client, operation);
        let span = Span::of_call(operation);
        let work = pin!(call.run(&request));
        let answered = span.hold(work).await;
        if let Some(hook) = &client.inner.settings.on_unknown {
            unknown::report(hook, operation.id, &answered);
        }
        answered.map_err(|error| error.of(operation.id))
    })
}

/// Why there is no request.
pub(crate) fn unsendable(error: progenitor_client::Error<()>) -> Error {
    match error {
        progenitor_client::Error::InvalidRequest(why) => Error::new(Kind::Argument(why)),
        other => {
            Error::new(Kind::Argument("the request cannot be built".to_owned())).with_source(other)
        }
    }
}

impl Client {
    /// The request with what is said in every one: who calls, and what the app adds.
    fn prepared(&self, mut request: Request) -> Request {
        let headers = request.headers_mut();
        for (name, value) in &self.inner.options.headers {
            headers.insert(name, value.clone());
        }
        headers.insert(API_KEY, self.inner.settings.api_key.header());
        headers.insert(USER_AGENT, self.inner.settings.user_agent.clone());
        request
    }

    async fn exchange(&self, request: Request, limit: Limit) -> Result<Response, Error> {
        let sent = async {
            match &self.inner.settings.service {
                #[cfg(feature = "tower")]
                Some(service) => service.call(request).await,
                #[cfg(not(feature = "tower"))]
                Some(never) => match *never {},
                None => {
                    let answer = self.client.execute(request).await;
                    answer.map_err(|error| response::broken(error, limit))
                }
            }
        };
        limit.hold(pin!(sent)).await.flatten()
    }
}

struct Call<'a> {
    client: &'a Client,
    operation: &'static Operation,
    deadline: Option<Instant>,
    attempts: Vec<Attempt>,
}

impl<'a> Call<'a> {
    fn new(client: &'a Client, operation: &'static Operation) -> Self {
        Self {
            client,
            operation,
            deadline: client.deadline_of_a_call(),
            attempts: Vec::new(),
        }
    }

    async fn run<T: DeserializeOwned>(
        mut self,
        request: &WriteDown,
    ) -> Result<ResponseValue<T>, Error> {
        let mut delay = Duration::ZERO;
        let mut last = None;
        while let Some(duration) = self.time_for_an_attempt() {
            let attempt = self.client.prepared(request().map_err(unsendable)?);
            let failure = match self.attempt(attempt, Limit::starting_now(duration)).await {
                Ok(value) => {
                    self.client.inner.settings.retry_budget.earn();
                    return Ok(value);
                }
                Err(failure) => failure,
            };
            self.attempts.push(failure.as_attempt(delay));
            if failure.is_rate_limited() {
                self.client.inner.options.note_rate_limit();
            }
            let Some(wait) = self.delay_after(&failure) else {
                return Err(failure.after(self.attempts));
            };
            trace::note_wait(wait, &failure);
            delay = wait;
            last = Some(failure);
            self.client.inner.settings.clock.sleep(delay).await;
        }
        let failure = last.unwrap_or_else(|| Error::new(Kind::DeadlinePassed));
        Err(failure.after(self.attempts))
    }

    async fn attempt<T: DeserializeOwned>(
        &self,
        mut request: Request,
        limit: Limit,
    ) -> Result<ResponseValue<T>, Error> {
        let span = Span::of_attempt(self.operation, &mut request, self.attempts.len());
        let work = pin!(async {
            let response = self.client.exchange(request, limit).await?;
            response::read(response, limit).await
        });
        span.hold(work).await
    }

    /// How long the next attempt may take; `None` once the deadline has passed.
    fn time_for_an_attempt(&self) -> Option<Duration> {
        let limit = self.client.attempt_timeout(self.operation);
        match self.client.time_until(self.deadline) {
            Some(Duration::ZERO) => None,
            Some(left) => Some(left.min(limit)),
            None => Some(limit),
        }
    }

    /// How long to wait for another attempt, or `None` when there is to be none.
    fn delay_after(&self, failure: &Error) -> Option<Duration> {
        if !may_be_repeated(self.operation, failure) {
            return None;
        }
        let retry_after = failure.retry_after();
        self.client
            .delay_of_retry(self.attempts.len(), retry_after, self.deadline)
    }
}

impl Client {
    /// How long to wait before trying again what failed `failed` times, or `None` when it is not to be
    /// tried: the policy has enough of it, it would be too late, or the budget, which this draws on, is
    /// used up.
    pub(crate) fn delay_of_retry(
        &self,
        failed: usize,
        retry_after: Option<Duration>,
        deadline: Option<Instant>,
    ) -> Option<Duration> {
        let failed = u32::try_from(failed).unwrap_or(u32::MAX);
        let policy = self.retry_policy();
        let delay = policy.delay(failed, retry_after, fastrand::f64())?;
        let in_time = self.time_until(deadline).is_none_or(|left| delay < left);
        (in_time && self.inner.settings.retry_budget.spend()).then_some(delay)
    }

    fn time_until(&self, deadline: Option<Instant>) -> Option<Duration> {
        let clock = &self.inner.settings.clock;
        deadline.map(|deadline| deadline.saturating_duration_since(clock.now()))
    }
}

/// Whether the request may be sent again, and might fare better.
pub(crate) fn may_be_repeated(operation: &Operation, failure: &Error) -> bool {
    match failure.kind() {
        Kind::Configuration(_)
        | Kind::Argument(_)
        | Kind::DeadlinePassed
        | Kind::Drift(_)
        | Kind::NotReady(_) => false,
        Kind::Unconnected { .. } => true,
        Kind::TimedOut { .. } | Kind::Broken | Kind::Answered(Fault::Truncated) => {
            operation.is_idempotent
        }
        Kind::Answered(Fault::Status) => failure
            .status()
            .is_some_and(|status| operation.is_retryable(status)),
        Kind::Answered(Fault::NotJson | Fault::OffContract { .. }) => false,
    }
}
