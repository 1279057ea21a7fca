//! What a proxy can see.

use platform_sdk::reqwest::Proxy;
use platform_sdk::{Client, RetryPolicy};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::canned::KEY;

/// Starts a proxy that sends one response. Returns its URL and the head of the request it receives.
async fn proxy(answer: &'static str) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let head = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        stream.write_all(answer.as_bytes()).await.unwrap();
        String::from_utf8(head).unwrap()
    });
    (url, head)
}

fn client(base_url: &str, proxy: Proxy) -> Client {
    Client::builder()
        .base_url(base_url)
        .allow_insecure_http(true)
        .api_key(KEY)
        .proxy(proxy)
        .retry_policy(RetryPolicy::never())
        .build()
        .unwrap()
}

#[tokio::test]
async fn proxy_receives_the_absolute_url() {
    let answer = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"total_count\": 3, \"results\": []}";
    let (url, head) = proxy(answer).await;
    let client = client("http://api.example/platform", Proxy::http(url).unwrap());
    let search = client.search_products_by_product().product_id(1);
    assert_eq!(search.send().await.unwrap().total_count, 3);
    let head = head.await.unwrap();
    let target = "http://api.example/platform/search/products/1/similar";
    assert!(head.starts_with(&format!("GET {target} HTTP/1.1\r\n")), "{head}");
    assert!(head.contains(&format!("\r\napi-key: {KEY}\r\n")), "{head}");
}

#[cfg(any(feature = "rustls", feature = "rustls-no-provider", feature = "native-tls"))]
#[tokio::test]
async fn proxy_of_https_receives_the_host_and_no_key() {
    let (url, head) = proxy("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n").await;
    let client = client("https://api.example", Proxy::https(url).unwrap());
    let search = client.search_products_by_product().product_id(1);
    let error = search.send().await.unwrap_err();
    assert!(error.is_connect(), "{error:?}");
    let head = head.await.unwrap();
    assert!(head.starts_with("CONNECT api.example:443 HTTP/1.1\r\n"), "{head}");
    assert!(!head.contains(KEY), "{head}");
}

#[cfg(not(any(feature = "rustls", feature = "rustls-no-provider", feature = "native-tls")))]
#[test]
fn https_is_rejected_without_tls() {
    let error = Client::builder()
        .base_url("https://api.example")
        .api_key(KEY)
        .build()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the base URL has https, but the SDK is built without TLS: enable its feature rustls or native-tls"
    );
}
