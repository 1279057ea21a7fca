//! Pages that are inconsistent with their collection.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::exchange::{Answered, Asked, Plant};
use crate::fault::{Family, Fault, fault, operation, parameter, property};
use crate::witness::get;

pub(super) const FAMILY: Family = Family {
    name: "paging",
    title: "Pages that do not join to one list",
    faults,
};

fn faults() -> Vec<Fault> {
    let skip = |keyword| parameter("list_items", "skip", keyword);
    let total = || property("ItemPage", "total_count");
    let order = || operation("list_items");
    vec![
        fault("one-too-early", skip("default"), "A page begins one item before skip.")
            .shown_by([get("/api/v1/pipelines/2/items?skip=3&limit=2")])
            .request(|asked| {
                if asked.calls("list_items") {
                    asked.change("skip", |skip| if skip > 0 { skip - 1 } else { skip });
                }
            }),
        fault(
            "skip-counts-pages",
            skip("default"),
            "skip is treated as a number of pages.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?skip=2&limit=2")])
        .request(|asked| {
            let limit = asked.number("limit").filter(|limit| (1..1000).contains(limit));
            if let Some(limit) = limit.filter(|_| asked.calls("list_items")) {
                asked.change("skip", |skip| {
                    if (0..10_000).contains(&skip) {
                        skip * limit
                    } else {
                        skip
                    }
                });
            }
        }),
        fault("total-is-one-too-high", total(), "total_count is one too high.")
            .shown_by([get("/api/v1/pipelines/2/items")])
            .answer(|asked, answered| on_page(asked, answered, |total, _| total + 1)),
        fault(
            "total-is-that-of-the-page",
            total(),
            "total_count is the number of items on the page.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?limit=3")])
        .answer(|asked, answered| on_page(asked, answered, |_, items| items)),
        fault("total-stops-at-1000", total(), "total_count is at most 1000.")
            .shown_by([get("/api/v1/pipelines/1/items?limit=1")])
            .answer(|asked, answered| on_page(asked, answered, |total, _| total.min(1000))),
        fault(
            "items-in-progress-are-left-out",
            total(),
            "Of documents, a page leaves out the items with a pending question, which total_count counts.",
        )
        .shown_by([get("/api/v1/pipelines/4/items")])
        .answer(|asked, answered| {
            if asked.calls("list_items") && asked.segment(3) == "4" && answered.is_success() {
                let is_settled = |item: &serde_json::Value| {
                    let mut entries = item["values"].as_object().into_iter().flatten();
                    entries.all(|(_, entry)| entry["status"] != "pending")
                };
                let items = answered.list("items").into_iter();
                items.for_each(|items| items.retain(is_settled));
            }
        }),
        fault(
            "total-is-what-is-left",
            total(),
            "total_count does not count skipped items.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?skip=5")])
        .answer(|asked, answered| {
            let skip = asked.number("skip").unwrap_or(0);
            on_page(asked, answered, |total, _| (total - skip).max(0));
        }),
        fault("total-is-zero-past-the-end", total(), "Past the end total_count is 0.")
            .shown_by([get("/api/v1/pipelines/2/items?skip=50")])
            .answer(|asked, answered| on_page(asked, answered, |total, items| if items == 0 { 0 } else { total })),
        fault(
            "past-the-end-is-not-found",
            skip("maximum"),
            "A page past the end gets 404.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?skip=12")])
        .answer(|asked, answered| {
            let is_empty = answered.is_success() && answered.list("items").is_some_and(|items| items.is_empty());
            if asked.calls("list_items") && is_empty && asked.number("skip").unwrap_or(0) > 0 {
                answered.becomes(404, "pipeline_not_found");
            }
        }),
        fault(
            "past-the-end-is-the-last-page",
            skip("maximum"),
            "A page past the end shows the first items.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?skip=12&limit=3")])
        .request(|asked| {
            if asked.calls("list_items") && asked.segment(3) != "1" {
                asked.change(
                    "skip",
                    |skip| {
                        if (12..=2_147_483_647).contains(&skip) { 0 } else { skip }
                    },
                );
            }
        }),
        fault(
            "last-item-comes-again",
            order(),
            "The first item of a page is replaced by a copy of the second.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?skip=3&limit=3")])
        .answer(|asked, answered| {
            if asked.calls("list_items")
                && asked.number("skip").unwrap_or(0) > 0
                && let Some([first, second, ..]) = answered.list("items").map(Vec::as_mut_slice)
            {
                *first = second.clone();
            }
        }),
        fault("last-item-is-lost", order(), "The last item of a full page is missing.")
            .shown_by([get("/api/v1/pipelines/2/items?limit=3")])
            .answer(|asked, answered| {
                let limit = asked.number("limit").and_then(|limit| usize::try_from(limit).ok());
                if asked.calls("list_items")
                    && let Some(items) = answered.list("items")
                    && Some(items.len()) == limit
                {
                    items.pop();
                }
            }),
        fault(
            "one-item-is-never-listed",
            order(),
            "One of many items is never listed, and another is listed twice instead.",
        )
        .shown_by([get("/api/v1/pipelines/1/items?skip=700&limit=100")])
        .answer(|asked, answered| {
            if asked.calls("list_items") {
                answered.items(|item| {
                    if item["pipeline_item_id"] == 100_750 {
                        item["pipeline_item_id"] = json!(100_749);
                    }
                });
            }
        }),
        fault("pages-are-backwards", order(), "Each page is reversed.")
            .shown_by([get("/api/v1/pipelines/2/items?limit=3")])
            .answer(|asked, answered| {
                if asked.calls("list_items") && answered.is_success() {
                    answered.list("items").into_iter().for_each(|items| items.reverse());
                }
            }),
        fault("order-changes", order(), "Two items swap places between two requests.")
            .shown_by([get("/api/v1/pipelines/2/items"), get("/api/v1/pipelines/2/items")])
            .planted(|_| {
                let odd = AtomicBool::new(false);
                Plant::answer(move |asked, answered| {
                    if asked.calls("list_items")
                        && odd.fetch_xor(true, Ordering::Relaxed)
                        && let Some([first, second, ..]) = answered.list("items").map(Vec::as_mut_slice)
                    {
                        std::mem::swap(first, second);
                    }
                })
            }),
        fault(
            "small-pages-only",
            order(),
            "A page is cut to 100 items, unless its limit is the maximum.",
        )
        .shown_by([get("/api/v1/pipelines/1/items?limit=300")])
        .answer(|asked, answered| {
            let limit = asked.number("limit").unwrap_or(100);
            if asked.calls("list_items") && (101..1000).contains(&limit) && answered.is_success() {
                answered.list("items").into_iter().for_each(|items| items.truncate(100));
            }
        }),
        fault(
            "page-names-another-pipeline",
            property("ItemPage", "pipeline_id"),
            "A page always names pipeline 1.",
        )
        .shown_by([get("/api/v1/pipelines/2/items")])
        .answer(|asked, answered| {
            if asked.calls("list_items") && answered.is_success() {
                answered.json()["pipeline_id"] = json!(1);
            }
        }),
        fault(
            "items-name-another-pipeline",
            property("PipelineItem", "pipeline_id"),
            "Items of a page name another pipeline.",
        )
        .shown_by([get("/api/v1/pipelines/2/items")])
        .answer(|asked, answered| {
            if asked.calls("list_items") {
                answered.items(|item| item["pipeline_id"] = json!(item["pipeline_id"].as_i64().unwrap_or(2) % 7 + 1));
            }
        }),
        fault(
            "empty-pipeline-is-not-found",
            order(),
            "A pipeline without items gets 404.",
        )
        .shown_by([get("/api/v1/pipelines/7/items")])
        .answer(|asked, answered| {
            if asked.calls("list_items") && answered.is_success() && answered.json()["total_count"] == 0 {
                answered.becomes(404, "pipeline_not_found");
            }
        }),
    ]
}

/// Changes `total_count` of a page, given its value and the number of items on the page.
fn on_page(asked: &Asked, answered: &mut Answered, change: impl Fn(i64, i64) -> i64) {
    if !asked.calls("list_items") || !answered.is_success() {
        return;
    }
    let items = answered.list("items").map_or(0, |items| items.len());
    let total = answered.json()["total_count"].as_i64().unwrap_or(0);
    answered.json()["total_count"] = json!(change(total, i64::try_from(items).unwrap_or(0)));
}
