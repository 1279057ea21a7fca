//! `header/*`: headers, unknown routes and methods, HEAD and OPTIONS, conditions and Accept, long requests.

pub(crate) mod headers;
pub(crate) mod lengths;
pub(crate) mod methods;
pub(crate) mod negotiation;
mod operations;

use engine::case::Case;
use platform_contract::Contract;

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    [
        headers::cases(contract),
        operations::cases(contract),
        negotiation::cases(contract),
        methods::cases(contract),
        lengths::cases(),
    ]
    .concat()
}
