use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use axum::body::Body;
use axum::http::Request;
use chrono::{DateTime, Utc};
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use http_body_util::BodyExt;
use platform_server_stub::data::Dataset;
use platform_server_stub::model::ids::{PipelineId, PipelineItemId};
use platform_server_stub::model::item::{Item, ItemList, NewItem};
use platform_server_stub::model::process::Step;
use platform_server_stub::model::search::Page;
use platform_server_stub::model::sort::ItemOrder;
use platform_server_stub::model::store_error::StoreError;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::SystemClock;
use platform_server_stub::platform::keys::KeyRing;
use platform_server_stub::store::{Added, Claim, Completed, Ledger, Record};
use platform_server_stub::{Limits, Server};
use tokio::time::Instant;
use tower::ServiceExt;

use super::{Client, Running, STATUS};

/// Much longer than any of these tests can take.
const NEVER: Duration = Duration::from_secs(3600);

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n")
}

#[tokio::test]
async fn probes_need_no_key_and_are_not_cached() {
    let server = Running::start(Limits::default()).await;
    let mut client = server.connect().await;
    for path in ["/healthz", "/readyz"] {
        client.send(&get(path)).await;
        let response = client.response().await.unwrap();
        assert_eq!(response.status, 200, "{path}");
        let head = response.head.to_ascii_lowercase();
        for header in [
            "cache-control: no-store",
            "content-type: text/plain; charset=utf-8",
            "x-request-id: ",
            "content-length: 3\r\n",
        ] {
            assert!(head.contains(header), "{path} {header}: {head}");
        }
    }
}

#[tokio::test]
async fn probes_answer_head_and_options_and_no_other_method() {
    let server = Running::start(Limits::default()).await;
    for path in ["/healthz", "/readyz"] {
        for (method, status) in [("HEAD", 200), ("OPTIONS", 204), ("POST", 405)] {
            let mut client = server.connect().await;
            let request = get(path).replace("GET", method);
            client
                .send(&request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"))
                .await;
            let head = client.head().await;
            assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
            if method == "HEAD" {
                assert!(client.is_closed().await, "a response to HEAD has no body");
            } else {
                assert!(head.to_ascii_lowercase().contains("allow: get,head,options"));
            }
        }
    }
}

#[tokio::test]
async fn server_is_not_ready_while_it_drains_and_serves_until_the_delay_has_passed() {
    let server = Running::start(Limits {
        drain_delay: NEVER,
        ..Limits::default()
    })
    .await;
    let mut client = server.connect().await;
    client.send(&get("/readyz")).await;
    assert_eq!(client.response().await.unwrap().status, 200);
    server.stop.send(()).unwrap();
    let rejected = loop {
        client.send(&get("/readyz")).await;
        let response = client.response().await.unwrap();
        if response.status != 200 {
            break response;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(rejected.code(), (503, "unavailable"));
    assert_eq!(rejected.body["detail"], "The server is shutting down.");
    let mut late = Client::connect(server.address).await;
    for request in [&get("/healthz"), STATUS] {
        late.send(request).await;
        assert_eq!(late.response().await.unwrap().status, 200);
    }
    server.served.abort();
}

#[tokio::test(start_paused = true)]
async fn drain_delay_ends() {
    let delay = Duration::from_secs(20);
    let server = Running::start(Limits {
        drain_delay: delay,
        ..Limits::default()
    })
    .await;
    let start = Instant::now();
    server.stop.send(()).unwrap();
    server.served.await.unwrap().unwrap();
    let taken = start.elapsed();
    assert!(delay <= taken && taken < delay + Duration::from_secs(1));
}

#[tokio::test]
async fn ledger_that_cannot_serve_makes_the_server_not_ready() {
    let server = Server::new(Platform::new(
        Arc::new(Dataset::built_in().catalogue().clone()),
        Arc::new(Torn),
        KeyRing::new([]),
        Arc::new(SystemClock),
    ));
    for (path, status, expected) in [
        ("/healthz", 200, "ok"),
        ("/readyz", 503, "The store is not ready; the log has the reason."),
    ] {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let response = server.router().oneshot(request).await.unwrap();
        assert_eq!(response.status(), status, "{path}");
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let body = str::from_utf8(&body).unwrap();
        assert!(body.contains(expected) && !body.contains("torn"), "{body}");
    }
}

/// A ledger whose storage fails.
#[derive(Debug)]
struct Torn;

impl Torn {
    fn fails<T>() -> Result<T, StoreError> {
        Err(StoreError::Storage("the file is torn".into()))
    }
}

#[async_trait]
impl Ledger for Torn {
    async fn item(&self, _: PipelineItemId) -> Result<Option<Arc<Item>>, StoreError> {
        Self::fails()
    }

    async fn items(&self, _: PipelineId, _: ItemOrder, _: Page) -> Result<ItemList, StoreError> {
        Self::fails()
    }

    async fn add(&self, _: NewItem, _: Vec<Step>, _: DateTime<Utc>) -> Result<Added, StoreError> {
        Self::fails()
    }

    async fn claim(&self, _: DateTime<Utc>, _: Duration, _: usize) -> Result<Vec<Claim>, StoreError> {
        Self::fails()
    }

    async fn complete(&self, _: &Claim, _: Item) -> Result<Completed, StoreError> {
        Self::fails()
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        Self::fails()
    }

    async fn reset(&self, _: Vec<Record>) -> Result<(), StoreError> {
        Self::fails()
    }

    fn export(&self) -> BoxStream<'_, Result<Record, StoreError>> {
        stream::once(async { Self::fails() }).boxed()
    }

    async fn ready(&self) -> Result<(), StoreError> {
        Self::fails()
    }
}
