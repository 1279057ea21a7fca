//! Property tests with random searches of one subject, with random filters and pages: the responses agree with each
//! other.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

use crate::calls::{Finds, Search, Walk, count, distance, ids, results, total_count};
use crate::keeps::{FLAG, Filters, LISTS, all_filters, categories, filter, keeping, unreadable};
use crate::order::{Violation, filtered, order, same_distance};
use crate::seen::{is_shown, own_value};
use engine::case::Case;
use engine::property::{CUT_DOWN, RunResult, expected_responses, fitting, random};
use engine::session::Probe;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// The limit on the requests of one property run.
const LONGEST: usize = 5;
/// The number of filters that the requests of one property run choose from.
const FILTERS: usize = 4;
/// The number of pages to take values from.
const PAGES: i64 = 1;

/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    Search::all(contract).iter().map(case).collect()
}

fn case(search: &Search) -> Case {
    let parameters = search.operation.parameters.iter();
    let optional = parameters.filter(|parameter| !parameter.required);
    search
        .case(
            "law",
            "random-searches-agree",
            "Results agree with each other under any filters and on any page",
            search.operation.response_pointer(200),
        )
        .quote("total_count counts all that pass the filters")
        .and_quote(
            &search.operation.pointer,
            "Filters are applied before ranking, so total_count and the pages are exact.",
        )
        .and("/components/schemas/Similarity")
        .may_respond_from(optional.map(|parameter| parameter.pointer.clone()))
        .may_respond_from(["/components/schemas/Similarity".to_owned()])
        .needs(search.needs())
        .requests_per_run(LONGEST as u64)
        .sends(CUT_DOWN)
        .check_with(search.clone(), searches)
}

/// The filters and pages that the requests of a property run are made of, each independent of the others: removing a
/// request does not change the rest.
#[derive(Debug, Clone, PartialEq)]
struct Searches {
    requests: Vec<Chosen>,
    filters: Vec<(&'static str, String)>,
    subject: String,
}

/// One request: a choice of the filters, and a page.
#[derive(Debug, Clone, PartialEq)]
struct Chosen {
    filters: [bool; FILTERS],
    skip: i64,
    limit: i64,
}

async fn searches(probe: Probe, search: Search) -> Outcome {
    let seen = search.walked(&probe, PAGES).await?;
    let finds_nothing = seen.results.is_empty();
    let subjects = subjects(&probe, &search);
    let mut values = values(&search, &seen.results);
    if search.finds == Finds::Organizations {
        // Organizations do not show the categories of their products.
        values.insert("business_types", categories_of_products(&probe).await);
    }
    let name = format!("search {}", search.operation.id);
    let of = search.clone();
    let strategy = move || made(&of, subjects.clone(), values.clone());
    random(&probe, &name, strategy, |searches| perform(&probe, &search, searches)).await?;
    match finds_nothing {
        true => probe.inconclusive("a search that finds a record"),
        false => Ok(()),
    }
}

/// The possible subjects of a search: known records or texts.
fn subjects(probe: &Probe, search: &Search) -> Vec<String> {
    let known = match search.finds {
        Finds::Organizations => &probe.known().organizations,
        Finds::Products => &probe.known().products,
    };
    match search.is_by_known_record() {
        true => known.iter().take(10).map(u64::to_string).collect(),
        false => Vec::new(),
    }
}

/// The values of each filter that some record passes by its own fields.
fn values(search: &Search, records: &[Value]) -> BTreeMap<&'static str, Vec<String>> {
    let own = |name: &str| {
        let values = records.iter().filter_map(|record| own_value(search, name, record));
        values.collect::<BTreeSet<_>>().into_iter().collect()
    };
    all_filters().map(|name| (name, own(name))).collect()
}

/// The categories of some products; empty if there are no products.
async fn categories_of_products(probe: &Probe) -> Vec<String> {
    let Some(for_products) = Search::by_description(probe.contract(), Finds::Products) else {
        return Vec::new();
    };
    let Ok(products) = for_products.walked(probe, PAGES).await else {
        return Vec::new();
    };
    let all = products.results.iter().flat_map(categories);
    let all: BTreeSet<_> = all.map(str::to_owned).collect();
    all.into_iter().collect()
}

fn made(
    search: &Search,
    subjects: Vec<String>,
    values: BTreeMap<&'static str, Vec<String>>,
) -> impl Strategy<Value = Searches> + use<> {
    let filters = values.into_iter().map(|(name, seen)| {
        let parameter = search.operation.parameter(name);
        let schema = parameter.schema.get("items").unwrap_or(&parameter.schema);
        fitting(schema, seen).prop_map(move |value| (name, value)).boxed()
    });
    let filter = proptest::strategy::Union::new(filters);
    let [furthest, most] = ["skip", "limit"].map(|name| search.number(name, "maximum"));
    let least = search.number("limit", "minimum");
    let page = (
        prop_oneof![5 => Just(0), 3 => 1..=20i64, 1 => 21..=furthest],
        prop_oneof![4 => least..=12, 2 => Just(most), 1 => least..=most],
    );
    let chosen = (page, proptest::array::uniform4(any::<bool>()));
    let chosen = chosen.prop_map(|((skip, limit), filters)| Chosen { filters, skip, limit });
    let subject = match subjects.is_empty() {
        true => fitting(&search.subject().schema, Vec::new()),
        false => select(subjects).boxed(),
    };
    (
        proptest::collection::vec(chosen, 1..=LONGEST),
        proptest::collection::vec(filter, FILTERS),
        subject,
    )
        .prop_map(|(requests, filters, subject)| Searches {
            requests,
            filters,
            subject,
        })
}

/// A page of a search and its request.
struct Page {
    filters: Filters,
    skip: i64,
    response: HttpResponse,
}

async fn perform(probe: &Probe, search: &Search, searches: Searches) -> Result<RunResult, Stop> {
    let mut run = RunResult::default();
    let mut pages: Vec<Page> = Vec::new();
    for chosen in &searches.requests {
        let filters = searches.of(chosen);
        let call = filter(search.call_with(probe, &searches.subject), &filters);
        let call = call.query("skip", chosen.skip).query("limit", chosen.limit);
        let response = call.send().await?;
        run.responses.push(response.clone());
        if response.status != 429 {
            searches.check_status(search, chosen, &filters, &response, &mut run);
        }
        if response.status == 200 {
            let page = Page {
                filters,
                skip: chosen.skip,
                response,
            };
            page.check(search, chosen.limit, &mut run);
            for before in &pages {
                compare(search, before, &page, &mut run);
                compare(search, &page, before, &mut run);
            }
            pages.push(page);
            intersect(search, &pages, &mut run);
        }
        if run.violation.is_some() {
            break;
        }
    }
    Ok(run)
}

impl Searches {
    /// The filters of a request. For a filter that takes one value, the last one counts.
    fn of(&self, chosen: &Chosen) -> Filters {
        let mut filters = Filters::new();
        let wanted = self.filters.iter().zip(chosen.filters);
        for (filter, _) in wanted.filter(|(_, is_chosen)| *is_chosen) {
            if !LISTS.contains(&filter.0) {
                filters.retain(|(name, _)| *name != filter.0);
            }
            filters.push(filter.clone());
        }
        filters
    }

    fn check_status(
        &self,
        search: &Search,
        chosen: &Chosen,
        filters: &Filters,
        response: &HttpResponse,
        run: &mut RunResult,
    ) {
        let (skip, limit) = (chosen.skip.to_string(), chosen.limit.to_string());
        let subject = (search.subject().name.clone(), Some(self.subject.as_str()));
        let mut query: Vec<_> = filters
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Some(value.as_str())))
            .collect();
        query.push(("skip".to_owned(), Some(&skip)));
        query.push(("limit".to_owned(), Some(&limit)));
        let path = match search.is_by_known_record() {
            true => vec![subject],
            false => {
                query.push(subject);
                Vec::new()
            }
        };
        let expected = expected_responses(&search.operation, &path, &query, vec![(200, None)]);
        expected.check(response, run);
    }
}

impl Page {
    /// Checks the laws of one page.
    fn check(&self, search: &Search, limit: i64, run: &mut RunResult) {
        let found = results(&self.response);
        let expected = (total_count(&self.response) - self.skip).clamp(0, limit);
        run.check(
            count(found) == expected,
            "a page has limit results, or all that are left",
            || format!("{expected} results"),
            || format!("{} results of {}", found.len(), total_count(&self.response)),
        );
        depart(
            run,
            "results are nearest first, ties by id, each record once",
            order(search.finds, found),
        );
        if is_visible(search, &self.filters) {
            let keeps = keeping(search.finds, &self.filters);
            let stray = found.iter().find(|result| !keeps(result));
            run.check(
                stray.is_none(),
                "every result passes the filters",
                || format!("only those that pass {}", shown(&self.filters)),
                || format!("{}", stray.map_or(-1, |result| search.finds.id(result))),
            );
        }
    }

    /// Whether the page has all results.
    fn is_whole(&self) -> bool {
        self.skip == 0 && count(results(&self.response)) == total_count(&self.response)
    }

    /// The first page of a search, as a walk of one page.
    fn as_walk(&self) -> Walk {
        Walk {
            results: results(&self.response).to_vec(),
            pages: Vec::new(),
            page_lengths: Vec::new(),
            total_count: total_count(&self.response),
        }
    }
}

fn depart(run: &mut RunResult, law: &'static str, departures: Vec<Violation>) {
    let mut departures = departures.into_iter();
    let first = departures.next();
    let (expected, seen) = first.map_or_else(Default::default, |first| {
        (format!("{}: {}", first.what, first.expected), first.seen)
    });
    run.check(expected.is_empty(), law, || expected.clone(), || seen);
}

/// Whether the fields of a result show that it passes.
fn is_visible(search: &Search, filters: &Filters) -> bool {
    filters.iter().all(|(name, _)| is_shown(search, name))
}

fn shown(filters: &Filters) -> String {
    let pairs: Vec<_> = filters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    match pairs.is_empty() {
        true => "no filter".to_owned(),
        false => pairs.join("&"),
    }
}

/// Checks two pages of one subject whose filters are the same, or tighter on one of them.
fn compare(search: &Search, wide: &Page, tight: &Page, run: &mut RunResult) {
    let (one, other) = (results(&wide.response), results(&tight.response));
    let places: BTreeMap<_, _> = one
        .iter()
        .enumerate()
        .map(|(place, result)| (search.finds.id(result), (place, result)))
        .collect();
    let both: Vec<_> = other
        .iter()
        .filter_map(|result| Some((result, places.get(&search.finds.id(result))?)))
        .collect();
    let moved = both
        .iter()
        .find(|(result, (_, before))| !same_distance(distance(result), distance(before)));
    run.check(
        moved.is_none(),
        "a record has the same distance under any filters and on any page",
        || moved.map_or_else(String::new, |(_, (_, before))| at(search, before)),
        || moved.map_or_else(String::new, |(result, _)| at(search, result)),
    );
    let fallen = both.windows(2).find(|pair| pair[0].1.0 > pair[1].1.0);
    run.check(
        fallen.is_none(),
        "records are in the same order under any filters and on any page",
        || "the order of the other page".to_owned(),
        || {
            fallen.map_or_else(String::new, |pair| {
                format!("{} before {}", at(search, pair[0].0), at(search, pair[1].0))
            })
        },
    );
    if !is_tighter(&wide.filters, &tight.filters) {
        return;
    }
    let (all, some) = (total_count(&wide.response), total_count(&tight.response));
    run.check(
        some <= all,
        "tighter filters never find more",
        || format!("{all} at most with {}", shown(&tight.filters)),
        || some.to_string(),
    );
    if is_tighter(&tight.filters, &wide.filters) {
        run.check(
            some == all,
            "total_count is the same on every page",
            || all.to_string(),
            || some.to_string(),
        );
        same_list(search, wide, tight, run);
    } else if wide.skip == 0 && tight.skip == 0 && is_visible(search, &tight.filters) {
        let keeps = keeping(search.finds, &tight.filters);
        let unreadable = unreadable(search.finds, &tight.filters);
        depart(
            run,
            "a filter keeps the records that pass, with their order and distance",
            filtered(search.finds, &wide.as_walk(), &tight.as_walk(), keeps, unreadable),
        );
    } else if wide.is_whole() {
        let stray = other
            .iter()
            .find(|result| !places.contains_key(&search.finds.id(result)));
        run.check(
            stray.is_none(),
            "tighter filters find no other records",
            || format!("only the results of {}", shown(&wide.filters)),
            || stray.map_or_else(String::new, |result| at(search, result)),
        );
    }
}

/// Checks that two pages of one list have the same results where they overlap.
fn same_list(search: &Search, one: &Page, other: &Page, run: &mut RunResult) {
    let [first, second] = [one, other].map(|page| {
        ids(search.finds, results(&page.response))
            .into_iter()
            .zip(page.skip..)
            .map(|(id, place)| (place, id))
            .collect::<BTreeMap<_, _>>()
    });
    let differs = first
        .iter()
        .find(|(place, id)| second.get(place).is_some_and(|other| other != *id));
    run.check(
        differs.is_none(),
        "pages are cut from the same list",
        || differs.map_or_else(String::new, |(place, id)| format!("{id} is result {place}")),
        || differs.map_or_else(String::new, |(place, _)| format!("{:?}", second.get(place))),
    );
}

/// Checks that a search with the filters of two others finds the records that both find, where all three were walked
/// completely.
fn intersect(search: &Search, pages: &[Page], run: &mut RunResult) {
    let Some((last, before)) = pages.split_last() else {
        return;
    };
    let whole = |page: &&Page| page.is_whole();
    let found = |page: &Page| -> BTreeSet<i64> { ids(search.finds, results(&page.response)).into_iter().collect() };
    if !last.is_whole() {
        return;
    }
    for (position, one) in before.iter().enumerate().filter(|(_, page)| page.is_whole()) {
        for other in before[..position].iter().filter(whole) {
            if !joins(&one.filters, &other.filters, &last.filters) {
                continue;
            }
            let both: Vec<_> = found(one).intersection(&found(other)).copied().collect();
            let seen: Vec<_> = found(last).into_iter().collect();
            run.check(
                both == seen,
                "combined filters find the records that each of them finds",
                || format!("{both:?}"),
                || format!("{seen:?}"),
            );
        }
    }
}

/// Whether a request has exactly the filters of two others, which have no parameter in common.
fn joins(one: &Filters, other: &Filters, both: &Filters) -> bool {
    let names = |filters: &Filters| filters.iter().map(|(name, _)| *name).collect::<BTreeSet<_>>();
    let (mut joined, mut wanted) = ([one.as_slice(), other].concat(), both.clone());
    joined.sort();
    wanted.sort();
    // Another parameter decides which locations a filter checks.
    let apart = names(one).is_disjoint(&names(other)) && !names(both).contains(FLAG);
    apart && joined == wanted
}

/// Whether every record that passes the second filters passes the first.
fn is_tighter(wide: &Filters, tight: &Filters) -> bool {
    let flag = |filters: &Filters| filters.iter().any(|(name, value)| *name == FLAG && value == "false");
    let places = |filters: &Filters| filters.iter().any(|(name, _)| ["countries", "regions"].contains(name));
    if places(wide) && flag(tight) && !flag(wide) {
        return false;
    }
    let names: BTreeSet<_> = wide.iter().map(|(name, _)| *name).collect();
    names.into_iter().all(|name| {
        let of = |filters: &Filters| -> BTreeSet<String> {
            let mine = filters.iter().filter(|(found, _)| *found == name);
            mine.map(|(_, value)| value.clone()).collect()
        };
        let (loose, close) = (of(wide), of(tight));
        match name {
            FLAG => true,
            _ if close.is_empty() => false,
            _ if LISTS.contains(&name) => close.is_subset(&loose),
            _ => is_closer(name, loose.first(), close.first()),
        }
    })
}

/// Whether one bound excludes every record that another excludes.
fn is_closer(name: &str, loose: Option<&String>, close: Option<&String>) -> bool {
    let Some((loose, close)) = loose.zip(close) else {
        return false;
    };
    let is_least = name.ends_with("_min") || name.ends_with("_from");
    match loose.parse::<i64>().ok().zip(close.parse::<i64>().ok()) {
        Some((loose, close)) if is_least => close >= loose,
        Some((loose, close)) => close <= loose,
        // Dates are in the order of their texts.
        None if is_least => close >= loose,
        None => close <= loose,
    }
}

fn at(search: &Search, result: &Value) -> String {
    format!("{} at {:?}", search.finds.id(result), distance(result))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Pairs = &'static [(&'static str, &'static str)];

    fn filters(pairs: &[(&'static str, &str)]) -> Filters {
        pairs.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
    }

    #[test]
    fn tighter_filters_are_recognized_by_their_values() {
        let table: [(Pairs, Pairs, bool); 9] = [
            (&[], &[("countries", "NO")], true),
            (&[("countries", "NO")], &[], false),
            (
                &[("countries", "NO"), ("countries", "DK")],
                &[("countries", "DK")],
                true,
            ),
            (
                &[("countries", "DK")],
                &[("countries", "NO"), ("countries", "DK")],
                false,
            ),
            (&[("employee_count_min", "9")], &[("employee_count_min", "10")], true),
            (&[("employee_count_max", "9")], &[("employee_count_max", "10")], false),
            (
                &[("countries", "NO")],
                &[("countries", "NO"), ("headquarters_only", "false")],
                false,
            ),
            (
                &[("countries", "NO"), ("headquarters_only", "false")],
                &[("countries", "NO")],
                true,
            ),
            (&[("headquarters_only", "false")], &[], true),
        ];
        for (wide, tight, expected) in table {
            assert_eq!(
                is_tighter(&filters(wide), &filters(tight)),
                expected,
                "{wide:?} {tight:?}"
            );
        }
    }

    #[test]
    fn filters_join_when_they_have_nothing_in_common() {
        let (one, other) = ([("countries", "NO")], [("funding_stages", "seed")]);
        let both = [one[0], other[0]];
        assert!(joins(&filters(&one), &filters(&other), &filters(&both)));
        assert!(!joins(&filters(&one), &filters(&one), &filters(&both)));
        let alternatives = [("countries", "NO"), ("countries", "DK")];
        assert!(!joins(
            &filters(&one),
            &filters(&[("countries", "DK")]),
            &filters(&alternatives)
        ));
    }
}
