//! The one HTTP client of a run: it sends requests as they are, waits when it is told to by 429, and
//! tells trouble on the way from an answer.
//!
//! It follows no redirect, and sends nothing again but after a 429 or a broken connection: what a deployment
//! answers is what is judged.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::redirect::Policy;
use serde_json::Value;

use crate::clock::Clock;
use crate::connection::Connection;
use crate::findings::shorten;
use crate::key::ApiKey;
use crate::request::{Credential, Request};
use crate::target::{Role, Target};

/// The longest wait that a 429 may ask for. A longer one is the answer.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// How often one request is sent at the most.
const ATTEMPTS: u32 = 5;
/// How long to wait after a connection that broke off, and as long again after each further one.
const PAUSE: Duration = Duration::from_millis(50);

/// Sends requests to one deployment.
#[derive(Debug)]
pub(crate) struct Client {
    http: reqwest::Client,
    base_url: String,
    keys: BTreeMap<Role, ApiKey>,
    connection: Connection,
    sent: AtomicU64,
    clock: Arc<dyn Clock>,
}

/// An answer of the deployment, whole.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, as text.
    pub text: String,
    /// The body, when it is JSON; else null.
    pub body: Value,
    /// Whether the body is JSON.
    pub is_json: bool,
    /// The request, as a line for a shell.
    pub curl: Arc<str>,
}

impl Answer {
    /// The value of a header, when it is there once and is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let value = values.next().filter(|_| values.next().is_none())?;
        value.to_str().ok()
    }

    /// The node of the body at a JSON pointer; null when there is none.
    pub fn at(&self, pointer: &str) -> &Value {
        self.body.pointer(pointer).unwrap_or(&Value::Null)
    }

    /// The `code` of a problem.
    pub fn code(&self) -> Option<&str> {
        self.at("/code").as_str()
    }

    /// Whether its `errors` name a fault at this place, or below it: `["query", "limit"]`.
    pub fn names_fault_at(&self, place: &[&str]) -> bool {
        let errors = self.at("/errors").as_array();
        let is_there = |error: &Value| {
            let segments = error["loc"].as_array().map_or(&[][..], Vec::as_slice);
            segments.len() >= place.len()
                && place
                    .iter()
                    .zip(segments)
                    .all(|(name, segment)| segment == name)
        };
        errors.into_iter().flatten().any(is_there)
    }

    /// Status, code and the beginning of the body, for a person.
    pub fn summary(&self) -> String {
        match self.code() {
            Some(code) => format!(
                "{} {code}: {}",
                self.status,
                shorten(self.at("/detail").as_str().unwrap_or_default())
            ),
            None => format!("{} {}", self.status, shorten(&self.text)),
        }
    }
}

impl Client {
    pub(crate) fn new(
        target: &Target,
        timeout: Duration,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, reqwest::Error> {
        let builder = reqwest::Client::builder()
            .redirect(Policy::none())
            .timeout(timeout)
            .user_agent(concat!("platform-conformance/", env!("CARGO_PKG_VERSION")));
        let http = target
            .connection
            .apply(builder, target.base_url())
            .build()?;
        let base_url = target.base_url.as_str().trim_end_matches('/').to_owned();
        Ok(Self {
            http,
            base_url,
            keys: target.keys.clone(),
            connection: target.connection.clone(),
            sent: AtomicU64::new(0),
            clock,
        })
    }

    /// Sends a request. Trouble on the way is tried again when a second request can do no harm.
    ///
    /// # Errors
    /// What stood in the way, as a text for a person: no connection, no answer in time, no such key.
    pub(crate) async fn send(&self, request: &Request) -> Result<Answer, String> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            let pause = match self.send_once(request).await {
                Ok(answer) => match wait_for(request, &answer) {
                    Some(wait) if attempts < ATTEMPTS => wait,
                    _ => return Ok(answer),
                },
                Err(Trouble::Passing(_)) if request.is_repeatable() && attempts < ATTEMPTS => {
                    PAUSE * attempts
                }
                Err(Trouble::Passing(text) | Trouble::Lasting(text)) => return Err(text),
            };
            self.clock.sleep(pause).await;
        }
    }

    async fn send_once(&self, request: &Request) -> Result<Answer, Trouble> {
        let method = reqwest::Method::from_bytes(request.method.as_bytes())
            .map_err(|error| Trouble::Lasting(error.to_string()))?;
        let mut builder = self
            .http
            .request(method, format!("{}{}", self.base_url, request.path));
        match &request.credential {
            Credential::Role(role) => {
                let key = self.keys.get(role).ok_or_else(|| {
                    Trouble::Lasting(format!("no key of the role {}", role.as_str()))
                })?;
                builder = builder.header("API-Key", key.header());
            }
            Credential::Literal(texts) => {
                for text in texts {
                    builder = builder.header("API-Key", text);
                }
            }
        }
        for (name, value) in self.connection.headers(&request.headers) {
            builder = builder.header(name, value);
        }
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        if let Some(body) = &request.body {
            builder = builder.body(body.bytes());
        }
        self.sent.fetch_add(1, Ordering::Relaxed);
        let response = builder
            .send()
            .await
            .map_err(|error| self.trouble(request, &error))?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let bytes = response
            .bytes()
            .await
            .map_err(|error| self.trouble(request, &error))?;
        let body = serde_json::from_slice(&bytes).ok();
        Ok(Answer {
            status,
            headers,
            is_json: body.is_some(),
            body: body.unwrap_or(Value::Null),
            text: String::from_utf8_lossy(&bytes).into_owned(),
            curl: self.curl(request).into(),
        })
    }

    /// The time that everything goes by which waits.
    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// How many requests were sent.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// A text without any key of the target, or other secret of the way to it.
    pub(crate) fn redact(&self, text: &str) -> String {
        let text = self.connection.redact(text).into_owned();
        self.keys.values().fold(text, |text, key| key.redact(&text))
    }

    fn curl(&self, request: &Request) -> String {
        let variable = |role: Role| match self.keys.get(&role) {
            Some(key) => key.variable().to_owned(),
            None => role.variable().to_owned(),
        };
        request.curl(&self.base_url, variable, &self.connection)
    }

    fn trouble(&self, request: &Request, error: &reqwest::Error) -> Trouble {
        let mut text = format!("{} {}: {error}", request.method, request.path);
        let mut source = std::error::Error::source(error);
        while let Some(cause) = source {
            text.push_str(&format!(": {cause}"));
            source = cause.source();
        }
        let text = self.redact(&text);
        // Nobody waits several times for what takes too long, or for a port that nobody listens on.
        match error.is_timeout() || error.is_connect() || error.is_builder() {
            true => Trouble::Lasting(text),
            false => Trouble::Passing(text),
        }
    }
}

/// What stood in the way of an answer, as a text for a person.
enum Trouble {
    /// A connection that broke off: the next one may not.
    Passing(String),
    /// What another attempt would meet again.
    Lasting(String),
}

/// How long a 429 asks to wait, when the request can wait: those of the role with a quota are sent to see
/// the 429.
fn wait_for(request: &Request, answer: &Answer) -> Option<Duration> {
    let patient = request.credential != Credential::Role(Role::RateLimited);
    let seconds = answer.header(RETRY_AFTER.as_str())?.parse().ok()?;
    let wait = Duration::from_secs(seconds);
    (patient && answer.status == 429 && wait <= LONGEST_WAIT).then_some(wait)
}
