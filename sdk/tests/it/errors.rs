//! Every way a call can fail, and what its error keeps.

use std::error::Error as _;
use std::time::Duration;

use platform_sdk::types::LocationSegment;
use platform_sdk::{Client, Error, ProblemCode};
use serde_json::json;

use crate::canned::{Canned, KEY, client_of_bytes};

/// Search text that must not appear in any error.
const SECRET_PLAN: &str = "our-secret-plan";

async fn failed(client: &Client) -> Error {
    let search = client.search_organizations_by_description();
    let error = search.description(SECRET_PLAN).send().await.unwrap_err();
    let mut shown = format!("{error} {error:?}");
    let mut cause = error.source();
    while let Some(source) = cause {
        assert!(
            !error.to_string().contains(&source.to_string()),
            "{error} repeats {source}"
        );
        shown += &format!(" {source} {source:?}");
        cause = source.source();
    }
    assert!(!error.to_string().contains('\n'), "{error}");
    assert!(error.to_string().chars().count() < 500, "{error}");
    for secret in [KEY, SECRET_PLAN] {
        assert!(!shown.contains(secret), "{shown}");
    }
    error
}

async fn answered(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Error {
    let server = Canned::new(status, headers, body).await;
    let error = failed(&server.client()).await;
    assert_eq!(error.status().map(|status| status.as_u16()), Some(status));
    error
}

/// Returns the displayed error without the leading operation name.
fn line(error: &Error) -> String {
    let line = error.to_string();
    line.strip_prefix("search_organizations_by_description: ")
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn every_problem_of_the_contract_is_kept() {
    let contract = crate::contract();
    let examples = contract["components"]["examples"].as_object().unwrap();
    let problems = examples
        .values()
        .map(|example| &example["value"])
        .filter(|value| value["code"].is_string());
    let mut codes = Vec::new();
    for problem in problems {
        let status = problem["status"].as_u64().unwrap() as u16;
        let error = answered(
            status,
            &[("Content-Type", "application/problem+json")],
            problem.to_string(),
        )
        .await;
        let code = problem["code"].as_str().unwrap();
        assert_eq!(error.code().map(ProblemCode::as_str), Some(code));
        assert_eq!(error.request_id(), problem["request_id"].as_str());
        assert_eq!(serde_json::to_value(error.problem()).unwrap(), *problem);
        let detail = problem["detail"].as_str().unwrap();
        assert!(line(&error).starts_with(&format!("{status} {code}: ")), "{error}");
        assert!(
            error.to_string().contains(detail) || !error.field_errors().is_empty(),
            "{error}"
        );
        codes.push(code.to_owned());
    }
    assert!(codes.len() > 15, "{codes:?}");
}

#[tokio::test]
async fn predicates_follow_status_and_code() {
    type Predicate = fn(&Error) -> bool;
    let predicates: [(&str, Predicate); 7] = [
        ("not found", Error::is_not_found),
        ("already in pipeline", Error::is_already_in_pipeline),
        ("rate limited", Error::is_rate_limited),
        ("unauthenticated", Error::is_unauthenticated),
        ("denied", Error::is_denied),
        ("invalid", Error::is_invalid),
        ("server error", Error::is_server_error),
    ];
    for (status, code, expected) in [
        (404, Some("pipeline_not_found"), "not found"),
        (404, None, "not found"),
        (404, Some("route_not_found"), ""),
        (409, Some("organization_already_in_pipeline"), "already in pipeline"),
        (409, None, "already in pipeline"),
        (409, Some("edited_by_another"), ""),
        (429, None, "rate limited"),
        (401, None, "unauthenticated"),
        (403, None, "denied"),
        (400, None, "invalid"),
        (422, None, "invalid"),
        (500, None, "server error"),
        (503, Some("unavailable"), "server error"),
        (418, None, ""),
    ] {
        let error = answered(status, &[], json!({"code": code}).to_string()).await;
        let holds: Vec<&str> = predicates
            .iter()
            .filter(|(_, predicate)| predicate(&error))
            .map(|(name, _)| *name)
            .collect();
        assert_eq!(holds.join(", "), expected, "{status} {code:?}");
        assert!(!error.is_timeout() && !error.is_connect() && !error.is_undecodable());
    }
}

#[tokio::test]
async fn foreign_error_bodies_keep_their_status() {
    let page = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>nginx</body></html>";
    for (status, body, expected) in [
        (502, page, "502 Bad Gateway"),
        (
            503,
            "<html><body><h1>Maintenance</h1>until noon</body></html>",
            "503 Service Unavailable: Maintenance until noon",
        ),
        (503, "", "503 Service Unavailable"),
        (
            500,
            "upstream\r\nconnect error",
            "500 Internal Server Error: upstream connect error",
        ),
        (404, r#"{"detail": "Not Found"}"#, "404 Not Found: Not Found"),
        (
            403,
            r#"{"message": "Forbidden by the gateway"}"#,
            "403 Forbidden: Forbidden by the gateway",
        ),
        (
            422,
            r#"{"detail": [{"loc": ["query", "description"], "msg": "Field required", "type": "missing", "input": null},
                           {"loc": ["body", "ids", 3], "msg": "Too large", "type": "less_than"}]}"#,
            "422 Unprocessable Entity: query.description: Field required; body.ids.3: Too large",
        ),
        (400, "[1, 2]", "400 Bad Request: [1, 2]"),
        (400, r#"{"reason": 7}"#, r#"400 Bad Request: {"reason": 7}"#),
        (
            422,
            r#"{"code": "out_of_paper", "title": "Out of paper"}"#,
            "422 out_of_paper: Out of paper",
        ),
    ] {
        let error = answered(status, &[], body).await;
        assert_eq!(line(&error), expected);
        assert!(error.problem().is_none());
    }
}

#[tokio::test]
async fn faults_of_another_framework_are_field_errors() {
    let body = r#"{"detail": [{"loc": ["body", "ids", 3], "msg": "Too large", "type": "less_than", "ctx": {}}]}"#;
    let error = answered(422, &[], body).await;
    let [fault] = error.field_errors() else {
        panic!("{error:?}")
    };
    assert_eq!(fault.loc[2], LocationSegment::Position(3));
    assert_eq!((fault.msg.as_str(), fault.type_.as_str()), ("Too large", "less_than"));
}

#[tokio::test]
async fn request_id_is_read_from_the_header_without_one_in_the_body() {
    let error = answered(502, &[("X-Request-Id", "r-1")], "").await;
    assert_eq!(error.request_id(), Some("r-1"));
    assert_eq!(line(&error), "502 Bad Gateway (request r-1)");

    let error = answered(500, &[("X-Request-Id", "r-1")], r#"{"request_id": "r-2"}"#).await;
    assert_eq!(error.request_id(), Some("r-2"));
}

#[tokio::test]
async fn large_error_body_is_truncated() {
    let error = answered(500, &[], "x".repeat(2_000_000)).await;
    assert_eq!(line(&error), format!("500 Internal Server Error: {}…", "x".repeat(300)));
    assert!(format!("{error:?}").len() < 2_000);

    let detail = "y".repeat(50_000);
    let error = answered(500, &[], json!({"detail": detail}).to_string()).await;
    assert_eq!(line(&error), format!("500 Internal Server Error: {}…", "y".repeat(300)));

    let error = answered(200, &[], json!({"results": "z".repeat(2_000_000)}).to_string()).await;
    let source = error.source().unwrap().to_string();
    assert!(
        source.starts_with("invalid type: string, expected a sequence"),
        "{source}"
    );
    assert!(source.len() < 400 && format!("{error:?}").len() < 2_000);
}

#[tokio::test]
async fn control_characters_do_not_reach_a_terminal() {
    let error = answered(500, &[], "a\u{1b}[2Jb\u{7}\nc").await;
    assert_eq!(line(&error), "500 Internal Server Error: a [2Jb c");
}

#[tokio::test]
async fn retry_after_is_read_from_the_header() {
    let wait = |error: Error| error.retry_after();
    assert_eq!(
        wait(answered(429, &[("Retry-After", "7")], "").await),
        Some(Duration::from_secs(7))
    );
    assert_eq!(wait(answered(429, &[], "").await), None);
    assert_eq!(wait(answered(429, &[("Retry-After", "soon")], "").await), None);
}

#[tokio::test]
async fn redirect_never_receives_the_key() {
    let elsewhere = Canned::json(200, json!({})).await;
    let location = format!("{}/elsewhere", elsewhere.base_url());
    let server = Canned::new(302, &[("Location", &location)], "").await;
    let own = || platform_sdk::reqwest::Client::builder().redirect(platform_sdk::reqwest::redirect::Policy::limited(5));
    let client = platform_sdk::Client::builder()
        .base_url(server.base_url())
        .api_key(crate::canned::KEY)
        .http_client(own)
        .build()
        .unwrap();
    let error = client.list_items().pipeline_id(1).send().await.unwrap_err();
    assert!(error.is_redirect());
    assert_eq!(error.redirect_location(), Some(&*location));
    assert_eq!(
        error.to_string(),
        format!("list_items: 302 Found: redirects are not followed, here to {location}; check the base URL")
    );
    assert!(elsewhere.requests().is_empty());
}

#[tokio::test]
async fn redirect_is_not_followed() {
    let elsewhere = Canned::json(200, json!({"total_count": 0, "results": []})).await;
    let location = elsewhere.base_url();
    let error = answered(307, &[("Location", &location)], "").await;
    assert!(error.is_redirect(), "{error}");
    assert_eq!(elsewhere.requests().len(), 0);
}

#[tokio::test]
async fn success_that_does_not_match_the_contract_names_the_place() {
    let mut body = crate::contract()["components"]["examples"]["OrganizationsFound"]["value"].clone();
    body["results"][0]["metrics"]["employee_count"] = json!("many");
    let error = answered(200, &[("X-Request-Id", "r-1")], body.to_string()).await;
    assert!(error.is_undecodable());
    assert_eq!(error.request_id(), Some("r-1"));
    assert_eq!(
        line(&error),
        "200 OK, but the body does not match the contract at results[0].metrics.employee_count (request r-1)"
    );
    let source = error.source().unwrap().to_string();
    assert!(
        source.starts_with("invalid type: string, expected i64 at line"),
        "{source}"
    );

    let error = answered(200, &[], "[]").await;
    assert_eq!(
        line(&error),
        "200 OK, but the body does not match the contract at the root"
    );
}

#[tokio::test]
async fn encoding_that_was_not_requested_is_named() {
    let headers = [("Content-Encoding", "br")];
    let error = answered(200, &headers, "\u{8b}\u{1}").await;
    assert_eq!(
        line(&error),
        "200 OK, but the body is not JSON: it has the Content-Encoding br, which was not requested"
    );
    let error = answered(502, &headers, "\u{8b}\u{1}").await;
    assert_eq!(
        line(&error),
        "502 Bad Gateway: the body has the Content-Encoding br, which was not requested"
    );
}

#[tokio::test]
async fn value_of_a_customer_is_only_in_the_excerpt() {
    let secret = r#"Fjordfrost, expected \" tomorrow"#;
    let body = format!(r#"{{"total_count": "{secret}", "results": []}}"#);
    let error = answered(200, &[], body).await;
    assert!(error.body_excerpt().is_some_and(|text| text.contains("Fjordfrost")));
    let mut shown = format!("{error}\n{error:?}\n{error:#?}\n{:?}", error.attempts());
    shown.extend(error.source().map(|source| format!("{source} {source:?}")));
    assert!(!shown.contains("Fjordfrost"), "{shown}");
    assert!(
        shown.contains("invalid type: string, expected i64 at line 1 column"),
        "{shown}"
    );
}

#[tokio::test]
async fn success_that_is_not_json_is_an_error() {
    let error = answered(200, &[], "<html><title>Welcome to the hotel</title></html>").await;
    assert!(error.is_undecodable());
    assert_eq!(line(&error), "200 OK, but the body is not JSON: Welcome to the hotel");
    assert!(
        error
            .source()
            .unwrap()
            .to_string()
            .starts_with("expected value at line 1")
    );

    let error = answered(200, &[], "").await;
    assert_eq!(line(&error), "200 OK, but the body is not JSON");
}

#[tokio::test]
async fn failed_connection_names_the_address() {
    let client = crate::canned::client("http://127.0.0.1:1");
    let error = failed(&client).await;
    assert!(error.is_connect() && !error.is_timeout());
    assert_eq!(error.status(), None);
    assert_eq!(line(&error), "no connection to 127.0.0.1:1");
    assert!(error.source().is_some());
}

#[tokio::test]
async fn silent_server_is_a_timeout() {
    let client = client_of_bytes("", Duration::from_secs(60)).await;
    let error = failed(&client).await;
    assert!(error.is_timeout() && !error.is_connect());
    assert_eq!(error.status(), None);
    assert_eq!(line(&error), "no complete response within 1s");
}

#[tokio::test]
async fn answer_that_stalls_is_a_timeout_with_its_status() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nX-Request-Id: r-1\r\n\r\n{";
    let error = failed(&client_of_bytes(head, Duration::from_secs(60)).await).await;
    assert!(error.is_timeout());
    assert_eq!(error.status().map(|status| status.as_u16()), Some(200));
    assert_eq!(line(&error), "no complete response within 1s (request r-1)");
}

#[tokio::test]
async fn truncated_body_is_reported() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nX-Request-Id: r-1\r\n\r\n{";
    let error = failed(&client_of_bytes(head, Duration::ZERO).await).await;
    assert!(!error.is_timeout() && !error.is_connect() && !error.is_undecodable());
    assert!(error.is_connection_lost());
    assert_eq!(error.status().map(|status| status.as_u16()), Some(200));
    assert_eq!(
        line(&error),
        "the connection ended before the response was complete (request r-1)"
    );

    let error = failed(&client_of_bytes("", Duration::ZERO).await).await;
    assert_eq!(error.status(), None);
    assert!(error.is_connection_lost());
    let half = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"total_count\": ";
    assert!(
        failed(&client_of_bytes(half, Duration::ZERO).await)
            .await
            .is_connection_lost()
    );
    assert_eq!(line(&error), "the connection ended before the response was complete");
}

#[tokio::test]
async fn error_with_truncated_body_keeps_its_status() {
    let head = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 100\r\n\r\nclosed for";
    let error = failed(&client_of_bytes(head, Duration::ZERO).await).await;
    assert_eq!(line(&error), "503 Service Unavailable: closed for");
    assert!(error.source().is_none());
}

#[test]
fn call_without_a_runtime_is_an_error() {
    let client = crate::canned::client("http://127.0.0.1:1");
    let mut call = std::pin::pin!(client.list_items().pipeline_id(1).send());
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let std::task::Poll::Ready(Err(error)) = call.as_mut().poll(&mut context) else {
        panic!("it is sent without a runtime")
    };
    assert!(error.is_configuration() && !error.is_transient());
    assert!(error.to_string().contains("tokio runtime"), "{error}");
}

#[tokio::test]
async fn unknown_host_is_not_retried() {
    let client = platform_sdk::Client::builder()
        .base_url("http://nobody.invalid")
        .allow_insecure_http(true)
        .api_key(crate::canned::KEY)
        .build()
        .unwrap();
    let error = client.list_items().pipeline_id(1).send().await.unwrap_err();
    assert!(error.is_network() && error.is_connect(), "{error:?}");
    // A machine without a DNS resolver reports a temporary failure.
    if error.is_unknown_host() {
        assert_eq!(error.attempts().len(), 1);
        assert!(!error.is_transient());
        assert_eq!(
            error.to_string(),
            "list_items: unknown host nobody.invalid:80; check the base URL"
        );
    }
}

#[tokio::test]
async fn headers_and_body_of_a_failure_are_kept_without_the_key() {
    let key = crate::canned::KEY;
    let headers = [("Server", "proxy/1"), ("X-Echo", key), ("Set-Cookie", "session=1")];
    let server = Canned::new(502, &headers, format!("<p>bad key {key}</p>")).await;
    let error = server.client().list_items().pipeline_id(1).send().await.unwrap_err();
    let kept = error.headers().unwrap();
    assert_eq!(kept["server"], "proxy/1");
    assert_eq!(kept["x-echo"], "<hidden>");
    assert!(kept.get("set-cookie").is_none());
    assert_eq!(error.body(), Some("<p>bad key <hidden></p>"));
    assert!(!format!("{error:?} {error:#?}").contains(key));
}

#[tokio::test]
async fn debug_reads_like_the_sentence() {
    let error = crate::canned::client("http://127.0.0.1:1");
    let error = error.list_items().pipeline_id(1).send().await.unwrap_err();
    let shown = format!("{error:?}");
    assert!(
        shown.starts_with("list_items: no connection to 127.0.0.1:1; caused by: "),
        "{shown}"
    );
    assert!(format!("{error:#?}").starts_with("Error {"));
}

#[tokio::test]
async fn each_status_has_one_class() {
    use platform_sdk::ErrorClass::*;
    for (status, class, is_transient) in [
        (302, Redirect, false),
        (400, InvalidRequest, false),
        (401, Unauthenticated, false),
        (403, Denied, false),
        (404, NotFound, false),
        (408, OtherStatus, true),
        (409, Conflict, false),
        (418, OtherStatus, false),
        (422, InvalidRequest, false),
        (429, RateLimited, true),
        (500, Server, true),
        (501, Server, false),
        (503, Server, true),
    ] {
        let server = Canned::new(status, &[], "").await;
        let error = server.client().list_items().pipeline_id(1).send().await.unwrap_err();
        assert_eq!((error.class(), error.is_transient()), (class, is_transient), "{status}");
    }
}
