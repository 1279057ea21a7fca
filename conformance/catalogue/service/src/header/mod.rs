//! `header/*`: headers, request ids of errors, unknown routes and methods, HEAD and OPTIONS, conditions and Accept,
//! long requests.

mod errors;
pub mod headers;
pub mod lengths;
pub mod methods;
pub mod negotiation;
mod operations;

use engine::case::Case;
use platform_contract::Contract;

/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    [
        headers::cases(contract),
        operations::cases(contract),
        errors::cases(contract),
        negotiation::cases(contract),
        methods::cases(contract),
        lengths::cases(),
    ]
    .concat()
}
