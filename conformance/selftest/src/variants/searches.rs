//! Legal variants around the reference server that write searches in another form: the source states what a result
//! carries, and names neither the fields nor the form of a page. At the level `stated` they pass.

use serde_json::{Value, json};

use super::Variant;
use super::otherwise::otherwise;
use crate::exchange::{Answered, Asked, Plant};
use crate::fault::{operation, property, response};

const PAGE: &str = "/components/schemas/OrganizationSearchPage";
/// The greatest page of a deployment with short ones.
const SHORT: i64 = 20;
/// The parameters of searches that are not filters.
const NOT_FILTERS: [&str; 5] = [
    "description",
    "organization_customer",
    "product_customer",
    "skip",
    "limit",
];

pub(super) fn variants() -> Vec<Variant> {
    let mut variants = of_forms();
    variants.extend(of_pages());
    variants
}

fn of_forms() -> Vec<Variant> {
    let form = |name, differs, change: fn(&mut Value)| {
        otherwise(name, PAGE, differs).answer(move |asked, answered| page(asked, answered, change))
    };
    vec![
        form(
            "otherwise/searches-in-camel-case",
            "Searches have a content and totalElements, and the names of fields are in camel case.",
            |page| {
                let camel = camel_case(page.take());
                *page = json!({"content": camel["results"], "totalElements": camel["totalCount"], "last": false});
            },
        ),
        form(
            "otherwise/searches-have-hits",
            "Searches have hits, with a score that is the greater the nearer a result is, and ids as texts.",
            |page| {
                let results = page["results"].take();
                let hits: Vec<_> = results.as_array().into_iter().flatten().map(hit).collect();
                let total = json!({"value": page["total_count"], "relation": "eq"});
                let max_score = hits.first().map(|hit| hit["_score"].clone());
                *page = json!({"took": 4, "hits": {"total": total, "max_score": max_score, "hits": hits}});
            },
        ),
        form(
            "otherwise/searches-are-lists",
            "Searches are lists, each result of a record and its similarity in percent.",
            |page| {
                let results = page["results"].take();
                let results = results.as_array().into_iter().flatten().map(|result| {
                    let distance = result["similarity"]["cosine_distance"].as_f64().unwrap_or_default();
                    let kind = if result.get("product_id").is_some() {
                        "product"
                    } else {
                        "company"
                    };
                    json!({kind: result, "similarity": 100.0 * (1.0 - distance)})
                });
                *page = results.collect();
            },
        ),
        otherwise(
            "otherwise/only-headquarters-are-shown",
            property("Organization", "locations"),
            "Organizations show their headquarters, and filters find their other locations too.",
        )
        .answer(|_, answered| {
            answered.organizations(|organization| {
                organization
                    .as_object_mut()
                    .and_then(|members| members.remove("locations"));
            });
        }),
    ]
}

fn of_pages() -> Vec<Variant> {
    let described = "search_organizations_by_description";
    vec![
        otherwise(
            "otherwise/search-pages-are-short",
            operation(described),
            "A page of a search has at most 20 results, whatever its limit is.",
        )
        .planted(Plant::request(|asked| {
            if asked.searches() {
                asked.change("limit", |limit| limit.min(SHORT));
            }
        })),
        otherwise(
            "otherwise/filters-are-ignored",
            operation(described),
            "Searches have other names for their filters, and ignore those of the contract.",
        )
        .planted(Plant::request(|asked| {
            if asked.searches() {
                asked.keep(|name, _| NOT_FILTERS.contains(&name));
            }
        })),
        otherwise(
            "otherwise/searches-have-one-page",
            operation(described),
            "A search has one page of 20 results, and takes neither a limit nor a skip.",
        )
        .planted(
            Plant::request(|asked| {
                if asked.searches() {
                    asked.remove("skip");
                    asked.set("limit", SHORT);
                }
            })
            .and_answer(|asked, answered| {
                page(asked, answered, |page| {
                    page.as_object_mut().and_then(|members| members.remove("total_count"));
                });
            }),
        ),
        otherwise(
            "otherwise/searches-end-with-not-found",
            operation(described),
            "A search does not show how many results it has; a page behind the last one is not found.",
        )
        .planted(Plant::answer(|asked, answered| {
            let is_later = asked.number("skip").is_some_and(|skip| skip > 0);
            let mut is_behind = false;
            page(asked, answered, |page| {
                is_behind = is_later && page["results"].as_array().is_some_and(Vec::is_empty);
                page.as_object_mut().and_then(|members| members.remove("total_count"));
            });
            if is_behind {
                answered.becomes(404, "not_found");
            }
        })),
        otherwise(
            "otherwise/searches-reject-a-limit",
            response(described, 422),
            "A search has one page of 20 results; a limit or a skip is rejected as unknown.",
        )
        .planted(Plant::request(|asked| {
            if asked.searches() {
                asked.rename("limit", "unknown-limit");
                asked.rename("skip", "unknown-skip");
            }
        })),
    ]
}

/// Changes a page of a search.
fn page(asked: &Asked, answered: &mut Answered, change: impl FnOnce(&mut Value)) {
    if asked.searches() && answered.is_success() {
        let mut page = answered.json().take();
        change(&mut page);
        answered.set_text(page.to_string());
    }
}

/// A result as a hit of a search engine. A product has a vendor.
fn hit(result: &Value) -> Value {
    let mut source = result.as_object().cloned().unwrap_or_default();
    let distance = result["similarity"]["cosine_distance"].as_f64().unwrap_or_default();
    let id = ["product_id", "organization_id"].map(|name| source.remove(name));
    let id = id.into_iter().flatten().next().unwrap_or_default();
    source.remove("similarity");
    if let Some(vendor) = source.remove("organization") {
        source.insert(
            "vendor".to_owned(),
            json!({"id": vendor["organization_id"], "about": vendor}),
        );
    }
    json!({"_index": "records", "_id": id.to_string(), "_score": 1.0 - distance, "_source": source})
}

/// A value with the names of its members in camel case.
fn camel_case(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let renamed = members.into_iter().map(|(name, value)| {
                let mut words = name.split('_');
                let first = words.next().unwrap_or_default().to_owned();
                let name = words.fold(first, |name, word| {
                    let (initial, rest) = word.split_at_checked(1).unwrap_or_default();
                    format!("{name}{}{rest}", initial.to_ascii_uppercase())
                });
                (name, camel_case(value))
            });
            Value::Object(renamed.collect())
        }
        Value::Array(entries) => entries.into_iter().map(camel_case).collect(),
        value => value,
    }
}
