//! Cases about the request ids of errors: one place makes the header and another the body, and each error may be made
//! in a place of its own.

use crate::auth::ITEM_ID;
use crate::header::headers::REQUEST_ID;
use engine::case::{Binding, Case, RequestTemplate};
use engine::session::Probe;
use engine::target::PipelineRole::{NotOrganizations, Other, Writable};
use engine::target::Role;
use engine::verdict::Outcome;
use platform_contract::{Contract, Operation};
use serde_json::json;

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    let operations = contract.operations().iter();
    operations
        .flat_map(|operation| {
            let denied = RequestTemplate::valid(operation).key(Role::NoAccess);
            [
                case(
                    operation,
                    "request-id-of-errors",
                    "Each error repeats a well-formed X-Request-Id, in its header and in its body",
                    requests_with_errors(operation),
                ),
                case(
                    operation,
                    "request-id-of-denials",
                    "A denial repeats a well-formed X-Request-Id, in its header and in its body",
                    vec![denied],
                ),
            ]
        })
        .collect()
}

fn case(operation: &Operation, rule: &str, title: &str, requests: Vec<RequestTemplate>) -> Case {
    let count = requests.len() as u64;
    Case::new(
        format!("header/{rule}/{}", operation.id),
        format!("{}: {title}", operation.id),
        "/components/headers/X-Request-Id",
    )
    .quote(REQUEST_ID)
    .and("/components/schemas/Problem/properties/request_id")
    .on([operation.id.as_str()])
    .needs(requests.iter().flat_map(RequestTemplate::needs))
    .point("request-id")
    .sends(count)
    .writes(u64::from(!operation.is_read()) * count)
    .check_with(requests, kept)
}

/// Requests for the errors of an operation. None of them changes anything.
fn requests_with_errors(operation: &Operation) -> Vec<RequestTemplate> {
    let valid = || RequestTemplate::valid(operation);
    let mut requests = vec![valid().query("offset", 1)];
    let in_path = operation.parameters.iter().filter(|one| one.location == "path");
    for parameter in in_path {
        requests.push(valid().path(&parameter.name, Binding::UnknownId));
        if parameter.name == ITEM_ID {
            requests.push(valid().path(ITEM_ID, Binding::FirstItem(Other)));
        }
    }
    if operation.parameters.iter().any(|one| one.name == "sort_by") {
        let unknown = format!("question.{}", Contract::bundled().unknown_id());
        requests.extend(["name", unknown.as_str()].map(|column| valid().query("sort_by", column)));
    }
    if !operation.is_read() {
        requests.extend([
            valid(),
            valid().organization(Binding::OrganizationIn(Writable)),
            valid().path("pipeline_id", NotOrganizations),
            valid().media_type("text/plain"),
            valid().json(&json!({})),
            valid().json_text("{"),
        ]);
    }
    requests
}

async fn kept(probe: Probe, requests: Vec<RequestTemplate>) -> Outcome {
    let mut has_errors = false;
    for (number, request) in requests.iter().enumerate() {
        let id = format!("error-{number}.b_2");
        let response = request.call(&probe).await?.header("X-Request-Id", &id).send().await?;
        if response.status >= 400 {
            has_errors = true;
            let expect = probe.expect(&response).header("X-Request-Id", &id);
            // Whether errors have this member at all is the business of their schema.
            if !response.at("/request_id").is_null() {
                expect.body("/request_id", id);
            }
        }
    }
    match has_errors {
        true => Ok(()),
        false => probe.inconclusive("an error"),
    }
}
