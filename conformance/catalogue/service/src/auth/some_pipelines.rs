//! Cases about a key that reads some pipelines, which the target names, and is denied all others.

use std::sync::Arc;

use super::{ITEM_ID, POLICIES, views};
use engine::case::{Case, Need, RequestTemplate};
use engine::session::Probe;
use engine::session::observed::{KnownPipeline, PIPELINES};
use engine::target::Role::SomePipelines;
use engine::verdict::{Outcome, Stop};
use platform_contract::{Contract, Operation};

/// The point that governs the decisions about such a key.
const POINT: &str = "key-of-one-pipeline";
/// The number of requests to a pipeline: one, one in another order, and one for a later page.
const REQUESTS: usize = 3;

pub(super) fn cases(contract: &Contract) -> Vec<Case> {
    let operations = contract.operations().iter();
    let of_items = operations.filter(|one| one.is_read() && !one.is_search());
    of_items
        .flat_map(|operation| [reads_those_alone(operation), sees_the_same(operation)])
        .collect()
}

fn reads_those_alone(operation: &Arc<Operation>) -> Case {
    Case::new(
        format!("auth/some-pipelines/{}", operation.id),
        format!(
            "{}: A key for some pipelines reads each of them, and is denied all others",
            operation.id
        ),
        operation.response_pointer(403),
    )
    .primary_quote("/components/securitySchemes/ApiKey", POLICIES)
    .point(POINT)
    .needs([Need::Key(SomePipelines)])
    .sends((REQUESTS * (PIPELINES + 1)) as u64)
    .check_with(Arc::clone(operation), are_those_alone)
}

async fn are_those_alone(probe: Probe, operation: Arc<Operation>) -> Outcome {
    let (own, others) = parted(&probe, &operation);
    let (Some(first), false) = (own.first(), others.is_empty()) else {
        return probe.inconclusive("a pipeline that the key reads, and one that it does not");
    };
    let send = async |request: RequestTemplate| request.key(SomePipelines).call(&probe).await?.send().await;
    probe.expect(&send(of(&operation, first)).await?).permitted(200);
    for pipeline in others {
        for request in requests(&operation, pipeline) {
            let response = send(request).await?;
            probe.expect(&response).rejected_as_stated(403, "authorization_denied");
        }
    }
    // A deployment may remember what it decided for another pipeline.
    let mut seen = None;
    for pipeline in own {
        for request in requests(&operation, pipeline) {
            let response = send(request).await?;
            probe.expect(&response).permitted(200);
            seen = seen.or_else(|| probe.saw_record(&operation, &response).ok());
        }
    }
    seen.ok_or_else(|| Stop::not_seen("a page with a record"))
}

fn sees_the_same(operation: &Arc<Operation>) -> Case {
    Case::new(
        format!("auth/some-pipelines-sees-the-same/{}", operation.id),
        format!(
            "{}: A key for some pipelines gets the same response about each as a key with full access",
            operation.id
        ),
        operation.response_pointer(200),
    )
    .primary_quote("/components/securitySchemes/ApiKey", POLICIES)
    .point(POINT)
    .needs([Need::Key(SomePipelines)])
    .sends((3 * super::ROUNDS * PIPELINES) as u64)
    .check_with(Arc::clone(operation), are_the_same)
}

async fn are_the_same(probe: Probe, operation: Arc<Operation>) -> Outcome {
    let (own, _) = parted(&probe, &operation);
    let mut compared = None;
    for pipeline in own {
        if let Some(views) = views(&probe, &operation, &of(&operation, pipeline), SomePipelines).await? {
            compared = compared.or_else(|| probe.saw_record(&operation, &views.of_full).ok());
            let what = format!("the response to the key `{}`", SomePipelines.as_str());
            let evidence = [&views.of_reader, &views.of_full];
            probe.assert_same(&what, &views.full, &views.reader, &evidence);
        }
    }
    compared.ok_or_else(|| Stop::not_seen("a response with a record to both keys that stays the same meanwhile"))
}

/// The known pipelines that the key reads, and the others; only those with an item, if the operation is about one.
fn parted<'a>(probe: &'a Probe, operation: &Operation) -> (Vec<&'a KnownPipeline>, Vec<&'a KnownPipeline>) {
    let known = probe.known();
    let is_asked_for = |pipeline: &&KnownPipeline| !is_about_an_item(operation) || pipeline.first_item.is_some();
    let is_own = |pipeline: &&KnownPipeline| known.some_pipelines.reads.contains(&pipeline.pipeline_id);
    known.pipelines.iter().filter(is_asked_for).partition(is_own)
}

fn is_about_an_item(operation: &Operation) -> bool {
    operation.parameters.iter().any(|one| one.name == ITEM_ID)
}

/// The request for a pipeline, or for its first item.
fn of(operation: &Operation, pipeline: &KnownPipeline) -> RequestTemplate {
    let request = RequestTemplate::valid(operation).path("pipeline_id", pipeline.pipeline_id.to_string());
    match pipeline.first_item.filter(|_| is_about_an_item(operation)) {
        Some(item) => request.path(ITEM_ID, item.to_string()),
        None => request,
    }
}

/// This request, and for a list also another order and a later page: permission may be checked for some of them only.
fn requests(operation: &Operation, pipeline: &KnownPipeline) -> Vec<RequestTemplate> {
    let valid = of(operation, pipeline);
    if is_about_an_item(operation) {
        return vec![valid];
    }
    let column = pipeline.question_columns.first();
    let sorted = column.map(|column| valid.clone().query("sort_by", column).query("sort_order", "desc"));
    let later = valid.clone().query("skip", 1).query("limit", 1);
    [valid, later].into_iter().chain(sorted).collect()
}
