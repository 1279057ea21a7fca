//! Servers that send the same response to every request, valid or broken.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use httpmock::{HttpMockRequest, HttpMockResponse, MockServer};
use platform_sdk::{Client, RetryPolicy};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

pub(crate) const KEY: &str = "correct-horse-battery-staple";

/// Server with a single response, which records the requests it received.
pub(crate) struct Canned {
    server: MockServer,
    requests: Arc<Mutex<Vec<HttpMockRequest>>>,
}

impl Canned {
    pub(crate) async fn new(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Self {
        let server = MockServer::start_async().await;
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        let mut answer = HttpMockResponse::builder().status(status).body(body.as_ref());
        for (name, value) in headers {
            answer = answer.header(*name, *value);
        }
        let answer = answer.build();
        server
            .mock_async(|when, then| {
                when.any_request();
                then.respond_with(move |request| {
                    seen.lock().unwrap().push(request.clone());
                    answer.clone()
                });
            })
            .await;
        Self { server, requests }
    }

    pub(crate) async fn json(status: u16, body: Value) -> Self {
        Self::new(status, &[("Content-Type", "application/json")], body.to_string()).await
    }

    pub(crate) fn base_url(&self) -> String {
        self.server.base_url()
    }

    pub(crate) fn client(&self) -> Client {
        client(&self.base_url())
    }

    pub(crate) fn requests(&self) -> Vec<HttpMockRequest> {
        self.requests.lock().unwrap().clone()
    }

    /// Returns the only request received.
    pub(crate) fn request(&self) -> HttpMockRequest {
        let mut requests = self.requests();
        assert_eq!(requests.len(), 1);
        requests.remove(0)
    }

    /// Returns method, path and query of the only request received.
    pub(crate) fn request_line(&self) -> String {
        let request = self.request();
        let uri = request.uri();
        format!("{} {}", request.method(), uri.path_and_query().unwrap())
    }
}

/// Returns a client that never retries.
pub(crate) fn client(base_url: &str) -> Client {
    Client::builder()
        .base_url(base_url)
        .api_key(KEY)
        .retry_policy(RetryPolicy::never())
        .build()
        .unwrap()
}

/// Returns a client of a server that reads a request, writes these bytes, and hangs up after `then`.
pub(crate) async fn client_of_bytes(answer: &'static str, then: Duration) -> Client {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 4096]).await;
        stream.write_all(answer.as_bytes()).await.unwrap();
        tokio::time::sleep(then).await;
    });
    Client::builder()
        .base_url(base_url)
        .api_key(KEY)
        .attempt_timeout(Duration::from_secs(1))
        .retry_policy(RetryPolicy::never())
        .build()
        .unwrap()
}
