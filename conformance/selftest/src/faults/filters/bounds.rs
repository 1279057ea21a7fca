//! Bounds that are off by one.

use std::collections::BTreeSet;

use super::{clause, fish};
use crate::exchange::{Answered, Asked};
use crate::fault::{Fault, fault};

pub(super) fn faults() -> Vec<Fault> {
    let shifted = |name: &'static str, id: &str, wrong, witness: &str, by: i64| {
        fault(id, clause(name), wrong)
            .shown_by([fish(witness)])
            .request(move |asked| {
                if asked.searches() {
                    asked.change(
                        name,
                        |bound| {
                            if (2..9999).contains(&bound) { bound + by } else { bound }
                        },
                    );
                }
            })
    };
    vec![
        shifted(
            "employee_count_min",
            "least-size-is-excluded",
            "employee_count_min excludes organizations of exactly that size.",
            "employee_count_min=64",
            1,
        ),
        shifted(
            "employee_count_max",
            "greatest-size-is-excluded",
            "employee_count_max excludes organizations of exactly that size.",
            "employee_count_max=64",
            -1,
        ),
        shifted(
            "founded_year_min",
            "earliest-year-is-excluded",
            "founded_year_min excludes that year.",
            "founded_year_min=2016",
            1,
        ),
        shifted(
            "founded_year_max",
            "latest-year-is-excluded",
            "founded_year_max excludes that year.",
            "founded_year_max=2016",
            -1,
        ),
        fault(
            "greatest-size-is-lost-on-later-pages",
            clause("employee_count_max"),
            "employee_count_max keeps everything on a page after the first.",
        )
        .shown_by([fish("employee_count_max=64&skip=1")])
        .request(|asked| {
            if asked.searches() && asked.number("skip").unwrap_or(0) > 0 {
                asked.remove("employee_count_max");
            }
        }),
        shifted(
            "employee_count_max",
            "greatest-size-is-one-more",
            "employee_count_max keeps organizations with one more employee.",
            "employee_count_max=63",
            1,
        ),
        shifted(
            "founded_year_min",
            "earliest-year-is-the-year-before",
            "founded_year_min keeps the year before.",
            "founded_year_min=2017",
            -1,
        ),
        fault(
            "dates-are-years",
            clause("funded_from"),
            "funded_from is cut to the year.",
        )
        .shown_by([fish("funded_from=2021-12-20")])
        .request(|asked| dated(asked, "funded_from", |year| format!("{year}-01-01"))),
        fault(
            "latest-day-is-the-first-of-the-month",
            clause("funded_to"),
            "funded_to is cut to the month.",
        )
        .shown_by([fish("funded_to=2021-05-28")])
        .request(|asked| {
            let date = asked
                .parameter("funded_to")
                .filter(|date| date.len() == 10 && !date.ends_with("30"));
            let month = date.and_then(|date| date.get(..7)).map(str::to_owned);
            if let Some(month) = month.filter(|_| asked.searches()) {
                asked.set("funded_to", format!("{month}-01"));
            }
        }),
        fault(
            "unknown-size-passes",
            clause("employee_count_min"),
            "employee_count_min of 0 keeps organizations of unknown size.",
        )
        .shown_by([fish("employee_count_min=0&limit=100")])
        .request(|asked| {
            if asked.searches() && asked.number("employee_count_min") == Some(0) {
                asked.remove("employee_count_min");
            }
        }),
        fault(
            "upside-down-range-finds-nothing",
            format!("{}/x-constraints/0", clause("employee_count_max")),
            "A minimum above its maximum finds nothing.",
        )
        .shown_by([fish("employee_count_min=20&employee_count_max=10")])
        .answer(|asked, answered| {
            nothing_when_upside_down(asked, answered, "employee_count_min", "employee_count_max")
        }),
        fault(
            "upside-down-range-blames-the-minimum",
            format!("{}/x-constraints/0", clause("employee_count_max")),
            "The error about a minimum above its maximum names the minimum.",
        )
        .shown_by([fish("employee_count_min=20&employee_count_max=10")])
        .answer(|_, answered| {
            let errors = answered.list("errors").into_iter().flatten();
            for error in errors.filter(|error| error["type"] == "bounds_crossed") {
                error["loc"][1] = "employee_count_min".into();
            }
        }),
        fault(
            "compact-date-is-read",
            clause("funded_from"),
            "A date without dashes is read.",
        )
        .shown_by([fish("funded_from=20230228")])
        .request(|asked| {
            if asked.parameter("funded_from") == Some("20230228") {
                asked.set("funded_from", "2023-02-28");
            }
        }),
        fault(
            "date-with-slashes-is-read",
            clause("funded_from"),
            "A date with slashes is read.",
        )
        .shown_by([fish("funded_from=2023%2F02%2F28")])
        .request(|asked| {
            if asked.parameter("funded_from") == Some("2023%2F02%2F28") {
                asked.set("funded_from", "2023-02-28");
            }
        }),
        fault(
            "year-is-a-date",
            clause("funded_from"),
            "A year alone is read as its first day.",
        )
        .shown_by([fish("funded_from=2023")])
        .request(|asked| {
            let year = asked.parameter("funded_from").filter(|value| value.len() == 4);
            if let Some(year) = year.map(str::to_owned) {
                asked.set("funded_from", format!("{year}-01-01"));
            }
        }),
        fault(
            "date-beside-white-space-is-read",
            clause("funded_from"),
            "White space around a date is not looked at.",
        )
        .shown_by([fish("funded_from=%202023-02-28")])
        .request(|asked| {
            let trimmed = asked
                .parameter("funded_from")
                .map(|date| date.replace("%20", "").replace('+', ""));
            if let Some(trimmed) = trimmed {
                asked.set("funded_from", trimmed);
            }
        }),
        fault(
            "long-category-is-read",
            clause("business_types"),
            "A category of 65 characters is read.",
        )
        .shown_by([fish(&format!("business_types={}", "a".repeat(65)))])
        .request(|asked| {
            let is_long = |name: &str, value: &str| name == "business_types" && value.chars().count() == 65;
            asked.keep(|name, value| !is_long(name, value));
        }),
        fault(
            "one-malformed-value-is-listed",
            clause("countries"),
            "Of several malformed values of a parameter only the first is listed.",
        )
        .shown_by([fish("countries=no&countries=dk")])
        .answer(|_, answered| {
            let mut known = BTreeSet::new();
            if let Some(errors) = answered.list("errors") {
                errors.retain(|error| known.insert(error["loc"][1].to_string()));
            }
        }),
        fault(
            "upside-down-years-find-nothing",
            format!("{}/x-constraints/0", clause("founded_year_max")),
            "An earliest year after the latest finds nothing.",
        )
        .shown_by([fish("founded_year_min=2020&founded_year_max=2010")])
        .answer(|asked, answered| nothing_when_upside_down(asked, answered, "founded_year_min", "founded_year_max")),
        fault(
            "upside-down-dates-are-swapped",
            format!("{}/x-constraints/0", clause("funded_to")),
            "A funded_from after funded_to is swapped with it.",
        )
        .shown_by([fish("funded_from=2022-01-01&funded_to=2020-01-01")])
        .request(|asked| {
            let is_date = |text: &&str| text.len() == 10;
            let (from, to) = (
                asked.parameter("funded_from").filter(is_date),
                asked.parameter("funded_to").filter(is_date),
            );
            if let (Some(from), Some(to)) = (from.map(str::to_owned), to.map(str::to_owned))
                && from > to
            {
                asked.set("funded_from", to);
                asked.set("funded_to", from);
            }
        }),
    ]
}

fn dated(asked: &mut Asked, name: &str, date: impl Fn(&str) -> String) {
    let sound = asked
        .parameter(name)
        .filter(|text| text.len() == 10 && !text.ends_with("30") && !text.ends_with("31"));
    if let Some(year) = sound.and_then(|text| text.get(..4)).map(str::to_owned) {
        asked.set(name, date(&year));
    }
}

fn nothing_when_upside_down(asked: &Asked, answered: &mut Answered, min: &str, max: &str) {
    let upside_down = asked
        .number(min)
        .zip(asked.number(max))
        .is_some_and(|(min, max)| min > max);
    if asked.searches() && upside_down && answered.status == 422 {
        answered.succeeds(&serde_json::json!({"total_count": 0, "results": []}));
    }
}
