//! Cases about the records that a filter keeps: exactly the records of the unfiltered search that pass it, in the same
//! order and at the same distance. The values are taken from the deployment's own records, so no known data is needed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::calls::{Finds, Search, Walk, count, walk};
use crate::keeps::{
    DATES, EARLIEST, Filters, LATEST, categories, employee_count, filter, keeping, last_round_on, last_round_stage,
    places, unreadable, year,
};
use crate::order::{assert_law, filtered, pages};
use crate::seen::{
    alternatives, bound_just_missed, most_frequent, most_telling, narrowest, own_values, shown_filters, telling,
};
use crate::single_values::{MOST_SINGLE_VALUES, MOST_UNKNOWN_VALUES, check_values, shown_values};
use crate::stated::Filtered;
use engine::case::Case;
use engine::session::Probe;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

const GROUP: &str = "search-filter";
/// The filter on the stage of the latest funding round.
const STAGES: &str = "funding_stages";

/// Every page that can be reached.
pub(super) const PAGES: i64 = i64::MAX;
/// The limit on the requests of a case: two walks to the end of a search's reach, and a few more.
pub(super) const SENDS: u64 = 24;
/// The limit on the requests with single values: each value once, and a few of them on all six searches.
const SENDS_FOR_VALUES: u64 = (MOST_SINGLE_VALUES + 6 * MOST_UNKNOWN_VALUES) as u64;
/// The first day whose seconds since 1970 do not fit in 32 bits.
const BEYOND_32_BITS_OF_SECONDS: &str = "2038-01-20";

/// Codes that are something else to some parsers: false in YAML, and a missing value in tables.
const MISREAD: [&str; 2] = ["NO", "NA"];

/// The filters with one bound, each with its point.
const BOUNDS: [(&str, &str); 6] = [
    ("employee_count_min", "filter-employee-count"),
    ("employee_count_max", "filter-employee-count"),
    ("founded_year_min", "filter-founded-year"),
    ("founded_year_max", "filter-founded-year"),
    ("funded_from", "filter-funding-dates"),
    ("funded_to", "filter-funding-dates"),
];
/// The ranges.
const RANGES: [[&str; 2]; 3] = [
    ["employee_count_min", "employee_count_max"],
    ["founded_year_min", "founded_year_max"],
    ["funded_from", "funded_to"],
];
/// The list filters on a field that every result shows, each with its point.
const LISTS: [(&str, &str); 3] = [
    ("countries", "filter-countries"),
    ("regions", "filter-regions"),
    (STAGES, "filter-funding-stages"),
];
/// The bounds that may be 0.
const ZERO: [&str; 2] = ["employee_count_min", "employee_count_max"];
/// Filters of different kinds.
const DIFFERENT: [&str; 4] = ["countries", "employee_count_min", "founded_year_max", STAGES];
/// Well-formed values that no record has, each with the filter and its point: `ZZ` is not a country and will not be
/// one.
pub(super) const UNKNOWN: [(&str, &str, &str); 3] = [
    ("countries", "ZZ", "filter-countries"),
    ("regions", "ZZ-ZZZ", "filter-regions"),
    (
        "business_types",
        "zz_no_such_category_zz_no_such_category_zz_no_such_category_zz_x",
        "filter-business-types",
    ),
];

/// A field that a filter compares and a record may lack.
struct Field {
    law: &'static str,
    /// The field, after "without".
    what: &'static str,
    /// The sentence of the contract about a record without the field.
    sentence: &'static str,
    /// The parameter whose description has the sentence.
    parameter: &'static str,
    is_lacking: fn(&Value) -> bool,
    /// The widest filters on the field: every record that has the field passes them, as far as a request can express
    /// that.
    widest: fn(&Search, &Walk) -> Filters,
}

const FIELDS: [Field; 6] = [
    Field {
        law: "without-employee-count-is-never-kept",
        what: "a number of employees",
        sentence: "Organizations whose number of employees is unknown never match.",
        parameter: "employee_count_min",
        is_lacking: |organization| employee_count(organization).is_none(),
        widest: |search, _| full_range(search, ["employee_count_min", "employee_count_max"]),
    },
    Field {
        law: "without-founding-date-is-never-kept",
        what: "a founding date",
        sentence: "Organizations whose founding date is unknown never match.",
        parameter: "founded_year_min",
        is_lacking: |organization| year(organization).is_none(),
        widest: |search, _| full_range(search, ["founded_year_min", "founded_year_max"]),
    },
    Field {
        law: "without-dated-round-is-never-kept",
        what: "a dated funding round",
        sentence: "Organizations without a dated round never match.",
        parameter: "funded_from",
        is_lacking: |organization| last_round_on(organization).is_none(),
        widest: |_, _| vec![("funded_from", EARLIEST.to_owned()), ("funded_to", LATEST.to_owned())],
    },
    Field {
        law: "without-round-is-never-kept",
        what: "a funding round",
        sentence: "Organizations without a round never match.",
        parameter: STAGES,
        is_lacking: |organization| last_round_stage(organization).is_none(),
        widest: |search, _| {
            let stages = search.operation.parameter(STAGES).schema["items"]["enum"].as_array();
            let stages = stages.into_iter().flatten().filter_map(Value::as_str);
            stages.map(|stage| (STAGES, stage.to_owned())).collect()
        },
    },
    Field {
        law: "without-country-is-never-kept",
        what: "a country",
        sentence: "Records without a country never match",
        parameter: "countries",
        is_lacking: |organization| places(organization, "country", true).next().is_none(),
        widest: |search, walk| all_places(search, walk, "countries", "country"),
    },
    Field {
        law: "without-region-is-never-kept",
        what: "a region",
        sentence: "Records without a region never match",
        parameter: "regions",
        is_lacking: |organization| places(organization, "region", true).next().is_none(),
        widest: |search, walk| all_places(search, walk, "regions", "region"),
    },
];

fn full_range(search: &Search, bounds: [&'static str; 2]) -> Filters {
    let [least, most] = bounds;
    vec![
        (least, search.number(least, "minimum").to_string()),
        (most, search.number(most, "maximum").to_string()),
    ]
}

/// The places in the results, at most as many as a list may have.
fn all_places(search: &Search, walk: &Walk, parameter: &'static str, member: &'static str) -> Filters {
    let organizations = walk.results.iter().map(|result| search.finds.organization(result));
    let seen: BTreeSet<_> = organizations
        .flat_map(|organization| places(organization, member, true))
        .collect();
    let listed = seen.into_iter().take(search.most_values(parameter));
    listed.map(|place| (parameter, place.to_owned())).collect()
}

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    Search::all(contract).iter().flat_map(of_search).collect()
}

fn of_search(search: &Search) -> Vec<Case> {
    let mut cases = of_single_filters(search);
    cases.extend(of_several_filters(search));
    cases.extend(of_missing_fields(search));
    cases.extend(of_unknown_values(search));
    cases
}

/// A case about a filter.
pub(super) fn case(search: &Search, law: &str, title: &str, parameter: &str) -> Case {
    search
        .case(GROUP, law, title, search.place_of(parameter))
        .needs(search.needs())
        .sends(SENDS)
}

fn of_single_filters(search: &Search) -> Vec<Case> {
    let bounds = BOUNDS.map(|(name, point)| {
        case(
            search,
            &format!("{name}-keeps-what-passes"),
            &format!("{name} keeps exactly the records that pass, including those at the bound"),
            name,
        )
        .point(point)
        .check_with((search.clone(), name), kept_by_bound)
    });
    let lists = LISTS.map(|(name, point)| {
        case(
            search,
            &format!("{name}-keeps-what-fits-any"),
            &format!("{name} keeps exactly the records that match any of its values"),
            name,
        )
        .point(point)
        .sends(SENDS + SENDS_FOR_VALUES)
        .check_with((search.clone(), name), kept_by_any)
    });
    let of_types = case(
        search,
        "business_types-keeps-what-fits-any",
        "business_types keeps exactly the records in any of the categories",
        "business_types",
    )
    .point("filter-business-types")
    .sends(SENDS + SENDS_FOR_VALUES);
    let of_types = match search.finds {
        Finds::Organizations => of_types
            .quote("An organization is in the categories of its products")
            .check_with(search.clone(), organizations_in_categories),
        Finds::Products => of_types
            .quote("a product search checks the product's own.")
            .check_with((search.clone(), "business_types"), kept_by_any),
    };
    bounds.into_iter().chain(lists).chain([of_types]).collect()
}

fn of_several_filters(search: &Search) -> Vec<Case> {
    let bounds = BOUNDS.map(|(name, _)| name);
    let equal = case(
        search,
        "equal-bounds-keep-what-is-there",
        "A range from a value to the same value keeps the records with that value",
        bounds[0],
    );
    let narrow = case(
        search,
        "narrow-ranges-keep-what-is-there",
        "A range with two equal bounds keeps the records with that value, and leaves out the nearest other value",
        bounds[0],
    );
    let others = bounds[1..].iter();
    vec![
        case(
            search,
            "zero-is-a-bound",
            "A bound of 0 is a bound: it is not taken for a missing one",
            ZERO[0],
        )
        .and(search.place_of(ZERO[1]))
        .primary_quote("/info", "A record that lacks a field never passes a filter on it.")
        .point("filter-employee-count")
        .check_with(search.clone(), kept_by_zero),
        others
            .clone()
            .fold(equal, |case, name| case.and(search.place_of(name)))
            .primary_quote("/info", "Bounds are inclusive.")
            .point("filter-bounds")
            .check_with((search.clone(), bounds.to_vec()), kept),
        others
            .fold(narrow, |case, name| case.and(search.place_of(name)))
            .primary_quote("/info", "Bounds are inclusive.")
            .point("filter-bounds")
            .check_with(search.clone(), kept_by_narrow_ranges),
        case(
            search,
            "different-filters-hold-together",
            "A record has to pass every filter",
            DIFFERENT[0],
        )
        .primary_quote("/info", "Filters may be combined.")
        .primary_quote("/info", "A result passes every filter that is given")
        .point("filters-combined")
        .check_with((search.clone(), DIFFERENT.to_vec()), kept),
    ]
}

fn of_missing_fields(search: &Search) -> Vec<Case> {
    let cases = FIELDS.iter().map(|field| {
        case(
            search,
            field.law,
            &format!("A record without {} is not kept", field.what),
            field.parameter,
        )
        .quote(field.sentence)
        .point("filter-missing-field")
        .check_with((search.clone(), field), lacking)
    });
    cases.collect()
}

fn of_unknown_values(search: &Search) -> Vec<Case> {
    let cases = UNKNOWN.into_iter().map(|(name, value, point)| {
        case(
            search,
            &format!("{name}-unknown-value-finds-nothing"),
            &format!("A well-formed value of {name} that no record has finds nothing"),
            name,
        )
        .point(point)
        .check_with((search.clone(), name, value), nothing)
    });
    cases.collect()
}

/// The records that may be on the first page of a search: values are taken from them, so a record at a bound is on the
/// first page of the filtered search too.
pub(super) fn nearest<'a>(search: &Search, all: &'a Walk) -> &'a [Value] {
    let most = usize::try_from(search.number("limit", "maximum")).unwrap_or(usize::MAX);
    &all.results[..all.results.len().min(most)]
}

/// Compares with a bound that equals the value of some record, with one that some record misses by the smallest step,
/// and with a date that few programs have ever been given.
async fn kept_by_bound(probe: Probe, (search, name): (Search, &'static str)) -> Outcome {
    let all = search.walked(&probe, PAGES).await?;
    let records = nearest(&search, &all);
    let at = records.iter().filter_map(|record| own_values(&search, &[name], record));
    let missed = records
        .iter()
        .filter_map(|record| bound_just_missed(&search, name, record));
    let (Some(at), Some(missed)) = (
        most_telling(&search, records, at),
        most_telling(&search, records, missed),
    ) else {
        return probe.inconclusive(format!("records that differ in the field of {name}"));
    };
    let extreme = extreme(&search, name, records).and_then(|record| bound_just_missed(&search, name, record));
    let late = DATES
        .contains(&name)
        .then(|| vec![(name, BEYOND_32_BITS_OF_SECONDS.to_owned())]);
    for filters in [at, missed].into_iter().chain(extreme).chain(late) {
        compare_kept(&probe, &search, &all, &filters, 0).await?;
    }
    Ok(())
}

/// The record that a bound excludes last: a deployment may take a great maximum for no limit.
fn extreme<'a>(search: &Search, name: &'static str, records: &'a [Value]) -> Option<&'a Value> {
    let with_values = records.iter().filter_map(|record| {
        let value = own_values(search, &[name], record)?.pop()?.1;
        // Dates of the form YYYY-MM-DD are in the order of their texts.
        Some(((value.parse::<i64>().ok(), value), record))
    });
    let is_lower = name.ends_with("_min") || name.ends_with("_from");
    let (_, record) = match is_lower {
        true => with_values.min_by(|(one, _), (other, _)| one.cmp(other)),
        false => with_values.max_by(|(one, _), (other, _)| one.cmp(other)),
    }?;
    Some(record)
}

/// Compares with each bound of 0 alone. As a minimum it keeps every record that has the field.
async fn kept_by_zero(probe: Probe, search: Search) -> Outcome {
    let all = search.walked(&probe, PAGES).await?;
    let counts = || {
        all.results
            .iter()
            .map(|record| employee_count(search.finds.organization(record)))
    };
    if counts().all(|count| count.is_some_and(|count| count == 0)) {
        return probe.inconclusive("a record with employees");
    }
    for name in ZERO {
        let first = counts().position(|count| match name == ZERO[0] {
            true => count.is_none(),
            false => count != Some(0),
        });
        let wanted = first.map_or(0, |first| first + 1);
        compare_kept(&probe, &search, &all, &vec![(name, "0".to_owned())], wanted).await?;
    }
    Ok(())
}

/// Compares with the narrowest ranges of each kind.
async fn kept_by_narrow_ranges(probe: Probe, search: Search) -> Outcome {
    let all = search.walked(&probe, PAGES).await?;
    let records = nearest(&search, &all);
    let ranges = RANGES.into_iter().flat_map(|range| narrowest(&search, range, records));
    let mut is_compared = false;
    for filters in ranges {
        compare_kept(&probe, &search, &all, &filters, 0).await?;
        is_compared = true;
    }
    match is_compared {
        true => Ok(()),
        false => probe.inconclusive("records that differ in the field of a range"),
    }
}

/// Compares with filters on these parameters, made of the fields of one record.
async fn kept(probe: Probe, (search, names): (Search, Vec<&'static str>)) -> Outcome {
    let all = search.walked(&probe, PAGES).await?;
    let records = nearest(&search, &all);
    let candidates = records.iter().filter_map(|record| own_values(&search, &names, record));
    match most_telling(&search, records, candidates) {
        Some(filters) => compare_kept(&probe, &search, &all, &filters, 0).await,
        None => probe.inconclusive(format!("records that differ in the fields of {}", names.join(", "))),
    }
}

/// Compares with two values of a list, each from some record.
async fn kept_by_any(probe: Probe, (search, name): (Search, &'static str)) -> Outcome {
    let all = search.walked(&probe, PAGES).await?;
    // The names of filters are decided.
    if probe.target_names(name) {
        check_values(&probe, &search, name, &all).await;
    }
    let is_shown = |code: &&&str| {
        let mut records = all.results.iter();
        records.any(|record| shown_values(&search, name, record).contains(*code))
    };
    for code in MISREAD.iter().filter(is_shown) {
        compare_kept(&probe, &search, &all, &vec![(name, (*code).to_owned())], 0).await?;
    }
    match alternatives(&search, name, nearest(&search, &all)) {
        Some(filters) => compare_kept(&probe, &search, &all, &filters, 0).await,
        None => probe.inconclusive(format!("records of three different {name}")),
    }
}

/// Walks the widest filter on a field down to the first record without the field.
async fn lacking(probe: Probe, (search, field): (Search, &'static Field)) -> Outcome {
    let all = search.walked(&probe, PAGES).await?;
    let organization = |record| search.finds.organization(record);
    let first = all
        .results
        .iter()
        .position(|record| (field.is_lacking)(organization(record)));
    let Some(first) = first else {
        return probe.inconclusive(format!("a record without the field of {}", field.parameter));
    };
    let mut filters = (field.widest)(&search, &all);
    if field.parameter == STAGES && probe.searches_have_any_form() {
        // The source does not list the stages: a deployment need not know one that none of its records has.
        let shown = most_frequent(&search, STAGES, &all.results);
        filters.retain(|(_, stage)| shown.contains(stage));
        if filters.is_empty() {
            return probe.inconclusive("a record with a funding stage");
        }
    }
    compare_kept(&probe, &search, &all, &filters, first + 1).await
}

/// Compares a filtered search with the records of the unfiltered one that pass the filters by their own fields, on a
/// page of the largest size and down to `wanted`.
pub(super) async fn compare_kept(
    probe: &Probe,
    search: &Search,
    all: &Walk,
    filters: &Filters,
    wanted: usize,
) -> Outcome {
    let keeps = keeping(search.finds, filters);
    compare(probe, search, all, filters, at_least_a_page(search, wanted), keeps).await
}

/// Compares the first results of a filtered search with the records of the unfiltered one that pass the filters by
/// their own fields.
pub(super) async fn compare_first(
    probe: &Probe,
    search: &Search,
    all: &Walk,
    filters: &Filters,
    wanted: i64,
) -> Outcome {
    let keeps = keeping(search.finds, filters);
    compare(probe, search, all, filters, wanted, keeps).await
}

/// A number of results that fills a page of the largest size, within the reach of the search.
fn at_least_a_page(search: &Search, wanted: usize) -> i64 {
    let most = search.number("limit", "maximum");
    i64::try_from(wanted).unwrap_or(most).clamp(most, search.reach)
}

/// Compares a filtered search with the unfiltered one, down to `wanted`.
async fn compare(
    probe: &Probe,
    search: &Search,
    all: &Walk,
    filters: &Filters,
    wanted: i64,
    keeps: impl Fn(&Value) -> bool,
) -> Outcome {
    let probe = &probe.about(filters.iter().map(|(name, _)| *name));
    let most = search.number("limit", "maximum");
    let found = walk(probe, &|| Ok(filter(search.call(probe)?, filters)), most, wanted).await?;
    let unreadable = unreadable(search.finds, filters);
    let mut departures = filtered(search.finds, all, &found, keeps, unreadable);
    let are_other_records = !departures.is_empty();
    departures.extend(pages(&found, &[], wanted));
    let shown: Vec<_> = filters
        .iter()
        .take(4)
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let law = format!("the search with {}", shown.join("&"));
    let evidence: Vec<_> = found.pages.iter().chain(all.pages.first()).collect();
    assert_law(probe, &law, &departures, &evidence);
    if are_other_records {
        let filtered = Filtered {
            search,
            all,
            filters,
            found: &found,
            is_later: false,
        };
        filtered.check_meaning(probe).await;
    }
    Ok(())
}

/// Searches for a value that no record has. A search that finds nothing without the filter shows nothing of it.
async fn nothing(probe: Probe, (search, name, value): (Search, &'static str, &'static str)) -> Outcome {
    let probe = probe.about([name]);
    let response = search.call(&probe)?.query(name, value).send().await?;
    probe
        .expect(&response)
        .status(200)
        .body("/total_count", 0)
        .body("/results", Vec::<Value>::new());
    match search.walked(&probe, PAGES).await?.results.is_empty() {
        true => probe.inconclusive("a record that the search finds without the filter"),
        false => Ok(()),
    }
}

/// Compares `business_types` through products: an organization does not show its categories, and the search for
/// products shows which organization offers which.
async fn organizations_in_categories(probe: Probe, search: Search) -> Outcome {
    let all = search.walked(&probe, PAGES).await?;
    let Some(for_products) = Search::by_description(probe.contract(), Finds::Products) else {
        return probe.inconclusive("a search for products by description");
    };
    let products = for_products.walked(&probe, PAGES).await?;
    let met: BTreeSet<_> = all.results.iter().map(|result| search.finds.id(result)).collect();
    let Some(filters) = rare_categories(&products.results, &met) else {
        return probe.inconclusive("products of two categories, offered by organizations that the search finds");
    };
    let offered = every_product(&probe, &for_products, &filters).await?;
    let offering: BTreeSet<_> = offered
        .results
        .iter()
        .filter_map(|product| product["organization"]["organization_id"].as_i64())
        .collect();
    let is_offering = |record: &Value| offering.contains(&search.finds.id(record));
    compare(
        &probe,
        &search,
        &all,
        &filters,
        at_least_a_page(&search, 0),
        is_offering,
    )
    .await?;
    let found: Vec<_> = all
        .results
        .iter()
        .filter(|record| is_offering(record))
        .cloned()
        .collect();
    for name in shown_filters(&search) {
        let Some(second) = telling(&search, name, &found) else {
            continue;
        };
        let keeps = keeping(search.finds, &second);
        let both = [filters.as_slice(), &second].concat();
        let wanted = at_least_a_page(&search, 0);
        compare(&probe, &search, &all, &both, wanted, |record| {
            is_offering(record) && keeps(record)
        })
        .await?;
    }
    Ok(())
}

/// The two categories with the fewest products of the organizations, so that all of their products can be reached.
fn rare_categories(products: &[Value], organizations: &BTreeSet<i64>) -> Option<Filters> {
    let mut times = BTreeMap::<&str, i64>::new();
    for product in products {
        let offered = product["organization"]["organization_id"].as_i64();
        if offered.is_some_and(|id| organizations.contains(&id)) {
            categories(product).for_each(|category| *times.entry(category).or_default() += 1);
        }
    }
    let mut rarest: Vec<_> = times.into_iter().collect();
    rarest.sort_by_key(|(_, times)| *times);
    let filters: Filters = rarest
        .into_iter()
        .take(2)
        .map(|(category, _)| ("business_types", category.to_owned()))
        .collect();
    (filters.len() == 2).then_some(filters)
}

/// Walks every product that passes filters.
async fn every_product(probe: &Probe, for_products: &Search, filters: &Filters) -> Result<Walk, Stop> {
    let most = for_products.number("limit", "maximum");
    let call = || Ok(filter(for_products.call(probe)?, filters));
    let found = walk(probe, &call, most, for_products.reach).await?;
    if found.total_count > count(&found.results) {
        let looked_for = format!("categories of at most {} products", for_products.reach);
        return Err(Stop::not_seen(looked_for));
    }
    Ok(found)
}
