//! The client, and clones of it with other options.

mod builder;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName, HeaderValue, USER_AGENT};

pub use self::builder::ClientBuilder;
use crate::call::api_key::ApiKey;
use crate::call::core::{ClientCore, Settings};
use crate::call::gate::Gate;
use crate::call::keys::Keys;
use crate::call::options::CallOptions;
use crate::call::retry::RetryPolicy;
use crate::error::Error;
use crate::generated::Client;

impl Client {
    /// Returns a builder for a client.
    ///
    /// ```
    /// use platform_sdk::Client;
    ///
    /// let client = Client::builder()
    ///     .base_url("https://api.example/platform")
    ///     .api_key("dev-full-access")
    ///     .build()?;
    /// assert_eq!(client.base_url(), "https://api.example/platform");
    /// # Ok::<(), platform_sdk::Error>(())
    /// ```
    pub fn builder() -> ClientBuilder {
        ClientBuilder::new()
    }

    /// Builds a client from the environment variables `PLATFORM_BASE_URL` and `PLATFORM_API_KEY`.
    ///
    /// ```no_run
    /// let client = platform_sdk::Client::from_env()?;
    /// # Ok::<(), platform_sdk::Error>(())
    /// ```
    ///
    /// # Errors
    /// A variable is missing, or [`ClientBuilder::build`] rejects its value.
    pub fn from_env() -> Result<Self, Error> {
        ClientBuilder::from_env()?.build()
    }

    /// Returns the base URL, without a trailing slash.
    pub fn base_url(&self) -> &str {
        &self.core.base_url
    }
}

/// Shows the base URL and never the key.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base_url", &self.core.base_url)
            .finish_non_exhaustive()
    }
}

/// # Options of a call
///
/// Each method returns a clone of the client with the option set. Cloning is cheap, and clones
/// share connections and the retry budget. An option applies to everything done with the clone.
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// use std::time::{Duration, Instant};
/// use platform_sdk::RetryPolicy;
///
/// let page = client
///     .with_deadline(Duration::from_secs(5))
///     .with_attempt_timeout(Duration::from_secs(2))
///     .with_retry_policy(RetryPolicy::never())
///     .with_header("X-Request-Id", "import-7")?
///     .list_items()
///     .pipeline_id(1)
///     .send()
///     .await?;
/// # Ok(())
/// # }
/// ```
impl Client {
    /// Returns a client whose calls all end within `duration` from now: the attempts of a call, the
    /// pages of a walk, the polls of a wait. An existing, earlier deadline stays in force. Create
    /// such a client for each piece of work, because its deadline does not renew.
    #[must_use = "the client itself stays as it is"]
    pub fn with_deadline(&self, duration: Duration) -> Self {
        let deadline = self.core.now().checked_add(duration);
        self.ending_by(deadline)
    }

    /// Returns a client with this timeout for each attempt of every operation, instead of the
    /// contract's timeouts.
    #[must_use = "the client itself stays as it is"]
    pub fn with_attempt_timeout(&self, timeout: Duration) -> Self {
        self.with(|options| options.attempt_timeout = Some(timeout))
    }

    /// Returns a client with this retry policy.
    #[must_use = "the client itself stays as it is"]
    pub fn with_retry_policy(&self, policy: RetryPolicy) -> Self {
        self.with(|options| options.retry_policy = policy)
    }

    /// Returns a client that sends another key over the same connections: for a rotated key, or for
    /// a service with one key per customer. It has its own rate limit, because a quota belongs to a
    /// key, and does not call this client's [provider](ClientBuilder::api_key_provider).
    ///
    /// ```
    /// # fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let of_another_customer = client.with_api_key("dev-read-only")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The key is empty or has a character that is not visible ASCII.
    pub fn with_api_key<K>(&self, key: K) -> Result<Self, Error>
    where
        K: TryInto<ApiKey>,
        K::Error: Into<Error>,
    {
        let api_key = key.try_into().map_err(Into::into)?;
        let settings = &self.core.settings;
        let settings = Settings {
            keys: Keys::Fixed(api_key),
            user_agent: settings.user_agent.clone(),
            service: settings.service.as_ref().cloned(),
            clock: Arc::clone(&settings.clock),
            retry_budget: Arc::clone(&settings.retry_budget),
            gate: Gate::default(),
            max_response_bytes: settings.max_response_bytes,
            on_unknown: settings.on_unknown.clone(),
            on_request: settings.on_request.clone(),
            on_response: settings.on_response.clone(),
        };
        Ok(self.with_core(ClientCore {
            settings: Arc::new(settings),
            ..self.core.clone()
        }))
    }

    /// Returns a client that sends this header with each request. It replaces an earlier header of
    /// the same name.
    ///
    /// # Errors
    /// The name or the value is not valid in a header, or the SDK sets the header itself:
    /// `API-Key`, `Accept`, `Content-Length`, `Content-Type`, `Host` and `User-Agent`.
    pub fn with_header<N, V>(&self, name: N, value: V) -> Result<Self, Error>
    where
        N: TryInto<HeaderName>,
        V: TryInto<HeaderValue>,
    {
        let rejected = |why: &str| Error::configuration(format!("the header {why}"));
        let name = name.try_into().map_err(|_| rejected("has an invalid name"))?;
        // The message leaves out the value, which may be a secret.
        let value = value
            .try_into()
            .map_err(|_| rejected(&format!("{name} has an invalid value")))?;
        let own = [ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HOST, USER_AGENT];
        if own.contains(&name) || name == "api-key" {
            return Err(rejected(&format!("{name} is set by the SDK")));
        }
        Ok(self.with(|options| {
            options.headers.insert(name, value);
        }))
    }

    /// Returns a client whose calls end at `deadline` at the latest.
    pub(crate) fn ending_by(&self, deadline: Option<Instant>) -> Self {
        self.with_core(self.core.ending_by(deadline))
    }

    /// Returns a client for several requests that are one call to the app.
    pub(crate) fn for_one_call(&self) -> Self {
        self.with_core(self.core.for_one_call())
    }

    fn with(&self, change: impl FnOnce(&mut CallOptions)) -> Self {
        self.with_core(self.core.with(change))
    }

    fn with_core(&self, core: ClientCore) -> Self {
        Self { core }
    }
}
