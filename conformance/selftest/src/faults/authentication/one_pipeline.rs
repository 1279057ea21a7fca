//! A key for one pipeline that may do more, or less. Part of the family `auth`.

use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::StatusCode;

use super::{ONE_PIPELINE, let_in};
use crate::exchange::Plant;
use crate::fault::{Fault, fault, permission, response};
use crate::witness::get;

pub(super) fn faults() -> Vec<Fault> {
    vec![
        fault(
            "pipelines-of-a-key-are-ignored",
            permission("get_item_values"),
            "A key for one pipeline reads the values of items of any pipeline.",
        )
        .shown_by([get("/api/v1/pipelines/1/items/100001/values").key(ONE_PIPELINE)])
        .request(|asked| {
            if asked.calls("get_item_values") {
                let_in(asked, Some(ONE_PIPELINE));
            }
        }),
        fault(
            "denial-is-remembered",
            permission("get_item_status"),
            "A key for one pipeline that was denied another is denied its own from then on.",
        )
        .shown_by([1, 2].map(|pipeline| {
            get(format!("/api/v1/pipelines/{pipeline}/items/{pipeline}00001/status")).key(ONE_PIPELINE)
        }))
        .planted(|_| {
            let denied = AtomicBool::new(false);
            Plant::answer(move |asked, answered| {
                if !asked.calls("get_item_status") || asked.header("api-key") != Some(ONE_PIPELINE) {
                    return;
                }
                if denied.load(Ordering::Relaxed) {
                    answered.becomes(403, "authorization_denied");
                } else if answered.status == StatusCode::FORBIDDEN {
                    denied.store(true, Ordering::Relaxed);
                }
            })
        }),
        fault(
            "pipelines-of-a-key-come-late",
            response("list_items", 403),
            "A pipeline that does not exist is not found, whatever the key may read.",
        )
        .shown_by([get("/api/v1/pipelines/999/items").key(ONE_PIPELINE)])
        .request(|asked| {
            let is_known = (1..=7).any(|id| asked.segment(3) == id.to_string());
            if asked.calls("list_items") && !is_known {
                let_in(asked, Some(ONE_PIPELINE));
            }
        }),
        fault(
            "malformed-ids-are-denied",
            "/components/securitySchemes/ApiKey",
            "A key for one pipeline gets 403 for a malformed pipeline id.",
        )
        .shown_by([get("/api/v1/pipelines/0/items").key(ONE_PIPELINE)])
        .answer(|asked, answered| {
            let is_of_one = asked.header("api-key") == Some(ONE_PIPELINE);
            if is_of_one && answered.status == 422 && asked.segment(3).parse() == Ok(0) {
                answered.becomes(403, "authorization_denied");
            }
        }),
        fault(
            "own-path-opens-all-items",
            response("get_item_values", 400),
            "A key for one pipeline reads any item by naming its own pipeline in the path.",
        )
        .shown_by([get("/api/v1/pipelines/2/items/100001/values").key(ONE_PIPELINE)])
        .request(|asked| {
            let of_pipeline = asked.segment(5).parse().map_or(2, |item: u64| item / 100_000);
            if asked.calls("get_item_values") && asked.segment(3) == "2" && of_pipeline != 2 {
                asked.set_segment(3, of_pipeline);
                let_in(asked, Some(ONE_PIPELINE));
            }
        }),
    ]
}
