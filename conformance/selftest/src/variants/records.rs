//! Legal variants around the reference server whose records, values and lists are otherwise than in the contract where
//! the source is silent. At the level `stated` they pass.

use std::sync::atomic::{AtomicU64, Ordering};

use percent_encoding::percent_decode_str;
use platform_contract::Contract;
use serde_json::{Value, json};

use super::Variant;
use super::otherwise::otherwise;
use crate::exchange::{Answered, Asked, Plant};
use crate::fault::{operation, property, response};

/// Changes each response by its position among all.
fn scattering(change: impl Fn(&Asked, &mut Answered, u64) + Send + Sync + 'static) -> Plant {
    let responses = AtomicU64::new(0);
    Plant::answer(move |asked, answered| change(asked, answered, responses.fetch_add(1, Ordering::Relaxed)))
}

/// A place of an id in the order of this number.
fn scattered(id: &Value, order: u64) -> u64 {
    const PRIME: u64 = 1_009;
    (id.as_u64().unwrap_or(0) % PRIME) * (order % (PRIME - 1) + 1) % PRIME
}

pub(super) fn variants() -> Vec<Variant> {
    let sort_by = &Contract::bundled().operation("list_items").parameter("sort_by").pointer;
    vec![
        otherwise(
            "otherwise/word-question-ids",
            "/components/schemas/QuestionColumnId",
            "The ids of questions are words.",
        )
        .planted(
            Plant::request(|asked| {
                if let Some(column) = asked
                    .parameter("sort_by")
                    .map(|column| column.replace("question.q-", "question."))
                {
                    asked.set("sort_by", column);
                }
            })
            .and_answer(|_, answered| {
                answered.items(|item| {
                    let values = item["values"].as_object().cloned().unwrap_or_default();
                    let renamed = values
                        .into_iter()
                        .map(|(name, entry)| (name.replace("question.", "question.q-"), entry));
                    item["values"] = Value::Object(renamed.collect());
                });
            }),
        ),
        otherwise(
            "otherwise/times-without-zone",
            property("ColumnValue", "last_synced_at"),
            "Times have microseconds and no zone.",
        )
        .answer(|_, answered| {
            answered.entries(|_, entry| {
                let seconds = entry["last_synced_at"].as_str();
                if let Some(seconds) = seconds.and_then(|time| time.split(['.', 'Z']).next()) {
                    entry["last_synced_at"] = json!(format!("{seconds}.000001"));
                }
            });
        }),
        otherwise(
            "otherwise/organizations-were-synced-before",
            property("ColumnValue", "last_synced_at"),
            "A value whose sync is under way or failed has the time at which its organization was synced for another pipeline.",
        )
        .answer(|_, answered| {
            answered.entries(|_, entry| {
                let is_under_way = entry["sync_status"] == "pending" || entry["sync_status"] == "error";
                if is_under_way && entry["last_synced_at"].is_null() {
                    entry["last_synced_at"] = json!("2024-03-23T12:39:55Z");
                }
            });
        }),
        otherwise(
            "otherwise/other-field-paths",
            "/components/schemas/Values/x-key-pattern",
            "Columns of entity data have names in camel case.",
        )
        .answer(|_, answered| {
            answered.items(|item| {
                let values = item["values"].as_object().cloned().unwrap_or_default();
                let renamed = values
                    .into_iter()
                    .map(|(name, entry)| (name.replace("organization.", "Organization/"), entry));
                item["values"] = Value::Object(renamed.collect());
            });
        }),
        otherwise(
            "otherwise/sync-error-is-absent",
            property("ColumnValue", "sync_error"),
            "Values have no sync_error unless their sync failed.",
        )
        .answer(|_, answered| {
            answered.entries(|_, entry| {
                if entry["sync_error"].is_null() {
                    entry.as_object_mut().map(|entry| entry.remove("sync_error"));
                }
            });
        }),
        otherwise(
            "otherwise/added-item-of-its-own-type",
            format!("{}/x-clauses/0", response("add_organization", 201)),
            "The response to an addition has another entity_type than the item.",
        )
        .answer(|asked, answered| {
            if asked.calls("add_organization") && answered.is_success() {
                answered.json()["entity_type"] = json!("organization_item");
            }
        }),
        otherwise(
            "otherwise/texts-are-short",
            "/components/schemas/SearchText/maxLength",
            "A text of more than 300 characters is rejected.",
        )
        .answer(|asked, answered| {
            let texts = ["description", "organization_customer", "product_customer"];
            let is_long = |name: &&str| {
                let text = asked.parameter(name).unwrap_or_default();
                percent_decode_str(text).decode_utf8_lossy().chars().count() > 300
            };
            if texts.iter().any(is_long) && answered.is_success() {
                answered.becomes(422, "validation_failed");
            }
        }),
        otherwise(
            "otherwise/lists-omit-empty-columns",
            "/components/schemas/Values/x-clauses/2",
            "Lists leave out columns of entity data without a value.",
        )
        .answer(|_, answered| {
            for item in answered.list("items").into_iter().flatten() {
                if let Some(values) = item["values"].as_object_mut() {
                    values.retain(|name, entry| name.starts_with("question.") || entry["result"] != json!([]));
                }
            }
        }),
        otherwise(
            "otherwise/results-are-objects",
            "/components/schemas/ResultValue",
            "Values of entity data are objects.",
        )
        .answer(|_, answered| {
            answered.entries(|name, entry| {
                if !name.starts_with("question.") {
                    entry["result"] = json!([{ "value": entry["result"].take() }]);
                }
            });
        }),
        otherwise(
            "otherwise/references-have-no-scheme",
            property("ColumnValue", "references"),
            "References are URLs without a scheme.",
        )
        .answer(|_, answered| {
            answered.entries(|_, entry| entry["references"] = json!(["www.example.org/a page"]));
        }),
        otherwise(
            "otherwise/other-results",
            "/components/schemas/OrganizationSearchPage",
            "Searches answer in another envelope.",
        )
        .answer(|asked, answered| {
            if asked.searches() && answered.is_success() {
                let results = answered.json()["results"].take();
                let page = json!({"data": results, "next": null});
                answered.set_text(page.to_string());
            }
        }),
        otherwise(
            "otherwise/fields-have-other-names",
            "/components/schemas/Organization",
            "The fields of organizations in results have other names.",
        )
        .answer(|_, answered| {
            // Whatever path was taken, such as a percent-encoded one.
            for result in answered.list("results").into_iter().flatten() {
                if let (None, Some(members)) = (result.get("product_id"), result.as_object()) {
                    let renamed = members
                        .iter()
                        .map(|(name, value)| (format!("company_{name}"), value.clone()));
                    *result = Value::Object(renamed.collect());
                }
            }
        }),
        otherwise(
            "otherwise/past-the-end-is-not-found",
            operation("list_items"),
            "A page past the end of a list gets 404.",
        )
        .answer(|asked, answered| {
            let is_past = asked.number("skip").is_some_and(|skip| skip > 0);
            if is_past && answered.list("items").is_some_and(|items| items.is_empty()) {
                answered.status = axum::http::StatusCode::NOT_FOUND;
                answered.set_text(json!({"detail": "There is no such page."}).to_string());
            }
        }),
        otherwise(
            "otherwise/ties-in-any-order",
            format!("{sort_by}/x-clauses/3"),
            "Items with equal values are in another order in each response.",
        )
        .planted(scattering(|asked, answered, order| {
            if let Some(column) = asked.parameter("sort_by")
                && let Some(items) = answered.list("items")
            {
                let value = |item: &Value| item["values"][column]["result"].clone();
                for tied in items.chunk_by_mut(|one, other| value(one) == value(other)) {
                    tied.sort_by_key(|item| scattered(&item["pipeline_item_id"], order));
                }
            }
        })),
        otherwise(
            "otherwise/tied-results-in-any-order",
            property("Similarity", "cosine_distance"),
            "Results at equal distances are in another order in each response.",
        )
        .planted(scattering(|_, answered, order| {
            if let Some(results) = answered.list("results") {
                let distance = |result: &Value| result["similarity"]["cosine_distance"].clone();
                for tied in results.chunk_by_mut(|one, other| distance(one) == distance(other)) {
                    tied.sort_by_key(|result| match &result["product_id"] {
                        Value::Null => scattered(&result["organization_id"], order),
                        id => scattered(id, order),
                    });
                }
            }
        })),
        otherwise(
            "otherwise/nearest-last",
            property("Similarity", "cosine_distance"),
            "Searches list the nearest last.",
        )
        .answer(|_, answered| {
            if let Some(results) = answered.list("results") {
                results.reverse();
            }
        }),
        otherwise(
            "otherwise/products-by-id",
            response("search_products_by_description", 200),
            "Searches for products list each page in the order of ids.",
        )
        .answer(|_, answered| {
            if let Some(results) = answered.list("results") {
                results.sort_by_key(|result| result["product_id"].as_i64());
            }
        }),
    ]
}
