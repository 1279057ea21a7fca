use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use chrono::TimeDelta;
use platform_server_stub::Emulator;
use platform_server_stub::control::Fault;
use platform_server_stub::model::policy::RateLimit;
use platform_server_stub::platform::clock::Clock;
use platform_server_stub::wire::ProblemCode;
use tower::ServiceExt;

use super::{INBOX, add, frozen, get, items, noon};

#[tokio::test]
async fn frozen_emulator_works_only_when_its_clock_is_advanced() {
    let emulator = frozen().await;
    let added = add(&emulator, 1001).await;
    let status = format!("{INBOX}/{}/status", added.body["pipeline_item_id"]);
    let is_ready = async || get(&emulator, &status).await.body["is_ready"].clone();
    assert_eq!(is_ready().await, false);
    emulator.clock().advance(Duration::from_secs(3600)).await;
    assert_eq!(is_ready().await, true);
    assert_eq!(emulator.clock().now() - noon(), TimeDelta::hours(1));
}

#[tokio::test]
async fn run_to_idle_finishes_all_work_in_exactly_the_time_it_needs() {
    let emulator = frozen().await;
    let added = add(&emulator, 1001).await;
    let status = format!("{INBOX}/{}/status", added.body["pipeline_item_id"]);
    let end = emulator.clock().run_to_idle().await;
    assert_eq!(get(&emulator, &status).await.body["is_ready"], true);
    let needed = end - noon();
    assert!((1..=10).contains(&needed.num_seconds()), "{needed}");
    assert_eq!(emulator.clock().run_to_idle().await, end);
}

#[tokio::test]
async fn running_emulator_can_be_frozen() {
    let emulator = Emulator::start().await.unwrap();
    emulator.clock().freeze();
    let added = add(&emulator, 1001).await;
    let before = emulator.clock().now();
    let status = format!("{INBOX}/{}/status", added.body["pipeline_item_id"]);
    assert_eq!(get(&emulator, &status).await.body["is_ready"], false);
    emulator.clock().run_to_idle().await;
    assert_eq!(get(&emulator, &status).await.body["is_ready"], true);
    assert!(emulator.clock().now() - before < TimeDelta::minutes(1));
}

#[tokio::test]
async fn reset_restores_everything() {
    let emulator = Emulator::builder()
        .frozen_at(noon())
        .rate_limit(RateLimit {
            requests: 5,
            window_seconds: 60,
        })
        .start()
        .await
        .unwrap();
    let first = add(&emulator, 1001).await;
    emulator.clock().advance(Duration::from_secs(1)).await;
    assert_eq!(items(&emulator).await, 2);
    let fault = emulator.add_fault(Fault::problem(ProblemCode::Unavailable)).await;
    for expected in [503, 503] {
        assert_eq!(get(&emulator, INBOX).await.status, expected);
    }
    emulator.clear_faults();
    for expected in [200, 200, 200, 429] {
        assert_eq!(get(&emulator, INBOX).await.status, expected);
    }

    emulator.reset().await.unwrap();
    assert_eq!(emulator.clock().now(), noon());
    assert!(emulator.active_faults().is_empty() && emulator.requests().is_empty());
    assert_eq!(items(&emulator).await, 1);
    assert_eq!(emulator.requests()[0].number, 1);
    let again = emulator.add_fault(Fault::cut_body().times(0)).await;
    assert_eq!(again.unwrap(), fault.unwrap());
    // The same addition is answered with the same bytes, and its work is done at the same times.
    let repeated = add(&emulator, 1001).await;
    assert_eq!(repeated.text, first.text);
    emulator.clock().run_to_idle().await;
    let values = format!("{INBOX}/{}/status", first.body["pipeline_item_id"]);
    assert_eq!(get(&emulator, &values).await.body["is_ready"], true);
}

#[tokio::test]
async fn router_of_an_emulator_is_the_same_service() {
    let emulator = frozen().await;
    add(&emulator, 1001).await;
    emulator
        .add_fault(Fault::problem(ProblemCode::Unavailable).after(1))
        .await
        .unwrap();
    for status in [200, 503] {
        let request = Request::get(INBOX).header("API-Key", emulator.api_key());
        let response = emulator.router().oneshot(request.body(Body::empty()).unwrap());
        assert_eq!(response.await.unwrap().status(), status);
    }
    assert_eq!(emulator.requests().len(), 3);
}
