//! Client construction. The API key is never shown.

use platform_sdk::{ApiKey, Client, ClientBuilder, Error};
use serde_json::json;

use crate::canned::{Canned, KEY};

const BASE_URL: &str = "https://api.example";

#[test]
fn client_can_be_shared_between_threads() {
    fn shared<T: Clone + Send + Sync + 'static>() {}
    shared::<Client>();
    fn sent<T: Send + Sync + 'static>() {}
    sent::<Error>();
}

#[test]
fn calls_can_be_spawned() {
    fn spawned<F: Future + Send>(_: F) {}
    let client = Client::builder()
        .base_url(BASE_URL)
        .api_key(KEY)
        .build()
        .unwrap();
    spawned(client.list_items().pipeline_id(1).send());
}

#[test]
fn error_is_small() {
    assert_eq!(size_of::<Error>(), size_of::<usize>());
}

#[test]
fn what_a_client_cannot_be_made_of_is_named() {
    let builder = || Client::builder().base_url(BASE_URL).api_key(KEY);
    let cases: [(ClientBuilder, &str); 8] = [
        (Client::builder().api_key(KEY), "the base URL is missing"),
        (
            Client::builder().base_url(BASE_URL),
            "the API key is missing",
        ),
        (
            builder().base_url("api.example/v1"),
            "the base URL is not an absolute URL",
        ),
        (builder().api_key(""), "the API key is empty"),
        (
            builder().api_key("correct horse"),
            "the API key has a character at position 7 that is not visible ASCII",
        ),
        (
            builder().api_key("clé"),
            "the API key has a character at position 2 that is not visible ASCII",
        ),
        (
            builder().user_agent_suffix("prospector/2.1\n"),
            "the suffix of the user agent does not fit a header",
        ),
        (
            builder().base_url("http://api.example"),
            "the base URL would send the API key unencrypted: use https, or allow_insecure_http(true)",
        ),
    ];
    for (builder, message) in cases {
        let error = builder.build().unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(error.status().is_none() && !error.is_connect() && !error.is_timeout());
    }
}

#[test]
fn plain_http_goes_to_this_machine_or_where_it_is_allowed() {
    let client = |base_url| Client::builder().base_url(base_url).api_key(KEY);
    for base_url in [
        "http://localhost:8080",
        "http://127.0.0.1:8080",
        "http://[::1]:8080",
    ] {
        assert!(client(base_url).build().is_ok(), "{base_url}");
    }
    assert!(
        client("http://10.0.0.1")
            .allow_insecure_http(true)
            .build()
            .is_ok()
    );
}

#[test]
fn key_shows_nowhere() {
    let key = ApiKey::new(KEY).unwrap();
    let builder = Client::builder().base_url(BASE_URL).api_key(key.clone());
    let builder_shown = format!("{builder:?}");
    let client = builder.build().unwrap();
    let request = client.list_items().pipeline_id(1);
    let wrong_key = ApiKey::new(format!("{KEY}\n")).unwrap_err();
    for shown in [
        format!("{key:?}"),
        builder_shown,
        format!("{client:?}"),
        format!("{request:?}"),
        format!("{wrong_key:?} {wrong_key}"),
    ] {
        assert!(!shown.contains(KEY), "{shown}");
    }
    assert_eq!(
        format!("{client:?}"),
        r#"Client { base_url: "https://api.example", .. }"#
    );
}

#[tokio::test]
async fn app_stands_after_the_sdk_in_the_user_agent() {
    let server = Canned::json(200, json!({"total_count": 0, "results": []})).await;
    let client = Client::builder()
        .base_url(server.base_url())
        .api_key(KEY)
        .user_agent_suffix("prospector/2.1")
        .build()
        .unwrap();
    client
        .search_products_by_product()
        .product_id(1)
        .send()
        .await
        .unwrap();
    let user_agent = server.request().headers()["user-agent"]
        .to_str()
        .unwrap()
        .to_owned();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(user_agent, format!("platform-sdk/{version} prospector/2.1"));
}

#[tokio::test]
async fn http_client_of_ones_own_sends_the_requests() {
    let server = Canned::json(200, json!({"total_count": 0, "results": []})).await;
    let mut headers = reqwest::header::HeaderMap::new();
    headers.insert(
        "x-of-ones-own",
        reqwest::header::HeaderValue::from_static("yes"),
    );
    let http_client = reqwest::Client::builder()
        .default_headers(headers)
        .no_proxy();
    let client = Client::builder()
        .base_url(server.base_url())
        .api_key(KEY)
        .http_client(http_client)
        .build()
        .unwrap();
    client
        .search_products_by_product()
        .product_id(1)
        .send()
        .await
        .unwrap();
    assert_eq!(server.request().headers()["x-of-ones-own"], "yes");
    assert_eq!(server.request().headers()["api-key"], KEY);
}
