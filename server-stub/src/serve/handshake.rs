//! The start of a connection over TLS.

use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_rustls::server::TlsStream;

use super::Limits;
use crate::tls::Tls;

/// The outcome of the start of a connection.
pub(super) enum Greeting {
    Done(Box<TlsStream<TcpStream>>),
    /// The client speaks HTTP without TLS.
    Plain(TcpStream),
    /// The client is gone or took too long, there is no common protocol, or the server is stopping.
    Failed,
}

/// Waits for the first byte as long as a connection may be idle, and then for the end of the handshake as long as a
/// header may take.
pub(super) async fn greet(
    stream: TcpStream,
    tls: &Tls,
    limits: &Limits,
    stopping: &mut watch::Receiver<bool>,
) -> Greeting {
    let mut first = [0];
    let begun = tokio::select! {
        biased;
        read = stream.peek(&mut first) => matches!(read, Ok(1..)),
        _ = stopping.wait_for(|stopping| *stopping) => false,
        () = tokio::time::sleep(limits.idle_timeout) => false,
    };
    // A method begins with a letter, a handshake with the byte 22.
    if begun && first[0].is_ascii_uppercase() {
        return Greeting::Plain(stream);
    }
    if !begun {
        return Greeting::Failed;
    }
    tokio::select! {
        biased;
        accepted = tokio::time::timeout(limits.header_timeout, tls.accept(stream)) => match accepted {
            Ok(Ok(stream)) => Greeting::Done(Box::new(stream)),
            Ok(Err(error)) => {
                tracing::debug!(error = &error as &dyn std::error::Error, "a TLS handshake failed");
                Greeting::Failed
            }
            Err(_) => Greeting::Failed,
        },
        _ = stopping.wait_for(|stopping| *stopping) => Greeting::Failed,
    }
}
