//! `error/*`: what errors contain, and which goes first when a request deserves several.

pub(crate) mod contents;
pub(crate) mod precedence;

use engine::case::Case;
use platform_contract::Contract;

pub(crate) fn cases(contract: &'static Contract) -> Vec<Case> {
    [precedence::cases(contract), contents::cases(contract)].concat()
}
