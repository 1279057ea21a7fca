//! `error/*`: what errors contain, and which one is returned when a request deserves several.

pub mod contents;
mod other_ids;
pub mod precedence;
mod precedence_of_adding;

use engine::case::Case;
use platform_contract::Contract;

/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    [
        precedence::cases(contract),
        precedence_of_adding::cases(contract),
        other_ids::cases(contract).collect(),
        contents::cases(contract),
    ]
    .concat()
}
