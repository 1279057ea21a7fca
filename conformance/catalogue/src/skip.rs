//! `skip` of `list_items`, whose bounds are looked at as those of `limit` are.

use engine::case::Case;
use platform_contract::Contract;

use crate::limit::of_parameter;

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    of_parameter(contract, "skip")
}
