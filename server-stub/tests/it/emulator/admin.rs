use std::collections::BTreeSet;
use std::fmt::Write;

use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt;
use platform_server_stub::control::Operation;
use platform_server_stub::platform::clock::Clock;
use platform_server_stub::{Emulator, Server};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::{HttpResponse, INBOX, add, get, items, noon, send};

pub(super) async fn with_admin() -> Emulator {
    let builder = Emulator::builder().frozen_at(noon()).admin();
    builder.start().await.unwrap()
}

/// Sends a request to the controls, without a key.
pub(super) async fn admin(emulator: &Emulator, line: &str, body: &Value) -> HttpResponse {
    let (method, path) = line.split_once(' ').unwrap();
    let mut request = format!("{method} /__admin{path} HTTP/1.1");
    let text = match body {
        Value::Null => String::new(),
        body => {
            request.push_str("\r\nContent-Type: application/json");
            body.to_string()
        }
    };
    let address = emulator.base_url().strip_prefix("http://").unwrap();
    send_to(emulator, &request, address, &text).await
}

async fn send_to(emulator: &Emulator, request: &str, host: &str, body: &str) -> HttpResponse {
    super::send_as(emulator, &format!("{request}\r\nHost: {host}"), body)
        .await
        .unwrap()
}

#[tokio::test]
async fn clock_is_controlled_over_http() {
    let emulator = with_admin().await;
    let added = add(&emulator, 1001).await;
    let clock = admin(&emulator, "GET /clock", &Value::Null).await;
    assert_eq!(clock.body["now"], "2026-11-20T12:00:00Z");
    assert_eq!(clock.body["is_frozen"], true);
    assert_eq!(clock.body["next_due"], "2026-11-20T12:00:00.500Z");
    let advanced = admin(&emulator, "POST /clock/advance", &json!({"seconds": 0.25})).await;
    assert_eq!(advanced.body["now"], "2026-11-20T12:00:00.250Z");
    let idle = admin(&emulator, "POST /clock/run-to-idle", &Value::Null).await;
    assert_eq!(idle.body["next_due"], Value::Null);
    let status = format!("{INBOX}/{}/status", added.body["pipeline_item_id"]);
    assert_eq!(get(&emulator, &status).await.body["is_ready"], true);
    let running = admin(&emulator, "POST /clock/resume", &json!({})).await;
    assert_eq!(running.body["is_frozen"], false);
    assert!(!emulator.clock().is_frozen());
    admin(&emulator, "POST /clock/freeze", &Value::Null).await;
    assert!(emulator.clock().is_frozen());
}

#[tokio::test]
async fn faults_are_added_read_and_removed_over_http() {
    let emulator = with_admin().await;
    let faults = [
        json!({"operations": ["list_items"], "after": 1, "times": 1, "problem": "unavailable", "retry_after_seconds": 2}),
        json!({"after": 0, "status": 502, "times": 0, "probability": 0.5}),
        json!({"after": 0, "connection": "reset", "times": 0, "delay": {"fixed": {"seconds": 0.5}}}),
        json!({"after": 0, "connection": "cut_body", "times": 0}),
        json!({"after": 0, "stale": true, "times": 0}),
        json!({"after": 0, "times": 0, "delay": {"uniform": {"lower_seconds": 0.0, "upper_seconds": 1.5}}}),
        json!({"after": 0, "times": 0, "delay": {"lognormal": {"median_seconds": 0.5, "sigma": 0.5}}}),
    ];
    for (id, fault) in (1..).zip(&faults) {
        let added = admin(&emulator, "POST /faults", fault).await;
        assert_eq!(added.status, 201, "{}", added.text);
        let expected = json!({"id": id, "matched": 0, "applied": 0, "fault": fault});
        assert_eq!(added.body, expected);
    }
    let seen = [get(&emulator, INBOX).await, get(&emulator, INBOX).await];
    assert_eq!(seen[0].status, 200);
    assert_eq!(seen[1].code(), (503, "unavailable"));
    assert_eq!(seen[1].header("retry-after"), Some("2"));
    let first = admin(&emulator, "GET /faults/1", &Value::Null).await;
    assert_eq!((&first.body["matched"], &first.body["applied"]), (&json!(2), &json!(1)));
    for (line, status) in [
        ("DELETE /faults/1", 204),
        ("DELETE /faults/1", 404),
        ("GET /faults/1", 404),
        ("GET /faults/one", 404),
    ] {
        assert_eq!(admin(&emulator, line, &Value::Null).await.status, status, "{line}");
    }
    let list = admin(&emulator, "GET /faults", &Value::Null).await;
    assert_eq!(list.body["faults"].as_array().unwrap().len(), faults.len() - 1);
    assert_eq!(admin(&emulator, "DELETE /faults", &Value::Null).await.status, 204);
    assert!(emulator.active_faults().is_empty());
}

#[tokio::test]
async fn recorded_requests_are_listed_and_found_over_http() {
    let emulator = with_admin().await;
    add(&emulator, 1001).await;
    get(&emulator, &format!("{INBOX}?limit=0")).await;
    get(&emulator, INBOX).await;
    let all = admin(&emulator, "GET /requests", &Value::Null).await;
    assert_eq!(all.body["count"], 3);
    assert_eq!(all.body["requests"][0]["body"], r#"{"organization_id": 1001}"#);
    for (filter, numbers) in [
        (json!({}), json!([1, 2, 3])),
        (json!({"operation": "list_items"}), json!([2, 3])),
        (json!({"operation": "list_items", "status": 200}), json!([3])),
        (json!({"code": "validation_failed"}), json!([2])),
        (json!({"method": "POST", "key": "emulator"}), json!([1])),
        (json!({"path": INBOX, "after_number": 2}), json!([3])),
        (json!({"key": "full access"}), json!([])),
    ] {
        let found = admin(&emulator, "POST /requests/find", &filter).await;
        let requests = found.body["requests"].as_array().unwrap().iter();
        let found: Vec<_> = requests.map(|request| request["number"].clone()).collect();
        assert_eq!(json!(found), numbers, "{filter}");
    }
    admin(&emulator, "DELETE /requests", &Value::Null).await;
    assert!(emulator.requests().is_empty());
}

#[tokio::test]
async fn reset_over_http_restores_the_initial_state() {
    let emulator = with_admin().await;
    add(&emulator, 1001).await;
    admin(&emulator, "POST /clock/advance", &json!({"seconds": 60})).await;
    assert_eq!(admin(&emulator, "POST /reset", &Value::Null).await.status, 204);
    assert_eq!((items(&emulator).await, emulator.clock().now()), (1, noon()));
}

#[tokio::test]
async fn invalid_request_is_rejected_with_its_place_and_the_allowed_values() {
    let emulator = with_admin().await;
    let table = [
        (
            "POST /faults",
            json!({"problm": "unavailable"}),
            "problm: unknown field `problm`, expected one of `operations`",
        ),
        (
            "POST /faults",
            json!({"problem": "bad_day"}),
            "problem: unknown variant `bad_day`, expected one of `malformed_request`",
        ),
        (
            "POST /faults",
            json!({"operations": ["list"], "status": 500}),
            "operations[0]: unknown variant `list`, expected one of",
        ),
        (
            "POST /faults",
            json!({"delay": {"fixed": {"second": 1}}}),
            "delay.fixed.second: unknown field `second`, expected `seconds`",
        ),
        (
            "POST /faults",
            json!({"delay": {"fixed": {"seconds": -1}}}),
            "delay.fixed.seconds: ",
        ),
        (
            "POST /faults",
            json!({"times": 1}),
            "the fault has no effect; give it delay",
        ),
        (
            "POST /faults",
            json!({"problem": "unavailable", "stale": true}),
            "give one of problem, status",
        ),
        (
            "POST /faults",
            json!({"stale": true, "retry_after_seconds": 1}),
            "retry_after_seconds: belongs to",
        ),
        ("POST /faults", json!({"status": 99}), "status: must be from 200 to 599"),
        (
            "POST /faults",
            json!({"status": 500, "probability": 1.5}),
            "probability: must be from 0 to 1",
        ),
        (
            "POST /faults",
            json!({"stale": true, "operations": ["add_organization"]}),
            "operations: an answer can be stale only",
        ),
        (
            "POST /faults",
            json!({"delay": {"uniform": {"lower_seconds": 2, "upper_seconds": 1}}}),
            "delay.uniform: lower_seconds",
        ),
        (
            "POST /faults",
            json!({"delay": {"lognormal": {"median_seconds": 2, "sigma": 9}}}),
            "delay.lognormal.sigma: must",
        ),
        (
            "POST /faults",
            json!([]),
            "the body cannot be used: invalid type: an array, expected an object",
        ),
        (
            "POST /clock/advance",
            json!({"seconds": -1}),
            "seconds: must be from 0 to 3155760000; the time cannot go back",
        ),
        ("POST /clock/advance", json!({}), "missing field `seconds`"),
        ("POST /clock/freeze", json!({"at": 5}), "this request takes no body"),
        (
            "GET /clock?seconds=1",
            Value::Null,
            "this path takes no query parameters",
        ),
        (
            "POST /requests/find",
            json!({"operation": 5}),
            "operation: expected value",
        ),
    ];
    for (line, body, expected) in table {
        let answer = admin(&emulator, line, &body).await;
        let detail = answer.body["detail"].as_str().unwrap();
        assert_eq!(answer.status, 422, "{line} {body}: {detail}");
        assert!(detail.contains(expected), "{line} {body}: {detail}");
        assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    }
    for (line, status) in [("GET /nowhere", 404), ("PUT /clock", 405), ("GET /", 404)] {
        assert_eq!(admin(&emulator, line, &Value::Null).await.status, status, "{line}");
    }
    let request = "POST /__admin/faults HTTP/1.1\r\nContent-Type: text/plain";
    let answer = send_to(&emulator, request, "localhost", r#"{"status": 500}"#).await;
    assert_eq!(answer.status, 415);
    assert!(emulator.active_faults().is_empty() && emulator.requests().is_empty());
}

#[tokio::test]
async fn page_of_a_browser_cannot_use_the_controls() {
    let emulator = with_admin().await;
    for (host, headers, status) in [
        ("localhost", "", 200),
        ("127.0.0.1:80", "", 200),
        ("rebound.example", "", 403),
        ("localhost", "\r\nOrigin: http://localhost:5173", 403),
        ("localhost", "\r\nOrigin: null", 403),
    ] {
        let request = format!("GET /__admin/clock HTTP/1.1{headers}");
        let answer = send_to(&emulator, &request, host, "").await;
        assert_eq!(answer.status, status, "{host}{headers}: {}", answer.text);
    }
}

#[tokio::test]
async fn controls_are_not_broken_by_faults_and_not_recorded() {
    let emulator = with_admin().await;
    admin(&emulator, "POST /faults", &json!({"problem": "internal_error"})).await;
    assert_eq!(admin(&emulator, "GET /clock", &Value::Null).await.status, 200);
    assert!(emulator.requests().is_empty());
    assert_eq!(get(&emulator, INBOX).await.status, 500);
    assert_eq!(emulator.requests_for(Operation::ListItems).len(), 1);
}

/// The response in full, without the id of the request.
async fn whole(router: axum::Router, method: &str, path: &str) -> String {
    let request = Request::builder().method(method).uri(path);
    let request = request.header("X-Request-Id", "same").body(Body::empty());
    let response = router.oneshot(request.unwrap()).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let body = String::from_utf8(body.to_vec()).unwrap();
    format!("{:?} {:?} {body}", parts.status, parts.headers)
}

#[tokio::test]
async fn paths_of_the_controls_are_unknown_routes_without_them() {
    let emulator = super::frozen().await;
    for path in ["/__admin", "/__admin/", "/__admin/reset", "/__admin/openapi.json"] {
        for method in ["GET", "POST", "HEAD", "OPTIONS"] {
            // A path of the same length.
            let other = path.replace("__admin", "nowhere");
            let unknown = whole(Server::built_in().router(), method, &other).await;
            let unknown = unknown.replace(&other, path);
            for router in [Server::built_in().router(), emulator.router()] {
                assert_eq!(whole(router, method, path).await, unknown, "{method} {path}");
            }
        }
    }
}

#[tokio::test]
async fn document_of_the_controls_has_every_route_and_no_other() {
    let emulator = with_admin().await;
    let document = admin(&emulator, "GET /openapi.json", &Value::Null).await.body;
    let mut listed = String::new();
    let mut ids = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let method = method.to_uppercase();
            writeln!(listed, "{method} {path}").unwrap();
            let id = operation["operationId"].as_str().unwrap();
            assert!(ids.insert(id.to_owned()), "{id} is there twice");
            assert!(operation["summary"].is_string(), "{id}");
            let line = format!("{method} {}", path.replace("{id}", "1").replace("{name}", "x"));
            let answer = admin(&emulator, &line, &Value::Null).await;
            // A fault with this id does not exist, and some requests need a body.
            assert_ne!(answer.status, 405, "{line}");
            let detail = answer.body["detail"].as_str().unwrap_or_default();
            assert!(!detail.starts_with("nothing is at"), "{line}: {detail}");
        }
    }
    assert_eq!(
        listed,
        "GET /clock\n\
         POST /clock/advance\n\
         POST /clock/freeze\n\
         POST /clock/resume\n\
         POST /clock/run-to-idle\n\
         PATCH /data\n\
         PUT /data\n\
         POST /data/remove\n\
         DELETE /faults\n\
         GET /faults\n\
         POST /faults\n\
         DELETE /faults/{id}\n\
         GET /faults/{id}\n\
         GET /keys\n\
         POST /keys\n\
         DELETE /keys/{name}\n\
         POST /keys/{name}/explain\n\
         PUT /keys/{name}/policies\n\
         PUT /keys/{name}/rate-limit\n\
         GET /namespaces\n\
         DELETE /namespaces/{name}\n\
         DELETE /processes\n\
         GET /processes\n\
         POST /processes\n\
         GET /rate-limits\n\
         PUT /rate-limits\n\
         POST /rate-limits/reset\n\
         DELETE /requests\n\
         GET /requests\n\
         POST /requests/find\n\
         POST /reset\n\
         GET /snapshot\n\
         PUT /snapshot\n"
    );
    // Every reference has a target.
    let text = document.to_string();
    for part in text.split(r##""#/components/schemas/"##).skip(1) {
        let name = part.split('"').next().unwrap();
        assert!(document["components"]["schemas"][name].is_object(), "{name}");
    }
}

/// The contract's own document does not change with the controls.
#[tokio::test]
async fn document_of_the_platform_stays_as_it_is() {
    let emulator = with_admin().await;
    let path = "/openapi.json";
    assert_eq!(
        whole(emulator.router(), "GET", path).await,
        whole(Server::built_in().router(), "GET", path).await
    );
    assert_eq!(
        send(&emulator, "GET /openapi.json HTTP/1.1", "").await.unwrap().status,
        200
    );
}
