//! Requests that show a fault: some response differs from the reference server's.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::HeaderMap;
use futures::future::join_all;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tower::ServiceExt;

/// The response is complete after this time without a byte.
const QUIET: Duration = Duration::from_millis(500);

/// A request of a witness, with the key of full access unless it has another.
#[derive(Debug, Clone)]
pub struct Witness {
    method: &'static str,
    path: String,
    headers: Vec<(&'static str, String)>,
    body: Option<String>,
    times: usize,
    /// Whether items that were added before are ready first.
    is_later: bool,
    /// Requests that are sent at the same time.
    beside: Vec<Self>,
    /// The bytes to send instead.
    bytes: Option<String>,
}

/// A response, reduced to what is the same on every deployment with the same data. The body is JSON, or bytes.
#[derive(Debug, PartialEq)]
struct Comparable {
    status: u16,
    headers: HeaderMap,
    body: Result<Value, Vec<u8>>,
}

/// A read.
pub(super) fn get(path: impl Into<String>) -> Witness {
    request("GET", path)
}

/// A request without a body.
pub(super) fn request(method: &'static str, path: impl Into<String>) -> Witness {
    Witness {
        method,
        path: path.into(),
        headers: vec![
            ("api-key", "dev-full-access".to_owned()),
            // Otherwise each response would have another id.
            ("x-request-id", "witness".to_owned()),
        ],
        body: None,
        times: 1,
        is_later: false,
        beside: Vec::new(),
        bytes: None,
    }
}

/// A request to add to a pipeline.
pub(super) fn add(pipeline_id: u64, body: impl Into<String>) -> Witness {
    let mut witness = request("POST", format!("/api/v1/pipelines/{pipeline_id}/organizations"));
    witness.body = Some(body.into());
    witness.header("content-type", "application/json")
}

/// A request to add an organization to the pipeline for additions in the built-in data.
pub(super) fn add_organization(organization_id: u64) -> Witness {
    add(6, format!(r#"{{"organization_id": {organization_id}}}"#))
}

impl Witness {
    /// A request to add an organization to the pipeline for additions, with a query.
    pub(super) fn adding_with(query: &str, organization_id: u64) -> Self {
        let path = format!("/api/v1/pipelines/6/organizations?{query}");
        let body = format!(r#"{{"organization_id": {organization_id}}}"#);
        let witness = request("POST", path).header("content-type", "application/json");
        Self {
            body: Some(body),
            ..witness
        }
    }

    /// Creates a witness that is sent byte for byte.
    pub(super) fn of_bytes(bytes: String) -> Self {
        let line = bytes.lines().next().unwrap_or_default();
        Self {
            bytes: Some(bytes.clone()),
            ..request("", line)
        }
    }

    /// Whether it is sent byte for byte.
    pub(super) fn is_bytes(&self) -> bool {
        self.bytes.is_some()
    }

    /// Sends its bytes to an address, and returns the response bytes until no more arrive, without those that differ
    /// between any two responses.
    pub(super) async fn send_bytes(&self, address: SocketAddr) -> Vec<String> {
        let exchange = async {
            let mut stream = TcpStream::connect(address).await?;
            let bytes = self.bytes.as_deref().unwrap_or_default();
            stream.write_all(bytes.as_bytes()).await?;
            let half = bytes.starts_with("POST") && bytes.contains("Content-Length: 99");
            if half {
                stream.shutdown().await?;
            }
            let (mut seen, mut buffer) = (Vec::new(), vec![0; 64 << 10]);
            let is_open = loop {
                match timeout(QUIET, stream.read(&mut buffer)).await {
                    Err(_) => break true,
                    Ok(Ok(0) | Err(_)) => break false,
                    Ok(Ok(length)) => seen.extend_from_slice(&buffer[..length]),
                }
            };
            Ok::<_, std::io::Error>((String::from_utf8_lossy(&seen).into_owned(), is_open))
        };
        let (seen, is_open) = exchange.await.unwrap_or_default();
        let lines = seen.lines().filter(|line| !line.starts_with("date:")).map(|line| {
            // The request id differs, in the header and in an error body; whether it is there does not.
            let ids = ["x-request-id:", "\"request_id\""];
            let mut places = ids.iter().filter_map(|id| line.find(id).map(|place| place + id.len()));
            places.next().map_or(line, |end| &line[..end]).to_owned()
        });
        lines.chain([format!("open: {is_open}")]).collect()
    }

    /// Sets a header, replacing one with the same name; an empty value removes it.
    #[must_use]
    pub(super) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        if !value.is_empty() {
            self.headers.push((name, value.to_owned()));
        }
        self
    }

    /// Sets another key; an empty text removes the key.
    #[must_use]
    pub(super) fn key(self, key: &str) -> Self {
        self.header("api-key", key)
    }

    /// Adds a header with this name.
    #[must_use]
    pub(super) fn also(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// Sets another path.
    #[must_use]
    pub(super) fn to(mut self, path: &str) -> Self {
        path.clone_into(&mut self.path);
        self
    }

    /// Sends the request this many times concurrently.
    #[must_use]
    pub(super) fn times_at_once(mut self, times: usize) -> Self {
        self.times = times;
        self
    }

    /// Sends the request when the items that were added before are ready.
    #[must_use]
    pub(super) fn later(mut self) -> Self {
        self.is_later = true;
        self
    }

    /// Whether the items that were added before are ready first.
    pub(super) fn is_later(&self) -> bool {
        self.is_later
    }

    /// Sends another request at the same time.
    #[must_use]
    pub(super) fn beside(mut self, other: Self) -> Self {
        self.beside.push(other);
        self
    }

    /// Whether two services respond differently.
    pub(super) async fn tells_apart(&self, one: &Router, other: &Router) -> bool {
        self.send(one).await != self.send(other).await
    }

    async fn send(&self, router: &Router) -> Vec<Comparable> {
        let all = std::iter::repeat_n(self, self.times).chain(&self.beside);
        join_all(all.map(|witness| witness.send_once(router))).await
    }

    async fn send_once(&self, router: &Router) -> Comparable {
        let mut builder = Request::builder().method(self.method).uri(&self.path);
        for (name, value) in &self.headers {
            builder = builder.header(*name, value);
        }
        let body = self.body.clone().map_or_else(Body::empty, Body::from);
        #[expect(clippy::expect_used, reason = "every request of a fault is sent by a test")]
        let request = builder.body(body).expect("a request");
        let Ok(response) = router.clone().oneshot(request).await;
        let (parts, body) = response.into_parts();
        let mut headers = parts.headers;
        // It follows from the body, which HEAD does not have.
        if self.method != "HEAD" {
            headers.remove("content-length");
        }
        let bytes = to_bytes(body, usize::MAX).await.unwrap_or_default();
        Comparable {
            status: parts.status.as_u16(),
            headers,
            // A change that reads a body also writes it, with its members in another order.
            body: serde_json::from_slice(&bytes).map_err(|_| bytes.to_vec()),
        }
    }

    /// Returns the request line: method and path.
    pub fn line(&self) -> String {
        let mut path = self.path.clone();
        if let Some((end, _)) = path.char_indices().nth(100) {
            path.replace_range(end.., "…");
        }
        format!("{} {path}", self.method).trim_start().to_owned()
    }
}
