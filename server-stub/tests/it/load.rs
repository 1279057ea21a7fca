//! Slow operations block nothing else.

use std::sync::{Arc, mpsc};

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use axum::response::Response;
use futures::{FutureExt, poll};
use http_body_util::BodyExt;
use platform_server_stub::Server;
use platform_server_stub::data::Dataset;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::SystemClock;
use serde_json::{Value, json};
use tower::ServiceExt;

/// Enough records to make a search and a sort leave the thread of the runtime.
const RECORDS: i64 = 6_000;

fn large() -> Router {
    let organizations: Vec<_> = (1..=RECORDS)
        .map(|id| json!({"organization_id": id, "name": "Weaver", "description": format!("weaves {id}")}))
        .collect();
    let items: Vec<_> = (1..=RECORDS)
        .map(|id| json!({"pipeline_item_id": id, "organization_id": id}))
        .collect();
    let document = json!({"organizations": organizations, "pipelines": [{
        "pipeline_id": 1,
        "name": "all",
        "questions": [{"question_id": 1, "text": "Why?", "category": "llm"}],
        "items": items,
    }]});
    let dataset = Dataset::from_json(&document.to_string()).unwrap();
    Server::new(Platform::in_memory(Arc::new(dataset), Arc::new(SystemClock))).router()
}

async fn get(router: &Router, path: &str) -> Response {
    let request = Request::get(path).header("API-Key", "dev-full-access");
    let request = request.body(Body::empty()).unwrap();
    router.clone().oneshot(request).await.unwrap()
}

/// One thread serves all requests here, so work on that thread blocks everything else. The one thread beside it is
/// held, so that work moved there cannot finish too soon to be noticed.
#[test]
fn status_is_returned_while_a_search_or_a_large_listing_is_running() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(1)
        .build()
        .unwrap();
    let router = large();
    for (path, total) in [
        ("/search/organizations/similar?description=sails", RECORDS),
        ("/search/organizations/1/similar", RECORDS - 1),
        ("/api/v1/pipelines/1/items?sort_by=question.1", RECORDS),
        ("/api/v1/pipelines/1/items?limit=1000", RECORDS),
    ] {
        runtime.block_on(async {
            let (release, held) = mpsc::channel::<()>();
            let held = tokio::task::spawn_blocking(move || held.recv().is_err());
            let mut long = Box::pin(get(&router, path));
            assert!(poll!(&mut long).is_pending(), "{path}");
            let status = get(&router, "/api/v1/pipelines/1/items/1/status").now_or_never();
            assert_eq!(status.expect("an answer at once").status(), 200);
            drop(release);
            assert!(held.await.unwrap());
            let response = long.await;
            assert_eq!(response.status(), 200);
            let body = response.into_body().collect().await.unwrap().to_bytes();
            let body: Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(body["total_count"], total);
        });
    }
}
