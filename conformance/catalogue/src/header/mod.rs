//! `header/*`: headers, unknown routes and methods, HEAD and OPTIONS, long requests.

pub(crate) mod headers;
pub(crate) mod lengths;
pub(crate) mod methods;

use engine::case::Case;
use platform_contract::Contract;

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    [
        headers::cases(contract),
        methods::cases(contract),
        lengths::cases(),
    ]
    .concat()
}
