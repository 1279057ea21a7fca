//! Filters made from the deployment's own records, so that each keeps some records and excludes others.
//!
//! This module sends and asserts nothing.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use chrono::{Datelike, NaiveDate};
use serde_json::Value;

use crate::calls::{Finds, Search};
use crate::keeps::{
    DATES, FLAG, Filters, LISTS, NUMBERS, categories, employee_count, keeping, last_round_on, last_round_stage, places,
    year,
};

/// The limit on the filters that are compared with each other.
const WEIGHED: usize = 20;

/// The filter value that a record passes by its own field, at the bound if the filter has one; `None` if the record
/// lacks the field, or if its value does not fit the filter.
pub(crate) fn own_value(search: &Search, name: &str, record: &Value) -> Option<String> {
    let organization = search.finds.organization(record);
    let bound = |number: i64| {
        let bounds = search.number(name, "minimum")..=search.number(name, "maximum");
        bounds.contains(&number).then(|| number.to_string())
    };
    match name {
        "countries" => Some(places(organization, "country", true).next()?.to_owned()),
        "regions" => Some(places(organization, "region", true).next()?.to_owned()),
        "employee_count_min" | "employee_count_max" => bound(employee_count(organization)?),
        "founded_year_min" | "founded_year_max" => bound(year(organization)?),
        "business_types" => Some(categories(record).next()?.to_owned()),
        "funding_stages" => {
            let stage = last_round_stage(organization)?;
            let named = search.operation.parameter(name).schema["items"]["enum"].as_array()?;
            named.iter().any(|known| known == stage).then(|| stage.to_owned())
        }
        "funded_from" | "funded_to" => Some(last_round_on(organization)?.to_owned()),
        _ => None,
    }
}

/// The filters on fields that a result shows.
pub(crate) fn shown_filters(search: &Search) -> impl Iterator<Item = &'static str> {
    let names = LISTS.into_iter().chain(NUMBERS).chain(DATES);
    names.filter(|name| is_shown(search, name))
}

/// Whether the fields of a result show what the filter compares: an organization does not show its categories.
pub(crate) fn is_shown(search: &Search, name: &str) -> bool {
    name != "business_types" || search.finds == Finds::Products
}

/// A filter on one field that keeps about half of the records.
pub(crate) fn telling(search: &Search, name: &'static str, records: &[Value]) -> Option<Filters> {
    if name == FLAG {
        return Some(vec![(FLAG, "false".to_owned())]);
    }
    let of_several = LISTS.contains(&name).then(|| alternatives(search, name, records));
    of_several.flatten().or_else(|| {
        let candidates = records.iter().filter_map(|record| own_values(search, &[name], record));
        most_telling(search, records, candidates)
    })
}

/// Filters on these parameters that a record passes by its own fields.
pub fn own_values(search: &Search, names: &[&'static str], record: &Value) -> Option<Filters> {
    names
        .iter()
        .map(|name| Some((*name, own_value(search, name, record)?)))
        .collect()
}

/// The bound that a record misses by the smallest step: one employee, one year, one day.
pub(crate) fn bound_just_missed(search: &Search, name: &'static str, record: &Value) -> Option<Filters> {
    let own = own_value(search, name, record)?;
    let is_lower = name.ends_with("_min") || name.ends_with("_from");
    let missed = if let Ok(number) = own.parse::<i64>() {
        let missed = number + if is_lower { 1 } else { -1 };
        let bounds = search.number(name, "minimum")..=search.number(name, "maximum");
        bounds.contains(&missed).then(|| missed.to_string())?
    } else {
        let date: NaiveDate = own.parse().ok()?;
        let missed = if is_lower { date.succ_opt() } else { date.pred_opt() };
        missed?.format("%Y-%m-%d").to_string()
    };
    Some(vec![(name, missed)])
}

/// The narrowest ranges that tell records apart: one for each of the two values that are nearest to each other, with
/// that value as both bounds. Empty if all records have the same value.
pub(crate) fn narrowest(search: &Search, [from, to]: [&'static str; 2], records: &[Value]) -> Vec<Filters> {
    let values: BTreeSet<_> = records
        .iter()
        .filter_map(|record| own_value(search, from, record))
        .collect();
    let mut placed: Vec<_> = values.iter().filter_map(|value| Some((place(value)?, value))).collect();
    placed.sort_unstable();
    let nearest = placed.windows(2).min_by_key(|pair| pair[1].0 - pair[0].0);
    let values = nearest.into_iter().flatten().map(|(_, value)| (*value).clone());
    values.map(|value| vec![(from, value.clone()), (to, value)]).collect()
}

/// The position of a number or a date on a line, in units or days.
fn place(value: &str) -> Option<i64> {
    let day = |value: &str| {
        value
            .parse::<NaiveDate>()
            .ok()
            .map(|date| date.num_days_from_ce().into())
    };
    value.parse().ok().or_else(|| day(value))
}

/// Of filters that some record passes, returns the one that keeps closest to half of the records; `None` if each of
/// them keeps every record.
pub fn most_telling(
    search: &Search,
    records: &[impl Borrow<Value>],
    filters: impl Iterator<Item = Filters>,
) -> Option<Filters> {
    let different: BTreeSet<_> = filters.take(records.len()).collect();
    // A sample of all candidates, which are in the order of their values.
    let step = different.len().div_ceil(WEIGHED).max(1);
    let kept = |filters: &Filters| {
        let keeps = keeping(search.finds, filters);
        records.iter().filter(|record| keeps((*record).borrow())).count()
    };
    let weighed = different
        .into_iter()
        .step_by(step)
        .map(|filters| (kept(&filters), filters));
    let telling = weighed.filter(|(kept, _)| (1..records.len()).contains(kept));
    Some(telling.min_by_key(|(kept, _)| records.len().abs_diff(kept * 2))?.1)
}

/// The two values of a list that most records pass by their own fields, as alternatives.
pub fn alternatives(search: &Search, name: &'static str, records: &[Value]) -> Option<Filters> {
    let values = most_frequent(search, name, records).into_iter();
    let filters: Filters = values.take(2).map(|value| (name, value)).collect();
    (filters.len() == 2 && differs(search, records, &filters)).then_some(filters)
}

/// A filter on one field that keeps many records, but not all: all values of a list except for the one of the fewest
/// records, or a bound that only the records with the least or the greatest value miss.
pub(crate) fn broadest(search: &Search, name: &'static str, records: &[Value]) -> Option<Filters> {
    let mut values = most_frequent(search, name, records);
    let filters: Filters = match LISTS.contains(&name) {
        true => {
            let most = search.most_values(name).min(values.len().saturating_sub(1));
            values.truncate(most);
            values.into_iter().map(|value| (name, value)).collect()
        }
        false => {
            values.sort_by_key(|value| place(value));
            let is_lower = name.ends_with("_min") || name.ends_with("_from");
            let second = if is_lower { 1 } else { values.len().checked_sub(2)? };
            vec![(name, values.get(second)?.clone())]
        }
    };
    differs(search, records, &filters).then_some(filters)
}

/// The values of a field that records pass by their own fields, those of the most records first.
pub(crate) fn most_frequent(search: &Search, name: &str, records: &[Value]) -> Vec<String> {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for value in records.iter().filter_map(|record| own_value(search, name, record)) {
        *times.entry(value).or_default() += 1;
    }
    let mut values: Vec<_> = times.into_iter().collect();
    values.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    values.into_iter().map(|(value, _)| value).collect()
}

/// Whether filters leave out some of the records.
fn differs(search: &Search, records: &[Value], filters: &Filters) -> bool {
    let keeps = keeping(search.finds, filters);
    records.iter().any(|record| !keeps(record))
}

#[cfg(test)]
mod tests {
    use platform_contract::Contract;
    use serde_json::json;

    use super::*;

    fn search() -> Search {
        Search::all(Contract::bundled()).remove(0)
    }

    fn record(id: i64, country: &str, employee_count: Option<i64>) -> Value {
        json!({
            "organization_id": id,
            "metrics": {"employee_count": employee_count},
            "headquarters": {"country": country},
            "locations": [],
        })
    }

    #[test]
    fn broadest_filter_leaves_out_the_fewest_records() {
        let countries = ["NO", "NO", "NO", "PE", "PE", "IS"];
        let records: Vec<_> = (0..)
            .zip(countries)
            .map(|(id, country)| record(id, country, Some(id)))
            .collect();
        for (name, expected) in [
            ("countries", vec![("countries", "NO"), ("countries", "PE")]),
            ("employee_count_min", vec![("employee_count_min", "1")]),
            ("employee_count_max", vec![("employee_count_max", "4")]),
        ] {
            let filters = broadest(&search(), name, &records).unwrap();
            let filters: Vec<_> = filters.iter().map(|(name, value)| (*name, value.as_str())).collect();
            assert_eq!(filters, expected);
        }
        assert_eq!(broadest(&search(), "countries", &records[..3]), None);
        assert_eq!(broadest(&search(), "employee_count_min", &records[..1]), None);
    }

    #[test]
    fn a_filter_made_of_a_record_is_passed_by_it() {
        let record = record(1, "NO", Some(64));
        for name in ["countries", "employee_count_min", "employee_count_max"] {
            let filters = own_values(&search(), &[name], &record).unwrap();
            assert!(keeping(search().finds, &filters)(&record), "{filters:?}");
        }
        assert_eq!(own_values(&search(), &["countries", "regions"], &record), None);
    }

    #[test]
    fn a_bound_just_missed_is_one_step_beyond_the_record() {
        let record = json!({
            "metrics": {
                "employee_count": 64,
                "founded_on": "2016-03-14",
                "funding": {"last_round_on": "2020-02-29"},
            },
        });
        let table = [
            ("employee_count_min", "65"),
            ("employee_count_max", "63"),
            ("founded_year_min", "2017"),
            ("founded_year_max", "2015"),
            ("funded_from", "2020-03-01"),
            ("funded_to", "2020-02-28"),
        ];
        for (name, missed) in table {
            let filters = bound_just_missed(&search(), name, &record).unwrap();
            assert_eq!(filters, [(name, missed.to_owned())]);
            assert!(!keeping(search().finds, &filters)(&record), "{filters:?}");
        }
        let empty = json!({"metrics": {"employee_count": 0}});
        assert_eq!(bound_just_missed(&search(), "employee_count_max", &empty), None);
    }

    #[test]
    fn the_narrowest_ranges_are_those_of_the_nearest_values() {
        let range = ["employee_count_min", "employee_count_max"];
        let of = |counts: &[i64]| -> Vec<_> { counts.iter().map(|count| record(1, "NO", Some(*count))).collect() };
        let ranges = narrowest(&search(), range, &of(&[10, 900, 95, 100]));
        let filters = |value: &str| vec![(range[0], value.to_owned()), (range[1], value.to_owned())];
        assert_eq!(ranges, [filters("95"), filters("100")]);
        assert!(narrowest(&search(), range, &of(&[7, 7])).is_empty());
        assert!(place("2020-03-01") > place("2020-02-29"));
    }

    #[test]
    fn values_that_do_not_fit_make_no_filter() {
        assert_eq!(
            own_value(&search(), "employee_count_min", &record(1, "NO", Some(3_000_000_000))),
            None
        );
        let future = json!({"metrics": {"funding": {"last_round_stage": "series_z"}}});
        assert_eq!(own_value(&search(), "funding_stages", &future), None);
    }

    #[test]
    fn the_filter_closest_to_half_is_chosen() {
        let records: Vec<_> = (1..=9).map(|number| record(number, "NO", Some(number))).collect();
        let bounds = records
            .iter()
            .filter_map(|record| own_values(&search(), &["employee_count_min"], record));
        let expected = vec![("employee_count_min", "5".to_owned())];
        assert_eq!(most_telling(&search(), &records, bounds), Some(expected));
        let countries = records
            .iter()
            .filter_map(|record| own_values(&search(), &["countries"], record));
        assert_eq!(most_telling(&search(), &records, countries), None);
    }

    #[test]
    fn alternatives_leave_something_out() {
        let of = |countries: &[&str]| -> Vec<_> { countries.iter().map(|country| record(1, country, None)).collect() };
        let expected = vec![("countries", "DK".to_owned()), ("countries", "NO".to_owned())];
        assert_eq!(
            alternatives(&search(), "countries", &of(&["NO", "DK", "SE", "DK", "NO"])),
            Some(expected)
        );
        assert_eq!(alternatives(&search(), "countries", &of(&["NO", "DK"])), None);
        assert_eq!(alternatives(&search(), "countries", &of(&["NO", "NO"])), None);
    }
}
