//! Cases about a key that reads and adds in one pipeline, which is what an integration with one team gets: permission
//! there implies none elsewhere.

use std::sync::Arc;

use serde_json::json;

use super::{ITEM_ID, MALFORMED_ID, POLICIES, comparing_views, of_pipeline};
use engine::case::{Binding, Case, Expectation, Need, Rejection, RequestTemplate};
use engine::session::Probe;
use engine::target::PipelineRole::{NotOrganizations, Writable};
use engine::target::Role::WritableOnly;
use engine::verdict::Outcome;
use platform_contract::{Contract, Operation};

/// The point that governs the decisions about such a key.
const POINT: &str = "key-that-reads-and-adds";

pub(super) fn cases(contract: &Contract) -> Vec<Case> {
    let add = contract.operation("add_organization");
    let mut cases = vec![adds_there_alone(add), reads_what_it_adds(add)];
    for operation in contract.operations().iter().filter(|one| one.is_read()) {
        if operation.is_search() {
            cases.push(searches_nothing(operation));
        } else {
            cases.extend([reads_there_alone(operation), sees_the_same(operation)]);
        }
    }
    let of_pipelines = contract.operations().iter().filter(|one| !one.is_search());
    cases.extend(of_pipelines.map(learns_of_a_malformed_id));
    cases
}

fn denied() -> Rejection {
    Rejection::new(403, "authorization_denied")
}

fn case(operation: &Operation) -> Case {
    Case::new(
        format!("auth/writable-only/{}", operation.id),
        format!(
            "{}: A key that may read and add in one pipeline does both there, and is denied everything else",
            operation.id
        ),
        operation.response_pointer(403),
    )
    .primary_quote("/components/securitySchemes/ApiKey", POLICIES)
    .and(format!("{}/x-permission", operation.pointer))
    .point(POINT)
}

fn searches_nothing(operation: &Arc<Operation>) -> Case {
    case(operation).rejects(denied(), [RequestTemplate::valid(operation).key(WritableOnly)])
}

fn reads_there_alone(operation: &Arc<Operation>) -> Case {
    let elsewhere = || RequestTemplate::valid(operation).key(WritableOnly);
    let own = of_pipeline(operation, Writable).key(WritableOnly);
    case(operation)
        .expects([(own.clone(), Expectation::Permitted)])
        .rejects(denied().stated(), [elsewhere()])
        .rejects(denied(), [elsewhere().path("pipeline_id", Binding::UnknownId)])
        // A deployment may remember what it decided for another pipeline.
        .expects([(own, Expectation::Permitted)])
}

fn sees_the_same(operation: &Arc<Operation>) -> Case {
    let case = Case::new(
        format!("auth/writable-only-sees-the-same/{}", operation.id),
        format!(
            "{}: A key that may read and add in one pipeline gets the same response about it as a key with full access",
            operation.id
        ),
        operation.response_pointer(200),
    );
    comparing_views(
        case.point(POINT),
        operation,
        of_pipeline(operation, Writable),
        WritableOnly,
    )
}

/// An organization that does not exist is not found where the key may add, and denied everywhere else. The other
/// pipeline does not accept organizations, so that nothing is added whatever the key may do.
fn adds_there_alone(add: &Arc<Operation>) -> Case {
    let valid = || RequestTemplate::valid(add).key(WritableOnly);
    case(add)
        .needs([Need::Pipeline(Writable)])
        .rejects(Rejection::new(404, "organization_not_found"), [valid()])
        .rejects(denied().stated(), [valid().path("pipeline_id", NotOrganizations)])
        .rejects(denied(), [valid().path("pipeline_id", Binding::UnknownId)])
}

/// As a key for one pipeline does, see `auth/one-pipeline-and-a-malformed-id`.
fn learns_of_a_malformed_id(operation: &Arc<Operation>) -> Case {
    let malformed = RequestTemplate::valid(operation).path("pipeline_id", "0");
    Case::new(
        format!("auth/writable-only-and-a-malformed-id/{}", operation.id),
        format!(
            "{}: A key that may read and add in one pipeline learns that a pipeline id is malformed",
            operation.id
        ),
        operation.response_pointer(422),
    )
    .primary_quote("/components/securitySchemes/ApiKey", MALFORMED_ID)
    .point(POINT)
    .rejects(Rejection::invalid(), [malformed.key(WritableOnly)])
}

fn reads_what_it_adds(add: &Arc<Operation>) -> Case {
    Case::new(
        format!("auth/writable-only-reads-what-it-adds/{}", add.id),
        format!(
            "{}: A key that reads and adds in one pipeline adds to it, and reads the new item",
            add.id
        ),
        add.response_pointer(201),
    )
    .primary_quote("/components/securitySchemes/ApiKey", POLICIES)
    .on([add.id.as_str(), "list_items", "get_item_values", "get_item_status"])
    .needs([Need::Writes, Need::Key(WritableOnly)])
    .point(POINT)
    .sends(5)
    .adds(1)
    .writes(2)
    .check(is_added_and_read)
}

async fn is_added_and_read(probe: Probe) -> Outcome {
    let organization = probe.organization_to_add()?;
    let pipeline = probe.pipeline(Writable)?;
    let add = || {
        let call = probe.call("add_organization").path("pipeline_id", pipeline);
        call.key(WritableOnly).json(&json!({ "organization_id": organization }))
    };
    let added = add().send().await?;
    probe.expect(&added).permitted(201);
    let added = probe.ok(added)?;
    let item = &added.body["pipeline_item_id"];
    for operation in ["get_item_values", "get_item_status"] {
        let read = probe.call(operation).path("pipeline_id", pipeline);
        let seen = read.path(ITEM_ID, item).key(WritableOnly).send().await?;
        probe
            .expect(&seen)
            .permitted(200)
            .body("/pipeline_item_id", item.clone());
    }
    let list = probe.call("list_items").path("pipeline_id", pipeline);
    let list = list.query("limit", 1).key(WritableOnly).send().await?;
    probe.expect(&list).permitted(200);
    let again = add().send().await?;
    probe.expect(&again).rejected(409, "organization_already_in_pipeline");
    Ok(())
}
