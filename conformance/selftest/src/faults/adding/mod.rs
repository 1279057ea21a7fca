//! Additions with a wrong response or a wrong effect.

mod bodies;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::exchange::{Answered, Asked, Plant};
use crate::fault::{Family, Fault, fault, operation, property, response};
use crate::witness::{add, add_organization, get};

pub(super) const FAMILY: Family = Family {
    name: "add",
    title: "Adding an organization",
    faults,
};

fn faults() -> Vec<Fault> {
    let adding = || operation("add_organization");
    let created = || response("add_organization", 201);
    let once = || [add_organization(1001)];
    let twice = || [add_organization(1001), add_organization(1001)];
    let of_responses = vec![
        fault("is-200", created(), "An addition gets 200.")
            .shown_by(once())
            .answer(|_, answered| {
                if answered.status == StatusCode::CREATED {
                    answered.status = StatusCode::OK;
                }
            }),
        fault(
            "greatest-organizations-are-unknown",
            response("add_organization", 404),
            "The organizations with the greatest ids are not found when they are added.",
        )
        .shown_by([add_organization(2331)])
        .request(|asked| {
            let organization = asked.json()["organization_id"].as_u64();
            if asked.calls("add_organization") && organization.is_some_and(|id| (2321..=2331).contains(&id)) {
                asked.body = r#"{"organization_id": 9007199254740991}"#.into();
            }
        }),
        fault(
            "is-202",
            created(),
            "An addition gets 202 with only the id of the item.",
        )
        .shown_by(once())
        .answer(|_, answered| {
            if answered.status == StatusCode::CREATED {
                answered.status = StatusCode::ACCEPTED;
                let id = answered.json()["pipeline_item_id"].take();
                *answered.json() = json!({ "pipeline_item_id": id });
            }
        }),
        fault(
            "is-the-organization",
            created(),
            "An addition gets the organization alone.",
        )
        .shown_by(once())
        .answer(|_, answered| {
            on_created(answered, |item| {
                *item = json!({"organization_id": item["organization_id"]})
            });
        }),
        fault(
            "names-another-organization",
            created(),
            "An addition names another organization.",
        )
        .shown_by(once())
        .answer(|_, answered| {
            on_created(answered, |item| {
                item["organization_id"] = json!(item["organization_id"].as_i64().unwrap_or(1) + 1)
            });
        }),
        fault("names-no-organization", created(), "An addition names no organization.")
            .shown_by(once())
            .answer(|_, answered| {
                on_created(answered, |item| item["organization_id"] = Value::Null);
            }),
        fault(
            "is-a-document",
            created(),
            "An added organization is described as a document.",
        )
        .shown_by(once())
        .answer(|_, answered| {
            on_created(answered, |item| item["entity_type"] = json!("document"));
        }),
        fault(
            "is-answered-at-once",
            created(),
            "The questions of a new item are completed at once, with no result.",
        )
        .shown_by(once())
        .answer(|_, answered| {
            on_created(answered, |item| {
                for (column, entry) in item["values"].as_object_mut().into_iter().flatten() {
                    if column.starts_with("question.") {
                        entry["status"] = json!("completed");
                    }
                }
            });
        }),
        fault(
            "has-no-questions-yet",
            "/components/schemas/Values",
            "A new item has no entries for its questions yet.",
        )
        .shown_by(once())
        .answer(|_, answered| {
            on_created(answered, |item| item["values"] = json!({}));
        }),
        fault(
            "twice-is-created",
            response("add_organization", 409),
            "A second addition gets the same response as the first.",
        )
        .shown_by(twice())
        .planted(|_| {
            let first = Mutex::new(None);
            Plant::answer(move |_, answered| {
                let Ok(mut first) = first.lock() else { return };
                if answered.status == StatusCode::CREATED {
                    *first = Some(answered.clone());
                } else if answered.code() == "organization_already_in_pipeline"
                    && let Some(first) = &*first
                {
                    *answered = first.clone();
                }
            })
        }),
        fault(
            "greatest-twice-is-created",
            response("add_organization", 409),
            "The organization with the greatest id in the pipeline can be added again.",
        )
        .shown_by([add_organization(2331)])
        .answer(|asked, answered| {
            let is_greatest = asked.json()["organization_id"] == 2331;
            if is_greatest && answered.code() == "organization_already_in_pipeline" {
                answered.status = StatusCode::CREATED;
            }
        }),
        fault(
            "twice-is-204",
            response("add_organization", 409),
            "A second addition gets 204.",
        )
        .shown_by(twice())
        .answer(|_, answered| {
            if answered.code() == "organization_already_in_pipeline" {
                answered.set_text("");
                answered.status = StatusCode::NO_CONTENT;
            }
        }),
        fault(
            "at-once-are-all-created",
            adding(),
            "More than one of several concurrent requests gets 201.",
        )
        .shown_by([add_organization(1001).times_at_once(3)])
        .planted(|_| created_at_once(|_, _| ())),
        fault(
            "at-once-are-several-items",
            response("add_organization", 409),
            "Each of several concurrent requests gets 201, with an item of its own.",
        )
        .shown_by([add_organization(1001).times_at_once(3)])
        .planted(|_| {
            created_at_once(|item, repeated| {
                let id = item["pipeline_item_id"].as_u64().unwrap_or(0);
                item["pipeline_item_id"] = json!(id + repeated);
            })
        }),
        fault(
            "nothing-is-added",
            adding(),
            "An addition gets 201, and nothing is added.",
        )
        .shown_by([add_organization(1001), get("/api/v1/pipelines/6/items")])
        .answer(|asked, answered| {
            if asked.calls("list_items") && asked.segment(3) == "6" && answered.is_success() {
                answered.list("items").into_iter().for_each(|items| items.truncate(1));
                answered.json()["total_count"] = json!(1);
            }
        }),
        fault(
            "adds-to-another-pipeline",
            adding(),
            "An addition to the inbox goes to another pipeline.",
        )
        .shown_by([add_organization(1002), get("/api/v1/pipelines/6/items")])
        .request(|asked| {
            if asked.calls("add_organization") && asked.segment(3) == "6" && !asked.json()["organization_id"].is_null()
            {
                asked.set_segment(3, 7);
            }
        }),
        fault(
            "lands-in-another-pipeline-too",
            adding(),
            "What is added to the inbox is added to the other pipeline with CRM sync as well.",
        )
        .shown_by([
            add_organization(1002),
            get("/api/v1/pipelines/5/items?sort_order=desc&limit=1"),
        ])
        .planted(|_| {
            let added = Mutex::new(Vec::<Value>::new());
            Plant::answer(move |asked, answered| {
                let Ok(mut added) = added.lock() else { return };
                if asked.calls("add_organization") && asked.segment(3) == "6" && answered.status == StatusCode::CREATED
                {
                    let mut item = answered.json().clone();
                    item["pipeline_id"] = json!(5);
                    added.push(item);
                } else if asked.calls("list_items")
                    && asked.segment(3) == "5"
                    && asked.parameter("sort_order") == Some("desc")
                    && let Some(items) = answered.list("items")
                {
                    let page = items.len();
                    items.splice(..0, added.iter().rev().cloned());
                    items.truncate(page);
                }
            })
        }),
        fault(
            "refusal-adds",
            adding(),
            "A body with an unknown key is rejected, and its organization is added.",
        )
        .shown_by([
            add(6, r#"{"organization_id": 1001, "note": 1}"#),
            get("/api/v1/pipelines/6/items"),
        ])
        .planted(|_| {
            let add = Plant::request(|asked| {
                if let Some(id) = named_with_more(asked) {
                    asked.body = json!({ "organization_id": id }).to_string().into();
                }
            });
            add.and_answer(|asked, answered| {
                if named_with_more(asked).is_some() && answered.status == StatusCode::CREATED {
                    answered.becomes(422, "validation_failed");
                    answered.json()["errors"] =
                        json!([{"loc": ["body", "note"], "msg": "is unknown", "type": "unknown"}]);
                }
            })
        }),
        fault(
            "pending-questions-are-uncertain",
            "/components/schemas/ColumnValue/properties/certainty_score",
            "In the response to an addition, questions have a certainty of 0.",
        )
        .shown_by(once())
        .answer(|asked, answered| {
            if asked.calls("add_organization") {
                on_created(answered, |item| {
                    for (_, entry) in item["values"].as_object_mut().into_iter().flatten() {
                        if entry["status"] == "pending" {
                            entry["certainty_score"] = json!(0.0);
                        }
                    }
                });
            }
        }),
        fault(
            "new-items-are-read-late",
            adding(),
            "The values and the status of a new item are not found for 300 ms.",
        )
        .shown_by([add_organization(1001), get("/api/v1/pipelines/6/items/600002/values")])
        .planted(|_| {
            let added = Mutex::new(BTreeMap::new());
            Plant::answer(move |asked, answered| {
                let Ok(mut added) = added.lock() else { return };
                if asked.calls("add_organization") && answered.is_success() {
                    added.insert(answered.json()["pipeline_item_id"].to_string(), Instant::now());
                } else if let Some(since) = added.get(asked.segment(5))
                    && since.elapsed() < Duration::from_millis(300)
                {
                    answered.becomes(404, "item_not_found");
                }
            })
        }),
        fault(
            "first-item-beside-others-has-no-questions",
            "/components/schemas/Values",
            "The first item that is added to a pipeline with CRM sync has no questions.",
        )
        .shown_by([add(5, r#"{"organization_id": 1100}"#)])
        .answer(|_, answered| {
            answered.items(|item| {
                if item["pipeline_item_id"] == 500_016
                    && let Some(values) = item["values"].as_object_mut()
                {
                    values.retain(|column, _| !column.starts_with("question."));
                }
            });
        }),
        fault(
            "questions-are-never-asked",
            property("ColumnValue", "status"),
            "The questions of a new item stay pending, though it is ready.",
        )
        .shown_by([get("/api/v1/pipelines/6/items/600001/values")])
        .answer(|asked, answered| {
            if asked.calls("get_item_values") && asked.segment(3) == "6" {
                answered.entries(|column, entry| {
                    if column.starts_with("question.") {
                        entry["status"] = json!("pending");
                        entry["result"] = json!([]);
                        entry["certainty_score"] = Value::Null;
                    }
                });
            }
        }),
    ];
    of_responses.into_iter().chain(bodies::faults()).collect()
}

/// Answers identical requests that come while others are under way with the item of the first, changed by `change`
/// with the number of the repetition.
fn created_at_once(change: impl Fn(&mut Value, u64) + Send + Sync + 'static) -> Plant {
    let under_way = Arc::new(AtomicUsize::new(0));
    let begun = Arc::clone(&under_way);
    let begin = Plant::request(move |asked| {
        if asked.calls("add_organization") {
            begun.fetch_add(1, Ordering::SeqCst);
        }
    });
    let first = Mutex::new(None);
    let end = move |asked: &Asked, answered: &mut Answered| {
        if !asked.calls("add_organization") {
            return;
        }
        let alone = under_way.fetch_sub(1, Ordering::SeqCst) == 1;
        let Ok(mut first) = first.lock() else { return };
        if answered.status == StatusCode::CREATED {
            *first = Some((answered.clone(), 0));
        } else if answered.status == StatusCode::CONFLICT
            && !alone
            && let Some((first, repeated)) = &mut *first
        {
            *answered = first.clone();
            *repeated += 1;
            change(answered.json(), *repeated);
        }
    };
    begin.and_answer(end).delayed(Duration::from_millis(5))
}

/// The organization of a body with further keys.
fn named_with_more(asked: &Asked) -> Option<i64> {
    let body = asked.json();
    let more = body.as_object().is_some_and(|body| body.len() > 1);
    body["organization_id"]
        .as_i64()
        .filter(|_| more && asked.calls("add_organization"))
}

fn on_created(answered: &mut Answered, change: impl FnOnce(&mut Value)) {
    if answered.status == StatusCode::CREATED {
        change(answered.json());
    }
}
