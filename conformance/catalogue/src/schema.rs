//! Every response that any case received, by operation and status: declared, with its headers, its body
//! as its schema says, an error in agreement with its status.
//!
//! These cases send nothing. They judge what the others saw, so they say most when all others run.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::any_operation::leave;
use engine::case::Case;
use engine::rules::{ANY, DEPRECATION, OTHER_STATUS, PROBLEM_TYPE, UNROUTED};
use platform_contract::{Basis, Contract, Operation, Response};

pub(crate) fn cases(contract: &'static Contract) -> Vec<Case> {
    let mut cases: Vec<_> = contract
        .operations()
        .iter()
        .flat_map(of_operation)
        .collect();
    cases.extend([
        Case::new(
            format!("schema/{ANY}/{PROBLEM_TYPE}"),
            "Every code of a problem has a type of its own, the same in every response",
            "/components/schemas/Problem/properties/type",
        )
        .quote("Identifies the kind of problem; one URI for each code.")
        .watches(ANY, PROBLEM_TYPE),
        Case::quoting(
            format!("schema/{ANY}/{DEPRECATION}"),
            "Nothing is deprecated but by the two headers, 12 months ahead",
            "/info",
            "Deprecation is announced 12 months before removal by the headers Deprecation (RFC 9745) and Sunset (RFC 8594).",
        )
        .watches(ANY, DEPRECATION),
        of_no_operation(404, "An unknown route is answered as the contract says")
            .led_by("/info", "An unknown route is answered 404 with the code route_not_found"),
        of_no_operation(405, "An unknown method is answered as the contract says")
            .led_by("/info", "a known route with a method that it does not have is answered 405 with the code method_not_allowed and the header Allow"),
    ]);
    cases
}

fn of_operation(operation: &'static Operation) -> Vec<Case> {
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
            let case = Case::new(format!("schema/{id}/{status}"), title, &response.pointer);
            let case = schemas(response).iter().fold(case, Case::and);
            case.watches(id, status)
        })
        .collect();
    let title = format!(
        "{id} never answers with a status it does not declare, nor with a fault of the server"
    );
    let pointer = format!("{}/responses/5XX", operation.pointer);
    cases.push(
        Case::new(format!("schema/{id}/{OTHER_STATUS}"), title, pointer).watches(id, OTHER_STATUS),
    );
    // An operation that no case may call has no responses.
    let needs = |case: Case| case.needs(leave(operation));
    cases.into_iter().map(needs).collect()
}

/// The schemas that the body of a response is put together from, as far as they rest on what the response
/// itself rests on: a response that is stated does not become a decision by an id within it.
fn schemas(response: &Response) -> Vec<String> {
    let contract = Contract::bundled();
    let mut met = BTreeSet::new();
    for (_, schema) in &response.content {
        collect(contract, schema, &mut met);
    }
    let is_stated = contract.basis(&response.pointer) == Some(Basis::Stated);
    met.retain(|pointer| !is_stated || contract.basis(pointer) == Some(Basis::Stated));
    met.into_iter().collect()
}

fn collect(contract: &Contract, node: &Value, met: &mut BTreeSet<String>) {
    if let Some(pointer) = node["$ref"].as_str().and_then(|to| to.strip_prefix('#')) {
        if met.insert(pointer.to_owned())
            && let Some(schema) = contract.get(pointer)
        {
            collect(contract, schema, met);
        }
        return;
    }
    match node {
        Value::Object(members) => members
            .values()
            .for_each(|member| collect(contract, member, met)),
        Value::Array(list) => list
            .iter()
            .for_each(|member| collect(contract, member, met)),
        _ => {}
    }
}

fn of_no_operation(status: u16, title: &str) -> Case {
    let id = format!("schema/{UNROUTED}/{status}");
    Case::new(id, title, format!("/x-unrouted-responses/{status}"))
        .watches(UNROUTED, &status.to_string())
}
