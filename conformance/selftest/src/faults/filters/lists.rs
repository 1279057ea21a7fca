//! Lists of values that are interpreted differently.

use super::{SEARCH, clause, fish, keep_results, stages};
use crate::exchange::{Answered, Asked};
use crate::fault::{Fault, fault, parameter};
use crate::witness::get;

/// Every stage of the contract that is longer than one word, or numbered, begins with one of these.
const BEGINNINGS_OF_STAGES: [&str; 9] = [
    "series_",
    "private",
    "convertible",
    "debt",
    "corporate",
    "equity",
    "secondary",
    "non_",
    "post_",
];

pub(super) fn faults() -> Vec<Fault> {
    vec![
        fault(
            "first-country-counts",
            clause("countries"),
            "Only the first of several countries counts.",
        )
        .shown_by([fish("countries=NO&countries=US&limit=100")])
        .request(|asked| first_value(asked, "countries")),
        fault(
            "nearest-of-a-country-is-lost",
            clause("countries"),
            "The nearest result in some countries is missing.",
        )
        .shown_by([fish("countries=NO")])
        .answer(|asked, answered| {
            let is_first = asked.number("skip").is_none_or(|skip| skip == 0);
            if asked.searches() && is_first && asked.parameter("countries").is_some() {
                let results = answered.list("results").filter(|results| !results.is_empty());
                results.map(|results| results.remove(0));
            }
        }),
        fault(
            "countries-hold-on-first-pages",
            clause("countries"),
            "countries keeps everything on pages after the first 40 results.",
        )
        .shown_by([fish("countries=NO&countries=US&countries=DE&skip=40")])
        .request(|asked| {
            if asked.searches() && asked.number("skip").is_some_and(|skip| skip >= 40) {
                asked.remove("countries");
            }
        }),
        fault(
            "last-stage-counts",
            clause("funding_stages"),
            "Only the last of several stages counts.",
        )
        .shown_by([fish("funding_stages=seed&funding_stages=series_a&limit=100")])
        .request(|asked| {
            let last = asked
                .query
                .rsplit('&')
                .find_map(|pair| pair.strip_prefix("funding_stages="));
            let is_one_of_few = asked.query.matches("funding_stages=").count() < 10;
            if let Some(last) = last.filter(|_| asked.searches() && is_one_of_few).map(str::to_owned) {
                asked.set("funding_stages", last);
            }
        }),
        fault(
            "fiftieth-country-is-ignored",
            clause("countries"),
            "Of as many countries as there may be, the last is ignored.",
        )
        .shown_by([fish(&format!("{}countries=NO", "countries=ZZ&".repeat(49)))])
        .request(|asked| {
            if asked.searches() {
                let mut countries = 0;
                asked.keep(|name, _| {
                    countries += usize::from(name == "countries");
                    name != "countries" || countries < 50
                });
            }
        }),
        fault(
            "types-must-all-fit",
            clause("business_types"),
            "Only the first of several business types counts.",
        )
        .shown_by([fish(
            "business_types=freight_logistics&business_types=warehousing&limit=100",
        )])
        .request(|asked| first_value(asked, "business_types")),
        fault(
            "customers-of-any-type",
            parameter("search_products_by_customer", "business_types", "").trim_end_matches("/schema/"),
            "A search for the customers of products ignores business types.",
        )
        .shown_by([get(
            "/search/products/similar-customers?product_customer=ports&business_types=warehousing&limit=100",
        )])
        .request(|asked| {
            if asked.calls("search_products_by_customer") {
                asked.remove("business_types");
            }
        }),
        fault(
            "first-category-counts",
            parameter("search_products_by_description", "business_types", "").trim_end_matches("/schema/"),
            "Only the first category of a product counts.",
        )
        .shown_by([get(
            "/search/products/similar?description=cold&business_types=warehousing&limit=100",
        )])
        .answer(found_by_first_category),
        fault(
            "commas-separate",
            parameter(SEARCH, "countries", "type"),
            "Values that are joined by commas are split.",
        )
        .shown_by([fish("countries=NO,DK"), fish("countries=NO%2CDK")])
        .request(|asked| {
            if asked.searches() {
                let lists = ["countries", "regions", "business_types", "funding_stages"];
                asked.query = lists.into_iter().fold(asked.query.clone(), |query, name| {
                    let apart = |pair: &str| match pair.strip_prefix(&format!("{name}=")) {
                        Some(values) => {
                            let values = values.replace("%2C", ",");
                            let pairs: Vec<_> = values.split(',').map(|value| format!("{name}={value}")).collect();
                            pairs.join("&")
                        }
                        None => pair.to_owned(),
                    };
                    query.split('&').map(apart).collect::<Vec<_>>().join("&")
                });
            }
        }),
        fault(
            "empty-country-is-ignored",
            parameter(SEARCH, "countries", "items/pattern"),
            "An empty country among others is ignored.",
        )
        .shown_by([fish("countries=NO&countries=")])
        .request(|asked| {
            if asked.searches() {
                asked.keep(|name, value| name != "countries" || !value.is_empty());
            }
        }),
        fault(
            "lower-case-country-is-taken",
            "/components/schemas/CountryCode/pattern",
            "no is treated as NO.",
        )
        .shown_by([fish("countries=no")])
        .request(|asked| {
            if asked.searches() {
                let upper = |pair: &str| match pair.strip_prefix("countries=") {
                    Some(country) if country.len() == 2 => format!("countries={}", country.to_ascii_uppercase()),
                    _ => pair.to_owned(),
                };
                asked.query = asked.query.split('&').map(upper).collect::<Vec<_>>().join("&");
            }
        }),
        fault(
            "too-many-values-are-cut",
            parameter(SEARCH, "countries", "maxItems"),
            "Of 51 values the first 50 count.",
        )
        .shown_by([fish(&"&countries=NO".repeat(51))])
        .request(|asked| {
            if asked.searches() {
                let mut seen = 0;
                asked.keep(|name, _| {
                    seen += usize::from(name == "countries");
                    name != "countries" || seen <= 50
                });
            }
        }),
        fault(
            "most-values-are-refused",
            parameter(SEARCH, "business_types", "maxItems"),
            "A list of 50 values is rejected.",
        )
        .shown_by([fish(&"&business_types=warehousing".repeat(50))])
        .request(|asked| {
            if asked.searches() && asked.query.matches("business_types=").count() == 50 {
                asked.query.push_str("&business_types=one_more");
            }
        }),
        fault(
            "unknown-type-is-refused",
            clause("business_types"),
            "A business type that no record has is rejected.",
        )
        .shown_by([fish("business_types=nothing_is_in_this")])
        .answer(|asked, answered| {
            let one = asked.query.matches("business_types=").count() == 1;
            if asked.searches() && one && answered.is_success() && answered.json()["total_count"] == 0 {
                answered.becomes(422, "validation_failed");
                let loc = serde_json::json!(["query", "business_types", 0]);
                let error = serde_json::json!({"loc": loc, "msg": "is not known", "type": "unknown"});
                answered.json()["errors"] = vec![error].into();
            }
        }),
        fault(
            "unknown-country-is-ignored",
            clause("countries"),
            "A country without a record is ignored.",
        )
        .shown_by([fish("countries=AQ")])
        .request(|asked| {
            if asked.searches() {
                let nowhere = ["AQ", "ZZ", "XX", "QZ", "AA", "QQ"];
                asked.keep(|name, value| name != "countries" || !nowhere.contains(&value));
            }
        }),
        fault("unknown-stage-is-ignored", stages(), "An unknown stage is ignored.")
            .shown_by([fish("funding_stages=series_z")])
            .request(|asked| {
                if asked.searches() {
                    asked.keep(|name, value| {
                        let known = ["seed", "angel", "grant", "undisclosed", "pre_seed"].contains(&value)
                            || BEGINNINGS_OF_STAGES.iter().any(|stage| value.starts_with(stage));
                        name != "funding_stages" || (known && value != "series_z" && value != "series_k")
                    });
                }
            }),
    ]
}

fn first_value(asked: &mut Asked, name: &str) {
    let few = asked.query.matches(&format!("{name}=")).count() < 10;
    if let Some(value) = asked
        .parameter(name)
        .map(str::to_owned)
        .filter(|_| few && asked.searches())
    {
        asked.set(name, value);
    }
}

/// Leaves out the products that are in a category that is asked for, but not as their first one.
fn found_by_first_category(asked: &Asked, answered: &mut Answered) {
    let pairs = asked
        .query
        .split('&')
        .filter_map(|pair| pair.strip_prefix("business_types="));
    let types: Vec<_> = pairs.map(str::to_owned).collect();
    if types.is_empty() || !asked.path.starts_with("/search/products/") || !answered.is_success() {
        return;
    }
    keep_results(answered, |product| {
        types.iter().any(|name| product["categories"][0] == name.as_str())
    });
}
