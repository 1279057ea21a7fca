//! Cases about combined filters and about several values of a filter: each of them takes effect. Part of the group
//! `search-filter`; the expected records come from the fields of the results.

use std::collections::BTreeSet;

use chrono::{Datelike, NaiveDate, Weekday};
use serde_json::Value;

use crate::calls::{Finds, Search, Walk, ids, results, total_count};
use crate::filter::{PAGES, SENDS, UNKNOWN, case, compare_kept, nearest};
use crate::keeps::{
    DATES, EARLIEST, Filters, LATEST, LISTS, NUMBERS, categories, filter, keeping, last_round_on, last_round_stage,
    year,
};
use crate::seen::{is_shown, most_frequent, most_telling, own_value, own_values, shown_filters};
use crate::stated::check_combination;
use engine::case::Case;
use engine::session::Probe;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// The filters on codes that may contain another code: `US-CA` contains `US-C`.
const CODES: [&str; 3] = ["regions", "funding_stages", "business_types"];
/// The greatest length of a region's code: `US-CAL`.
const LONGEST_REGION: usize = 6;
/// The greatest length of a business type.
const LONGEST_TYPE: usize = 64;

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    Search::all(contract).iter().flat_map(of_search).collect()
}

fn of_search(search: &Search) -> Vec<Case> {
    let shown = |name: &&&str| is_shown(search, name);
    let codes: Vec<_> = CODES.iter().filter(shown).copied().collect();
    let dates = ["funded_from", "founded_year_min", "founded_year_max"];
    vec![
        case(
            search,
            "each-counts-beside-all-others",
            "A filter counts, whatever other filters are given",
            "countries",
        )
        .primary_quote("/info", "Filters may be combined.")
        .primary_quote("/info", "A result passes every filter that is given")
        .point("filters-combined")
        .sends(2 * SENDS)
        .check_with(search.clone(), each_counts),
        CODES[1..]
            .iter()
            .fold(
                case(
                    search,
                    "part-of-a-code-is-another-code",
                    "A code does not keep records whose code contains it or is part of it",
                    CODES[0],
                ),
                |case, name| case.and(search.place_of(name)),
            )
            .primary_quote("/info", "for a list, it matches at least one of the values")
            .point("filter-list-values")
            .check_with((search.clone(), codes), compare_parts),
        UNKNOWN
            .iter()
            .fold(
                case(
                    search,
                    "unknown-value-changes-no-list",
                    "A value that no record has changes nothing beside one that records have",
                    UNKNOWN[0].0,
                ),
                |case, (name, ..)| case.and(search.place_of(name)),
            )
            .primary_quote("/info", "for a list, it matches at least one of the values")
            .point("filter-list-values")
            .check_with(search.clone(), beside_unknown),
        LISTS[1..]
            .iter()
            .fold(
                case(
                    search,
                    "value-given-twice-counts-once",
                    "A value that is given twice finds and counts what it finds alone",
                    LISTS[0],
                ),
                |case, name| case.and(search.place_of(name)),
            )
            .primary_quote("/info", "for a list, it matches at least one of the values")
            .point("filter-list-values")
            .check_with(search.clone(), given_twice),
        dates
            .iter()
            .fold(
                case(
                    search,
                    "ends-of-a-year-belong-to-it",
                    "The first and the last days of a year are days of that year",
                    dates[0],
                ),
                |case, name| case.and(search.place_of(name)),
            )
            .primary_quote("/info", "Bounds are inclusive.")
            .point("filter-bounds")
            .check_with(search.clone(), ends_of_years),
    ]
}

/// Filters on everything that exclude as little as they can: ranges as wide as they can be, or as these records where
/// the form of searches is open, and the most frequent values. The source does not say which numbers and dates are
/// bounds.
fn widest(search: &Search, records: &[Value], is_open: bool) -> Filters {
    let mut bounds = greatest_ranges(search);
    if is_open {
        bounds.retain_mut(|(name, bound)| {
            let own = records.iter().filter_map(|record| own_value(search, name, record));
            let of_records = match (name.ends_with("_min"), DATES.contains(name)) {
                _ if *name == "funded_from" => own.min(),
                (_, true) => own.max(),
                (true, _) => own.min_by_key(|number| number.parse::<i64>().ok()),
                (false, _) => own.max_by_key(|number| number.parse::<i64>().ok()),
            };
            of_records.is_some_and(|own| {
                *bound = own;
                true
            })
        });
    }
    let lists = LISTS.into_iter().filter(|name| is_shown(search, name));
    let lists = lists.flat_map(|name| {
        let values = most_frequent(search, name, records).into_iter();
        values.take(search.most_values(name)).map(move |value| (name, value))
    });
    bounds.into_iter().chain(lists).collect()
}

/// The greatest ranges of numbers and dates.
fn greatest_ranges(search: &Search) -> Filters {
    let numbers = NUMBERS.into_iter().map(|name| {
        let keyword = match name.ends_with("_min") {
            true => "minimum",
            false => "maximum",
        };
        (name, search.number(name, keyword).to_string())
    });
    let dates = [("funded_from", EARLIEST), ("funded_to", LATEST)];
    let dates = dates.into_iter().map(|(name, date)| (name, date.to_owned()));
    numbers.chain(dates).collect()
}

async fn each_counts(probe: Probe, search: Search) -> Outcome {
    let all = search.walked(&probe, PAGES).await?;
    let widest = widest(&search, &all.results, probe.searches_have_any_form());
    let mut compared = false;
    for name in shown_filters(&search) {
        let others = widest.iter().filter(|(other, _)| *other != name).cloned();
        let others: Filters = others.collect();
        let passing = all_that_pass(&search, &others, &all.results);
        let candidates = passing.iter().filter_map(|record| own_values(&search, &[name], record));
        let Some(mut filters) = most_telling(&search, &passing, candidates) else {
            continue;
        };
        filters.extend(others);
        if !compared {
            check_combination(&probe, &search, &filters).await?;
        }
        compare_kept(&probe, &search, &all, &filters, 0).await?;
        compared = true;
    }
    match compared {
        true => Ok(()),
        false => probe.inconclusive("records that have the fields of all filters and differ in one"),
    }
}

fn all_that_pass<'a>(search: &Search, filters: &Filters, records: &'a [Value]) -> Vec<&'a Value> {
    let passes = keeping(search.finds, filters);
    records.iter().filter(|record| passes(record)).collect()
}

async fn compare_parts(probe: Probe, (search, names): (Search, Vec<&'static str>)) -> Outcome {
    let all = search.walked(&probe, PAGES).await?;
    let mut compared = false;
    for name in names {
        let parts = parts_of_a_code(&search, name, &all.results);
        let longer = code_with_another_in_it(&search, name, &all.results);
        let same_end = (name == "regions").then(|| region_with_the_end_of_another(&search, &all.results));
        for code in parts.into_iter().chain(longer).chain(same_end.flatten()) {
            compare_kept(&probe, &search, &all, &vec![(name, code)], 0).await?;
            compared = true;
        }
    }
    if search.finds == Finds::Organizations {
        compared |= types_in_part(&probe, &search, &all).await?;
    }
    match compared {
        true => Ok(()),
        false => probe.inconclusive("a record whose code contains another code, or is part of one"),
    }
}

/// Compares parts of the categories of organizations, which no result shows: no organization is in a category that no
/// product is in. Returns whether there was such a part.
async fn types_in_part(probe: &Probe, search: &Search, all: &Walk) -> Result<bool, Stop> {
    const NAME: &str = "business_types";
    let Some(for_products) = Search::by_description(probe.contract(), Finds::Products) else {
        return Ok(false);
    };
    let products = for_products.walked(probe, PAGES).await?;
    let found: BTreeSet<_> = ids(search.finds, &all.results).into_iter().collect();
    let is_offered = |product: &&Value| {
        let organization = product["organization"]["organization_id"].as_i64();
        organization.is_some_and(|id| found.contains(&id))
    };
    let offered = products.results.iter().filter(is_offered);
    let seen: BTreeSet<_> = offered.flat_map(categories).map(str::to_owned).collect();
    let mut compared = false;
    for part in parts(NAME, &seen) {
        let filters = vec![(NAME, part)];
        let of_products = filter(for_products.call(probe)?, &filters).query("limit", 1);
        if total_count(&probe.ok(of_products.send().await?)?) == 0 {
            compare_kept(probe, search, all, &filters, 0).await?;
            compared = true;
        }
    }
    Ok(compared)
}

/// Well-formed codes that are part of the code of some record, and the codes of as few records as possible.
fn parts_of_a_code(search: &Search, name: &str, records: &[Value]) -> Vec<String> {
    match name {
        "funding_stages" => stage(search, records, |asked, own| own.contains(asked))
            .into_iter()
            .collect(),
        _ => parts(name, &codes(search, name, records)),
    }
}

/// The beginning of one of these codes, and the end of one if it can be a code: the last word of a category.
fn parts(name: &str, seen: &BTreeSet<String>) -> Vec<String> {
    // Without its last character: `US-CA` is not in `US-C`.
    let begun = seen.iter().filter_map(|code| code.get(..code.len().checked_sub(1)?));
    let begun = begun.filter(|part| !part.ends_with(['-', '_']));
    let words = seen.iter().filter_map(|code| Some(code.rsplit_once('_')?.1));
    let ended = words.chain(seen.iter().filter_map(|code| code.get(1..)));
    let ended = ended.filter(|_| name == "business_types");
    let is_code = |part: &&str| part.len() > 1;
    let begun = rarest(seen, begun.filter(is_code).map(str::to_owned));
    let ended = rarest(seen, ended.filter(is_code).map(str::to_owned));
    begun.into_iter().chain(ended).collect()
}

/// A well-formed code that contains the code of some record, and is the code of as few records as possible.
fn code_with_another_in_it(search: &Search, name: &str, records: &[Value]) -> Option<String> {
    if name == "funding_stages" {
        return stage(search, records, |asked, own| asked.contains(own));
    }
    let seen = codes(search, name, records);
    let (end, longest) = match name {
        "regions" => ('0', LONGEST_REGION),
        _ => ('s', LONGEST_TYPE),
    };
    let longer = seen.iter().filter(|code| code.len() < longest);
    rarest(&seen, longer.map(|code| format!("{code}{end}")))
}

/// The values that the records have of a filter, each once.
fn codes(search: &Search, name: &str, records: &[Value]) -> BTreeSet<String> {
    let own = records.iter().filter_map(|record| own_value(search, name, record));
    own.collect()
}

/// A stage that can be asked for and is similar to another one, which some record has.
fn stage(search: &Search, records: &[Value], are_similar: fn(&str, &str) -> bool) -> Option<String> {
    let of = |record| last_round_stage(search.finds.organization(record));
    let own: BTreeSet<_> = records.iter().filter_map(of).collect();
    let all = search.operation.parameter("funding_stages").schema["items"]["enum"].as_array()?;
    let is_similar = |asked: &&str| own.iter().any(|own| own != asked && are_similar(asked, own));
    let mut all = all.iter().filter_map(Value::as_str);
    all.find(is_similar).map(str::to_owned)
}

/// One of the codes that no record has, or else any of them.
fn rarest(seen: &BTreeSet<String>, codes: impl Iterator<Item = String>) -> Option<String> {
    let codes: Vec<_> = codes.collect();
    let is_new = |code: &&String| !seen.contains(*code);
    codes.iter().find(is_new).or(codes.first()).cloned()
}

/// The end of a region's code, after the code of another country: `NO-46` is not `SE-46`. If possible, no record is in
/// that region.
fn region_with_the_end_of_another(search: &Search, records: &[Value]) -> Option<String> {
    let own = |name: &'static str| records.iter().filter_map(move |record| own_value(search, name, record));
    let regions: BTreeSet<String> = own("regions").collect();
    let countries: BTreeSet<String> = own("countries").collect();
    let others = regions.iter().flat_map(|region| {
        let ends = region.split_once('-').into_iter();
        let ends = ends.flat_map(|(country, end)| countries.iter().map(move |other| (country, end, other)));
        ends.filter(|(country, _, other)| country != other)
            .map(|(_, end, other)| format!("{other}-{end}"))
    });
    rarest(&regions, others)
}

async fn beside_unknown(probe: Probe, search: Search) -> Outcome {
    let all = search.walked(&probe, PAGES).await?;
    let records = nearest(&search, &all);
    let mut compared = false;
    for (name, unknown, _) in UNKNOWN {
        if !is_shown(&search, name) {
            continue;
        }
        let candidates = records.iter().filter_map(|record| own_values(&search, &[name], record));
        let Some(known) = most_telling(&search, records, candidates) else {
            continue;
        };
        // The last of as many values as a list may have counts like the second of two.
        for others in [1, search.most_values(name) - 1] {
            let mut filters = vec![(name, unknown.to_owned()); others];
            filters.push(known[0].clone());
            compare_kept(&probe, &search, &all, &filters, 0).await?;
        }
        compared = true;
    }
    match compared {
        true => types_beside_unknown(&probe, &search).await,
        false => probe.inconclusive("records that differ in their countries or regions"),
    }
}

/// Compares lists that have one value twice with what the value alone finds.
async fn given_twice(probe: Probe, search: Search) -> Outcome {
    let all = search.walked(&probe, PAGES).await?;
    let records = nearest(&search, &all);
    let mut compared = false;
    for name in LISTS.into_iter().filter(|name| is_shown(&search, name)) {
        let candidates = records.iter().filter_map(|record| own_values(&search, &[name], record));
        let Some(once) = most_telling(&search, records, candidates) else {
            continue;
        };
        let twice = [once.as_slice(), &once].concat();
        compare_kept(&probe, &search, &all, &twice, 0).await?;
        compared = true;
    }
    match compared {
        true => Ok(()),
        false => probe.inconclusive("records that differ in the field of a list"),
    }
}

/// Compares the categories of organizations, which no result shows, with the same search without the unknown one.
async fn types_beside_unknown(probe: &Probe, search: &Search) -> Outcome {
    let products = Search::by_description(probe.contract(), Finds::Products);
    let (Finds::Organizations, Some(products)) = (search.finds, products) else {
        return Ok(());
    };
    let name = "business_types";
    let products = products.walked(probe, PAGES).await?;
    let mut categories = products
        .results
        .iter()
        .filter_map(|product| product["categories"][0].as_str());
    let unknown = UNKNOWN.iter().find(|(list, ..)| *list == name);
    let (Some(known), Some((_, unknown, _))) = (categories.next(), unknown) else {
        return Ok(());
    };
    let known = vec![(name, known.to_owned())];
    let mut both = known.clone();
    both.push((name, (*unknown).to_owned()));
    let alone = probe.ok(filter(search.call(probe)?, &known).send().await?)?;
    let together = probe.ok(filter(search.call(probe)?, &both).send().await?)?;
    let evidence = [&together, &alone];
    let found = |page| Value::from(ids(search.finds, results(page)));
    let what = "the results with a further category that nothing is in";
    probe.assert_same(what, &found(&alone), &found(&together), &evidence);
    let (expected, seen) = (total_count(&alone), total_count(&together));
    probe.assert(seen == expected, "total_count", expected, seen, &evidence);
    Ok(())
}

/// Filters from the last day of a year, and on the years of records that were founded on the first or the last day.
async fn ends_of_years(probe: Probe, search: Search) -> Outcome {
    let all = search.walked(&probe, PAGES).await?;
    let by_round = funded_by_the_end(&search, nearest(&search, &all)).map(|filters| (filters, 0));
    let founded = ["founded_year_min", "founded_year_max"].map(|name| {
        let mut records = all.results.iter().enumerate();
        records.find_map(|(place, record)| {
            let filters = founded_at_the_end(&search, name, record)?;
            Some((filters, place + 1))
        })
    });
    let founded = founded.into_iter().flatten();
    let found: Vec<_> = by_round.into_iter().chain(founded).collect();
    if found.is_empty() {
        return probe.inconclusive("records with rounds before and after the end of a year");
    }
    for (filters, wanted) in found {
        compare_kept(&probe, &search, &all, &filters, wanted).await?;
    }
    Ok(())
}

/// The last day of a year that belongs to the first week of the next year, if some round was in the next year.
fn funded_by_the_end(search: &Search, records: &[Value]) -> Option<Filters> {
    let years: BTreeSet<i32> = records
        .iter()
        .filter_map(|record| last_round_on(search.finds.organization(record)))
        .filter_map(|date| date.parse::<NaiveDate>().ok())
        .map(|date| date.year() - 1)
        .collect();
    let ends = years.into_iter().filter_map(|year| {
        let end = NaiveDate::from_ymd_opt(year, 12, 31)?;
        let is_in_the_next = [Weekday::Mon, Weekday::Tue, Weekday::Wed].contains(&end.weekday());
        is_in_the_next.then(|| vec![("funded_from", end.format("%Y-%m-%d").to_string())])
    });
    most_telling(search, records, ends)
}

/// The year of a record, as a lower bound if it was founded on the first day of the year, or as an upper bound if on
/// the last.
fn founded_at_the_end(search: &Search, name: &'static str, record: &Value) -> Option<Filters> {
    let organization = search.finds.organization(record);
    let founded = organization["metrics"]["founded_on"].as_str()?;
    let day = match name {
        "founded_year_min" => "-01-01",
        _ => "-12-31",
    };
    let year = year(organization).filter(|_| founded.ends_with(day))?;
    Some(vec![(name, year.to_string())])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts_of(name: &str, codes: &[&str]) -> Vec<String> {
        parts(name, &codes.iter().map(|code| (*code).to_owned()).collect())
    }

    #[test]
    fn parts_are_codes_that_nothing_has_if_possible() {
        assert_eq!(parts_of("regions", &["NO-4", "NO-46", "US-CA"]), ["US-C"]);
        assert_eq!(
            parts_of("business_types", &["food_retail", "retail"]),
            ["food_retai", "ood_retail"]
        );
        assert_eq!(
            parts_of("business_types", &["food_retail", "health"]),
            ["food_retai", "retail"]
        );
        assert_eq!(parts_of("business_types", &["a"]), [""; 0]);
    }
}
