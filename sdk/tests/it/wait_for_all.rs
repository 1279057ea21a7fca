//! Waiting for many items polls the list, not each item.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use platform_sdk::Client;
use platform_server_stub::Server;

/// Returns a client of the reference server, and the number of status requests that it sent.
fn counting() -> (Client, Arc<AtomicUsize>) {
    let statuses = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&statuses);
    let router = Server::built_in().router();
    let service = tower::service_fn(move |request: axum::http::Request<platform_sdk::reqwest::Body>| {
        if request.uri().path().ends_with("/status") {
            counted.fetch_add(1, Ordering::SeqCst);
        }
        tower::ServiceExt::oneshot(router.clone(), request)
    });
    let client = Client::builder().service(service).api_key("dev-full-access");
    (client.build().unwrap(), statuses)
}

async fn added(client: &Client) -> Vec<platform_sdk::PipelineItemId> {
    let mut added = Vec::new();
    for organization in 1001..1011 {
        let request = client
            .ensure_organization()
            .pipeline_id(6)
            .organization_id(organization);
        added.push(request.send().await.unwrap().item.pipeline_item_id);
    }
    added
}

#[tokio::test(start_paused = true)]
async fn list_is_polled_and_not_each_item() {
    let (client, statuses) = counting();
    let items = added(&client).await;
    let wait = client.wait_until_all_ready().pipeline_id(6).items(items.clone());
    let waited = wait.timeout(Duration::from_secs(3600)).send().await.unwrap();
    assert_eq!((waited.ready.len(), waited.not_ready.len()), (10, 0));
    assert!(waited.polls > 1, "they were ready at once");
    // One for each item, and a few more for items whose questions were answered before the other stages.
    let statuses = statuses.load(Ordering::SeqCst);
    assert!((10..=20).contains(&statuses), "{statuses} in {} polls", waited.polls);
}

#[tokio::test(start_paused = true)]
async fn items_not_ready_in_time_are_named() {
    let (client, _) = counting();
    let items = added(&client).await;
    let wait = client.wait_until_all_ready().pipeline_id(6).items(items.clone());
    let waited = wait.timeout(Duration::from_millis(900)).send().await.unwrap();
    assert_eq!(waited.ready.len() + waited.not_ready.len(), 10);
    assert!(!waited.not_ready.is_empty());
    assert!(waited.waited <= Duration::from_secs(1));
    let report = serde_json::to_value(&waited).unwrap();
    assert_eq!(report["waited_seconds"], waited.waited.as_secs_f64());
}

#[tokio::test(start_paused = true)]
async fn missing_item_ends_the_wait() {
    let (client, _) = counting();
    let wait = client.wait_until_all_ready().pipeline_id(6).items([999_999]);
    assert!(wait.send().await.unwrap_err().is_not_found());
    let none = client.wait_until_all_ready().pipeline_id(6).send().await.unwrap();
    assert_eq!(none.polls, 0);
}

#[tokio::test(start_paused = true)]
async fn items_of_organizations_are_found_and_waited_for() {
    let (client, statuses) = counting();
    let items = added(&client).await;
    let wait = client.wait_until_all_ready().pipeline_id(6);
    let waited = wait.organizations(1001..1011).send().await.unwrap();
    let mut ready: Vec<_> = waited.ready.iter().map(|status| status.pipeline_item_id).collect();
    ready.sort();
    assert_eq!(ready, items);
    assert!(waited.not_ready.is_empty() && waited.not_found.is_empty());
    assert!(statuses.load(Ordering::SeqCst) <= 20);
}

#[tokio::test(start_paused = true)]
async fn missing_organization_is_reported_as_not_found() {
    let (client, _) = counting();
    let items = added(&client).await;
    let wait = client.wait_until_all_ready().pipeline_id(6);
    let wait = wait.items(items).organizations([1001, 1020]);
    let waited = wait.timeout(Duration::from_secs(600)).send().await.unwrap();
    assert_eq!(waited.ready.len(), 10);
    assert!(waited.not_found.into_iter().eq([1020.into()]));
}
