//! What the source states of filters: each has a meaning, and they may be combined. Their names are decided, so a
//! filter counts only if it has an effect on some search: then the deployment knows it by this name.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::calls::{Search, Walk, ids, results};
use crate::keeps::{FLAG, Filters, employee_count, filter, keeping, last_round_on, last_round_stage, places, year};
use engine::session::Probe;
use engine::verdict::Stop;

/// Whether an organization shows a value that a filter is about.
type Shows = fn(&Value) -> bool;

/// The filters whose meaning is stated.
const MEANINGS: [(&str, Shows); 8] = [
    ("countries", |organization| {
        places(organization, "country", false).next().is_some()
    }),
    ("regions", |organization| {
        places(organization, "region", false).next().is_some()
    }),
    ("employee_count_min", has_employees),
    ("employee_count_max", has_employees),
    ("founded_year_min", has_year),
    ("founded_year_max", has_year),
    ("funding_stages", |organization| {
        last_round_stage(organization).is_some()
    }),
    // An earlier round may be within an upper bound, but none is after the latest.
    ("funded_from", |organization| last_round_on(organization).is_some()),
];

fn has_employees(organization: &Value) -> bool {
    employee_count(organization).is_some()
}

fn has_year(organization: &Value) -> bool {
    year(organization).is_some()
}

/// Records a result that contradicts one of the filters by its own value, whatever is decided about bounds, missing
/// values and locations.
pub(crate) async fn check_meaning(probe: &Probe, search: &Search, all: &Walk, filters: &Filters, found: &Walk) {
    let Some((name, record)) = contradicted(search, filters, found) else {
        return;
    };
    let (alone, others): (Filters, Filters) = filters.iter().cloned().partition(|(other, _)| *other == name);
    let is_combined = others.iter().any(|(other, _)| *other != FLAG);
    if is_combined && may_be_alternatives(search, all, filters, found) || !has_effect(probe, &alone).await {
        return;
    }
    let values: Vec<_> = alone.iter().map(|(_, value)| value.as_str()).collect();
    let seen = format!("the record {}", search.finds.id(record));
    let evidence: Vec<_> = found.pages.iter().chain(all.pages.first()).collect();
    probe.assert_as(
        Some(BTreeSet::new()),
        false,
        &format!(
            "the results of a filter that has an effect: {name}={}",
            values.join(",")
        ),
        "none that shows another value",
        seen,
        &evidence,
    );
}

/// A filter, and a result that shows another value than it asks for.
fn contradicted<'a>(search: &Search, filters: &Filters, found: &'a Walk) -> Option<(&'static str, &'a Value)> {
    MEANINGS.iter().find_map(|(name, shows_value)| {
        let mut alone: Filters = filters.iter().filter(|(other, _)| other == name).cloned().collect();
        if alone.is_empty() {
            return None;
        }
        // Any location may count.
        alone.push((FLAG, "false".to_owned()));
        let keeps = keeping(search.finds, &alone);
        let mut found = found.results.iter();
        let record = found.find(|record| shows_value(search.finds.organization(record)) && !keeps(record));
        Some((*name, record?))
    })
}

/// Whether filters that are given together may be alternatives: then no record that passes one of them is left out.
fn may_be_alternatives(search: &Search, all: &Walk, filters: &Filters, found: &Walk) -> bool {
    let id = |record: &Value| search.finds.id(record);
    let kept: BTreeSet<_> = found.results.iter().map(id).collect();
    let reached = all.results.iter().rposition(|record| kept.contains(&id(record)));
    let passes_one = |record: &Value| {
        let mut single = filters.iter().filter(|(name, _)| *name != FLAG);
        single.any(|one| keeping(search.finds, std::slice::from_ref(one))(record))
    };
    let mut before = all.results[..reached.unwrap_or_default()].iter();
    !before.any(|record| !kept.contains(&id(record)) && passes_one(record))
}

/// Whether any search has other results with the filter than without it.
async fn has_effect(probe: &Probe, filters: &Filters) -> bool {
    for search in Search::all(probe.contract()) {
        // A response that cannot be had shows no effect.
        if changes(probe, &search, filters).await.unwrap_or_default() {
            return true;
        }
    }
    false
}

async fn changes(probe: &Probe, search: &Search, filters: &Filters) -> Result<bool, Stop> {
    let most = search.number("limit", "maximum");
    let bare = search.call(probe)?.query("limit", most).send().await?;
    let filtered = filter(search.call(probe)?, filters).query("limit", most).send().await?;
    let ids = |page| ids(search.finds, results(page));
    Ok(bare.status == 200 && filtered.status == 200 && ids(&bare) != ids(&filtered))
}
