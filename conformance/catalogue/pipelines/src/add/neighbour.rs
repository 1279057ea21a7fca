//! An organization that is not found, beside those that are, and where there is a product.

use std::collections::BTreeSet;

use super::add_one;
use engine::case::{Case, Need};
use engine::session::Probe;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// The search that knows whether an organization exists.
const SEARCH: &str = "search_organizations_by_organization";
/// How many ids are tried in each place.
const TRIED: usize = 4;

pub(super) fn case(contract: &Contract) -> Case {
    let add = contract.operation("add_organization");
    Case::new(
        "add/neighbour-is-unknown",
        "An id between those of organizations, above them, or of a product is not found if a search does not find it",
        add.response_pointer(404),
    )
    .on([add.id.as_str(), SEARCH])
    .needs([Need::Writes])
    .point("add-unknown-organization")
    .writes(4)
    .check(neighbour)
}

async fn neighbour(probe: Probe) -> Outcome {
    let known: BTreeSet<_> = probe
        .known()
        .organizations
        .iter()
        .chain(&probe.known().to_add)
        .collect();
    let Some(greatest) = known.last().copied() else {
        return probe.inconclusive("organizations that a search finds");
    };
    let is_free = |id: &u64| !known.contains(id);
    let between = known.iter().map(|id| **id + 1);
    let between: Vec<_> = between.filter(|id| is_free(id) && id < greatest).collect();
    // Most are between those that were found because the search does not reach the record.
    let between = between.iter().step_by(between.len().div_ceil(TRIED).max(1)).copied();
    let most = probe.contract().greatest_id().unsigned_abs();
    let above = (0..)
        .map(|power| greatest.saturating_add(10_u64.pow(power)))
        .take(TRIED);
    let above = above.filter(|id| *id <= most);
    let of_products = probe.known().products.iter().copied();
    let of_products = of_products.filter(|id| !known.contains(id)).take(TRIED);
    let mut is_sent = false;
    for ids in [
        between.collect::<Vec<_>>(),
        above.collect(),
        furthest(&probe).into(),
        of_products.collect(),
    ] {
        if let Some(id) = first_unknown(&probe, ids).await? {
            let response = add_one(&probe, id)?.send().await?;
            probe
                .expect(&response)
                .rejected_as_stated(404, "organization_not_found");
            is_sent = true;
        }
    }
    match is_sent {
        true => Ok(()),
        false => probe.inconclusive("an id that a search does not find"),
    }
}

/// The greatest ids: a table of what is there may not reach as far.
pub(crate) fn furthest(probe: &Probe) -> [u64; 2] {
    let most = probe.contract().greatest_id().unsigned_abs();
    [most, most - 1]
}

/// The first of these organizations that the deployment does not find.
pub(crate) async fn first_unknown(probe: &Probe, ids: Vec<u64>) -> Result<Option<u64>, Stop> {
    for id in ids {
        let response = probe
            .call(SEARCH)
            .path("organization_id", id)
            .query("limit", 1)
            .send()
            .await?;
        if response.status == 404 {
            return Ok(Some(id));
        }
    }
    Ok(None)
}
