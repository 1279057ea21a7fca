//! One connection, from its first byte to its close.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::header::{CONNECTION, EXPECT, HOST};
use axum::http::{HeaderValue, Request, Response, Version};
use bytes::Bytes;
use futures::future::BoxFuture;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::Instant;
use tower::ServiceExt;

use super::handshake::{self, Greeting};
use super::progress::Progress;
use super::reset::ConnectionReset;
use super::socket::Socket;
use super::stream::Stream;
use super::{Limits, body};
use crate::tls::Tls;
use crate::wire;

/// A connection without a request for this long frees its buffers. The time is short, so that connections which are
/// used in turn share the same memory.
const PARK_AFTER: Duration = Duration::from_millis(10);
/// How long to read and discard bytes from the client after the last response. If the connection were closed at once,
/// the system would reset it, and the client could lose the response.
const LINGER: Duration = Duration::from_secs(2);
/// Maximum number of bytes discarded.
const LINGER_BYTES: u64 = 4 << 20;
/// Longer than the body of any response to input that is not HTTP.
const REJECTION_MAX: usize = 65_536;

/// How a period of HTTP on a connection ended.
enum Turn {
    /// No request has come for a while; the connection stays open.
    Parked(Socket),
    /// There will be no further request. The last response may not have reached the client yet.
    Ended(Socket),
    /// The client took too long.
    TimedOut,
}

/// Serves one connection until either side closes it. After `stopping` turns true, it accepts no request beyond the one
/// in flight.
///
/// Each stage other than waiting is boxed: an idle connection then costs the memory of waiting alone.
pub(super) async fn serve(
    stream: TcpStream,
    tls: Option<Tls>,
    router: Router,
    limits: Limits,
    mut stopping: watch::Receiver<bool>,
) {
    // Otherwise small responses may wait for an acknowledgement from the client.
    let _ = stream.set_nodelay(true);
    let stream = match tls {
        None => Stream::Plain(stream),
        Some(tls) => match Box::pin(handshake::greet(stream, &tls, &limits, &mut stopping)).await {
            Greeting::Done(stream) => Stream::Tls(stream),
            Greeting::Plain(stream) => {
                let response = written(wire::https_required()).await;
                return Box::pin(leave(Stream::Plain(stream), &response, true, &limits)).await;
            }
            Greeting::Failed => return,
        },
    };
    let mut socket = Socket {
        stream,
        ahead: Bytes::new(),
        progress: Arc::new(Progress::new()),
    };
    while request_begins(&socket, &limits, &mut stopping).await {
        match Box::pin(exchange(socket, &router, &limits, &mut stopping)).await {
            Turn::Parked(parked) => socket = parked,
            Turn::Ended(socket) => return Box::pin(close(socket, &limits)).await,
            Turn::TimedOut => return,
        }
    }
}

/// Waits for the next request without a buffer, so that an idle connection costs little memory.
async fn request_begins(socket: &Socket, limits: &Limits, stopping: &mut watch::Receiver<bool>) -> bool {
    if !socket.ahead.is_empty() {
        return true;
    }
    let left = limits
        .idle_timeout
        .saturating_sub(socket.progress.idle_since().elapsed());
    tokio::select! {
        biased;
        readable = socket.stream.readable() => readable.is_ok(),
        _ = stopping.wait_for(|stopping| *stopping) => false,
        () = tokio::time::sleep(left) => false,
    }
}

/// Serves requests until the connection has been idle for a while, or ends.
async fn exchange(socket: Socket, router: &Router, limits: &Limits, stopping: &mut watch::Receiver<bool>) -> Turn {
    let progress = Arc::clone(&socket.progress);
    let service = Answering {
        router: router.clone(),
        progress: Arc::clone(&progress),
        body_timeout: limits.body_timeout,
    };
    let mut http = http1::Builder::new()
        .header_read_timeout(None)
        .serve_connection(TokioIo::new(socket), service);
    let next_check = || {
        let park = progress.is_idle().then(|| progress.idle_since() + PARK_AFTER);
        [progress.deadline(limits), park].into_iter().flatten().min()
    };
    let mut timer = pin!(tokio::time::sleep(limits.header_timeout));
    let mut stop = pin!(stopping.wait_for(|stopping| *stopping));
    let mut is_stopping = false;
    let has_ended = poll_fn(|cx| {
        if !is_stopping && stop.as_mut().poll(cx).is_ready() {
            is_stopping = true;
            Pin::new(&mut http).graceful_shutdown();
        }
        if http.poll_without_shutdown(cx).is_ready() {
            return Poll::Ready(true);
        }
        // The timer is moved to an earlier moment when needed, and to a later one only when it fires.
        loop {
            let Some(next) = next_check() else {
                return Poll::Pending;
            };
            if next < timer.deadline() || timer.is_elapsed() {
                timer.as_mut().reset(next);
            }
            std::task::ready!(timer.as_mut().poll(cx));
            if next <= Instant::now() {
                return Poll::Ready(false);
            }
        }
    })
    .await;
    let parts = http.into_parts();
    let mut socket = parts.io.into_inner();
    if has_ended {
        return Turn::Ended(socket);
    }
    if !progress.is_idle() {
        return Turn::TimedOut;
    }
    // A copy: the buffer of hyper keeps its 8 KiB however few bytes are left in it.
    socket.ahead = Bytes::copy_from_slice(&parts.read_buf);
    Turn::Parked(socket)
}

/// Closes a connection so that the client can read the last response, unless it is to be reset.
async fn close(socket: Socket, limits: &Limits) {
    if socket.progress.is_reset() {
        return socket.stream.reset();
    }
    let rejection = match socket.progress.rejection() {
        Some(status) => written(wire::rejection(status)).await,
        None => Vec::new(),
    };
    let lingers = !rejection.is_empty() || socket.progress.is_unread();
    leave(socket.stream, &rejection, lingers, limits).await;
}

/// Writes the last bytes and closes.
async fn leave(mut stream: Stream, last: &[u8], lingers: bool, limits: &Limits) {
    let farewell = async {
        stream.write_all(last).await?;
        stream.shutdown().await
    };
    let farewell = tokio::time::timeout(limits.write_timeout, farewell).await;
    if lingers && matches!(farewell, Ok(Ok(()))) {
        let mut rest = stream.take(LINGER_BYTES);
        let _ = tokio::time::timeout(LINGER, tokio::io::copy(&mut rest, &mut tokio::io::sink())).await;
    }
}

/// The last response in its wire format.
async fn written(response: Response<Body>) -> Vec<u8> {
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, REJECTION_MAX).await.unwrap_or_default();
    let mut bytes = format!(
        "HTTP/1.1 {}\r\nconnection: close\r\ncontent-length: {}\r\n",
        parts.status,
        body.len()
    )
    .into_bytes();
    for (name, value) in &parts.headers {
        if name != axum::http::header::CONTENT_LENGTH {
            bytes.extend_from_slice(name.as_str().as_bytes());
            bytes.extend_from_slice(b": ");
            bytes.extend_from_slice(value.as_bytes());
            bytes.extend_from_slice(b"\r\n");
        }
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(&body);
    bytes
}

/// The router, with the HTTP rules that it does not handle itself.
struct Answering {
    router: Router,
    progress: Arc<Progress>,
    body_timeout: Duration,
}

impl Service<Request<Incoming>> for Answering {
    type Response = Response<Body>;
    type Error = ConnectionReset;
    type Future = BoxFuture<'static, Result<Response<Body>, ConnectionReset>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        self.progress.called();
        let (parts, incoming) = request.into_parts();
        let (body, remains) = body::split(incoming, self.body_timeout);
        let request = Request::from_parts(parts, body);
        let (router, progress) = (self.router.clone(), Arc::clone(&self.progress));
        Box::pin(async move {
            let expects_continue = request.headers().contains_key(EXPECT);
            let fault = host_fault(&request);
            let mut response = match fault {
                Some(detail) => wire::malformed_request(request.headers(), request.uri().path(), detail),
                None => match router.oneshot(request).await {
                    Ok(response) => response,
                    Err(never) => match never {},
                },
            };
            if response.extensions().get::<ConnectionReset>().is_some() {
                progress.reset();
                return Err(ConnectionReset);
            }
            let is_settled = remains.settle(expects_continue).await;
            if !is_settled {
                progress.leave_unread();
            }
            if !is_settled || fault.is_some() {
                let headers = response.headers_mut();
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            progress.answered();
            Ok(response)
        })
    }
}

/// The fault of the header `Host`, if any (RFC 9112, section 3.2).
fn host_fault<B>(request: &Request<B>) -> Option<&'static str> {
    match request.headers().get_all(HOST).iter().count() {
        0 if request.version() == Version::HTTP_11 => Some("An HTTP/1.1 request carries the header Host. Send it."),
        0 | 1 => None,
        _ => Some("The header Host was given more than once. Send it once."),
    }
}

#[cfg(test)]
mod tests {
    use std::mem::size_of_val;

    use tokio::net::TcpListener;

    use super::*;

    async fn connection() -> (TcpListener, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        (listener, stream)
    }

    #[tokio::test]
    async fn waiting_for_a_request_takes_little_memory() {
        let (_listener, stream) = connection().await;
        let (_, stopping) = watch::channel(false);
        let serving = serve(stream, None, Router::new(), Limits::default(), stopping);
        let size = size_of_val(&serving);
        assert!(size < 1536, "{size} bytes");
    }

    #[tokio::test]
    async fn parked_connection_keeps_no_buffer() {
        let (_listener, stream) = connection().await;
        let (_stop, mut stopping) = watch::channel(false);
        let socket = Socket {
            stream: Stream::Plain(stream),
            ahead: Bytes::new(),
            progress: Arc::new(Progress::new()),
        };
        let turn = exchange(socket, &Router::new(), &Limits::default(), &mut stopping).await;
        let Turn::Parked(socket) = turn else {
            panic!("the connection was not parked");
        };
        let kept = socket.ahead.try_into_mut().map_or(0, |buffer| buffer.capacity());
        assert_eq!(kept, 0);
    }
}
