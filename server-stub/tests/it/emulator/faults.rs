use std::io::ErrorKind;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Request, StatusCode};
use http_body_util::BodyExt;
use platform_server_stub::Emulator;
use platform_server_stub::control::{Delay, Fault, Operation};
use platform_server_stub::wire::ProblemCode;
use tower::ServiceExt;

use super::{INBOX, add, frozen, get, items, send};

#[tokio::test]
async fn injected_problem_equals_that_of_the_platform_and_changes_nothing() {
    let emulator = frozen().await;
    let busy = Fault::problem(ProblemCode::Unavailable).retry_after(Duration::from_millis(1500));
    let busy = busy.on(Operation::AddOrganization).times(2);
    emulator.add_fault(busy).await.unwrap();
    for _ in 0..2 {
        let answer = add(&emulator, 1001).await;
        assert_eq!(answer.code(), (503, "unavailable"));
        assert_eq!(answer.header("retry-after"), Some("2"));
        assert_eq!(answer.header("content-type"), Some("application/problem+json"));
        assert_eq!(answer.header("x-request-id"), answer.body["request_id"].as_str());
        assert_eq!(items(&emulator).await, 1, "another operation is not affected");
    }
    assert_eq!(add(&emulator, 1001).await.status, 201);
    let [fault] = &emulator.active_faults()[..] else {
        panic!("it is still listed");
    };
    assert_eq!((fault.matched, fault.applied), (3, 2));
}

#[tokio::test]
async fn injected_status_has_no_body_as_from_a_proxy() {
    let emulator = frozen().await;
    let fault = Fault::status(StatusCode::BAD_GATEWAY).retry_after(Duration::from_secs(3));
    emulator.add_fault(fault.times(1)).await.unwrap();
    let answer = get(&emulator, INBOX).await;
    assert_eq!((answer.status, answer.text.as_str()), (502, ""));
    assert_eq!(answer.header("retry-after"), Some("3"));
    assert_eq!(get(&emulator, INBOX).await.status, 200);
}

#[tokio::test]
async fn delay_comes_before_the_ordinary_response() {
    let emulator = frozen().await;
    let delay = Delay::fixed(Duration::from_millis(60));
    emulator.add_fault(Fault::delay(delay).times(1)).await.unwrap();
    let start = Instant::now();
    assert_eq!(get(&emulator, INBOX).await.status, 200);
    assert!(start.elapsed() >= Duration::from_millis(60));
}

#[tokio::test]
async fn connection_is_reset_instead_of_a_response() {
    let emulator = frozen().await;
    let fault = Fault::connection_reset().on(Operation::ListItems);
    let id = emulator.add_fault(fault).await.unwrap();
    let request = format!("GET {INBOX} HTTP/1.1\r\nAPI-Key: {}", emulator.api_key());
    let error = send(&emulator, &request, "").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    let recorded = emulator.requests().pop().unwrap();
    assert_eq!((recorded.fault, recorded.response), (Some(id), None));

    let call = Request::get(INBOX).header("API-Key", emulator.api_key());
    let response = emulator.router().oneshot(call.body(Body::empty()).unwrap());
    assert!(response.await.unwrap().into_body().collect().await.is_err());

    emulator.remove_fault(id);
    assert_eq!(get(&emulator, INBOX).await.status, 200);
}

#[tokio::test]
async fn body_is_cut_in_half_after_the_request_was_carried_out() {
    let emulator = frozen().await;
    let whole = get(&emulator, INBOX).await.text;
    emulator.add_fault(Fault::cut_body().times(2)).await.unwrap();
    let cut = get(&emulator, INBOX).await;
    assert_eq!(cut.header("content-length").unwrap(), whole.len().to_string());
    assert_eq!(cut.text, whole[..whole.len() / 2]);
    let added = add(&emulator, 1001).await;
    assert_eq!((added.status, added.body.is_null()), (201, true));
    assert_eq!(items(&emulator).await, 2);
    // The bodies of errors are cut too.
    emulator.add_fault(Fault::cut_body().times(1)).await.unwrap();
    let cut = get(&emulator, "/api/v1/pipelines/999/items").await;
    assert_eq!((cut.status, cut.body.is_null()), (404, true));
    assert!(cut.text.starts_with(r#"{"type":"#), "{}", cut.text);
}

#[tokio::test]
async fn stale_response_shows_the_moment_when_the_fault_was_added() {
    let emulator = frozen().await;
    let first = add(&emulator, 1001).await;
    emulator.add_fault(Fault::stale().times(2)).await.unwrap();
    emulator.clock().run_to_idle().await;
    assert_eq!(add(&emulator, 1002).await.status, 201, "an addition is not stale");
    let status = format!("{INBOX}/{}/status", first.body["pipeline_item_id"]);
    assert_eq!(items(&emulator).await, 2);
    assert_eq!(get(&emulator, &status).await.body["is_ready"], false);
    assert_eq!(get(&emulator, &status).await.body["is_ready"], true);
    assert_eq!(items(&emulator).await, 3);
}

#[tokio::test]
async fn faults_apply_only_to_operations_of_the_contract() {
    let emulator = Emulator::builder()
        .fault(Fault::problem(ProblemCode::InternalError))
        .start()
        .await
        .unwrap();
    for path in ["/healthz", "/readyz", "/openapi.json", "/openapi.yaml", "/docs"] {
        assert_eq!(get(&emulator, path).await.status, 200, "{path}");
    }
    assert_eq!(get(&emulator, "/nowhere").await.code(), (404, "route_not_found"));
    assert_eq!(get(&emulator, INBOX).await.code(), (500, "internal_error"));
}

#[tokio::test]
async fn emulators_with_the_same_seed_make_the_same_random_choices() {
    let run = async |seed: u64| {
        let fault = Fault::problem(ProblemCode::Unavailable).probability(0.5);
        let emulator = Emulator::builder().seed(seed).fault(fault).start().await.unwrap();
        let mut seen = Vec::new();
        for _ in 0..24 {
            seen.push(get(&emulator, INBOX).await.status);
        }
        seen
    };
    assert_eq!(run(5).await, run(5).await);
    assert_ne!(run(5).await, run(6).await);
}
