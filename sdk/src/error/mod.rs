//! The error type: one type for every failure.

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::HeaderMap;

use crate::generated::problem_code::ProblemCode;
use crate::types::{FieldError, Problem};

mod answer;
mod attempt;
mod class;
pub(crate) mod drift;
mod not_ready;
mod predicates;
pub(crate) mod quota;
mod several;
mod shown;
mod unreadable;

pub(crate) use self::answer::{Answer, Fault, Hidden, request_id};
pub use self::attempt::{Attempt, Outcome};
pub use self::class::ErrorClass;
use self::drift::Drift;
pub use self::not_ready::{NotReady, Stage};
use self::quota::Quota;
pub use self::unreadable::Unreadable;

/// Error of building a client or making a call.
///
/// Predicates such as [`is_not_found`](Self::is_not_found) help decide what to do;
/// [`status`](Self::status), [`code`](Self::code) and [`request_id`](Self::request_id) describe the
/// response. They work for any response body: a problem document, another framework's error, a proxy's
/// page, or nothing.
///
/// `Display` writes one line with the server's message. `Debug` writes that line with the causes, and
/// `{:#?}` the whole structure. The cause, if any, is the [`source`](StdError::source), which the line
/// does not repeat.
///
/// No part of an error contains the key or a search text, even if the server repeats them in any
/// encoding: `<hidden>` replaces them. Search texts of fewer than eight characters are the exception,
/// because they may be ordinary words that occur in any message.
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// let error = client.list_items().pipeline_id(999_999).send().await.unwrap_err();
/// assert!(error.is_not_found());
/// assert_eq!(error.code(), Some(&platform_sdk::ProblemCode::PipelineNotFound));
/// assert_eq!(error.operation(), Some("list_items"));
/// assert_eq!(error.attempts().len(), 1);
/// assert_eq!(error.problem().and_then(|problem| problem.status.try_into().ok()), Some(404));
/// println!("quote {:?} when asking for help", error.request_id());
/// println!("{error}");
/// // list_items: 404 pipeline_not_found: There is no pipeline 999999. (request 0f6e1c1e-…)
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Error(Box<Failure>);

#[derive(Debug, Clone)]
struct Failure {
    operation: Option<&'static str>,
    kind: Kind,
    answer: Option<Answer>,
    attempts: Vec<Attempt>,
    /// Outcome of the other requests of the call.
    earlier: Outcome,
    remark: Option<String>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

#[derive(Debug, Clone)]
pub(crate) enum Kind {
    /// A client cannot be built from its configuration.
    Configuration(String),
    /// A request cannot be built from its arguments.
    Argument(String),
    /// There was no time left to send it.
    DeadlinePassed,
    /// Another call got a 429 response, and the wait exceeds the deadline.
    HeldBack {
        opens_in: Duration,
    },
    /// The app's key provider failed, or took longer than this.
    KeyUnavailable {
        timed_out: Option<Duration>,
    },
    Unconnected {
        host: Option<String>,
        timed_out: bool,
        why: Unreached,
    },
    /// There is no tokio runtime to send a request on.
    NoRuntime,
    /// A blocking call was made on a thread that polls async tasks.
    #[cfg(feature = "blocking")]
    WithinRuntime,
    TimedOut {
        after: Duration,
    },
    /// The connection ended before the response did.
    Broken,
    /// The received data is not an HTTP response.
    NotHttp,
    /// The collection changed during a walk.
    Drift(Drift),
    /// An item of a walk cannot be read.
    Unreadable(Box<Unreadable>),
    /// A response was received, but not the expected one.
    Answered(Fault),
    /// An item was not ready when the wait for it ended.
    NotReady(NotReady),
}

/// Why no connection could be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unreached {
    /// The host name does not exist.
    UnknownHost,
    /// TLS could not be established.
    Tls,
    /// Any other cause, which a retry may resolve.
    Other,
}

impl Error {
    pub(crate) fn new(kind: Kind) -> Self {
        Self(Box::new(Failure {
            operation: None,
            kind,
            answer: None,
            attempts: Vec::new(),
            earlier: Outcome::NotSent,
            remark: None,
            source: None,
        }))
    }

    pub(crate) fn configuration(why: impl Into<String>) -> Self {
        Self::new(Kind::Configuration(why.into()))
    }

    pub(crate) fn of(mut self, operation: &'static str) -> Self {
        self.0.operation = Some(operation);
        self
    }

    pub(crate) fn with_answer(mut self, answer: Answer) -> Self {
        self.0.answer = Some(answer);
        self
    }

    pub(crate) fn with_source(self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.with_shared_source(Arc::new(source))
    }

    /// Adds a cause shared with other errors.
    pub(crate) fn with_shared_source(mut self, source: Arc<dyn StdError + Send + Sync>) -> Self {
        self.0.source = Some(source);
        self
    }

    pub(crate) fn after(mut self, attempts: Vec<Attempt>) -> Self {
        self.0.attempts = attempts;
        self
    }

    /// Returns this failure as one attempt of a call.
    pub(crate) fn as_attempt(&self, delay: Duration) -> Attempt {
        Attempt {
            delay,
            counts: true,
            status: self.status(),
            request_id: self.request_id().map(str::to_owned),
            outcome: self.last_outcome(),
            failure: self.0.to_string(),
        }
    }

    /// Returns the kind of failure, for retry decisions.
    pub(crate) fn kind(&self) -> &Kind {
        &self.0.kind
    }

    /// Returns whether the deadline left no time to send the request.
    pub(crate) fn is_too_late(&self) -> bool {
        matches!(self.0.kind, Kind::DeadlinePassed | Kind::HeldBack { .. })
    }

    /// Returns the number of attempts that the retry policy counts.
    pub(crate) fn failed_attempts(&self) -> usize {
        self.0.attempts.iter().filter(|attempt| attempt.counts).count()
    }

    /// Returns the quota reported by a 429 response.
    pub(crate) fn quota(&self) -> Option<Quota> {
        self.answer()?.quota
    }

    /// Returns the `operationId` of the operation that failed; `None` if no client could be built.
    pub fn operation(&self) -> Option<&'static str> {
        self.0.operation
    }

    /// Returns whether the request may have been carried out, over all attempts.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), platform_sdk::Error> {
    /// use platform_sdk::{Client, Outcome, RetryPolicy};
    ///
    /// let client = Client::builder()
    ///     .base_url("http://127.0.0.1:1")
    ///     .api_key("dev-full-access")
    ///     .retry_policy(RetryPolicy::never())
    ///     .build()?;
    /// let error = client.add_organization().pipeline_id(6).organization_id(1001).send().await.unwrap_err();
    /// assert_eq!(error.outcome(), Outcome::NotSent);
    /// # Ok(())
    /// # }
    /// ```
    pub fn outcome(&self) -> Outcome {
        let attempts = self.0.attempts.iter().map(Attempt::outcome);
        attempts.fold(self.last_outcome().max(self.0.earlier), Outcome::max)
    }

    fn last_outcome(&self) -> Outcome {
        match &self.0.kind {
            Kind::Configuration(_)
            | Kind::NoRuntime
            | Kind::Argument(_)
            | Kind::DeadlinePassed
            | Kind::HeldBack { .. }
            | Kind::KeyUnavailable { .. }
            | Kind::Unconnected { .. } => Outcome::NotSent,
            #[cfg(feature = "blocking")]
            Kind::WithinRuntime => Outcome::NotSent,
            Kind::Answered(Fault::Status) if self.is_rejection() => Outcome::Rejected,
            Kind::TimedOut { .. }
            | Kind::Broken
            | Kind::NotHttp
            | Kind::Answered(_)
            | Kind::Drift(_)
            | Kind::Unreadable(_)
            | Kind::NotReady(_) => Outcome::MayHaveHappened,
        }
    }

    /// Returns whether the status rules out that the request was carried out. After 303 it was, and after
    /// 408 it may have been; 1xx is not a final status, and what is above 4xx is a failure of the server.
    fn is_rejection(&self) -> bool {
        self.status().is_some_and(|status| {
            let is_uncertain = [StatusCode::SEE_OTHER, StatusCode::REQUEST_TIMEOUT];
            matches!(status.as_u16(), 300..=499) && !is_uncertain.contains(&status)
        })
    }

    /// Returns all attempts at the call in order, including the last; empty if none was made.
    pub fn attempts(&self) -> &[Attempt] {
        &self.0.attempts
    }

    /// Returns the status of the response; `None` without a response.
    pub fn status(&self) -> Option<StatusCode> {
        self.answer().map(|answer| answer.status)
    }

    /// Returns the problem code reported by the server. Codes unknown to this version of the SDK are
    /// kept.
    pub fn code(&self) -> Option<&ProblemCode> {
        self.answer()?.code.as_ref()
    }

    /// Returns the id of the request in the platform's logs; quote it when asking for help. Taken from
    /// the problem document, or else from the `X-Request-Id` header.
    pub fn request_id(&self) -> Option<&str> {
        self.answer()?.request_id.as_deref()
    }

    /// Returns the headers of the response without `Set-Cookie`, with the key and search texts hidden;
    /// `None` without a response.
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// let server = error.headers().and_then(|headers| headers.get("server"));
    /// println!("response from {server:?}");
    /// # }
    /// ```
    pub fn headers(&self) -> Option<&HeaderMap> {
        self.answer().map(|answer| &answer.headers)
    }

    /// Returns the body of an error response as text, at most 64 KiB, with the key and search texts
    /// hidden. `None` for a success, which may contain customer data: see
    /// [`body_excerpt`](Self::body_excerpt).
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// if error.problem().is_none() {
    ///     println!("not a response of the platform: {:?}", error.body());
    /// }
    /// # }
    /// ```
    pub fn body(&self) -> Option<&str> {
        self.answer()?.body.as_deref()
    }

    /// Returns the target of a redirect, without its query.
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// println!("the server redirects to {:?}: change the base URL", error.redirect_location());
    /// # }
    /// ```
    pub fn redirect_location(&self) -> Option<&str> {
        self.answer()?.location.as_deref()
    }

    /// Returns the problem document, if the response was a complete one.
    pub fn problem(&self) -> Option<&Problem> {
        self.answer()?.problem.as_ref()
    }

    /// Returns every error in the request that the server reported, each with its place.
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) {
    /// if let Err(error) = client.list_items().pipeline_id(1).limit(5000).send().await {
    ///     for wrong in error.field_errors() {
    ///         println!("{:?}: {}", wrong.loc, wrong.msg);
    ///     }
    /// }
    /// # }
    /// ```
    pub fn field_errors(&self) -> &[FieldError] {
        self.answer().map_or(&[], |answer| &answer.field_errors)
    }

    /// Returns how long the server asks to wait before the next request (`Retry-After`). For a call that
    /// was held back because another got a 429 response, returns the remaining time.
    pub fn retry_after(&self) -> Option<Duration> {
        match self.0.kind {
            Kind::HeldBack { opens_in } => Some(opens_in),
            _ => self.answer()?.retry_after,
        }
    }

    /// Returns the beginning of a success that [cannot be read](Self::is_undecodable), as one line of
    /// at most 300 characters. It may contain customer data, so it appears only here: not in `Display`,
    /// `Debug`, the [source](StdError::source) or the [attempts](Self::attempts).
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// if error.is_undecodable() {
    ///     println!("{error}; it begins with {:?}", error.body_excerpt());
    /// }
    /// # }
    /// ```
    pub fn body_excerpt(&self) -> Option<&str> {
        let excerpt = self.answer()?.excerpt.as_ref();
        excerpt.map(|excerpt| excerpt.0.as_str())
    }

    /// Returns whether a walk ended because the collection changed; [`drift`](Self::drift) returns the
    /// change.
    ///
    /// To handle the change, start again (a limited number of times), resume from the cursor of the
    /// stream, which is past the change, or walk with [`events`](crate::paging::Walk::events), which
    /// reports changes and continues. Some causes are permanent: a deployment whose pages are shorter
    /// than its `total_count` implies, or than the `limit` of the request (see
    /// [`page_size`](crate::paging::Walk::page_size)).
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// use std::time::Duration;
    ///
    /// let walk = || client.list_items().pipeline_id(1).sort_by("question.101").walk();
    /// let mut found = walk().collect().await;
    /// for pause in [1, 5, 25].map(Duration::from_secs) {
    ///     if !found.as_ref().is_err_and(|error| error.is_drift()) {
    ///         break;
    ///     }
    ///     tokio::time::sleep(pause).await;
    ///     found = walk().collect().await;
    /// }
    /// let items = found?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_drift(&self) -> bool {
        self.drift().is_some()
    }

    /// Returns the change of the collection that ended a walk.
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// use platform_sdk::paging::Drift;
    ///
    /// if let Some(Drift::TotalChanged { before, now }) = error.drift() {
    ///     println!("{before} items became {now}");
    /// }
    /// # }
    /// ```
    pub fn drift(&self) -> Option<&Drift> {
        match &self.0.kind {
            Kind::Drift(drift) => Some(drift),
            _ => None,
        }
    }

    fn answer(&self) -> Option<&Answer> {
        self.0.answer.as_ref()
    }

    fn has_status(&self, status: StatusCode) -> bool {
        self.status() == Some(status)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}
