//! Responses of the server without the proxy.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use platform_sdk::chrono::Utc;
use platform_server_stub::Server;
use platform_server_stub::data::Dataset;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::ManualClock;
use serde_json::Value;
use tower::ServiceExt;

use super::Held;
use super::call::{ADDED_TO, Collection, ENSURED_IN, Walked, What};

/// The reference server with a stopped clock: only the requests of the run change it.
pub(super) struct Oracle {
    pub(super) server: Router,
    /// Responses that never change, by request.
    known: Mutex<HashMap<String, Arc<Value>>>,
}

impl Oracle {
    pub(super) fn new() -> Self {
        let clock = ManualClock::new(Utc::now());
        let platform = Platform::in_memory(Dataset::built_in(), Arc::new(clock));
        Self {
            server: Server::new(platform).router(),
            known: Mutex::default(),
        }
    }

    /// Returns the response to a request whose response never changes.
    async fn answer(&self, request: &str) -> Arc<Value> {
        if let Some(known) = self.known.lock().unwrap().get(request) {
            return Arc::clone(known);
        }
        let answer = Arc::new(self.ask(request).await);
        let mut known = self.known.lock().unwrap();
        known.insert(request.to_owned(), Arc::clone(&answer));
        answer
    }

    /// Returns the expected result of a call whose result never changes.
    pub(super) async fn expected(&self, what: &What) -> Value {
        match what {
            What::Walk(walk) => self.walked(walk).await,
            what => Value::clone(&*self.answer(&what.request()).await),
        }
    }

    /// Returns the IDs that a walk must yield.
    async fn walked(&self, walk: &Walked) -> Value {
        let (path, most, rows, id) = match walk.over {
            Collection::ItemsById => ("/api/v1/pipelines/1/items?", 1000, "items", "pipeline_item_id"),
            Collection::ItemsByAnswer => (
                "/api/v1/pipelines/1/items?sort_by=question.101&sort_order=desc&",
                1000,
                "items",
                "pipeline_item_id",
            ),
            Collection::Organizations { text } => (
                &*format!("/search/organizations/similar?description={}&", text.replace(' ', "+")),
                100,
                "results",
                "organization_id",
            ),
        };
        let end = (walk.skip + walk.limit).min(if most == 100 { 1000 } else { usize::MAX });
        let mut ids = Vec::new();
        for skip in (0..end).step_by(most) {
            let page = self.answer(&format!("GET {path}limit={most}&skip={skip}")).await;
            let page = page[rows].as_array().unwrap();
            ids.extend(page.iter().map(|row| row[id].clone()));
        }
        ids.truncate(end);
        ids.drain(..walk.skip);
        Value::Array(ids)
    }

    /// Returns the items of each organization in the pipelines that calls add to.
    pub(super) async fn held(&self) -> Held {
        let mut held = Held::new();
        for pipeline in [ADDED_TO, ENSURED_IN] {
            for skip in (0..).step_by(1000) {
                let page = format!("GET /api/v1/pipelines/{pipeline}/items?limit=1000&skip={skip}");
                let page = self.ask(&page).await;
                let items = page["items"].as_array().unwrap();
                for item in items {
                    let organization = item["organization_id"].as_i64().unwrap();
                    let id = item["pipeline_item_id"].as_i64().unwrap();
                    held.entry((pipeline, organization)).or_default().push(id);
                }
                if items.is_empty() {
                    break;
                }
            }
        }
        held
    }

    async fn ask(&self, request: &str) -> Value {
        let (method, target) = request.split_once(' ').unwrap();
        let request = Request::builder()
            .method(method)
            .uri(target)
            .header("API-Key", "dev-full-access")
            .body(Body::empty())
            .unwrap();
        let response = self.server.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK, "{target}");
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        serde_json::from_slice(&body).unwrap()
    }
}
