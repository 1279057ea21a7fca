//! Cases about a key that may search organizations and do nothing else: permission on one resource implies none on
//! another.

use std::sync::Arc;

use super::{POLICIES, comparing_views};
use engine::case::{Case, Rejection, RequestTemplate};
use engine::target::Role::OrganizationsOnly;
use platform_contract::{Contract, Operation};

pub(super) fn cases(contract: &Contract) -> Vec<Case> {
    let operations = contract.operations().iter();
    let allowed = operations.clone().filter(|operation| is_allowed(operation));
    operations.map(of_operation).chain(allowed.map(same_view)).collect()
}

fn is_allowed(operation: &Operation) -> bool {
    operation.path.starts_with("/search/organizations/")
}

fn same_view(operation: &Arc<Operation>) -> Case {
    let case = Case::new(
        format!("auth/organizations-only-sees-the-same/{}", operation.id),
        format!(
            "{}: A key for organizations gets the same response as a key with full access",
            operation.id
        ),
        operation.response_pointer(200),
    );
    let case = case.point("key-for-organizations");
    comparing_views(case, operation, RequestTemplate::valid(operation), OrganizationsOnly)
}

fn of_operation(operation: &Arc<Operation>) -> Case {
    let case = |status: u16| {
        Case::new(
            format!("auth/organizations-only/{}", operation.id),
            format!(
                "{}: A key for organizations searches organizations, and is denied everything else",
                operation.id
            ),
            operation.response_pointer(status),
        )
        .primary_quote("/components/securitySchemes/ApiKey", POLICIES)
        .and(format!("{}/x-permission", operation.pointer))
        .point("key-for-organizations")
    };
    let request = RequestTemplate::valid(operation).key(OrganizationsOnly);
    match is_allowed(operation) {
        true => case(200).accepts([request]),
        false => case(403).rejects(Rejection::new(403, "authorization_denied"), [request]),
    }
}
