//! Every response that any case received, by operation and status: declared, with its headers, its body
//! as its schema says, an error in agreement with its status.
//!
//! These cases send nothing. They judge what the others saw, so they say most when all others run.

use crate::case::Case;
use crate::contract::{Contract, Operation};
use crate::schema_check::{OTHER_STATUS, UNROUTED};

pub(super) fn cases(contract: &Contract) -> Vec<Case> {
    let mut cases: Vec<_> = contract
        .operations()
        .iter()
        .flat_map(of_operation)
        .collect();
    cases.extend([
        of_no_operation(404, "An unknown route is answered as the contract says")
            .quote("An unknown route is answered 404 with the code route_not_found"),
        of_no_operation(405, "An unknown method is answered as the contract says")
            .quote("a known route with a method it does not have is answered 405 with the code method_not_allowed"),
    ]);
    cases
}

fn of_operation(operation: &Operation) -> Vec<Case> {
    let id = &operation.id;
    let declared = operation
        .responses
        .iter()
        .filter(|response| !response.status.ends_with("XX"));
    let mut cases: Vec<_> = declared
        .map(|response| {
            let status = &response.status;
            let title =
                format!("{id} answers {status} as the contract says: headers, media type, body");
            Case::new(format!("schema/{id}/{status}"), title, &response.pointer).watches(id, status)
        })
        .collect();
    let title = format!(
        "{id} never answers with a status it does not declare, nor with a fault of the server"
    );
    let pointer = format!("{}/responses/5XX", operation.pointer);
    cases.push(
        Case::new(format!("schema/{id}/{OTHER_STATUS}"), title, pointer).watches(id, OTHER_STATUS),
    );
    cases
}

fn of_no_operation(status: u16, title: &str) -> Case {
    let id = format!("schema/{UNROUTED}/{status}");
    Case::new(id, title, "/info/description")
        .decided("D24")
        .watches(UNROUTED, &status.to_string())
}
