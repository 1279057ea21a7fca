//! A case about each pair of filters, after each of the two alone, and about both filters on places at any location.
//! Part of the group `search-filter`; the expected records come from the fields of the results.
//!
//! The searches by description are sent every pair, the others those of related filters.
//!
//! A deployment that remembers results has to tell such requests apart, and a filter that takes effect beside all
//! others may still be ignored beside one.

use crate::calls::Search;
use crate::filter::{PAGES, case, compare_first, nearest};
use crate::keeps::{FLAG, Filters, PLACES};
use crate::seen::{shown_filters, telling};
use engine::case::Case;
use engine::session::Probe;
use engine::verdict::Outcome;
use platform_contract::Contract;

/// The filters that are the two bounds of a range.
const BOUNDS: [(&str, &str); 3] = [
    ("employee_count_min", "employee_count_max"),
    ("founded_year_min", "founded_year_max"),
    ("funded_from", "funded_to"),
];
/// The number of results of each request.
const LENGTH: i64 = 10;
/// The limit on the requests of a case: the walk of the search, each filter alone and each pair.
const SENDS: u64 = 90;

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    let searches = Search::all(contract);
    let of_search = |search: &Search| {
        let names: Vec<_> = shown_filters(search).chain([FLAG]).collect();
        let law = "each-pair-holds-after-either-alone";
        let title = "Two filters hold together, also after each of them alone";
        let first = case(search, law, title, names[0]);
        names[1..]
            .iter()
            .fold(first, |case, name| case.and(search.place_of(name)))
            .primary_quote("/info", "Filters may be combined.")
            .primary_quote("/info", "A result passes every filter that is given")
            .point("filters-combined")
            .sends(SENDS)
            .check_with((search.clone(), names), each_pair)
    };
    searches.iter().map(of_search).collect()
}

async fn each_pair(probe: Probe, (search, names): (Search, Vec<&'static str>)) -> Outcome {
    let all = search.walked(&probe, PAGES).await?;
    let records = nearest(&search, &all);
    let single: Vec<_> = names
        .into_iter()
        .filter_map(|name| telling(&search, name, records))
        .collect();
    if single.len() < 2 {
        return probe.inconclusive("records that differ in the fields of two filters");
    }
    for filters in &single {
        compare_first(&probe, &search, &all, filters, LENGTH).await?;
    }
    let has_every_pair = search.subject().name == "description";
    for (place, first) in single.iter().enumerate() {
        for second in &single[place + 1..] {
            if !has_every_pair && !are_related(first[0].0, second[0].0) {
                continue;
            }
            let both = both(first, second);
            let compared = compare_first(&probe, &search, &all, &both, LENGTH).await;
            // The source states that filters may be combined. A region need not be accepted beside another country.
            let are_places = [first, second].iter().all(|filters| PLACES.contains(&filters[0].0));
            compared.map_err(|stop| if are_places { stop } else { stop.of_stated() })?;
            if are_places {
                let anywhere = [both, vec![(FLAG, "false".to_owned())]].concat();
                compare_first(&probe, &search, &all, &anywhere, LENGTH).await?;
            }
        }
    }
    Ok(())
}

/// Whether two filters are about the same field, or about the same places.
fn are_related(first: &str, second: &str) -> bool {
    let is_of_places = |name: &&str| *name == FLAG || PLACES.contains(name);
    BOUNDS.contains(&(first, second)) || [first, second].iter().all(is_of_places)
}

/// Two filters in one request. The values of two bounds change places if they would be upside down.
fn both(first: &Filters, second: &Filters) -> Filters {
    let mut both = [first.as_slice(), second].concat();
    if let [(least, from), (most, to)] = both.as_mut_slice()
        && BOUNDS.contains(&(*least, *most))
    {
        let is_upside_down = match (from.parse::<i64>(), to.parse::<i64>()) {
            (Ok(from), Ok(to)) => from > to,
            // Dates of the form YYYY-MM-DD are in the order of their texts.
            _ => from > to,
        };
        if is_upside_down {
            std::mem::swap(from, to);
        }
    }
    both
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filters(pairs: &[(&'static str, &str)]) -> Filters {
        pairs.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
    }

    #[test]
    fn a_range_is_never_upside_down() {
        let table = [
            (
                ["employee_count_min", "employee_count_max"],
                ["900", "1000"],
                ["900", "1000"],
            ),
            (
                ["employee_count_min", "employee_count_max"],
                ["1000", "900"],
                ["900", "1000"],
            ),
            (
                ["funded_from", "funded_to"],
                ["2021-05-20", "2019-01-31"],
                ["2019-01-31", "2021-05-20"],
            ),
            (["countries", "employee_count_max"], ["NO", "900"], ["NO", "900"]),
        ];
        for ([one, other], values, expected) in table {
            let pair = both(&filters(&[(one, values[0])]), &filters(&[(other, values[1])]));
            assert_eq!(pair, filters(&[(one, expected[0]), (other, expected[1])]));
        }
    }
}
