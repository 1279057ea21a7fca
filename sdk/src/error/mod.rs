//! Why a call failed: one type for every cause.

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

pub(crate) use self::answer::{Answer, Fault, request_id};
pub use self::attempt::{Attempt, Outcome};
pub use self::class::ErrorClass;
use self::drift::Drift;
pub use self::not_ready::{NotReady, Stage};
use self::quota::Quota;
pub use self::unreadable::Unreadable;

/// Why a client could not be made, or a call failed.
///
/// Ask it what you want to know: [`is_not_found`](Self::is_not_found) and its like say what to do,
/// [`status`](Self::status), [`code`](Self::code) and [`request_id`](Self::request_id) what was answered.
/// They hold whatever the body of the answer looked like: a problem document, another framework's error,
/// a proxy's page, or nothing.
///
/// Its `Display` is one line with what the server said; its `Debug` is that line with the causes, and the whole structure
/// as `{:#?}`. What caused it, if anything did, is its [`source`](StdError::source), which the line does not repeat.
///
/// Neither the key nor a search text stands in any part of it, even if the server repeats them, in whatever
/// spelling: `<hidden>` stands in their place. Search texts of fewer than eight characters are the exception,
/// because they may be words of any message.
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
pub struct Error(Box<Failure>);

#[derive(Debug)]
struct Failure {
    operation: Option<&'static str>,
    kind: Kind,
    answer: Option<Answer>,
    attempts: Vec<Attempt>,
    /// What became of other requests that the call is made of.
    earlier: Outcome,
    remark: Option<String>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

#[derive(Debug)]
pub(crate) enum Kind {
    /// A client cannot be made of what was given.
    Configuration(String),
    /// A request cannot be made of what was given.
    Argument(String),
    /// There was no time left to send it.
    DeadlinePassed,
    /// Another call was answered 429, and the wait goes beyond the deadline.
    HeldBack {
        opens_in: Duration,
    },
    /// The app's provider of keys failed, or took longer than this.
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
    /// A call would block a thread that has tasks to poll.
    #[cfg(feature = "blocking")]
    WithinRuntime,
    TimedOut {
        after: Duration,
    },
    /// The connection ended before the answer did.
    Broken,
    /// What came is not a response of HTTP.
    NotHttp,
    /// The collection changed while it was walked.
    Drift(Drift),
    /// An item of a walk cannot be read.
    Unreadable(Box<Unreadable>),
    /// There is an answer, but not the one that was asked for.
    Answered(Fault),
    /// An item was not ready when the wait for it ended.
    NotReady(NotReady),
}

/// Why no connection could be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unreached {
    /// The name of the host does not exist.
    UnknownHost,
    /// There is no agreement on encryption.
    Tls,
    /// Anything that another attempt may pass.
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

    /// Adds a cause that other errors have too.
    pub(crate) fn with_shared_source(mut self, source: Arc<dyn StdError + Send + Sync>) -> Self {
        self.0.source = Some(source);
        self
    }

    pub(crate) fn after(mut self, attempts: Vec<Attempt>) -> Self {
        self.0.attempts = attempts;
        self
    }

    /// This failure as one of the attempts at a call.
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

    /// What kind of failure it is, for what decides about another attempt.
    pub(crate) fn kind(&self) -> &Kind {
        &self.0.kind
    }

    /// Whether it was not sent because its deadline left no time for it.
    pub(crate) fn is_too_late(&self) -> bool {
        matches!(self.0.kind, Kind::DeadlinePassed | Kind::HeldBack { .. })
    }

    /// How many attempts were made, of those that the retry policy counts.
    pub(crate) fn failed_attempts(&self) -> usize {
        self.0
            .attempts
            .iter()
            .filter(|attempt| attempt.counts)
            .count()
    }

    /// What an answer 429 says about the quota.
    pub(crate) fn quota(&self) -> Option<Quota> {
        self.answer()?.quota
    }

    /// The operation that failed, by its `operationId`; `None` when no client could be made.
    pub fn operation(&self) -> Option<&'static str> {
        self.0.operation
    }

    /// What is known of whether the request was carried out, over all attempts.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), platform_sdk::Error> {
    /// use platform_sdk::{Client, Outcome, RetryPolicy};
    ///
    /// let nobody = Client::builder()
    ///     .base_url("http://127.0.0.1:1")
    ///     .api_key("dev-full-access")
    ///     .retry_policy(RetryPolicy::never())
    ///     .build()?;
    /// let error = nobody.add_organization().pipeline_id(6).organization_id(1001).send().await.unwrap_err();
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
            Kind::Answered(Fault::Status)
                if !self.is_server_error() && !self.has_status(StatusCode::REQUEST_TIMEOUT) =>
            {
                Outcome::Rejected
            }
            Kind::TimedOut { .. }
            | Kind::Broken
            | Kind::NotHttp
            | Kind::Answered(_)
            | Kind::Drift(_)
            | Kind::Unreadable(_)
            | Kind::NotReady(_) => Outcome::MayHaveHappened,
        }
    }

    /// Every attempt at the call, in order, the last included; empty when none was made.
    pub fn attempts(&self) -> &[Attempt] {
        &self.0.attempts
    }

    /// The status of the answer; `None` when there was no answer.
    pub fn status(&self) -> Option<StatusCode> {
        self.answer().map(|answer| answer.status)
    }

    /// What kind of problem the server says it is. Codes that this version of the SDK does not know are
    /// kept.
    pub fn code(&self) -> Option<&ProblemCode> {
        self.answer()?.code.as_ref()
    }

    /// Identifies the request in the platform's logs: quote it when asking for help. It is that of the
    /// problem document, else that of the header `X-Request-Id`.
    pub fn request_id(&self) -> Option<&str> {
        self.answer()?.request_id.as_deref()
    }

    /// The headers of the response, without the key and search texts if it repeats them; `None` without a response.
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// let server = error.headers().and_then(|headers| headers.get("server"));
    /// println!("answered by {server:?}");
    /// # }
    /// ```
    pub fn headers(&self) -> Option<&HeaderMap> {
        self.answer().map(|answer| &answer.headers)
    }

    /// The body of a response with a status of failure, as text, at most 64 KiB of it, without the key and search texts
    /// if it repeats them. `None` for a success, which may hold data of customers: see
    /// [`body_excerpt`](Self::body_excerpt).
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// if error.problem().is_none() {
    ///     println!("not an answer of the platform: {:?}", error.body());
    /// }
    /// # }
    /// ```
    pub fn body(&self) -> Option<&str> {
        self.answer()?.body.as_deref()
    }

    /// Where a redirect points to, without its query.
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// println!("set the base URL by {:?}", error.redirect_location());
    /// # }
    /// ```
    pub fn redirect_location(&self) -> Option<&str> {
        self.answer()?.location.as_deref()
    }

    /// The problem document, if the answer was a complete one.
    pub fn problem(&self) -> Option<&Problem> {
        self.answer()?.problem.as_ref()
    }

    /// Every fault of the request that the server named, each with its place.
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) {
    /// if let Err(error) = client.list_items().pipeline_id(1).limit(5000).send().await {
    ///     for fault in error.field_errors() {
    ///         println!("{:?}: {}", fault.loc, fault.msg);
    ///     }
    /// }
    /// # }
    /// ```
    pub fn field_errors(&self) -> &[FieldError] {
        self.answer().map_or(&[], |answer| &answer.field_errors)
    }

    /// How long the server asks to wait before the next request, by `Retry-After`; for a call that was held
    /// back because another was answered 429, the rest of that time.
    pub fn retry_after(&self) -> Option<Duration> {
        match self.0.kind {
            Kind::HeldBack { opens_in } => Some(opens_in),
            _ => self.answer()?.retry_after,
        }
    }

    /// The beginning of a success that [cannot be read](Self::is_undecodable), in one line of at most 300
    /// characters. It may hold data of customers, so it stands neither in the line that the error is shown
    /// as nor among its [attempts](Self::attempts), but only here and in its `Debug`.
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// if error.is_undecodable() {
    ///     println!("{error}; it begins with {:?}", error.body_excerpt());
    /// }
    /// # }
    /// ```
    pub fn body_excerpt(&self) -> Option<&str> {
        self.answer()?.excerpt.as_deref()
    }

    /// Whether a walk ended because the collection changed under it; [`drift`](Self::drift) says how.
    ///
    /// Start again a limited number of times, or resume from the cursor of the stream, which passes the
    /// change, or walk with [`events`](crate::paging::Walk::events), which reports changes and goes on. Some
    /// causes do not pass by themselves: a deployment whose pages are shorter than its `total_count` says, or
    /// than the `limit` of the request (see [`page_size`](crate::paging::Walk::page_size)).
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

    /// The change of the collection that ended a walk.
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
