//! A valid request to each operation, for the cases that hold for all of them.

use engine::case::Need;
use engine::session::{Call, Probe};
use engine::target::PipelineRole;
use engine::verdict::Stop;
use platform_contract::Operation;

/// What is searched for when any text will do.
const ANY_TEXT: &str = "sensors that watch over the temperature of fresh food";

/// A request that the operation has nothing to object to, except for one: the body of an addition names no
/// organization, so that nothing is ever added by a case that is about something else. It goes to the pipeline
/// that may be added to.
///
/// # Errors
/// Skips the case when the deployment has no record or pipeline to ask for.
pub(crate) async fn call(probe: &Probe, operation: &Operation) -> Result<Call, Stop> {
    let mut call = probe.call(&operation.id);
    for parameter in &operation.parameters {
        call = match (parameter.location.as_str(), parameter.name.as_str()) {
            ("path", "organization_id") => call.path("organization_id", probe.organization()?),
            ("path", "product_id") => call.path("product_id", probe.product()?),
            ("path", "pipeline_id") => {
                call.path("pipeline_id", probe.pipeline(pipeline_for(operation))?)
            }
            ("path", "pipeline_item_id") => call.path("pipeline_item_id", first_item(probe).await?),
            ("query", name) if parameter.required => call.query(name, ANY_TEXT),
            _ => call,
        };
    }
    if operation.is_read() {
        return Ok(call);
    }
    Ok(call.json(&serde_json::json!({})))
}

/// The pipeline that a request to the operation is about: what does not only read goes to no pipeline but the
/// one that the target names for it.
pub(crate) fn pipeline_for(operation: &Operation) -> PipelineRole {
    match operation.is_read() {
        true => PipelineRole::ManyItems,
        false => PipelineRole::Writable,
    }
}

/// The records and pipelines that a valid request to the operation names.
pub(crate) fn records(operation: &'static Operation) -> impl Iterator<Item = Need> {
    let parameters = operation.parameters.iter();
    parameters.filter_map(|parameter| match parameter.name.as_str() {
        "organization_id" => Some(Need::Organization),
        "product_id" => Some(Need::Product),
        "pipeline_id" => Some(Need::Pipeline(PipelineRole::ManyItems)),
        _ => None,
    })
}

/// The leave that a case needs to send requests to the operation, if it needs any.
pub(crate) fn leave(operation: &'static Operation) -> Option<Need> {
    (!operation.is_read()).then_some(Need::Method(&operation.method))
}

/// The id of an item of the pipeline with many.
pub(crate) async fn first_item(probe: &Probe) -> Result<i64, Stop> {
    let listing = probe
        .listing(probe.pipeline(PipelineRole::ManyItems)?, None, None)
        .await?;
    let first = listing.ids().first().copied();
    first.ok_or_else(|| Stop::Skipped("the pipeline with many items has none".to_owned()))
}
