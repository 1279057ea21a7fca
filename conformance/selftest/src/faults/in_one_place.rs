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

/// A fault that changes the entries of the items in the responses to some requests.
fn entry(
    name: &str,
    about: &str,
    wrong: &'static str,
    (witness, is_shown): (Witness, fn(&Asked) -> bool),
    change: fn(&str, &mut Value),
) -> Fault {
    fault(name, property("ColumnValue", about), wrong)
        .shown_by([witness])
        .answer(move |asked, answered| {
            if is_shown(asked) {
                answered.entries(change);
            }
        })
}

/// Sets a member of an entry of entity data.
fn set_of_entity(column: &str, member: &mut Value, value: Value) {
    if !column.starts_with("question.") {
        *member = value;
    }
}

/// Replaces a time.
fn set_time(time: &mut Value, text: &str) {
    if !time.is_null() {
        *time = text.into();
    }
}

fn entries() -> Vec<Fault> {
    type Place = (Witness, fn(&Asked) -> bool);
    let on_short_page = || -> Place {
        let is_shown = |asked: &Asked| asked.calls("list_items") && asked.parameter("limit") == Some("3");
        (list(2, "?limit=3"), is_shown)
    };
    let in_descending_list = || -> Place {
        let is_shown = |asked: &Asked| lists(asked, "5") && asked.parameter("sort_order") == Some("desc");
        (list(5, "?sort_order=desc"), is_shown)
    };
    let by_reader = || -> Place { (list(5, "").key(READER), is_by_reader) };
    vec![
        entry(
            "short-page-has-certainty",
            "certainty_score",
            "On a page of three items entity data has a certainty_score.",
            on_short_page(),
            |column, entry| set_of_entity(column, &mut entry["certainty_score"], json!(100)),
        ),
        entry(
            "short-page-has-status",
            "status",
            "On a page of three items entity data is completed.",
            on_short_page(),
            |column, entry| set_of_entity(column, &mut entry["status"], json!("completed")),
        ),
        entry(
            "reader-sees-no-provider",
            "sync_provider",
            "A key that only reads sees the sync_status of values, but no sync_provider.",
            by_reader(),
            |_, entry| entry["sync_provider"] = Value::Null,
        ),
        entry(
            "reader-sees-no-time",
            "last_synced_at",
            "A key that only reads sees that a sync succeeded, but not when.",
            by_reader(),
            |_, entry| entry["last_synced_at"] = Value::Null,
        ),
        entry(
            "descending-list-has-other-times",
            "last_synced_at",
            "In descending order the time of a sync has the form of an HTTP header.",
            in_descending_list(),
            |_, entry| set_time(&mut entry["last_synced_at"], "Mon, 05 Jan 2026 10:00:00 GMT"),
        ),
        entry(
            "descending-list-has-future-times",
            "last_synced_at",
            "In descending order the time of a sync is in the future.",
            in_descending_list(),
            |_, entry| set_time(&mut entry["last_synced_at"], "2999-01-05T10:00:00Z"),
        ),
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
            "synced-pipeline-has-a-default-of-two",
            parameter("list_items", "limit", "default"),
            "Without limit, a page of a pipeline with CRM sync has two items at most.",
        )
        .shown_by([list(5, "")])
        .request(|asked| {
            if lists(asked, "5") {
                asked.default("limit", 2);
            }
        }),
        fault(
            "later-page-for-a-reader-lacks-the-last",
            operation("list_items"),
            "For a key that only reads, a page after the first lacks its last item.",
        )
        .shown_by([list(5, "?skip=1").key(READER)])
        .answer(|asked, answered| {
            let is_later = asked.number("skip").is_some_and(|skip| skip > 0);
            if is_by_reader(asked) && asked.calls("list_items") && is_later && answered.is_success() {
                answered.list("items").into_iter().for_each(|items| {
                    items.pop();
                });
            }
        }),
        fault(
            "values-name-the-next-document",
            property("PipelineItem", "document_id"),
            "In the values of a document document_id is that of the next one.",
        )
        .shown_by([get("/api/v1/pipelines/4/items/400001/values")])
        .answer(|asked, answered| {
            if asked.calls("get_item_values") && asked.segment(3) == "4" && answered.is_success() {
                answered.items(|item| {
                    let next = item["document_id"].as_i64().map(|id| id + 1);
                    item["document_id"] = json!(next);
                });
            }
        }),
        fault(
            "last-person-is-listed-under-another-id",
            "/components/schemas/PipelineItemId",
            "The last item of a pipeline of persons is listed under the id after its own, which no item has.",
        )
        .shown_by([list(3, "?skip=17")])
        .answer(|asked, answered| {
            if lists(asked, "3") && answered.is_success() {
                answered.items(|item| {
                    if item["pipeline_item_id"] == 300_018 {
                        item["pipeline_item_id"] = json!(300_019);
                    }
                });
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
            "organization-of-a-shard-is-unknown",
            response("search_organizations_by_organization", 404),
            "A known organization whose id is divisible by three is not found.",
        )
        .shown_by([get("/search/organizations/1002/similar")])
        .answer(|asked, answered| {
            let is_of_shard = asked.segment(2).parse().is_ok_and(|id: u64| id.is_multiple_of(3));
            if asked.calls("search_organizations_by_organization") && is_of_shard && answered.is_success() {
                answered.becomes(404, "organization_not_found");
            }
        }),
        fault(
            "id-after-the-last-document-is-the-last",
            response("get_item_values", 404),
            "In a pipeline of documents the id after that of the last item is taken for it.",
        )
        .shown_by([get("/api/v1/pipelines/4/items/400017/values")])
        .request(|asked| {
            if asked.calls("get_item_values") && asked.segment(5) == "400017" {
                asked.set_segment(5, "400016");
            }
        }),
        fault(
            "unknown-column-past-the-end",
            response("list_items", 400),
            "Past the end of a list of persons, sort_by is not checked.",
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
            "With limit=1, sort_by is not checked.",
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
            "After a request was denied, the same request is denied to another key too.",
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
            "A key that has read a pipeline with CRM sync may add to it.",
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
            "total_count of a pipeline with CRM sync does not include new items.",
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
            "The response to an addition to the pipeline with CRM sync names another pipeline.",
        )
        .shown_by([added_to_crm(FULL)])
        .answer(|asked, answered| {
            if adds_to_crm(asked) && answered.status == StatusCode::CREATED {
                answered.json()["pipeline_id"] = json!(6);
            }
        }),
    ]
}
