//! Cases about a key that may search organizations and do nothing else: permission on one resource implies none on
//! another.

use std::sync::Arc;

use super::POLICIES;
use engine::case::{Case, Rejection, RequestTemplate};
use engine::target::Role::OrganizationsOnly;
use platform_contract::{Contract, Operation};

pub(super) fn cases(contract: &Contract) -> Vec<Case> {
    contract.operations().iter().map(of_operation).collect()
}

fn of_operation(operation: &Arc<Operation>) -> Case {
    let is_allowed = operation.path.starts_with("/search/organizations/");
    let case = |status: u16| {
        Case::new(
            format!("auth/organizations-only/{}", operation.id),
            format!(
                "{}: A key for organizations searches organizations, and is denied everything else",
                operation.id
            ),
            operation.response_pointer(status),
        )
        .led_by("/components/securitySchemes/ApiKey", POLICIES)
        .and(format!("{}/x-permission", operation.pointer))
        .point("key-for-organizations")
    };
    let request = RequestTemplate::valid(operation).key(OrganizationsOnly);
    match is_allowed {
        true => case(200).accepts([request]),
        false => case(403).rejects(Rejection::new(403, "authorization_denied"), [request]),
    }
}
