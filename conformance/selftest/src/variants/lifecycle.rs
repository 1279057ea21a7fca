//! Variants of the course of an item after its addition, and of a deployment that others use during the run.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn};
use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::{Variant, variant};
use crate::exchange::Plant;
use crate::fault::{self, EVERY_OPERATION, property};

/// How many reads of an item show its first sync.
const FIRST_SYNC: u64 = 3;
/// The first read that shows the end of the next sync.
const NEXT_SYNC_ENDS: u64 = 6;
/// The number of requests for a page of items before someone else adds an organization.
const UNTIL_ADDED: u64 = 60;
/// The pipelines that others add organizations to: one that the kit walks, and two for its comparisons.
const GROWING: [u64; 3] = [1, 2, 5];
/// The first organization that others may add. Those that the kit adds precede it.
const ADDED_FIRST: u64 = 1_500;
/// The limit on the organizations that others try before one is not in the pipeline yet.
const TRIED: u64 = 100;

pub(super) fn variants() -> Vec<Variant> {
    vec![
        variant(
            "syncs-again",
            "/components/schemas/ColumnValue",
            "Values are synced with a CRM again and again.",
        )
        .layer(|router, _| syncs_again().around(router)),
        variant(
            "refreshes-an-answer",
            property("ColumnValue", "result"),
            "An answer becomes more certain after a while.",
        )
        .layer(|router, _| refreshes().around(router)),
        variant(
            "others-add-items",
            fault::operation("list_items"),
            "Others add organizations to pipelines during the run.",
        )
        .growing()
        .layer(|router, _| grows(router)),
        variant(
            "members-by-key",
            EVERY_OPERATION,
            "Further members say what a key may do.",
        )
        .answer(|asked, answered| {
            let may_add = asked.header("api-key") == Some("dev-full-access");
            answered.items(|item| item["x_may_be_changed"] = json!(may_add));
            answered.results(|result| result["x_may_be_added"] = json!(may_add));
            if answered.json().is_object() {
                answered.json()["x_may_add"] = json!(may_add);
            }
        }),
    ]
}

/// The number of reads of each column of each item since the column is settled.
type Counts = Mutex<BTreeMap<(String, String), u64>>;

/// Changes the settled entries of items of the writable pipeline by how often they have been read.
fn by_reads(change: impl Fn(u64, &str, &mut Value) + Send + Sync + 'static) -> Plant {
    let counts = Counts::default();
    Plant::answer(move |asked, answered| {
        let Ok(mut counts) = counts.lock() else {
            return;
        };
        if asked.segment(3) != "6" || !answered.is_success() {
            return;
        }
        let is_read = asked.calls("get_item_values");
        answered.items(|item| {
            let id = item["pipeline_item_id"].to_string();
            let entries = item["values"].as_object_mut().into_iter().flatten();
            for (column, entry) in entries.filter(|(_, entry)| entry["status"] != "pending") {
                let reads = counts.entry((id.clone(), column.clone())).or_default();
                *reads += u64::from(is_read);
                change(*reads, column, entry);
            }
        });
    })
}

fn syncs_again() -> Plant {
    let start = Utc::now();
    let [first, next] = [0, 1].map(|later| (start + TimeDelta::milliseconds(later)).to_rfc3339());
    by_reads(move |reads, _, entry| {
        entry["sync_provider"] = json!("hubspot");
        let (status, time) = match reads {
            ..=FIRST_SYNC => ("success", &first),
            NEXT_SYNC_ENDS.. => ("success", &next),
            _ => ("pending", &first),
        };
        entry["sync_status"] = json!(status);
        entry["sync_error"] = Value::Null;
        entry["last_synced_at"] = json!(time);
    })
}

fn refreshes() -> Plant {
    by_reads(|reads, column, entry| {
        if column.starts_with("question.") && entry["status"] == "completed" {
            entry["certainty_score"] = json!(if reads <= FIRST_SYNC { 60 } else { 90 });
        }
    })
}

/// Adds an organization to pipelines at intervals, before a request for a page of items.
fn grows(deployment: Router) -> Router {
    let (listed, next) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(ADDED_FIRST)));
    let adder = deployment.clone();
    let grow = move |request: Request, rest: Next| {
        let (adder, listed, next) = (adder.clone(), Arc::clone(&listed), Arc::clone(&next));
        async move {
            let is_page = request.method() == Method::GET && request.uri().path().ends_with("/items");
            if is_page && listed.fetch_add(1, Ordering::Relaxed) % UNTIL_ADDED == UNTIL_ADDED - 1 {
                for pipeline in GROWING {
                    add_another(&adder, pipeline, &next).await;
                }
            }
            rest.run(request).await
        }
    };
    deployment.layer(from_fn(grow))
}

/// Adds the next organization that exists and is not in the pipeline yet.
async fn add_another(deployment: &Router, pipeline: u64, next: &AtomicU64) {
    for _ in 0..TRIED {
        let organization = next.fetch_add(1, Ordering::Relaxed);
        let body = json!({"organization_id": organization}).to_string();
        let request = Request::post(format!("/api/v1/pipelines/{pipeline}/organizations"))
            .header("API-Key", "dev-full-access")
            .header(CONTENT_TYPE, "application/json")
            .body(Body::from(body));
        let Ok(request) = request else { return };
        let Ok(added) = deployment.clone().oneshot(request).await;
        if added.status() == StatusCode::CREATED {
            return;
        }
    }
}
