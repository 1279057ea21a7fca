//! `error/*`: what errors contain, and which one is returned when a request deserves several.

pub(crate) mod contents;
pub(crate) mod precedence;

use engine::case::Case;
use platform_contract::Contract;

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    [precedence::cases(contract), contents::cases(contract)].concat()
}
