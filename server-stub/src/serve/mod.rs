//! Serves the router on a listener: accepts connections, limits the resources of each, and drains them at shutdown.
//!
//! The router interprets requests; nothing here reads a route, a key or a parameter.

mod body;
mod connection;
mod handshake;
mod limits;
mod progress;
mod reset;
mod socket;
mod stream;

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::{JoinError, JoinSet};

pub use self::limits::Limits;
pub(crate) use self::reset::ConnectionReset;
use crate::tls::Tls;

/// How long to wait after the system had no resources for another connection.
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);

/// Serves until `shutdown` completes. Requests in flight then get until the drain deadline.
pub(crate) async fn run(
    listener: TcpListener,
    tls: Option<Tls>,
    router: Router,
    limits: Limits,
    shutdown: impl Future<Output = ()>,
) {
    let mut shutdown = pin!(shutdown);
    let (stop, stopping) = watch::channel(false);
    let room = Arc::new(Semaphore::new(limits.connections.clamp(1, Semaphore::MAX_PERMITS)));
    let mut connections = JoinSet::new();
    loop {
        let next = async {
            // The semaphore is never closed.
            let permit = Arc::clone(&room).acquire_owned().await.ok();
            (accept(&listener).await, permit)
        };
        tokio::select! {
            biased;
            () = &mut shutdown => break,
            Some(ended) = connections.join_next() => note(ended),
            (stream, permit) = next => {
                let (tls, router, stopping) = (tls.clone(), router.clone(), stopping.clone());
                let connection = connection::serve(stream, tls, router, limits, stopping);
                connections.spawn(async move {
                    connection.await;
                    drop(permit);
                });
            }
        }
    }
    drop(listener);
    stop.send_replace(true);
    drain(connections, limits.drain).await;
}

async fn drain(mut connections: JoinSet<()>, patience: Duration) {
    let all = async {
        while let Some(ended) = connections.join_next().await {
            note(ended);
        }
    };
    if tokio::time::timeout(patience, all).await.is_err() {
        tracing::warn!(
            connections = connections.len(),
            "connections were cut at the drain deadline"
        );
        connections.shutdown().await;
    }
}

fn note(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        tracing::error!(error = &error as &dyn std::error::Error, "a connection failed");
    }
}

/// Accepts the next connection. A failure does not end the server: a connection that is gone before it is accepted is
/// skipped. Any other error, such as a lack of file descriptors, is logged, and accepting is tried again.
async fn accept(listener: &TcpListener) -> TcpStream {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) if matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) => {}
            Err(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}
