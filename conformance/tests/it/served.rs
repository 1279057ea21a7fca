//! A router behind a real socket, as a target.

use std::net::SocketAddr;

use axum::Router;
use platform_conformance::report::Silent;
use platform_conformance::{Options, Report, Target, catalogue, run, stub};
use tokio::net::TcpListener;

/// Serves a router on a free port until the test ends.
pub(crate) async fn address(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

/// Serves a router on a free port until the test ends, and returns it as a target with the keys and
/// pipelines of the reference server.
pub(crate) async fn target(router: Router) -> Target {
    stub::target(address(router).await)
}

/// Runs some cases on a router, writes allowed.
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
