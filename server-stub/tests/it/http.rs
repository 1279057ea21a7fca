//! Responses over HTTP that the conformance kit cannot or should not check: the order of checks, the reporting of
//! faults, and time.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use chrono::{DateTime, Utc};
use http_body_util::BodyExt;
use platform_server_stub::Server;
use platform_server_stub::data::Dataset;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::ManualClock;
use serde_json::{Value, json};
use tower::ServiceExt;

const FULL: &str = "dev-full-access";
const READ_ONLY: &str = "dev-read-only";
const NO_ACCESS: &str = "dev-no-access";

struct Service {
    router: Router,
    clock: ManualClock,
}

struct HttpResponse {
    status: StatusCode,
    headers: HeaderMap,
    body: Value,
}

impl HttpResponse {
    fn code(&self) -> (u16, &str) {
        (self.status.as_u16(), self.body["code"].as_str().unwrap_or(""))
    }

    fn faults(&self) -> Vec<(Value, &str)> {
        let errors = self.body["errors"].as_array().unwrap();
        errors
            .iter()
            .map(|error| (error["loc"].clone(), error["type"].as_str().unwrap()))
            .collect()
    }
}

impl Service {
    fn new() -> Self {
        let clock = ManualClock::new(DateTime::<Utc>::UNIX_EPOCH);
        let platform = Platform::in_memory(Dataset::built_in(), Arc::new(clock.clone()));
        Self {
            router: Server::new(platform).router(),
            clock,
        }
    }

    async fn send(&self, request: Request<Body>) -> HttpResponse {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        HttpResponse {
            status: parts.status,
            headers: parts.headers,
            body,
        }
    }

    async fn get(&self, key: &str, uri: &str) -> HttpResponse {
        self.send(Request::get(uri).header("API-Key", key).body(Body::empty()).unwrap())
            .await
    }

    async fn add(&self, key: &str, pipeline: &str, media_type: &str, body: &str) -> HttpResponse {
        let request = Request::post(format!("/api/v1/pipelines/{pipeline}/organizations"))
            .header("API-Key", key)
            .header("Content-Type", media_type)
            .body(Body::from(body.to_owned()));
        self.send(request.unwrap()).await
    }
}

#[tokio::test]
async fn adding_checks_a_request_in_the_order_of_the_contract() {
    let service = Service::new();
    let json = "application/json";
    let long = format!("{{\"organization_id\": {}}}", " ".repeat(65_536));
    let good = r#"{"organization_id": 1001}"#;
    let unknown = r#"{"organization_id": 999999}"#;
    // Each request breaks its own rule and all rules that are checked later.
    let table = [
        ("nobody", "x", "text/plain", "{", 401, "invalid_api_key"),
        (READ_ONLY, "x", "text/plain", "{", 403, "authorization_denied"),
        (FULL, "x", "text/plain", long.as_str(), 415, "unsupported_media_type"),
        (FULL, "x", json, long.as_str(), 413, "body_too_large"),
        (FULL, "x", json, "{", 422, "validation_failed"),
        (FULL, "999999", json, unknown, 404, "pipeline_not_found"),
        (FULL, "3", json, unknown, 400, "not_an_organization_pipeline"),
        (FULL, "2", json, unknown, 404, "organization_not_found"),
        (FULL, "2", json, good, 409, "organization_already_in_pipeline"),
        (FULL, "6", "Application/JSON; charset=utf-8", good, 201, ""),
    ];
    for (key, pipeline, media_type, body, status, code) in table {
        let answer = service.add(key, pipeline, media_type, body).await;
        assert_eq!(answer.code(), (status, code), "{}", answer.body);
    }
}

#[tokio::test]
async fn reading_checks_a_request_in_the_order_of_the_contract() {
    let service = Service::new();
    let table = [
        (
            "nobody",
            "/api/v1/pipelines/x/items?limit=0&sort_by=x",
            401,
            "invalid_api_key",
        ),
        (
            NO_ACCESS,
            "/api/v1/pipelines/x/items?limit=0&sort_by=x",
            403,
            "authorization_denied",
        ),
        (
            FULL,
            "/api/v1/pipelines/999999/items?limit=0&sort_by=x",
            422,
            "validation_failed",
        ),
        (
            FULL,
            "/api/v1/pipelines/999999/items?sort_by=x",
            404,
            "pipeline_not_found",
        ),
        (FULL, "/api/v1/pipelines/2/items?sort_by=x", 400, "invalid_sort_by"),
        (FULL, "/api/v1/pipelines/2/items?sort_by=", 400, "invalid_sort_by"),
        (
            FULL,
            "/api/v1/pipelines/2/items?sort_by=question.999",
            400,
            "unknown_sort_column",
        ),
        (
            FULL,
            "/api/v1/pipelines/2/items?sort_by=question.99999999999999999999",
            400,
            "unknown_sort_column",
        ),
        (
            FULL,
            "/api/v1/pipelines/1/items?sort_by=question.101%ff",
            400,
            "invalid_sort_by",
        ),
        (
            FULL,
            "/api/v1/pipelines/999999/items/200001/values",
            404,
            "pipeline_not_found",
        ),
        (FULL, "/api/v1/pipelines/2/items/999999/values", 404, "item_not_found"),
        (
            FULL,
            "/api/v1/pipelines/1/items/200001/status",
            400,
            "item_not_in_pipeline",
        ),
        (FULL, "/api/v1/pipelines/2/items/200001/status", 200, ""),
    ];
    for (key, uri, status, code) in table {
        assert_eq!(service.get(key, uri).await.code(), (status, code), "{uri}");
    }
}

#[tokio::test]
async fn all_faults_of_a_request_are_reported_at_once() {
    let service = Service::new();
    let query = "countries=NO&countries=no&employee_count_min=9&employee_count_max=3&funded_from=2023-02-30\
                 &headquarters_only=yes&limit=101&skip=1&skip=2&offset=3&%ff=1";
    let answer = service
        .get(FULL, &format!("/search/organizations/similar?{query}"))
        .await;
    assert_eq!(answer.code(), (422, "validation_failed"));
    // In the order of the request; missing parameters come last.
    let expected = [
        (json!(["query", "countries", 1]), "malformed"),
        (json!(["query", "employee_count_max"]), "bounds_crossed"),
        (json!(["query", "funded_from"]), "not_a_date"),
        (json!(["query", "headquarters_only"]), "not_a_boolean"),
        (json!(["query", "limit"]), "greater_than_maximum"),
        (json!(["query", "skip"]), "repeated"),
        (json!(["query", "offset"]), "unknown"),
        (json!(["query", "%ff"]), "not_utf8"),
        (json!(["query", "description"]), "missing"),
    ];
    assert_eq!(answer.faults(), expected);
}

#[tokio::test]
async fn first_of_many_faults_are_reported_and_all_are_counted() {
    let service = Service::new();
    let query: Vec<_> = (0..12_000).map(|number| format!("{number:x}")).collect();
    let uri = format!("/api/v1/pipelines/0/items?limit=0&{}", query.join("&"));
    let answer = service.get(FULL, &uri).await;
    assert_eq!(answer.code(), (422, "validation_failed"));
    let detail = "The request has 12002 errors; errors lists the first 20.";
    assert_eq!(answer.body["detail"], detail);
    let mut expected = vec![
        (json!(["path", "pipeline_id"]), "less_than_minimum"),
        (json!(["query", "limit"]), "less_than_minimum"),
    ];
    expected.extend((0..18).map(|number| (json!(["query", format!("{number:x}")]), "unknown")));
    assert_eq!(answer.faults(), expected);

    let keys: Vec<_> = (0..6_000).map(|number| format!("\"x{number}\":1")).collect();
    let body = format!("{{\"organization_id\":0,{}}}", keys.join(","));
    let answer = service.add(FULL, "6", "application/json", &body).await;
    let detail = "The request has 6001 errors; errors lists the first 20.";
    assert_eq!(answer.body["detail"], detail);
    let mut expected = vec![(json!(["body", "organization_id"]), "less_than_minimum")];
    expected.extend((0..19).map(|number| (json!(["body", format!("x{number}")]), "unknown")));
    assert_eq!(answer.faults(), expected);
}

#[tokio::test]
async fn numbers_are_whole_and_plain() {
    let service = Service::new();
    for (limit, kind) in [
        ("1.0", "not_an_integer"),
        ("1e2", "not_an_integer"),
        ("+1", "not_an_integer"),
        ("%201", "not_an_integer"),
        ("01", "not_an_integer"),
        ("", "not_an_integer"),
        ("0", "less_than_minimum"),
        ("-99999999999999999999", "less_than_minimum"),
        ("99999999999999999999", "greater_than_maximum"),
    ] {
        let answer = service
            .get(FULL, &format!("/api/v1/pipelines/2/items?limit={limit}"))
            .await;
        assert_eq!(answer.faults(), [(json!(["query", "limit"]), kind)], "{limit}");
    }
}

#[tokio::test]
async fn search_text_is_measured_in_characters() {
    let service = Service::new();
    let snowmen = |count: usize| format!("/search/products/similar?description={}", "%E2%98%83".repeat(count));
    assert_eq!(service.get(FULL, &snowmen(2000)).await.status, 200);
    let answer = service.get(FULL, &snowmen(2001)).await;
    assert_eq!(answer.faults(), [(json!(["query", "description"]), "too_long")]);
    let blank = service
        .get(FULL, "/search/products/similar?description=+%09%E3%80%80")
        .await;
    assert_eq!(blank.faults(), [(json!(["query", "description"]), "blank")]);
}

#[tokio::test]
async fn body_is_an_object_with_a_single_key() {
    let service = Service::new();
    let key = json!(["body", "organization_id"]);
    let table: &[(&str, Vec<(Value, &str)>)] = &[
        ("", vec![(json!(["body"]), "not_json")]),
        ("{} {}", vec![(json!(["body"]), "not_json")]),
        ("[1001]", vec![(json!(["body"]), "not_an_object")]),
        ("1001", vec![(json!(["body"]), "not_an_object")]),
        ("null", vec![(json!(["body"]), "not_an_object")]),
        ("{}", vec![(key.clone(), "missing")]),
        (r#"{"organization_id": null}"#, vec![(key.clone(), "not_an_integer")]),
        (r#"{"organization_id": "1001"}"#, vec![(key.clone(), "not_an_integer")]),
        (r#"{"organization_id": 1001.5}"#, vec![(key.clone(), "not_an_integer")]),
        (r#"{"organization_id": 0}"#, vec![(key.clone(), "less_than_minimum")]),
        (
            r#"{"organization_id": 9007199254740992}"#,
            vec![(key.clone(), "greater_than_maximum")],
        ),
        (
            r#"{"organization_id": 18446744073709551615}"#,
            vec![(key.clone(), "greater_than_maximum")],
        ),
        (
            r#"{"organization_id": 1001, "organization_id": 1002}"#,
            vec![(key.clone(), "repeated")],
        ),
        (
            r#"{"id": 1}"#,
            vec![(json!(["body", "id"]), "unknown"), (key.clone(), "missing")],
        ),
    ];
    for (body, faults) in table {
        assert_eq!(
            service.add(FULL, "6", "application/json", body).await.faults(),
            *faults,
            "{body}"
        );
    }
}

#[tokio::test]
async fn added_organization_becomes_ready_as_time_goes_by() {
    let service = Service::new();
    let added = service
        .add(FULL, "6", "application/json", r#"{"organization_id": 1001}"#)
        .await;
    assert_eq!(added.status, 201);
    let values = added.headers["location"].to_str().unwrap().to_owned();
    assert_eq!(
        values,
        format!("/api/v1/pipelines/6/items/{}/values", added.body["pipeline_item_id"])
    );
    let status = values.replace("/values", "/status");
    assert_eq!(service.get(FULL, &status).await.body["is_ready"], false);
    service.clock.advance(Duration::from_secs(3600)).await;
    assert_eq!(service.get(FULL, &status).await.body["is_ready"], true);
    let body = service.get(FULL, &values).await.body;
    let values = body["values"].as_object().unwrap();
    assert!(values.values().all(|value| value["status"] != "pending"), "{body}");
}

#[tokio::test]
async fn quota_is_announced_and_kept() {
    let service = Service::new();
    for left in (0..5).rev() {
        let answer = service.get("dev-rate-limited", "/api/v1/pipelines/2/items").await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.headers["ratelimit"], format!(r#""default";r={left};t=2"#));
    }
    service.clock.advance(Duration::from_millis(500)).await;
    let answer = service.get("dev-rate-limited", "/api/v1/pipelines/2/items").await;
    assert_eq!(answer.code(), (429, "rate_limited"));
    assert_eq!(answer.headers["retry-after"], "2");
    service.clock.advance(Duration::from_millis(1500)).await;
    assert_eq!(
        service
            .get("dev-rate-limited", "/api/v1/pipelines/2/items")
            .await
            .status,
        200
    );
    assert!(
        !service
            .get(FULL, "/api/v1/pipelines/2/items")
            .await
            .headers
            .contains_key("ratelimit")
    );
}

#[tokio::test]
async fn every_response_has_the_common_headers() {
    let service = Service::new();
    for (method, uri, status, code) in [
        (Method::GET, "/nowhere", 404, "route_not_found"),
        (Method::GET, "/search/organizations/similar/", 404, "route_not_found"),
        (Method::DELETE, "/api/v1/pipelines/2/items", 405, "method_not_allowed"),
        (Method::GET, "/api/v1/pipelines/2/items", 401, "authentication_required"),
    ] {
        let request = Request::builder()
            .method(&method)
            .uri(uri)
            .header("X-Request-Id", "trace-7");
        let answer = service.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.code(), (status, code), "{method} {uri}");
        assert_eq!(answer.headers["content-type"], "application/problem+json");
        assert_eq!(answer.headers["cache-control"], "no-store");
        assert_eq!(answer.headers["x-request-id"], "trace-7");
        assert_eq!(answer.body["request_id"], "trace-7");
        assert_eq!(answer.body["instance"], uri);
        assert_eq!(answer.headers.contains_key("allow"), status == 405);
        assert_eq!(answer.headers.contains_key("www-authenticate"), status == 401);
    }
}

#[tokio::test]
async fn percent_encoded_letter_or_digit_means_the_plain_one() {
    let service = Service::new();
    let plain = service.get(FULL, "/api/v1/pipelines/2/items?limit=2").await;
    for encoded in [
        "/api/v1/pip%65lines/%32/item%73?limit=2",
        "/%61pi/v1/pipelines/2/items?l%69mit=%32",
    ] {
        let answer = service.get(FULL, encoded).await;
        assert_eq!(answer.status, 200, "{encoded}");
        assert_eq!(answer.body, plain.body, "{encoded}");
    }
    // A problem names the path as it was sent, and an encoded slash separates nothing.
    for unknown in ["/no/such/r%6Fute", "/api/v1/pipelines%2F2/items"] {
        let answer = service.get(FULL, unknown).await;
        assert_eq!(answer.code(), (404, "route_not_found"), "{unknown}");
        assert_eq!(answer.body["instance"], unknown);
    }
}

/// Routes with a response to GET for each kind of outcome.
const READS: [&str; 4] = [
    "/api/v1/pipelines/2/items?limit=2",
    "/api/v1/pipelines/999/items",
    "/search/organizations/similar?description=fish",
    "/no/such/route",
];

#[tokio::test]
async fn head_is_get_without_the_body() {
    let service = Service::new();
    for uri in READS {
        let request = |method: Method| {
            let request = Request::builder().method(method).uri(uri);
            let request = request.header("API-Key", FULL).header("X-Request-Id", "same");
            request.body(Body::empty()).unwrap()
        };
        let get = service.router.clone().oneshot(request(Method::GET)).await.unwrap();
        let head = service.router.clone().oneshot(request(Method::HEAD)).await.unwrap();
        assert_eq!(head.status(), get.status(), "{uri}");
        let mut expected = get.headers().clone();
        let body = get.into_body().collect().await.unwrap().to_bytes();
        expected.insert("content-length", body.len().into());
        assert_eq!(*head.headers(), expected, "{uri}");
        let body = head.into_body().collect().await.unwrap().to_bytes();
        assert!(body.is_empty(), "{uri}");
    }
}

#[tokio::test]
async fn options_lists_the_methods_of_a_path_without_a_key() {
    let service = Service::new();
    let table = [
        ("/api/v1/pipelines/2/items", "GET,HEAD,OPTIONS"),
        ("/api/v1/pipelines/2/organizations", "POST,OPTIONS"),
    ];
    for (uri, allowed) in table {
        for (method, status) in [(Method::OPTIONS, 204), (Method::DELETE, 405)] {
            let request = Request::builder().method(method).uri(uri);
            let answer = service.send(request.body(Body::empty()).unwrap()).await;
            assert_eq!(answer.status, status, "{uri}");
            assert_eq!(answer.headers["allow"], allowed, "{uri}");
            assert!(answer.headers.contains_key("x-request-id"), "{uri}");
        }
    }
    let request = Request::options("/no/such/route").body(Body::empty());
    let answer = service.send(request.unwrap()).await;
    assert_eq!(answer.code(), (404, "route_not_found"));
}

#[tokio::test]
async fn location_contains_the_path_of_the_base_url() {
    let service = Service::new();
    let nested = Router::new().nest("/platform", service.router.clone());
    let request = Request::post("/platform/api/v1/pipelines/6/organizations")
        .header("API-Key", FULL)
        .header("Content-Type", "application/json")
        .body(Body::from(r#"{"organization_id": 1012}"#))
        .unwrap();
    let response = nested.oneshot(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::CREATED);
    let location = response.headers()["location"].to_str().unwrap();
    assert!(
        location.starts_with("/platform/api/v1/pipelines/6/items/") && location.ends_with("/values"),
        "{location}"
    );
}
