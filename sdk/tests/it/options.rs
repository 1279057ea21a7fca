//! Options of a clone, a service without a socket, and hooks.

use platform_sdk::Client;
use platform_server_stub::Server;

use crate::canned::KEY;
use crate::script::{Script, ready};

#[tokio::test]
async fn app_headers_are_sent_by_that_clone_only() {
    let script = Script::new([ready()]);
    let client = script.client();
    let tenant = client.with_header("X-Tenant", "blue").unwrap();
    let tenant = tenant.with_header("x-tenant", "green").unwrap();
    for client in [&tenant, &client] {
        let request = client.get_item_status();
        request.pipeline_id(2).pipeline_item_id(1).send().await.unwrap();
    }
    let tenants: Vec<_> = script
        .seen()
        .iter()
        .map(|seen| seen.request.headers.get("x-tenant").cloned())
        .collect();
    assert_eq!(tenants, [Some("green".parse().unwrap()), None]);
}

#[test]
fn invalid_or_reserved_header_is_rejected_without_its_value() {
    let client = Script::new([]).client();
    for (name, value, why) in [
        ("API-Key", KEY, "the header api-key is set by the SDK"),
        ("user-agent", "me", "the header user-agent is set by the SDK"),
        ("X Tenant", "blue", "the header has an invalid name"),
        ("X-Tenant", "secret\n", "the header x-tenant has an invalid value"),
    ] {
        let error = client.with_header(name, value).unwrap_err();
        assert_eq!(error.to_string(), why);
        assert!(!format!("{error:?}").contains("secret"));
    }
}

#[tokio::test]
async fn reference_server_is_called_without_a_socket() {
    let client = Client::builder()
        .service(Server::built_in().router())
        .api_key("dev-full-access")
        .build()
        .unwrap();
    let page = client.list_items().pipeline_id(1).limit(1000).send().await.unwrap();
    assert_eq!((page.items.len(), page.total_count), (1000, 1280));
    let missing = client.list_items().pipeline_id(99).send().await.unwrap_err();
    assert!(missing.is_not_found());
    assert_eq!(client.base_url(), "http://localhost");
}

#[tokio::test]
async fn another_key_is_sent_on_the_same_connections() {
    let server = crate::canned::Canned::json(404, serde_json::json!({})).await;
    let client = server.client();
    let other = client.with_api_key("another-key").unwrap();
    let error = other.list_items().pipeline_id(1).send().await.unwrap_err();
    assert!(error.is_not_found());
    assert_eq!(server.request().headers()["api-key"], "another-key");
    assert!(client.with_api_key("").is_err());
}

#[tokio::test]
async fn hooks_see_each_attempt_and_never_the_key() {
    use std::sync::{Arc, Mutex};

    use platform_sdk::mock::{Answer, Server, examples};
    use platform_sdk::{ErrorClass, ProblemCode};

    let server = Server::start().await;
    let (reports, requests) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
    let (reported, requested) = (Arc::clone(&reports), Arc::clone(&requests));
    let client = server
        .client_builder()
        .on_request(move |operation, request| {
            assert!(request.headers().get("api-key").is_none());
            let attempt = requested.lock().unwrap().len();
            requested.lock().unwrap().push(operation);
            request.headers_mut().insert("x-attempt", attempt.into());
        })
        .on_response(move |report| reported.lock().unwrap().push(report.clone()))
        .build()
        .unwrap();
    server.when(client.list_items()).answers([
        Answer::problem(ProblemCode::Unavailable),
        examples::item_page::of([]).into(),
    ]);
    client.list_items().pipeline_id(2).send().await.unwrap();

    let reports = reports.lock().unwrap();
    let seen: Vec<_> = reports
        .iter()
        .map(|report| (report.resends(), report.status().map(|it| it.as_u16()), report.class()))
        .collect();
    assert_eq!(seen, [(0, Some(503), Some(ErrorClass::Server)), (1, Some(200), None)]);
    assert!(reports.iter().all(|report| report.operation() == "list_items"));
    assert_eq!(*requests.lock().unwrap(), ["list_items"; 2]);
}
