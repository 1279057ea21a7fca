//! Whatever bytes a client sends, in any pieces, the server responds with whole responses or closes the connection
//! within its timeouts, and continues to serve.

use std::panic;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Once, PoisonError, RwLock};
use std::time::Duration;

use platform_server_stub::Limits;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use super::{ADD, KEY, Running, STATUS};

/// Panics anywhere except in the tests themselves.
static PANICS: AtomicUsize = AtomicUsize::new(0);
static LAST_PANIC: RwLock<String> = RwLock::new(String::new());

fn count_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            let place = panic.location().map(ToString::to_string).unwrap_or_default();
            if !place.contains("tests/it") {
                PANICS.fetch_add(1, Ordering::Relaxed);
                *LAST_PANIC.write().unwrap_or_else(PoisonError::into_inner) = place;
            }
            usual(panic);
        }));
    });
}

/// Sound requests, before a change is applied to them.
fn sound() -> Vec<Vec<u8>> {
    let body = r#"{"organization_id": 1012}"#;
    let list = STATUS.replace("items/200001/status", "items?limit=3&sort_by=question.201");
    let search = STATUS.replace(
        "/api/v1/pipelines/2/items/200001/status",
        "/search/organizations/similar?description=keeps+fresh+fish+cold&countries=NO&limit=2",
    );
    let requests = [
        STATUS.to_owned(),
        list,
        search,
        format!("{STATUS}{STATUS}"),
        format!("{ADD}{KEY}Content-Length: {}\r\n\r\n{body}", body.len()),
        format!("{ADD}Content-Length: {}\r\n\r\n{body}{STATUS}", body.len()),
        format!("{ADD}{KEY}Transfer-Encoding: chunked\r\n\r\n19\r\n{body}\r\n0\r\n\r\n"),
        format!(
            "{ADD}{KEY}Expect: 100-continue\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ),
        "GET /openapi.json HTTP/1.0\r\n\r\n".to_owned(),
    ];
    requests.map(String::into_bytes).to_vec()
}

/// A change to a request.
#[derive(Debug, Clone)]
enum Change {
    Flip(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    Repeat(Index, usize),
    End(Index),
    Method(&'static str),
}

impl Change {
    fn any() -> impl Strategy<Value = Self> {
        let telling: Vec<&[u8]> = vec![
            b"\r\n",
            b"\n",
            b"\r\n\r\n",
            b":",
            b" ",
            b"\0",
            b"%",
            b"%zz",
            b"0\r\n\r\n",
            b"ffffffffffffffff\r\n",
            b"Content-Length: 5\r\n",
            b"Content-Length: 99999999999999999999\r\n",
            b"Transfer-Encoding: chunked\r\n",
            b"Transfer-Encoding: gzip, chunked\r\n",
            b"Connection: close\r\n",
            b"Connection: upgrade\r\nUpgrade: h2c\r\n",
            b"Host: y\r\n",
            b"\xff\xfe",
            b"?a=1&a=2",
            b"HTTP/2.0",
        ];
        let telling = select(telling).prop_map(<[u8]>::to_vec);
        let inserted = prop_oneof![telling, prop::collection::vec(any::<u8>(), 1..40)];
        prop_oneof![
            (any::<Index>(), 1..=255u8).prop_map(|(at, bits)| Self::Flip(at, bits)),
            (any::<Index>(), inserted).prop_map(|(at, bytes)| Self::Insert(at, bytes)),
            (any::<Index>(), 1..60usize).prop_map(|(at, count)| Self::Remove(at, count)),
            (any::<Index>(), 1..60usize).prop_map(|(at, count)| Self::Repeat(at, count)),
            any::<Index>().prop_map(Self::End),
            select(vec!["POST", "PUT", "OPTIONS", "DELETE", "get", "G T", ""]).prop_map(Self::Method),
        ]
    }

    fn apply(&self, bytes: &mut Vec<u8>) {
        let length = bytes.len();
        if length == 0 {
            return;
        }
        match self {
            Self::Flip(at, bits) => bytes[at.index(length)] ^= bits,
            Self::Insert(at, inserted) => {
                let at = at.index(length);
                bytes.splice(at..at, inserted.iter().copied());
            }
            Self::Remove(at, count) => {
                let at = at.index(length);
                bytes.drain(at..length.min(at + count));
            }
            Self::Repeat(at, count) => {
                let at = at.index(length);
                let again = bytes[at..length.min(at + count)].to_vec();
                bytes.splice(at..at, again);
            }
            Self::End(at) => bytes.truncate(at.index(length)),
            Self::Method(name) => {
                let end = bytes.iter().position(|byte| *byte == b' ');
                bytes.splice(..end.unwrap_or_default(), name.bytes());
            }
        }
    }
}

fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    let changed = (select(sound()), prop::collection::vec(Change::any(), 0..5));
    let changed = changed.prop_map(|(mut bytes, changes)| {
        for change in changes {
            change.apply(&mut bytes);
        }
        bytes
    });
    prop_oneof![8 => changed, 1 => prop::collection::vec(any::<u8>(), 0..600)]
}

/// Longer than all timeouts of a connection together.
const PATIENCE: Duration = Duration::from_secs(600);
/// How often the system may take longer than that time, which passes at once.
const DELIVERIES: usize = 50;

/// Sends bytes in pieces, and returns all bytes received until the server closes the connection.
async fn exchange(server: &Running, bytes: &[u8], pieces: &[usize], ends: bool) -> Option<Vec<u8>> {
    let stream = TcpStream::connect(server.address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let (mut read, mut write) = stream.into_split();
    let send = async {
        let mut left = bytes;
        for length in pieces.iter().cycle() {
            let (piece, rest) = left.split_at(left.len().min(*length));
            // The server may have closed the connection already.
            if piece.is_empty() || write.write_all(piece).await.is_err() {
                break;
            }
            tokio::task::yield_now().await;
            left = rest;
        }
        if ends {
            let _ = write.shutdown().await;
        }
        write
    };
    let receive = async {
        let mut received = Vec::new();
        let _ = read.read_to_end(&mut received).await;
        received
    };
    let mut both = pin!(futures::future::join(send, receive));
    for _ in 0..DELIVERIES {
        if let Ok((_open, received)) = timeout(PATIENCE, &mut both).await {
            return Some(received);
        }
        // The time of the runtime does not wait for what the system has yet to deliver.
        std::thread::sleep(Duration::from_millis(10));
    }
    None
}

/// Skips a response and returns the bytes after it; `None` if it is incomplete.
fn after_response(received: &[u8]) -> Option<&[u8]> {
    let end = received.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = str::from_utf8(&received[..end]).ok()?.to_ascii_lowercase();
    let status: u16 = head.strip_prefix("http/1.")?.get(2..5)?.parse().ok()?;
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length = match (status, length) {
        (100 | 204, None) => 0,
        (_, length) => length?.parse().ok()?,
    };
    received[end..].split_at_checked(length).map(|(_, rest)| rest)
}

/// A server whose time advances with its timers.
fn running() -> (Runtime, Running) {
    count_panics();
    let runtime = Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    let running = runtime.block_on(Running::start(Limits::default()));
    (runtime, running)
}

thread_local! {
    static SERVER: (Runtime, Running) = running();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_get_whole_responses_or_a_closed_connection(
        bytes in any_bytes(),
        pieces in prop::collection::vec(1..200usize, 1..5),
        ends in any::<bool>(),
    ) {
        SERVER.with(|(runtime, server)| {
            let before = PANICS.load(Ordering::Relaxed);
            let received = runtime.block_on(exchange(server, &bytes, &pieces, ends));
            let received = received.ok_or_else(|| TestCaseError::fail("the connection is still open"))?;
            let mut left = &received[..];
            while !left.is_empty() {
                left = after_response(left).ok_or_else(|| {
                    TestCaseError::fail(format!("not whole: {}", String::from_utf8_lossy(left)))
                })?;
            }
            let panics = PANICS.load(Ordering::Relaxed) - before;
            let place = LAST_PANIC.read().unwrap_or_else(PoisonError::into_inner).clone();
            prop_assert_eq!(panics, 0, "panicked at {}", place);
            let good = runtime.block_on(exchange(server, STATUS.as_bytes(), &[1000], true));
            let good = good.unwrap_or_default();
            prop_assert!(good.starts_with(b"HTTP/1.1 200 "), "{}", String::from_utf8_lossy(&good));
            Ok(())
        })?;
    }
}
