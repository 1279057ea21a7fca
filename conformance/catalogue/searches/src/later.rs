//! Cases about filters on the pages after the first: they hold there too. Part of the group `search-filter`.

use serde_json::Value;

use crate::calls::{Search, Walk, count, results, total_count};
use crate::filter::{PAGES, case, nearest};
use crate::keeps::{Filters, filter, keeping, unreadable};
use crate::order::{assert_law, prefix};
use crate::seen::{broadest, most_telling, own_values, shown_filters};
use crate::stated::Filtered;
use engine::case::Case;
use engine::session::Probe;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// The greatest length of the last page.
const LAST: i64 = 5;

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    Search::all(contract).iter().map(of_search).collect()
}

fn of_search(search: &Search) -> Case {
    let first = case(
        search,
        "holds-on-later-pages",
        "A page that does not begin with the first result passes the filter, and goes on where the first page ends",
        "countries",
    );
    shown_filters(search)
        .fold(first, |case, name| case.and(search.place_of(name)))
        .primary_quote(
            &search.operation.pointer,
            "Filters are applied before ranking, so total_count and the pages are exact.",
        )
        .primary_quote("/info", "A result passes every filter that is given")
        .point("search-pages")
        .check_with(search.clone(), hold_later)
}

/// Takes a later page with each filter on its own.
async fn hold_later(probe: Probe, search: Search) -> Outcome {
    let all = search.walked(&probe, PAGES).await?;
    let records = nearest(&search, &all);
    let mut looked_at = false;
    for name in shown_filters(&search) {
        let own = records.iter().filter_map(|record| own_values(&search, &[name], record));
        if let Some(filters) = most_telling(&search, records, own) {
            looked_at |= later_page(&probe, &search, &all, &filters, Later::Second).await?;
        }
        if let Some(filters) = broadest(&search, name, records) {
            looked_at |= later_page(&probe, &search, &all, &filters, Later::Last).await?;
        }
    }
    match looked_at {
        true => Ok(()),
        false => probe.inconclusive("two records that a filter keeps, and one that it leaves out"),
    }
}

/// A page after the first. It begins at a multiple of its length, because a deployment may count pages.
#[derive(Clone, Copy)]
enum Later {
    Second,
    /// The last whole one.
    Last,
}

/// Compares a later page with the records that pass the filters by their own fields; `false` if there are none, or if a
/// record cannot be compared: the places of the others are open then.
async fn later_page(probe: &Probe, search: &Search, all: &Walk, filters: &Filters, later: Later) -> Result<bool, Stop> {
    let (keeps, unreadable) = (keeping(search.finds, filters), unreadable(search.finds, filters));
    let passing: Vec<&Value> = all.results.iter().filter(|record| keeps(record)).collect();
    let probe = &probe.about(filters.iter().map(|(name, _)| *name));
    let number = count(&passing);
    if number < 2 || all.results.iter().any(|record| unreadable(record).is_some()) {
        return Ok(false);
    }
    let longest = match later {
        Later::Second => search.number("limit", "maximum"),
        Later::Last => LAST,
    };
    let limit = longest.min(number / 2);
    let skip = match later {
        Later::Second => limit,
        Later::Last => (number / limit - 1) * limit,
    };
    let later = &passing[usize::try_from(skip).unwrap_or(usize::MAX).min(passing.len())..];
    let call = filter(search.call(probe)?, filters);
    let page = probe.ok(call.query("skip", skip).query("limit", limit).send().await?)?;
    let found = Walk {
        results: results(&page).to_vec(),
        page_lengths: vec![count(results(&page))],
        total_count: total_count(&page),
        pages: vec![page],
    };
    let shown: Vec<_> = filters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let law = format!("the results after the first {skip} with {}", shown.join("&"));
    let departures = prefix(search.finds, &found.results, later);
    let evidence: Vec<_> = found.pages.iter().chain(all.pages.first()).collect();
    assert_law(probe, &law, &departures, &evidence);
    let seen = count(&found.results);
    let what = format!("the number of {law}");
    probe.assert(seen == limit, &what, limit, seen, &evidence);
    // An empty page may lie behind the end: whether a bound is inclusive is decided.
    if seen > 0 && (!departures.is_empty() || seen != limit) {
        let filtered = Filtered {
            search,
            all,
            filters,
            found: &found,
            is_later: true,
        };
        filtered.check_meaning(probe).await;
    }
    Ok(true)
}
