//! A fault or a legal variant over HTTP, for any other kit.

use std::future::Future;
use std::io;
use std::sync::Arc;

use axum::Router;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::SystemClock;
use platform_server_stub::{Limits, Server, serve_router};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::fault::Fault;
use super::relay::Relay;
use super::variants::Variant;

/// Serves a fault over HTTP with the machine's clock, until `shutdown` completes, for testing any kit on it.
///
/// # Errors
/// The errors of the listener.
pub async fn serve_fault(
    fault: &Fault,
    seed: u64,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let router = fault.around(Server::built_in().router(), seed);
    serve(router, fault.relay(), listener, shutdown).await
}

/// Serves a legal variant over HTTP, as [`serve_fault`] serves a fault.
///
/// # Errors
/// The errors of the listener.
pub async fn serve_variant(
    variant: &Variant,
    seed: u64,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let server = Server::new(Platform::in_memory(variant.dataset(), Arc::new(SystemClock)));
    let router = variant.around(server.router(), seed);
    serve(router, variant.relay(), listener, shutdown).await
}

/// Serves a router with the connections of the reference server, behind a relay if there is one.
async fn serve(
    router: Router,
    relay: Option<Relay>,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let limits = Limits::default();
    let Some(relay) = relay else {
        serve_router(listener, router, limits, shutdown).await;
        return Ok(());
    };
    let behind = TcpListener::bind("127.0.0.1:0").await?;
    let (stop, stopped) = oneshot::channel();
    tokio::spawn(relay.run(listener, behind.local_addr()?, stopped));
    serve_router(behind, router, limits, shutdown).await;
    drop(stop);
    Ok(())
}
