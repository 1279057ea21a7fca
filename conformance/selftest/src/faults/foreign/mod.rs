//! Departures from what the source states, in deployments that share no code with the reference server and are checked
//! only against what is stated.

mod searches;

use serde_json::json;

use crate::exchange::{Answered, Asked};
use crate::fault::{Family, Fault, fault, parameter, property, response};
use crate::foreign::asgi::habits::Habits;
use crate::foreign::{ASGI, Deployment, SERVLET, asgi};
use crate::witness::{Witness, add, get, request};
use platform_contract::Contract;

pub(super) const FAMILY: Family = Family {
    name: "foreign",
    title: "Other deployments, by what the source states",
    faults,
};

fn faults() -> Vec<Fault> {
    let mut faults = of_asgi();
    faults.extend(of_servlet());
    faults.extend(searches::faults());
    faults
}

/// A read with the key of a deployment.
fn read(deployment: Deployment, path: &str) -> Witness {
    get(path).key(deployment.key)
}

const MANY: &str = "/api/v1/pipelines/11/items";
const ITEM: &str = "/api/v1/pipelines/11/items/1100003";

/// An empty key that lists the items of a deployment.
fn empty_key_opens(name: &'static str, deployment: Deployment, items: &'static str) -> Fault {
    fault(name, response("list_items", 401), "An empty key is accepted.")
        .of(deployment)
        .shown_by([request("GET", items).header("api-key", " ")])
        .request(move |asked| {
            let key = asked.headers.get("api-key");
            if key.is_some_and(|key| key.as_bytes().trim_ascii().is_empty()) {
                asked.set_header("api-key", deployment.key);
            }
        })
}

fn of_asgi() -> Vec<Fault> {
    let planted =
        |name, clause: String, wrong, path: &str| fault(name, clause, wrong).of(ASGI).shown_by([read(ASGI, path)]);
    let list = |name, keyword| parameter("list_items", name, keyword);
    let place = |name| place("list_items", name);
    vec![
        planted(
            "asgi-default-is-50",
            list("limit", "default"),
            "Without limit a list has 50 items.",
            MANY,
        )
        .request(|asked| {
            if asked.calls("list_items") {
                asked.default("limit", 50);
            }
        }),
        planted(
            "asgi-no-maximum",
            list("limit", "maximum"),
            "A limit of 1001 returns 1001 items.",
            &format!("{MANY}?limit=1001"),
        )
        .instead(|| {
            asgi::router(Habits {
                many: 1050,
                maximum: 5000,
                ..Habits::default()
            })
        }),
        planted(
            "asgi-descending-ascends",
            list("sort_order", "enum"),
            "desc sorts as asc does.",
            &format!("{MANY}?sort_by=question.fit&sort_order=desc"),
        )
        .request(|asked| asked.remove("sort_order")),
        planted(
            "asgi-default-descends",
            list("sort_order", "default"),
            "Without sort_order a column descends.",
            &format!("{MANY}?sort_by=question.fit"),
        )
        .request(|asked| {
            if asked.parameter("sort_by").is_some() {
                asked.default("sort_order", "desc");
            }
        }),
        planted(
            "asgi-later-page-has-one-more",
            place("limit"),
            "A sorted page after the first has one item more than limit.",
            &format!("{MANY}?sort_by=question.fit&skip=1&limit=2"),
        )
        .request(|asked| {
            if asked.parameter("sort_by").is_some() && asked.parameter("skip").is_some_and(|skip| skip != "0") {
                asked.change("limit", |limit| limit + 1);
            }
        }),
        planted(
            "asgi-skip-counts-from-one",
            place("skip"),
            "skip=1 skips nothing.",
            &format!("{MANY}?skip=1"),
        )
        .request(|asked| asked.change("skip", |skip| (skip - 1).max(0))),
        planted(
            "asgi-total-of-page",
            "/components/schemas/ItemPage/properties/total_count".to_owned(),
            "total_count is the number of items on the page.",
            MANY,
        )
        .answer(|asked, answered| {
            if asked.calls("list_items") && answered.is_success() {
                let count = answered.list("items").map_or(0, |items| items.len());
                answered.json()["total_count"] = json!(count);
            }
        }),
        planted(
            "asgi-ids-descend",
            place("sort_by"),
            "Without sort_by the newest item comes first.",
            MANY,
        )
        .answer(|asked, answered| {
            if asked.calls("list_items") && asked.parameter("sort_by").is_none() {
                answered.list("items").into_iter().for_each(|items| items.reverse());
            }
        }),
        planted(
            "asgi-certainty-of-101",
            property("ColumnValue", "certainty_score"),
            "A certainty_score is 101.",
            MANY,
        )
        .answer(|_, answered| {
            answered.entries(|_, entry| {
                if entry["certainty_score"] == 70 {
                    entry["certainty_score"] = json!(101)
                }
            })
        }),
        planted(
            "asgi-another-status",
            "/components/schemas/ExecutionStatus".to_owned(),
            "A question that failed has the status error.",
            MANY,
        )
        .answer(|_, answered| {
            answered.entries(|_, entry| {
                if entry["status"] == "failed" {
                    entry["status"] = json!("error")
                }
            })
        }),
        planted(
            "asgi-another-kind",
            "/components/schemas/EntityType".to_owned(),
            "An organization has the entity_type company.",
            MANY,
        )
        .answer(|_, answered| {
            answered.items(|item| {
                if item["entity_type"] == "organization" {
                    item["entity_type"] = json!("company")
                }
            })
        }),
        planted(
            "asgi-no-organization-id",
            "/components/schemas/PipelineItem".to_owned(),
            "The values of an item lack organization_id.",
            &format!("{ITEM}/values"),
        )
        .answer(|asked, answered| {
            if asked.calls("get_item_values")
                && let Some(item) = answered.json().as_object_mut()
            {
                item.remove("organization_id");
            }
        }),
        planted(
            "asgi-always-ready",
            property("ItemStatus", "is_ready"),
            "is_ready is true although the document is not indexed.",
            &format!("{ITEM}/status"),
        )
        .answer(|asked, answered| {
            if asked.calls("get_item_status") && answered.is_success() {
                answered.json()["is_ready"] = json!(true);
            }
        }),
        planted(
            "asgi-unknown-pipeline-is-empty",
            response("list_items", 404),
            "A pipeline that does not exist is an empty list.",
            "/api/v1/pipelines/9999/items",
        )
        .answer(|asked, answered| {
            if asked.calls("list_items") && answered.status == 404 {
                answered.succeeds(&json!({"pipeline_id": 9999, "total_count": 0, "items": []}));
            }
        }),
        planted(
            "asgi-unknown-column-is-ignored",
            response("list_items", 400),
            "A column that is not found is ignored.",
            &format!("{MANY}?sort_by=question.none"),
        )
        .request(|asked| {
            if asked
                .parameter("sort_by")
                .is_some_and(|column| !["question.fit", "question.stage"].contains(&column))
            {
                asked.remove("sort_by");
            }
        }),
        planted(
            "asgi-any-pipeline-will-do",
            response("get_item_values", 400),
            "An item of another pipeline is found.",
            "/api/v1/pipelines/12/items/1100003/values",
        )
        .request(|asked| {
            let pipeline = asked.segment(5).chars().take(2).collect::<String>();
            if asked.segment(4) == "items" && asked.segment(5).len() == 7 {
                asked.set_segment(3, pipeline);
            }
        }),
        empty_key_opens("asgi-empty-key-opens", ASGI, MANY),
        fault(
            "asgi-added-is-200",
            response("add_organization", 201),
            "An addition gets 200.",
        )
        .of(ASGI)
        .shown_by([add(14, r#"{"organization_id": 9001}"#).key(ASGI.key)])
        .answer(|asked, answered| {
            if asked.calls("add_organization") && answered.status == 201 {
                answered.status = axum::http::StatusCode::OK
            }
        }),
        fault(
            "asgi-adds-another",
            response("add_organization", 201),
            "The new item names another organization.",
        )
        .of(ASGI)
        .shown_by([add(14, r#"{"organization_id": 9001}"#).key(ASGI.key)])
        .answer(|asked, answered| {
            if asked.calls("add_organization") && answered.status == 201 {
                answered.json()["organization_id"] = json!(9999)
            }
        }),
    ]
}

fn of_servlet() -> Vec<Fault> {
    let items = "/api/v1/pipelines/7001/items";
    let item = "/api/v1/pipelines/7001/items/7000999999";
    let planted = |name, clause: String, wrong, path: &str| {
        fault(name, clause, wrong).of(SERVLET).shown_by([read(SERVLET, path)])
    };
    vec![
        fault(
            "servlet-no-key-will-do",
            response("list_items", 401),
            "A request without a key is answered.",
        )
        .of(SERVLET)
        .shown_by([request("GET", items).key("")])
        .request(|asked| {
            if asked.header("api-key").is_none() {
                asked.set_header("api-key", SERVLET.key)
            }
        }),
        empty_key_opens("servlet-empty-key-opens", SERVLET, "/api/v1/pipelines/7001/items"),
        fault(
            "servlet-no-key-is-403",
            response("get_item_status", 401),
            "A status without a key gets 403.",
        )
        .of(SERVLET)
        .shown_by([request("GET", format!("{item}/status")).key("")])
        .answer(|asked, answered| {
            if asked.calls("get_item_status") && answered.status == 401 {
                answered.status = axum::http::StatusCode::FORBIDDEN
            }
        }),
        fault(
            "servlet-denied-is-404",
            response("get_item_values", 403),
            "A key that is denied gets 404.",
        )
        .of(SERVLET)
        .shown_by([get(format!("{item}/values")).key("srv.4b7e.nobody")])
        .answer(|_, answered| {
            if answered.status == 403 {
                answered.status = axum::http::StatusCode::NOT_FOUND
            }
        }),
        planted(
            "servlet-unknown-item-is-400",
            response("get_item_values", 404),
            "An item that does not exist gets 400.",
            "/api/v1/pipelines/7001/items/5/values",
        )
        .answer(|asked, answered| {
            if asked.path.ends_with("/values") && answered.status == 404 {
                answered.status = axum::http::StatusCode::BAD_REQUEST;
            }
        }),
        planted(
            "servlet-unknown-column-is-422",
            response("list_items", 400),
            "A column that is not found gets 422.",
            &format!("{items}?sort_by=question.99"),
        )
        .answer(|asked, answered| {
            if asked.parameter("sort_by").is_some() && answered.status == 400 {
                answered.status = axum::http::StatusCode::UNPROCESSABLE_ENTITY;
            }
        }),
        planted(
            "servlet-other-values",
            "/components/schemas/PipelineItem".to_owned(),
            "The values of an item are a list of entries.",
            &format!("{item}/values"),
        )
        .answer(|_, answered| {
            answered.items(|item| item["values"] = json!([item["values"].take()]));
        }),
        planted(
            "servlet-data-has-a-status",
            "/components/schemas/ExecutionStatus".to_owned(),
            "Entity data has the status completed.",
            items,
        )
        .answer(|_, answered| {
            answered.entries(|_, entry| {
                if entry["status"].is_null() {
                    entry["status"] = json!("completed")
                }
            })
        }),
        planted(
            "servlet-status-is-a-word",
            "/components/schemas/ItemStatus".to_owned(),
            "is_ready is a word.",
            &format!("{item}/status"),
        )
        .answer(|asked, answered| {
            if asked.calls("get_item_status") && answered.is_success() {
                answered.json()["is_ready"] = json!("ready");
            }
        }),
        planted(
            "servlet-pages-of-20",
            place("list_items", "limit"),
            "No page has more than 20 items.",
            &format!("{items}?limit=100"),
        )
        .request(|asked| asked.change("limit", |limit| if limit > 0 { limit.min(20) } else { limit })),
        planted(
            "servlet-sync-is-ok",
            "/components/schemas/SyncStatus".to_owned(),
            "A sync that succeeded has the status ok.",
            items,
        )
        .answer(|_, answered| {
            answered.entries(|_, entry| {
                if entry["sync_status"] == "success" {
                    entry["sync_status"] = json!("ok")
                }
            })
        }),
        planted(
            "servlet-another-source",
            "/components/schemas/ValueCategory".to_owned(),
            "A value has the category gpt.",
            items,
        )
        .answer(|_, answered| {
            answered.entries(|_, entry| {
                if entry["category"] == "llm" {
                    entry["category"] = json!("gpt")
                }
            })
        }),
        fault(
            "servlet-reader-adds",
            response("add_organization", 403),
            "A key without the permission to add adds.",
        )
        .of(SERVLET)
        .shown_by([add(7004, r#"{"organization_id": 60001}"#).key("srv.4b7e.reader")])
        .request(|asked| {
            if asked.calls("add_organization") && asked.header("api-key") == Some("srv.4b7e.reader") {
                asked.set_header("api-key", SERVLET.key)
            }
        }),
        fault(
            "servlet-adds-twice",
            response("add_organization", 409),
            "An organization that is there already gets 201.",
        )
        .of(SERVLET)
        .shown_by([add(7004, r#"{"organization_id": 60001}"#)
            .key(SERVLET.key)
            .times_at_once(2)])
        .answer(|asked, answered| accepts(asked, answered, 422)),
        fault(
            "servlet-adds-to-persons",
            response("add_organization", 400),
            "A pipeline of persons takes an organization.",
        )
        .of(SERVLET)
        .shown_by([add(7002, r#"{"organization_id": 60001}"#).key(SERVLET.key)])
        .answer(|asked, answered| accepts(asked, answered, 409)),
        fault(
            "servlet-adds-what-is-not",
            response("add_organization", 404),
            "An organization that does not exist gets 201.",
        )
        .of(SERVLET)
        .shown_by([add(7004, r#"{"organization_id": 5}"#).key(SERVLET.key)])
        .answer(|asked, answered| accepts(asked, answered, 404)),
        fault(
            "servlet-takes-any-body",
            response("add_organization", 422),
            "A body that is not JSON gets 201.",
        )
        .of(SERVLET)
        .shown_by([add(7004, "{").key(SERVLET.key)])
        .answer(|asked, answered| accepts(asked, answered, 400)),
    ]
}

/// The clause of a parameter.
fn place(operation: &str, name: &str) -> String {
    let operation = Contract::bundled().operation(operation);
    operation.parameter(name).pointer.clone()
}

/// Answers an addition that has this error as if the organization was added.
fn accepts(asked: &Asked, answered: &mut Answered, error: u16) {
    if asked.calls("add_organization") && answered.status == error {
        answered.succeeds(&json!({
            "pipeline_id": asked.segment(3).parse::<u64>().unwrap_or(7004),
            "pipeline_item_id": 7_003_000_777_u64,
            "entity_type": "organization",
            "organization_id": asked.json()["organization_id"].as_u64().unwrap_or(60_001),
            "person_id": null,
            "document_id": null,
            "values": {},
        }));
        answered.status = axum::http::StatusCode::CREATED;
    }
}
