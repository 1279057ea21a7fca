//! A client that sends its input byte for byte.

use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Longer than any limit in these tests, so that a hanging server fails a test instead of blocking it.
const PATIENCE: Duration = Duration::from_secs(600);
/// How often something is waited for. A paused clock moves on as soon as no task is ready, which may be before the
/// bytes of the other side arrive.
const WAITS: usize = 5;

pub(super) struct Client(Box<dyn Connection>);

/// The bytes of a connection, over TLS or plain.
pub(super) trait Connection: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Connection for T {}

#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: Value,
}

impl Response {
    pub(super) fn code(&self) -> (u16, &str) {
        (self.status, self.body["code"].as_str().unwrap_or(""))
    }

    pub(super) fn closes(&self) -> bool {
        self.head.to_ascii_lowercase().contains("\r\nconnection: close\r\n")
    }
}

/// Waits for what a hanging server does not do.
async fn patiently<T>(done: impl Future<Output = T>) -> T {
    let mut done = pin!(done);
    for _ in 0..WAITS {
        if let Ok(done) = timeout(PATIENCE, &mut done).await {
            return done;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("the server hangs");
}

impl Client {
    pub(super) async fn connect(address: SocketAddr) -> Self {
        Self::over(TcpStream::connect(address).await.unwrap())
    }

    pub(super) fn over(stream: impl Connection + 'static) -> Self {
        Self(Box::new(stream))
    }

    pub(super) async fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.unwrap();
        self.0.flush().await.unwrap();
    }

    /// Sends as much as the server accepts.
    pub(super) async fn try_send(&mut self, text: &str) {
        let _ = timeout(PATIENCE, self.0.write_all(text.as_bytes())).await;
    }

    /// Ends the sending side.
    pub(super) async fn end(&mut self) {
        self.0.shutdown().await.unwrap();
    }

    /// The next response; `None` if the server has closed the connection instead.
    pub(super) async fn response(&mut self) -> Option<Response> {
        patiently(self.read_response()).await
    }

    /// The header of the next response.
    pub(super) async fn head(&mut self) -> String {
        patiently(self.read_head()).await.unwrap()
    }

    async fn read_head(&mut self) -> Option<String> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.0.read_u8().await.ok()?);
        }
        Some(String::from_utf8(head).unwrap())
    }

    async fn read_response(&mut self) -> Option<Response> {
        let head = self.read_head().await?;
        let header = |name: &str| {
            let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with(name));
            line.map(|line| line[name.len()..].trim().to_owned())
        };
        let length = header("content-length:").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).await.ok()?;
        Some(Response {
            status: head[9..12].parse().unwrap(),
            body: serde_json::from_slice(&body).unwrap_or(Value::Null),
            head,
        })
    }

    /// Number of bytes received until the server closes the connection.
    pub(super) async fn rest(&mut self) -> usize {
        let mut bytes = Vec::new();
        let _ = patiently(self.0.read_to_end(&mut bytes)).await;
        bytes.len()
    }

    pub(super) async fn is_closed(&mut self) -> bool {
        self.rest().await == 0
    }
}
