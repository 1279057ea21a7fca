//! Faulty proxy: HTTP/1.1 on a socket, in front of the reference server.
//!
//! A header names the call of each request; the proxy removes it before the server sees it. A log records
//! every request, what happened to it and what was sent to the client.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufStream};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tower::ServiceExt;

use super::fault::{Fate, Fault, Rejection, RetryAfter};

/// Returns the fate of a request, given its call, its method and target, and how often the call sent it
/// before.
pub(super) type Fates = Box<dyn Fn(&str, &str, usize) -> Fate + Send + Sync>;

/// Header that names the call.
pub(super) const CALL: &str = "x-chaos-call";

/// What the proxy saw of each call, in order of arrival.
pub(super) type Log = BTreeMap<String, Vec<Passage>>;

/// One request through the proxy.
#[derive(Debug, Clone)]
pub(super) struct Passage {
    /// Method and target.
    pub(super) request: String,
    pub(super) fault: Fault,
    /// Status of the server's response, each time it carried the request out.
    pub(super) carried_out: Vec<StatusCode>,
    /// Status and `X-Request-Id` sent to the client.
    pub(super) answered: Option<(StatusCode, Option<String>)>,
}

pub(super) struct Proxy {
    pub(super) address: SocketAddr,
    shared: Arc<Shared>,
    accepting: tokio::task::JoinHandle<()>,
}

struct Shared {
    server: Router,
    fates: Fates,
    log: Mutex<Log>,
    connections: watch::Sender<usize>,
}

impl Proxy {
    pub(super) async fn start(server: Router, fates: Fates) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            server,
            fates,
            log: Mutex::default(),
            connections: watch::Sender::new(0),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Self {
            address,
            shared,
            accepting,
        }
    }

    /// Returns the log once every client has disconnected and the last request has been carried out.
    pub(super) async fn log(self) -> Log {
        let mut connections = self.shared.connections.subscribe();
        let gone = connections.wait_for(|open| *open == 0);
        let gone = tokio::time::timeout(Duration::from_secs(30), gone).await;
        assert!(gone.is_ok(), "a connection to the proxy was left open");
        self.accepting.abort();
        self.shared.log.lock().unwrap().clone()
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        shared.connections.send_modify(|open| *open += 1);
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            // A client may disconnect in the middle of a response.
            let _ = shared.serve(BufStream::new(stream)).await;
            shared.connections.send_modify(|open| *open -= 1);
        });
    }
}

impl Shared {
    /// Serves one connection until the client or a fault ends it.
    async fn serve(&self, mut client: BufStream<TcpStream>) -> io::Result<()> {
        while let Some(request) = read_request(&mut client).await? {
            if !self.pass(request, &mut client).await? {
                break;
            }
        }
        client.shutdown().await
    }

    /// Handles one request. Returns whether the connection can serve another.
    async fn pass(&self, mut request: Request<Bytes>, client: &mut BufStream<TcpStream>) -> io::Result<bool> {
        let call = request.headers_mut().remove(CALL);
        let call = call.map_or(String::new(), |call| call.to_str().unwrap().to_owned());
        let (place, fate) = self.note(&call, &request);

        let mut answer = None;
        for _ in 0..fate.fault.times_carried_out() {
            let carried_out = self.carry_out(&request).await;
            let status = carried_out.status;
            self.amend(&call, place, |passage| passage.carried_out.push(status));
            answer = Some(carried_out);
        }
        if let Fault::Rejection(rejection) = fate.fault {
            answer = Some(HttpResponse::rejecting(rejection, &format!("{call}-{place}")));
        }
        match (fate.fault, answer) {
            (Fault::Reset | Fault::LostAnswer, _) => {
                client.get_ref().set_zero_linger()?;
                Ok(false)
            }
            (Fault::Stall { .. }, _) => until_the_client_goes(client).await,
            (Fault::HangUp, _) | (_, None) => Ok(false),
            (fault, Some(mut answer)) => {
                let answered = (answer.status, answer.request_id());
                self.amend(&call, place, |passage| passage.answered = Some(answered));
                if fault == Fault::HalfBody {
                    answer.body.truncate(answer.body.len() / 2);
                }
                let (head, body) = answer.written(fate.chunked);
                client.write_all(head.as_bytes()).await?;
                send_body(&body, fault, client).await
            }
        }
    }

    /// Adds a request to the log and returns its place there and its fate.
    fn note(&self, call: &str, request: &Request<Bytes>) -> (usize, Fate) {
        let line = format!("{} {}", request.method(), request.uri());
        let mut log = self.log.lock().unwrap();
        let passages = log.entry(call.to_owned()).or_default();
        let before = passages.iter().filter(|passage| passage.request == line);
        let fate = (self.fates)(call, &line, before.count());
        passages.push(Passage {
            request: line,
            fault: fate.fault,
            carried_out: Vec::new(),
            answered: None,
        });
        (passages.len() - 1, fate)
    }

    fn amend(&self, call: &str, place: usize, change: impl FnOnce(&mut Passage)) {
        let mut log = self.log.lock().unwrap();
        change(&mut log.get_mut(call).unwrap()[place]);
    }

    async fn carry_out(&self, request: &Request<Bytes>) -> HttpResponse {
        let request = request.clone().map(Body::from);
        let response = self.server.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        HttpResponse {
            status: parts.status,
            headers: parts.headers,
            body: to_bytes(body, usize::MAX).await.unwrap().to_vec(),
        }
    }
}

/// Sends the body with the given fault. Returns whether the connection can serve another request.
async fn send_body(body: &[u8], fault: Fault, client: &mut BufStream<TcpStream>) -> io::Result<bool> {
    match fault {
        Fault::Cut | Fault::StallInBody => {
            client.write_all(&body[..body.len() / 2]).await?;
            client.flush().await?;
            if fault == Fault::Cut {
                return Ok(false);
            }
            until_the_client_goes(client).await
        }
        Fault::Slow => {
            for drop in body.chunks(body.len().div_ceil(4).max(1)) {
                client.write_all(drop).await?;
                client.flush().await?;
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            Ok(true)
        }
        _ => {
            client.write_all(body).await?;
            client.flush().await?;
            Ok(true)
        }
    }
}

/// Keeps the connection open without sending anything.
async fn until_the_client_goes(client: &mut BufStream<TcpStream>) -> io::Result<bool> {
    client.read_u8().await.map(|_| false)
}

/// Reads one request. Returns `None` if the client has closed the connection.
async fn read_request(client: &mut BufStream<TcpStream>) -> io::Result<Option<Request<Bytes>>> {
    let mut line = String::new();
    if client.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut request = Request::builder().method(words[0]).uri(words[1]);
    let mut length = 0;
    loop {
        let mut line = String::new();
        client.read_line(&mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.parse().unwrap();
        }
        request = request.header(name, value);
    }
    let mut body = vec![0; length];
    client.read_exact(&mut body).await?;
    Ok(Some(request.body(body.into()).unwrap()))
}

struct HttpResponse {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl HttpResponse {
    /// Error response of a failing server or of an intermediary.
    fn rejecting(rejection: Rejection, request_id: &str) -> Self {
        let problem = |code, title| {
            let status = rejection.status;
            format!(
                r#"{{"type": "about:blank", "title": "{title}", "status": {status}, "detail": "{title}.",
                     "instance": "/", "code": "{code}", "request_id": "{request_id}", "errors": []}}"#
            )
        };
        let (media_type, body) = match rejection.status {
            429 => ("application/problem+json", problem("rate_limited", "Slow down")),
            500 => ("application/problem+json", problem("internal_error", "Chaos")),
            502 => (
                "text/html",
                "<html><head><title>502 Bad Gateway</title></head><body>chaos</body></html>".to_owned(),
            ),
            _ => ("text/plain", String::new()),
        };
        let mut headers = HeaderMap::new();
        headers.insert("content-type", media_type.parse().unwrap());
        headers.insert("x-request-id", request_id.parse().unwrap());
        headers.insert("date", "Fri, 20 Nov 2026 12:00:00 GMT".parse().unwrap());
        if let Some(retry_after) = rejection.retry_after {
            let text = match retry_after {
                RetryAfter::Seconds(seconds) => seconds.to_string(),
                RetryAfter::Date(seconds) => format!("Fri, 20 Nov 2026 12:00:{seconds:02} GMT"),
                RetryAfter::Nonsense => "soon".to_owned(),
            };
            headers.insert("retry-after", text.parse().unwrap());
        }
        Self {
            status: StatusCode::from_u16(rejection.status).unwrap(),
            headers,
            body: body.into_bytes(),
        }
    }

    fn request_id(&self) -> Option<String> {
        let id = self.headers.get("x-request-id")?;
        Some(id.to_str().unwrap().to_owned())
    }

    /// Returns head and body as sent over the wire.
    fn written(mut self, chunked: bool) -> (String, Vec<u8>) {
        self.headers.remove("content-length");
        let mut head = format!("HTTP/1.1 {}\r\n", self.status);
        for (name, value) in &self.headers {
            head += &format!("{name}: {}\r\n", value.to_str().unwrap());
        }
        if !chunked {
            head += &format!("content-length: {}\r\n\r\n", self.body.len());
            return (head, self.body);
        }
        head += "transfer-encoding: chunked\r\n\r\n";
        let mut body = Vec::new();
        for chunk in self.body.chunks(4096) {
            body.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            body.extend_from_slice(chunk);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(b"0\r\n\r\n");
        (head, body)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use platform_sdk::reqwest::Client;
    use serde_json::Value;

    use super::{CALL, Fate, Fault, Passage, Proxy, Rejection, RetryAfter, Router};
    use crate::chaos::oracle::Oracle;

    /// Sends a write without the SDK through a proxy with one fault. Returns what the client saw and what
    /// the proxy logged.
    async fn sent(organization: i64, server: &Router, fault: Fault, chunked: bool) -> (String, Passage) {
        let fates = move |_: &str, _: &str, _| Fate { fault, chunked };
        let proxy = Proxy::start(server.clone(), Box::new(fates)).await;
        let url = format!("http://{}/api/v1/pipelines/6/organizations", proxy.address);
        let client = Client::builder().no_proxy().build().unwrap();
        let request = client
            .post(url)
            .header("API-Key", "dev-full-access")
            .header(CALL, "17")
            .header("Content-Type", "application/json")
            .body(format!(r#"{{"organization_id": {organization}}}"#))
            .timeout(Duration::from_millis(500));
        let came = match request.send().await {
            Err(error) if error.is_timeout() => "nothing in time".to_owned(),
            Err(_) => "nothing".to_owned(),
            Ok(response) => {
                let status = response.status().as_u16();
                let waits = response.headers().get("retry-after").cloned();
                match response.text().await {
                    Err(_) => format!("{status}, broken off"),
                    Ok(body) => match serde_json::from_str::<Value>(&body) {
                        Ok(_) => format!("{status}, JSON, {waits:?}"),
                        Err(_) => format!("{status}, no JSON, {waits:?}"),
                    },
                }
            }
        };
        drop(client);
        let mut log = proxy.log().await;
        let mut passages = log.remove("17").unwrap();
        assert!(log.is_empty() && passages.len() == 1);
        (came, passages.remove(0))
    }

    #[tokio::test]
    async fn each_fault_acts_as_named() {
        let rejection = |status, retry_after, carried_out| {
            Fault::Rejection(Rejection {
                status,
                retry_after,
                carried_out,
            })
        };
        let date = Some(RetryAfter::Date(3));
        let server = Oracle::new().server;
        let mut organizations = 1001..;
        let whole = "201, JSON, None";
        for (fault, expected, carried_out) in [
            (Fault::None, whole, &[201][..]),
            (Fault::Slow, whole, &[201]),
            (Fault::Duplicate, "409, JSON, None", &[201, 409]),
            (Fault::Reset, "nothing", &[]),
            (Fault::HangUp, "nothing", &[]),
            (Fault::LostAnswer, "nothing", &[201]),
            (Fault::Stall { carried_out: false }, "nothing in time", &[]),
            (Fault::Stall { carried_out: true }, "nothing in time", &[201]),
            (Fault::StallInBody, "201, broken off", &[201]),
            (Fault::Cut, "201, broken off", &[201]),
            (Fault::HalfBody, "201, no JSON, None", &[201]),
            (rejection(429, None, false), "429, JSON, None", &[]),
            (rejection(502, None, true), "502, no JSON, None", &[201]),
            (
                rejection(503, date, false),
                r#"503, no JSON, Some("Fri, 20 Nov 2026 12:00:03 GMT")"#,
                &[],
            ),
        ] {
            for chunked in [false, true] {
                let (came, passage) = sent(organizations.next().unwrap(), &server, fault, chunked).await;
                assert_eq!(came, expected, "{fault:?}");
                assert_eq!(passage.carried_out, carried_out, "{fault:?}");
                assert_eq!(passage.request, "POST /api/v1/pipelines/6/organizations");
            }
        }
    }
}
