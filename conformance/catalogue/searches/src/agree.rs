//! Cases about what several searches and pages show of one record: it is complete in each, and has one position. Part
//! of the group `search-ranking`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::associated;
use crate::calls::{Finds, Search, count, results};
use crate::encoding::decoded_twice;
use crate::keeps::{FLAG, categories, filter};
use crate::lacking::{Shown, lacking};
use crate::order::{assert_law, prefix};
use crate::ranking::{GROUP, Sentences, plain_record};
use crate::seen::own_values;
use engine::case::Case;
use engine::session::Probe;
use engine::transport::response::HttpResponse;
use engine::verdict::Outcome;
use platform_contract::Contract;

/// Every page that can be reached.
const PAGES: i64 = i64::MAX;
/// The lengths of pages deep in a list.
const SHORT: [usize; 2] = [7, 9];
/// The number of texts beyond ASCII that show how texts are encoded.
const TEXTS: usize = 5;
/// Filters for which a deployment may use another index.
const FILTERED: [&str; 2] = ["countries", "employee_count_min"];

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    Search::all(contract).iter().flat_map(of_search).collect()
}

fn of_search(search: &Search) -> Vec<Case> {
    let mut cases = of_records(search);
    cases.extend((search.finds == Finds::Products).then(|| associated::case(search)));
    cases
}

fn of_records(search: &Search) -> Vec<Case> {
    let (schema, point) = match search.finds {
        Finds::Organizations => ("/components/schemas/Organization", "organization-fields"),
        Finds::Products => ("/components/schemas/Product", "product-fields"),
    };
    let page = search.operation.response_pointer(200);
    let of_records = |law: &str, title: &str| {
        let case = search.case(GROUP, law, title, schema);
        case.and(&page).point(point).needs(search.needs())
    };
    vec![
        search
            .case(
                GROUP,
                "deep-pages-are-cut-from-the-same-list",
                "A short page deep in the list has the results of a long one",
                &page,
            )
            .quote(Sentences::of(search.finds).order)
            .point("search-pages")
            .needs(search.needs())
            .check_with(search.clone(), deep_pages),
        of_records(
            "record-is-the-same-in-every-search",
            "A record is the same in every search that finds it, and with any filter",
        )
        .check_with(search.clone(), same_records),
        of_records(
            "texts-are-decoded-once",
            "Texts are decoded correctly: UTF-8 is not read as Latin-1",
        )
        .check_with(search.clone(), decoded_once),
    ]
}

async fn deep_pages(probe: Probe, search: Search) -> Outcome {
    let all = search.walked(&probe, PAGES).await?;
    let length = all.results.len();
    let [last, middle] = SHORT;
    if length < 4 * last.max(middle) {
        return probe.inconclusive("a search that finds some forty records");
    }
    for (skip, limit) in [(length - last, last), (length / 2 + 3, middle)] {
        let call = search.call(&probe)?.query("skip", skip);
        let page = probe.ok(call.query("limit", limit).send().await?)?;
        let expected = &all.results[skip..skip + limit];
        let evidence: Vec<_> = std::iter::once(&page).chain(all.pages.first()).collect();
        let law = format!("the page with skip={skip} and limit={limit}");
        let departures = prefix(search.finds, results(&page), expected);
        assert_law(&probe, &law, &departures, &evidence);
        let (expected, seen) = (count(expected), count(results(&page)));
        probe.assert(seen == expected, "the number of results", expected, seen, &evidence);
    }
    Ok(())
}

async fn same_records(probe: Probe, search: Search) -> Outcome {
    let all = search.walked(&probe, PAGES).await?;
    let known = search.finds.by_id(&all);
    let mut compared = 0;
    for found in search.other_walks(&probe).await? {
        let evidence: Vec<_> = all.pages.first().into_iter().chain(&found.pages).collect();
        compared += assert_alike(&probe, search.finds, &known, &found.results, &evidence);
    }
    let filters = all
        .results
        .iter()
        .find_map(|record| own_values(&search, &FILTERED, record));
    let anywhere = filters.clone().map(|mut filters| {
        filters.push((FLAG, "false".to_owned()));
        filters
    });
    // A join may show only the categories that were asked for.
    let of_type = all.results.iter().filter(|record| categories(record).count() > 1);
    let of_type = of_type
        .filter_map(|record| own_values(&search, &["business_types"], record))
        .next();
    for filters in [filters, anywhere, of_type].into_iter().flatten() {
        let page = probe.ok(filter(search.call(&probe)?, &filters).send().await?)?;
        let evidence: Vec<_> = std::iter::once(&page).chain(all.pages.first()).collect();
        compared += assert_alike(&probe, search.finds, &known, results(&page), &evidence);
        assert_whole_lists(&probe, search.finds, &known, &page, &evidence);
    }
    match compared {
        0 => probe.inconclusive("a record that two searches find"),
        _ => Ok(()),
    }
}

/// Whether two results are the same record, member by member, apart from their distance to the query. If not, they may
/// still differ only in members that the contract does not have.
fn is_same_record(one: &Value, other: &Value) -> bool {
    let (Some(one), Some(other)) = (one.as_object(), other.as_object()) else {
        return false;
    };
    let is_compared = |(name, _): &(&String, &Value)| *name != "similarity";
    one.iter().filter(is_compared).eq(other.iter().filter(is_compared))
}

/// Compares the known records with those of another search, and reports the first that differs. Returns the number of
/// compared records.
fn assert_alike(
    probe: &Probe,
    finds: Finds,
    known: &BTreeMap<i64, &Value>,
    found: &[Value],
    evidence: &[&HttpResponse],
) -> usize {
    let plain = |record| plain_record(probe.contract(), finds, record);
    let pairs = found.iter();
    let pairs = pairs.filter_map(|record| Some((*known.get(&finds.id(record))?, record)));
    let pairs: Vec<_> = pairs.collect();
    let differs = pairs
        .iter()
        .find(|(one, other)| !is_same_record(one, other) && plain(one) != plain(other));
    if let Some((one, other)) = differs.or(pairs.first()) {
        let what = format!("the record {}", finds.id(one));
        probe.assert_same(&what, &plain(one), &plain(other), evidence);
    }
    let mut differing = pairs.iter().filter(|(one, other)| !is_same_record(one, other));
    let lacking = differing.find_map(|(one, other)| {
        let member = lacking(&plain(one), &plain(other))?;
        Some((finds.id(one), member))
    });
    // Searches may write their results otherwise, so this looks for words.
    let mut shown = Shown::default();
    let lacking = lacking.or_else(|| {
        let pairs = pairs.iter().filter(|(one, other)| !is_same_record(one, other));
        let mut words = pairs.filter_map(|(one, other)| Some((finds.id(one), shown.lacking(one, other)?.to_owned())));
        words.next()
    });
    if let Some((id, member)) = lacking {
        let what = format!("{member} of the record {id}");
        let expected = "in every search, if it is in one";
        // The source states the groups of data that each result carries.
        probe.assert_as(
            Some(BTreeSet::new()),
            false,
            &what,
            expected,
            "null, empty or missing in another",
            evidence,
        );
    }
    pairs.len()
}

/// Asserts that no result of a filtered search has only a part of what a list of the record has without filters. That
/// each result carries its groups of data is stated.
fn assert_whole_lists(
    probe: &Probe,
    finds: Finds,
    known: &BTreeMap<i64, &Value>,
    page: &HttpResponse,
    evidence: &[&HttpResponse],
) {
    let has_all = |list: &[Value], part: &[Value]| part.iter().all(|entry| list.contains(entry));
    let cut = results(page).iter().find_map(|record| {
        let whole = known.get(&finds.id(record))?.as_object()?;
        let lists = whole.iter().filter_map(|(name, list)| Some((name, list.as_array()?)));
        let mut lists = lists.filter_map(|(name, list)| Some((name, list, record[name].as_array()?)));
        let (name, list, part) = lists.find(|(_, list, part)| has_all(list, part) && !has_all(part, list))?;
        Some((format!("{name} of the record {}", finds.id(record)), list, part))
    });
    if let Some((what, list, part)) = cut {
        let (list, part) = (Value::from(list.clone()), Value::from(part.clone()));
        let expected = format!("{list}, as without filters");
        probe.assert_as(Some(BTreeSet::new()), false, &what, expected, part, evidence);
    }
}

/// Texts of people and places all over the world contain letters beyond ASCII. If all of them look like UTF-8 that was
/// read as Latin-1, it is not chance.
async fn decoded_once(probe: Probe, search: Search) -> Outcome {
    let all = search.walked(&probe, PAGES).await?;
    let mut texts = Vec::new();
    all.results.iter().for_each(|record| collect_texts(record, &mut texts));
    texts.sort_unstable();
    texts.dedup();
    if texts.len() < TEXTS {
        return probe.inconclusive(format!("{TEXTS} texts with a character beyond ASCII"));
    }
    let right = texts
        .iter()
        .find_map(|text| decoded_twice(text).map(|right| (*text, right)));
    let all_are = texts.iter().all(|text| decoded_twice(text).is_some());
    let (seen, expected) = right.unwrap_or_default();
    probe.assert(!all_are, "the texts of the results", expected, seen, &all.evidence());
    Ok(())
}

/// Collects all texts of a value with a character beyond ASCII.
fn collect_texts<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) if !text.is_ascii() => texts.push(text),
        Value::Array(entries) => entries.iter().for_each(|entry| collect_texts(entry, texts)),
        Value::Object(members) => members.values().for_each(|member| collect_texts(member, texts)),
        _ => {}
    }
}
