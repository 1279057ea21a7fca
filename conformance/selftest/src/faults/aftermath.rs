//! What an addition does to other items, to lists that were read before, and to a later addition.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::exchange::{Answered, Asked, Plant};
use crate::fault::{Family, Fault, fault, operation, parameter, property};
use crate::witness::{add_organization, get};

pub(super) const FAMILY: Family = Family {
    name: "aftermath",
    title: "After an addition",
    faults,
};

/// How many reads of a list show the effect of an addition on other items.
const READS: usize = 2;

fn faults() -> Vec<Fault> {
    let list = || get("/api/v1/pipelines/6/items");
    let sorted = || get("/api/v1/pipelines/6/items?sort_by=question.602");
    let status = || property("ColumnValue", "status");
    vec![
        fault(
            "others-begin-again",
            status(),
            "After an addition the questions of the items before it are pending for a while.",
        )
        .shown_by([list(), add_organization(1001), list()])
        .planted(|_| {
            let left = Mutex::new(0);
            Plant::answer(move |asked, answered| {
                let Ok(mut left) = left.lock() else { return };
                if is_addition(asked, answered) {
                    *left = READS;
                } else if asked.calls("list_items") && asked.segment(3) == "6" && *left > 0 {
                    *left -= 1;
                    answered.items(|item| {
                        if item["organization_id"] == 2331 {
                            begin_again(item);
                        }
                    });
                }
            })
        }),
        fault(
            "sorted-list-is-from-before",
            operation("list_items"),
            "A sorted list lacks the items that were added since it was read for the first time.",
        )
        .shown_by([sorted(), add_organization(1001), sorted()])
        .planted(|_| from_before(|asked| asked.parameter("sort_by").is_some())),
        fault(
            "first-page-is-from-before",
            operation("list_items"),
            "The first page lacks the items that were added since it was read for the first time.",
        )
        .shown_by([list(), add_organization(1001), list()])
        .planted(|_| from_before(|asked| asked.query.is_empty())),
        fault(
            "list-keeps-new-items-as-added",
            "/components/schemas/Values",
            "The list shows the values that a new item had when it was added, whatever is answered since.",
        )
        .shown_by([add_organization(1001), list().later()])
        .planted(|_| {
            let added = Mutex::new(BTreeMap::new());
            Plant::answer(move |asked, answered| {
                let Ok(mut added) = added.lock() else { return };
                if is_addition(asked, answered) {
                    let item = answered.json();
                    added.insert(item["pipeline_item_id"].as_u64(), item["values"].clone());
                } else if asked.calls("list_items") {
                    answered.items(|item| {
                        if let Some(values) = added.get(&item["pipeline_item_id"].as_u64()) {
                            item["values"].clone_from(values);
                        }
                    });
                }
            })
        }),
        fault(
            "entity-data-is-of-another",
            "/components/schemas/Values",
            "The entity data of every new item is that of one other organization.",
        )
        .shown_by([add_organization(1001), list().later()])
        .answer(|asked, answered| {
            if asked.segment(3) != "6" {
                return;
            }
            answered.items(|item| {
                let is_new = item["organization_id"] != 2331;
                for (column, of_another) in [
                    ("organization.name", json!("Sundaram Wexler Consulting")),
                    ("organization.metrics.employee_count", json!(46_000)),
                ] {
                    let result = &mut item["values"][column]["result"];
                    if is_new && *result != json!([]) {
                        *result = json!([of_another]);
                    }
                }
            });
        }),
        fault(
            "newest-come-first",
            property("PipelineItem", "pipeline_item_id"),
            "The list shows the newest item first.",
        )
        .shown_by([add_organization(1001), list()])
        .answer(|asked, answered| {
            let is_plain = asked.parameter("sort_by").is_none() && asked.parameter("sort_order").is_none();
            if asked.calls("list_items")
                && asked.segment(3) == "6"
                && is_plain
                && let Some(items) = answered.list("items")
            {
                let newest = items.pop();
                items.splice(0..0, newest);
            }
        }),
        fault(
            "newest-are-sorted-last",
            parameter("list_items", "sort_by", "").trim_end_matches("/schema/"),
            "An item that was added is last in every sorted list, whatever it was answered.",
        )
        .shown_by([
            add_organization(1001),
            add_organization(1002),
            get("/api/v1/pipelines/6/items?sort_by=question.601").later(),
            get("/api/v1/pipelines/6/items?sort_by=question.601&sort_order=desc"),
        ])
        .answer(|asked, answered| {
            if asked.calls("list_items")
                && asked.segment(3) == "6"
                && asked.parameter("sort_by").is_some()
                && let Some(items) = answered.list("items")
            {
                items.sort_by_key(|item| item["pipeline_item_id"].as_i64() > Some(600_001));
            }
        }),
        fault(
            "only-the-last-are-known",
            operation("add_organization"),
            "An organization can be added again after three others.",
        )
        .shown_by([1001, 1002, 1003, 1004, 1001].map(add_organization))
        .planted(|_| added_again()),
        fault(
            "completed-is-asked-again",
            status(),
            "A completed question is pending in every list but the first that shows it completed.",
        )
        .shown_by([list(), list()])
        .planted(|_| {
            let seen = Mutex::new(BTreeSet::new());
            Plant::answer(move |asked, answered| {
                let Ok(mut seen) = seen.lock() else { return };
                if !asked.calls("list_items") || asked.segment(3) != "6" {
                    return;
                }
                answered.items(|item| {
                    let id = item["pipeline_item_id"].as_i64().unwrap_or_default();
                    let is_answered = item["values"]["question.601"]["status"] == "completed";
                    if is_answered && !seen.insert(id) {
                        begin_again(item);
                    }
                });
            })
        }),
        fault(
            "has-a-provider",
            property("ColumnValue", "sync_provider"),
            "The response to an addition names a CRM provider, although none is configured.",
        )
        .shown_by([get("/api/v1/pipelines/6/items")])
        .answer(|asked, answered| {
            if asked.segment(3) == "6" && !is_addition(asked, answered) {
                answered.entries(|_, entry| {
                    for member in ["sync_provider", "sync_status", "sync_error", "last_synced_at"] {
                        entry[member] = Value::Null;
                    }
                });
            }
        }),
        fault(
            "has-a-document-to-index",
            property("ItemStatus", "document_indexed"),
            "A new item is read for the first time without an indexed document, although it has none.",
        )
        .shown_by([add_organization(1001), get("/api/v1/pipelines/6/items/600002/status")])
        .planted(|_| {
            let seen = Mutex::new(BTreeSet::new());
            Plant::answer(move |asked, answered| {
                let Ok(mut seen) = seen.lock() else { return };
                let is_new = asked.segment(3) == "6" && asked.segment(5) != "600001";
                if is_new && asked.calls("get_item_status") && answered.is_success() && seen.insert(asked.path.clone())
                {
                    answered.json()["document_indexed"] = json!(false);
                    answered.json()["is_ready"] = json!(false);
                }
            })
        }),
    ]
}

/// Whether this added an organization to the writable pipeline.
fn is_addition(asked: &Asked, answered: &Answered) -> bool {
    asked.calls("add_organization") && asked.segment(3) == "6" && answered.status == 201
}

/// Makes all questions of an item pending.
fn begin_again(item: &mut Value) {
    for (column, entry) in item["values"].as_object_mut().into_iter().flatten() {
        if column.starts_with("question.") {
            entry["status"] = json!("pending");
            entry["result"] = json!([]);
            entry["certainty_score"] = Value::Null;
        }
    }
}

/// Lists of the writable pipeline with only the items of the first list with the same query.
fn from_before(is_it: fn(&Asked) -> bool) -> Plant {
    let first = Mutex::new(BTreeMap::<String, BTreeSet<i64>>::new());
    Plant::answer(move |asked, answered| {
        let Ok(mut first) = first.lock() else { return };
        if !asked.calls("list_items") || asked.segment(3) != "6" || !is_it(asked) {
            return;
        }
        let Some(items) = answered.list("items") else { return };
        let id = |item: &Value| item["pipeline_item_id"].as_i64().unwrap_or_default();
        let known = first
            .entry(asked.query.clone())
            .or_insert_with(|| items.iter().map(id).collect());
        items.retain(|item| known.contains(&id(item)));
    })
}

/// Accepts an organization again if three others were added after it, or after the start if it was there then.
fn added_again() -> Plant {
    let added = Mutex::new(Vec::<Value>::new());
    Plant::answer(move |asked, answered| {
        let Ok(mut added) = added.lock() else { return };
        if is_addition(asked, answered) {
            added.push(answered.json().clone());
            return;
        }
        let organization = &asked.json()["organization_id"];
        let is_rejected = asked.segment(3) == "6" && answered.status == StatusCode::CONFLICT;
        if let Some((before, last_three)) = added.split_last_chunk::<3>()
            && is_rejected
            && last_three.iter().all(|item| item["organization_id"] != *organization)
        {
            let mut again = last_three[0].clone();
            again["organization_id"] = organization.clone();
            let own = before.iter().find(|item| item["organization_id"] == *organization);
            created_again(answered, own.unwrap_or(&again));
        }
    })
}

/// Answers as if an item of pipeline 6 had just been added.
pub(super) fn created_again(answered: &mut Answered, item: &Value) {
    answered.succeeds(item);
    answered.status = StatusCode::CREATED;
    let place = format!("/api/v1/pipelines/6/items/{}/values", item["pipeline_item_id"]);
    answered.set_header("location", &place);
}
