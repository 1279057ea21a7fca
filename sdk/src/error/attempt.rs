//! Outcome of a request, and of each of its attempts.

use std::fmt;
use std::time::Duration;

use reqwest::StatusCode;
use serde::ser::{Serialize, SerializeStruct, Serializer};

/// Whether a failed request may have been carried out.
///
/// This matters for [`add_organization`](crate::Client::add_organization), the only operation that
/// changes something. [`ensure_organization`](crate::Client::ensure_organization) handles it.
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// use platform_sdk::Outcome;
///
/// if let Err(error) = client.add_organization().pipeline_id(6).organization_id(1001).send().await {
///     match error.outcome() {
///         Outcome::NotSent => println!("nothing happened: the service was not reached"),
///         Outcome::Rejected => println!("nothing happened: {error}"),
///         _ => println!("look before adding again: {error}"),
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// The request was not sent. Nothing happened.
    NotSent,
    /// The server rejected the request (status 300 to 499, except 303 and 408). Nothing happened.
    Rejected,
    /// The request was sent and may have been carried out: the response was lost, came too late, is a
    /// server error (5xx), 408 or 303, or is a success that cannot be read.
    MayHaveHappened,
}

/// Writes `not sent`, `rejected` or `may have happened`.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NotSent => "not sent",
            Self::Rejected => "rejected",
            Self::MayHaveHappened => "may have happened",
        })
    }
}

/// One failed attempt at a call.
///
/// ```no_run
/// # fn example(error: platform_sdk::Error) {
/// for attempt in error.attempts() {
///     println!("{attempt}");
///     // 503 unavailable: Try again later. (request 0f6e1c1e-…), after waiting 180ms
/// }
/// let waited: std::time::Duration = error.attempts().iter().map(|attempt| attempt.delay()).sum();
/// let last = error.attempts().last();
/// if last.is_some_and(|attempt| attempt.status().is_none()) {
///     println!("the last attempt got no response");
/// }
/// if let Some(id) = last.and_then(|attempt| attempt.request_id()) {
///     println!("gave up after {waited:?} with {:?}; ask about request {id}", error.outcome());
/// }
/// # }
/// ```
///
/// Attempts serialize to JSON for reports:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use platform_sdk::{Client, RetryPolicy};
///
/// let client = Client::builder()
///     .base_url("http://127.0.0.1:1")
///     .api_key("dev-full-access")
///     .retry_policy(RetryPolicy::never())
///     .build()?;
/// let error = client.list_items().pipeline_id(1).send().await.unwrap_err();
/// assert_eq!(
///     serde_json::to_value(error.attempts())?,
///     serde_json::json!([{
///         "failure": "no connection to 127.0.0.1:1",
///         "outcome": "not_sent",
///         "status": null,
///         "request_id": null,
///         "delay_seconds": 0.0,
///     }])
/// );
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Attempt {
    pub(crate) delay: Duration,
    /// Whether the retry policy counts the attempt.
    pub(crate) counts: bool,
    pub(crate) status: Option<StatusCode>,
    pub(crate) request_id: Option<String>,
    pub(crate) outcome: Outcome,
    pub(crate) failure: String,
}

impl Attempt {
    /// Returns how long the call waited before the attempt. Zero for the first, unless another call got
    /// a 429 response and all calls had to wait.
    pub fn delay(&self) -> Duration {
        self.delay
    }

    /// Returns the status of the response; `None` without a response.
    pub fn status(&self) -> Option<StatusCode> {
        self.status
    }

    /// Returns the id of the attempt in the platform's logs, if the response had one.
    pub fn request_id(&self) -> Option<&str> {
        self.request_id.as_deref()
    }

    /// Returns whether this attempt may have been carried out.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }
}

/// Writes one line: the failure, the request id, and the wait before the attempt.
impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.failure)?;
        if let Some(id) = &self.request_id {
            write!(f, " (request {id})")?;
        }
        if !self.delay.is_zero() {
            write!(f, ", after waiting {:?}", self.delay)?;
        }
        Ok(())
    }
}

impl Serialize for Attempt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut attempt = serializer.serialize_struct("Attempt", 5)?;
        attempt.serialize_field("failure", &self.failure)?;
        attempt.serialize_field("outcome", &self.outcome)?;
        attempt.serialize_field("status", &self.status.map(|status| status.as_u16()))?;
        attempt.serialize_field("request_id", &self.request_id)?;
        attempt.serialize_field("delay_seconds", &self.delay.as_secs_f64())?;
        attempt.end()
    }
}
