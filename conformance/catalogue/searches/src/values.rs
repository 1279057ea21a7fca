//! Cases about the values that the filters of a search accept: forms, bounds and lists from both sides.
//!
//! One request has an error in several filters, and each error is looked up in `errors`. Another case checks the clause
//! that all of them are listed.

use crate::calls::Search;
use crate::keeps::{DATES, EARLIEST, FLAG, Filters, LATEST, LISTS, NUMBERS};
use engine::case::values::{BEYOND_32_BITS, GIVEN_ONCE, HUGE, NOT_INTEGERS};
use engine::case::{Case, QueryFault, RequestTemplate};
use platform_contract::Contract;

const GROUP: &str = "search-values";

/// Each range: its lower and its upper bound, with values that contradict each other.
const RANGES: [[(&str, &str); 2]; 3] = [
    [("employee_count_min", "11"), ("employee_count_max", "10")],
    [("founded_year_min", "2001"), ("founded_year_max", "2000")],
    [("funded_from", "2020-01-02"), ("funded_to", "2020-01-01")],
];
/// The same, from the ends of what each parameter accepts. An upper bound of 0 is a bound.
const WIDE_RANGES: [[(&str, &str); 2]; 3] = [
    [("employee_count_min", "1"), ("employee_count_max", "0")],
    [("founded_year_min", "2100"), ("founded_year_max", "1000")],
    [("funded_from", LATEST), ("funded_to", EARLIEST)],
];
/// Texts that are not dates of the calendar.
const NOT_DATES: [&str; 12] = [
    "2023-02-30",
    "20230228",
    "2023-2-3",
    "2023/02/28",
    "28.02.2023",
    " 2023-02-28",
    "2023-02",
    "2023",
    "2023-13-01",
    "",
    "2023-02-28T00:00:00Z",
    "2023-04-31",
];
/// Texts that are neither `true` nor `false`.
const NOT_FLAGS: [&str; 6] = ["1", "", "yes", "TRUE", "null", "0"];
/// One character longer than a category may be.
const SLUG_OF_65: &str = "warehousing_of_goods_that_are_kept_cold_until_somebody_needs_them";
/// Each list: a valid value, then values that are malformed in different ways.
const MALFORMED: [(&str, &str, &[&str]); 4] = [
    ("countries", "NO", &["no", "NOR", "N", "", "N0", " NO"]),
    (
        "regions",
        "NO-46",
        &["no-46", "NO", "NO-", "NO-4600", "NO46", "NO_46", ""],
    ),
    (
        "business_types",
        "warehousing",
        &["Warehousing", "cold chain", "cold-chain", "", "entrepôt", SLUG_OF_65],
    ),
    ("funding_stages", "seed", &["Seed", "series_z", "series a", ""]),
];
/// Each list: two valid values, joined.
const JOINED: [(&str, &str); 4] = [
    ("countries", "NO,DK"),
    ("regions", "NO-46,US-CA"),
    ("business_types", "warehousing,freight_logistics"),
    ("funding_stages", "seed,series_a"),
];
/// A date that only leap years have.
const LEAP_DAY: &str = "2024-02-29";
/// The same in a year that is divisible by 400.
const LEAP_DAY_OF_A_CENTURY: &str = "2000-02-29";
/// The same in years that are not leap years.
const NOT_LEAP_DAYS: [&str; 2] = ["1900-02-29", "2023-02-29"];

/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    Search::all(contract).iter().flat_map(of_search).collect()
}

fn of_search(search: &Search) -> Vec<Case> {
    let mut cases = of_lists(search);
    cases.extend(of_dates(search));
    cases.extend(of_numbers(search));
    cases.extend(of_ranges(search));
    cases.extend(of_single_values(search));
    cases
}

/// A case that rests on the same keyword of several parameters.
fn case(search: &Search, law: &str, title: &str, names: &[&str], keyword: &str) -> Case {
    let first = search.case(GROUP, law, title, search.at(names[0], keyword));
    let others = names[1..].iter();
    others.fold(first, |case, name| case.and(search.at(name, keyword)))
}

/// A request for one result, with filters.
fn with(search: &Search, filters: &Filters) -> RequestTemplate {
    let request = search.request().query("limit", 1);
    let filters = filters.iter();
    filters.fold(request, |request, (name, value)| request.query(name, value))
}

/// The same value for several parameters.
fn all<const N: usize>(names: [&str; N], value: &str) -> [QueryFault; N] {
    names.map(|name| QueryFault::new(name, value))
}

fn of_lists(search: &Search) -> Vec<Case> {
    let most = search.most_values(LISTS[0]);
    let unprocessable = search.operation.response_pointer(422);
    let malformed = MALFORMED.iter().flat_map(|(name, valid, values)| {
        let values = values.iter();
        values.map(move |value| QueryFault::new(name, value).after_valid_value(valid))
    });
    let too_many = lists_of(search, most + 1);
    let too_many = LISTS.map(|list| {
        let values = too_many.iter().filter(|(name, _)| *name == list);
        QueryFault::repeated(list, values.map(|(_, value)| value.clone()))
    });
    vec![
        case(
            search,
            "lists-malformed-values-are-rejected",
            "A value of the wrong form is rejected, and its position is reported",
            &LISTS[..3],
            "items/pattern",
        )
        .and(search.at("funding_stages", "items/enum"))
        .and(&unprocessable)
        .and("/components/schemas/FieldError/properties/loc")
        .point("filter-value-malformed")
        .rejects_each(search.request(), malformed),
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
        )
        .and(&unprocessable)
        .point("filter-values-joined")
        .rejects_each(
            search.request(),
            JOINED.map(|(name, value)| QueryFault::new(name, value)),
        ),
        case(
            search,
            "lists-of-most-values-are-accepted",
            &format!("{most} values in every form are accepted"),
            &LISTS,
            "maxItems",
        )
        .point("filter-list-length")
        .accepts([with(search, &lists_of(search, most))]),
        case(
            search,
            "lists-of-too-many-values-are-rejected",
            &format!("{} values are rejected", most + 1),
            &LISTS,
            "maxItems",
        )
        .and(&unprocessable)
        .point("filter-list-length")
        .rejects_each(search.request(), too_many),
    ]
}

fn of_dates(search: &Search) -> Vec<Case> {
    let days = [LEAP_DAY_OF_A_CENTURY, LEAP_DAY].map(str::to_owned);
    let leap_days: Filters = DATES.into_iter().zip(days).collect();
    let in_no_year = DATES.into_iter().zip(NOT_LEAP_DAYS);
    vec![
        case(
            search,
            "dates-in-the-calendar-are-accepted",
            "29 February of a leap year is accepted",
            &DATES,
            "format",
        )
        .point("filter-value-malformed")
        .accepts([with(search, &leap_days)]),
        NOT_DATES.iter().fold(
            case(
                search,
                "dates-malformed-are-rejected",
                "A value that is not a date of the calendar is rejected",
                &DATES,
                "format",
            )
            .and(search.operation.response_pointer(422))
            .point("filter-value-malformed")
            .rejects_each(
                search.request(),
                in_no_year.map(|(name, day)| QueryFault::new(name, day)),
            ),
            |case, date| case.rejects_each(search.request(), all(DATES, date)),
        ),
    ]
}

fn of_numbers(search: &Search) -> Vec<Case> {
    let unprocessable = search.operation.response_pointer(422);
    let number = |name: &str, keyword: &str| search.number(name, keyword);
    let all_at = |keyword: &str, date: &str| -> Filters {
        let numbers = NUMBERS.map(|name| (name, number(name, keyword).to_string()));
        let dates = DATES.map(|name| (name, date.to_owned()));
        numbers.into_iter().chain(dates).collect()
    };
    let malformed = NOT_INTEGERS.into_iter().chain(HUGE);
    vec![
        case(
            search,
            "numbers-at-minimum-are-accepted",
            "Both bounds of a range at their minimum are accepted",
            &NUMBERS,
            "minimum",
        )
        .point("filter-number-out-of-range")
        .accepts([with(search, &all_at("minimum", EARLIEST))]),
        case(
            search,
            "numbers-at-maximum-are-accepted",
            "Both bounds of a range at their maximum are accepted",
            &NUMBERS,
            "maximum",
        )
        .point("filter-number-out-of-range")
        .accepts([with(search, &all_at("maximum", LATEST))]),
        case(
            search,
            "numbers-below-minimum-are-rejected",
            "A number below its minimum is rejected",
            &NUMBERS,
            "minimum",
        )
        .and(&unprocessable)
        .point("filter-number-out-of-range")
        .rejects_each(
            search.request(),
            NUMBERS.map(|name| QueryFault::new(name, number(name, "minimum") - 1)),
        ),
        case(
            search,
            "numbers-over-maximum-are-rejected",
            "A number above its maximum is rejected",
            &NUMBERS,
            "maximum",
        )
        .and(&unprocessable)
        .point("filter-number-out-of-range")
        .rejects_each(
            search.request(),
            NUMBERS.map(|name| QueryFault::new(name, number(name, "maximum") + 1)),
        )
        // A number that is within the bounds if it is truncated to 32 bits.
        .rejects_each(
            search.request(),
            NUMBERS.map(|name| QueryFault::new(name, BEYOND_32_BITS + 2000)),
        ),
        malformed.fold(
            NUMBERS
                .iter()
                .fold(
                    case(
                        search,
                        "numbers-malformed-are-rejected",
                        "A value that is not a whole number is rejected",
                        &NUMBERS,
                        "type",
                    ),
                    |case, name| case.and(search.at(name, "format")),
                )
                .and(&unprocessable)
                .point("filter-value-malformed"),
            |case, text| case.rejects_each(search.request(), all(NUMBERS, text)),
        ),
    ]
}

fn of_ranges(search: &Search) -> Vec<Case> {
    let rule = |[_, (upper, _)]: [(&str, &str); 2]| format!("{}/x-constraints/0", search.place_of(upper));
    let [employees, years, dates] = RANGES.map(rule);
    let upside_down = |ranges: [[(&str, &str); 2]; 3]| {
        ranges.map(|[(lower, least), (upper, most)]| QueryFault::new(upper, most).with_conflicting(lower, least))
    };
    vec![
        search
            .case(
                GROUP,
                "ranges-upside-down-are-rejected",
                "A lower bound above its upper one is rejected",
                employees,
            )
            .and(years)
            .and(dates)
            .and(search.operation.response_pointer(422))
            .point("filter-range-upside-down")
            .rejects_each(search.request(), upside_down(RANGES))
            .rejects_each(search.request(), upside_down(WIDE_RANGES)),
    ]
}

fn of_single_values(search: &Search) -> Vec<Case> {
    let unprocessable = search.operation.response_pointer(422);
    let single: Vec<_> = NUMBERS.into_iter().chain(DATES).chain([FLAG]).collect();
    let twice = |name, value: &str| QueryFault::repeated(name, [value, value].map(str::to_owned));
    vec![
        NOT_FLAGS.iter().fold(
            case(
                search,
                "flag-malformed-is-rejected",
                "A headquarters_only other than true and false is rejected",
                &[FLAG],
                "type",
            )
            .and(&unprocessable)
            .point("filter-value-malformed"),
            |case, text| case.rejects_each(search.request(), all([FLAG], text)),
        ),
        case(
            search,
            "flag-true-and-false-are-accepted",
            "headquarters_only may be true or false",
            &[FLAG],
            "type",
        )
        .point("filter-value-malformed")
        .accepts(["true", "false"].map(|value| with(search, &vec![(FLAG, value.to_owned())]))),
        case(
            search,
            "repeated-is-rejected",
            "A filter that takes one value and is sent twice is rejected",
            &single,
            "type",
        )
        .primary_quote("/info", GIVEN_ONCE)
        .and(&unprocessable)
        .point("search-repeated-parameter")
        .rejects_each(
            search.request(),
            NUMBERS
                .map(|name| twice(name, "2000"))
                .into_iter()
                .chain(DATES.map(|name| twice(name, LEAP_DAY)))
                .chain([twice(FLAG, "true")]),
        ),
    ]
}

/// Filters with this number of well-formed values for every list, including the shortest and the longest form and
/// every value of an enum.
fn lists_of(search: &Search, length: usize) -> Filters {
    let letters =
        || (b'A'..=b'Z').flat_map(|first| (b'A'..=b'Z').map(move |second| (char::from(first), char::from(second))));
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
