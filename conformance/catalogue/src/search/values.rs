//! What the filters of a search take as values: forms, bounds and lists from both sides.
//!
//! One request carries a fault in several filters, and each is looked for among `errors`. That every one is
//! named is another clause, with a case of its own: here a fault that is not named is sent once more alone.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::search::calls::Search;
use crate::search::keeps::{Filters, filter};
use engine::case::Case;
use engine::session::Probe;
use engine::transport::client::Answer;
use engine::verdict::Outcome;
use platform_contract::Contract;

const GROUP: &str = "search-values";

/// The filters that take a list.
pub(crate) const LISTS: [&str; 4] = ["countries", "regions", "business_types", "funding_stages"];
/// The filters that take a whole number.
const NUMBERS: [&str; 4] = [
    "employee_count_min",
    "employee_count_max",
    "founded_year_min",
    "founded_year_max",
];
/// The filters that take a date.
const DATES: [&str; 2] = ["funded_from", "funded_to"];
/// The lower and the upper bound of each range.
const RANGES: [[&str; 2]; 3] = [
    ["employee_count_min", "employee_count_max"],
    ["founded_year_min", "founded_year_max"],
    ["funded_from", "funded_to"],
];
const FLAG: &str = "headquarters_only";

/// Texts that are no whole numbers.
const NOT_INTEGERS: [&str; 6] = [
    "ten",
    "",
    "1.5",
    "1e1",
    "0x10",
    "100000000000000000000000000",
];
/// Texts that are no dates of the calendar.
const NOT_DATES: [&str; 6] = [
    "2023-02-30",
    "2023-2-3",
    "2023-13-01",
    "",
    "2023-02-28T00:00:00Z",
    "2023-02-29",
];
/// Texts that are neither `true` nor `false`.
const NOT_FLAGS: [&str; 6] = ["1", "", "yes", "TRUE", "null", "0"];
/// A sound value of each list.
const SOUND: [&str; 4] = ["NO", "NO-46", "warehousing", "seed"];
/// Dates at the ends of what can be written, and one that only some years have.
const EARLIEST: &str = "0001-01-01";
const LEAP_DAY: &str = "2024-02-29";
const LATEST: &str = "9999-12-31";

pub(crate) fn cases(contract: &'static Contract) -> Vec<Case> {
    Search::of(contract)
        .into_iter()
        .flat_map(of_search)
        .collect()
}

fn of_search(search: Search) -> Vec<Case> {
    let mut cases = of_lists(search);
    cases.extend(of_bounds(search));
    let single: Vec<_> = NUMBERS.into_iter().chain(DATES).chain([FLAG]).collect();
    let flag = case(
        search,
        "flag-malformed-is-rejected",
        "headquarters_only is true or false",
        &[FLAG],
        "type",
    );
    cases.extend([
        refused(
            search,
            flag,
            vec![(FLAG, search.one_of(&NOT_FLAGS).to_owned())],
        ),
        case(
            search,
            "flag-true-and-false-are-accepted",
            "headquarters_only is true or false",
            &[FLAG],
            "type",
        )
        .check(move |probe| {
            accepted(
                probe,
                search,
                ["true", "false"]
                    .map(|value| vec![(FLAG, value.to_owned())])
                    .into(),
            )
        }),
        case(
            search,
            "repeated-is-rejected",
            "A filter that takes one value is given once",
            &single,
            "type",
        )
        .led_by(
            "/info",
            "a parameter that takes one value may be given only once",
        )
        .and(search.operation.response_pointer(422))
        .check(move |probe| repeated(probe, search)),
    ]);
    cases
}

fn of_lists(search: Search) -> Vec<Case> {
    let most = search.most_values(LISTS[0]);
    let forms = |law: &str, title: &str| {
        let closed = search.at("funding_stages", "items/enum");
        case(search, law, title, &LISTS[..3], "items/pattern").and(closed)
    };
    let lengths = |law: &str, title: &str| case(search, law, title, &LISTS, "maxItems");
    vec![
        forms(
            "lists-malformed-values-are-rejected",
            "A value of another form is rejected, its position named",
        )
        .and(search.operation.response_pointer(422))
        .and("/components/schemas/FieldError/properties/loc")
        // A fault that is not named with the others is sent once more alone, and that may be all of them.
        .sends(1 + malformed_lists().len() as u64)
        .check(move |probe| positions(probe, search)),
        refused(
            search,
            case(
                search,
                "lists-joined-by-commas-are-rejected",
                "Values are repeated, not joined",
                &LISTS,
                "type",
            )
            .and_quote(
                search.place_of(LISTS[0]),
                "Repeat the parameter for more than one value, at most 50.",
            ),
            joined_lists(),
        ),
        lengths(
            "lists-of-most-values-are-accepted",
            &format!("{most} values in every form are accepted"),
        )
        .check(move |probe| accepted(probe, search, vec![lists_of(search, most)])),
        refused(
            search,
            lengths(
                "lists-of-too-many-values-are-rejected",
                &format!("{} values are rejected", most + 1),
            ),
            lists_of(search, most + 1),
        ),
    ]
}

fn of_bounds(search: Search) -> Vec<Case> {
    let bounds = |keyword: &'static str, by: i64| -> Filters {
        NUMBERS
            .map(|name| (name, (search.number(name, keyword) + by).to_string()))
            .into()
    };
    let numbers =
        |law: &str, title: &str, keyword: &str| case(search, law, title, &NUMBERS, keyword);
    let dates = |law: &str, title: &str| case(search, law, title, &DATES, "format");
    let all_at = |keyword: &'static str, date: &str| {
        let mut filters = bounds(keyword, 0);
        filters.extend(DATES.map(|name| (name, date.to_owned())));
        filters
    };
    let (least, most) = (all_at("minimum", EARLIEST), all_at("maximum", LATEST));
    let leap_day: Filters = DATES.map(|name| (name, LEAP_DAY.to_owned())).into();
    let malformed = numbers(
        "numbers-malformed-are-rejected",
        "A value that is not a whole number is rejected",
        "type",
    );
    let malformed = NUMBERS
        .iter()
        .fold(malformed, |case, name| case.and(search.at(name, "format")));
    let rules = RANGES.map(|[_, upper]| format!("{}/x-constraints/0", search.place_of(upper)));
    let crossed = rules[1..].iter().fold(
        search.case(
            GROUP,
            "ranges-upside-down-are-rejected",
            "A lower bound above its upper one is rejected",
            &rules[0],
        ),
        |case, rule| case.and(rule),
    );
    vec![
        numbers(
            "numbers-at-minimum-are-accepted",
            "Both bounds of a range at their least are accepted",
            "minimum",
        )
        .check(move |probe| accepted(probe, search, vec![least.clone()])),
        numbers(
            "numbers-at-maximum-are-accepted",
            "Both bounds of a range at their most are accepted",
            "maximum",
        )
        .check(move |probe| accepted(probe, search, vec![most.clone()])),
        dates(
            "dates-in-the-calendar-are-accepted",
            "29 February of a leap year is accepted",
        )
        .check(move |probe| accepted(probe, search, vec![leap_day.clone()])),
        refused(
            search,
            numbers(
                "numbers-below-minimum-are-rejected",
                "A number below its least is rejected",
                "minimum",
            ),
            bounds("minimum", -1),
        ),
        refused(
            search,
            numbers(
                "numbers-over-maximum-are-rejected",
                "A number above its most is rejected",
                "maximum",
            ),
            bounds("maximum", 1),
        ),
        refused(
            search,
            malformed,
            NUMBERS
                .map(|name| (name, search.one_of(&NOT_INTEGERS).to_owned()))
                .into(),
        ),
        refused(
            search,
            dates(
                "dates-malformed-are-rejected",
                "What is no date of the calendar is rejected",
            ),
            DATES
                .map(|name| (name, search.one_of(&NOT_DATES).to_owned()))
                .into(),
        ),
        crossed
            .and(search.operation.response_pointer(422))
            .check(move |probe| upside_down(probe, search)),
    ]
}

/// A case that rests on the same keyword of several parameters.
fn case(search: Search, law: &str, title: &str, names: &[&str], keyword: &str) -> Case {
    let first = search.case(GROUP, law, title, search.at(names[0], keyword));
    names[1..]
        .iter()
        .fold(first, |case, name| case.and(search.at(name, keyword)))
}

/// A case that expects each of the filters to be named as a fault.
fn refused(search: Search, case: Case, filters: Filters) -> Case {
    case.and(search.operation.response_pointer(422))
        .check(move |probe| expect_refused(probe, search, filters.clone()))
}

/// Values of another form, for every list; each is of its own kind of wrong.
fn malformed_lists() -> Filters {
    let table: [(&str, &[&str]); 4] = [
        ("countries", &["no", "NOR", "N", "", "N0", " NO"]),
        ("regions", &["no-46", "NO", "NO-", "NO-4600", "NO46", ""]),
        (
            "business_types",
            &["Warehousing", "cold chain", "cold-chain", "", "entrepôt"],
        ),
        ("funding_stages", &["Seed", "series_z", "series a", ""]),
    ];
    let pairs = table
        .into_iter()
        .flat_map(|(name, values)| values.iter().map(move |value| (name, (*value).to_owned())));
    pairs.collect()
}

fn joined_lists() -> Filters {
    let values = [
        "NO,DK",
        "NO-46,US-CA",
        "warehousing,freight_logistics",
        "seed,series_a",
    ];
    LISTS.into_iter().zip(values.map(str::to_owned)).collect()
}

/// So many well-formed values for every list, the shortest and the longest form and every value of a
/// closed list among them.
fn lists_of(search: Search, length: usize) -> Filters {
    let letters = || {
        (b'A'..=b'Z').flat_map(|first| {
            (b'A'..=b'Z').map(move |second| (char::from(first), char::from(second)))
        })
    };
    let countries = letters().map(|(first, second)| format!("{first}{second}"));
    let regions = ["ZZ-1", "ZZ-Z1Z"]
        .map(str::to_owned)
        .into_iter()
        .chain(countries.clone().map(|code| format!("{code}-01")));
    let longest = "a_0".chars().cycle().take(64).collect();
    let types = ["a".to_owned(), longest]
        .into_iter()
        .chain((0..).map(|number| format!("type_{number}")));
    let stages = search.operation.parameter("funding_stages").schema["items"]["enum"].as_array();
    let stages: Vec<_> = stages
        .into_iter()
        .flatten()
        .filter_map(|stage| stage.as_str())
        .map(str::to_owned)
        .collect();
    let mut filters = Filters::new();
    filters.extend(countries.take(length).map(|value| ("countries", value)));
    filters.extend(regions.take(length).map(|value| ("regions", value)));
    filters.extend(types.take(length).map(|value| ("business_types", value)));
    filters.extend(
        stages
            .into_iter()
            .cycle()
            .take(length)
            .map(|value| ("funding_stages", value)),
    );
    filters
}

async fn accepted(probe: Probe, search: Search, requests: Vec<Filters>) -> Outcome {
    for filters in requests {
        let call = filter(search.call(&probe)?.query("limit", 1), &filters);
        probe.expect(&call.send().await?).status(200);
    }
    Ok(())
}

/// Every filter that was sent has to be refused.
async fn expect_refused(probe: Probe, search: Search, filters: Filters) -> Outcome {
    let answer = filter(search.call(&probe)?, &filters).send().await?;
    probe.expect(&answer).refused(422, "validation_failed");
    let names: BTreeSet<_> = filters.iter().map(|(name, _)| *name).collect();
    for name in names {
        if !answer.names_fault_at(&["query", name]) {
            let mine = filters.iter().filter(|(found, _)| *found == name);
            let is_there = |loc: &Value| loc[0] == "query" && loc[1] == name;
            alone(&probe, search, mine.cloned().collect(), is_there).await?;
        }
    }
    Ok(())
}

/// Every position of every list that was sent has to be refused.
async fn positions(probe: Probe, search: Search) -> Outcome {
    let filters = malformed_lists();
    let answer = filter(search.call(&probe)?, &filters).send().await?;
    probe.expect(&answer).refused(422, "validation_failed");
    for (name, sound) in LISTS.into_iter().zip(SOUND) {
        let sent = filters.iter().filter(|(found, _)| *found == name);
        for (position, malformed) in sent.enumerate() {
            if !is_named(&answer, |loc| *loc == json!(["query", name, position])) {
                let behind = vec![(name, sound.to_owned()), malformed.clone()];
                alone(&probe, search, behind, |loc| {
                    *loc == json!(["query", name, 1])
                })
                .await?;
            }
        }
    }
    Ok(())
}

/// Every range has to be refused, at either of its bounds.
async fn upside_down(probe: Probe, search: Search) -> Outcome {
    let ranges = [["11", "10"], ["2001", "2000"], ["2020-01-02", "2020-01-01"]];
    let crossed = RANGES.into_iter().zip(ranges);
    let crossed: Vec<Filters> = crossed
        .map(|(names, values)| names.into_iter().zip(values.map(str::to_owned)).collect())
        .collect();
    let answer = filter(search.call(&probe)?, &crossed.concat())
        .send()
        .await?;
    probe.expect(&answer).refused(422, "validation_failed");
    for (names, range) in RANGES.into_iter().zip(crossed) {
        let is_there = |loc: &Value| names.iter().any(|name| *loc == json!(["query", name]));
        if !is_named(&answer, is_there) {
            alone(&probe, search, range, is_there).await?;
        }
    }
    Ok(())
}

fn is_named(answer: &Answer, is_there: impl Fn(&Value) -> bool) -> bool {
    let errors = answer.at("/errors").as_array().into_iter().flatten();
    answer.status == 422 && errors.into_iter().any(|error| is_there(&error["loc"]))
}

/// Filters that have one fault between them, which has to be named at its place.
async fn alone(
    probe: &Probe,
    search: Search,
    filters: Filters,
    is_there: impl Fn(&Value) -> bool,
) -> Outcome {
    let answer = filter(search.call(probe)?, &filters).send().await?;
    probe.expect(&answer).refused(422, "validation_failed");
    if answer.status == 422 && probe.faults_are_named() {
        let (name, value) = &filters[filters.len() - 1];
        probe.assert(
            is_named(&answer, is_there),
            "the errors",
            format!("a fault at {name}={value}"),
            answer.at("/errors"),
            &[&answer],
        );
    }
    Ok(())
}

/// Every parameter that takes one value, given twice.
async fn repeated(probe: Probe, search: Search) -> Outcome {
    let once: Filters = NUMBERS
        .map(|name| (name, "2000".to_owned()))
        .into_iter()
        .chain(DATES.map(|name| (name, LEAP_DAY.to_owned())))
        .chain([(FLAG, "true".to_owned())])
        .collect();
    let twice = once.iter().chain(&once).cloned().collect();
    expect_refused(probe, search, twice).await
}
