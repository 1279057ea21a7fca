//! Cases about every known pipeline: an empty one, one of documents and one of another team have the same rules.
//! Part of the group `cross`.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::auth::{ITEM_ID, POLICIES, ROUNDS, views};
use engine::case::{Case, Need, RequestTemplate};
use engine::session::Probe;
use engine::session::observed::{KnownPipeline, PIPELINES, question_columns};
use engine::target::PipelineRole::{ManyItems, Other};
use engine::target::Role::{self, NoAccess, OnePipeline, ReadOnly};
use engine::verdict::{Outcome, Stop};
use platform_contract::{Contract, Operation};

/// The number of requests to each pipeline.
const IN_EACH: u64 = 8;

pub(super) fn cases(contract: &Contract) -> Vec<Case> {
    let mut cases = vec![in_any_pipeline(contract.operation("list_items"))];
    for operation in contract
        .operations()
        .iter()
        .filter(|one| one.is_read() && !one.is_search())
    {
        cases.extend([OnePipeline, NoAccess].map(|role| denied_in_any_pipeline(operation, role)));
        cases.extend([no_key_in_any_pipeline(operation), same_view_of_any_pipeline(operation)]);
    }
    for operation in ["get_item_values", "get_item_status"] {
        let operation = contract.operation(operation);
        cases.push(unknown_item_of_any_pipeline(operation));
        cases.push(item_of_any_other_pipeline(operation));
    }
    cases
}

fn in_any_pipeline(list_items: &Arc<Operation>) -> Case {
    Case::new(
        format!("cross/any-pipeline/{}", list_items.id),
        format!(
            "{}: Every pipeline has a list and rejects a malformed sort_by and an unknown column, whatever items it has",
            list_items.id
        ),
        list_items.response_pointer(400),
    )
    .and(list_items.response_pointer(200))
    .needs([Need::Pipeline(ManyItems)])
    .walks(200)
    .sends((IN_EACH + 1) * PIPELINES as u64)
    .check_with(Arc::clone(list_items), is_the_same_in_any_pipeline)
}

fn unknown_item_of_any_pipeline(operation: &Arc<Operation>) -> Case {
    Case::new(
        format!("cross/unknown-item-of-any-pipeline/{}", operation.id),
        format!(
            "{}: No pipeline finds an unknown item, whatever items it has",
            operation.id
        ),
        operation.response_pointer(404),
    )
    .on([operation.id.as_str()])
    .needs([Need::Pipeline(ManyItems)])
    .sends(PIPELINES as u64)
    .check_with(Arc::clone(operation), finds_no_unknown_item)
}

/// A check may compare pipelines of some kind only: those that have a CRM, or those of one owner.
fn item_of_any_other_pipeline(operation: &Arc<Operation>) -> Case {
    Case::new(
        format!("cross/item-of-any-other-pipeline/{}", operation.id),
        format!(
            "{}: No pipeline returns an item of another one, whichever two they are",
            operation.id
        ),
        operation.response_pointer(400),
    )
    .needs([Need::Pipeline(ManyItems)])
    .walks(200)
    .sends((PIPELINES * (PIPELINES - 1)) as u64)
    .check_with(Arc::clone(operation), rejects_items_of_others)
}

/// A check may compare pipelines of some kind only, or end early where there is nothing to show.
fn denied_in_any_pipeline(operation: &Arc<Operation>, role: Role) -> Case {
    let (rule, title, point) = match role {
        OnePipeline => (
            "key-of-one-pipeline",
            "A key for one pipeline is denied every other pipeline",
            "key-of-one-pipeline",
        ),
        _ => (
            "no-access-to-any-pipeline",
            "A key without the permission is denied every pipeline",
            "read-permission",
        ),
    };
    let own = (role == OnePipeline).then_some([Need::Named(Other), Need::Pipeline(Other)]);
    Case::new(
        format!("cross/{rule}/{}", operation.id),
        format!("{}: {title}", operation.id),
        operation.response_pointer(403),
    )
    .primary_quote("/components/securitySchemes/ApiKey", POLICIES)
    .point(point)
    .needs([Need::Key(role), Need::Pipeline(ManyItems)])
    .needs(own.into_iter().flatten())
    .walks(200)
    .sends(2 * PIPELINES as u64)
    .check_with((Arc::clone(operation), role), is_denied)
}

/// A deployment may check the key only after it has looked up the pipeline, in code that some kinds of pipelines skip.
fn no_key_in_any_pipeline(operation: &Arc<Operation>) -> Case {
    Case::new(
        format!("cross/missing-key-to-any-pipeline/{}", operation.id),
        format!("{}: No pipeline is read without a key", operation.id),
        operation.response_pointer(401),
    )
    .needs([Need::Pipeline(ManyItems)])
    .walks(200)
    .sends(PIPELINES as u64)
    .check_with(Arc::clone(operation), needs_a_key)
}

/// What is shown of one kind of pipeline may depend on the key, even if what is shown of another does not.
fn same_view_of_any_pipeline(operation: &Arc<Operation>) -> Case {
    Case::new(
        format!("cross/read-only-sees-any-pipeline/{}", operation.id),
        format!(
            "{}: A read-only key gets the same response as a key with full access, about every pipeline",
            operation.id
        ),
        operation.response_pointer(200),
    )
    .primary_quote("/components/securitySchemes/ApiKey", POLICIES)
    .point("read-only-view")
    .needs([Need::Pipeline(ManyItems), Need::Key(ReadOnly)])
    .walks(200)
    .sends((2 * 3 * ROUNDS * PIPELINES) as u64)
    .check_with(Arc::clone(operation), is_seen_by_reader)
}

async fn is_the_same_in_any_pipeline(probe: Probe, list_items: Arc<Operation>) -> Outcome {
    let unknown = format!("question.{}", probe.unknown_id());
    for pipeline_id in &probe.known().not_found {
        let page = probe
            .call(&list_items.id)
            .path("pipeline_id", pipeline_id)
            .send()
            .await?;
        probe.assert(
            page.status == 200,
            &format!("the list of pipeline {pipeline_id}, which the target names"),
            "200, as for every pipeline that exists",
            page.summary(),
            &[&page],
        );
    }
    for pipeline in &probe.known().pipelines {
        let list = || probe.call(&list_items.id).path("pipeline_id", pipeline.pipeline_id);
        let page = list().send().await?;
        probe.expect(&page).status(200);
        if page.status == 200 {
            probe.assert_whole(&list_items, &page);
        }
        let end = page.at("/total_count").as_u64().unwrap_or_default();
        for malformed in [
            list().query("sort_by", "name"),
            list().query("sort_by", "name").query("skip", end),
        ] {
            let response = malformed.send().await?;
            probe.expect(&response).rejected_as_stated(400, "invalid_sort_by");
        }
        // Which items are shown, and in which order, does not matter.
        let sorted = || list().query("sort_by", &unknown);
        let mut unknown_columns = vec![
            sorted(),
            sorted().query("skip", end),
            sorted().query("sort_order", "desc").query("limit", 1),
        ];
        let column = column_of_another(&probe, pipeline).await?;
        unknown_columns.extend(column.into_iter().flat_map(|column| {
            let sorted = || list().query("sort_by", &column);
            [sorted(), sorted().query("sort_order", "desc")]
        }));
        for call in unknown_columns {
            let response = call.send().await?;
            probe.expect(&response).rejected_as_stated(400, "unknown_sort_column");
        }
    }
    Ok(())
}

/// The column of a question that another pipeline has, and no item of this one.
async fn column_of_another(probe: &Probe, pipeline: &KnownPipeline) -> Result<Option<String>, Stop> {
    let listing = probe.listing(pipeline.pipeline_id, None, None).await?;
    // The questions of a pipeline without items are not known.
    if listing.items.is_empty() || !listing.complete {
        return Ok(None);
    }
    let own: BTreeSet<_> = listing.items.iter().flat_map(question_columns).collect();
    let others = probe.known().pipelines.iter();
    let mut columns = others.flat_map(|other| &other.question_columns);
    Ok(columns.find(|column| !own.contains(*column)).cloned())
}

/// Reads each pipeline without a key: its list, or its first item.
async fn needs_a_key(probe: Probe, operation: Arc<Operation>) -> Outcome {
    for pipeline in &probe.known().pipelines {
        let mut call = probe.call(&operation.id).path("pipeline_id", pipeline.pipeline_id);
        if operation.parameters.iter().any(|one| one.name == ITEM_ID) {
            let listing = probe.listing(pipeline.pipeline_id, None, None).await?;
            let first = listing.ids().first().copied();
            call = call.path(ITEM_ID, first.unwrap_or_else(|| probe.unknown_id()));
        }
        let response = call.literal_keys([]).send().await?;
        probe
            .expect(&response)
            .rejected_as_stated(401, "authentication_required");
    }
    Ok(())
}

/// Reads each pipeline with both keys: the beginning of its list and what follows its first item, or its last item.
async fn is_seen_by_reader(probe: Probe, operation: Arc<Operation>) -> Outcome {
    let mut is_compared = false;
    for pipeline in &probe.known().pipelines {
        let pipeline_id = pipeline.pipeline_id;
        let request = RequestTemplate::valid(&operation).path("pipeline_id", pipeline_id.to_string());
        let listing = probe.listing(pipeline_id, None, None).await?;
        let requests = match (
            operation.parameters.iter().any(|one| one.name == ITEM_ID),
            listing.ids().last(),
        ) {
            (false, _) => vec![request.clone(), request.query("skip", 1)],
            (true, Some(last)) => vec![request.path(ITEM_ID, last.to_string())],
            (true, None) => continue,
        };
        for request in requests {
            if let Some(views) = views(&probe, &operation, &request, ReadOnly).await? {
                is_compared |= probe.saw_record(&operation, &views.of_full).is_ok();
                probe.assert_same(
                    &format!("the response about pipeline {pipeline_id} to the read-only key"),
                    &views.full,
                    &views.reader,
                    &[&views.of_reader, &views.of_full],
                );
            }
        }
    }
    match is_compared {
        true => Ok(()),
        false => probe.inconclusive("a response with a record, to both keys, that stays the same meanwhile"),
    }
}

async fn finds_no_unknown_item(probe: Probe, operation: Arc<Operation>) -> Outcome {
    for pipeline in &probe.known().pipelines {
        let call = probe.call(&operation.id).path("pipeline_id", pipeline.pipeline_id);
        let call = call.path(ITEM_ID, probe.unknown_id());
        probe
            .expect(&call.send().await?)
            .rejected_as_stated(404, "item_not_found");
    }
    Ok(())
}

/// Reads each pipeline, or its first item, with a key that may read one of them at most. A sorted list may be read by
/// code of its own.
async fn is_denied(probe: Probe, (operation, role): (Arc<Operation>, Role)) -> Outcome {
    let own = match role {
        OnePipeline => Some(probe.pipeline(Other)?),
        _ => None,
    };
    let takes_order = operation.parameters.iter().any(|one| one.name == "sort_by");
    let mut denials = Vec::new();
    let mut successes = Vec::new();
    for pipeline in &probe.known().pipelines {
        let pipeline_id = pipeline.pipeline_id;
        let is_own = Some(pipeline_id) == own;
        let item = match operation.parameters.iter().any(|one| one.name == ITEM_ID) {
            true => match probe.listing(pipeline_id, None, None).await?.ids().first() {
                Some(first) => Some(*first),
                None => continue,
            },
            false => None,
        };
        let column = pipeline.question_columns.first().filter(|_| takes_order && !is_own);
        for column in [None].into_iter().chain(column.map(Some)) {
            let call = probe.call(&operation.id).path("pipeline_id", pipeline_id).key(role);
            let call = item.into_iter().fold(call, |call, item| call.path(ITEM_ID, item));
            let call = column
                .into_iter()
                .fold(call, |call, column| call.query("sort_by", column));
            let response = call.send().await?;
            if is_own {
                probe.expect(&response).status(200);
                if response.status == 200 {
                    probe.assert_whole(&operation, &response);
                }
            } else if (200..300).contains(&response.status) {
                successes.push((pipeline_id, response));
            } else {
                probe.expect(&response).rejected(403, "authorization_denied");
                denials.push(response);
            }
        }
    }
    // What a key may do is decided, but the target says what this one may read, and the source states the status of a
    // caller who is denied.
    let is_stated = denials.iter().any(|denial| denial.status == 403);
    for (pipeline_id, success) in &successes {
        probe.assert_as(
            is_stated.then(BTreeSet::new),
            false,
            &format!("the response about pipeline {pipeline_id} to a key that may not read it"),
            "403, as for every other pipeline",
            success.summary(),
            &denials.iter().take(1).chain([success]).collect::<Vec<_>>(),
        );
    }
    match denials.is_empty() && successes.is_empty() {
        true => probe.inconclusive("another pipeline with items"),
        false => Ok(()),
    }
}

async fn rejects_items_of_others(probe: Probe, operation: Arc<Operation>) -> Outcome {
    let mut listings = Vec::new();
    for pipeline in &probe.known().pipelines {
        listings.push((
            pipeline.pipeline_id,
            probe.listing(pipeline.pipeline_id, None, None).await?,
        ));
    }
    let mut is_asked = false;
    for (own, of_own) in &listings {
        for (other, of_other) in listings.iter().filter(|(other, _)| other != own) {
            let ids: BTreeSet<_> = of_other.ids().into_iter().collect();
            let foreign = of_own.ids().into_iter().find(|id| !ids.contains(id));
            let Some(foreign) = foreign.filter(|_| of_other.complete) else {
                continue;
            };
            let call = probe.call(&operation.id).path("pipeline_id", other);
            let response = call.path(ITEM_ID, foreign).send().await?;
            probe.expect(&response).rejected_as_stated(400, "item_not_in_pipeline");
            is_asked = true;
        }
    }
    match is_asked {
        true => Ok(()),
        false => probe.inconclusive("an item of one pipeline and another pipeline, both short enough to read in full"),
    }
}
