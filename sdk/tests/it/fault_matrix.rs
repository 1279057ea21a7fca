//! Every way a deployment, a proxy or the network can fail, on raw sockets: each failure has one class, and a
//! write reports its outcome.

use std::time::Duration;

use platform_sdk::{Client, Error, ErrorClass, Outcome, RetryPolicy, StatusCode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::canned::KEY;
use crate::script::{Script, Step};

/// Attempt timeouts, in real time. A scenario that stalls takes the short one; the others end by themselves, on a busy
/// machine too.
const SHORT: Duration = Duration::from_millis(300);
const LONG: Duration = Duration::from_secs(30);

/// Limits the size of a successful response's body.
const MAX_BYTES: u64 = 100_000;

/// What a server does after it has sent its bytes.
#[derive(Debug, Clone)]
enum Then {
    /// Closes the connection.
    Close,
    /// Resets it.
    Reset,
    /// Keeps it open without sending anything.
    Stall,
    /// Writes these bytes repeatedly, with this pause in between.
    Repeat(Vec<u8>, Duration),
}

use ErrorClass::{
    Configuration, Conflict, Denied, InvalidRequest, KeyUnavailable, Network, NotFound, OtherStatus, RateLimited,
    Redirect, Server, Timeout, Tls, TooLarge, Unauthenticated, Undecodable,
};
use Then::{Close, Repeat, Reset, Stall};

/// Error class, what the server does, the bytes it sends, and what it does next.
type Scenario = (ErrorClass, &'static str, Vec<u8>, Then);

async fn serve(mut stream: TcpStream, answer: Vec<u8>, then: Then) -> std::io::Result<()> {
    let mut request = [0; 4096];
    let _ = stream.read(&mut request).await?;
    stream.write_all(&answer).await?;
    match then {
        Close => stream.shutdown().await,
        Reset => stream.set_zero_linger(),
        Stall => std::future::pending().await,
        Repeat(piece, pause) => loop {
            stream.write_all(&piece).await?;
            tokio::time::sleep(pause).await;
        },
    }
}

/// Returns a client of a server that handles every request this way.
async fn client(answer: impl Into<Vec<u8>>, then: Then) -> Client {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    let answer = answer.into();
    let timeout = match then {
        Close | Reset => LONG,
        Stall | Repeat(..) => SHORT,
    };
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            // The client may disconnect first.
            tokio::spawn(serve(stream, answer.clone(), then.clone()));
        }
    });
    of(&base_url, timeout)
}

fn of(base_url: &str, timeout: Duration) -> Client {
    Client::builder()
        .base_url(base_url)
        .api_key(KEY)
        .attempt_timeout(timeout)
        .max_response_bytes(MAX_BYTES)
        .retry_policy(RetryPolicy::never())
        .build()
        .unwrap()
}

async fn read(client: &Client) -> Error {
    let request = client.list_items().pipeline_id(1);
    request.send().await.unwrap_err()
}

async fn write(client: &Client) -> Error {
    let request = client.add_organization().pipeline_id(6);
    request.organization_id(1001).send().await.unwrap_err()
}

/// Returns a response with this status line and these headers, and `body` with its length.
fn whole(head: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut answer = format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes();
    answer.extend_from_slice(body);
    answer
}

#[tokio::test]
async fn each_scenario_has_one_class() {
    let json = "200 OK\r\nContent-Type: application/json";
    let many = (0..200).map(|n| format!("X-{n}: y\r\n")).collect::<String>();
    let pause = Duration::from_millis(20);
    let scenarios: Vec<Scenario> = vec![
        (Network, "closes without an answer", "".into(), Close),
        (Network, "resets without an answer", "".into(), Reset),
        (
            Network,
            "resets after the head",
            b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n".into(),
            Reset,
        ),
        (
            Network,
            "resets within the body",
            b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{\"pip".into(),
            Reset,
        ),
        (
            Network,
            "closes within the head",
            b"HTTP/1.1 200 OK\r\nContent-Le".into(),
            Close,
        ),
        (
            Network,
            "closes before the promised length",
            b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{\"pip".into(),
            Close,
        ),
        (
            Network,
            "closes within a chunk",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n50\r\n{\"pip".into(),
            Close,
        ),
        (
            Network,
            "closes within JSON of no length",
            b"HTTP/1.1 200 OK\r\n\r\n{\"pip".into(),
            Close,
        ),
        (Timeout, "is silent", "".into(), Stall),
        (
            Timeout,
            "is silent after the head",
            b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n".into(),
            Stall,
        ),
        (
            Timeout,
            "is slow within the head",
            b"HTTP/1.1 200 OK\r\n".into(),
            Repeat(b"X-A: b\r\n".into(), pause),
        ),
        (
            Timeout,
            "is slow within the body",
            b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n".into(),
            Repeat(b" ".into(), pause),
        ),
        (
            TooLarge,
            "claims two gigabytes",
            b"HTTP/1.1 200 OK\r\nContent-Length: 2000000000\r\n\r\n".into(),
            Stall,
        ),
        (
            TooLarge,
            "never ends a chunked body",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".into(),
            Repeat(
                [b"4000\r\n".as_slice(), &[b' '; 0x4000], b"\r\n"].concat(),
                Duration::ZERO,
            ),
        ),
        (
            TooLarge,
            "never ends a body of no length",
            b"HTTP/1.1 200 OK\r\n\r\n".into(),
            Repeat(vec![b' '; 0x4000], Duration::ZERO),
        ),
        (
            TooLarge,
            "sends more than is read",
            whole(json, vec![b' '; MAX_BYTES as usize + 1]),
            Close,
        ),
        (
            Network,
            "speaks another protocol",
            b"SSH-2.0-OpenSSH_9.6\r\n".into(),
            Close,
        ),
        (
            Network,
            "speaks another version",
            whole("200 OK", "{}").replace_start(b"HTTP/7.0"),
            Close,
        ),
        (
            Network,
            "sends too many headers",
            format!("HTTP/1.1 200 OK\r\n{many}\r\n").into(),
            Close,
        ),
        (
            Network,
            "sends two lengths",
            b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}".into(),
            Close,
        ),
        (
            Network,
            "sends a Content-Length that is not a number",
            b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n{}".into(),
            Close,
        ),
        (
            Network,
            "sends a header with a null",
            b"HTTP/1.1 200 OK\r\nX-A: \0\r\nContent-Length: 2\r\n\r\n{}".into(),
            Close,
        ),
        (
            Network,
            "sends a chunk of no size",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nsize\r\n{}".into(),
            Close,
        ),
        (
            Undecodable,
            "sends a page of a portal",
            whole(
                "200 OK\r\nContent-Type: text/html",
                "<html><title>Sign in</title></html>",
            ),
            Close,
        ),
        (Undecodable, "sends nothing", whole(json, ""), Close),
        (Undecodable, "sends only blanks", whole(json, " \r\n "), Close),
        (
            Undecodable,
            "sends 204",
            b"HTTP/1.1 204 No Content\r\n\r\n".into(),
            Close,
        ),
        (Undecodable, "sends JSON of another form", whole(json, "[]"), Close),
        (Undecodable, "sends two documents", whole(json, "{} {}"), Close),
        (
            Undecodable,
            "sends a body that is not valid UTF-8",
            whole(json, b"{\"pipeline_id\": \"\xff\"}"),
            Close,
        ),
        (Undecodable, "nests without end", whole(json, "[".repeat(50_000)), Close),
        (
            Undecodable,
            "repeats a key",
            whole(json, "{\"pipeline_id\": 1, \"pipeline_id\": 2}"),
            Close,
        ),
        (
            Undecodable,
            "sends an id that is too large",
            whole(
                json,
                "{\"pipeline_id\": 99999999999999999999, \"total_count\": 0, \"items\": []}",
            ),
            Close,
        ),
        (
            Undecodable,
            "compresses in a format that was not requested",
            whole("200 OK\r\nContent-Encoding: br", b"\x8b\x01\x80{}\x03"),
            Close,
        ),
        #[cfg(feature = "zstd")]
        (
            Undecodable,
            "compresses wrongly by zstd",
            whole("200 OK\r\nContent-Encoding: zstd", "not zstd at all"),
            Close,
        ),
        #[cfg(feature = "zstd")]
        (
            Network,
            "closes within a compressed body",
            b"HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nContent-Length: 90\r\n\r\n\x28\xb5\x2f\xfd".into(),
            Close,
        ),
        (
            Undecodable,
            "compresses wrongly",
            whole("200 OK\r\nContent-Encoding: gzip", "not gzip at all"),
            Close,
        ),
        (
            Server,
            "fails with an endless body",
            b"HTTP/1.1 500 Internal Server Error\r\n\r\n".into(),
            Repeat(vec![b'x'; 0x4000], Duration::ZERO),
        ),
        (
            Server,
            "fails and breaks off",
            b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 900\r\n\r\n<html>".into(),
            Close,
        ),
        (
            Server,
            "fails and is silent",
            b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 900\r\n\r\n".into(),
            Stall,
        ),
        (
            Server,
            "fails without a reason",
            b"HTTP/1.1 503\r\nContent-Length: 0\r\n\r\n".into(),
            Close,
        ),
        (
            Server,
            "fails after early hints",
            b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n".into(),
            Close,
        ),
        (
            Server,
            "has a status that HTTP does not have",
            whole("999 What", ""),
            Close,
        ),
        (
            Server,
            "fails as HTTP/1.0",
            b"HTTP/1.0 504 Gateway Timeout\r\n\r\n<html></html>".into(),
            Close,
        ),
        (
            OtherStatus,
            "switches protocols",
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n".into(),
            Close,
        ),
        (
            OtherStatus,
            "has a page of a proxy",
            whole("407 Proxy Authentication Required", "<html></html>"),
            Close,
        ),
    ];
    assert!(scenarios.len() > 40);
    for (class, name, answer, then) in scenarios {
        let client = client(answer, then).await;
        let (read, write) = (read(&client).await, write(&client).await);
        assert_eq!((read.class(), write.class()), (class, class), "{name}: {read}");
        assert_one_class(&read, name);
        // Once a request is sent, only a rejection is certain.
        let outcome = match class {
            OtherStatus if read.status() != Some(StatusCode::SWITCHING_PROTOCOLS) => Outcome::Rejected,
            _ => Outcome::MayHaveHappened,
        };
        assert_eq!(write.outcome(), outcome, "{name}: {write}");
    }
}

/// A predicate about a class does not hold for errors of any other class.
fn assert_one_class(error: &Error, name: &str) {
    let class = error.class();
    for (predicate, of) in [
        (error.is_network(), Network),
        (error.is_tls(), Tls),
        (error.is_timeout(), Timeout),
        (error.is_rate_limited(), RateLimited),
        (error.is_server_error(), Server),
        (error.is_redirect(), Redirect),
        (error.is_response_too_large(), TooLarge),
        (error.is_configuration(), Configuration),
        (error.is_key_unavailable(), KeyUnavailable),
    ] {
        assert_eq!(predicate, class == of, "{name}: {of:?} of {error}");
    }
}

#[tokio::test]
async fn each_status_has_one_class_and_a_certain_outcome() {
    for status in 300..600_u16 {
        let class = match status {
            300..=399 => Redirect,
            400 | 422 => InvalidRequest,
            401 => Unauthenticated,
            403 => Denied,
            404 => NotFound,
            409 => Conflict,
            429 => RateLimited,
            500..=599 => Server,
            _ => OtherStatus,
        };
        // 303 leads to the result of a request that was carried out. A server that timed out waiting for a
        // request may have part of it.
        let outcome = match status {
            303 | 408 | 500..=599 => Outcome::MayHaveHappened,
            _ => Outcome::Rejected,
        };
        let script = Script::new([Step::status(status)]);
        let client = script.client().with_retry_policy(RetryPolicy::never());
        let error = write(&client).await;
        assert_eq!((error.class(), error.outcome()), (class, outcome), "{error}");
        assert_one_class(&error, "a status");
    }
}

#[tokio::test]
async fn request_that_is_not_sent_has_one_class() {
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nobody = format!("http://{}", closed.local_addr().unwrap());
    drop(closed);
    let plain = client("HTTP/1.1 400 Bad Request\r\n\r\n", Stall).await;
    let plain = plain.base_url().replace("http://", "https://");
    let scenarios: [(ErrorClass, Client); 4] = [
        (Network, of(&nobody, LONG)),
        (Network, of("https://no-such-host.invalid", LONG)),
        (Tls, of(&plain, LONG)),
        (Timeout, of(&nobody, LONG).with_deadline(Duration::ZERO)),
    ];
    for (class, client) in scenarios {
        let error = write(&client).await;
        assert_eq!(error.class(), class, "{error:?}");
        assert_eq!(error.outcome(), Outcome::NotSent, "{error}");
        assert_one_class(&error, client.base_url());
    }
}

/// Each of the two has its own message.
#[tokio::test]
async fn invalid_http_and_ended_connection_have_their_own_messages() {
    let garbage = client("SSH-2.0-OpenSSH_9.6\r\n", Close).await;
    let error = read(&garbage).await;
    assert_eq!(
        error.to_string(),
        "list_items: the response is not well-formed HTTP; check what answers at the base URL"
    );
    assert!(!error.is_connection_lost());
    let ended = read(&client("", Close).await).await;
    assert!(ended.is_connection_lost());
    #[cfg(feature = "gzip")]
    {
        let answer = whole("200 OK\r\nContent-Encoding: gzip", "not gzip at all");
        let error = read(&client(answer, Close).await).await;
        let message = "list_items: 200 OK, but the body cannot be decompressed by its Content-Encoding";
        assert_eq!(error.to_string(), message);
    }
}

trait ReplaceStart {
    fn replace_start(self, with: &[u8]) -> Self;
}

impl ReplaceStart for Vec<u8> {
    fn replace_start(mut self, with: &[u8]) -> Self {
        self[..with.len()].copy_from_slice(with);
        self
    }
}
