//! A server that echoes requests: neither the API key nor search texts appear in errors or spans.

use std::error::Error as _;

use axum::body::Body;
use axum::http::{HeaderMap, Request, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use platform_sdk::{Client, Error, reqwest};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const KEY: &str = "SECRETKEY-123<&\"x";
const TEXT: &str = "who buys \"Contoso\" & its fishermen?";
const FOUND: [&str; 5] = ["secret", "contoso", "fishermen", "53454352", "\u{202e}"];

/// The request line and headers, as a careless server would log them.
fn seen(request: &Request<reqwest::Body>) -> String {
    let headers = request.headers().iter();
    let headers: Vec<String> = headers
        .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
        .collect();
    format!("{} {} {}", request.method(), request.uri(), headers.join(" "))
}

/// Maps a request to a status and a body.
type Answer = fn(&Request<reqwest::Body>) -> (u16, String);

/// Returns a client of a service that responds with `answer`.
fn client(answer: Answer) -> Client {
    let service = tower::service_fn(move |request: Request<reqwest::Body>| async move {
        let (status, body) = answer(&request);
        let mut headers = HeaderMap::new();
        headers.insert("x-request-id", format!("r-{KEY}").parse().unwrap());
        headers.insert("location", format!("/?key={KEY}").parse().unwrap());
        let mut response = Response::builder().status(status).body(Body::from(body)).unwrap();
        *response.headers_mut() = headers;
        Ok::<_, std::convert::Infallible>(response)
    });
    let client = Client::builder().api_key(KEY).service(service);
    client.retry_policy(platform_sdk::RetryPolicy::never()).build().unwrap()
}

/// Everything that an error exposes, as text.
fn said(error: &Error) -> String {
    let mut said = format!("{error} {error:?} {error:#?}");
    let mut source = error.source();
    while let Some(cause) = source {
        said += &format!(" {cause} {cause:?}");
        source = cause.source();
    }
    for attempt in error.attempts() {
        said += &format!(" {attempt} {attempt:?} {:?}", attempt.request_id());
    }
    said += &json!([error.problem(), error.field_errors(), error.request_id()]).to_string();
    said += &format!("{:?} {:?}", error.body_excerpt(), error.code());
    said
}

fn hides(error: &Error) {
    let said = said(error);
    let lower = said.to_lowercase();
    for secret in FOUND {
        assert!(!lower.contains(secret), "{secret} in {said}");
    }
    assert!(said.contains("<hidden>"), "{said}");
}

/// Returns one error for each search.
async fn errors(client: &Client) -> Vec<Error> {
    vec![
        client
            .search_organizations_by_description()
            .description(TEXT)
            .send()
            .await
            .err(),
        client
            .search_organizations_by_customer()
            .organization_customer(TEXT)
            .send()
            .await
            .err(),
        client
            .search_products_by_description()
            .description(TEXT)
            .send()
            .await
            .err(),
        client
            .search_products_by_customer()
            .product_customer(TEXT)
            .send()
            .await
            .err(),
    ]
    .into_iter()
    .map(Option::unwrap)
    .collect()
}

#[test]
fn every_search_text_of_the_contract_is_tried() {
    let contract = crate::contract();
    let operations = contract["paths"].as_object().unwrap().values();
    let texts = operations
        .flat_map(|path| path.as_object().unwrap().values())
        .flat_map(|operation| operation["parameters"].as_array().into_iter().flatten())
        .filter(|parameter| parameter["schema"]["$ref"] == "#/components/schemas/SearchText")
        .filter_map(|parameter| parameter["name"].as_str());
    let texts: std::collections::BTreeSet<&str> = texts.collect();
    let tried = ["description", "organization_customer", "product_customer"];
    assert_eq!(texts.into_iter().collect::<Vec<_>>(), tried);
}

#[tokio::test]
async fn echoed_request_is_hidden_in_any_body() {
    let makers: [Answer; 8] = [
        |request| (400, format!("bad request headers: {}", seen(request))),
        |request| {
            let uri = request.uri().to_string();
            (
                422,
                json!({
                    "type": format!("https://errors.example{uri}"), "title": seen(request), "status": 422,
                    "detail": format!("value '{TEXT}' too long"), "code": format!("bad_{KEY}"),
                    "instance": uri, "request_id": KEY,
                    "errors": [{"loc": ["query", TEXT], "msg": seen(request), "type": KEY, "input": TEXT}],
                    "headers": {KEY: [{"text": TEXT}]},
                })
                .to_string(),
            )
        },
        |request| (200, seen(request)),
        |request| (200, json!({"total_count": seen(request), "results": []}).to_string()),
        |request| {
            (
                200,
                json!({"total_count": 1, "results": [{TEXT: KEY}]}).to_string()[..40].to_owned() + &seen(request),
            )
        },
        |request| {
            let page = html_escape::encode_quoted_attribute(&seen(request)).into_owned();
            (502, format!("<html><head><title>{page}</title></head>{page}</html>"))
        },
        |request| {
            let key = request.headers()["api-key"].to_str().unwrap();
            let user = STANDARD.encode(format!("user:{key}"));
            let hex: String = key.bytes().map(|byte| format!("{byte:02X}")).collect();
            (401, format!("Authorization: Basic {user} {hex} {}", key.to_uppercase()))
        },
        |request| {
            let escaped: String = seen(request)
                .chars()
                .map(|c| format!("\\u{:04x}", u32::from(c)))
                .collect();
            (403, format!("\u{202e}{}… {escaped}", &KEY[..8]))
        },
    ];
    for maker in makers {
        for error in errors(&client(maker)).await {
            hides(&error);
        }
    }
}

#[tokio::test]
async fn status_line_and_headers_of_a_careless_server_are_hidden() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = vec![0; 4096];
        let length = stream.read(&mut request).await.unwrap();
        let request = String::from_utf8_lossy(&request[..length]);
        let line = request.lines().next().unwrap();
        let answer = format!(
            "HTTP/1.1 302 {KEY} {line}\r\nX-Request-Id: {KEY}\r\nLocation: /?{KEY}\r\n\
             Retry-After: {KEY}\r\nRateLimit: {KEY}\r\nConnection: close\r\n\r\n{request}"
        );
        stream.write_all(answer.as_bytes()).await.unwrap();
    });
    let client = Client::builder().base_url(base_url).api_key(KEY).build().unwrap();
    let search = client.search_products_by_description().description(TEXT);
    hides(&search.send().await.unwrap_err());
}

#[tokio::test]
async fn unreadable_data_is_not_in_the_error_message() {
    let answer = |_: &Request<reqwest::Body>| {
        (
            200,
            json!({"customer": "Ann Other, 1 Harbour Street"}).to_string() + "{",
        )
    };
    let client = client(answer);
    let error = client.list_items().pipeline_id(1).send().await.unwrap_err();
    assert!(error.is_undecodable());
    let shown = format!("{error} {}", error.attempts()[0]);
    assert!(!shown.contains("Harbour"), "{shown}");
    let excerpt = error.body_excerpt();
    assert!(excerpt.is_some_and(|excerpt| excerpt.contains("Harbour")));
}

#[tokio::test]
async fn short_search_text_leaves_messages_readable() {
    let answer = |_: &Request<reqwest::Body>| {
        let problem: Value = json!({"detail": "`limit` is at most 100"});
        (422, problem.to_string())
    };
    let search = client(answer).search_products_by_description();
    let error = search.description("limit").limit(101).send().await.unwrap_err();
    assert!(error.to_string().contains("`limit` is at most 100"), "{error}");
}
