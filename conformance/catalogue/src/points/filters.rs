//! Points about the filters of a search.

mod headquarters;
mod laws;
mod names;
mod pages;
mod values;

use super::Point;
use platform_contract::Contract;
use searches::calls::Search;

pub(super) fn points(contract: &Contract) -> Vec<Point> {
    let searches = Search::all(contract);
    [names::points, laws::points, headquarters::points, values::points]
        .into_iter()
        .flat_map(|points| points(&searches))
        .collect()
}
