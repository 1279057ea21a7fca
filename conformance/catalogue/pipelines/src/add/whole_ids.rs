//! Cases about ids that a deployment may cut, to 32 bits or from a number with a fraction to an integer, and about
//! bodies in which it may find an id anyway.

use std::collections::BTreeSet;

use super::add;
use engine::case::{Binding, Case, Need, RequestTemplate};
use engine::session::Probe;
use engine::target::PipelineRole::Writable;
use engine::transport::request::Body;
use engine::verdict::Outcome;
use platform_contract::Contract;

/// Bodies that are not an object with an integer as `organization_id`. Most have the id of an organization in them.
const OTHER_BODIES: [fn(u64) -> String; 10] = [
    |_| "{}".to_owned(),
    |_| "{\"organization_id\": null}".to_owned(),
    |id| format!("{{\"organization\": {id}}}"),
    |id| format!("{{\"organization_id\": {id}.5}}"),
    |id| format!("{{\"organization_id\": \"{id}abc\"}}"),
    |id| format!("{{\"organization_id\": [{id}]}}"),
    |id| format!("{{\"organization_id\": {{\"id\": {id}}}}}"),
    |id| id.to_string(),
    |id| format!("[{id}]"),
    |id| format!("[{{\"organization_id\": {id}}}]"),
];

pub(super) fn cases(contract: &Contract) -> Vec<Case> {
    let add = contract.operation("add_organization");
    let id = format!(
        "{}/requestBody/content/application~1json/schema/properties/organization_id",
        add.pointer
    );
    let case = |id: &str, title: &str, pointer: &str| {
        let case = Case::new(format!("add/{id}"), title, pointer);
        case.on([add.id.as_str()]).needs([Need::Writes])
    };
    let organization = RequestTemplate::valid(add).organization(Binding::Organization.beyond_32_bits());
    let pipeline = Binding::from(Writable).beyond_32_bits();
    let pipeline = RequestTemplate::valid(add).path("pipeline_id", pipeline);
    vec![
        case(
            "organization-id-is-whole",
            "An id that shares only its lower 32 bits with an organization's id returns 404",
            &add.response_pointer(404),
        )
        .and(format!("{id}/maximum"))
        .needs(organization.needs())
        .point("add-unknown-organization")
        .writes(1)
        .sends(1)
        .check_with(organization, is_another_organization)
        .leaves_unchanged(Writable),
        case(
            "pipeline-id-is-whole",
            "An id that shares only its lower 32 bits with a pipeline's id returns 404",
            &add.response_pointer(404),
        )
        .and("/components/schemas/PipelineId/maximum")
        .needs(pipeline.needs())
        .point("add-existing")
        .walks(200)
        .writes(3)
        .check_with(pipeline, is_another_pipeline)
        .leaves_unchanged(Writable),
        case(
            "not-an-integer-adds-nothing",
            "A body without an integer as organization_id adds nothing, even if it holds an id that could be added",
            &format!("{id}/type"),
        )
        .and(add.response_pointer(422))
        .point("add-body-malformed")
        .adds(1)
        .writes(OTHER_BODIES.len() as u64)
        .check(not_an_integer_adds_nothing),
    ]
}

/// Asks to add an organization that does not exist.
async fn is_another_organization(probe: Probe, request: RequestTemplate) -> Outcome {
    let response = request.call(&probe).await?.send().await?;
    probe.expect(&response).rejected(404, "organization_not_found");
    // Whatever the id is to a deployment, it is not the one with the same lower bits.
    let other = probe.organization()?;
    let is_other = response.status < 300 && response.body["organization_id"] == other;
    probe.assert_as(
        Some(BTreeSet::new()),
        !is_other,
        "the organization that was added",
        "the one that the body names, or none",
        other,
        &[&response],
    );
    Ok(())
}

/// Asks to add an organization that the writable pipeline has to a pipeline that does not exist, so that nothing is
/// added to either. Each condition has its own status.
async fn is_another_pipeline(probe: Probe, request: RequestTemplate) -> Outcome {
    let there = probe.listing(probe.pipeline(Writable)?, None, None).await?;
    let mut members = there.items.iter().filter_map(|item| item["organization_id"].as_i64());
    let Some(member) = members.next() else {
        return probe.inconclusive("an organization in the writable pipeline");
    };
    let request = request.organization(member);
    let existing = request
        .clone()
        .path("pipeline_id", Writable)
        .call(&probe)
        .await?
        .send()
        .await?;
    let unknown = request
        .clone()
        .path("pipeline_id", Binding::UnknownId)
        .call(&probe)
        .await?
        .send()
        .await?;
    if existing.status < 400 || existing.status == unknown.status {
        return probe
            .inconclusive("different statuses for an organization that already exists and for an unknown pipeline");
    }
    let response = request.call(&probe).await?.send().await?;
    probe.expect(&response).rejected(404, "pipeline_not_found");
    probe.assert_as(
        Some(BTreeSet::new()),
        response.status >= 400 && response.status != existing.status,
        "the response to a pipeline that does not exist",
        unknown.status,
        response.summary(),
        &[&response, &existing],
    );
    Ok(())
}

async fn not_an_integer_adds_nothing(probe: Probe) -> Outcome {
    let organization = probe.organization_to_add()?;
    let before = probe.count_items(Writable).await?;
    let mut responses = Vec::new();
    for body in OTHER_BODIES {
        let call = add(&probe)?.header("Content-Type", "application/json");
        let response = call.body(Body::Text(body(organization))).send().await?;
        // Which error it is may be decided, but the body is an object with the id, and ids are integers.
        probe.assert_as(
            Some(BTreeSet::new()),
            response.status >= 300,
            "the response to a body without an integer as organization_id",
            "an error",
            response.summary(),
            &[&response],
        );
        responses.push(response);
    }
    let after = probe.assert_items_added(Writable, &before, 0, responses.first());
    after.await
}
