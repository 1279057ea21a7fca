//! Filters that conflict with each other, values that are only part of a code, and the ends of the calendar.

mod codes;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::exchange::{Answered, Asked};
use crate::fault::{Family, Fault, fault, parameter};
use crate::witness::{Witness, get};

pub(super) const FAMILY: Family = Family {
    name: "combined",
    title: "Filters together, parts of codes, ends of the calendar",
    faults,
};

const SEARCH: &str = "search_organizations_by_description";
/// The parameters that are not filters.
const OF_PAGES: [&str; 2] = ["skip", "limit"];

fn faults() -> Vec<Fault> {
    [of_pairs(), of_ranges(), codes::faults(), of_dates()]
        .into_iter()
        .flatten()
        .collect()
}

fn clause(name: &str) -> String {
    let schema = parameter(SEARCH, name, "");
    schema.trim_end_matches("/schema/").to_owned()
}

fn fish(query: &str) -> Witness {
    get(format!(
        "/search/organizations/similar?description=fish&limit=100&{query}"
    ))
}

fn cold(query: &str) -> Witness {
    get(format!("/search/products/similar?description=cold&limit=100&{query}"))
}

/// Whether a request for products has both parameters.
fn brings(asked: &Asked, names: [&str; 2]) -> bool {
    asked.searches() && names.iter().all(|name| asked.parameter(name).is_some())
}

/// Whether a parameter is the text of a search.
fn is_subject(name: &str) -> bool {
    ["description", "organization_customer", "product_customer"].contains(&name)
}

/// With the first parameter, the second one is ignored.
fn overrides(id: &str, winner: &'static str, loser: &'static str, wrong: &'static str, query: &str) -> Fault {
    fault(id, clause(loser), wrong)
        .shown_by([fish(query)])
        .request(move |asked| {
            if brings(asked, [winner, loser]) {
                asked.remove(loser);
            }
        })
}

/// A bound of 0 counts for nothing, as in a language where 0 is false.
fn zero_is_missing(id: &str, name: &'static str, wrong: &'static str) -> Fault {
    fault(id, clause(name), wrong)
        .shown_by([fish(&format!("{name}=0"))])
        .request(move |asked| {
            if asked.searches() && asked.parameter(name) == Some("0") {
                asked.remove(name);
            }
        })
}

fn of_pairs() -> Vec<Fault> {
    vec![
        fault(
            "five-filters-are-too-many",
            clause("countries"),
            "A search with five filters or more is rejected.",
        )
        .shown_by([fish(
            "countries=NO&employee_count_min=1&employee_count_max=9000&founded_year_min=1900&founded_year_max=2020",
        )])
        .answer(|asked, answered| {
            let names: BTreeSet<_> = asked
                .query
                .split('&')
                .filter_map(|pair| pair.split('=').next())
                .collect();
            let filters = names
                .iter()
                .filter(|name| !OF_PAGES.contains(name) && !is_subject(name));
            if asked.searches() && answered.is_success() && filters.count() >= 5 {
                answered.becomes(422, "validation_failed");
            }
        }),
        overrides(
            "regions-replace-countries",
            "regions",
            "countries",
            "With regions, countries are ignored.",
            "countries=NO&regions=US-CA",
        ),
        overrides(
            "countries-replace-regions",
            "countries",
            "regions",
            "With countries, regions are ignored.",
            "countries=US&regions=US-CA",
        ),
        overrides(
            "stages-replace-dates",
            "funding_stages",
            "funded_from",
            "With a stage, funded_from is ignored.",
            "funding_stages=seed&funded_from=2022-01-01",
        ),
        fault(
            "stages-with-dates-are-refused",
            parameter("search_products_by_description", "funding_stages", "").trim_end_matches("/schema/"),
            "A product search does not take a stage and funded_from together.",
        )
        .shown_by([get(
            "/search/products/similar?description=fish&funding_stages=seed&funded_from=2020-01-01",
        )])
        .answer(|asked, answered| {
            let has = |name| asked.parameter(name).is_some();
            if asked.calls("search_products_by_description") && has("funding_stages") && has("funded_from") {
                answered.becomes(422, "validation_failed");
            }
        }),
        overrides(
            "earliest-round-replaces-latest",
            "funded_from",
            "funded_to",
            "With funded_from, funded_to is ignored.",
            "funded_from=2015-01-01&funded_to=2018-01-01",
        ),
        overrides(
            "years-replace-sizes",
            "founded_year_min",
            "employee_count_max",
            "With an earliest year, the greatest size is ignored.",
            "founded_year_min=2010&employee_count_max=50",
        ),
        overrides(
            "types-replace-stages",
            "business_types",
            "funding_stages",
            "With business types, stages are ignored.",
            "business_types=maritime&funding_stages=seed",
        ),
        overrides(
            "dates-replace-years",
            "funded_to",
            "founded_year_max",
            "With a latest round, the latest year is ignored.",
            "funded_to=2022-01-01&founded_year_max=2000",
        ),
        overrides(
            "sizes-replace-regions",
            "employee_count_max",
            "regions",
            "With a greatest size, regions are ignored.",
            "employee_count_max=100&regions=US-CA",
        ),
        fault(
            "size-alone-replaces-countries",
            clause("countries"),
            "With a least size and no filter but countries, the countries are ignored.",
        )
        .shown_by([fish("employee_count_min=10&countries=NO")])
        .request(|asked| {
            let is_alone = asked.query.split('&').all(|pair| {
                let name = pair.split('=').next().unwrap_or_default();
                ["employee_count_min", "countries", "skip", "limit"].contains(&name) || is_subject(name)
            });
            if is_alone && brings(asked, ["employee_count_min", "countries"]) {
                asked.remove("countries");
            }
        }),
        fault(
            "regions-count-at-headquarters-only",
            clause("regions"),
            "With countries and every location, a search by description ignores regions.",
        )
        .shown_by([fish("countries=US&regions=NO-46&headquarters_only=false")])
        .request(|asked| {
            let is_anywhere = asked.parameter("headquarters_only") == Some("false");
            if asked.calls(SEARCH) && is_anywhere && brings(asked, ["countries", "regions"]) {
                asked.remove("regions");
            }
        }),
        fault(
            "organizations-of-types-at-any-stage",
            clause("funding_stages"),
            "With business types, a search for organizations by description ignores funding stages.",
        )
        .shown_by([fish("business_types=payments&funding_stages=seed")])
        .request(|asked| {
            if asked.calls(SEARCH) && brings(asked, ["business_types", "funding_stages"]) {
                asked.remove("funding_stages");
            }
        }),
        fault(
            "products-of-types-from-anywhere",
            parameter("search_products_by_customer", "countries", "").trim_end_matches("/schema/"),
            "With business types, a search for products by customer ignores countries.",
        )
        .shown_by([get(
            "/search/products/similar-customers?product_customer=ships&limit=100&business_types=maritime&countries=NO",
        )])
        .request(|asked| {
            if asked.calls("search_products_by_customer") && brings(asked, ["business_types", "countries"]) {
                asked.remove("countries");
            }
        }),
    ]
}

fn of_ranges() -> Vec<Fault> {
    vec![
        overrides(
            "sizes-have-one-bound",
            "employee_count_min",
            "employee_count_max",
            "With a least size, the greatest is ignored.",
            "employee_count_min=10&employee_count_max=50",
        ),
        overrides(
            "years-have-one-bound",
            "founded_year_max",
            "founded_year_min",
            "With a latest year, the earliest is ignored.",
            "founded_year_min=2000&founded_year_max=2010",
        ),
        overrides(
            "dates-have-one-bound",
            "funded_from",
            "funded_to",
            "With funded_from, funded_to is ignored.",
            "funded_from=2020-01-01&funded_to=2021-01-01",
        ),
        fault(
            "great-maximum-is-no-limit",
            clause("employee_count_max"),
            "A greatest size from 1000 on is taken for no limit.",
        )
        .shown_by([fish("employee_count_max=1000")])
        .request(|asked| {
            if asked.searches() && asked.number("employee_count_max").is_some_and(|most| most >= 1_000) {
                asked.remove("employee_count_max");
            }
        }),
        zero_is_missing(
            "zero-minimum-is-missing",
            "employee_count_min",
            "A least size of 0 is taken for a missing one.",
        ),
        zero_is_missing(
            "zero-maximum-is-missing",
            "employee_count_max",
            "A greatest size of 0 is taken for a missing one.",
        ),
    ]
}

fn of_dates() -> Vec<Fault> {
    vec![
        fault(
            "year-of-the-week",
            clause("funded_from"),
            "The last days of a year are read as days of the next year: the year is that of the week.",
        )
        .shown_by([fish("funded_from=2019-12-31")])
        .request(|asked| {
            for name in ["funded_from", "funded_to"] {
                let date = asked.parameter(name).filter(|date| date.len() == 10).map(str::to_owned);
                let Some((year, day)) = date.as_deref().and_then(|date| date.split_once('-')) else {
                    continue;
                };
                if let Some(year) = year
                    .parse::<i32>()
                    .ok()
                    .filter(|year| *year < 9999 && ["12-30", "12-31"].contains(&day))
                {
                    asked.set(name, format!("{}-{day}", year + 1));
                }
            }
        }),
        fault(
            "time-ends-in-2038",
            clause("funded_from"),
            "From 20 January 2038 on, funded_from is read as 1 January 1970.",
        )
        .shown_by([fish("funded_from=2038-01-20")])
        .request(|asked| {
            let is_late = |date: &str| date.len() == 10 && date > "2038-01-19";
            if asked.searches() && asked.parameter("funded_from").is_some_and(is_late) {
                asked.set("funded_from", "1970-01-01");
            }
        }),
        fault(
            "every-fourth-year-leaps",
            parameter(SEARCH, "funded_to", "format"),
            "1900 is treated as a leap year.",
        )
        .shown_by([fish("funded_to=1900-02-29")])
        .request(|asked| {
            for name in ["funded_from", "funded_to"] {
                if asked.searches() && asked.parameter(name) == Some("1900-02-29") {
                    asked.set(name, "1900-03-01");
                }
            }
        }),
        fault(
            "centuries-never-leap",
            parameter(SEARCH, "funded_to", "format"),
            "29 February 2000 is rejected.",
        )
        .shown_by([fish("funded_to=2000-02-29")])
        .request(|asked| {
            for name in ["funded_from", "funded_to"] {
                if asked.searches() && asked.parameter(name) == Some("2000-02-29") {
                    asked.set(name, "2000-02-30");
                }
            }
        }),
        fault(
            "thirty-one-days-each",
            parameter(SEARCH, "funded_from", "format"),
            "31 April is treated as 1 May.",
        )
        .shown_by([fish("funded_from=2023-04-31")])
        .request(|asked| {
            for name in ["funded_from", "funded_to"] {
                let date = asked
                    .parameter(name)
                    .and_then(|date| date.strip_suffix("-04-31"))
                    .map(str::to_owned);
                if let Some(year) = date.filter(|_| asked.searches()) {
                    asked.set(name, format!("{year}-05-01"));
                }
            }
        }),
        fault(
            "customers-check-no-dates",
            parameter("search_organizations_by_customer", "funded_from", "format"),
            "A search by customer treats 2023-02-29 as 1 March.",
        )
        .shown_by([get(
            "/search/organizations/similar-customers?organization_customer=ships&funded_from=2023-02-29",
        )])
        .request(|asked| {
            for name in ["funded_from", "funded_to"] {
                let is_wrong = asked
                    .parameter(name)
                    .is_some_and(|date| date == "2023-02-29" || date == "2023-02-30");
                if is_wrong && asked.calls("search_organizations_by_customer") {
                    asked.set(name, "2023-03-01");
                }
            }
        }),
        fault(
            "founded-at-new-year",
            clause("founded_year_min"),
            "Founded on 1 January counts as founded in the year before.",
        )
        .shown_by([get(
            "/search/organizations/1369/similar?founded_year_min=1951&limit=100",
        )])
        .answer(not_at_new_year),
        fault(
            "range-within-a-month-is-the-month",
            clause("funded_from"),
            "A range of dates within a month finds all rounds of that month.",
        )
        .shown_by([fish("funded_from=2012-07-12&funded_to=2012-07-12")])
        .request(|asked| {
            let month = |name: &str| asked.parameter(name).and_then(|date| date.get(..7)).map(str::to_owned);
            if let (Some(from), Some(to)) = (month("funded_from"), month("funded_to"))
                && asked.searches()
                && from == to
            {
                asked.set("funded_from", format!("{from}-01"));
                asked.set("funded_to", format!("{to}-28"));
            }
        }),
        fault(
            "one-result-has-no-score",
            "/components/schemas/OrganizationSearchResult",
            "The score of a result that is the only one is null.",
        )
        .shown_by([fish("funded_from=1996-10-07&funded_to=1996-10-07")])
        .answer(|asked, answered| {
            if asked.searches() && answered.is_success() && answered.json()["total_count"] == 1 {
                answered.results(|result| result["similarity"]["cosine_distance"] = Value::Null);
            }
        }),
    ]
}

fn not_at_new_year(asked: &Asked, answered: &mut Answered) {
    let least = asked.number("founded_year_min");
    let Some(least) = least.filter(|_| asked.searches() && answered.is_success()) else {
        return;
    };
    let is_first = |result: &Value| {
        let organization = result.get("organization").unwrap_or(result);
        organization["metrics"]["founded_on"] == format!("{least}-01-01")
    };
    let mut lost = 0;
    if let Some(results) = answered.list("results") {
        let before = results.len();
        results.retain(|result| !is_first(result));
        lost = before - results.len();
    }
    let total = answered.json()["total_count"].as_u64().unwrap_or_default();
    answered.json()["total_count"] = total.saturating_sub(lost as u64).into();
}
