//! Responses that are stale, or that depend on earlier requests.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;

use crate::exchange::{Answered, Asked, Plant};
use crate::fault::{Family, Fault, fault, header, operation, parameter, permission, property};
use crate::witness::{Witness, add_organization, get};

pub(super) const FAMILY: Family = Family {
    name: "state",
    title: "State, caching and concurrency",
    faults,
};

fn fish(query: &str) -> Witness {
    get(format!(
        "/search/organizations/similar?description=fish&limit=100&{query}"
    ))
}

fn faults() -> Vec<Fault> {
    let values = || property("ColumnValue", "status");
    let inbox = || get("/api/v1/pipelines/6/items");
    vec![
        fault(
            "list-is-stale",
            header("Cache-Control"),
            "A list is cached from its first request on.",
        )
        .shown_by([inbox(), add_organization(1001), inbox()])
        .planted(|_| {
            kept(|asked| {
                asked
                    .calls("list_items")
                    .then(|| format!("{}?{}", asked.path, asked.query))
            })
        }),
        fault(
            "status-is-stale",
            header("Cache-Control"),
            "A status is cached from its first request on.",
        )
        .shown_by([
            add_organization(1001),
            get("/api/v1/pipelines/6/items/600002/status"),
            get("/api/v1/pipelines/6/items/600002/status").key("dev-no-access"),
        ])
        .planted(|_| kept(|asked| asked.calls("get_item_status").then(|| asked.path.clone()))),
        fault(
            "cache-ignores-the-query",
            operation("list_items"),
            "A list is cached by its path, without the query.",
        )
        .shown_by([
            get("/api/v1/pipelines/2/items?limit=1"),
            get("/api/v1/pipelines/2/items?limit=2"),
        ])
        .planted(|_| kept(|asked| asked.calls("list_items").then(|| asked.path.clone()))),
        fault(
            "cache-ignores-the-headquarters",
            parameter("search_organizations_by_description", "headquarters_only", "default"),
            "A search is cached without headquarters_only.",
        )
        .shown_by([fish("countries=NO&headquarters_only=false"), fish("countries=NO")])
        .planted(|_| {
            kept(|asked| {
                let mut others = asked.clone();
                others.remove("headquarters_only");
                let is_cached = asked.calls("search_organizations_by_description");
                is_cached.then(|| format!("{}?{}", asked.path, others.query))
            })
        }),
        fault(
            "headquarters-of-the-first-search",
            parameter("search_products_by_description", "headquarters_only", "default"),
            "What filters keep is cached without headquarters_only, and each page is cut from that.",
        )
        .shown_by(["&headquarters_only=false", ""].map(|flag| {
            get(format!(
                "/search/products/similar?description=fish&limit=100&countries=NO{flag}"
            ))
        }))
        .planted(|_| {
            let first: Mutex<BTreeMap<String, bool>> = Mutex::default();
            Plant::request(move |asked| {
                if !asked.calls("search_products_by_description") {
                    return;
                }
                let mut cached = asked.clone();
                for name in ["headquarters_only", "limit", "skip"] {
                    cached.remove(name);
                }
                let Ok(mut first) = first.lock() else { return };
                let asked_for = asked.parameter("headquarters_only") != Some("false");
                let kept = *first.entry(cached.query).or_insert(asked_for);
                asked.set("headquarters_only", kept);
            })
        }),
        fault(
            "cache-ignores-the-key",
            permission("get_item_values"),
            "Values are cached for all keys, with or without permission.",
        )
        .shown_by([
            get("/api/v1/pipelines/2/items/200001/values"),
            get("/api/v1/pipelines/2/items/200001/values").key(""),
        ])
        .planted(|_| kept(|asked| asked.calls("get_item_values").then(|| asked.path.clone()))),
        fault(
            "cache-ignores-filters",
            operation("search_organizations_by_description"),
            "A search is cached by its text, without filters and pages.",
        )
        .shown_by([
            get("/search/organizations/similar?description=fish"),
            get("/search/organizations/similar?description=fish&limit=1"),
        ])
        .planted(|_| {
            kept(|asked| {
                let text = asked
                    .parameter("description")
                    .filter(|_| asked.calls("search_organizations_by_description"));
                text.map(str::to_owned)
            })
        }),
        fault(
            "cache-ignores-the-text-beside-filters",
            operation("search_organizations_by_description"),
            "A search with filters is cached by its filters, without its text.",
        )
        .shown_by([
            get("/search/organizations/similar?description=fish&founded_year_min=1990"),
            get("/search/organizations/similar?description=invoices&founded_year_min=1990"),
        ])
        .planted(|_| kept(|asked| filters(asked).filter(|_| asked.calls("search_organizations_by_description")))),
        fault(
            "cache-ignores-the-product-beside-filters",
            operation("search_products_by_product"),
            "A search by a known product is cached by its filters, if it has any.",
        )
        .shown_by([
            get("/search/products/5001/similar?founded_year_min=1990"),
            get("/search/products/5002/similar?founded_year_min=1990"),
        ])
        .planted(|_| kept(|asked| filters(asked).filter(|_| asked.calls("search_products_by_product")))),
        fault(
            "cache-ignores-the-organization-beside-limit",
            operation("search_organizations_by_organization"),
            "A search by a known organization is cached by its query, if it has one.",
        )
        .shown_by([
            get("/search/organizations/1001/similar?limit=100"),
            get("/search/organizations/1002/similar?limit=100"),
        ])
        .planted(|_| {
            kept(|asked| {
                let is_cached = asked.calls("search_organizations_by_organization") && !asked.query.is_empty();
                is_cached.then(|| asked.query.clone())
            })
        }),
        fault(
            "cache-ignores-the-hundreds-of-an-id",
            operation("search_organizations_by_organization"),
            "A search by a known organization is cached by the last two digits of its id.",
        )
        .shown_by([
            get("/search/organizations/1001/similar"),
            get("/search/organizations/1101/similar"),
        ])
        .planted(|_| {
            kept(|asked| {
                let id = asked.segment(2);
                let is_cached = asked.calls("search_organizations_by_organization");
                let last = id.len().checked_sub(2).filter(|_| is_cached)?;
                Some(format!("{}?{}", id.get(last..)?, asked.query))
            })
        }),
        fault(
            "cache-ignores-a-second-bound",
            parameter("search_organizations_by_description", "funded_to", "").trim_end_matches("/schema/"),
            "A search is cached by its query, without funded_to if funded_from is given.",
        )
        .shown_by([
            get("/search/organizations/similar?description=fish&funded_from=2015-01-01"),
            get("/search/organizations/similar?description=fish&funded_from=2015-01-01&funded_to=2018-01-01"),
        ])
        .planted(|_| {
            kept(|asked| {
                let pairs = asked.query.split('&');
                let is_kept = |pair: &&str| !pair.starts_with("funded_to=");
                let is_cached = asked.calls("search_organizations_by_description");
                (is_cached && asked.parameter("funded_from").is_some())
                    .then(|| pairs.filter(is_kept).collect::<Vec<_>>().join("&"))
            })
        }),
        fault(
            "cache-keeps-errors",
            operation("get_item_status"),
            "An item that was not found once is never found.",
        )
        .shown_by([
            get("/api/v1/pipelines/6/items/600002/status"),
            add_organization(1001),
            get("/api/v1/pipelines/6/items/600002/status"),
        ])
        .planted(|_| {
            let missed = Mutex::new(BTreeMap::new());
            Plant::answer(move |asked, answered| {
                let Ok(mut missed) = missed.lock() else {
                    return;
                };
                if answered.code() == "item_not_found"
                    || (asked.calls("get_item_values") && asked.segment(3) == "6" && !missed.contains_key(&asked.path))
                {
                    missed.insert(asked.path.clone(), ());
                    answered.becomes(404, "item_not_found");
                } else if missed.contains_key(&asked.path) && asked.operation.is_some() {
                    answered.becomes(404, "item_not_found");
                }
            })
        }),
        fault(
            "ready-falls-back",
            property("ItemStatus", "is_ready"),
            "A ready item is not ready on every second read.",
        )
        .shown_by([
            get("/api/v1/pipelines/2/items/200001/status"),
            get("/api/v1/pipelines/2/items/200001/status"),
        ])
        .planted(|_| {
            every_second("get_item_status", |answered| {
                answered.json()["platform_entity_data_ready"] = json!(false);
                answered.json()["is_ready"] = json!(false);
            })
        }),
        fault(
            "answers-are-forgotten",
            values(),
            "An answered question is pending on every second read.",
        )
        .shown_by([
            get("/api/v1/pipelines/2/items/200001/values"),
            get("/api/v1/pipelines/2/items/200001/values"),
        ])
        .planted(|_| {
            every_second("get_item_values", |answered| {
                answered.entries(|column, entry| {
                    if column.starts_with("question.") {
                        entry["status"] = json!("pending");
                        entry["result"] = json!([]);
                        entry["certainty_score"] = json!(null);
                    }
                });
            })
        }),
        fault(
            "reading-changes",
            operation("get_item_values"),
            "Each read of an item adds a reference.",
        )
        .shown_by([
            get("/api/v1/pipelines/2/items/200001/values"),
            get("/api/v1/pipelines/2/items/200001/values"),
        ])
        .planted(|_| {
            let readers = AtomicUsize::new(0);
            Plant::answer(move |asked, answered| {
                if asked.calls("get_item_values") && answered.is_success() {
                    let reader = readers.fetch_add(1, Ordering::Relaxed);
                    answered
                        .entries(|_, entry| entry["references"] = json!([format!("https://reader.example/{reader}")]));
                }
            })
        }),
        fault(
            "searches-wander",
            operation("search_organizations_by_description"),
            "Distances vary slightly between responses.",
        )
        .shown_by([
            get("/search/organizations/similar?description=fish"),
            get("/search/organizations/similar?description=fish"),
        ])
        .planted(|_| {
            let times = AtomicUsize::new(0);
            Plant::answer(move |asked, answered| {
                if asked.searches() && answered.is_success() {
                    let times = u32::try_from(times.fetch_add(1, Ordering::Relaxed) % 1000).unwrap_or(0);
                    answered.results(|result| {
                        let distance = result["similarity"]["cosine_distance"].as_f64().unwrap_or(0.0);
                        result["similarity"]["cosine_distance"] = json!(distance + f64::from(times) * 1e-5);
                    });
                }
            })
        }),
        fault(
            "total-lags",
            property("ItemPage", "total_count"),
            "total_count stays that of the pipeline's first listing.",
        )
        .shown_by([inbox(), add_organization(1001), inbox()])
        .planted(|_| {
            let totals = Mutex::new(BTreeMap::new());
            Plant::answer(move |asked, answered| {
                let Ok(mut totals) = totals.lock() else {
                    return;
                };
                if asked.calls("list_items") && answered.is_success() {
                    let total = totals
                        .entry(asked.path.clone())
                        .or_insert_with(|| answered.json()["total_count"].clone());
                    answered.json()["total_count"] = total.clone();
                }
            })
        }),
        fault(
            "new-items-come-late",
            operation("add_organization"),
            "A new item can be read, and is missing from the next list.",
        )
        .shown_by([add_organization(1001), inbox()])
        .planted(|_| {
            let added = Mutex::new(Vec::new());
            Plant::answer(move |asked, answered| {
                let Ok(mut added) = added.lock() else { return };
                if asked.calls("add_organization") && answered.is_success() {
                    added.push(answered.json()["pipeline_item_id"].clone());
                } else if asked.calls("list_items") && answered.is_success() && asked.segment(3) == "6" {
                    let late = std::mem::take(&mut *added);
                    answered
                        .list("items")
                        .into_iter()
                        .for_each(|items| items.retain(|item| !late.contains(&item["pipeline_item_id"])));
                    let total = answered.json()["total_count"].as_u64().unwrap_or(0);
                    answered.json()["total_count"] = json!(total - late.len() as u64);
                }
            })
        }),
        fault(
            "requests-at-once-are-mixed-up",
            operation("add_organization"),
            "All but one of several concurrent additions get 500.",
        )
        .shown_by([add_organization(1001).times_at_once(3)])
        .planted(|_| {
            let under_way = Arc::new(AtomicUsize::new(0));
            let begun = Arc::clone(&under_way);
            let begin = Plant::request(move |asked| {
                if asked.calls("add_organization") {
                    begun.fetch_add(1, Ordering::SeqCst);
                }
            });
            let end = move |asked: &Asked, answered: &mut Answered| {
                if asked.calls("add_organization")
                    && under_way.fetch_sub(1, Ordering::SeqCst) > 1
                    && answered.status == 409
                {
                    answered.becomes(500, "internal_error");
                }
            };
            begin.and_answer(end).delayed(Duration::from_millis(5))
        }),
    ]
}

/// Keeps the first success for each name, and returns it from then on.
fn kept(name: impl Fn(&Asked) -> Option<String> + Send + Sync + 'static) -> Plant {
    let kept: Mutex<BTreeMap<String, Answered>> = Mutex::default();
    Plant::answer(move |asked, answered| {
        let Ok(mut kept) = kept.lock() else { return };
        let Some(name) = name(asked) else { return };
        match kept.get(&name) {
            Some(first) => {
                let request_id = answered.headers.remove("x-request-id");
                *answered = first.clone();
                // The rest of a cached response is unchanged.
                answered
                    .headers
                    .extend(request_id.map(|id| (axum::http::HeaderName::from_static("x-request-id"), id)));
            }
            None if answered.is_success() => {
                kept.insert(name, answered.clone());
            }
            None => {}
        }
    })
}

/// The query of a search without its text; `None` without filters.
fn filters(asked: &Asked) -> Option<String> {
    let pairs = asked.query.split('&').filter(|pair| !pair.starts_with("description="));
    let pairs: Vec<_> = pairs.collect();
    let is_filter = |pair: &&str| !["", "limit", "skip"].contains(&pair.split('=').next().unwrap_or_default());
    pairs.iter().any(is_filter).then(|| pairs.join("&"))
}

/// Changes every second success of an operation.
fn every_second(operation: &'static str, change: fn(&mut Answered)) -> Plant {
    let odd = AtomicBool::new(false);
    Plant::answer(move |asked, answered| {
        if asked.calls(operation) && answered.is_success() && odd.fetch_xor(true, Ordering::Relaxed) {
            change(answered);
        }
    })
}
