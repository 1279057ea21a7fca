//! The wire: how a request becomes bytes with a key, how a response is read, and which secrets to redact from both.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use reqwest::redirect::Policy;
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::redact::Secrets;
use crate::target::connection::Connection;
use crate::target::key::ApiKey;
use crate::target::near_key::NearKey;
use crate::target::{Role, Target};
use crate::transport::body::{Bound, Unread};
use crate::transport::failed::{Failed, Kind};
use crate::transport::request::{Credential, Request};
use crate::transport::response::{Arrival, HttpResponse};
use crate::transport::straight::Straight;

mod talk;

/// The limit on the time to establish a connection: an address that drops packets is noticed within seconds, however
/// long a response may take.
const CONNECT: Duration = Duration::from_secs(5);
/// The name of the kit in its requests.
const USER_AGENT: &str = concat!("platform-conformance/", env!("CARGO_PKG_VERSION"));

/// The connection to one deployment.
#[derive(Debug)]
pub(crate) struct Wire {
    http: reqwest::Client,
    /// For requests that are not retried: a server may close an idle connection, and then it is unknown whether such a
    /// request was read.
    unpooled: reqwest::Client,
    base_url: String,
    keys: BTreeMap<Role, ApiKey>,
    connection: Connection,
    timeout: Duration,
    /// The secrets, and the number of key values they were made from.
    secrets: Mutex<(usize, Arc<Secrets>)>,
    max_body: Bound,
    /// The turn of a large body.
    large: Semaphore,
    /// The connection for requests without the HTTP client; or a text that says why there is none.
    straight: Result<Straight, String>,
}

impl Wire {
    pub(crate) fn new(target: &Target, timeout: Duration, max_body: Bound) -> Result<Self, reqwest::Error> {
        let builder = || {
            let builder = reqwest::Client::builder()
                .redirect(Policy::none())
                .timeout(timeout)
                .connect_timeout(connect_timeout(timeout))
                .user_agent(USER_AGENT)
                // Another package may enable these features of reqwest.
                .no_gzip()
                .no_brotli()
                .no_zstd()
                .no_deflate();
            target.connection.apply(builder, target.base_url())
        };
        Ok(Self {
            http: builder().build()?,
            unpooled: builder().pool_max_idle_per_host(0).build()?,
            base_url: target.base_url.as_str().trim_end_matches('/').to_owned(),
            keys: target.keys.clone(),
            connection: target.connection.clone(),
            timeout,
            secrets: Mutex::new((values(&target.keys), Arc::new(target.secrets()))),
            max_body,
            large: Semaphore::new(1),
            straight: Straight::to(target),
        })
    }

    /// Sends a request once.
    pub(crate) async fn send(&self, request: &Request) -> Result<HttpResponse, Failed> {
        let builder = self.builder(request).await?;
        let start = Instant::now();
        let response = builder.send().await.map_err(|error| self.trouble(request, &error))?;
        let until_head = start.elapsed();
        let status = response.status().as_u16();
        let (headers, version) = (response.headers().clone(), response.version());
        let unread = |unread| self.unread(request, unread);
        let (bytes, _turn) = self.max_body.read(response, &self.large).await.map_err(unread)?;
        let arrival = Arrival {
            until_head,
            until_end: start.elapsed(),
            version,
            bytes: bytes.len(),
            attempts: 1,
        };
        let parsed = self.max_body.parse(bytes).map_err(unread)?;
        Ok(HttpResponse {
            status,
            headers,
            is_json: parsed.json.is_some(),
            body: parsed.json.unwrap_or(Value::Null),
            text: parsed.text,
            not_utf_8: parsed.not_utf_8,
            departures: Vec::new(),
            arrival,
            curl: self.curl(request).into(),
            request: Arc::new(request.clone()),
            secrets: self.secrets(),
        })
    }

    /// Builds the request with its key and the headers of the connection.
    async fn builder(&self, request: &Request) -> Result<reqwest::RequestBuilder, Failed> {
        let method = reqwest::Method::from_bytes(request.method.as_bytes())
            .map_err(|error| Failed::lasting(error.to_string()))?;
        let client = match request.is_repeatable() {
            true => &self.http,
            false => &self.unpooled,
        };
        let mut builder = client.request(method, self.url(request));
        match &request.credential {
            Credential::Role(role) | Credential::Twice(role) => {
                let key = self
                    .key(*role)
                    .ok_or_else(|| Failed::lasting(format!("no key of the role {}", role.as_str())))?;
                let header = key.header().await;
                let header = header.map_err(|reason| Failed::lasting(no_key(*role, &reason)))?;
                if let Credential::Twice(_) = request.credential {
                    builder = builder.header("API-Key", header.clone());
                }
                builder = builder.header("API-Key", header);
            }
            Credential::Near(near) => {
                let key = self.key(Role::FullAccess);
                let header = key
                    .and_then(|key| key.near(*near))
                    .ok_or_else(|| Failed::lasting(format!("no text is the key {}", near.differs())))?;
                builder = builder.header("API-Key", header);
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
        Ok(match &request.body {
            Some(body) => builder.body(body.bytes()),
            None => builder,
        })
    }

    /// Whether a reference resolves to the origin of the base URL.
    pub(crate) fn is_of_same_origin(&self, reference: &str) -> bool {
        let Ok(base) = reqwest::Url::parse(&self.base_url) else {
            return false;
        };
        base.join(reference)
            .is_ok_and(|joined| joined.origin() == base.origin())
    }

    /// The URL of a request, including secrets.
    pub(crate) fn url(&self, request: &Request) -> String {
        format!("{}{}", self.base_url, request.path)
    }

    /// The headers of a request that the kit sets, with secrets shown as their variables.
    pub(crate) fn shown_headers(&self, request: &Request) -> Vec<(String, String)> {
        let named = |value: String| ("API-Key".to_owned(), value);
        let keys = match &request.credential {
            Credential::Role(role) => vec![named(format!("${}", self.variable(*role)))],
            Credential::Twice(role) => vec![named(format!("${}", self.variable(*role))); 2],
            Credential::Near(near) => {
                let key = format!("${}", self.variable(Role::FullAccess));
                vec![named(near.in_shell(&key))]
            }
            Credential::Literal(texts) => texts.iter().cloned().map(named).collect(),
        };
        let along = self.connection.shown_headers(&request.headers);
        let own = request.headers.iter().cloned();
        keys.into_iter().chain(along).chain(own).collect()
    }

    /// The key of a role.
    pub(crate) fn key(&self, role: Role) -> Option<&ApiKey> {
        self.keys.get(&role)
    }

    /// The number of the current value of a request's key.
    pub(crate) fn value_sent(&self, request: &Request) -> usize {
        match &request.credential {
            Credential::Role(role) => self.key(*role).map_or(0, ApiKey::values),
            Credential::Twice(_) | Credential::Near(_) | Credential::Literal(_) => 0,
        }
    }

    /// The time limit for one response.
    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The path and the query of a request, for a person: the shell line has them in full.
    pub(crate) fn shown_path(&self, request: &Request) -> String {
        self.secrets().written_excerpt(&request.path)
    }

    /// The secrets of the target.
    pub(crate) fn secrets(&self) -> Arc<Secrets> {
        let (known, secrets) = &mut *self.secrets.lock();
        let values = values(&self.keys);
        // A command has printed a new key.
        if *known != values {
            let keys = self.keys.values().flat_map(ApiKey::hidden);
            let all = keys.chain(self.connection.secrets());
            (*known, *secrets) = (values, Arc::new(Secrets::new(all, &self.base_url)));
        }
        Arc::clone(secrets)
    }

    /// Only the API keys, without the other secrets of the connection.
    pub(crate) fn keys(&self) -> Secrets {
        let keys = self.keys.values().flat_map(ApiKey::secrets);
        Secrets::new(keys, &self.base_url)
    }

    /// The texts similar to the key with full access that are not the key of any role.
    pub(crate) fn near_keys(&self) -> Vec<NearKey> {
        let key = self.key(Role::FullAccess);
        let is_free = |near: &NearKey| {
            let text = key.and_then(|key| near.of(key.secrets().last()?.reveal()));
            let known = self.keys.values().flat_map(ApiKey::secrets);
            text.is_some_and(|text| known.into_iter().all(|secret| secret.reveal() != text))
        };
        NearKey::ALL.into_iter().filter(is_free).collect()
    }

    /// The bytes of the header fields of every request with full access: those of the key, of the connection and of the
    /// HTTP client.
    pub(crate) fn usual_fields(&self) -> usize {
        let field = |name: &str, length: usize| name.len() + ": \r\n".len() + length;
        let key = self.key(Role::FullAccess).and_then(|key| key.secrets().last().cloned());
        let key = key.map_or(0, |key| field("API-Key", key.reveal().len()));
        let along = self.connection.headers(&[]);
        let along = along.map(|(name, value)| field(name.as_str(), value.len()));
        let host = field("Host", self.base_url.len());
        let client = field("Accept", "*/*".len()) + field("User-Agent", USER_AGENT.len());
        key + along.sum::<usize>() + host + client
    }

    /// Whether a text contains part of a text similar to the key with full access, and `usual` does not.
    pub(crate) fn shows_part_of(&self, near: NearKey, text: &str, usual: &str) -> bool {
        let key = self.key(Role::FullAccess);
        let secret = key.and_then(|key| key.secrets().last().cloned());
        secret.is_some_and(|secret| near.shows_part_of(secret.reveal(), text, usual))
    }

    /// The variable that is shown for the key of a role.
    fn variable(&self, role: Role) -> String {
        let key = self.key(role);
        key.map_or(role.variable(), ApiKey::variable).to_owned()
    }

    fn curl(&self, request: &Request) -> String {
        request.curl(&self.base_url, |role| self.variable(role), &self.connection)
    }

    /// Converts the reason for an unread body.
    fn unread(&self, request: &Request, unread: Unread) -> Failed {
        match unread {
            Unread::Broken(error) => self.trouble(request, &error),
            Unread::TooLong(cause) => Failed {
                kind: Kind::TooLong,
                text: format!("{} {}: {cause}", request.method, self.shown_path(request)),
                cause,
            },
        }
    }

    fn trouble(&self, request: &Request, error: &reqwest::Error) -> Failed {
        let (method, path) = (&request.method, self.shown_path(request));
        let failed = Failed::of(error, connect_timeout(self.timeout));
        let secrets = self.secrets();
        Failed {
            kind: failed.kind,
            text: format!("{method} {path}: {}", secrets.excerpt(&failed.text)),
            cause: secrets.excerpt(&failed.cause),
        }
    }
}

/// Why a request could not be sent when a command prints its key.
pub(crate) fn no_key(role: Role, reason: &str) -> String {
    format!("no fresh key of the role {}: {reason}", role.as_str())
}

/// The number of values of the keys so far.
fn values(keys: &BTreeMap<Role, ApiKey>) -> usize {
    keys.values().map(ApiKey::values).sum()
}

/// The time limit for establishing a connection, given the one for a response.
fn connect_timeout(timeout: Duration) -> Duration {
    timeout.min(CONNECT)
}
