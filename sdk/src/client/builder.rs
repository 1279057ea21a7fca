//! Building a client: base URL, key, timeouts and hooks.

use std::env::{self, VarError};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderValue;

use crate::call::api_key::ApiKey;
use crate::call::base_url::BaseUrl;
use crate::call::budget::RetryBudget;
use crate::call::clock::{Clock, TokioClock};
use crate::call::core::{ClientCore, Service, Settings};
use crate::call::gate::Gate;
use crate::call::hooks::{AttemptReport, OnRequest, OnResponse};
use crate::call::keys::{ApiKeyProvider, Keys};
use crate::call::options::CallOptions;
use crate::call::response::MAX_RESPONSE_BYTES;
use crate::call::retry::RetryPolicy;
use crate::call::transport::Connections;
use crate::error::Error;
use crate::generated::Client;
use crate::types::unknown::{Hook, Unknown};

const PRODUCT: &str = concat!("platform-sdk/", env!("CARGO_PKG_VERSION"));

/// Builds a [`Client`]. The base URL and the key, or a key provider, are required.
///
/// ```
/// use std::sync::Arc;
/// use std::time::{Duration, Instant};
///
/// use platform_sdk::{Client, RetryBudget, RetryPolicy};
///
/// let client = Client::builder()
///     .base_url("http://platform.internal:8080")
///     .allow_insecure_http(true)
///     .api_key("dev-read-only")
///     .connect_timeout(Duration::from_secs(2))
///     .attempt_timeout(Duration::from_secs(20))
///     .total_timeout(Duration::from_secs(60))
///     .retry_policy(RetryPolicy::default().max_attempts(3))
///     .retry_budget(Arc::new(RetryBudget::new(200)))
///     .user_agent_suffix("prospector/2.1")
///     .build()?;
/// # Ok::<(), platform_sdk::Error>(())
/// ```
///
/// A builder can be cloned, for several clients with common settings. The clients share the retry
/// budget, the clock and the hooks, but neither connections nor the rate limit: clone a [`Client`] to
/// share these.
///
/// ```
/// use platform_sdk::Client;
///
/// let common = Client::builder().api_key("dev-read-only").user_agent_suffix("prospector/2.1");
/// let europe = common.clone().base_url("https://eu.api.example").build()?;
/// let america = common.base_url("https://us.api.example").build()?;
/// # Ok::<(), platform_sdk::Error>(())
/// ```
#[must_use = "a builder does nothing until `build` is called"]
#[derive(Clone)]
pub struct ClientBuilder {
    base_url: Option<Result<BaseUrl, Error>>,
    api_key: Option<Result<ApiKey, Error>>,
    api_key_provider: Option<Arc<dyn ApiKeyProvider>>,
    connections: Connections,
    service: Option<Service>,
    allow_insecure_http: bool,
    user_agent: Option<Result<HeaderValue, Error>>,
    clock: Arc<dyn Clock>,
    retry_budget: Arc<RetryBudget>,
    max_response_bytes: u64,
    options: CallOptions,
    on_unknown: Option<Hook>,
    on_request: Option<OnRequest>,
    on_response: Option<OnResponse>,
}

impl ClientBuilder {
    pub(super) fn new() -> Self {
        Self {
            base_url: None,
            api_key: None,
            api_key_provider: None,
            connections: Connections::default(),
            service: None,
            allow_insecure_http: false,
            user_agent: None,
            clock: Arc::new(TokioClock),
            retry_budget: Arc::default(),
            max_response_bytes: MAX_RESPONSE_BYTES,
            options: CallOptions::default(),
            on_unknown: None,
            on_request: None,
            on_response: None,
        }
    }

    /// Returns a builder with the base URL and key from the environment: `PLATFORM_BASE_URL` and
    /// `PLATFORM_API_KEY`.
    ///
    /// ```no_run
    /// use platform_sdk::{ClientBuilder, RetryPolicy};
    ///
    /// let client = ClientBuilder::from_env()?.retry_policy(RetryPolicy::never()).build()?;
    /// # Ok::<(), platform_sdk::Error>(())
    /// ```
    ///
    /// # Errors
    /// A variable is missing or is not Unicode.
    pub fn from_env() -> Result<Self, Error> {
        from_variables(|name| env::var(name))
    }

    /// Sets the base URL of the deployment: an absolute URL with `https`, or with `http` on this
    /// machine. A path is put before the paths of the operations. A trailing slash makes no
    /// difference.
    pub fn base_url(mut self, url: impl AsRef<str>) -> Self {
        self.base_url = Some(BaseUrl::parse(url.as_ref()));
        self
    }

    /// Sets the API key: an [`ApiKey`], or text that converts into one.
    pub fn api_key<K>(mut self, key: K) -> Self
    where
        K: TryInto<ApiKey>,
        K::Error: Into<Error>,
    {
        self.api_key = Some(key.try_into().map_err(Into::into));
        self
    }

    /// Gets the key from the app, for keys that expire or are rotated: an async function, or an
    /// [`ApiKeyProvider`].
    ///
    /// The provider is called before the first request and again after a 401 response. All clones
    /// and concurrent calls share one key, and one call to the provider when they need a new one. A
    /// call that gets a 401 is attempted once more with the new key, regardless of the retry policy
    /// and at no cost to the retry budget; after a second 401 in a row it fails. If the provider
    /// fails, or takes longer than the attempt timeout or the deadline allows, the call fails with
    /// an error for which [`is_key_unavailable`](Error::is_key_unavailable) returns `true`. The SDK
    /// does not retry the provider, so a provider that can fail temporarily should retry by itself.
    ///
    /// If [`api_key`](Self::api_key) is set too, that key is used until the first 401. The last
    /// eight keys are redacted from server text in errors.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), platform_sdk::Error> {
    /// # let server = platform_server_stub::Server::built_in();
    /// use platform_sdk::{ApiKey, Client, Error};
    ///
    /// async fn from_the_vault() -> Result<ApiKey, Error> {
    ///     ApiKey::new("dev-full-access") // read from where the app keeps its secrets
    /// }
    ///
    /// let client = Client::builder()
    ///     # .service(server.router())
    ///     .base_url("http://127.0.0.1:8080")
    ///     .api_key_provider(from_the_vault)
    ///     .build()?;
    /// let page = client.list_items().pipeline_id(1).send().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn api_key_provider(mut self, provider: impl ApiKeyProvider) -> Self {
        self.api_key_provider = Some(Arc::new(provider));
        self
    }

    /// Sets the timeout for establishing a connection. Defaults to 5 seconds.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connections.connect_timeout = Some(timeout);
        self
    }

    /// Sets the timeout of one attempt of any operation, from its start until its response has been
    /// read. Defaults to the contract's timeout for each operation (`x-timeout-seconds`).
    pub fn attempt_timeout(mut self, timeout: Duration) -> Self {
        self.options.attempt_timeout = Some(timeout);
        self
    }

    /// Sets the timeout of a call with all its attempts and the delays between them. Unlimited by
    /// default. For a limit across several calls, see [`Client::with_deadline`].
    pub fn total_timeout(mut self, timeout: Duration) -> Self {
        self.options.total_timeout = Some(timeout);
        self
    }

    /// Sets when and how often a call is retried.
    pub fn retry_policy(mut self, policy: RetryPolicy) -> Self {
        self.options.retry_policy = policy;
        self
    }

    /// Sets the budget for retries that all calls share.
    pub fn retry_budget(mut self, budget: Arc<RetryBudget>) -> Self {
        self.retry_budget = budget;
        self
    }

    /// Sets the maximum size in bytes of the body of a successful response. Defaults to 64 MiB, many
    /// times the size of a page of 1000 items. A larger body is not read to its end, and the call
    /// fails with an error for which [`is_response_too_large`](Error::is_response_too_large) returns
    /// `true`.
    ///
    /// ```
    /// let client = platform_sdk::Client::builder()
    ///     .base_url("http://127.0.0.1:8080")
    ///     .api_key("dev-read-only")
    ///     .max_response_bytes(8 * 1024 * 1024)
    ///     .build()?;
    /// # Ok::<(), platform_sdk::Error>(())
    /// ```
    pub fn max_response_bytes(mut self, bytes: u64) -> Self {
        self.max_response_bytes = bytes;
        self
    }

    /// Sets the clock of the client, instead of the runtime's.
    ///
    /// ```
    /// # use platform_sdk::{Client, Clock};
    /// fn client_with_clock(clock: impl Clock) -> Result<Client, platform_sdk::Error> {
    ///     Client::builder()
    ///         .base_url("http://127.0.0.1:8080")
    ///         .api_key("dev-full-access")
    ///         .clock(clock)
    ///         .build()
    /// }
    /// ```
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Appends the app and its version, such as `prospector/2.1`, to the SDK's in `User-Agent`.
    pub fn user_agent_suffix(mut self, app: impl AsRef<str>) -> Self {
        let value = HeaderValue::from_str(&format!("{PRODUCT} {}", app.as_ref()));
        self.user_agent = Some(value.map_err(|error| {
            Error::configuration("the user agent suffix is not valid in a header").with_source(error)
        }));
        self
    }

    /// Sends requests through this proxy, instead of the ones set in the environment
    /// (`HTTPS_PROXY`, `NO_PROXY` and so on).
    ///
    /// ```
    /// use platform_sdk::Client;
    /// use platform_sdk::reqwest::Proxy;
    ///
    /// let client = Client::builder()
    ///     .base_url("https://api.example/platform")
    ///     .api_key("dev-full-access")
    ///     .proxy(Proxy::https("http://proxy.example:3128")?)
    ///     .build()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn proxy(mut self, proxy: reqwest::Proxy) -> Self {
        self.connections.proxy = Some(proxy);
        self
    }

    /// Trusts a certificate authority in addition to those of the operating system, such as a
    /// company's own.
    ///
    /// ```no_run
    /// use platform_sdk::Client;
    /// use platform_sdk::reqwest::Certificate;
    ///
    /// let client = Client::builder()
    ///     .base_url("https://platform.internal.example")
    ///     .api_key("dev-full-access")
    ///     .add_root_certificate(Certificate::from_pem(&std::fs::read("ca.pem")?)?)
    ///     .build()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(any(feature = "rustls", feature = "rustls-no-provider", feature = "native-tls"))]
    pub fn add_root_certificate(mut self, certificate: reqwest::Certificate) -> Self {
        self.connections.root_certificates.push(certificate);
        self
    }

    /// Sends requests with an HTTP client that has the app's own settings, such as a client
    /// certificate: the function returns a `reqwest::ClientBuilder` with these settings. The connect
    /// timeout, proxy and root certificates of this builder are added to it.
    ///
    /// Redirects are never followed, whatever the settings, because the `API-Key` header would be
    /// sent to the target. [`build`](Self::build) calls the function once.
    ///
    /// ```
    /// use platform_sdk::Client;
    /// use platform_sdk::reqwest;
    ///
    /// let client = Client::builder()
    ///     .base_url("https://api.example/platform")
    ///     .api_key("dev-full-access")
    ///     .http_client(|| reqwest::Client::builder().http1_only().pool_max_idle_per_host(4))
    ///     .build()?;
    /// # Ok::<(), platform_sdk::Error>(())
    /// ```
    pub fn http_client(mut self, settings: impl Fn() -> reqwest::ClientBuilder + Send + Sync + 'static) -> Self {
        self.connections.http_client = Some(Arc::new(settings));
        self
    }

    /// Sends requests to a service in the same process, without a socket: the router of the
    /// reference server, or any other `tower` service. The base URL then defaults to
    /// `http://localhost`.
    ///
    /// ```no_run
    /// # async fn example(router: axum::Router) -> Result<(), platform_sdk::Error> {
    /// let client = platform_sdk::Client::builder()
    ///     .service(router)
    ///     .api_key("dev-full-access")
    ///     .build()?;
    /// let page = client.list_items().pipeline_id(1).send().await?;
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "tower")]
    pub fn service<S, B>(mut self, service: S) -> Self
    where
        S: tower_service::Service<http::Request<reqwest::Body>, Response = http::Response<B>>
            + Clone
            + Send
            + Sync
            + 'static,
        S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        S::Future: Send + 'static,
        B: http_body::Body<Data = bytes::Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        self.service = Some(Service::new(service));
        self
    }

    /// Calls `hook` for every field and value of a response that this version of the SDK does not
    /// know. A newer version may know them.
    ///
    /// The hook is called before the response is returned, once for each place, so it should be
    /// quick: a new field of an item occurs a thousand times on a page. Without a hook, responses
    /// are not checked for unknown data.
    ///
    /// ```
    /// use std::collections::HashSet;
    /// use std::sync::Mutex;
    ///
    /// let met = Mutex::new(HashSet::new());
    /// let client = platform_sdk::Client::builder()
    ///     .base_url("http://127.0.0.1:8080")
    ///     .api_key("dev-read-only")
    ///     .on_unknown(move |unknown| {
    ///         // Once for each schema is enough to know that there is something new.
    ///         if met.lock().is_ok_and(|mut met| met.insert(unknown.schema)) {
    ///             eprintln!("{unknown}");
    ///         }
    ///     })
    ///     .build()?;
    /// # Ok::<(), platform_sdk::Error>(())
    /// ```
    pub fn on_unknown(mut self, hook: impl Fn(&Unknown) + Send + Sync + 'static) -> Self {
        self.on_unknown = Some(Arc::new(hook));
        self
    }

    /// Calls `hook` with the `operationId` and the request before each attempt: for a header that
    /// differs per attempt, such as a signature. The key and the SDK's own headers are set after
    /// the hook. The hook should be quick.
    ///
    /// ```
    /// use platform_sdk::reqwest::header::HeaderValue;
    ///
    /// let client = platform_sdk::Client::builder()
    ///     .base_url("http://127.0.0.1:8080")
    ///     .api_key("dev-read-only")
    ///     .on_request(|operation, request| {
    ///         request.headers_mut().insert("X-Operation", HeaderValue::from_static(operation));
    ///     })
    ///     .build()?;
    /// # Ok::<(), platform_sdk::Error>(())
    /// ```
    pub fn on_request(mut self, hook: impl Fn(&'static str, &mut reqwest::Request) + Send + Sync + 'static) -> Self {
        self.on_request = Some(Arc::new(hook));
        self
    }

    /// Calls `hook` after each attempt: for metrics such as durations, retries and failures by
    /// class. An attempt of a dropped call is not reported. The hook should be quick.
    ///
    /// ```
    /// let client = platform_sdk::Client::builder()
    ///     .base_url("http://127.0.0.1:8080")
    ///     .api_key("dev-read-only")
    ///     .on_response(|attempt| println!("{attempt}"))
    ///     .build()?;
    /// # Ok::<(), platform_sdk::Error>(())
    /// ```
    pub fn on_response(mut self, hook: impl Fn(&AttemptReport) + Send + Sync + 'static) -> Self {
        self.on_response = Some(Arc::new(hook));
        self
    }

    /// Allows sending the key unencrypted over the network. By default, `http` is rejected except
    /// to this machine.
    pub fn allow_insecure_http(mut self, allow: bool) -> Self {
        self.allow_insecure_http = allow;
        self
    }

    /// Builds the client. Sends nothing.
    ///
    /// # Errors
    /// The base URL or the key is missing or malformed; the base URL has plain `http` to another
    /// machine without `allow_insecure_http`, or has `https` and the SDK was built without TLS; the
    /// user agent suffix is not valid in a header; or TLS cannot be set up.
    pub fn build(self) -> Result<Client, Error> {
        let base_url = self.base_url.unwrap_or_else(|| match self.service {
            Some(_) => BaseUrl::parse("http://localhost"),
            None => Err(Error::configuration("the base URL is missing; pass it to base_url(…)")),
        })?;
        let keys = match (self.api_key.transpose()?, self.api_key_provider) {
            (first, Some(provider)) => Keys::provided(first, provider),
            (Some(api_key), None) => Keys::Fixed(api_key),
            (None, None) => return Err(Error::configuration("the API key is missing; pass it to api_key(…)")),
        };
        let user_agent = self
            .user_agent
            .unwrap_or_else(|| Ok(HeaderValue::from_static(PRODUCT)))?;
        let in_process = self.service.is_some();
        let stays_here = base_url.is_loopback || in_process;
        if !(base_url.is_encrypted || stays_here || self.allow_insecure_http) {
            return Err(Error::configuration(
                "the base URL would send the API key unencrypted: use https, or allow_insecure_http(true)",
            ));
        }
        let http = self.connections.http_client(&base_url, in_process)?;
        #[cfg(feature = "metrics")]
        crate::call::metrics::describe();
        Ok(Client {
            core: ClientCore {
                base_url: base_url.text.into(),
                http,
                settings: Arc::new(Settings {
                    keys,
                    user_agent,
                    service: self.service,
                    clock: self.clock,
                    retry_budget: self.retry_budget,
                    gate: Gate::default(),
                    max_response_bytes: self.max_response_bytes,
                    on_unknown: self.on_unknown,
                    on_request: self.on_request,
                    on_response: self.on_response,
                }),
                options: Arc::new(self.options),
            },
        })
    }
}

/// Shows the base URL and never the key.
impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}

fn from_variables(read: impl Fn(&str) -> Result<String, VarError>) -> Result<ClientBuilder, Error> {
    let variable = |name: &str| {
        read(name).map_err(|error| {
            // The message leaves out the value, which may be the key.
            let why = match error {
                VarError::NotPresent => "is missing",
                VarError::NotUnicode(_) => "is not valid Unicode",
            };
            Error::configuration(format!("the environment variable {name} {why}"))
        })
    };
    let base_url = variable("PLATFORM_BASE_URL")?;
    let api_key = variable("PLATFORM_API_KEY")?;
    Ok(ClientBuilder::new().base_url(base_url).api_key(api_key))
}

#[cfg(test)]
mod tests {
    use std::env::VarError;

    use super::from_variables;

    #[test]
    fn environment_names_deployment_and_key() {
        let client = from_variables(|name| match name {
            "PLATFORM_BASE_URL" => Ok("https://api.example/".to_owned()),
            "PLATFORM_API_KEY" => Ok("dev-full-access".to_owned()),
            other => panic!("{other} was read"),
        })
        .and_then(super::ClientBuilder::build);
        let base_url = client.map(|client| client.base_url().to_owned());
        assert_eq!(base_url.ok().as_deref(), Some("https://api.example"));
    }

    #[test]
    fn missing_variable_is_named() {
        let message = from_variables(|name| match name {
            "PLATFORM_BASE_URL" => Ok("https://api.example/".to_owned()),
            _ => Err(VarError::NotPresent),
        })
        .map_err(|error| error.to_string());
        assert_eq!(
            message.err().as_deref(),
            Some("the environment variable PLATFORM_API_KEY is missing")
        );
    }

    #[test]
    fn variable_that_is_not_unicode_is_not_repeated() {
        let error = from_variables(|name| match name {
            "PLATFORM_BASE_URL" => Ok("https://api.example/".to_owned()),
            _ => Err(VarError::NotUnicode("SECRETKEY".into())),
        });
        let shown = error.err().map(|error| format!("{error} {error:?}"));
        assert!(shown.is_some_and(|shown| !shown.contains("SECRETKEY")));
    }
}
