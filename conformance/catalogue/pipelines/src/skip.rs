//! Cases about `skip` of `list_items`: the same rules as for `limit`.

use engine::case::Case;
use platform_contract::Contract;

use crate::limit::of_parameter;

/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    of_parameter(contract, "skip", "list-skip-huge")
}
