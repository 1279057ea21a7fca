//! The records that a filter keeps by the contract, as far as the fields of a record show it.
//!
//! This module sends nothing. It does not decide what no field shows: an organization does not show the categories of
//! its products.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::calls::{Finds, Search};
use engine::session::Call;

/// The filters on places.
pub(crate) const PLACES: [&str; 2] = ["countries", "regions"];
/// The filters that take a list.
pub(crate) const LISTS: [&str; 4] = ["countries", "regions", "business_types", "funding_stages"];
/// The filters that take a whole number.
pub(crate) const NUMBERS: [&str; 4] = [
    "employee_count_min",
    "employee_count_max",
    "founded_year_min",
    "founded_year_max",
];
/// The filters that take a date.
pub(crate) const DATES: [&str; 2] = ["funded_from", "funded_to"];
/// The boolean filter: which locations the filters on places check.
pub(crate) const FLAG: &str = "headquarters_only";
/// The first and the last date that can be written.
pub(crate) const EARLIEST: &str = "0001-01-01";
pub(crate) const LATEST: &str = "9999-12-31";

/// All filters.
pub(crate) fn all_filters() -> impl Iterator<Item = &'static str> {
    LISTS.into_iter().chain(NUMBERS).chain(DATES).chain([FLAG])
}

/// The filters of one request: parameters and values as they are sent. A list is repeated pairs.
pub type Filters = Vec<(&'static str, String)>;

/// A search with filters.
pub fn filter(call: Call, filters: &Filters) -> Call {
    filters.iter().fold(call, |call, (name, value)| call.query(name, value))
}

/// Whether a record passes all filters: the values of a list are alternatives, filters are combined with and, bounds
/// are inclusive, and a record without the field passes no filter on it.
pub fn keeping<'a>(finds: Finds, filters: &'a [(&'static str, String)]) -> impl Fn(&Value) -> bool + use<'a> {
    let mut by_name = BTreeMap::<&str, Vec<&str>>::new();
    for (name, value) in filters {
        by_name.entry(name).or_default().push(value);
    }
    let headquarters_only = by_name.get(FLAG).is_none_or(|values| values != &["false"]);
    let filters = by_name.into_iter();
    let filters: Vec<_> = filters
        .map(|(name, values)| keeping_by(headquarters_only, name, values))
        .collect();
    move |record| {
        let organization = finds.organization(record);
        filters.iter().all(|keeps| keeps(record, organization))
    }
}

/// The field of a record that one of these filters reads and that has another type than in the contract, if there is
/// one. Such a record cannot be compared with the filters. A record without the field can.
pub(crate) fn unreadable(finds: Finds, filters: &[(&'static str, String)]) -> impl Fn(&Value) -> Option<&'static str> {
    let read = filters.iter().filter_map(|(name, _)| field_of(name));
    let read: Vec<_> = read.collect();
    move |record| {
        let metrics = &finds.organization(record)["metrics"];
        let has_another_type = |(place, is_readable): &Typed| {
            let value = metrics.pointer(place);
            value.is_some_and(|value| !value.is_null() && !is_readable(value))
        };
        let (place, _) = read.iter().find(|field| has_another_type(field))?;
        place.rsplit('/').next()
    }
}

/// The place of a field in the metrics of an organization, and whether a value has its type.
type Typed = (&'static str, fn(&Value) -> bool);

/// The field that a filter compares.
fn field_of(name: &str) -> Option<Typed> {
    match name {
        "employee_count_min" | "employee_count_max" => Some(("/employee_count", Value::is_number)),
        "founded_year_min" | "founded_year_max" => Some(("/founded_on", Value::is_string)),
        "funded_from" | "funded_to" => Some(("/funding/last_round_on", Value::is_string)),
        "funding_stages" => Some(("/funding/last_round_stage", Value::is_string)),
        _ => None,
    }
}

/// Whether a record, with this organization, passes one filter.
type Keeps<'a> = Box<dyn Fn(&Value, &Value) -> bool + Send + Sync + 'a>;

fn keeping_by<'a>(headquarters_only: bool, name: &str, values: Vec<&'a str>) -> Keeps<'a> {
    let bound = values[0];
    // Nothing passes a bound that is not a number.
    let number: Option<i64> = bound.parse().ok();
    let at_least = move |seen: Option<i64>| seen.zip(number).is_some_and(|(seen, bound)| seen >= bound);
    let at_most = move |seen: Option<i64>| seen.zip(number).is_some_and(|(seen, bound)| seen <= bound);
    // Dates of the form YYYY-MM-DD are in the order of their texts.
    match name {
        "countries" => Box::new(move |_, of| contains_any(&values, places(of, "country", headquarters_only))),
        "regions" => Box::new(move |_, of| contains_any(&values, places(of, "region", headquarters_only))),
        "employee_count_min" => Box::new(move |_, of| at_least(employee_count(of))),
        "employee_count_max" => Box::new(move |_, of| at_most(employee_count(of))),
        "founded_year_min" => Box::new(move |_, of| at_least(year(of))),
        "founded_year_max" => Box::new(move |_, of| at_most(year(of))),
        "business_types" => Box::new(move |record, _| contains_any(&values, categories(record))),
        "funding_stages" => Box::new(move |_, of| contains_any(&values, last_round_stage(of))),
        "funded_from" => Box::new(move |_, of| last_round_on(of).is_some_and(|date| date >= bound)),
        "funded_to" => Box::new(move |_, of| last_round_on(of).is_some_and(|date| date <= bound)),
        // On its own it excludes no record.
        FLAG => Box::new(|_, _| true),
        _ => Box::new(|_, _| false),
    }
}

fn contains_any<'a>(values: &[&str], seen: impl IntoIterator<Item = &'a str>) -> bool {
    seen.into_iter().any(|seen| values.contains(&seen))
}

/// The countries or regions that count for a record: of its headquarters, or of any location.
pub fn places<'a>(
    organization: &'a Value,
    member: &'static str,
    headquarters_only: bool,
) -> impl Iterator<Item = &'a str> {
    let others = organization["locations"].as_array().filter(|_| !headquarters_only);
    let all = std::iter::once(&organization["headquarters"]).chain(others.into_iter().flatten());
    all.filter_map(move |address| address[member].as_str())
}

/// The number of employees.
pub fn employee_count(organization: &Value) -> Option<i64> {
    organization["metrics"]["employee_count"].as_i64()
}

/// The year of the founding date.
pub fn year(organization: &Value) -> Option<i64> {
    organization["metrics"]["founded_on"]
        .as_str()?
        .split('-')
        .next()?
        .parse()
        .ok()
}

/// The founding year of a result's organization.
pub fn founded_year(search: &Search, result: &Value) -> Option<i64> {
    year(search.finds.organization(result))
}

/// The stage of the latest funding round.
pub(crate) fn last_round_stage(organization: &Value) -> Option<&str> {
    organization["metrics"]["funding"]["last_round_stage"].as_str()
}

/// The date of the latest funding round.
pub(crate) fn last_round_on(organization: &Value) -> Option<&str> {
    organization["metrics"]["funding"]["last_round_on"].as_str()
}

/// The categories that a product is in.
pub fn categories(product: &Value) -> impl Iterator<Item = &str> {
    let categories = product["categories"].as_array().into_iter().flatten();
    categories.filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use platform_contract::Contract;

    use super::*;

    #[test]
    fn the_filters_are_those_of_every_search() {
        let known: BTreeSet<_> = all_filters().collect();
        for search in Search::all(Contract::bundled()) {
            let parameters = search.operation.parameters.iter();
            let optional = parameters.filter(|parameter| !parameter.required);
            let mut names: BTreeSet<_> = optional.map(|parameter| parameter.name.as_str()).collect();
            names.retain(|name| !["skip", "limit"].contains(name));
            assert_eq!(names, known, "{}", search.operation.id);
        }
    }

    fn organization() -> Value {
        json!({
            "organization_id": 1,
            "metrics": {
                "employee_count": 64,
                "founded_on": "2016-03-14",
                "funding": {"last_round_stage": "series_a", "last_round_on": "2021-05-20"},
            },
            "headquarters": {"country": "NO", "region": "NO-46"},
            "locations": [{"country": "DK", "region": "DK-84"}, {"country": null, "region": null}],
        })
    }

    fn nothing_known() -> Value {
        let nothing = json!({"country": null, "region": null});
        json!({
            "organization_id": 2,
            "metrics": {
                "employee_count": null,
                "founded_on": null,
                "funding": {"last_round_stage": null, "last_round_on": null},
            },
            "headquarters": nothing,
            "locations": [nothing],
        })
    }

    fn filters(pairs: &[(&'static str, &str)]) -> Filters {
        pairs.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
    }

    fn kept(pairs: &[(&'static str, &str)]) -> bool {
        keeping(Finds::Organizations, &filters(pairs))(&organization())
    }

    #[test]
    fn bounds_are_included_and_what_is_beyond_is_not_kept() {
        let table = [
            ("employee_count_min", "64", "65"),
            ("employee_count_max", "64", "63"),
            ("founded_year_min", "2016", "2017"),
            ("founded_year_max", "2016", "2015"),
            ("funded_from", "2021-05-20", "2021-05-21"),
            ("funded_to", "2021-05-20", "2021-05-19"),
        ];
        for (name, included, beyond) in table {
            assert!(kept(&[(name, included)]), "{name}={included}");
            assert!(!kept(&[(name, beyond)]), "{name}={beyond}");
        }
    }

    #[test]
    fn values_of_a_list_are_alternatives_and_parameters_hold_together() {
        assert!(kept(&[("countries", "SE"), ("countries", "NO")]));
        assert!(!kept(&[("countries", "SE"), ("countries", "FI")]));
        assert!(kept(&[("countries", "NO"), ("funding_stages", "series_a")]));
        assert!(!kept(&[("countries", "NO"), ("funding_stages", "seed")]));
    }

    #[test]
    fn other_locations_count_if_requested() {
        for (name, other, headquarters) in [("countries", "DK", "NO"), ("regions", "DK-84", "NO-46")] {
            assert!(!kept(&[(name, other)]));
            assert!(!kept(&[(name, other), ("headquarters_only", "true")]));
            assert!(kept(&[(name, other), ("headquarters_only", "false")]));
            assert!(kept(&[(name, headquarters), ("headquarters_only", "false")]));
        }
        assert!(kept(&[("headquarters_only", "false")]));
    }

    #[test]
    fn a_record_without_the_field_passes_no_filter_on_it() {
        let widest = [
            ("countries", "NO"),
            ("regions", "NO-46"),
            ("employee_count_min", "0"),
            ("employee_count_max", "2147483647"),
            ("founded_year_min", "1"),
            ("founded_year_max", "9999"),
            ("funding_stages", "seed"),
            ("funded_from", "0001-01-01"),
            ("funded_to", "9999-12-31"),
            ("business_types", "warehousing"),
        ];
        for pair in widest {
            assert!(
                !keeping(Finds::Organizations, &filters(&[pair]))(&nothing_known()),
                "{pair:?}"
            );
        }
        let keeps_all = keeping(Finds::Organizations, &[]);
        assert!(keeps_all(&nothing_known()));
    }

    #[test]
    fn a_product_is_kept_by_its_own_categories_and_by_its_organization_for_all_else() {
        let product = json!({"product_id": 7, "categories": ["warehousing"], "organization": organization()});
        let kept = |pair| keeping(Finds::Products, &filters(&[pair]))(&product);
        assert!(kept(("business_types", "warehousing")));
        assert!(!kept(("business_types", "freight_logistics")));
        assert!(kept(("employee_count_min", "64")));
        assert!(!kept(("countries", "DK")));
        let orphan = json!({"product_id": 8, "categories": [], "organization": null});
        let with_employees = filters(&[("employee_count_min", "0")]);
        assert!(!keeping(Finds::Products, &with_employees)(&orphan));
    }
}
