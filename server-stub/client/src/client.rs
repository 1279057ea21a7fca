//! The handle of the controls, and how their requests are sent.

use std::fmt;

use percent_encoding::{NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;

/// Names the namespace that a request belongs to.
const NAMESPACE: &str = "Emulator-Namespace";

/// The controls of a reference server that was started with `--admin`. Clones are cheap and share their connections.
#[derive(Clone)]
pub struct EmulatorClient {
    http: reqwest::Client,
    /// Without a slash at the end.
    base_url: String,
    namespace: Option<String>,
}

impl EmulatorClient {
    /// The controls of the server at this base URL, such as `http://127.0.0.1:8080`. Nothing is sent yet. Proxies that
    /// the environment names are not used: the server is usually on this machine.
    ///
    /// # Errors
    /// [`Error::BaseUrl`] if it is not an absolute URL.
    pub fn new(base_url: &str) -> Result<Self, Error> {
        Self::with_http_client(base_url, reqwest::Client::builder().no_proxy().build()?)
    }

    /// The same with an HTTP client of your own, for a server with TLS: build it with a feature of reqwest for TLS and
    /// the certificate of the server's authority.
    ///
    /// # Errors
    /// [`Error::BaseUrl`] if it is not an absolute URL.
    pub fn with_http_client(base_url: &str, http: reqwest::Client) -> Result<Self, Error> {
        let parsed = reqwest::Url::parse(base_url);
        match parsed.is_ok_and(|url| url.has_host()) {
            true => Ok(Self {
                http,
                base_url: base_url.trim_end_matches('/').to_owned(),
                namespace: None,
            }),
            false => Err(Error::BaseUrl),
        }
    }

    /// The controls of a namespace, which is isolated from others and opened by the first request that names it. The
    /// app under test belongs to it with the header `Emulator-Namespace`, or with a key from [`key`](Self::key).
    #[must_use]
    pub fn namespace(&self, name: impl Into<String>) -> Self {
        Self {
            namespace: Some(name.into()),
            ..self.clone()
        }
    }

    /// An API key of the data with which a request belongs to this namespace; the key itself without a namespace.
    ///
    /// ```
    /// # fn main() -> Result<(), platform_emulator_client::Error> {
    /// let emulator = platform_emulator_client::EmulatorClient::new("http://127.0.0.1:8080")?;
    /// assert_eq!(emulator.namespace("suite-1").key("dev-full-access"), "suite-1:dev-full-access");
    /// assert_eq!(emulator.key("dev-full-access"), "dev-full-access");
    /// # Ok(())
    /// # }
    /// ```
    pub fn key(&self, key: &str) -> String {
        match &self.namespace {
            Some(namespace) => format!("{namespace}:{key}"),
            None => key.to_owned(),
        }
    }

    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Error> {
        json(send(self.request(Method::GET, path)).await?).await
    }

    /// Sends a request without a body, whose response has one.
    pub(crate) async fn post<T: DeserializeOwned>(&self, path: &str) -> Result<T, Error> {
        json(send(self.request(Method::POST, path)).await?).await
    }

    pub(crate) async fn post_json<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T, Error> {
        json(send(self.request(Method::POST, path).json(body)).await?).await
    }

    /// Sends a request whose response has no body.
    pub(crate) async fn done(&self, request: RequestBuilder) -> Result<(), Error> {
        send(request).await.map(drop)
    }

    /// Sends a request whose response has no body; false if what it names does not exist.
    pub(crate) async fn done_if_found(&self, request: RequestBuilder) -> Result<bool, Error> {
        match send(request).await {
            Ok(_) => Ok(true),
            Err(Error::Rejected { status, .. }) if status == StatusCode::NOT_FOUND => Ok(false),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}/__admin{path}", self.base_url));
        match &self.namespace {
            Some(namespace) => request.header(NAMESPACE, namespace),
            None => request,
        }
    }
}

impl fmt::Debug for EmulatorClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("EmulatorClient");
        shown.field("base_url", &self.base_url);
        shown.field("namespace", &self.namespace).finish_non_exhaustive()
    }
}

async fn send(request: RequestBuilder) -> Result<Response, Error> {
    let response = request.send().await?;
    match response.status().is_success() {
        true => Ok(response),
        false => Err(Error::of(response).await),
    }
}

async fn json<T: DeserializeOwned>(response: Response) -> Result<T, Error> {
    let bytes = response.bytes().await?;
    serde_json::from_slice(&bytes).map_err(Error::Unexpected)
}

/// A name as one segment of a path.
pub(crate) fn segment(name: &str) -> PercentEncode<'_> {
    utf8_percent_encode(name, NON_ALPHANUMERIC)
}
