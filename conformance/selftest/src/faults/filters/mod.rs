//! Filters that keep too much or too little, or reject valid values.

mod bounds;
mod lists;

use serde_json::Value;

use crate::exchange::{Answered, Asked};
use crate::fault::{Family, Fault, fault, operation, parameter};
use crate::witness::{Witness, get};

pub(super) const FAMILY: Family = Family {
    name: "filter",
    title: "Results of filters",
    faults,
};

const SEARCH: &str = "search_organizations_by_description";

fn faults() -> Vec<Fault> {
    let mut faults = ignored();
    faults.extend(bounds::faults());
    faults.extend(lists::faults());
    faults.extend(values());
    faults
}

fn clause(name: &str) -> String {
    let schema = parameter(SEARCH, name, "");
    schema.trim_end_matches("/schema/").to_owned()
}

fn stages() -> String {
    parameter(SEARCH, "funding_stages", "type").replace("/type", "/items/enum")
}

fn fish(query: &str) -> Witness {
    get(format!("/search/organizations/similar?description=fish&{query}"))
}

/// Each filter ignored, whatever its value.
fn ignored() -> Vec<Fault> {
    let filters = [
        (
            "countries",
            "countries-are-ignored",
            "countries keeps everything.",
            "countries=NO",
        ),
        (
            "regions",
            "regions-are-ignored",
            "regions keeps everything.",
            "regions=US-CA",
        ),
        (
            "employee_count_min",
            "least-size-is-ignored",
            "employee_count_min keeps everything.",
            "employee_count_min=5000",
        ),
        (
            "employee_count_max",
            "greatest-size-is-ignored",
            "employee_count_max keeps everything.",
            "employee_count_max=5",
        ),
        (
            "founded_year_min",
            "earliest-year-is-ignored",
            "founded_year_min keeps everything.",
            "founded_year_min=2020",
        ),
        (
            "founded_year_max",
            "latest-year-is-ignored",
            "founded_year_max keeps everything.",
            "founded_year_max=1990",
        ),
        (
            "business_types",
            "business-types-are-ignored",
            "business_types keeps everything.",
            "business_types=freight_logistics",
        ),
        (
            "funding_stages",
            "stages-are-ignored",
            "funding_stages keeps everything.",
            "funding_stages=seed",
        ),
        (
            "funded_from",
            "earliest-round-is-ignored",
            "funded_from keeps everything.",
            "funded_from=2020-01-01",
        ),
        (
            "funded_to",
            "latest-round-is-ignored",
            "funded_to keeps everything.",
            "funded_to=2015-01-01",
        ),
    ];
    let ignored = |(name, id, wrong, witness): (&'static str, &str, &'static str, &str)| {
        fault(id, clause(name), wrong)
            .shown_by([fish(witness)])
            .request(move |asked| {
                if asked.searches() {
                    asked.remove(name);
                }
            })
    };
    filters.map(ignored).into()
}

/// Flags, and filters that conflict.
fn values() -> Vec<Fault> {
    let flag = |keyword| parameter(SEARCH, "headquarters_only", keyword);
    vec![
        fault(
            "a-size-of-zero-is-refused",
            parameter(SEARCH, "employee_count_max", "minimum"),
            "A greatest size of 0 is rejected: the bound is exclusive.",
        )
        .shown_by([fish("employee_count_max=0")])
        .request(|asked| {
            if asked.searches() {
                asked.change("employee_count_max", |bound| if bound == 0 { -1 } else { bound });
            }
        }),
        fault(
            "headquarters-only-is-ignored",
            clause("headquarters_only"),
            "Filters always check headquarters only.",
        )
        .shown_by([fish("countries=DK&headquarters_only=false&limit=100")])
        .request(|asked| {
            if asked.searches() && asked.parameter("headquarters_only") == Some("false") {
                asked.remove("headquarters_only");
            }
        }),
        fault(
            "headquarters-only-is-never-false",
            flag("type"),
            "headquarters_only=false is rejected.",
        )
        .shown_by([fish("headquarters_only=false")])
        .request(|asked| {
            if asked.searches() && asked.parameter("headquarters_only") == Some("false") {
                asked.set("headquarters_only", "no");
            }
        }),
        fault(
            "headquarters-only-defaults-to-false",
            flag("default"),
            "By default, filters check every location.",
        )
        .shown_by([fish("countries=DK&limit=100")])
        .request(|asked| {
            if asked.searches() {
                asked.default("headquarters_only", "false");
            }
        }),
        fault(
            "norway-is-false",
            operation("search_products_by_description"),
            "The code of Norway is read as false, and the filter by countries has no effect.",
        )
        .shown_by([get("/search/products/similar?description=fish&countries=NO&limit=100")])
        .request(|asked| {
            if asked.calls("search_products_by_description") && asked.query.contains("countries=NO") {
                asked.remove("countries");
            }
        }),
        fault(
            "several-countries-look-at-every-office",
            flag("default"),
            "With several countries a filter checks every location.",
        )
        .shown_by([fish("countries=DK&countries=NO&limit=100")])
        .request(|asked| {
            let countries = asked.query.matches("countries=").count();
            if asked.searches() && countries > 1 {
                asked.default("headquarters_only", "false");
            }
        }),
        fault(
            "true-is-taken-for-false",
            flag("type"),
            "A search for customers takes headquarters_only=true for false, and only its absence for true.",
        )
        .shown_by([get(
            "/search/organizations/similar-customers?organization_customer=ships&countries=DK&headquarters_only=true&limit=100",
        )])
        .request(|asked| {
            if asked.calls("search_organizations_by_customer") && asked.parameter("headquarters_only") == Some("true") {
                asked.set("headquarters_only", "false");
            }
        }),
        fault(
            "flag-takes-a-number",
            flag("type"),
            "1 is treated as true, and 0 as false.",
        )
        .shown_by([fish("headquarters_only=1"), fish("headquarters_only=0")])
        .request(|asked| respelled(asked, &[("1", "true"), ("0", "false")])),
        fault(
            "flag-takes-yes",
            flag("type"),
            "yes and no, True and FALSE are accepted as a flag.",
        )
        .shown_by([fish("headquarters_only=yes"), fish("headquarters_only=True")])
        .request(|asked| {
            respelled(
                asked,
                &[
                    ("yes", "true"),
                    ("True", "true"),
                    ("TRUE", "true"),
                    ("no", "false"),
                    ("False", "false"),
                    ("FALSE", "false"),
                ],
            )
        }),
        fault(
            "either-filter-is-enough",
            clause("countries"),
            "Of a country and a size, only the country counts.",
        )
        .shown_by([fish("countries=US&employee_count_min=5000&limit=100")])
        .request(|asked| {
            if asked.searches() && asked.parameter("countries").is_some() {
                asked.keep(|name, _| !name.starts_with("employee_count"));
            }
        }),
        fault(
            "headquarters-are-required",
            clause("headquarters_only"),
            "With false, a country keeps no organization whose headquarters are in an unknown country.",
        )
        .shown_by([fish("countries=BG&headquarters_only=false&limit=100")])
        .answer(|asked, answered| {
            let is_wide = asked.parameter("headquarters_only") == Some("false");
            if asked.searches() && is_wide && asked.parameter("countries").is_some() {
                without_headquarters(answered);
            }
        }),
        fault(
            "one-location-meets-both",
            clause("countries"),
            "A country and a region have to match one location of an organization.",
        )
        .shown_by([fish("countries=NO&regions=CL-LL&headquarters_only=false&limit=100")])
        .answer(met_by_one_location),
        fault(
            "filters-do-not-go-together",
            clause("business_types"),
            "With another filter business_types is ignored.",
        )
        .shown_by([fish("business_types=freight_logistics&employee_count_min=2")])
        .request(|asked| {
            let others = [
                "countries",
                "employee_count_min",
                "employee_count_max",
                "founded_year_min",
                "funding_stages",
            ];
            if asked.searches() && others.iter().any(|name| asked.parameter(name).is_some()) {
                asked.remove("business_types");
            }
        }),
        fault(
            "impossible-date-is-taken",
            parameter(SEARCH, "funded_from", "format"),
            "2023-02-30 is treated as the last day of February.",
        )
        .shown_by([fish("funded_from=2023-02-30")])
        .request(|asked| {
            for name in ["funded_from", "funded_to"] {
                if asked.searches()
                    && asked
                        .parameter(name)
                        .is_some_and(|date| date.ends_with("-02-30") || date.ends_with("-02-29"))
                {
                    asked.set(name, "2023-02-28");
                }
            }
        }),
        fault(
            "date-may-have-a-time",
            parameter(SEARCH, "funded_to", "format"),
            "A date may be followed by a time.",
        )
        .shown_by([fish("funded_to=2023-02-28T00:00:00Z")])
        .request(|asked| {
            for name in ["funded_from", "funded_to"] {
                let date = asked
                    .parameter(name)
                    .filter(|text| text.len() > 10 && text.contains('T'));
                if let Some(date) = date.and_then(|text| text.get(..10)).map(str::to_owned) {
                    asked.set(name, date);
                }
            }
        }),
        fault(
            "products-are-not-filtered",
            parameter("search_products_by_description", "countries", "").trim_end_matches("/schema/"),
            "A search for products ignores filters on locations.",
        )
        .shown_by([get("/search/products/similar?description=fish&countries=NO")])
        .request(|asked| {
            if asked.operation.is_some_and(|id| id.starts_with("search_products")) {
                asked.remove("countries");
                asked.remove("regions");
            }
        }),
    ]
}

fn respelled(asked: &mut Asked, spellings: &[(&str, &str)]) {
    let flag = asked.parameter("headquarters_only");
    let spelling = spellings.iter().find(|(wrong, _)| flag == Some(wrong));
    if let Some((_, right)) = spelling {
        asked.set("headquarters_only", right);
    }
}

/// Removes the results whose headquarters are in an unknown country.
fn without_headquarters(answered: &mut Answered) {
    keep_results(answered, |result| {
        let organization = result.get("organization").unwrap_or(result);
        !organization["headquarters"]["country"].is_null()
    });
}

fn met_by_one_location(asked: &Asked, answered: &mut Answered) {
    let country = asked.parameter("countries").unwrap_or_default();
    let region = asked.parameter("regions").unwrap_or_default();
    let is_both = !country.is_empty() && !region.is_empty();
    if !asked.searches() || !answered.is_success() || !is_both {
        return;
    }
    let meets = |location: &Value| location["country"] == country && location["region"] == region;
    keep_results(answered, |result| {
        let organization = result.get("organization").unwrap_or(result);
        let others = organization["locations"].as_array().into_iter().flatten();
        std::iter::once(&organization["headquarters"]).chain(others).any(meets)
    });
}

/// Removes the other results of a page, which then do not count.
fn keep_results(answered: &mut Answered, is_kept: impl FnMut(&Value) -> bool) {
    let Some(results) = answered.list("results") else {
        return;
    };
    let before = results.len();
    results.retain(is_kept);
    let removed = before - results.len();
    let total = answered.json()["total_count"].as_u64().unwrap_or_default();
    answered.json()["total_count"] = total.saturating_sub(removed as u64).into();
}
