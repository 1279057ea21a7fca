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
    let client = Client::builder().base_url(BASE_URL).api_key(KEY).build().unwrap();
    spawned(client.list_items().pipeline_id(1).send());
}

#[test]
fn error_is_small() {
    assert_eq!(size_of::<Error>(), size_of::<usize>());
}

#[test]
fn invalid_configuration_is_named() {
    let builder = || Client::builder().base_url(BASE_URL).api_key(KEY);
    let cases: [(ClientBuilder, &str); 8] = [
        (
            Client::builder().api_key(KEY),
            "the base URL is missing; pass it to base_url(…)",
        ),
        (
            Client::builder().base_url(BASE_URL),
            "the API key is missing; pass it to api_key(…)",
        ),
        (
            builder().base_url("api.example/v1"),
            "the base URL is not an absolute URL; use one such as https://platform.example",
        ),
        (
            builder().api_key(""),
            "the API key is empty; set PLATFORM_API_KEY, or pass a key",
        ),
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
            "the user agent suffix is not valid in a header",
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
    for base_url in ["http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080"] {
        assert!(client(base_url).build().is_ok(), "{base_url}");
    }
    assert!(client("http://10.0.0.1").allow_insecure_http(true).build().is_ok());
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
async fn user_agent_names_the_sdk_and_then_the_app() {
    let server = Canned::json(200, json!({"total_count": 0, "results": []})).await;
    let client = Client::builder()
        .base_url(server.base_url())
        .api_key(KEY)
        .user_agent_suffix("prospector/2.1")
        .build()
        .unwrap();
    client.search_products_by_product().product_id(1).send().await.unwrap();
    let user_agent = server.request().headers()["user-agent"].to_str().unwrap().to_owned();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(user_agent, format!("platform-sdk/{version} prospector/2.1"));
}

#[tokio::test]
async fn own_http_settings_are_used() {
    let server = Canned::json(200, json!({"total_count": 0, "results": []})).await;
    let mut headers = reqwest::header::HeaderMap::new();
    headers.insert("x-of-ones-own", reqwest::header::HeaderValue::from_static("yes"));
    let http_client = move || reqwest::Client::builder().default_headers(headers.clone()).no_proxy();
    let builder = Client::builder()
        .base_url(server.base_url())
        .api_key(KEY)
        .http_client(http_client);
    // The settings reach the client of a cloned builder as well.
    for builder in [builder.clone(), builder] {
        let client = builder.build().unwrap();
        let search = client.search_products_by_product().product_id(1);
        search.send().await.unwrap();
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    for request in requests {
        assert_eq!(request.headers()["x-of-ones-own"], "yes");
        assert_eq!(request.headers()["api-key"], KEY);
    }
}

#[test]
fn clone_of_a_builder_keeps_settings_and_errors() {
    let common = Client::builder().api_key(KEY).base_url("https://api.example");
    let elsewhere = common.clone().base_url("https://eu.api.example");
    assert_eq!(elsewhere.build().unwrap().base_url(), "https://eu.api.example");
    assert_eq!(common.build().unwrap().base_url(), "https://api.example");

    let wrong = Client::builder().api_key(KEY).base_url("ftp://api.example");
    let error = wrong.clone().build().unwrap_err();
    assert_eq!(error.to_string(), wrong.build().unwrap_err().to_string());
}
