//! Cases about a key that may add to one pipeline and read nothing.

use std::sync::Arc;

use super::{MALFORMED_ID, POLICIES};
use engine::case::{Binding, Case, Need, Rejection, RequestTemplate};
use engine::session::Probe;
use engine::target::PipelineRole::{NotOrganizations, Writable};
use engine::target::Role::{self, CreateOnly, FullAccess};
use engine::verdict::Outcome;
use platform_contract::{Contract, Operation};

/// The point that governs the decisions about such a key.
const POINT: &str = "key-that-may-only-add";

pub(super) fn cases(contract: &Contract) -> Vec<Case> {
    let reads = contract.operations().iter().filter(|one| one.is_read());
    let add = contract.operation("add_organization");
    reads
        .map(reads_nothing)
        .chain([
            adds(add),
            adds_nowhere_else(add),
            learns_of_a_malformed_id(add),
            owns_nothing(add),
        ])
        .collect()
}

fn denied() -> Rejection {
    Rejection::new(403, "authorization_denied")
}

/// Permission to add does not imply permission to read the added item.
fn reads_nothing(operation: &Arc<Operation>) -> Case {
    let valid = RequestTemplate::valid(operation).key(CreateOnly);
    let request = match operation.is_search() {
        true => valid,
        // The policies are evaluated before the item is looked up, so any id works.
        false => valid.path("pipeline_id", Writable),
    };
    let has_item = operation.parameters.iter().any(|one| one.name == "pipeline_item_id");
    let request = match has_item {
        true => request.path("pipeline_item_id", Binding::UnknownId),
        false => request,
    };
    Case::new(
        format!("auth/create-only-reads-nothing/{}", operation.id),
        format!("{}: A key that may only add is denied reads", operation.id),
        operation.response_pointer(403),
    )
    .primary_quote("/components/securitySchemes/ApiKey", POLICIES)
    .and(format!("{}/x-permission", operation.pointer))
    .point(POINT)
    .rejects(denied(), [request])
}

fn adds(add: &Arc<Operation>) -> Case {
    Case::new(
        format!("auth/create-only-adds/{}", add.id),
        format!("{}: A key that may only add adds to its pipeline", add.id),
        add.response_pointer(201),
    )
    .and(format!("{}/x-permission", add.pointer))
    .on([add.id.as_str()])
    .needs([Need::Writes, Need::Key(CreateOnly)])
    .point(POINT)
    .sends(1)
    .adds(1)
    .writes(1)
    .check(is_added)
}

async fn is_added(probe: Probe) -> Outcome {
    let organization = probe.organization_to_add()?;
    let call = probe
        .call("add_organization")
        .path("pipeline_id", probe.pipeline(Writable)?)
        .key(CreateOnly);
    let body = serde_json::json!({ "organization_id": organization });
    let response = call.json(&body).send().await?;
    let expect = probe.expect(&response).status(201);
    expect.body("/organization_id", organization);
    Ok(())
}

/// Policies are over actions, resources and pipelines: an item belongs to no key.
fn owns_nothing(add: &Arc<Operation>) -> Case {
    Case::new(
        format!("auth/create-only-owns-nothing/{}", add.id),
        format!(
            "{}: What a key that may only add has added is read by other keys alone, and added again by none",
            add.id
        ),
        add.response_pointer(409),
    )
    .primary_quote("/components/securitySchemes/ApiKey", POLICIES)
    .on([add.id.as_str(), "list_items", "get_item_values", "get_item_status"])
    .needs([Need::Writes, Need::Key(CreateOnly)])
    .point(POINT)
    .sends(7)
    .adds(1)
    .writes(3)
    .check(is_owned_by_none)
}

async fn is_owned_by_none(probe: Probe) -> Outcome {
    let organization = probe.organization_to_add()?;
    let pipeline = probe.pipeline(Writable)?;
    let add = |role: Role| {
        let call = probe.call("add_organization").path("pipeline_id", pipeline).key(role);
        call.json(&serde_json::json!({ "organization_id": organization }))
    };
    let response = probe.ok(add(CreateOnly).send().await?)?;
    let item = &response.body["pipeline_item_id"];
    for operation in ["get_item_values", "get_item_status"] {
        let read = || {
            probe
                .call(operation)
                .path("pipeline_id", pipeline)
                .path("pipeline_item_id", item)
        };
        let seen = read().key(CreateOnly).send().await?;
        probe.expect(&seen).rejected(403, "authorization_denied");
        let seen = read().send().await?;
        probe.expect(&seen).status(200);
    }
    for role in [FullAccess, CreateOnly] {
        let again = add(role).send().await?;
        probe.expect(&again).rejected(409, "organization_already_in_pipeline");
    }
    Ok(())
}

/// An organization that does not exist is not found where the key may add, and denied everywhere else. The other
/// pipeline does not accept organizations, so that nothing is added whatever the key may do.
fn adds_nowhere_else(add: &Arc<Operation>) -> Case {
    let valid = || RequestTemplate::valid(add).key(CreateOnly);
    Case::new(
        format!("auth/create-only-adds-nowhere-else/{}", add.id),
        format!("{}: A key that may add to one pipeline is denied all others", add.id),
        add.response_pointer(403),
    )
    .primary_quote("/components/securitySchemes/ApiKey", POLICIES)
    .and(format!("{}/x-permission", add.pointer))
    .needs([Need::Pipeline(Writable)])
    .point(POINT)
    .rejects(Rejection::new(404, "organization_not_found"), [valid()])
    .rejects(
        denied(),
        [
            valid().path("pipeline_id", NotOrganizations),
            valid().path("pipeline_id", Binding::UnknownId),
        ],
    )
}

/// As a key for one pipeline does, see `auth/one-pipeline-and-a-malformed-id`.
fn learns_of_a_malformed_id(add: &Arc<Operation>) -> Case {
    let malformed = RequestTemplate::valid(add).key(CreateOnly).path("pipeline_id", "0");
    Case::new(
        format!("auth/create-only-and-a-malformed-id/{}", add.id),
        format!(
            "{}: A key that may only add learns that a pipeline id is malformed",
            add.id
        ),
        add.response_pointer(422),
    )
    .primary_quote("/components/securitySchemes/ApiKey", MALFORMED_ID)
    .point(POINT)
    .rejects(Rejection::invalid(), [malformed])
}
