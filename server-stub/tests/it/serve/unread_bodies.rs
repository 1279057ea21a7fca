use platform_server_stub::Limits;

use super::{ADD, KEY, Running, STATUS};

const BODY: &str = r#"{"organization_id": 1012}"#;

#[tokio::test]
async fn connection_stays_open_after_an_early_response_to_a_request_with_a_body() {
    let server = Running::start(Limits::default()).await;
    let length = format!("Content-Length: {}\r\n\r\n{BODY}", BODY.len());
    let to = |line: &str, headers: &str| format!("{line} HTTP/1.1\r\nHost: x\r\n{headers}{length}");
    let read_only = "API-Key: dev-read-only\r\n";
    let chunked = format!("Transfer-Encoding: chunked\r\n\r\n19\r\n{BODY}\r\n0\r\n\r\n");
    let table = [
        (401, format!("{ADD}{length}")),
        (401, format!("{ADD}{chunked}")),
        (403, format!("{ADD}{read_only}{length}")),
        (404, to("POST /nowhere", KEY)),
        (405, to("PUT /api/v1/pipelines/6/organizations", KEY)),
        (415, to("POST /api/v1/pipelines/6/organizations", KEY)),
        (200, to("GET /api/v1/pipelines/6/items", KEY)),
        (422, to("GET /api/v1/pipelines/6/items?limit=0", KEY)),
    ];
    let mut client = server.connect().await;
    for (status, request) in table {
        let head = request.find("\r\n\r\n").unwrap() + 4;
        // The whole request in one write, then in two and in three. The server may answer after the first write.
        for parts in [
            vec![request.len()],
            vec![head, request.len()],
            vec![head, head + 9, request.len()],
        ] {
            let mut sent = 0;
            for end in parts {
                client.send(&request[sent..end]).await;
                sent = end;
                for _ in 0..20 {
                    tokio::task::yield_now().await;
                }
            }
            let response = client.response().await.unwrap();
            assert_eq!(response.status, status, "{request}");
            assert!(!response.closes(), "{request}");
            client.send(STATUS).await;
            assert_eq!(client.response().await.unwrap().status, 200, "{request}");
        }
    }
}

#[tokio::test]
async fn early_response_to_a_long_body_reaches_a_client_that_sends_it_all_first() {
    let server = Running::start(Limits::default()).await;
    let long = " ".repeat(1_000_000);
    let announced = format!("Content-Length: {}\r\n\r\n{long}", long.len());
    let chunked = format!("Transfer-Encoding: chunked\r\n\r\nF4240\r\n{long}\r\n0\r\n\r\n");
    let table = [
        (401, format!("{ADD}{announced}")),
        (401, format!("{ADD}{chunked}")),
        (413, format!("{ADD}{KEY}{announced}")),
        (413, format!("{ADD}{KEY}{chunked}")),
    ];
    for (status, request) in table {
        let mut client = server.connect().await;
        client.send(&request).await;
        let response = client.response().await.unwrap();
        assert_eq!(response.status, status);
        assert!(response.closes(), "{}", response.head);
        assert!(client.is_closed().await);
    }
}

#[tokio::test]
async fn too_large_content_length_is_rejected_before_the_body_is_sent() {
    let server = Running::start(Limits::default()).await;
    for expect in ["", "Expect: 100-continue\r\n"] {
        let mut client = server.connect().await;
        client
            .send(&format!("{ADD}{KEY}{expect}Content-Length: 1000000000\r\n\r\n"))
            .await;
        let response = client.response().await.unwrap();
        assert_eq!(response.code(), (413, "body_too_large"));
        assert!(response.closes(), "{}", response.head);
    }
}

#[tokio::test]
async fn client_that_expects_100_continue_gets_it_if_its_body_is_needed() {
    let server = Running::start(Limits::default()).await;
    let head = format!("{ADD}Expect: 100-continue\r\nContent-Length: {}\r\n", BODY.len());
    let mut rejected = server.connect().await;
    rejected.send(&format!("{head}\r\n")).await;
    let response = rejected.response().await.unwrap();
    assert_eq!(response.status, 401);
    // The body may or may not come, so the next request could not be distinguished from it.
    assert!(response.closes(), "{}", response.head);

    let mut wanted = server.connect().await;
    wanted.send(&format!("{head}{KEY}\r\n")).await;
    assert_eq!(wanted.response().await.unwrap().status, 100);
    wanted.send(BODY).await;
    assert_eq!(wanted.response().await.unwrap().status, 201);
    wanted.send(STATUS).await;
    assert_eq!(wanted.response().await.unwrap().status, 200);
}
