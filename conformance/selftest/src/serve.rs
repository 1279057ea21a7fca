//! A fault or a legal variant over HTTP, for any other kit.

use std::future::Future;
use std::io;
use std::sync::Arc;

use platform_server_stub::Server;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::SystemClock;
use tokio::net::TcpListener;

use super::fault::Fault;
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
    axum::serve(listener, router)
        .with_graceful_shutdown(shutdown)
        .await
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
    let server = Server::new(Platform::in_memory(
        variant.dataset(),
        Arc::new(SystemClock),
    ));
    let router = variant.around(server.router(), seed);
    axum::serve(listener, router)
        .with_graceful_shutdown(shutdown)
        .await
}
