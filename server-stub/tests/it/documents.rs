//! The public documents of the server: the contract, and the contract as a page.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt;
use platform_server_stub::Server;

use tower::ServiceExt;

async fn send(router: &Router, request: Request<Body>) -> (StatusCode, HeaderMap, String) {
    let response = router.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let body = String::from_utf8(body.to_vec()).unwrap();
    (parts.status, parts.headers, body)
}

async fn get(router: &Router, path: &str) -> (StatusCode, HeaderMap, String) {
    send(router, Request::get(path).body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn contract_is_served_byte_for_byte() {
    let router = Server::built_in().router();
    let (status, headers, body) = get(&router, "/openapi.yaml").await;
    assert_eq!(status, 200);
    assert_eq!(headers["content-type"], "application/yaml");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../openapi.yaml");
    assert!(body == std::fs::read_to_string(file).unwrap());
}

#[tokio::test]
async fn docs_page_may_load_nothing() {
    let router = Server::built_in().router();
    let (status, headers, body) = get(&router, "/docs").await;
    assert_eq!(status, 200);
    assert_eq!(headers["content-type"], "text/html; charset=utf-8");
    let policy = headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none';"), "{policy}");
    assert!(body.starts_with("<!DOCTYPE html>") && body.ends_with("</html>"));
    let head = Request::head("/docs").body(Body::empty()).unwrap();
    let (status, headers, nothing) = send(&router, head).await;
    assert_eq!((status, nothing.len()), (StatusCode::OK, 0));
    assert_eq!(headers["content-length"], body.len().to_string());
}

#[tokio::test]
async fn every_example_on_the_page_succeeds() {
    let router = Server::built_in().router();
    let (_, _, page) = get(&router, "/docs").await;
    let examples: Vec<_> = page
        .split("<pre><code>curl ")
        .skip(1)
        .map(|rest| plain(rest.split("</code>").next().unwrap()))
        .collect();
    assert_eq!(examples.len(), 10);
    for example in examples {
        let request = request(&example);
        let (status, _, body) = send(&router, request).await;
        assert!(status.is_success(), "{example}\n{status} {body}");
    }
}

/// The text in a piece of HTML.
fn plain(html: &str) -> String {
    let mut text = String::new();
    for (index, part) in html.split('<').enumerate() {
        let part = match index {
            0 => part,
            _ => part.split_once('>').unwrap().1,
        };
        text.push_str(part);
    }
    text.replace("&quot;", "\"").replace("&amp;", "&")
}

/// The request that a curl command sends.
fn request(line: &str) -> Request<Body> {
    let (mut option, mut uri, mut body) = (String::new(), String::new(), String::new());
    let mut query = Vec::new();
    let mut request = Request::builder();
    for (index, word) in line.split('\'').enumerate() {
        if index % 2 == 0 {
            option = word.trim_matches([' ', '\\', '\n']).to_owned();
            continue;
        }
        match option.as_str() {
            "" | "--get" => uri = word.strip_prefix("http://127.0.0.1:8080").unwrap().to_owned(),
            "-H" => {
                let (name, value) = word.split_once(": ").unwrap();
                request = request.header(name, value);
            }
            "--data-urlencode" => query.push(word.replace(' ', "+")),
            "--data" => word.clone_into(&mut body),
            other => panic!("{other}: {line}"),
        }
    }
    let separator = if query.is_empty() { "" } else { "?" };
    let method = if body.is_empty() { Method::GET } else { Method::POST };
    request
        .method(method)
        .uri(format!("{uri}{separator}{}", query.join("&")))
        .body(Body::from(body))
        .unwrap()
}
