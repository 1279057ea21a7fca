use std::time::Duration;

use platform_server_stub::Limits;

use super::{ADD, KEY, Running, STATUS};

/// Much longer than any of these tests can take.
const NEVER: Duration = Duration::from_secs(3600);

fn draining(drain: Duration) -> Limits {
    Limits {
        drain,
        ..Limits::default()
    }
}

#[tokio::test]
async fn drain_deadline_closes_what_clients_hold_open() {
    let list = STATUS
        .replace("items/200001/status", "items?limit=1000")
        .replace("pipelines/2", "pipelines/1");
    let table = [
        ("half a header", "GET / HTTP/1.1\r\n".to_owned()),
        ("half a body", format!("{ADD}{KEY}Content-Length: 25\r\n\r\n{{")),
        ("responses that nobody reads", list.repeat(30)),
    ];
    for (case, held) in table {
        let server = Running::start(draining(Duration::from_millis(50))).await;
        // One exchange shows that the server has accepted, and the next bytes are read with it.
        let mut client = server.connect().await;
        client.send(STATUS).await;
        assert_eq!(client.response().await.expect(case).status, 200);
        client.send(&held).await;
        server.stop.send(()).unwrap();
        let ended = tokio::time::timeout(Duration::from_secs(60), server.served).await;
        ended.expect(case).unwrap().unwrap();
    }
}

#[tokio::test]
async fn idle_connections_are_closed_at_once() {
    let server = Running::start(draining(NEVER)).await;
    let mut used = server.connect().await;
    used.send(STATUS).await;
    assert_eq!(used.response().await.unwrap().status, 200);
    let mut fresh = server.connect().await;
    server.stop.send(()).unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(60), server.served).await;
    ended.unwrap().unwrap().unwrap();
    assert!(used.is_closed().await && fresh.is_closed().await);
}

#[tokio::test]
async fn request_in_flight_gets_its_response() {
    let server = Running::start(draining(NEVER)).await;
    let mut client = server.connect().await;
    let body = r#"{"organization_id": 1012}"#;
    let expect = "Expect: 100-continue\r\n";
    client
        .send(&format!("{ADD}{KEY}{expect}Content-Length: {}\r\n\r\n", body.len()))
        .await;
    // The service has received the request.
    assert_eq!(client.response().await.unwrap().status, 100);
    server.stop.send(()).unwrap();
    // Once connecting fails, the server drains.
    while tokio::net::TcpStream::connect(server.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    client.send(body).await;
    assert_eq!(client.response().await.unwrap().status, 201);
    assert!(client.is_closed().await);
    server.served.await.unwrap().unwrap();
}
