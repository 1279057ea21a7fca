//! What the source states of a filter by one value that records show: the deployment knows the value, and the filter
//! keeps the records that have it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::calls::{Search, Walk, results};
use crate::keeps::{Filters, categories, last_round_stage, places};
use crate::stated::{contradicted, left_out, longest_page, shown};
use engine::session::Probe;
use engine::transport::response::HttpResponse;

/// The limit on the values of one field that are tried as a filter of their own.
pub(crate) const MOST_SINGLE_VALUES: usize = 16;
/// The limit on those of them that find nothing and are tried on every search.
pub(crate) const MOST_UNKNOWN_VALUES: usize = 3;

/// Asserts that each value of a filter that a record shows keeps no record with another value, and is one that the
/// filter knows, if another search knows it. A record without a stage has to be kept by each stage or by none. Rare
/// values are tried first.
pub(crate) async fn check_values(probe: &Probe, search: &Search, name: &'static str, all: &Walk) {
    let mut times = BTreeMap::<&str, usize>::new();
    for value in all.results.iter().flat_map(|record| shown_values(search, name, record)) {
        *times.entry(value).or_default() += 1;
    }
    let mut values: Vec<_> = times.into_iter().collect();
    values.sort_by_key(|(_, times)| *times);
    let mut unknown = 0;
    let mut pages = Vec::new();
    for (value, _) in values.into_iter().take(MOST_SINGLE_VALUES) {
        let alone: Filters = vec![(name, value.to_owned())];
        // A response that cannot be had loses nothing.
        let Ok(page) = longest_page(probe, search, &alone).await else {
            continue;
        };
        if let Some((_, record)) = contradicted(search, &alone, results(&page)) {
            let what = format!("the results of {}", shown(alone.iter()));
            let seen = format!("the record {}", search.finds.id(record));
            let expected = "none that shows another value";
            probe.assert_as(Some(BTreeSet::new()), false, &what, expected, seen, &[&page]);
            return;
        }
        if !results(&page).is_empty() {
            pages.push((value, page));
            continue;
        }
        if unknown == MOST_UNKNOWN_VALUES {
            continue;
        }
        unknown += 1;
        for other in Search::all(probe.contract()) {
            let of_other = longest_page(probe, &other, &alone).await;
            if let Some(known) = of_other.ok().filter(|page| !results(page).is_empty()) {
                let what = format!("the results of {}, as on {}", shown(alone.iter()), other.operation.id);
                let expected = format!("the records that show {value}");
                let evidence: Vec<_> = [&page, &known].into_iter().chain(all.pages.first()).collect();
                probe.assert_as(Some(BTreeSet::new()), false, &what, expected, "none", &evidence);
                return;
            }
        }
    }
    // Without headquarters another location may count, and what an organization offers is not all shown.
    if name == "funding_stages" {
        check_lacking(probe, search, name, all, &pages);
    }
}

/// Asserts that a record that shows no value is not kept by one value of a filter and left out by another. It may count
/// as one that passes every filter.
fn check_lacking(probe: &Probe, search: &Search, name: &'static str, all: &Walk, pages: &[(&str, HttpResponse)]) {
    let finds = search.finds;
    let lacks = |record: &&Value| shown_values(search, name, record).is_empty();
    let kept = pages.iter().flat_map(|(value, page)| {
        let without = results(page).iter().filter(lacks);
        without.map(move |record| (finds.id(record), *value, page))
    });
    let kept: BTreeMap<_, _> = kept.map(|(id, value, page)| (id, (value, page))).collect();
    let split = pages.iter().find_map(|(other, without)| {
        let mut lost = left_out(finds, &all.results, results(without), false);
        let (id, kept) = lost.find_map(|record| kept.get_key_value(&finds.id(record)))?;
        Some((*id, *kept, *other, without))
    });
    if let Some((id, (value, with), other, without)) = split {
        let evidence: Vec<_> = [with, without].into_iter().chain(all.pages.first()).collect();
        let what = format!("the record {id}, which shows none of the {name}");
        let seen = format!("a result of {name}={value}, and none of {name}={other}");
        probe.assert_as(
            Some(BTreeSet::new()),
            false,
            &what,
            "a result of both, or of neither",
            seen,
            &evidence,
        );
    }
}

/// The values that a record shows of what a filter compares, whether the contract lists them or not.
pub(crate) fn shown_values<'a>(search: &Search, name: &str, record: &'a Value) -> Vec<&'a str> {
    let organization = search.finds.organization(record);
    match name {
        "countries" => places(organization, "country", true).collect(),
        "regions" => places(organization, "region", true).collect(),
        "funding_stages" => last_round_stage(organization).into_iter().collect(),
        "business_types" => categories(record).collect(),
        _ => Vec::new(),
    }
}
