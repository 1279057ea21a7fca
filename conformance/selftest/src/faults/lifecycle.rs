//! Items that were correct when they became ready, and are not afterwards.
//!
//! All of these faults are in the writable pipeline. Faults of items outside it are in the families `item` and
//! `state`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use serde_json::{Map, Value, json};

use crate::exchange::{Answered, Asked, Plant};
use crate::fault::{Family, Fault, fault, operation, property, response};
use crate::witness::{add, add_organization, get};

pub(super) const FAMILY: Family = Family {
    name: "lifecycle",
    title: "From the addition to a ready item, and on",
    faults,
};

/// The item that the writable pipeline has from the start. It is ready.
const READY: &str = "/api/v1/pipelines/6/items/600001";

fn faults() -> Vec<Fault> {
    let reads = |operation: &str| {
        let path = format!("{READY}/{operation}");
        std::iter::repeat_n(get(path), 8).collect::<Vec<_>>()
    };
    let status = || property("ColumnValue", "status");
    vec![
        fault(
            "ready-falls-back-later",
            property("ItemStatus", "is_ready"),
            "An item that was ready is not ready from the fourth read on.",
        )
        .shown_by(reads("status"))
        .planted(|_| {
            counted("get_item_status", is_ready, |reads, answered| {
                if reads > 3 {
                    answered.json()["platform_entity_data_ready"] = json!(false);
                    answered.json()["is_ready"] = json!(false);
                }
            })
        }),
        fault(
            "questions-are-asked-again",
            "/components/schemas/ColumnValue",
            "A question of a ready item is pending again on every fourth read.",
        )
        .shown_by(reads("values"))
        .planted(|_| {
            counted("get_item_values", is_answered, |reads, answered| {
                if reads % 4 == 0 {
                    answered.entries(asked_again);
                }
            })
        }),
        fault(
            "answers-change",
            operation("get_item_values"),
            "The certainty of an answer is another on every read.",
        )
        .shown_by(reads("values"))
        .planted(|_| {
            counted("get_item_values", is_answered, |reads, answered| {
                answered.entries(|column, entry| {
                    if column.starts_with("question.") && entry["status"] == "completed" {
                        entry["certainty_score"] = json!(reads % 100);
                    }
                });
            })
        }),
        fault(
            "entity-data-goes-away",
            property("ColumnValue", "result"),
            "From the fourth read of a ready item on, its entity data is empty.",
        )
        .shown_by(reads("values"))
        .planted(|_| {
            counted("get_item_values", is_answered, |reads, answered| {
                answered.entries(|column, entry| {
                    if reads > 3 && !column.starts_with("question.") {
                        entry["result"] = json!([]);
                    }
                });
            })
        }),
        fault(
            "sync-history-is-lost",
            property("ColumnValue", "last_synced_at"),
            "A second sync begins without the time of the first one.",
        )
        .shown_by(reads("values"))
        .planted(|_| synced(|entry| entry["last_synced_at"] = Value::Null)),
        fault(
            "sync-is-forgotten",
            "/components/schemas/ColumnValue",
            "A value that was synced has no sync status later.",
        )
        .shown_by(reads("values"))
        .planted(|_| synced(|entry| entry["sync_status"] = Value::Null)),
        fault(
            "sync-elsewhere-is-forgotten",
            "/components/schemas/ColumnValue",
            "The syncs of an item that was added to another pipeline are forgotten a few requests after it is ready.",
        )
        .shown_by([
            add(5, r#"{"organization_id": 1100}"#),
            get("/api/v1/pipelines/5/items/500016/status").later(),
            get(READY),
            get(READY),
            get(READY),
            get("/api/v1/pipelines/5/items/500016/values"),
        ])
        .planted(|_| {
            // The items that were added, each with the number of requests since it is ready.
            let added = Mutex::new(BTreeMap::<String, Option<u64>>::new());
            Plant::answer(move |asked, answered| {
                let Ok(mut added) = added.lock() else { return };
                added.values_mut().flatten().for_each(|requests| *requests += 1);
                if asked.segment(3) != "5" || !answered.is_success() {
                    return;
                }
                if asked.calls("add_organization") {
                    added.insert(answered.json()["pipeline_item_id"].to_string(), None);
                } else if let Some(since) = added.get_mut(asked.segment(5)) {
                    match since {
                        None if is_ready(answered) => *since = Some(0),
                        Some(4..) => answered.entries(|_, entry| {
                            entry["sync_status"] = Value::Null;
                            entry["last_synced_at"] = Value::Null;
                        }),
                        _ => {}
                    }
                }
            })
        }),
        fault(
            "burst-is-not-processed",
            operation("add_organization"),
            "Of two organizations that are added one right after the other, the second never becomes ready.",
        )
        .shown_by([
            add_organization(1001),
            add_organization(1002),
            get("/api/v1/pipelines/6/items/600003/status").later(),
        ])
        .planted(|_| {
            let state = Mutex::new((false, BTreeSet::new()));
            Plant::answer(move |asked, answered| {
                let Ok(mut state) = state.lock() else { return };
                let (is_right_after, stuck) = &mut *state;
                if asked.calls("add_organization") && answered.is_success() {
                    let id = answered.json()["pipeline_item_id"].to_string();
                    if *is_right_after {
                        stuck.insert(id);
                    }
                    *is_right_after = true;
                } else if asked.calls("get_item_status") {
                    *is_right_after = false;
                    if stuck.contains(asked.segment(5)) && answered.is_success() {
                        answered.json()["document_indexed"] = json!(true);
                        answered.json()["platform_entity_data_ready"] = json!(false);
                        answered.json()["is_ready"] = json!(false);
                    }
                }
            })
        }),
        fault(
            "sync-never-begins",
            operation("add_organization"),
            "CRM sync is not started for an item that is added.",
        )
        .shown_by([add_organization(1001), get("/api/v1/pipelines/6/items/600002/values")])
        .answer(|asked, answered| {
            if asked.segment(3) == "6" && !asked.calls("add_organization") {
                of_new_items(answered, |_, entry| {
                    for member in ["sync_status", "sync_provider", "sync_error", "last_synced_at"] {
                        entry[member] = Value::Null;
                    }
                });
            }
        }),
        fault(
            "failed-sync-has-a-time",
            property("ColumnValue", "last_synced_at"),
            "The first sync of a value fails, and its time is that of a successful one.",
        )
        .shown_by([add_organization(1001), get("/api/v1/pipelines/6/items/600002/values")])
        .answer(|asked, answered| {
            if asked.segment(3) == "6" && !asked.calls("add_organization") {
                of_new_items(answered, |column, entry| {
                    if column == "organization.name" {
                        entry["sync_provider"] = json!("hubspot");
                        entry["sync_status"] = json!("error");
                        entry["sync_error"] = json!("The CRM did not respond.");
                        entry["last_synced_at"] = json!(chrono::Utc::now().to_rfc3339());
                    }
                });
            }
        }),
        fault(
            "sync-is-to-come",
            property("ColumnValue", "last_synced_at"),
            "The time of the sync of an added item is that of the next one, which is to come.",
        )
        .shown_by(reads("values"))
        .answer(|asked, answered| {
            if asked.segment(3) == "6" {
                answered.entries(|_, entry| synced_at(entry, "2126-11-18T09:00:00Z"));
            }
        }),
        fault(
            "syncs-before-the-answer",
            "/components/schemas/ColumnValue",
            "A question that is not answered yet was synced; once it is answered, it was never synced.",
        )
        .shown_by([add_organization(1001)])
        .answer(|asked, answered| {
            if asked.segment(3) == "6" {
                answered.entries(|_, entry| match entry["status"] == "pending" {
                    true => synced_at(entry, "2026-11-18T09:00:00Z"),
                    false => entry["sync_provider"] = json!("hubspot"),
                });
            }
        }),
        fault(
            "sync-is-older-than-the-item",
            property("ColumnValue", "last_synced_at"),
            "A value of an added item that was not synced before has the time of an old sync.",
        )
        .shown_by(reads("values"))
        .answer(|asked, answered| {
            if asked.segment(3) == "6" {
                answered.entries(|_, entry| match entry["status"] == "completed" {
                    true => synced_at(entry, "2020-11-18T09:00:00Z"),
                    false => entry["sync_provider"] = json!("hubspot"),
                });
            }
        }),
        fault(
            "entity-data-comes-later",
            property("ItemStatus", "platform_entity_data_ready"),
            "The entity data of an added item counts as ready before it is there.",
        )
        .shown_by([add_organization(1001), get("/api/v1/pipelines/6/items/600002/status")])
        .answer(|asked, answered| {
            entity_data_comes_later(asked, answered, |values| {
                let entity = values.iter_mut().filter(|(column, _)| !column.starts_with("question."));
                entity.for_each(|(_, entry)| entry["result"] = json!([]));
            });
        }),
        fault(
            "entity-columns-come-later",
            property("ItemStatus", "platform_entity_data_ready"),
            "The entity data of an added item counts as ready before the item has its columns.",
        )
        .shown_by([add_organization(1001), get("/api/v1/pipelines/6/items/600002/status")])
        .answer(|asked, answered| {
            entity_data_comes_later(asked, answered, |values| {
                values.retain(|column, _| column.starts_with("question."));
            });
        }),
        fault(
            "new-item-has-no-entity-data",
            "/components/schemas/Values",
            "The response to an addition has no columns of entity data.",
        )
        .shown_by([add_organization(1001)])
        .answer(|asked, answered| {
            if asked.calls("add_organization") {
                answered.items(|item| {
                    if let Some(values) = item["values"].as_object_mut() {
                        values.retain(|column, _| column.starts_with("question."));
                    }
                });
            }
        }),
        fault(
            "new-item-is-unknown-elsewhere",
            response("get_item_values", 400),
            "An item that was added is not known in another pipeline.",
        )
        .shown_by([add_organization(1001), get("/api/v1/pipelines/2/items/600002/values")])
        .answer(|asked, answered| {
            let is_new = asked.segment(5).parse().is_ok_and(|id: u64| id > 600_001);
            if is_new && answered.code() == "item_not_in_pipeline" {
                answered.becomes(404, "item_not_found");
            }
        }),
        fault(
            "later-ids-are-taken",
            "/components/schemas/PipelineItemId",
            "From the fourth item that is added on, a new item has the id of an item of another pipeline.",
        )
        .shown_by([1001, 1002, 1003, 1004].map(add_organization))
        .planted(|_| {
            let to_own = Plant::request(|asked| {
                let id = asked.segment(5).parse::<i64>().ok();
                if let Some(id) = id.filter(|id| asked.segment(3) == "6" && (LEAST..LEAST + MANY).contains(id)) {
                    asked.set_segment(5, id - LEAST + FIRST_OF_INBOX);
                }
            });
            to_own.and_answer(|asked, answered| {
                if asked.segment(3) == "6" && answered.is_success() {
                    match answered.list("items") {
                        Some(items) => items.iter_mut().for_each(renumber),
                        None => renumber(answered.json()),
                    }
                    let location = answered.headers.get("location").and_then(|text| text.to_str().ok());
                    let id = location.and_then(|text| text.split('/').nth(6)?.parse::<i64>().ok());
                    if let Some(id) = id {
                        let own = format!("/api/v1/pipelines/6/items/{}/values", id - FIRST_OF_INBOX + LEAST);
                        answered.set_header("location", &own);
                    }
                }
            })
        }),
        fault(
            "answered-too-early",
            property("ItemStatus", "custom_questions_answered"),
            "The questions of a new item count as answered before they are.",
        )
        .shown_by([add_organization(1001), get("/api/v1/pipelines/6/items/600002/status")])
        .answer(|asked, answered| {
            if is_new_item(asked) && asked.calls("get_item_status") && answered.is_success() {
                answered.json()["custom_questions_answered"] = json!(true);
                let data_is_ready = answered.json()["is_ready"].clone();
                answered.json()["platform_entity_data_ready"] = data_is_ready;
            }
        }),
        fault(
            "answered-too-late",
            property("ItemStatus", "custom_questions_answered"),
            "The status says three reads late that the questions of an item are answered.",
        )
        .shown_by(reads("status"))
        .planted(|_| {
            counted("get_item_status", is_ready, |reads, answered| {
                if reads < 4 {
                    answered.json()["custom_questions_answered"] = json!(false);
                    answered.json()["is_ready"] = json!(false);
                }
            })
        }),
        fault(
            "questions-appear-when-answered",
            "/components/schemas/Values",
            "A new item has no entry for a question until it is answered.",
        )
        .shown_by([add_organization(1001)])
        .answer(|asked, answered| {
            if asked.segment(3) == "6" {
                answered.items(|item| {
                    if let Some(values) = item["values"].as_object_mut() {
                        values.retain(|_, entry| entry["status"] != "pending");
                    }
                });
            }
        }),
        fault(
            "list-keeps-it-pending",
            status(),
            "The list shows the questions of an added item as pending for ever.",
        )
        .shown_by([get("/api/v1/pipelines/6/items")])
        .answer(|asked, answered| {
            if asked.calls("list_items") && asked.segment(3) == "6" {
                answered.entries(asked_again);
            }
        }),
        fault(
            "is-never-ready",
            property("ItemStatus", "is_ready"),
            "The entity data of an added item never becomes ready.",
        )
        .shown_by(reads("status"))
        .answer(|asked, answered| {
            if is_new_item(asked) && asked.calls("get_item_status") && answered.is_success() {
                answered.json()["platform_entity_data_ready"] = json!(false);
                answered.json()["is_ready"] = json!(false);
            }
        }),
    ]
}

/// The id of the first item of the writable pipeline, and the one that it has instead: that of the fifth item is one of
/// the first pipeline's.
const FIRST_OF_INBOX: i64 = 600_001;
const LEAST: i64 = 100_001 - 4;
/// The limit on the items that have other ids.
const MANY: i64 = 10_000;

/// Gives an item of the writable pipeline its other id.
fn renumber(item: &mut Value) {
    if let Some(id) = item["pipeline_item_id"].as_i64() {
        item["pipeline_item_id"] = json!(id - FIRST_OF_INBOX + LEAST);
    }
}

/// Makes a value synced with a CRM.
fn synced_at(entry: &mut Value, time: &str) {
    entry["sync_provider"] = json!("hubspot");
    entry["sync_status"] = json!("success");
    entry["last_synced_at"] = json!(time);
}

/// Changes the values of the items that were added to the writable pipeline.
fn of_new_items(answered: &mut Answered, change: fn(&str, &mut Value)) {
    answered.items(|item| {
        let is_new = item["pipeline_item_id"].as_i64().is_some_and(|id| id > 600_001);
        let entries = item["values"].as_object_mut().filter(|_| is_new);
        for (column, entry) in entries.into_iter().flatten() {
            change(column, entry);
        }
    });
}

/// Whether a request is about an item of the writable pipeline.
fn is_new_item(asked: &Asked) -> bool {
    asked.segment(3) == "6" && asked.segment(4) == "items" && !asked.segment(5).is_empty()
}

fn is_ready(answered: &mut Answered) -> bool {
    answered.json()["is_ready"] == true
}

/// Whether no question of the item is pending.
fn is_answered(answered: &mut Answered) -> bool {
    let mut is_answered = true;
    answered.entries(|_, entry| is_answered &= entry["status"] != "pending");
    is_answered
}

/// Makes a question pending.
fn asked_again(column: &str, entry: &mut Value) {
    if column.starts_with("question.") {
        entry["status"] = json!("pending");
        entry["result"] = json!([]);
        entry["certainty_score"] = Value::Null;
    }
}

/// Changes the responses about an item of the writable pipeline that pass `has_come_so_far`. The change receives their
/// number, counted from 1 for each item.
fn counted(
    operation: &'static str,
    has_come_so_far: fn(&mut Answered) -> bool,
    change: impl Fn(u64, &mut Answered) + Send + Sync + 'static,
) -> Plant {
    let counts = Mutex::new(BTreeMap::<String, u64>::new());
    Plant::answer(move |asked, answered| {
        let is_it = is_new_item(asked) && asked.calls(operation) && answered.is_success();
        let Ok(mut counts) = counts.lock() else {
            return;
        };
        if is_it && has_come_so_far(answered) {
            let count = counts.entry(asked.path.clone()).or_default();
            *count += 1;
            change(*count, answered);
        }
    })
}

/// Changes the values of added items as long as a question is pending, while their status says that the entity data is
/// there.
fn entity_data_comes_later(asked: &Asked, answered: &mut Answered, change: fn(&mut Map<String, Value>)) {
    if asked.segment(3) != "6" || !answered.is_success() {
        return;
    }
    if asked.calls("get_item_status") {
        let is_ready = answered.json()["custom_questions_answered"] == true;
        answered.json()["platform_entity_data_ready"] = json!(true);
        answered.json()["is_ready"] = json!(is_ready);
    }
    answered.items(|item| {
        let is_pending = |entry: &Value| entry["status"] == "pending";
        let values = item["values"].as_object_mut();
        if let Some(values) = values.filter(|values| values.values().any(is_pending)) {
            change(values);
        }
    });
}

/// Syncs the values of ready items with a CRM: the first reads show a success, the later ones a second sync with this
/// change.
fn synced(change: fn(&mut Value)) -> Plant {
    counted("get_item_values", is_answered, move |reads, answered| {
        answered.entries(|_, entry| {
            synced_at(entry, "2026-11-18T09:00:00Z");
            if reads > 3 {
                entry["sync_status"] = json!("pending");
                change(entry);
            }
        });
    })
}
