//! Access for web pages of other origins.

use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use platform_server_stub::Server;
use tower::ServiceExt;

const APP: &str = "http://localhost:5173";
const STATUS: &str = "/api/v1/pipelines/2/items/200001/status";

async fn send(cors: Option<&str>, method: &str, path: &str, headers: &[(&str, &str)]) -> (StatusCode, HeaderMap) {
    let mut server = Server::built_in();
    if let Some(cors) = cors {
        server = server.with_cors(cors.parse().unwrap());
    }
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::empty()).unwrap();
    let response = server.router().oneshot(request).await.unwrap();
    (response.status(), response.headers().clone())
}

fn preflight(origin: &str) -> [(&str, &str); 3] {
    [
        ("Origin", origin),
        ("Access-Control-Request-Method", "GET"),
        ("Access-Control-Request-Headers", "api-key"),
    ]
}

#[tokio::test]
async fn preflight_of_an_allowed_origin_allows_the_requests_of_the_contract() {
    for (cors, shown) in [("*", "*"), ("https://app.example,http://localhost:5173", APP)] {
        // An unknown route as well, so that the page can see its 404.
        for path in [STATUS, "/nowhere"] {
            let (status, headers) = send(Some(cors), "OPTIONS", path, &preflight(APP)).await;
            assert_eq!(status, 204);
            assert_eq!(headers["access-control-allow-origin"], shown);
            assert_eq!(headers["access-control-allow-methods"], "GET, HEAD, POST");
            assert_eq!(
                headers["access-control-allow-headers"],
                "API-Key, Content-Type, X-Request-Id"
            );
            assert_eq!(headers["access-control-max-age"], "7200");
            assert_eq!(headers.contains_key("vary"), cors != "*");
            assert!(headers.contains_key("x-request-id"));
            assert!(!headers.contains_key("access-control-allow-credentials"));
        }
    }
}

#[tokio::test]
async fn allowed_origin_may_read_every_response_and_its_headers() {
    for (path, key, expected) in [
        (STATUS, "dev-full-access", 200),
        (STATUS, "nobody", 401),
        ("/nowhere", "dev-full-access", 404),
        ("/readyz", "", 200),
    ] {
        let headers = [("Origin", APP), ("API-Key", key)];
        let (status, headers) = send(Some(APP), "GET", path, &headers).await;
        assert_eq!(status, expected);
        assert_eq!(headers["access-control-allow-origin"], APP);
        assert_eq!(headers["vary"], "Origin");
        let shown = headers["access-control-expose-headers"].to_str().unwrap();
        let shown: Vec<_> = shown.split(", ").collect();
        for name in [
            "X-Request-Id",
            "Location",
            "Retry-After",
            "RateLimit",
            "RateLimit-Policy",
        ] {
            assert!(shown.contains(&name), "{name}");
        }
    }
}

#[tokio::test]
async fn other_origin_gets_the_response_of_the_contract_and_may_read_nothing() {
    for other in ["https://elsewhere.example", "null", "http://localhost:51730"] {
        let (status, headers) = send(Some(APP), "OPTIONS", STATUS, &preflight(other)).await;
        assert_eq!(
            (status.as_u16(), &headers["allow"]),
            (204, &"GET,HEAD,OPTIONS".parse().unwrap())
        );
        assert!(!headers.contains_key("access-control-allow-origin"));
        assert!(!headers.contains_key("access-control-allow-methods"));
        assert_eq!(headers["vary"], "Origin");
        let key = [("Origin", other), ("API-Key", "dev-full-access")];
        let (status, headers) = send(Some(APP), "GET", STATUS, &key).await;
        assert_eq!(status, 200);
        assert!(!headers.contains_key("access-control-allow-origin"));
    }
}

#[tokio::test]
async fn options_without_preflight_headers_gets_the_response_of_the_contract() {
    let origin = [("Origin", APP)];
    let (status, headers) = send(Some("*"), "OPTIONS", STATUS, &origin).await;
    assert_eq!(
        (status.as_u16(), &headers["allow"]),
        (204, &"GET,HEAD,OPTIONS".parse().unwrap())
    );
    assert_eq!(send(Some("*"), "OPTIONS", "/nowhere", &origin).await.0, 404);
}

#[tokio::test]
async fn responses_have_no_cors_headers_without_the_option() {
    let (status, headers) = send(None, "OPTIONS", STATUS, &preflight(APP)).await;
    assert_eq!(
        (status.as_u16(), &headers["allow"]),
        (204, &"GET,HEAD,OPTIONS".parse().unwrap())
    );
    assert!(!headers.keys().any(|name| name.as_str().starts_with("access-control")));
    assert!(!headers.contains_key("vary"));
}
