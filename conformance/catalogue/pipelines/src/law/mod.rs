//! `law/*`: property tests of pipelines, for laws that need no known data.

mod listing;
mod reads;

use engine::case::Case;
use platform_contract::Contract;

/// The cases.
pub fn cases(contract: &Contract) -> Vec<Case> {
    [listing::cases(contract), reads::cases(contract)].concat()
}
