//! Connections of the server, tested over raw sockets with clients that break the rules of HTTP libraries.

mod any_bytes;
mod client;
mod drain;
mod health;
mod malformed;
mod timeouts;
pub(crate) mod tls;
mod unread_bodies;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt;
use platform_server_stub::data::Dataset;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::SystemClock;
use platform_server_stub::{Limits, Server};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tower::ServiceExt;

use self::client::Client;

/// A request that gets 200.
const STATUS: &str =
    "GET /api/v1/pipelines/2/items/200001/status HTTP/1.1\r\nHost: x\r\nAPI-Key: dev-full-access\r\n\r\n";

/// The head of a request to add an organization, up to the headers that frame the body.
const ADD: &str = "POST /api/v1/pipelines/6/organizations HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";

const KEY: &str = "API-Key: dev-full-access\r\n";

/// A server on its own port.
struct Running {
    address: SocketAddr,
    server: Server,
    stop: oneshot::Sender<()>,
    served: JoinHandle<io::Result<()>>,
}

impl Running {
    async fn start(limits: Limits) -> Self {
        let platform = Platform::in_memory(Dataset::built_in(), Arc::new(SystemClock));
        Self::of(Server::new(platform).with_limits(limits)).await
    }

    async fn of(server: Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let served = tokio::spawn(server.clone().serve(listener, async {
            let _ = stopped.await;
        }));
        Self {
            address,
            server,
            stop,
            served,
        }
    }

    async fn connect(&self) -> Client {
        Client::connect(self.address).await
    }

    /// Number of items in the pipeline that organizations are added to.
    async fn items(&self) -> u64 {
        let request = Request::get("/api/v1/pipelines/6/items").header("API-Key", "dev-full-access");
        let request = request.body(Body::empty()).unwrap();
        let response = self.server.router().oneshot(request).await.unwrap();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let body: Value = serde_json::from_slice(&body).unwrap();
        body["total_count"].as_u64().unwrap()
    }
}
