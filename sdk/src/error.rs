//! Why a call failed: one type for every cause.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use reqwest::StatusCode;

use crate::ProblemCode;
use crate::text::one_line;
use crate::types::{FieldError, Problem};

/// Why a client could not be made, or a call failed.
///
/// Ask it what you want to know: [`is_not_found`](Self::is_not_found) and its like say what to do,
/// [`status`](Self::status), [`code`](Self::code) and [`request_id`](Self::request_id) what was answered.
/// They hold whatever the body of the answer looked like: a problem document, another framework's error,
/// a proxy's page, or nothing.
///
/// Shown, it is one line with what the server said; it holds neither the key nor a search text. What
/// caused it, if anything did, is its [`source`](StdError::source), which the line does not repeat.
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// let error = client.list_items().pipeline_id(999_999).send().await.unwrap_err();
/// assert!(error.is_not_found());
/// assert_eq!(error.code(), Some(&platform_sdk::ProblemCode::PipelineNotFound));
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
    source: Option<Box<dyn StdError + Send + Sync>>,
}

#[derive(Debug)]
pub(crate) enum Kind {
    /// A client cannot be made of what was given.
    Configuration(String),
    /// A request cannot be made of what was given.
    Argument(String),
    Unconnected {
        host: Option<String>,
        timed_out: bool,
    },
    TimedOut {
        after: Option<Duration>,
    },
    /// The connection ended before the answer did.
    Broken,
    /// There is an answer, but not the one that was asked for.
    Answered(Fault),
}

#[derive(Debug)]
pub(crate) enum Fault {
    /// Its status is none of success.
    Status,
    /// It is a success, but not JSON.
    NotJson,
    /// It is a success, but not as the contract has it.
    OffContract { path: String },
}

/// What an answer said.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) request_id: Option<String>,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) code: Option<ProblemCode>,
    /// One line for people.
    pub(crate) detail: Option<String>,
    pub(crate) field_errors: Vec<FieldError>,
    pub(crate) problem: Option<Problem>,
}

impl Error {
    pub(crate) fn new(kind: Kind) -> Self {
        Self(Box::new(Failure {
            operation: None,
            kind,
            answer: None,
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

    pub(crate) fn with_source(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.0.source = Some(Box::new(source));
        self
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

    /// How long the server asks to wait before the next request (`Retry-After`, in whole seconds).
    pub fn retry_after(&self) -> Option<Duration> {
        self.answer()?.retry_after
    }

    /// Whether there is no such pipeline, item, organization or product (404). A path that the server does
    /// not have at all is another matter: see [`ProblemCode::RouteNotFound`].
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let page = match client.list_items().pipeline_id(7).send().await {
    ///     Ok(page) => Some(page.into_inner()),
    ///     Err(error) if error.is_not_found() => None,
    ///     Err(error) => return Err(error),
    /// };
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_not_found(&self) -> bool {
        self.has_status(StatusCode::NOT_FOUND) && self.code() != Some(&ProblemCode::RouteNotFound)
    }

    /// Whether the organization was in the pipeline already (409); nothing was changed.
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// match client.add_organization().pipeline_id(6).organization_id(1001).send().await {
    ///     Ok(item) => println!("added as item {}", item.pipeline_item_id),
    ///     Err(error) if error.is_already_in_pipeline() => println!("it is there"),
    ///     Err(error) => return Err(error),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_already_in_pipeline(&self) -> bool {
        let code = self.code();
        self.has_status(StatusCode::CONFLICT)
            && code.is_none_or(|code| *code == ProblemCode::OrganizationAlreadyInPipeline)
    }

    /// Whether the key has used up its quota (429); nothing was done.
    /// [`retry_after`](Self::retry_after) says when to try again.
    ///
    /// ```no_run
    /// # async fn example(error: platform_sdk::Error) {
    /// if error.is_rate_limited() {
    ///     tokio::time::sleep(error.retry_after().unwrap_or_default()).await;
    /// }
    /// # }
    /// ```
    pub fn is_rate_limited(&self) -> bool {
        self.has_status(StatusCode::TOO_MANY_REQUESTS)
    }

    /// Whether the key is not known (401).
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// if error.is_unauthenticated() {
    ///     println!("check PLATFORM_API_KEY");
    /// }
    /// # }
    /// ```
    pub fn is_unauthenticated(&self) -> bool {
        self.has_status(StatusCode::UNAUTHORIZED)
    }

    /// Whether the policies of the key do not allow the operation (403).
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// if error.is_denied() {
    ///     println!("ask for a key that may do this");
    /// }
    /// # }
    /// ```
    pub fn is_denied(&self) -> bool {
        self.has_status(StatusCode::FORBIDDEN)
    }

    /// Whether what was asked for is at fault, so that asking again is of no use: the server said so (400
    /// or 422), or the request could not even be made of it.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), platform_sdk::Error> {
    /// # let client = platform_sdk::Client::builder().base_url("http://127.0.0.1:1").api_key("dev").build()?;
    /// let error = client.list_items().limit(10).send().await.unwrap_err();
    /// assert!(error.is_invalid());
    /// assert_eq!(error.to_string(), "list_items: `pipeline_id` is missing; nothing was sent");
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_invalid(&self) -> bool {
        matches!(self.0.kind, Kind::Argument(_))
            || self.has_status(StatusCode::BAD_REQUEST)
            || self.has_status(StatusCode::UNPROCESSABLE_ENTITY)
    }

    /// Whether the server failed or could not answer for now (5xx).
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// if error.is_server_error() {
    ///     println!("quote the request id: {:?}", error.request_id());
    /// }
    /// # }
    /// ```
    pub fn is_server_error(&self) -> bool {
        self.status().is_some_and(|status| status.is_server_error())
    }

    /// Whether it took too long to connect, or to have the whole answer. In the latter case a write may
    /// have happened.
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// if error.is_timeout() && !error.is_connect() {
    ///     println!("the request was sent; whether it was carried out is not known");
    /// }
    /// # }
    /// ```
    pub fn is_timeout(&self) -> bool {
        matches!(
            self.0.kind,
            Kind::TimedOut { .. }
                | Kind::Unconnected {
                    timed_out: true,
                    ..
                }
        )
    }

    /// Whether no connection could be made, so that nothing was sent.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), platform_sdk::Error> {
    /// let nobody = platform_sdk::Client::builder()
    ///     .base_url("http://127.0.0.1:1")
    ///     .api_key("dev-full-access")
    ///     .build()?;
    /// let error = nobody.list_items().pipeline_id(1).send().await.unwrap_err();
    /// assert!(error.is_connect());
    /// assert_eq!(error.to_string(), "list_items: no connection to 127.0.0.1:1");
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_connect(&self) -> bool {
        matches!(self.0.kind, Kind::Unconnected { .. })
    }

    /// Whether the operation succeeded by its status, but its answer cannot be read: it is not JSON, or not
    /// as the contract has it. A write has happened.
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// if error.is_undecodable() {
    ///     println!("{error}"); // names the place in the JSON that is at fault
    /// }
    /// # }
    /// ```
    pub fn is_undecodable(&self) -> bool {
        matches!(
            self.0.kind,
            Kind::Answered(Fault::NotJson | Fault::OffContract { .. })
        )
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

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure {
            operation,
            kind,
            answer,
            source,
        } = &*self.0;
        f.debug_struct("Error")
            .field("operation", operation)
            .field("kind", kind)
            .field("answer", answer)
            .field("source", source)
            .finish()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(operation) = self.0.operation {
            write!(f, "{operation}: ")?;
        }
        match &self.0.kind {
            Kind::Configuration(why) => f.write_str(why)?,
            Kind::Argument(why) => write!(f, "{why}; nothing was sent")?,
            Kind::Unconnected { host, timed_out } => {
                let host = host.as_deref().unwrap_or("the server");
                let in_time = if *timed_out { " in time" } else { "" };
                write!(f, "no connection to {host}{in_time}")?;
            }
            Kind::TimedOut { after: Some(after) } => {
                write!(f, "no complete answer within {after:?}")?
            }
            Kind::TimedOut { after: None } => f.write_str("no complete answer in time")?,
            Kind::Broken => f.write_str("the connection ended before the answer was complete")?,
            Kind::Answered(fault) => {
                if let Some(answer) = self.answer() {
                    answer.fmt_fault(fault, f)?;
                }
            }
        }
        match self.request_id() {
            Some(id) => write!(f, " (request {id})"),
            None => Ok(()),
        }
    }
}

impl Answer {
    fn fmt_fault(&self, fault: &Fault, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = self.status.to_string();
        match (fault, &self.code) {
            (Fault::Status, Some(code)) => write!(f, "{} {code}", self.status.as_str())?,
            (Fault::Status, None) => f.write_str(&status)?,
            (Fault::NotJson, _) => write!(f, "{status}, but the body is not JSON")?,
            (Fault::OffContract { path }, _) => {
                write!(
                    f,
                    "{status}, but the body is not as the contract has it at {path}"
                )?;
            }
        }
        match self.faults().or_else(|| self.detail.clone()) {
            // A proxy's page is often titled with the status.
            Some(detail) if detail != status => write!(f, ": {detail}"),
            None if self.status.is_redirection() => {
                f.write_str(": redirects are not followed; check the base URL")
            }
            _ => Ok(()),
        }
    }

    /// `query.limit: must be an integer from 1 to 1000; …`
    fn faults(&self) -> Option<String> {
        let faults = self.field_errors.iter().map(|fault| {
            let place: Vec<String> = fault.loc.iter().map(ToString::to_string).collect();
            format!("{}: {}", place.join("."), fault.msg)
        });
        one_line(&faults.collect::<Vec<_>>().join("; "), 300)
    }
}
