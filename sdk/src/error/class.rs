//! Classes of errors. Each error has exactly one.

use reqwest::StatusCode;
use serde::Serialize;

use super::{Error, Fault, Kind, Unreached};

/// Class of an error. Each error has exactly one class, so counts and alerts by class add up. The
/// predicates of [`Error`] are more detailed, and several of them may hold.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), platform_sdk::Error> {
/// use platform_sdk::{Client, ErrorClass, RetryPolicy};
///
/// let client = Client::builder()
///     .base_url("http://127.0.0.1:1")
///     .api_key("dev-full-access")
///     .retry_policy(RetryPolicy::never())
///     .build()?;
/// let error = client.list_items().pipeline_id(1).send().await.unwrap_err();
/// assert_eq!(error.class(), ErrorClass::Network);
/// assert!(error.is_transient());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorClass {
    /// A client cannot be built from its configuration, there is no runtime to send a request on, or a
    /// blocking call was made in async code.
    Configuration,
    /// The request is invalid: it could not be built from its arguments, or the response was 400 or
    /// 422.
    InvalidRequest,
    /// The host name does not exist, no connection could be made, the connection ended before the
    /// response did, or the response is not well-formed HTTP.
    Network,
    /// TLS could not be established: the certificate is not trusted, or the other end has no TLS.
    Tls,
    /// Connecting, the response or the whole call took too long.
    Timeout,
    /// The key has used up its quota (429).
    RateLimited,
    /// The key is missing or unknown (401).
    Unauthenticated,
    /// The app's key provider failed or took too long.
    KeyUnavailable,
    /// The key's policies do not allow the operation (403).
    Denied,
    /// The record or route does not exist (404).
    NotFound,
    /// The organization is already in the pipeline (409).
    Conflict,
    /// The service failed or was temporarily unavailable (5xx). Statuses of 600 and above, which HTTP
    /// does not define, count too.
    Server,
    /// The response is a redirect (3xx). Redirects are never followed.
    Redirect,
    /// The response has another error status.
    OtherStatus,
    /// The response is a success that cannot be read.
    Undecodable,
    /// The response is a success whose body exceeds the client's size limit.
    TooLarge,
    /// The collection changed during a walk.
    CollectionChanged,
    /// An item was not ready when the wait for it ended.
    NotReady,
}

impl Error {
    /// Returns the class of the error.
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// use platform_sdk::ErrorClass;
    ///
    /// match error.class() {
    ///     ErrorClass::NotFound => println!("skipped: {error}"),
    ///     ErrorClass::Unauthenticated | ErrorClass::Denied => println!("check the key: {error}"),
    ///     class => println!("{class:?}: {error}"),
    /// }
    /// # }
    /// ```
    pub fn class(&self) -> ErrorClass {
        match self.kind() {
            Kind::Configuration(_) | Kind::NoRuntime => ErrorClass::Configuration,
            #[cfg(feature = "blocking")]
            Kind::WithinRuntime => ErrorClass::Configuration,
            Kind::Argument(_) => ErrorClass::InvalidRequest,
            Kind::Unconnected {
                why: Unreached::Tls, ..
            } => ErrorClass::Tls,
            Kind::Unconnected { timed_out: true, .. } => ErrorClass::Timeout,
            Kind::Unconnected { .. } | Kind::Broken | Kind::NotHttp | Kind::Answered(Fault::Truncated) => {
                ErrorClass::Network
            }
            Kind::DeadlinePassed | Kind::TimedOut { .. } => ErrorClass::Timeout,
            Kind::HeldBack { .. } => ErrorClass::RateLimited,
            Kind::KeyUnavailable { .. } => ErrorClass::KeyUnavailable,
            Kind::Drift(_) => ErrorClass::CollectionChanged,
            Kind::NotReady(_) => ErrorClass::NotReady,
            Kind::Answered(Fault::TooLarge { .. }) => ErrorClass::TooLarge,
            Kind::Unreadable(_) | Kind::Answered(Fault::NotJson | Fault::BadEncoding | Fault::OffContract { .. }) => {
                ErrorClass::Undecodable
            }
            Kind::Answered(Fault::Status) => match self.status() {
                Some(StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY) => ErrorClass::InvalidRequest,
                Some(StatusCode::UNAUTHORIZED) => ErrorClass::Unauthenticated,
                Some(StatusCode::FORBIDDEN) => ErrorClass::Denied,
                Some(StatusCode::NOT_FOUND) => ErrorClass::NotFound,
                Some(StatusCode::CONFLICT) => ErrorClass::Conflict,
                Some(StatusCode::TOO_MANY_REQUESTS) => ErrorClass::RateLimited,
                Some(_) if self.is_server_error() => ErrorClass::Server,
                Some(status) if status.is_redirection() => ErrorClass::Redirect,
                _ => ErrorClass::OtherStatus,
            },
        }
    }

    /// Returns whether retrying later may help, without changing the request or the client: a network
    /// failure other than an unknown host, a timeout, an exhausted quota (429), 408, 500, 502, 503 and
    /// 504, or an item that is not ready yet. Whether a write may be repeated is a separate question: see
    /// [`outcome`](Self::outcome).
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// if error.is_transient() {
    ///     println!("put it back into the queue: {error}");
    /// }
    /// # }
    /// ```
    pub fn is_transient(&self) -> bool {
        match self.class() {
            ErrorClass::Network => !self.is_unknown_host(),
            ErrorClass::Timeout | ErrorClass::RateLimited | ErrorClass::NotReady => true,
            ErrorClass::Server => self
                .status()
                .is_some_and(|status| matches!(status.as_u16(), 500 | 502 | 503 | 504)),
            ErrorClass::OtherStatus => self.status() == Some(StatusCode::REQUEST_TIMEOUT),
            _ => false,
        }
    }

    /// Returns whether the network failed: the host name does not exist, no connection could be made,
    /// or the connection ended before the response did.
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// if error.is_network() {
    ///     println!("check the base URL and the connection: {error}");
    /// }
    /// # }
    /// ```
    pub fn is_network(&self) -> bool {
        self.class() == ErrorClass::Network
    }

    /// Returns whether the host name does not exist. Such a call is not retried.
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// if error.is_unknown_host() {
    ///     println!("check PLATFORM_BASE_URL: {error}");
    /// }
    /// # }
    /// ```
    pub fn is_unknown_host(&self) -> bool {
        matches!(
            self.kind(),
            Kind::Unconnected {
                why: Unreached::UnknownHost,
                ..
            }
        )
    }

    /// Returns whether TLS could not be established: the certificate is not trusted, or the other end
    /// has no TLS. Such a call is not retried.
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// if error.is_tls() {
    ///     println!("is a root certificate missing? {:?}", std::error::Error::source(&error));
    /// }
    /// # }
    /// ```
    pub fn is_tls(&self) -> bool {
        self.class() == ErrorClass::Tls
    }

    /// Returns whether a client cannot be built from its configuration, there is no tokio runtime to send a
    /// request on, or a blocking call was made in async code.
    ///
    /// ```
    /// let error = platform_sdk::Client::builder().build().unwrap_err();
    /// assert!(error.is_configuration());
    /// ```
    pub fn is_configuration(&self) -> bool {
        self.class() == ErrorClass::Configuration
    }

    /// Returns whether the app's [key provider](crate::ClientBuilder::api_key_provider) failed or took
    /// too long. If it failed, its own error is the [source](std::error::Error::source). The call is
    /// not retried; the next call invokes the provider again.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), platform_sdk::Error> {
    /// use std::error::Error;
    /// use std::io;
    ///
    /// let client = platform_sdk::Client::builder()
    ///     .base_url("http://127.0.0.1:8080")
    ///     .api_key_provider(|| async { Err(io::Error::other("the vault is sealed")) })
    ///     .build()?;
    /// let error = client.list_items().pipeline_id(1).send().await.unwrap_err();
    /// assert!(error.is_key_unavailable());
    /// assert_eq!(error.to_string(), "list_items: no API key: the key provider failed");
    /// assert!(error.source().is_some_and(|source| source.is::<io::Error>()));
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_key_unavailable(&self) -> bool {
        self.class() == ErrorClass::KeyUnavailable
    }

    /// Returns whether the response is a redirect. Redirects are never followed, because the key would
    /// be sent along; [`redirect_location`](Self::redirect_location) returns the target.
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// if error.is_redirect() {
    ///     println!("the base URL has moved to {:?}", error.redirect_location());
    /// }
    /// # }
    /// ```
    pub fn is_redirect(&self) -> bool {
        self.class() == ErrorClass::Redirect
    }
}
