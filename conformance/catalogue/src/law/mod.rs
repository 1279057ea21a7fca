//! `law/*`: property tests for laws that need no known data.

pub(crate) mod hostile_input;
pub(crate) mod listing;
pub(crate) mod reads;
pub(crate) mod search;

use engine::case::Case;
use platform_contract::Contract;

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    [
        listing::cases(contract),
        reads::cases(contract),
        search::cases(contract),
        hostile_input::cases(contract),
    ]
    .concat()
}
