//! Deployments to run examples on.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::middleware::{Next, from_fn};
use platform_sdk::Client;
use platform_server_stub::data::Dataset;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::SystemClock;
use platform_server_stub::{Limits, Server, serve_router};
use tokio::net::TcpListener;

/// Data without any name, column or question of the built-in data.
pub(crate) const OTHER: &str = include_str!("other_data.json");

/// Data whose texts try to control a terminal and a spreadsheet.
pub(crate) const HOSTILE: &str = include_str!("hostile_data.json");

/// Serves data, and returns the base URL.
pub(crate) async fn with_data(data: &str) -> String {
    let data = Dataset::from_json(data).unwrap();
    let server = Server::new(Platform::in_memory(Arc::new(data), Arc::new(SystemClock)));
    serve(server.router()).await
}

/// Serves the built-in data.
pub(crate) async fn built_in() -> String {
    serve(Server::built_in().router()).await
}

pub(crate) async fn serve(router: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(serve_router(listener, router, Limits::default(), pending()));
    base_url
}

/// Returns a router that forgets the key after this number of requests.
pub(crate) fn locked_after(requests: usize, router: Router) -> Router {
    let served = Arc::new(AtomicUsize::new(0));
    router.layer(from_fn(move |mut request: Request, next: Next| {
        if served.fetch_add(1, Ordering::SeqCst) >= requests {
            let revoked = HeaderValue::from_static("revoked");
            request.headers_mut().insert("API-Key", revoked);
        }
        next.run(request)
    }))
}

/// Returns a router that lets requests wait forever after this number of them.
pub(crate) fn hangs_after(requests: usize, router: Router) -> Router {
    let served = Arc::new(AtomicUsize::new(0));
    router.layer(from_fn(move |request: Request, next: Next| {
        let hangs = served.fetch_add(1, Ordering::SeqCst) >= requests;
        async move {
            if hangs {
                pending::<()>().await;
            }
            next.run(request).await
        }
    }))
}

/// Returns a router and the number of requests that it has received.
pub(crate) fn counting(router: Router) -> (Router, Arc<AtomicUsize>) {
    let received = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&received);
    let router = router.layer(from_fn(move |request: Request, next: Next| {
        counter.fetch_add(1, Ordering::SeqCst);
        next.run(request)
    }));
    (router, received)
}

pub(crate) fn client(base_url: &str) -> Client {
    let client = Client::builder().base_url(base_url);
    client.api_key("dev-full-access").build().unwrap()
}
