//! How long a client may take, and how many clients may be connected.

use std::time::Duration;

/// Limits on the connections of a server.
///
/// ```
/// use std::time::Duration;
///
/// use platform_server_stub::{Limits, Server};
///
/// let server = Server::built_in().with_limits(Limits {
///     drain: Duration::from_secs(1),
///     ..Limits::default()
/// });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Time from the first byte of a request to the end of its header, and for a TLS handshake: 15
    /// seconds unless set.
    pub header_timeout: Duration,
    /// Time to receive the whole body of a request: 30 seconds unless set.
    pub body_timeout: Duration,
    /// Time that a connection may stay open without a request: 75 seconds unless set.
    pub idle_timeout: Duration,
    /// Time without progress while a response is sent, because the client does not read: 30 seconds unless
    /// set.
    pub write_timeout: Duration,
    /// Time to keep serving after shutdown begins, while `/readyz` answers 503, so that a load balancer can send
    /// requests elsewhere before connections are refused: none unless set.
    pub drain_delay: Duration,
    /// Time that requests in flight get to finish after the server stops accepting connections: 5 seconds unless set.
    /// Connections that are still open then are cut.
    pub drain: Duration,
    /// Connections served at once: 10,000 unless set. Further clients wait until one is closed.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            header_timeout: Duration::from_secs(15),
            body_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(75),
            write_timeout: Duration::from_secs(30),
            drain_delay: Duration::ZERO,
            drain: Duration::from_secs(5),
            connections: 10_000,
        }
    }
}
