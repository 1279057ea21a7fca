//! A router on a real socket, as a target.

use std::net::SocketAddr;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use platform_conformance::report::Silent;
use platform_conformance::{Options, Report, Target, catalogue, run, stub};
use platform_server_stub::{Limits, Server, serve_router};
use tokio::net::TcpListener;

/// Serves a router on a free port until the test ends.
pub(crate) async fn address(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let never = std::future::pending();
    tokio::spawn(serve_router(listener, router, Limits::default(), never));
    address
}

/// Serves a router on a free port until the test ends, and returns it as a target with the keys and
/// pipelines of the reference server.
pub(crate) async fn target(router: Router) -> Target {
    stub::target(address(router).await)
}

/// The reference server, except for requests that `change` answers.
pub(crate) fn except(change: impl Fn(&Request) -> Option<Response> + Clone + Send + Sync + 'static) -> Router {
    let around = move |request: Request, next: Next| {
        let changed = change(&request);
        async move {
            match changed {
                Some(response) => response,
                None => next.run(request).await,
            }
        }
    };
    Server::built_in().router().layer(from_fn(around))
}

/// Runs some cases on a router, with writes allowed.
pub(crate) async fn run_on(router: Router, only: &[&str]) -> Report {
    let only = only.iter().map(|pattern| (*pattern).into()).collect();
    let options = Options {
        allow_writes: true,
        only,
        ..Options::default()
    };
    run(catalogue(), &target(router).await, &options, &mut Silent)
        .await
        .unwrap()
}
