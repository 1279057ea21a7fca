//! The blocking client, and clones of it with other options.

use std::time::Duration;

use reqwest::header::{HeaderName, HeaderValue};

use super::runtime::Blocking;
use crate::{ApiKey, Error, RetryPolicy};

/// A client for one deployment whose calls block, with a method for each operation. Clones are cheap and
/// share their connections and their thread.
///
/// ```
/// use platform_sdk::blocking::Client;
///
/// let client = platform_sdk::Client::builder()
///     .base_url("https://api.example/platform")
///     .api_key("dev-full-access")
///     .build_blocking()?;
/// assert_eq!(client.base_url(), "https://api.example/platform");
/// # let _: Client = client;
/// # Ok::<(), platform_sdk::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Client {
    pub(crate) client: crate::Client,
    pub(crate) mode: Blocking,
}

impl Client {
    /// Creates a blocking client with the settings of `client`. `client` must not have opened any connections
    /// yet: a connection opened on another runtime closes when that runtime ends.
    ///
    /// ```
    /// let client = platform_sdk::Client::builder()
    ///     .base_url("http://127.0.0.1:8080")
    ///     .api_key("dev-read-only")
    ///     .build()?;
    /// let client = platform_sdk::blocking::Client::new(client)?;
    /// # Ok::<(), platform_sdk::Error>(())
    /// ```
    ///
    /// # Errors
    /// The thread of the client cannot be started.
    pub fn new(client: crate::Client) -> Result<Self, Error> {
        let mode = Blocking::start()?;
        Ok(Self { client, mode })
    }

    /// Creates a client from the environment variables `PLATFORM_BASE_URL` and `PLATFORM_API_KEY`.
    ///
    /// ```no_run
    /// let client = platform_sdk::blocking::Client::from_env()?;
    /// # Ok::<(), platform_sdk::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Client::from_env`](crate::Client::from_env) and of [`new`](Self::new).
    pub fn from_env() -> Result<Self, Error> {
        Self::new(crate::Client::from_env()?)
    }

    /// Returns the base URL, without a trailing slash.
    pub fn base_url(&self) -> &str {
        self.client.base_url()
    }

    fn with(&self, client: crate::Client) -> Self {
        Self {
            client,
            mode: self.mode.clone(),
        }
    }
}

/// # Options of a call
///
/// Each method returns a clone of the client with the option set, as in [`crate::Client`].
///
/// ```no_run
/// # fn example(client: &platform_sdk::blocking::Client) -> Result<(), platform_sdk::Error> {
/// use std::time::Duration;
/// use platform_sdk::RetryPolicy;
///
/// let page = client
///     .with_deadline(Duration::from_secs(5))
///     .with_attempt_timeout(Duration::from_secs(2))
///     .with_retry_policy(RetryPolicy::never())
///     .with_header("X-Request-Id", "import-7")?
///     .with_api_key("dev-read-only")?
///     .list_items()
///     .pipeline_id(1)
///     .send()?;
/// # Ok(())
/// # }
/// ```
impl Client {
    /// Returns a client whose calls end within `duration` from now: see
    /// [`with_deadline`](crate::Client::with_deadline).
    #[must_use = "the client itself stays as it is"]
    pub fn with_deadline(&self, duration: Duration) -> Self {
        self.with(self.client.with_deadline(duration))
    }

    /// Returns a client with this timeout for each attempt: see
    /// [`with_attempt_timeout`](crate::Client::with_attempt_timeout).
    #[must_use = "the client itself stays as it is"]
    pub fn with_attempt_timeout(&self, timeout: Duration) -> Self {
        self.with(self.client.with_attempt_timeout(timeout))
    }

    /// Returns a client that retries its calls according to `policy`.
    #[must_use = "the client itself stays as it is"]
    pub fn with_retry_policy(&self, policy: RetryPolicy) -> Self {
        self.with(self.client.with_retry_policy(policy))
    }

    /// Returns a client that sends another key: see [`with_api_key`](crate::Client::with_api_key).
    ///
    /// # Errors
    /// The key is empty or contains a character that is not visible ASCII.
    pub fn with_api_key<K>(&self, key: K) -> Result<Self, Error>
    where
        K: TryInto<ApiKey>,
        K::Error: Into<Error>,
    {
        Ok(self.with(self.client.with_api_key(key)?))
    }

    /// Returns a client that sends this header with each request: see
    /// [`with_header`](crate::Client::with_header).
    ///
    /// # Errors
    /// The name or the value is not valid in a header, or the SDK sets this header itself.
    pub fn with_header<N, V>(&self, name: N, value: V) -> Result<Self, Error>
    where
        N: TryInto<HeaderName>,
        V: TryInto<HeaderValue>,
    {
        Ok(self.with(self.client.with_header(name, value)?))
    }
}

impl crate::ClientBuilder {
    /// Builds a client whose calls [block](crate::blocking). Sends nothing.
    ///
    /// ```
    /// let client = platform_sdk::Client::builder()
    ///     .base_url("http://127.0.0.1:8080")
    ///     .api_key("dev-full-access")
    ///     .build_blocking()?;
    /// # Ok::<(), platform_sdk::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`build`](Self::build), and an error if the thread of the client cannot be
    /// started.
    pub fn build_blocking(self) -> Result<Client, Error> {
        Client::new(self.build()?)
    }
}
