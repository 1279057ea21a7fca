//! Additions that are wrong because of other additions: concurrent or repeated ones.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::exchange::{Answered, Asked, Plant};
use crate::fault::{EVERY_OPERATION, Family, Fault, fault, operation};
use crate::witness::{add_organization, get};

pub(super) const FAMILY: Family = Family {
    name: "additions",
    title: "Additions at once, and again",
    faults,
};

/// The organization that is in the writable pipeline from the start, and its item.
const THERE: (u64, i64) = (2331, 600_001);

fn faults() -> Vec<Fault> {
    let adding = || operation("add_organization");
    let inbox = || get("/api/v1/pipelines/6/items");
    let witness = || [add_organization(1001).beside(add_organization(1002)), inbox()];

    vec![
        fault(
            "at-once-share-an-id",
            adding(),
            "Additions of different organizations at once get one item id.",
        )
        .shown_by(witness())
        .planted(|_| {
            overlapping(|created, answered| {
                let first = created.first().map(|first| first["pipeline_item_id"].clone());
                answered.json()["pipeline_item_id"] = first.unwrap_or_default();
            })
        }),
        fault(
            "at-once-answers-are-mixed-up",
            adding(),
            "An addition gets the item of another one that is under way.",
        )
        .shown_by(witness())
        .planted(|_| {
            overlapping(|created, answered| {
                *answered.json() = created.first().cloned().unwrap_or_default();
            })
        }),
        fault(
            "request-id-repeats-the-first",
            adding(),
            "An addition with the X-Request-Id of an earlier one gets the item of that one.",
        )
        .shown_by([1001, 1002].map(|organization| add_organization(organization).header("x-request-id", "one")))
        .planted(|_| {
            let created = Mutex::new(BTreeMap::<String, Value>::new());
            Plant::answer(move |asked, answered| {
                let is_created = asked.calls("add_organization") && answered.is_success();
                let (Some(id), true) = (asked.header("x-request-id"), is_created) else {
                    return;
                };
                let Ok(mut created) = created.lock() else { return };
                let first = created.entry(id.to_owned()).or_insert_with(|| answered.json().clone());
                *answered.json() = first.clone();
            })
        }),
        fault(
            "at-once-one-is-lost",
            adding(),
            "Of several additions at once one gets 201, and its item is not there.",
        )
        .shown_by(witness())
        .planted(|_| {
            let lost = Mutex::new(BTreeSet::new());
            at_once(move |created, asked, answered| {
                let Ok(mut lost) = lost.lock() else { return };
                if !created.is_empty() {
                    lost.extend(answered.json()["pipeline_item_id"].as_i64());
                }
                without(&lost, asked, answered);
            })
        }),
        after_again(
            "again-asks-again",
            "An addition that is rejected with 409 asks the questions of the item again.",
            "/600001/values",
            |again, _, answered| {
                answered.items(|item| {
                    if is_one_of(again, &item["pipeline_item_id"]) {
                        ask_again(item);
                    }
                });
            },
        ),
        after_again(
            "again-is-not-ready",
            "An addition that is rejected with 409 makes the item not ready.",
            "/600001/status",
            |again, asked, answered| {
                let is_it = is_one_of(again, &answered.json()["pipeline_item_id"]);
                if is_it && asked.calls("get_item_status") && answered.is_success() {
                    answered.json()["platform_entity_data_ready"] = json!(false);
                    answered.json()["is_ready"] = json!(false);
                }
            },
        ),
        after_again(
            "again-replaces-the-item",
            "An addition that is rejected with 409 gives the item another id.",
            "",
            |again, asked, answered| {
                if again.iter().any(|id| asked.segment(5) == id.to_string()) {
                    answered.becomes(404, "item_not_found");
                }
                answered.items(|item| {
                    if is_one_of(again, &item["pipeline_item_id"]) {
                        let id = item["pipeline_item_id"].as_i64().unwrap_or(0);
                        item["pipeline_item_id"] = json!(id + 90_000);
                    }
                });
                if let Some(items) = answered.list("items") {
                    items.sort_by_key(|item| item["pipeline_item_id"].as_i64());
                }
            },
        ),
        after_again(
            "again-removes-the-item",
            "An addition that is rejected with 409 takes the item out of the list.",
            "",
            without,
        ),
    ]
}

/// Changes the 201 responses of additions during which another addition was already answered.
fn overlapping(change: impl Fn(&[Value], &mut Answered) + Send + Sync + 'static) -> Plant {
    at_once(move |created, _, answered| {
        if !created.is_empty() {
            change(created, answered);
        }
    })
}

/// Changes every response. The change receives the items that were added while this addition was pending; none if it
/// is not an addition.
fn at_once(change: impl Fn(&[Value], &Asked, &mut Answered) + Send + Sync + 'static) -> Plant {
    let under_way = Arc::new(AtomicUsize::new(0));
    let begun = Arc::clone(&under_way);
    let created = Mutex::new(Vec::new());
    let begin = Plant::request(move |asked| {
        if asked.calls("add_organization") {
            begun.fetch_add(1, Ordering::SeqCst);
        }
    });
    let end = move |asked: &Asked, answered: &mut Answered| {
        let Ok(mut created) = created.lock() else {
            return;
        };
        let is_addition = asked.calls("add_organization");
        let is_last = is_addition && under_way.fetch_sub(1, Ordering::SeqCst) == 1;
        if is_addition && answered.status == 201 {
            let item = answered.json().clone();
            change(&created, asked, answered);
            created.push(item);
        } else {
            change(&[], asked, answered);
        }
        if is_last {
            created.clear();
        }
    };
    begin.and_answer(end).delayed(Duration::from_millis(5))
}

/// Changes every response after an addition was rejected with 409. The change receives the ids of the items whose
/// organizations the rejected requests named.
fn after_again(
    name: &str,
    wrong: &'static str,
    then: &str,
    change: fn(&BTreeSet<i64>, &Asked, &mut Answered),
) -> Fault {
    let path = format!("/api/v1/pipelines/6/items{then}");
    fault(name, EVERY_OPERATION, wrong)
        .shown_by([add_organization(THERE.0), get(path)])
        .planted(move |_| {
            let items = Mutex::new((BTreeMap::from([THERE]), BTreeSet::new()));
            Plant::answer(move |asked, answered| {
                let Ok(mut items) = items.lock() else { return };
                let (items, again) = &mut *items;
                if !asked.calls("add_organization") {
                    return change(again, asked, answered);
                }
                let organization = asked.json()["organization_id"].as_u64().unwrap_or(0);
                if answered.status == 201 {
                    let item = answered.json()["pipeline_item_id"].as_i64().unwrap_or(0);
                    items.insert(organization, item);
                } else if answered.status == 409 {
                    again.extend(items.get(&organization));
                }
            })
        })
}

fn is_one_of(ids: &BTreeSet<i64>, id: &Value) -> bool {
    id.as_i64().is_some_and(|id| ids.contains(&id))
}

fn ask_again(item: &mut Value) {
    for (column, entry) in item["values"].as_object_mut().into_iter().flatten() {
        if column.starts_with("question.") {
            entry["status"] = json!("pending");
            entry["result"] = json!([]);
            entry["certainty_score"] = Value::Null;
        }
    }
}

/// Removes these items from the writable pipeline.
fn without(ids: &BTreeSet<i64>, asked: &Asked, answered: &mut Answered) {
    if asked.segment(3) != "6" || asked.segment(4) != "items" {
        return;
    }
    if ids.iter().any(|id| asked.segment(5) == id.to_string()) {
        answered.becomes(404, "item_not_found");
    }
    let count = |answered: &mut Answered| answered.list("items").map_or(0, |items| items.len());
    let before = count(answered);
    if let Some(items) = answered.list("items") {
        items.retain(|item| !is_one_of(ids, &item["pipeline_item_id"]));
    }
    let gone = before - count(answered);
    if gone > 0 {
        let total = answered.json()["total_count"].as_u64().unwrap_or(0);
        answered.json()["total_count"] = json!(total - gone as u64);
    }
}
