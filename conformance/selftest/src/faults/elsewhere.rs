//! Pipelines other than the one for additions: what is added to them, and what they are asked for.

use std::sync::Mutex;

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::exchange::{Answered, Asked, Plant};
use crate::fault::{Family, Fault, fault, header, operation, property, response};
use crate::witness::{Witness, add, get};

pub(super) const FAMILY: Family = Family {
    name: "elsewhere",
    title: "Other pipelines",
    faults,
};

/// The items of pipeline 2 with a question that has no answer.
const WITHOUT_AN_ANSWER: [&str; 5] = ["200002", "200003", "200006", "200009", "200012"];

/// Whether a request adds to this pipeline.
fn adds_to(asked: &Asked, pipeline_id: &str) -> bool {
    asked.calls("add_organization") && asked.segment(3) == pipeline_id
}

/// Adds an organization to a pipeline.
fn adding_to(pipeline_id: u64, organization_id: u64) -> Witness {
    add(pipeline_id, format!(r#"{{"organization_id": {organization_id}}}"#))
}

/// Changes the items of a pipeline after the first ones, which are in the built-in data.
fn new_items(asked: &Asked, answered: &mut Answered, pipeline_id: &str, last: i64, change: fn(&mut Value)) {
    if asked.segment(3) != pipeline_id {
        return;
    }
    answered.items(|item| {
        if item["pipeline_item_id"].as_i64().is_some_and(|id| id > last) {
            let entries = item["values"].as_object_mut().into_iter().flatten();
            entries.for_each(|(_, entry)| change(entry));
        }
    });
}

fn faults() -> Vec<Fault> {
    let created = || response("add_organization", 201);
    let conflict = || response("add_organization", 409);
    vec![
        fault(
            "first-item-has-no-id",
            created(),
            "The first item of an empty pipeline has no id in the response.",
        )
        .shown_by([adding_to(7, 1001)])
        .answer(|asked, answered| {
            if adds_to(asked, "7") && answered.status == StatusCode::CREATED {
                answered.json()["pipeline_item_id"] = Value::Null;
            }
        }),
        fault(
            "readers-add",
            response("add_organization", 403),
            "A key that only reads adds to a pipeline with CRM sync.",
        )
        .shown_by([adding_to(5, 1100).key("dev-read-only")])
        .request(|asked| {
            if adds_to(asked, "5") && asked.headers.get("api-key").is_some_and(|key| key == "dev-read-only") {
                asked.set_header("api-key", "dev-full-access");
            }
        }),
        fault(
            "adders-to-one-pipeline-add",
            response("add_organization", 403),
            "A key that reads and adds in one pipeline adds an organization that exists to one with CRM sync.",
        )
        .shown_by([adding_to(5, 1100).key("dev-writable-only")])
        .request(|asked| {
            let is_known = asked.json()["organization_id"].as_i64().is_some_and(|id| id < 10_000);
            if is_known && adds_to(asked, "5") && asked.header("api-key") == Some("dev-writable-only") {
                asked.set_header("api-key", "dev-full-access");
            }
        }),
        fault(
            "new-item-is-listed-in-a-neighbour",
            operation("list_items"),
            "What is added to the pipeline with CRM sync is also listed as the last item of another.",
        )
        .shown_by([
            adding_to(5, 1100),
            get("/api/v1/pipelines/2/items?sort_order=desc&limit=3"),
        ])
        .planted(|_| {
            let added = Mutex::new(None::<Value>);
            Plant::answer(move |asked, answered| {
                let Ok(mut added) = added.lock() else { return };
                if adds_to(asked, "5") && answered.status == StatusCode::CREATED {
                    *added = Some(answered.json().clone());
                } else if asked.calls("list_items")
                    && asked.segment(3) == "2"
                    && asked.parameter("sort_order") == Some("desc")
                    && let (Some(added), Some(items)) = (added.as_ref(), answered.list("items"))
                    && let Some(first) = items.first_mut()
                {
                    *first = added.clone();
                }
            })
        }),
        fault(
            "unknown-organization-is-added",
            response("add_organization", 404),
            "A pipeline with CRM sync takes an organization that does not exist.",
        )
        .shown_by([adding_to(5, 8_006_399_337_547_544)])
        .answer(|asked, answered| {
            if adds_to(asked, "5") && answered.status == StatusCode::NOT_FOUND {
                answered.status = StatusCode::CREATED;
            }
        }),
        fault(
            "new-item-has-an-id-of-another-pipeline",
            "/components/schemas/PipelineItemId",
            "A new item of a pipeline with CRM sync has the id of an item of another pipeline.",
        )
        .shown_by([adding_to(5, 1100)])
        .answer(|asked, answered| {
            if adds_to(asked, "5") && answered.status == StatusCode::CREATED {
                answered.json()["pipeline_item_id"] = json!(100_001);
            }
        }),
        fault(
            "location-is-no-route",
            header("Location"),
            "Location of what is added to a pipeline without CRM sync lacks the last segment.",
        )
        .shown_by([adding_to(2, 1002)])
        .answer(|asked, answered| {
            let location = answered.headers.get("location").and_then(|value| value.to_str().ok());
            let item = location
                .and_then(|path| path.strip_suffix("/values"))
                .map(str::to_owned);
            if let Some(item) = item.filter(|_| adds_to(asked, "2")) {
                answered.set_header("location", &item);
            }
        }),
        fault(
            "sync-is-pending-without-a-crm",
            property("ColumnValue", "sync_status"),
            "What is added to a pipeline without CRM sync waits for it.",
        )
        .shown_by([adding_to(2, 1002), get("/api/v1/pipelines/2/items")])
        .answer(|asked, answered| {
            new_items(asked, answered, "2", 200_012, |entry| {
                entry["sync_status"] = json!("pending");
            });
        }),
        fault(
            "new-item-loses-its-provider",
            property("ColumnValue", "sync_provider"),
            "What is added to another pipeline with CRM sync is synced with no provider.",
        )
        .shown_by([adding_to(5, 1100), get("/api/v1/pipelines/5/items")])
        .answer(|asked, answered| {
            new_items(asked, answered, "5", 500_015, |entry| {
                entry["sync_provider"] = Value::Null
            });
        }),
        fault(
            "sync-never-begins",
            operation("add_organization"),
            "What is added to another pipeline with CRM sync is never synced.",
        )
        .shown_by([adding_to(5, 1100), get("/api/v1/pipelines/5/items").later()])
        .answer(|asked, answered| {
            new_items(asked, answered, "5", 500_015, |entry| {
                entry["sync_status"] = Value::Null;
                entry["last_synced_at"] = Value::Null;
                entry["sync_error"] = Value::Null;
            });
        }),
        fault(
            "failed-sync-has-a-time",
            property("ColumnValue", "last_synced_at"),
            "What is added to another pipeline with CRM sync is not synced, and has the time of a sync.",
        )
        .shown_by([adding_to(5, 1100), get("/api/v1/pipelines/5/items").later()])
        .answer(|asked, answered| {
            new_items(asked, answered, "5", 500_015, |entry| {
                if !entry["sync_status"].is_null() {
                    entry["sync_status"] = json!("error");
                    entry["sync_error"] = json!("The CRM rejected the value.");
                    entry["last_synced_at"] = json!("2026-01-05T10:00:00Z");
                }
            });
        }),
        fault(
            "new-sync-has-the-date-of-a-header",
            property("ColumnValue", "last_synced_at"),
            "What is added to another pipeline with CRM sync is synced at a time in the form of an HTTP header.",
        )
        .shown_by([adding_to(5, 1100), get("/api/v1/pipelines/5/items").later()])
        .answer(|asked, answered| {
            new_items(asked, answered, "5", 500_015, |entry| {
                if !entry["sync_status"].is_null() {
                    entry["sync_status"] = json!("success");
                    entry["last_synced_at"] = json!("Mon, 05 Jan 2026 10:00:00 GMT");
                }
            });
        }),
        fault(
            "new-items-never-have-entity-data",
            operation("add_organization"),
            "The entity data of what is added to another pipeline never becomes ready.",
        )
        .shown_by([
            adding_to(5, 1100),
            get("/api/v1/pipelines/5/items/500016/status").later(),
        ])
        .answer(|asked, answered| {
            let is_new = asked.segment(3) == "5" && asked.segment(5).parse().is_ok_and(|id: u64| id > 500_015);
            if asked.calls("get_item_status") && is_new && answered.is_success() {
                answered.json()["platform_entity_data_ready"] = json!(false);
                answered.json()["is_ready"] = json!(false);
            }
        }),
        fault(
            "without-questions-never-ready",
            property("ItemStatus", "is_ready"),
            "What is added to a pipeline without questions is never ready, although all its stages are done.",
        )
        .shown_by([adding_to(7, 1001), get("/api/v1/pipelines/7/items/600002/status")])
        .answer(|asked, answered| {
            if asked.calls("get_item_status") && asked.segment(3) == "7" && answered.is_success() {
                answered.json()["is_ready"] = json!(false);
            }
        }),
        fault(
            "without-questions-never-answered",
            property("ItemStatus", "custom_questions_answered"),
            "The questions of an item in a pipeline without questions are never answered, and it is never ready.",
        )
        .shown_by([adding_to(7, 1001), get("/api/v1/pipelines/7/items/600002/status")])
        .answer(|asked, answered| {
            if asked.calls("get_item_status") && asked.segment(3) == "7" && answered.is_success() {
                answered.json()["custom_questions_answered"] = json!(false);
                answered.json()["is_ready"] = json!(false);
            }
        }),
        fault(
            "without-an-answer-not-answered",
            property("ItemStatus", "custom_questions_answered"),
            "An item whose question was executed without an answer is not answered.",
        )
        .shown_by([get("/api/v1/pipelines/2/items/200002/status")])
        .answer(|asked, answered| {
            if asked.calls("get_item_status") && WITHOUT_AN_ANSWER.contains(&asked.segment(5)) && answered.is_success()
            {
                answered.json()["custom_questions_answered"] = json!(false);
                answered.json()["is_ready"] = json!(false);
            }
        }),
        fault(
            "documents-are-never-answered",
            property("ItemStatus", "custom_questions_answered"),
            "In a pipeline of documents, no item is ever answered.",
        )
        .shown_by([get("/api/v1/pipelines/4/items/400001/status")])
        .answer(|asked, answered| {
            if asked.calls("get_item_status") && asked.segment(3) == "4" && answered.is_success() {
                answered.json()["custom_questions_answered"] = json!(false);
                answered.json()["is_ready"] = json!(false);
            }
        }),
        fault(
            "reader-of-a-pipeline-adds-to-it",
            response("add_organization", 403),
            "A key that reads one pipeline may add to it.",
        )
        .shown_by([adding_to(2, 987_654_321).key("dev-one-pipeline")])
        .request(|asked| {
            if adds_to(asked, "2") && asked.header("api-key") == Some("dev-one-pipeline") {
                asked.set_header("api-key", "dev-full-access");
            }
        }),
        fault(
            "documents-take-an-organization",
            response("add_organization", 400),
            "A pipeline of documents takes an organization.",
        )
        .shown_by([adding_to(4, 1001)])
        .answer(|asked, answered| {
            if adds_to(asked, "4") && answered.code() == "not_an_organization_pipeline" {
                answered.status = StatusCode::CREATED;
            }
        }),
        fault(
            "organization-of-the-last-item-is-not-there",
            conflict(),
            "The organization of the last item of a long list can be added again.",
        )
        .shown_by([adding_to(1, 1919)])
        .answer(|asked, answered| {
            let is_last = adds_to(asked, "1") && asked.json()["organization_id"] == 1919;
            if is_last && answered.code() == "organization_already_in_pipeline" {
                answered.status = StatusCode::CREATED;
            }
        }),
        fault(
            "next-organization-is-there",
            response("add_organization", 404),
            "An id just above those of the organizations is taken for one that is in the pipeline.",
        )
        .shown_by([adding_to(6, 2332)])
        .answer(|asked, answered| {
            let organization = asked.json()["organization_id"].as_i64();
            let is_above = organization.is_some_and(|id| (2332..20_000).contains(&id));
            if is_above && answered.code() == "organization_not_found" {
                answered.becomes(409, "organization_already_in_pipeline");
            }
        }),
        fault(
            "greatest-organization-is-there",
            response("add_organization", 404),
            "The greatest ids are taken for those of organizations that are in the pipeline.",
        )
        .shown_by([adding_to(6, 9_007_199_254_740_991)])
        .answer(|asked, answered| {
            let organization = asked.json()["organization_id"].as_i64();
            let is_greatest = organization.is_some_and(|id| id > 9_007_199_254_740_000);
            if is_greatest && answered.code() == "organization_not_found" {
                answered.becomes(409, "organization_already_in_pipeline");
            }
        }),
        fault(
            "unknown-item-of-an-empty-pipeline-is-of-another",
            response("get_item_status", 404),
            "An empty pipeline says of an unknown item that it is in another one.",
        )
        .shown_by([get("/api/v1/pipelines/7/items/987654321/status")])
        .answer(|asked, answered| {
            if asked.segment(3) == "7" && answered.code() == "item_not_found" {
                answered.becomes(400, "item_not_in_pipeline");
            }
        }),
        fault(
            "second-id-is-not-told",
            response("get_item_values", 422),
            "Of two malformed ids in a path only the first is reported.",
        )
        .shown_by([get("/api/v1/pipelines/x/items/y/values")])
        .answer(|_, answered| {
            if answered.code() == "validation_failed"
                && let Some(errors) = answered.list("errors")
            {
                let is_item = |error: &Value| error["loc"][1] == "pipeline_item_id";
                let is_pipeline = |error: &Value| error["loc"][1] == "pipeline_id";
                if errors.iter().any(is_pipeline) {
                    errors.retain(|error| !is_item(error));
                }
            }
        }),
    ]
}
