//! The classes of errors. Each error has exactly one.

use reqwest::StatusCode;
use serde::Serialize;

use super::{Error, Fault, Kind, Unreached};

/// What an error is about. Each error has exactly one class, so that counts and alerts by class add up; the predicates
/// of [`Error`] say more, and several of them may hold.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), platform_sdk::Error> {
/// use platform_sdk::{Client, ErrorClass, RetryPolicy};
///
/// let nobody = Client::builder()
///     .base_url("http://127.0.0.1:1")
///     .api_key("dev-full-access")
///     .retry_policy(RetryPolicy::never())
///     .build()?;
/// let error = nobody.list_items().pipeline_id(1).send().await.unwrap_err();
/// assert_eq!(error.class(), ErrorClass::Network);
/// assert!(error.is_transient());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorClass {
    /// A client cannot be made of what was given, there is no runtime to send a request on, or a blocking call was made
    /// within asynchronous code.
    Configuration,
    /// The request is at fault: it could not be made of its arguments, or was answered 400 or 422.
    InvalidRequest,
    /// The name of the host does not exist, no connection could be made, it ended before the response did, or what came
    /// is not well-formed HTTP.
    Network,
    /// There is no agreement on encryption: a certificate that is not trusted, or no TLS at the other end.
    Tls,
    /// Connecting, the response or the call as a whole took too long.
    Timeout,
    /// The key has used up its quota (429).
    RateLimited,
    /// The key is missing or not known (401).
    Unauthenticated,
    /// The app's provider of keys failed or took too long.
    KeyUnavailable,
    /// The policies of the key do not allow the operation (403).
    Denied,
    /// There is no such record, or no such route (404).
    NotFound,
    /// The organization already is in the pipeline (409).
    Conflict,
    /// The service failed or could not answer for now (5xx).
    Server,
    /// The response is a redirect (3xx), which is never followed.
    Redirect,
    /// The response has another status of failure.
    OtherStatus,
    /// The response is a success that cannot be read.
    Undecodable,
    /// The response is a success with a larger body than the client reads.
    TooLarge,
    /// The collection changed during a walk.
    CollectionChanged,
    /// An item was not ready when the wait for it ended.
    NotReady,
}

impl Error {
    /// The class of the error.
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
                why: Unreached::Tls,
                ..
            } => ErrorClass::Tls,
            Kind::Unconnected {
                timed_out: true, ..
            } => ErrorClass::Timeout,
            Kind::Unconnected { .. }
            | Kind::Broken
            | Kind::NotHttp
            | Kind::Answered(Fault::Truncated) => ErrorClass::Network,
            Kind::DeadlinePassed | Kind::TimedOut { .. } => ErrorClass::Timeout,
            Kind::HeldBack { .. } => ErrorClass::RateLimited,
            Kind::KeyUnavailable { .. } => ErrorClass::KeyUnavailable,
            Kind::Drift(_) => ErrorClass::CollectionChanged,
            Kind::NotReady(_) => ErrorClass::NotReady,
            Kind::Answered(Fault::TooLarge { .. }) => ErrorClass::TooLarge,
            Kind::Unreadable(_)
            | Kind::Answered(Fault::NotJson | Fault::BadEncoding | Fault::OffContract { .. }) => {
                ErrorClass::Undecodable
            }
            Kind::Answered(Fault::Status) => match self.status() {
                Some(StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY) => {
                    ErrorClass::InvalidRequest
                }
                Some(StatusCode::UNAUTHORIZED) => ErrorClass::Unauthenticated,
                Some(StatusCode::FORBIDDEN) => ErrorClass::Denied,
                Some(StatusCode::NOT_FOUND) => ErrorClass::NotFound,
                Some(StatusCode::CONFLICT) => ErrorClass::Conflict,
                Some(StatusCode::TOO_MANY_REQUESTS) => ErrorClass::RateLimited,
                Some(status) if status.is_server_error() => ErrorClass::Server,
                Some(status) if status.is_redirection() => ErrorClass::Redirect,
                _ => ErrorClass::OtherStatus,
            },
        }
    }

    /// Whether trying again later may help, without a change of the request or the client: trouble with the network, a
    /// timeout, a quota that is used up (429), 408, 500, 502, 503 and 504, or an item that is not ready yet. Whether a
    /// write may be repeated is another matter: see [`outcome`](Self::outcome).
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

    /// Whether the network failed: the name of the host does not exist, no connection could be made, or it ended before
    /// the response did.
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

    /// Whether the name of the host does not exist. Such a call is not attempted again.
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

    /// Whether there is no agreement on encryption: a certificate that is not trusted, or no TLS at the other end. Such
    /// a call is not attempted again.
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

    /// Whether a client cannot be made of what was given, or there is no tokio runtime to send a request on.
    ///
    /// ```
    /// let error = platform_sdk::Client::builder().build().unwrap_err();
    /// assert!(error.is_configuration());
    /// ```
    pub fn is_configuration(&self) -> bool {
        self.class() == ErrorClass::Configuration
    }

    /// Whether the app's [provider of keys](crate::ClientBuilder::api_key_provider) failed or took too long. Its own error,
    /// if it failed, is the [source](std::error::Error::source). The call is not attempted again; the next one calls the
    /// provider again.
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
    /// assert_eq!(error.to_string(), "list_items: there is no API key, because the provider of keys failed");
    /// assert!(error.source().is_some_and(|source| source.is::<io::Error>()));
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_key_unavailable(&self) -> bool {
        self.class() == ErrorClass::KeyUnavailable
    }

    /// Whether the response is a redirect, which is never followed, because the key would go along;
    /// [`redirect_location`](Self::redirect_location) is where to.
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
