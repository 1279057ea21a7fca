//! Behaviour other than that of the reference server is recognized.

use platform_conformance::MIXED;
use platform_conformance::selftest::Plant;
use serde_json::{Value, json};

use super::{but, but_with_all_data, clamped, no_cache_control, observed};

const QUERY: [&str; 4] = ["skip", "limit", "sort_by", "sort_order"];

#[tokio::test(flavor = "multi_thread")]
async fn other_decisions_are_recognized() {
    let table = [
        ("list-limit-above-maximum", "clamped", clamped()),
        (
            "list-limit-below-minimum",
            "raised",
            Plant::request(|asked| asked.change("limit", |limit| limit.max(1))),
        ),
        (
            "list-limit-malformed",
            "ignored",
            Plant::request(|asked| {
                if asked.number("limit").is_none() {
                    asked.remove("limit");
                }
            }),
        ),
        (
            "list-skip-huge",
            "past-the-end",
            Plant::request(|asked| asked.change("skip", |skip| skip.min(100_000))),
        ),
        (
            "unknown-parameter",
            "ignored",
            Plant::request(|asked| {
                if asked.calls("list_items") || asked.path.contains("/items/") {
                    asked.keep(|name, _| QUERY.contains(&name));
                }
            }),
        ),
        (
            "search-limit-default",
            "number 10",
            Plant::request(|asked| {
                if asked.searches() {
                    asked.default("limit", 10);
                }
            }),
        ),
        (
            "search-limit-maximum",
            "number 37",
            Plant::request(|asked| {
                if asked.searches() {
                    asked.change("limit", |limit| if limit > 37 { 0 } else { limit });
                }
            }),
        ),
        (
            "search-limit-maximum",
            "number 50",
            Plant::request(|asked| {
                if asked.searches() {
                    asked.change("limit", |limit| limit.min(50));
                }
            }),
        ),
        (
            "search-reach",
            "number 500",
            Plant::request(|asked| {
                if asked.searches() {
                    asked.change("skip", |skip| if skip >= 500 { -1 } else { skip });
                }
            }),
        ),
        ("cache-control", "absent", no_cache_control()),
        (
            "cache-control",
            "says: private",
            Plant::answer(|_, answered| answered.set_header("cache-control", "private")),
        ),
        (
            "search-order",
            "farthest-first",
            Plant::answer(|_, answered| {
                answered.results(|result| {
                    let distance = result["similarity"]["cosine_distance"].as_f64().unwrap_or_default();
                    result["similarity"]["cosine_distance"] = json!(2.0 - distance);
                });
            }),
        ),
        (
            "search-authentication",
            "open",
            Plant::request(|asked| {
                if asked.searches() && asked.header("api-key").is_none() {
                    asked.set_header("api-key", "dev-full-access");
                }
            }),
        ),
        (
            "error-body",
            "object [detail]",
            Plant::answer(|_, answered| {
                if answered.status.is_client_error() {
                    answered.set_text(json!({ "detail": "no" }).to_string());
                }
            }),
        ),
        (
            "filter-countries",
            "ignored",
            Plant::request(|asked| asked.remove("countries")),
        ),
        (
            "filter-value-malformed",
            "refused 400",
            Plant::answer(|asked, answered| {
                if asked.searches() && answered.status == 422 {
                    answered.becomes(400, "validation_failed");
                }
            }),
        ),
        (
            "precedence-404-400",
            "sort",
            Plant::answer(|asked, answered| {
                if answered.status == 404 && asked.parameter("sort_by") == Some("name") {
                    answered.becomes(400, "invalid_sort_by");
                }
            }),
        ),
        (
            "add-existing",
            "another-item 200",
            Plant::answer(|_, answered| {
                if answered.code() == "organization_already_in_pipeline" {
                    answered.succeeds(&json!({ "pipeline_item_id": 7 }));
                }
            }),
        ),
    ];
    for (point, expected, plant) in table {
        let observed = observed(but_with_all_data(&plant), point).await;
        assert_eq!(observed.shown().as_deref(), Some(expected), "{point}: {observed:#?}");
        assert_eq!(observed.as_the_contract, Some(false), "{point}");
        assert!(!observed.requests.is_empty(), "{point}: nothing shows it");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_readings_of_requests_are_recognized() {
    let table = [
        (
            "sort-order-alone",
            "ignored",
            Plant::request(|asked| {
                if asked.parameter("sort_by").is_none() {
                    asked.remove("sort_order");
                }
            }),
        ),
        (
            "sort-order-malformed",
            "ignored",
            Plant::request(|asked| {
                asked.keep(|name, value| name != "sort_order" || ["asc", "desc"].contains(&value));
            }),
        ),
        (
            "list-repeated-parameter",
            "first",
            Plant::request(|asked| {
                if let Some(first) = asked.parameter("limit").map(str::to_owned) {
                    asked.set("limit", first);
                }
            }),
        ),
        (
            "request-id",
            "new",
            Plant::request(|asked| {
                asked.headers.remove("x-request-id");
            }),
        ),
        (
            "filter-range-upside-down",
            "turned",
            Plant::request(|asked| {
                let range = asked.number("founded_year_min").zip(asked.number("founded_year_max"));
                if let Some((least, most)) = range {
                    asked.set("founded_year_min", least.min(most));
                    asked.set("founded_year_max", least.max(most));
                }
            }),
        ),
        (
            "filter-values-joined",
            "taken-apart",
            Plant::request(|asked| {
                asked.query = asked.query.replace("countries=NO%2CDK", "countries=NO&countries=DK");
            }),
        ),
        (
            "headquarters-only-false",
            "headquarters",
            Plant::request(|asked| asked.remove("headquarters_only")),
        ),
        (
            "search-unknown-parameter",
            "ignored",
            Plant::request(|asked| asked.remove("offset")),
        ),
        (
            "filter-list-values",
            "first",
            Plant::request(|asked| {
                if let Some(first) = asked.parameter("countries").map(str::to_owned) {
                    asked.set("countries", first);
                }
            }),
        ),
        (
            "add-body-type",
            "read",
            Plant::request(|asked| {
                if asked.calls("add_organization") {
                    asked.set_header("content-type", "application/json");
                }
            }),
        ),
    ];
    for (point, expected, plant) in table {
        let observed = observed(but(&plant), point).await;
        assert_eq!(observed.shown().as_deref(), Some(expected), "{point}: {observed:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_responses_are_recognized() {
    let table = [
        (
            "skip-past-the-end",
            "refused 404",
            Plant::answer(|asked, answered| {
                if asked.calls("list_items") && answered.list("items").is_some_and(|items| items.is_empty()) {
                    answered.becomes(404, "pipeline_not_found");
                }
            }),
        ),
        (
            "www-authenticate",
            "absent",
            Plant::answer(|_, answered| answered.remove_header("www-authenticate")),
        ),
        (
            "www-authenticate",
            "scheme: bearer",
            Plant::answer(|_, answered| {
                if answered.status == 401 {
                    answered.set_header("www-authenticate", "Bearer realm=\"api\"");
                }
            }),
        ),
        (
            "unknown-route",
            "refused [404, nowhere]",
            Plant::answer(|asked, answered| {
                if asked.operation.is_none() {
                    answered.becomes(404, "nowhere");
                }
            }),
        ),
        (
            "readiness-without-a-document",
            "not-indexed",
            Plant::answer(|asked, answered| {
                if asked.calls("get_item_status") {
                    answered.json()["document_indexed"] = json!(false);
                }
            }),
        ),
        (
            "result-unless-completed",
            "kept",
            Plant::answer(|_, answered| {
                answered.entries(|column, entry| {
                    if column.starts_with("question.") && entry["status"] != "completed" {
                        entry["result"] = json!(["of old"]);
                    }
                });
            }),
        ),
        (
            "search-envelope",
            "object [results, total]",
            Plant::answer(|asked, answered| {
                if asked.searches() && answered.is_success() {
                    let total = answered.json()["total_count"].take();
                    let body = json!({ "results": answered.json()["results"], "total": total });
                    answered.set_text(body.to_string());
                }
            }),
        ),
        (
            "search-total",
            "page",
            Plant::answer(|asked, answered| {
                if asked.searches() && asked.number("limit") == Some(1) {
                    answered.json()["total_count"] = json!(1);
                }
            }),
        ),
        (
            "filter-missing-field",
            "kept",
            // An upper bound alone keeps unknown values, as a comparison does that null passes.
            Plant::request(|asked| {
                asked.remove("employee_count_max");
                asked.remove("founded_year_max");
            })
            .and_answer(|asked, answered| {
                let passes = |organization: &Value| {
                    let metrics = &organization["metrics"];
                    let year = metrics["founded_on"].as_str().and_then(|date| date[..4].parse().ok());
                    let values = [
                        ("employee_count_max", metrics["employee_count"].as_i64()),
                        ("founded_year_max", year),
                    ];
                    values.into_iter().all(|(name, value)| {
                        let most = asked.number(name).unwrap_or(i64::MAX);
                        value.is_none_or(|value| value <= most)
                    })
                };
                if let Some(results) = answered.list("results") {
                    results.retain(|result| match result.get("organization") {
                        Some(organization) => passes(organization),
                        None => passes(result),
                    });
                }
            }),
        ),
        (
            "search-distance",
            "outside",
            Plant::answer(|_, answered| {
                answered.results(|result| result["similarity"]["cosine_distance"] = json!(3));
            }),
        ),
        (
            "faults-told",
            "one",
            Plant::answer(|_, answered| {
                answered
                    .list("errors")
                    .into_iter()
                    .for_each(|errors| errors.truncate(1));
            }),
        ),
        (
            "error-media-type",
            "type: application/json",
            Plant::answer(|_, answered| {
                if answered.status.is_client_error() {
                    answered.set_header("content-type", "application/json; charset=utf-8");
                }
            }),
        ),
        (
            "undeclared-statuses",
            "statuses [400]",
            Plant::answer(|asked, answered| {
                if asked.searches() && answered.status == 422 {
                    answered.becomes(400, "validation_failed");
                }
            }),
        ),
        (
            "rate-limit",
            "429 [Retry-After]",
            Plant::answer(|_, answered| {
                answered.remove_header("ratelimit");
                answered.remove_header("ratelimit-policy");
            }),
        ),
        (
            "add-location",
            "absent",
            Plant::answer(|_, answered| answered.remove_header("location")),
        ),
        (
            "new-item",
            "without-questions",
            Plant::answer(|asked, answered| {
                if asked.calls("add_organization") && answered.is_success() {
                    answered.json()["values"] = json!({});
                }
            }),
        ),
        (
            "search-unknown-record",
            "nothing-found",
            Plant::answer(|asked, answered| {
                if asked.searches() && answered.status == 404 {
                    answered.succeeds(&json!({ "total_count": 0, "results": [] }));
                }
            }),
        ),
    ];
    for (point, expected, plant) in table {
        let observed = observed(but(&plant), point).await;
        assert_eq!(observed.shown().as_deref(), Some(expected), "{point}: {observed:#?}");
        assert_eq!(observed.as_the_contract, Some(false), "{point}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ignored_filter_shows_neither_bounds_nor_totals() {
    let ranges = ["founded_year_", "employee_count_"];
    let plant = Plant::request(move |asked| asked.keep(|name, _| !ranges.iter().any(|range| name.starts_with(range))));
    for point in ["filter-bounds", "filter-missing-field", "search-total"] {
        let observed = observed(but(&plant), point).await;
        assert_eq!(observed.shown(), None, "{point}: {observed:#?}");
        assert_eq!(observed.as_the_contract, None, "{point}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn record_without_a_field_is_recognized_by_its_other_fields() {
    let plant = Plant::answer(|_, answered| {
        answered.organizations(|organization| {
            let members = organization.as_object_mut().unwrap();
            members.remove("domain");
            members.insert("nickname".to_owned(), json!("it"));
        });
    });
    let observed = observed(but(&plant), "organization-fields").await;
    assert_eq!(observed.behaviour.as_deref(), Some("some-fields"));
    let has = |name: &str| observed.value.as_array().unwrap().contains(&json!(name));
    assert!(
        !has("domain") && has("nickname") && has("headquarters.country"),
        "{observed:#?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn different_behaviour_of_operations_is_reported_as_mixed() {
    let plant = Plant::request(|asked| {
        if asked.calls("search_products_by_customer") {
            asked.default("limit", 5);
        }
    });
    let observed = observed(but(&plant), "search-limit-default").await;
    assert_eq!(observed.behaviour.as_deref(), Some(MIXED));
    assert_eq!(observed.value["search_products_by_customer"], json!({ "number": 5 }));
    assert_eq!(observed.value["search_products_by_product"], json!({ "number": 20 }));
}
