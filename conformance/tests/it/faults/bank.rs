//! The bank of faults: what the deployment does wrong, the cases that are run on it, and how it comes to that.

use axum::http::{HeaderValue, StatusCode};
use serde_json::json;

use super::Change::{Answer, Query};
use super::{Fault, entries, first, parameter, sort, with_number, without};

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        name: "limit is clamped to 500",
        cases: &[
            "paging/page-is-as-long-as-it-can-be",
            "paging/limit-never-exceeded",
        ],
        change: Query(|query| with_number(query, "limit", |limit| limit.min(500))),
    },
    Fault {
        name: "limit above the maximum is clamped",
        cases: &["limit/over-maximum-is-rejected"],
        change: Query(|query| with_number(query, "limit", |limit| limit.min(1000))),
    },
    Fault {
        name: "limit=0 is one item",
        cases: &["limit/below-minimum-is-rejected"],
        change: Query(|query| with_number(query, "limit", |limit| limit.max(1))),
    },
    Fault {
        name: "the default of limit is 50",
        cases: &["limit/default-applies"],
        change: Query(|query| match parameter(query, "limit") {
            None => format!("{query}&limit=50"),
            Some(_) => query.to_owned(),
        }),
    },
    Fault {
        name: "skip begins one too early",
        cases: &["paging/skip-leaves-out-as-many"],
        change: Query(|query| {
            with_number(query, "skip", |skip| if skip > 0 { skip - 1 } else { skip })
        }),
    },
    Fault {
        name: "unknown parameters are ignored",
        cases: &["parameter/unknown-is-rejected/list_items"],
        change: Query(|query| without(query, &["offset", "Limit"])),
    },
    Fault {
        name: "total_count is one too high",
        cases: &["paging/all-items-are-found"],
        change: Answer(|exchange| {
            if exchange.lists_items() {
                exchange.body["total_count"] =
                    json!(exchange.body["total_count"].as_i64().unwrap() + 1);
            }
        }),
    },
    Fault {
        name: "total_count is that of the page",
        cases: &["paging/*"],
        change: Answer(|exchange| {
            if exchange.lists_items() {
                exchange.body["total_count"] = json!(exchange.items().len());
            }
        }),
    },
    Fault {
        name: "past the end is not found",
        cases: &["paging/skip-past-the-end-is-empty"],
        change: Answer(|exchange| {
            if exchange.lists_items() && exchange.items().is_empty() {
                exchange.becomes(404, "pipeline_not_found");
            }
        }),
    },
    Fault {
        name: "the last item of a page is on the next page again",
        cases: &[
            "paging/any-page-size-walks-to-the-same-items",
            "paging/no-item-stands-twice",
        ],
        change: Answer(|exchange| {
            if exchange.lists_items()
                && exchange.items().len() > 1
                && exchange.parameter("skip") != Some("0")
            {
                let items = exchange.items();
                items[0] = items[1].clone();
            }
        }),
    },
    Fault {
        name: "desc puts missing values first",
        cases: &["sort/missing-values-are-last"],
        change: Answer(|exchange| {
            sort(exchange, "desc", |column, items| {
                items.sort_by_key(|item| !first(item, column).is_null())
            });
        }),
    },
    Fault {
        name: "desc reverses ties as well",
        cases: &["sort/ties-by-item-id"],
        change: Answer(|exchange| {
            sort(exchange, "desc", |column, items| {
                for tied in
                    items.chunk_by_mut(|one, other| first(one, column) == first(other, column))
                {
                    tied.reverse();
                }
            });
        }),
    },
    Fault {
        name: "numbers are sorted as text",
        cases: &["sort/ascending-by-first-value"],
        change: Answer(|exchange| {
            sort(exchange, "asc", |column, items| {
                items.sort_by_key(|item| {
                    (
                        first(item, column).is_null(),
                        first(item, column).to_string(),
                    )
                });
            });
        }),
    },
    Fault {
        name: "a page is cut first and sorted then",
        cases: &["sort/before-paging"],
        change: Answer(|exchange| {
            if exchange.parameter("skip") != Some("0") {
                sort(exchange, "desc", |_, items| {
                    items.sort_by_key(|item| item["pipeline_item_id"].as_i64())
                });
            }
        }),
    },
    Fault {
        name: "sort_order is ignored without sort_by",
        cases: &["sort/order-alone-orders-by-item-id"],
        change: Query(|query| match parameter(query, "sort_by") {
            None => without(query, &["sort_order"]),
            Some(_) => query.to_owned(),
        }),
    },
    Fault {
        name: "an unknown column is 404",
        cases: &["sort/unknown-column-is-rejected"],
        change: Answer(|exchange| {
            if exchange.body["code"] == "unknown_sort_column" {
                exchange.becomes(404, "pipeline_not_found");
            }
        }),
    },
    Fault {
        name: "a bad parameter is 400",
        cases: &["limit/*", "schema/list_items/*"],
        change: Answer(|exchange| {
            if exchange.status == StatusCode::UNPROCESSABLE_ENTITY {
                exchange.becomes(400, "validation_failed");
            }
        }),
    },
    Fault {
        name: "only the first fault is told",
        cases: &["parameter/every-fault-is-told"],
        change: Answer(|exchange| {
            if let Some(errors) = exchange.body["errors"].as_array_mut() {
                errors.truncate(1);
            }
        }),
    },
    Fault {
        name: "an unknown pipeline has the code of an unknown item",
        cases: &["error/unknown-pipeline/*"],
        change: Answer(|exchange| {
            if exchange.body["code"] == "pipeline_not_found" {
                exchange.body["code"] = json!("item_not_found");
            }
        }),
    },
    Fault {
        name: "an item of another pipeline is shown",
        cases: &["error/item-of-another-pipeline/*"],
        change: Answer(|exchange| {
            if exchange.body["code"] == "item_not_in_pipeline" {
                exchange.becomes(404, "item_not_found");
            }
        }),
    },
    Fault {
        name: "who is denied is told that nothing is there",
        cases: &["auth/no-access/*"],
        change: Answer(|exchange| {
            if exchange.status == StatusCode::FORBIDDEN {
                exchange.becomes(404, "pipeline_not_found");
            }
        }),
    },
    Fault {
        name: "a missing key and an unknown one have the same code",
        cases: &["auth/unknown-key/*"],
        change: Answer(|exchange| {
            if exchange.status == StatusCode::UNAUTHORIZED && exchange.has_key {
                exchange.body["code"] = json!("authentication_required");
            }
        }),
    },
    Fault {
        name: "401 does not say how to authenticate",
        cases: &[
            "header/www-authenticate",
            "header/request-id-is-new",
            "schema/list_items/401",
        ],
        change: Answer(|exchange| {
            exchange.headers.remove("www-authenticate");
        }),
    },
    Fault {
        name: "answers may be stored",
        cases: &["header/not-stored", "schema/list_items/200"],
        change: Answer(|exchange| {
            exchange.headers.remove("cache-control");
        }),
    },
    Fault {
        name: "the id of a request is always a new one",
        cases: &["header/request-id-is-kept"],
        change: Answer(|exchange| {
            exchange
                .headers
                .insert("x-request-id", HeaderValue::from_static("another"));
        }),
    },
    Fault {
        name: "an unknown method is 404",
        cases: &["header/unknown-method"],
        change: Answer(|exchange| {
            if exchange.status == StatusCode::METHOD_NOT_ALLOWED {
                exchange.becomes(404, "route_not_found");
            }
        }),
    },
    Fault {
        name: "405 lacks the header Allow",
        cases: &["header/unknown-method"],
        change: Answer(|exchange| {
            exchange.headers.remove("allow");
        }),
    },
    Fault {
        name: "errors are sent as text/plain",
        cases: &["header/unknown-route", "schema/unrouted/404"],
        change: Answer(|exchange| {
            if exchange.status.is_client_error() {
                exchange
                    .headers
                    .insert("content-type", HeaderValue::from_static("text/plain"));
            }
        }),
    },
    Fault {
        name: "items lack person_id",
        cases: &["paging/repeated-read-is-the-same", "schema/list_items/200"],
        change: Answer(|exchange| {
            if exchange.lists_items() {
                for item in exchange.items() {
                    item.as_object_mut().unwrap().remove("person_id");
                }
            }
        }),
    },
    Fault {
        name: "certainty_score goes beyond 100",
        cases: &["paging/repeated-read-is-the-same", "schema/list_items/200"],
        change: Answer(|exchange| {
            entries(exchange, |_, entry| {
                if entry["certainty_score"].is_u64() {
                    entry["certainty_score"] = json!(101);
                }
            });
        }),
    },
    Fault {
        name: "sync_error stays after a success",
        cases: &["item/sync-error-exactly-in-error"],
        change: Answer(|exchange| {
            entries(exchange, |_, entry| {
                if entry["sync_status"] == "success" {
                    entry["sync_error"] = json!("The CRM did not answer.");
                }
            });
        }),
    },
    Fault {
        name: "entity data has a certainty",
        cases: &["item/entity-data-has-no-certainty"],
        change: Answer(|exchange| {
            entries(exchange, |column, entry| {
                if !column.starts_with("question.") {
                    entry["certainty_score"] = json!(100);
                }
            });
        }),
    },
    Fault {
        name: "is_ready is always true",
        cases: &["item/is-ready-is-the-conjunction"],
        change: Answer(|exchange| {
            if exchange.body.get("is_ready").is_some() {
                exchange.body["is_ready"] = json!(true);
            }
        }),
    },
    Fault {
        name: "reading an item leaves out its references",
        cases: &["item/values-agree-with-the-list"],
        change: Answer(|exchange| {
            if exchange.path.ends_with("/values") {
                let values = exchange.body["values"]
                    .as_object_mut()
                    .into_iter()
                    .flatten();
                values.for_each(|(_, entry)| entry["references"] = json!([]));
            }
        }),
    },
    Fault {
        name: "adding is answered 200",
        cases: &["add/created"],
        change: Answer(|exchange| {
            if exchange.status == StatusCode::CREATED {
                exchange.status = StatusCode::OK;
            }
        }),
    },
    Fault {
        name: "adding names no Location",
        cases: &["add/location-names-the-values"],
        change: Answer(|exchange| {
            exchange.headers.remove("location");
        }),
    },
    Fault {
        name: "adding twice is answered as if it were the first time",
        cases: &["add/at-most-once"],
        change: Answer(|exchange| {
            if exchange.status == StatusCode::CONFLICT {
                exchange.status = StatusCode::CREATED;
            }
        }),
    },
    Fault {
        name: "a quota that is used up does not say when to come back",
        cases: &["rate-limit/is-enforced"],
        change: Answer(|exchange| {
            exchange.headers.remove("retry-after");
        }),
    },
    Fault {
        name: "results are ranked from the farthest",
        cases: &["search-ranking/*"],
        change: Answer(|exchange| {
            if let Some(results) = exchange.body["results"].as_array_mut() {
                results.reverse();
            }
        }),
    },
    Fault {
        name: "countries are ignored",
        cases: &["search-filter/countries-*"],
        change: Query(|query| without(query, &["countries"])),
    },
    Fault {
        name: "a search counts its page",
        cases: &["search-total/*"],
        change: Answer(|exchange| {
            if let Some(results) = exchange.body["results"].as_array() {
                exchange.body["total_count"] = json!(results.len());
            }
        }),
    },
];
