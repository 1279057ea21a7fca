//! Cases about authentication and permission: the header `API-Key` on every operation, and what the policies of a key
//! allow.
//!
//! No case in this file adds anything: an addition names an organization that does not exist.

use crate::support::operations::is_search;
use crate::support::values::UNKNOWN_KEY;
use engine::case::{Case, Expectation, Rejection, RequestTemplate};
use engine::target::Role::{NoAccess, ReadOnly};
use platform_contract::{Contract, Operation};

/// What is decided of a key that nobody has.
const UNKNOWN: &str = "So is a request with a key that is not known";

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    let operations = contract.operations().iter();
    let mut cases: Vec<_> = operations
        .flat_map(|operation| of_operation(operation))
        .collect();
    cases.sort_by(|one, other| one.id.cmp(&other.id));
    cases
}

fn of_operation(operation: &Operation) -> Vec<Case> {
    let id = &operation.id;
    let valid = || RequestTemplate::valid(operation);
    let case = |rule: &str, title: &str, status: u16| {
        Case::new(
            format!("auth/{rule}/{id}"),
            format!("{id}: {title}"),
            operation.response_pointer(status),
        )
    };
    let unauthenticated = || Expectation::Status(401);
    let denied = || Rejection::new(403, "authorization_denied");
    let (for_unknown, for_denied) = match is_search(operation) {
        true => ("search-authentication", "search-authorization"),
        false => ("unknown-key", "read-permission"),
    };
    let permission = format!("{}/x-permission", operation.pointer);
    vec![
        case(
            "missing-key",
            "A request without a key is answered authentication_required",
            401,
        )
        .point(for_unknown)
        .rejects(
            Rejection::new(401, "authentication_required"),
            [valid().literal_keys([])],
        ),
        case(
            "unknown-key",
            "A request with an unknown key is answered invalid_api_key",
            401,
        )
        .led_by("/info", UNKNOWN)
        .point(for_unknown)
        .rejects(
            Rejection::new(401, "invalid_api_key"),
            [valid().literal_keys([UNKNOWN_KEY])],
        ),
        // The contract does not say whether an empty header is a missing or an unknown key. Both are 401, and the
        // source states it of a missing key alone.
        case("empty-key", "An empty key is rejected", 401)
            .led_by("/info", UNKNOWN)
            .point(for_unknown)
            .expects([(valid().literal_keys([""]), unauthenticated())]),
        case(
            "second-key",
            "A known key together with an unknown one is rejected",
            401,
        )
        .led_by("/info", "one with more than one API-Key header")
        .point("second-key")
        .expects([(valid().header("API-Key", UNKNOWN_KEY), unauthenticated())]),
        case("no-access", "A key without the permission is denied", 403)
            .and(&permission)
            .point(for_denied)
            .rejects(denied(), [valid().key(NoAccess)]),
        match operation.is_read() {
            true => case("read-only", "A read-only key may read but not add", 200)
                .and(&permission)
                .point("read-only-key")
                .accepts([valid().key(ReadOnly)]),
            false => case("read-only", "A read-only key may read but not add", 403)
                .and(&permission)
                .point("read-only-key")
                .rejects(denied(), [valid().key(ReadOnly)]),
        },
    ]
}
