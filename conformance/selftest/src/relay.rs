//! A relay in front of a deployment, for faults and variants that no router can show: those of connections and of
//! malformed requests.
//!
//! It changes the bytes of a request or a response as they arrive. Each message that it changes arrives in one piece:
//! the kit sends such a request at once, and the reference server such a response.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// A change of bytes.
type Change = Arc<dyn Fn(&mut Vec<u8>) + Send + Sync>;
/// A change of the bytes of one connection, which may remember those before.
type ChangeOfOne = Box<dyn FnMut(&mut Vec<u8>) + Send>;

/// What happens on a connection after some bytes of the deployment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// What the deployment does.
    Continues,
    /// The connection is closed without an announcement.
    Closes,
    /// The connection stays open, whatever the deployment does.
    StaysOpen,
}

/// The changes between a client and a deployment.
#[derive(Clone)]
pub(super) struct Relay {
    request: Change,
    /// Makes the change of each connection.
    response: Arc<dyn Fn() -> ChangeOfOne + Send + Sync>,
    then: fn(&[u8]) -> Then,
}

impl Default for Relay {
    fn default() -> Self {
        Self {
            request: Arc::new(|_| ()),
            response: Arc::new(|| Box::new(|_| ())),
            then: |_| Then::Continues,
        }
    }
}

impl Relay {
    /// Changes requests before the deployment sees them.
    pub(super) fn request(change: impl Fn(&mut Vec<u8>) + Send + Sync + 'static) -> Self {
        Self {
            request: Arc::new(change),
            ..Self::default()
        }
    }

    /// Changes responses before the client sees them.
    pub(super) fn response(change: impl Fn(&mut Vec<u8>) + Send + Sync + 'static) -> Self {
        let change = Arc::new(change);
        Self::responses(move || {
            let change = Arc::clone(&change);
            move |bytes| change(bytes)
        })
    }

    /// Changes the responses on each connection by what was sent on it before.
    pub(super) fn responses<C: FnMut(&mut Vec<u8>) + Send + 'static>(
        change: impl Fn() -> C + Send + Sync + 'static,
    ) -> Self {
        Self {
            response: Arc::new(move || Box::new(change())),
            ..Self::default()
        }
    }

    /// Sets what happens after a response.
    pub(super) fn then(mut self, then: fn(&[u8]) -> Then) -> Self {
        self.then = then;
        self
    }

    /// Relays every connection of a listener to an address, until `stop` completes or is dropped.
    pub(super) async fn run(self, listener: TcpListener, to: SocketAddr, mut stop: oneshot::Receiver<()>) {
        loop {
            tokio::select! {
                _ = &mut stop => return,
                accepted = listener.accept() => {
                    if let Ok((client, _)) = accepted {
                        tokio::spawn(self.clone().pass(client, to));
                    }
                }
            }
        }
    }

    async fn pass(self, client: TcpStream, to: SocketAddr) -> io::Result<()> {
        let server = TcpStream::connect(to).await?;
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        let (mut from_client, mut to_client) = client.into_split();
        let (mut from_server, mut to_server) = server.into_split();
        let up = async {
            let mut buffer = vec![0; 1 << 20];
            let mut is_changed = false;
            loop {
                let length = from_client.read(&mut buffer).await?;
                if length == 0 {
                    // A changed request may be whole now, and its work may stop if its client seems to be gone.
                    return match is_changed {
                        true => Ok(()),
                        false => to_server.shutdown().await,
                    };
                }
                let mut bytes = buffer[..length].to_vec();
                (self.request)(&mut bytes);
                is_changed |= bytes != buffer[..length];
                to_server.write_all(&bytes).await?;
            }
        };
        let down = async {
            let mut buffer = vec![0; 64 << 10];
            let mut stays_open = false;
            let mut change = (self.response)();
            loop {
                let length = from_server.read(&mut buffer).await?;
                if length == 0 {
                    if !stays_open {
                        to_client.shutdown().await?;
                    }
                    return Ok(stays_open);
                }
                let mut bytes = buffer[..length].to_vec();
                change(&mut bytes);
                to_client.write_all(&bytes).await?;
                match (self.then)(&bytes) {
                    Then::Continues => {}
                    Then::StaysOpen => stays_open = true,
                    Then::Closes => {
                        to_client.shutdown().await?;
                        return Ok::<bool, io::Error>(false);
                    }
                }
            }
        };
        let down = async {
            match down.await? {
                // The client goes away some time.
                true => std::future::pending().await,
                false => Ok::<(), io::Error>(()),
            }
        };
        let up = async {
            up.await?;
            // The remaining responses of the deployment are forwarded.
            std::future::pending::<io::Result<()>>().await
        };
        tokio::select! {
            ended = up => ended,
            ended = down => ended,
        }
    }
}

/// Replaces the first occurrence of a text in bytes. Returns whether there was one.
pub(super) fn replace(bytes: &mut Vec<u8>, text: &str, by: &str) -> bool {
    match position(bytes, text) {
        None => false,
        Some(start) => {
            bytes.splice(start..start + text.len(), by.bytes());
            true
        }
    }
}

/// Whether bytes contain a text.
pub(super) fn contains(bytes: &[u8], text: &str) -> bool {
    position(bytes, text).is_some()
}

/// The position of a text in bytes.
pub(super) fn position(bytes: &[u8], text: &str) -> Option<usize> {
    let mut windows = bytes.windows(text.len().max(1));
    windows.position(|window| window == text.as_bytes())
}
