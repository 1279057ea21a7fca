//! Additions with a wrong response or a wrong effect.

use std::collections::{BTreeMap, BTreeSet};
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
    let request = |keyword: &str| format!("/components/schemas/AddOrganizationRequest/{keyword}");
    let once = || [add_organization(1001)];
    let twice = || [add_organization(1001), add_organization(1001)];
    vec![
        fault("is-200", created(), "An addition is answered 200.")
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
            "white-space-before-a-body",
            operation("add_organization"),
            "A body has to begin with a brace.",
        )
        .shown_by([add(6, "\n {\"organization_id\": 8006399337547544}")])
        .answer(|asked, answered| {
            if answered.code() == "organization_not_found" && asked.body.first() != Some(&b'{') {
                answered.becomes(422, "validation_failed");
            }
        }),
        fault(
            "escapes-in-keys-are-not-read",
            request("required"),
            "A key of the body is not found if a character of it is escaped.",
        )
        .shown_by([add(6, r#"{"organization\u005fid": 1001}"#)])
        .request(|asked| {
            if asked.calls("add_organization") && asked.body.windows(6).any(|text| text == br"\u005f") {
                asked.body = "{}".into();
            }
        }),
        fault(
            "comments-are-skipped",
            request("type"),
            "A comment in the body is skipped.",
        )
        .shown_by([add(6, r#"{"organization_id": 1001 /* new */}"#)])
        .request(|asked| {
            let text = String::from_utf8_lossy(&asked.body).into_owned();
            if let Some((before, rest)) = text.split_once("/*")
                && let Some((_, after)) = rest.split_once("*/")
                && asked.calls("add_organization")
            {
                asked.body = format!("{before}{after}").into();
            }
        }),
        fault(
            "is-202",
            created(),
            "An addition is answered 202 with only the id of the item.",
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
            "An addition is answered with the organization alone.",
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
            "A second addition is answered like the first one.",
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
            "A second addition is answered 204.",
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
            "More than one of several concurrent requests is answered 201.",
        )
        .shown_by([add_organization(1001).times_at_once(3)])
        .planted(|_| created_at_once(|_, _| ())),
        fault(
            "at-once-are-several-items",
            response("add_organization", 409),
            "Each of several concurrent requests is answered 201, with an item of its own.",
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
            "An addition is answered 201, and nothing is added.",
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
            "missing-id-has-no-place",
            property("FieldError", "loc"),
            "The error about a missing organization_id names the body alone.",
        )
        .shown_by([add(6, "{}")])
        .answer(|asked, answered| {
            if asked.calls("add_organization") && answered.code() == "validation_failed" {
                for error in answered.list("errors").into_iter().flatten() {
                    if error["type"] == "missing" {
                        error["loc"] = json!(["body"]);
                    }
                }
            }
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
            "further-keys-are-ignored",
            request("additionalProperties"),
            "A body with unknown keys is accepted.",
        )
        .shown_by([add(6, r#"{"organization_id": 1001, "note": 1}"#)])
        .request(|asked| {
            let id = asked.json()["organization_id"].as_i64();
            if asked.calls("add_organization")
                && let Some(id) = id
            {
                asked.body = json!({ "organization_id": id }).to_string().into();
            }
        }),
        fault(
            "pipeline-in-the-body-is-ignored",
            request("additionalProperties"),
            "A body that names a pipeline as well is accepted.",
        )
        .shown_by([add(6, r#"{"organization_id": 1001, "pipeline_id": 6}"#)])
        .request(|asked| {
            let mut body = asked.json();
            if asked.calls("add_organization")
                && let Some(members) = body.as_object_mut()
                && members.remove("pipeline_id").is_some()
            {
                asked.body = body.to_string().into();
            }
        }),
        fault(
            "text-is-a-number",
            "/components/schemas/OrganizationId/type",
            "An organization may be given as a string.",
        )
        .shown_by([
            add(6, r#"{"organization_id": "1001"}"#),
            add(6, r#"{"organization_id": "1"}"#),
        ])
        .request(|asked| {
            let id = asked.json()["organization_id"]
                .as_str()
                .and_then(|text| text.parse::<i64>().ok());
            if asked.calls("add_organization")
                && let Some(id) = id
            {
                asked.body = json!({ "organization_id": id }).to_string().into();
            }
        }),
        fault(
            "fraction-is-cut",
            "/components/schemas/OrganizationId/type",
            "Organization 1.5 is treated as 1.",
        )
        .shown_by([add(6, r#"{"organization_id": 1.5}"#)])
        .request(|asked| {
            let id = asked.json()["organization_id"].as_f64().filter(|id| id.fract() != 0.0);
            if asked.calls("add_organization")
                && let Some(id) = id
            {
                asked.body = format!("{{\"organization_id\": {}}}", id.trunc()).into();
            }
        }),
        fault(
            "zero-is-not-found",
            "/components/schemas/OrganizationId/minimum",
            "Organization 0 is answered 404.",
        )
        .shown_by([add(6, r#"{"organization_id": 0}"#)])
        .request(|asked| {
            if asked.calls("add_organization") && asked.json()["organization_id"] == 0 {
                asked.body = json!({ "organization_id": 999_999_999 }).to_string().into();
            }
        }),
        fault(
            "huge-is-not-found",
            "/components/schemas/OrganizationId/maximum",
            "An organization above the greatest id is answered 404.",
        )
        .shown_by([add(6, r#"{"organization_id": 9007199254740992}"#)])
        .request(|asked| {
            let id = asked.json()["organization_id"].as_i64();
            if asked.calls("add_organization") && id.is_some_and(|id| id > 9_007_199_254_740_991) {
                asked.body = json!({ "organization_id": 999_999_999 }).to_string().into();
            }
        }),
        fault(
            "empty-body-is-not-found",
            format!("{}/requestBody/required", adding()),
            "A request without a body is answered 404.",
        )
        .shown_by([add(6, "")])
        .answer(|asked, answered| {
            if asked.calls("add_organization") && answered.status == 422 && asked.body.is_empty() {
                answered.becomes(404, "organization_not_found");
            }
        }),
        fault(
            "bytes-are-json",
            response("add_organization", 415),
            "A body of the type application/octet-stream is read.",
        )
        .shown_by([add_organization(1001).header("content-type", "application/octet-stream")])
        .request(|asked| {
            if asked.calls("add_organization") && asked.header("content-type") == Some("application/octet-stream") {
                asked.set_header("content-type", "application/json");
            }
        }),
        fault(
            "data-is-unwrapped",
            request("required"),
            "A body within an object with the key data is read.",
        )
        .shown_by([add(6, r#"{"data": {"organization_id": 1001}}"#)])
        .request(|asked| {
            let wrapped = asked.json()["data"].clone();
            if asked.calls("add_organization") && wrapped.is_object() {
                asked.body = wrapped.to_string().into();
            }
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
            "list-of-one-is-unwrapped",
            "/paths/~1api~1v1~1pipelines~1{pipeline_id}~1organizations/post/requestBody",
            "A body that is a list of one object is read as that object.",
        )
        .shown_by([add(6, r#"[{"organization_id": 1001}]"#)])
        .request(|asked| {
            if let (true, Some([one])) = (
                asked.calls("add_organization"),
                asked.json().as_array().map(Vec::as_slice),
            ) {
                asked.body = one.to_string().into();
            }
        }),
        fault(
            "any-type-is-read",
            response("add_organization", 415),
            "A body of any media type is read.",
        )
        .shown_by([add_organization(1001).header("content-type", "text/plain")])
        .request(|asked| {
            if asked.calls("add_organization") {
                asked.set_header("content-type", "application/json");
            }
        }),
        fault(
            "missing-type-is-json",
            response("add_organization", 415),
            "A body without a type is treated as JSON.",
        )
        .shown_by([add_organization(1001).header("content-type", "")])
        .request(|asked| {
            if asked.calls("add_organization") && asked.header("content-type").is_none() {
                asked.set_header("content-type", "application/json");
            }
        }),
        fault(
            "parameters-are-refused",
            response("add_organization", 415),
            "application/json with a charset is rejected.",
        )
        .shown_by([add_organization(1001).header("content-type", "application/json; charset=utf-8")])
        .request(|asked| {
            if asked.header("content-type").is_some_and(|text| text.contains(';')) {
                asked.set_header("content-type", "text/plain");
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
            "first-empty-body-adds-an-item",
            request("required"),
            "The first empty object that is sent to a pipeline adds an item without an organization.",
        )
        .shown_by([add(6, "{}")])
        .planted(|_| {
            let added = Mutex::new(BTreeSet::new());
            Plant::answer(move |asked, answered| {
                let is_empty = asked.calls("add_organization") && asked.json() == json!({});
                let Ok(mut added) = added.lock() else { return };
                if is_empty && answered.code() == "validation_failed" && added.insert(asked.segment(3).to_owned()) {
                    answered.succeeds(&json!({
                        "pipeline_id": asked.segment(3).parse().unwrap_or(0_u64),
                        "pipeline_item_id": 700_000 + added.len(),
                        "entity_type": "organization",
                        "organization_id": null,
                        "person_id": null,
                        "document_id": null,
                        "values": {},
                    }));
                    answered.status = StatusCode::CREATED;
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
            "longer-body-is-read",
            response("add_organization", 413),
            "A body of more than 65536 bytes is read.",
        )
        .shown_by([add(6, format!("{{\"organization_id\": 1001}}{}", " ".repeat(65_536)))])
        .request(|asked| {
            if asked.calls("add_organization") && asked.body.len() > 65_536 {
                asked.body = asked.body.trim_ascii().to_vec().into();
            }
        }),
        fault(
            "longest-body-is-refused",
            format!("{}/requestBody", adding()),
            "A body of 65536 bytes is rejected.",
        )
        .shown_by([add(6, format!("{{\"organization_id\": 1001}}{}", " ".repeat(65_511)))])
        .answer(|asked, answered| {
            if asked.calls("add_organization") && asked.body.len() == 65_536 && answered.status != 401 {
                answered.becomes(413, "body_too_large");
            }
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
    ]
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
