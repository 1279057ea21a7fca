//! Planted faults: each is a small change around the reference server, and each has to turn some case red.
//! A kit that has never been seen to fail says nothing when it passes.

use std::sync::LazyLock;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use platform_conformance::Verdict;
use platform_server_stub::Server;
use serde_json::{Value, json};

use crate::served;

/// Built once: it is only read, or added to by faults that expect no state.
static SERVER: LazyLock<Server> = LazyLock::new(Server::built_in);

/// What a fault sees of an exchange, and may change in its answer.
struct Exchange {
    method: Method,
    path: String,
    query: String,
    has_key: bool,
    status: StatusCode,
    headers: HeaderMap,
    body: Value,
}

impl Exchange {
    fn lists_items(&self) -> bool {
        self.method == Method::GET && self.path.ends_with("/items") && self.status == StatusCode::OK
    }

    fn parameter(&self, name: &str) -> Option<&str> {
        parameter(&self.query, name)
    }

    fn items(&mut self) -> &mut Vec<Value> {
        self.body["items"].as_array_mut().unwrap()
    }

    fn becomes(&mut self, status: u16, code: &str) {
        self.status = StatusCode::from_u16(status).unwrap();
        self.body["status"] = json!(status);
        self.body["code"] = json!(code);
    }
}

/// A fault: its name, the cases that are to notice, and the change.
struct Fault {
    name: &'static str,
    noticed_by: &'static [&'static str],
    change: Change,
}

enum Change {
    /// Rewrites the query before the server sees it.
    Query(fn(&str) -> String),
    /// Changes the answer.
    Answer(fn(&mut Exchange)),
}

use Change::{Answer, Query};

const FAULTS: &[Fault] = &[
    Fault {
        name: "limit is clamped to 500",
        noticed_by: &[
            "paging/page-is-as-long-as-it-can-be",
            "paging/limit-never-exceeded",
        ],
        change: Query(|query| with_number(query, "limit", |limit| limit.min(500))),
    },
    Fault {
        name: "limit above the maximum is clamped",
        noticed_by: &["limit/limit-over-maximum-is-rejected"],
        change: Query(|query| with_number(query, "limit", |limit| limit.min(1000))),
    },
    Fault {
        name: "limit=0 is one item",
        noticed_by: &["limit/limit-below-minimum-is-rejected"],
        change: Query(|query| with_number(query, "limit", |limit| limit.max(1))),
    },
    Fault {
        name: "the default of limit is 50",
        noticed_by: &["limit/limit-default-applies"],
        change: Query(|query| match parameter(query, "limit") {
            None => format!("{query}&limit=50"),
            Some(_) => query.to_owned(),
        }),
    },
    Fault {
        name: "skip begins one too early",
        noticed_by: &["paging/skip-leaves-out-as-many"],
        change: Query(|query| {
            with_number(query, "skip", |skip| if skip > 0 { skip - 1 } else { skip })
        }),
    },
    Fault {
        name: "unknown parameters are ignored",
        noticed_by: &["parameter/unknown-is-rejected/list_items"],
        change: Query(|query| without(query, &["offset", "Limit"])),
    },
    Fault {
        name: "total_count is one too high",
        noticed_by: &["paging/all-items-are-found"],
        change: Answer(|exchange| {
            if exchange.lists_items() {
                exchange.body["total_count"] =
                    json!(exchange.body["total_count"].as_i64().unwrap() + 1);
            }
        }),
    },
    Fault {
        name: "total_count is that of the page",
        noticed_by: &["paging/*"],
        change: Answer(|exchange| {
            if exchange.lists_items() {
                exchange.body["total_count"] = json!(exchange.items().len());
            }
        }),
    },
    Fault {
        name: "past the end is not found",
        noticed_by: &["paging/skip-past-the-end-is-empty"],
        change: Answer(|exchange| {
            if exchange.lists_items() && exchange.items().is_empty() {
                exchange.becomes(404, "pipeline_not_found");
            }
        }),
    },
    Fault {
        name: "the last item of a page is on the next page again",
        noticed_by: &[
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
        noticed_by: &["sort/missing-values-are-last"],
        change: Answer(|exchange| {
            sort(exchange, "desc", |column, items| {
                items.sort_by_key(|item| !first(item, column).is_null())
            });
        }),
    },
    Fault {
        name: "desc reverses ties as well",
        noticed_by: &["sort/ties-by-item-id"],
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
        noticed_by: &["sort/ascending-by-first-value"],
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
        noticed_by: &["sort/before-paging"],
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
        noticed_by: &["sort/order-alone-orders-by-item-id"],
        change: Query(|query| match parameter(query, "sort_by") {
            None => without(query, &["sort_order"]),
            Some(_) => query.to_owned(),
        }),
    },
    Fault {
        name: "an unknown column is 404",
        noticed_by: &["sort/unknown-column-is-rejected"],
        change: Answer(|exchange| {
            if exchange.body["code"] == "unknown_sort_column" {
                exchange.becomes(404, "pipeline_not_found");
            }
        }),
    },
    Fault {
        name: "a bad parameter is 400",
        noticed_by: &["limit/*", "schema/list_items/*"],
        change: Answer(|exchange| {
            if exchange.status == StatusCode::UNPROCESSABLE_ENTITY {
                exchange.becomes(400, "validation_failed");
            }
        }),
    },
    Fault {
        name: "only the first fault is told",
        noticed_by: &["parameter/every-fault-is-told"],
        change: Answer(|exchange| {
            if let Some(errors) = exchange.body["errors"].as_array_mut() {
                errors.truncate(1);
            }
        }),
    },
    Fault {
        name: "an unknown pipeline has the code of an unknown item",
        noticed_by: &["error/unknown-pipeline/*"],
        change: Answer(|exchange| {
            if exchange.body["code"] == "pipeline_not_found" {
                exchange.body["code"] = json!("item_not_found");
            }
        }),
    },
    Fault {
        name: "an item of another pipeline is shown",
        noticed_by: &["error/item-of-another-pipeline/*"],
        change: Answer(|exchange| {
            if exchange.body["code"] == "item_not_in_pipeline" {
                exchange.becomes(404, "item_not_found");
            }
        }),
    },
    Fault {
        name: "who is denied is told that nothing is there",
        noticed_by: &["auth/no-access/*"],
        change: Answer(|exchange| {
            if exchange.status == StatusCode::FORBIDDEN {
                exchange.becomes(404, "pipeline_not_found");
            }
        }),
    },
    Fault {
        name: "a missing key and an unknown one have the same code",
        noticed_by: &["auth/unknown-key/*"],
        change: Answer(|exchange| {
            if exchange.status == StatusCode::UNAUTHORIZED && exchange.has_key {
                exchange.body["code"] = json!("authentication_required");
            }
        }),
    },
    Fault {
        name: "401 does not say how to authenticate",
        noticed_by: &[
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
        noticed_by: &["header/not-stored", "schema/list_items/200"],
        change: Answer(|exchange| {
            exchange.headers.remove("cache-control");
        }),
    },
    Fault {
        name: "the id of a request is always a new one",
        noticed_by: &["header/request-id-is-kept"],
        change: Answer(|exchange| {
            exchange
                .headers
                .insert("x-request-id", HeaderValue::from_static("another"));
        }),
    },
    Fault {
        name: "an unknown method is 404",
        noticed_by: &["header/unknown-method"],
        change: Answer(|exchange| {
            if exchange.status == StatusCode::METHOD_NOT_ALLOWED {
                exchange.becomes(404, "route_not_found");
            }
        }),
    },
    Fault {
        name: "405 lacks the header Allow",
        noticed_by: &["header/unknown-method"],
        change: Answer(|exchange| {
            exchange.headers.remove("allow");
        }),
    },
    Fault {
        name: "errors are sent as text/plain",
        noticed_by: &["header/unknown-route", "schema/unrouted/404"],
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
        noticed_by: &["paging/repeated-read-is-the-same", "schema/list_items/200"],
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
        noticed_by: &["paging/repeated-read-is-the-same", "schema/list_items/200"],
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
        noticed_by: &["item/sync-error-exactly-in-error"],
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
        noticed_by: &["item/entity-data-has-no-certainty"],
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
        noticed_by: &["item/is-ready-is-the-conjunction"],
        change: Answer(|exchange| {
            if exchange.body.get("is_ready").is_some() {
                exchange.body["is_ready"] = json!(true);
            }
        }),
    },
    Fault {
        name: "reading an item leaves out its references",
        noticed_by: &["item/values-agree-with-the-list"],
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
        noticed_by: &["add/created"],
        change: Answer(|exchange| {
            if exchange.status == StatusCode::CREATED {
                exchange.status = StatusCode::OK;
            }
        }),
    },
    Fault {
        name: "adding names no Location",
        noticed_by: &["add/location-names-the-values"],
        change: Answer(|exchange| {
            exchange.headers.remove("location");
        }),
    },
    Fault {
        name: "adding twice is answered as if it were the first time",
        noticed_by: &["add/at-most-once"],
        change: Answer(|exchange| {
            if exchange.status == StatusCode::CONFLICT {
                exchange.status = StatusCode::CREATED;
            }
        }),
    },
    Fault {
        name: "a quota that is used up does not say when to come back",
        noticed_by: &["rate-limit/is-enforced"],
        change: Answer(|exchange| {
            exchange.headers.remove("retry-after");
        }),
    },
    Fault {
        name: "results are ranked from the farthest",
        noticed_by: &["search-ranking/*"],
        change: Answer(|exchange| {
            if let Some(results) = exchange.body["results"].as_array_mut() {
                results.reverse();
            }
        }),
    },
    Fault {
        name: "countries are ignored",
        noticed_by: &["search-filter/countries-*"],
        change: Query(|query| without(query, &["countries"])),
    },
    Fault {
        name: "a search counts its page",
        noticed_by: &["search-total/*"],
        change: Answer(|exchange| {
            if let Some(results) = exchange.body["results"].as_array() {
                exchange.body["total_count"] = json!(results.len());
            }
        }),
    },
];

#[tokio::test(flavor = "multi_thread")]
async fn every_planted_fault_is_noticed() {
    let mut survivors = Vec::new();
    for fault in FAULTS {
        let report = served::run_on(planted(fault), fault.noticed_by).await;
        if report.with(Verdict::Failed).is_empty() {
            let verdicts: Vec<_> = report
                .cases
                .iter()
                .map(|case| (&case.id, case.verdict, &case.reason))
                .collect();
            survivors.push(format!("{}: {verdicts:?}", fault.name));
        }
    }
    assert!(
        survivors.is_empty(),
        "these faults turn no case red:\n{survivors:#?}"
    );
}

/// The middleware itself is no fault.
#[tokio::test(flavor = "multi_thread")]
async fn an_exchange_that_is_left_as_it_is_passes() {
    let nothing = Fault {
        name: "nothing",
        noticed_by: &[],
        change: Answer(|_| ()),
    };
    let report = served::run_on(
        planted(&nothing),
        &["limit/*", "header/*", "schema/list_items/200"],
    )
    .await;
    assert_eq!(
        report.summary.passed,
        report.cases.len(),
        "{:?}",
        report.with(Verdict::Failed)
    );
}

fn planted(fault: &Fault) -> Router {
    // Around the whole service: a layer of its own router would stand inside what writes the header Allow.
    let router = Router::new().fallback_service(SERVER.router());
    match fault.change {
        Query(change) => router.layer(from_fn(move |request, next| {
            rewritten(request, next, change)
        })),
        Answer(change) => router.layer(from_fn(move |request, next| {
            answered(request, next, change)
        })),
    }
}

async fn rewritten(mut request: Request, next: Next, change: fn(&str) -> String) -> Response {
    let query = change(request.uri().query().unwrap_or_default());
    let path = request.uri().path().to_owned();
    *request.uri_mut() = format!("{path}?{}", query.trim_start_matches('&'))
        .parse::<Uri>()
        .unwrap();
    next.run(request).await
}

async fn answered(request: Request, next: Next, change: fn(&mut Exchange)) -> Response {
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let has_key = request.headers().contains_key("API-Key");
    let (parts, body) = next.run(request).await.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let mut exchange = Exchange {
        method,
        path: uri.path().to_owned(),
        query: uri.query().unwrap_or_default().to_owned(),
        has_key,
        status: parts.status,
        headers: parts.headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
    };
    change(&mut exchange);
    exchange.headers.remove("content-length");
    let mut response = Response::new(Body::from(exchange.body.to_string()));
    *response.status_mut() = exchange.status;
    *response.headers_mut() = exchange.headers;
    response
}

fn parameter<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .find(|(found, _)| *found == name)
        .map(|(_, value)| value)
}

/// A query with its parameters of these names left out.
fn without(query: &str, names: &[&str]) -> String {
    let kept = query
        .split('&')
        .filter(|pair| !names.contains(&pair.split('=').next().unwrap_or_default()));
    kept.collect::<Vec<_>>().join("&")
}

/// A query with the whole number of a parameter changed.
fn with_number(query: &str, name: &str, change: fn(i64) -> i64) -> String {
    let changed = |pair: &str| match pair.split_once('=') {
        Some((found, value)) if found == name => match value.parse().map(change) {
            Ok(number) => format!("{name}={number}"),
            Err(_) => pair.to_owned(),
        },
        _ => pair.to_owned(),
    };
    query.split('&').map(changed).collect::<Vec<_>>().join("&")
}

/// Puts the items of a page into another order, when it was asked for by a column and in this order.
fn sort(exchange: &mut Exchange, order: &str, change: fn(&str, &mut Vec<Value>)) {
    let column = exchange.parameter("sort_by").map(str::to_owned);
    if let Some(column) =
        column.filter(|_| exchange.lists_items() && exchange.parameter("sort_order") == Some(order))
    {
        change(&column, exchange.items());
    }
}

/// The first value of a column; null when there is none.
fn first<'a>(item: &'a Value, column: &str) -> &'a Value {
    item["values"][column]["result"]
        .get(0)
        .unwrap_or(&Value::Null)
}

/// Changes every entry of every item of a list.
fn entries(exchange: &mut Exchange, change: fn(&str, &mut Value)) {
    if !exchange.lists_items() {
        return;
    }
    for item in exchange.items() {
        let values = item["values"].as_object_mut().into_iter().flatten();
        values.for_each(|(column, entry)| change(column, entry));
    }
}
