//! Rules that hold nearly everywhere: they are broken on pages of one length, in one order, for one key, in one kind of
//! pipeline, or for what was just added.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::exchange::{Answered, Asked, Plant};
use crate::fault::{Family, Fault, fault, operation, parameter, property, response};
use crate::witness::{Witness, add, get};

pub(super) const FAMILY: Family = Family {
    name: "in-one-place",
    title: "Rules broken in one place",
    faults,
};

const FULL: &str = "dev-full-access";
const READER: &str = "dev-read-only";

fn faults() -> Vec<Fault> {
    let mut faults = entries();
    faults.extend(reads());
    faults.extend(pages());
    faults.extend(errors());
    faults.extend(additions());
    faults
}

/// Whether a request is by a key that only reads.
fn is_by_reader(asked: &Asked) -> bool {
    asked.header("api-key") == Some(READER)
}

fn list(pipeline_id: u64, query: &str) -> Witness {
    get(format!("/api/v1/pipelines/{pipeline_id}/items{query}"))
}

/// Whether a request lists this pipeline.
fn lists(asked: &Asked, pipeline_id: &str) -> bool {
    asked.calls("list_items") && asked.segment(3) == pipeline_id
}

fn entries() -> Vec<Fault> {
    let of = |name| property("ColumnValue", name);
    let is_on_short_page = |asked: &Asked| asked.calls("list_items") && asked.parameter("limit") == Some("3");
    vec![
        fault(
            "short-page-has-certainty",
            of("certainty_score"),
            "On a page of three items entity data has a certainty_score.",
        )
        .shown_by([list(2, "?limit=3")])
        .answer(move |asked, answered| {
            if is_on_short_page(asked) {
                answered.entries(|column, entry| {
                    if !column.starts_with("question.") {
                        entry["certainty_score"] = json!(100);
                    }
                });
            }
        }),
        fault(
            "short-page-has-status",
            of("status"),
            "On a page of three items entity data is completed.",
        )
        .shown_by([list(2, "?limit=3")])
        .answer(move |asked, answered| {
            if is_on_short_page(asked) {
                answered.entries(|column, entry| {
                    if !column.starts_with("question.") {
                        entry["status"] = json!("completed");
                    }
                });
            }
        }),
        fault(
            "reader-sees-no-provider",
            of("sync_provider"),
            "A key that only reads sees the sync_status of values, but no sync_provider.",
        )
        .shown_by([list(5, "").key(READER)])
        .answer(|asked, answered| {
            if is_by_reader(asked) {
                answered.entries(|_, entry| entry["sync_provider"] = Value::Null);
            }
        }),
        fault(
            "reader-sees-no-time",
            of("last_synced_at"),
            "A key that only reads sees that a sync succeeded, but not when.",
        )
        .shown_by([list(5, "").key(READER)])
        .answer(|asked, answered| {
            if is_by_reader(asked) {
                answered.entries(|_, entry| entry["last_synced_at"] = Value::Null);
            }
        }),
        fault(
            "last-item-first-has-other-times",
            of("last_synced_at"),
            "In descending order the time of a sync has the form of an HTTP header.",
        )
        .shown_by([list(5, "?sort_order=desc")])
        .answer(|asked, answered| {
            if lists(asked, "5") && asked.parameter("sort_order") == Some("desc") {
                answered.entries(|_, entry| {
                    if !entry["last_synced_at"].is_null() {
                        entry["last_synced_at"] = json!("Mon, 05 Jan 2026 10:00:00 GMT");
                    }
                });
            }
        }),
        fault(
            "last-item-first-is-of-tomorrow",
            of("last_synced_at"),
            "In descending order the time of a sync is of another time zone, and in the future.",
        )
        .shown_by([list(5, "?sort_order=desc")])
        .answer(|asked, answered| {
            if lists(asked, "5") && asked.parameter("sort_order") == Some("desc") {
                answered.entries(|_, entry| {
                    if !entry["last_synced_at"].is_null() {
                        entry["last_synced_at"] = json!("2999-01-05T10:00:00Z");
                    }
                });
            }
        }),
    ]
}

fn reads() -> Vec<Fault> {
    vec![
        fault(
            "reader-sees-the-opposite",
            property("ItemStatus", "is_ready"),
            "For a key that only reads is_ready is the opposite of what it is.",
        )
        .shown_by((400_001..400_017).map(|item| get(format!("/api/v1/pipelines/4/items/{item}/status")).key(READER)))
        .answer(|asked, answered| {
            if is_by_reader(asked) && asked.calls("get_item_status") && answered.is_success() {
                let is_ready = answered.json()["is_ready"] == true;
                answered.json()["is_ready"] = json!(!is_ready);
            }
        }),
        fault(
            "reader-reads-the-next-item",
            operation("get_item_values"),
            "For a key that only reads the id of a response is that of the next item.",
        )
        .shown_by([get("/api/v1/pipelines/2/items/200001/values").key(READER)])
        .answer(|asked, answered| {
            if is_by_reader(asked) && asked.calls("get_item_values") {
                answered.items(|item| {
                    let next = item["pipeline_item_id"].as_i64().map(|id| id + 1);
                    item["pipeline_item_id"] = json!(next);
                });
            }
        }),
    ]
}

fn pages() -> Vec<Fault> {
    vec![
        fault(
            "short-page-falls",
            parameter("list_items", "sort_order", "default"),
            "A page of three items is in descending order.",
        )
        .shown_by([list(2, "?limit=3")])
        .answer(|asked, answered| {
            if lists(asked, "2") && asked.query == "limit=3" {
                answered.list("items").into_iter().for_each(|items| items.reverse());
            }
        }),
        fault(
            "descending-list-begins-with-the-second",
            parameter("list_items", "sort_order", "enum"),
            "In descending order without sort_by the first two items change places.",
        )
        .shown_by([list(2, "?sort_order=desc")])
        .answer(|asked, answered| {
            let is_descending = asked.parameter("sort_order") == Some("desc") && asked.parameter("sort_by").is_none();
            if lists(asked, "2") && is_descending {
                let items = answered.list("items").filter(|items| items.len() > 2);
                items.into_iter().for_each(|items| items.swap(0, 1));
            }
        }),
        fault(
            "sorted-persons-lack-the-last",
            operation("list_items"),
            "A sorted list of persons lacks its last item.",
        )
        .shown_by([list(3, "?sort_by=question.304&sort_order=desc")])
        .answer(|asked, answered| {
            let is_sorted = lists(asked, "3") && asked.parameter("sort_by").is_some();
            if is_sorted && answered.is_success() {
                let is_shorter = answered.list("items").is_some_and(|items| items.len() > 1);
                if is_shorter && let Some(items) = answered.list("items") {
                    items.pop();
                }
            }
        }),
        fault(
            "sorted-documents-count-the-page",
            property("ItemPage", "total_count"),
            "total_count of a sorted list of documents is the number of items on the page.",
        )
        .shown_by([list(4, "?sort_by=question.404&limit=3")])
        .answer(|asked, answered| {
            if lists(asked, "4") && asked.parameter("sort_by").is_some() && answered.is_success() {
                let count = answered.list("items").map(|items| items.len());
                answered.json()["total_count"] = json!(count);
            }
        }),
    ]
}

fn errors() -> Vec<Fault> {
    let unauthorized = |operation| response(operation, 401);
    vec![
        fault(
            "keyless-list-of-nothing",
            unauthorized("list_items"),
            "An empty pipeline is listed without a key.",
        )
        .shown_by([list(7, "").key("")])
        .request(|asked| {
            if lists(asked, "7") && asked.header("api-key").is_none() {
                asked.set_header("api-key", FULL);
            }
        }),
        fault(
            "keyless-status-of-documents",
            unauthorized("get_item_status"),
            "The status of a document is shown without a key.",
        )
        .shown_by([get("/api/v1/pipelines/4/items/400001/status").key("")])
        .request(|asked| {
            let is_of_document = asked.calls("get_item_status") && asked.segment(3) == "4";
            if is_of_document && asked.header("api-key").is_none() {
                asked.set_header("api-key", FULL);
            }
        }),
        fault(
            "id-behind-the-last-document-is-the-last",
            response("get_item_values", 404),
            "In a pipeline of documents the id behind that of the last item is taken for it.",
        )
        .shown_by([get("/api/v1/pipelines/4/items/400017/values")])
        .request(|asked| {
            if asked.calls("get_item_values") && asked.segment(5) == "400017" {
                asked.set_segment(5, "400016");
            }
        }),
        fault(
            "unknown-column-behind-the-end",
            response("list_items", 400),
            "Behind the last person the column to sort by is not checked.",
        )
        .shown_by([list(3, "?sort_by=question.987654321&skip=18")])
        .request(|asked| {
            if lists(asked, "3") && asked.number("skip").is_some_and(|skip| skip >= 18) {
                asked.remove("sort_by");
            }
        }),
        fault(
            "unknown-column-for-one-item",
            response("list_items", 400),
            "Where only one item is asked for, the column to sort by is not checked.",
        )
        .shown_by([list(1, "?sort_by=question.987654321&limit=1")])
        .request(|asked| {
            let is_known = asked
                .parameter("sort_by")
                .is_some_and(|column| column.starts_with("question.10"));
            if lists(asked, "1") && asked.parameter("limit") == Some("1") && !is_known {
                asked.remove("sort_by");
            }
        }),
        fault(
            "denial-is-remembered",
            response("list_items", 200),
            "A denied request is denied once more, whatever its key.",
        )
        .shown_by([list(1, "?skip=7").key("dev-no-access"), list(1, "?skip=7")])
        .planted(|_| {
            let denied = Mutex::new(BTreeSet::new());
            Plant::answer(move |asked, answered| {
                let Ok(mut denied) = denied.lock() else { return };
                let request = format!("{}?{}", asked.path, asked.query);
                if !asked.calls("list_items") {
                    return;
                }
                if answered.status == StatusCode::FORBIDDEN {
                    denied.insert(request);
                } else if answered.is_success() && denied.remove(&request) {
                    answered.becomes(403, "authorization_denied");
                }
            })
        }),
        fault(
            "column-of-another-pipeline",
            response("list_items", 400),
            "In descending order persons can be sorted by the question of another pipeline.",
        )
        .shown_by([list(3, "?sort_by=question.101&sort_order=desc")])
        .request(|asked| {
            let is_descending = asked.parameter("sort_order") == Some("desc");
            if lists(asked, "3") && is_descending && asked.parameter("sort_by") == Some("question.101") {
                asked.remove("sort_by");
            }
        }),
    ]
}

/// Adds an organization to the pipeline with CRM sync.
fn added_to_crm(key: &str) -> Witness {
    add(5, r#"{"organization_id": 1100}"#).key(key)
}

/// Whether a request adds to the pipeline with CRM sync.
fn adds_to_crm(asked: &Asked) -> bool {
    asked.calls("add_organization") && asked.segment(3) == "5"
}

/// Whether an item of the pipeline with CRM sync is not of the built-in data.
fn is_new(item: &Value) -> bool {
    item["pipeline_id"] == 5 && item["pipeline_item_id"].as_i64().is_some_and(|id| id > 500_015)
}

fn additions() -> Vec<Fault> {
    let list_items = || operation("list_items");
    let after = |query: &str| [added_to_crm(FULL), list(5, query)];
    let without_new = |answered: &mut Answered| {
        let items = answered.list("items");
        items.into_iter().for_each(|items| items.retain(|item| !is_new(item)));
    };
    vec![
        fault(
            "keyless-addition",
            response("add_organization", 401),
            "A pipeline with CRM sync takes an organization without a key.",
        )
        .shown_by([added_to_crm("")])
        .request(|asked| {
            if adds_to_crm(asked) && asked.header("api-key").is_none() {
                asked.set_header("api-key", FULL);
            }
        }),
        fault(
            "addition-without-access",
            response("add_organization", 403),
            "A pipeline with CRM sync takes an organization from a key without access.",
        )
        .shown_by([added_to_crm("dev-no-access")])
        .request(|asked| {
            if adds_to_crm(asked) && asked.header("api-key") == Some("dev-no-access") {
                asked.set_header("api-key", FULL);
            }
        }),
        fault(
            "reader-who-has-read-adds",
            response("add_organization", 403),
            "That a key may read a pipeline with CRM sync is remembered, and taken for the permission to add to it.",
        )
        .shown_by([list(5, "").key(READER), added_to_crm(READER)])
        .planted(|_| {
            let has_read = AtomicBool::new(false);
            Plant::request(move |asked| {
                if is_by_reader(asked) && lists(asked, "5") {
                    has_read.store(true, Ordering::Relaxed);
                } else if is_by_reader(asked) && adds_to_crm(asked) && has_read.load(Ordering::Relaxed) {
                    asked.set_header("api-key", FULL);
                }
            })
        }),
        fault(
            "new-item-is-not-counted",
            property("ItemPage", "total_count"),
            "total_count of a pipeline with CRM sync is that of yesterday.",
        )
        .shown_by(after(""))
        .answer(|asked, answered| {
            if lists(asked, "5") && answered.is_success() {
                answered.json()["total_count"] = json!(15);
            }
        }),
        fault(
            "new-item-is-not-sorted",
            list_items(),
            "A sorted list of a pipeline with CRM sync lacks the items that were added.",
        )
        .shown_by(after("?sort_by=question.504"))
        .answer(move |asked, answered| {
            if lists(asked, "5") && asked.parameter("sort_by").is_some() && answered.is_success() {
                without_new(answered);
            }
        }),
        fault(
            "new-item-is-another-in-the-list",
            list_items(),
            "In the list a new item of a pipeline with CRM sync has the category of another source.",
        )
        .shown_by(after(""))
        .answer(|asked, answered| {
            if lists(asked, "5") {
                answered.items(|item| {
                    if is_new(item) {
                        let entries = item["values"].as_object_mut().into_iter().flatten();
                        entries.for_each(|(_, entry)| entry["category"] = json!("formula"));
                    }
                });
            }
        }),
        fault(
            "new-item-of-another-pipeline-id",
            response("add_organization", 201),
            "The response to an addition names the pipeline for additions, whichever one was added to.",
        )
        .shown_by([added_to_crm(FULL)])
        .answer(|asked, answered| {
            if adds_to_crm(asked) && answered.status == StatusCode::CREATED {
                answered.json()["pipeline_id"] = json!(6);
            }
        }),
    ]
}
