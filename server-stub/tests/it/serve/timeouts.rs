//! Time is paused here: when nothing else happens, it jumps to the next moment that something waits for.

use std::time::Duration;

use platform_server_stub::Limits;
use tokio::time::{Instant, sleep};

use super::{ADD, KEY, Running, STATUS};

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn unfinished_header_times_out() {
    let limits = Limits {
        header_timeout: 15 * SECOND,
        ..Limits::default()
    };
    let server = Running::start(limits).await;
    for first in ["", STATUS] {
        let mut client = server.connect().await;
        client.send(first).await;
        if !first.is_empty() {
            assert_eq!(client.response().await.unwrap().status, 200);
        }
        let start = Instant::now();
        client.send("GET / HTTP/1.1\r\n").await;
        sleep(10 * SECOND).await;
        // More of the header does not extend the time.
        client.send("Host: x\r\n").await;
        assert!(client.is_closed().await);
        assert_within(start, 15 * SECOND);
    }
}

#[tokio::test(start_paused = true)]
async fn unfinished_body_times_out_with_400() {
    let limits = Limits {
        body_timeout: 30 * SECOND,
        ..Limits::default()
    };
    let server = Running::start(limits).await;
    let before = server.items().await;
    let mut client = server.connect().await;
    let start = Instant::now();
    client.send(&format!("{ADD}{KEY}Content-Length: 24\r\n\r\n{{")).await;
    sleep(20 * SECOND).await;
    client.send("\"").await;
    let response = client.response().await.unwrap();
    assert_eq!(response.code(), (400, "malformed_request"));
    assert_within(start, 30 * SECOND);
    assert!(client.is_closed().await);
    assert_eq!(server.items().await, before);
}

#[tokio::test(start_paused = true)]
async fn idle_connection_is_closed_after_the_idle_timeout() {
    let limits = Limits {
        idle_timeout: 75 * SECOND,
        ..Limits::default()
    };
    let server = Running::start(limits).await;
    let mut client = server.connect().await;
    for _ in 0..3 {
        sleep(70 * SECOND).await;
        client.send(STATUS).await;
        assert_eq!(client.response().await.unwrap().status, 200);
    }
    let start = Instant::now();
    assert!(client.is_closed().await);
    assert_within(start, 75 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn client_that_does_not_read_is_cut_off() {
    let limits = Limits {
        write_timeout: 30 * SECOND,
        ..Limits::default()
    };
    let server = Running::start(limits).await;
    let list = STATUS
        .replace("items/200001/status", "items?limit=1000")
        .replace("pipelines/2", "pipelines/1");
    let mut reference = server.connect().await;
    reference.send(&list).await;
    let length = reference.response().await.unwrap().body.to_string().len();
    let mut client = server.connect().await;
    let start = Instant::now();
    client.try_send(&list.repeat(30)).await;
    sleep(40 * SECOND).await;
    assert!(client.rest().await < 30 * length);
    assert_within(start, 40 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn clients_over_the_connection_limit_wait() {
    let limits = Limits {
        connections: 1,
        ..Limits::default()
    };
    let server = Running::start(limits).await;
    let mut first = server.connect().await;
    first.send(STATUS).await;
    assert_eq!(first.response().await.unwrap().status, 200);
    let mut second = server.connect().await;
    second.send(STATUS).await;
    let start = Instant::now();
    assert_eq!(second.response().await.unwrap().status, 200);
    // By then the first one was idle for too long.
    assert_within(start, limits.idle_timeout);
    assert!(first.is_closed().await);
}

#[tokio::test]
async fn limit_may_exceed_the_range_of_the_clock() {
    let limits = Limits {
        header_timeout: Duration::MAX,
        body_timeout: Duration::MAX,
        idle_timeout: Duration::MAX,
        write_timeout: Duration::MAX,
        drain_delay: Duration::ZERO,
        drain: Duration::MAX,
        connections: usize::MAX,
    };
    let server = Running::start(limits).await;
    let mut client = server.connect().await;
    for _ in 0..2 {
        let (first, second) = STATUS.split_at(30);
        client.send(first).await;
        tokio::task::yield_now().await;
        client.send(second).await;
        assert_eq!(client.response().await.unwrap().status, 200);
    }
    server.stop.send(()).unwrap();
    server.served.await.unwrap().unwrap();
}

/// A timer is never early, and at most a millisecond or two late.
fn assert_within(start: Instant, expected: Duration) {
    let taken = start.elapsed();
    assert!(
        expected - SECOND / 10 <= taken && taken < expected + SECOND,
        "{taken:?}"
    );
}
