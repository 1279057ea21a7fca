use axum::Router;
use axum::http::StatusCode;
use platform_server_stub::{Limits, serve_router};
use tokio::net::TcpListener;

use super::client::Client;
use super::{ADD, KEY, Running, STATUS};

#[tokio::test]
async fn request_whose_body_is_cut_off_is_never_carried_out() {
    let server = Running::start(Limits::default()).await;
    let before = server.items().await;
    let body = r#"{"organization_id": 1012}"#;
    // The headers that frame the body, and whether the client ends there.
    let table = [
        (
            "fewer bytes than announced",
            format!("Content-Length: 100\r\n\r\n{body}"),
            true,
        ),
        (
            "no last chunk",
            format!("Transfer-Encoding: chunked\r\n\r\n19\r\n{body}\r\n"),
            true,
        ),
        (
            "half a chunk",
            format!("Transfer-Encoding: chunked\r\n\r\n40\r\n{body}"),
            true,
        ),
        (
            "a chunk size that is not hexadecimal",
            format!("Transfer-Encoding: chunked\r\n\r\n19\r\n{body}\r\nXYZ\r\n"),
            false,
        ),
    ];
    for (case, tail, ends) in table {
        let mut client = server.connect().await;
        client.send(&format!("{ADD}{KEY}{tail}")).await;
        if ends {
            client.end().await;
        }
        let response = client.response().await.expect(case);
        assert_eq!(response.code(), (400, "malformed_request"), "{case}");
        assert_eq!(response.body["instance"], "/api/v1/pipelines/6/organizations", "{case}");
        assert!(client.is_closed().await, "{case}");
        assert_eq!(server.items().await, before, "{case}");
    }
}

#[tokio::test]
async fn malformed_http_gets_the_error_body() {
    let server = Running::start(Limits::default()).await;
    let get = "GET /openapi.json HTTP/1.1\r\n";
    let table = [
        ("garbage", "\u{1}\u{2}garbage\r\n\r\n".to_owned()),
        (
            "a method that is not a token",
            "G@T / HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(),
        ),
        ("a header without a colon", format!("{get}Host: x\r\nnonsense\r\n\r\n")),
        ("a header with NUL", format!("{get}Host: x\r\nX-A: \0\r\n\r\n")),
        (
            "two lengths",
            format!("{ADD}{KEY}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{{"),
        ),
        ("no host", format!("{get}\r\n")),
        ("two hosts", format!("{get}Host: x\r\nHost: y\r\n\r\n")),
    ];
    for (case, request) in table {
        for first in ["", STATUS] {
            let mut client = server.connect().await;
            client.send(&format!("{first}{request}")).await;
            if !first.is_empty() {
                assert_eq!(client.response().await.expect(case).status, 200, "{case}");
            }
            let response = client.response().await.expect(case);
            assert_eq!(response.code(), (400, "malformed_request"), "{case}");
            assert!(response.closes(), "{case}: {}", response.head);
            let head = response.head.to_ascii_lowercase();
            for header in [
                "x-request-id: ",
                "cache-control: no-store",
                "content-type: application/problem+json",
            ] {
                assert!(head.contains(header), "{case}: {head}");
            }
            assert!(client.is_closed().await, "{case}");
        }
    }
}

#[tokio::test]
async fn too_long_request_gets_the_error_body() {
    let server = Running::start(Limits::default()).await;
    let target = |length: usize| format!("GET /openapi.json?{} HTTP/1.1\r\n", "a".repeat(length));
    let fields = |count: usize| -> String {
        let field = |number| format!("X-{number}: {}\r\n", "a".repeat(400));
        (0..count).map(field).collect()
    };
    let get = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n";
    let table = [
        (format!("{}Host: x\r\n\r\n", target(32_768)), 200, ""),
        (format!("{}Host: x\r\n\r\n", target(70_000)), 414, "uri_too_long"),
        (format!("{get}{}\r\n", fields(82)), 200, ""),
        (format!("{get}{}\r\n", fields(200)), 431, "headers_too_large"),
    ];
    for (request, status, code) in table {
        let mut client = server.connect().await;
        client.send(&request).await;
        let response = client.response().await.unwrap();
        assert_eq!(response.status, status, "{}", request.len());
        if status != 200 {
            assert_eq!(response.code(), (status, code));
            assert!(response.closes());
        }
    }
}

#[tokio::test]
async fn http_1_0_needs_no_host() {
    let server = Running::start(Limits::default()).await;
    let mut client = server.connect().await;
    client.send("GET /openapi.json HTTP/1.0\r\n\r\n").await;
    assert_eq!(client.response().await.unwrap().status, 200);
}

/// hyper's own responses are replaced, and these look much like them.
#[tokio::test]
async fn bare_responses_of_a_router_reach_the_client() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = Router::new().fallback(|| async { StatusCode::BAD_REQUEST });
    let shutdown = std::future::pending();
    tokio::spawn(serve_router(listener, router, Limits::default(), shutdown));
    for method in ["GET", "HEAD"] {
        let mut client = Client::connect(address).await;
        let request = format!("{method} / HTTP/1.1\r\nHost: x\r\n\r\n");
        client.send(&request.repeat(2)).await;
        for _ in 0..2 {
            let head = client.head().await;
            assert!(head.starts_with("HTTP/1.1 400"), "{method}: {head}");
        }
        client.send(&format!("{request}garbage\r\n\r\n")).await;
        let head = client.head().await;
        assert!(!head.contains("x-request-id"), "{method}: {head}");
        let response = client.response().await.unwrap();
        assert_eq!(response.code(), (400, "malformed_request"), "{method}");
    }
}
