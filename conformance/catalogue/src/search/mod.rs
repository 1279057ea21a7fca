//! `search-*/*`: the six searches, one file for each group, and what the groups share.

mod agree;
mod combined;
pub(crate) mod error;
pub(crate) mod filter;
pub(crate) mod headquarters;
pub(crate) mod limit;
pub(crate) mod ranking;
pub(crate) mod text;
pub(crate) mod total;
pub(crate) mod values;

pub(crate) mod calls;
pub(crate) mod keeps;
pub(crate) mod order;
pub(crate) mod seen;

use engine::case::Case;
use platform_contract::Contract;

/// The cases of the group `search-filter`.
pub(crate) fn of_filters(contract: &Contract) -> Vec<Case> {
    [filter::cases(contract), combined::cases(contract)].concat()
}

/// The cases of the group `search-ranking`.
pub(crate) fn of_rankings(contract: &Contract) -> Vec<Case> {
    [ranking::cases(contract), agree::cases(contract)].concat()
}
