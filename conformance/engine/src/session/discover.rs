//! Discovers what a target does not name: pipelines of every role, organizations and products.
//!
//! The API lists no pipelines, so the first ids are tried. Only reads are sent. The writable pipeline is never
//! discovered: a pipeline that may be changed must be named.

use std::collections::BTreeSet;

use futures::future::join_all;
use serde_json::Value;

use crate::session::collection::Collection;
use crate::session::observed::{ANYTHING, Known, KnownPipeline, PIPELINES, items, question_columns};
use crate::session::texts::{texts, widened};
use crate::session::{Call, Probe};
use crate::target::{PipelineRole, SomePipelines, Target};
use crate::transport::departure::ITEM_ID;
use crate::transport::response::HttpResponse;
use crate::verdict::Stop;

/// The pipeline ids that are tried.
const TRIED: std::ops::RangeInclusive<u64> = 1..=20;
/// The limit on items of a pipeline that the cases walk through.
const WALKED: u64 = 20_000;
/// Ids that no record is likely to have, and that fit 32 bits: without a sign, and with one.
const SMALLER_UNKNOWN_IDS: [i64; 2] = [u32::MAX as i64 / 9 * 8, i32::MAX as i64 / 9 * 8];
/// An id that is not one.
const NOT_A_NUMBER: &str = "not-a-number";
/// The greatest pages that are tried on searches that reject a longer one.
const SHORTER: [i64; 3] = [50, 20, 10];
/// How far search results are read, by the contract's bound on `skip` and `limit`.
const REACH: usize = 1000;
/// As many organizations as all cases together add, and a few more.
const ENOUGH: usize = 60;
/// The searches that find any organizations and products, each with the member that holds an id.
const ORGANIZATIONS: (&str, &str) = ("search_organizations_by_description", "organization_id");
const PRODUCTS: (&str, &str) = ("search_products_by_description", "product_id");
/// The limit on the searches for organizations around those that are found.
const SEARCHED_AROUND: usize = 12;
/// Explores a deployment.
///
/// # Errors
/// When it is not reached. A deployment that responds at all is for the cases to judge.
pub(crate) async fn discover(probe: &Probe, target: &Target) -> Result<Known, Stop> {
    let mut known = Known {
        roles: target.pipelines.clone(),
        some_pipelines: target.some_pipelines().clone(),
        ..Known::default()
    };
    let writable = target.pipelines.get(&PipelineRole::Writable);
    let ids: BTreeSet<u64> = TRIED.chain(named(target)).collect();
    // Pipelines that do not respond are not used, as long as one does.
    let mut unanswered = None;
    for pipeline in join_all(ids.into_iter().map(|id| look_at(probe, id))).await {
        let pipeline = or_note(pipeline, &mut unanswered)?;
        known.pipelines.extend(pipeline.flatten());
    }
    let there: BTreeSet<_> = known.pipelines.iter().map(|pipeline| pipeline.pipeline_id).collect();
    let named: BTreeSet<_> = named(target).collect();
    known.not_found = named.difference(&there).copied().collect();
    let others = target.pipelines_to_add().iter().copied();
    known.pipelines_to_add = others.filter(|id| there.contains(id)).collect();
    keep_some(&mut known.pipelines, target);
    let totals = known.pipelines.iter();
    known.totals = totals
        .map(|pipeline| (Collection::Items(pipeline.pipeline_id), pipeline.total_count))
        .collect();
    let page = probe.contract().operation("list_items").parameter("limit");
    assign(&mut known, page.number("default").unsigned_abs());
    let organizations = or_note(found(probe, ORGANIZATIONS).await, &mut unanswered)?;
    let products = or_note(found(probe, PRODUCTS).await, &mut unanswered)?;
    known.unknown_id = or_note(unknown_id(probe).await, &mut unanswered)?.flatten();
    let is_found = organizations.is_some() || products.is_some();
    let organizations = organizations
        .unwrap_or_default()
        .noted(&mut known, Collection::Organizations);
    known.products = products.unwrap_or_default().noted(&mut known, Collection::Products).ids;
    known.organizations.clone_from(&organizations.ids);
    known.texts = or_note(texts(probe, &known).await, &mut unanswered)?.unwrap_or_default();
    if let Some(stop) = unanswered
        && known.pipelines.is_empty()
        && !is_found
    {
        return Err(stop);
    }
    if let Some(writable) = writable {
        let mut found = organizations.ids.clone();
        if probe.shared.finds_to_add && target.organizations_to_add.is_empty() {
            found.extend(found_behind(probe, &organizations).await?);
            find_around(probe, &mut found).await;
        }
        match to_add(probe, target, *writable, &found).await {
            Ok(organizations) => known.to_add = organizations,
            // Only the cases that add need it.
            Err(Stop::Errored(reason) | Stop::Skipped(reason)) => known.not_writable = Some(reason),
            Err(stop) => return Err(stop),
        }
    }
    Ok(known)
}

/// Returns a result, or `None` with a note of the first reason for a missing response.
fn or_note<T>(result: Result<T, Stop>, unanswered: &mut Option<Stop>) -> Result<Option<T>, Stop> {
    match result {
        Ok(result) => Ok(Some(result)),
        Err(stop @ Stop::Errored(_)) => {
            unanswered.get_or_insert(stop);
            Ok(None)
        }
        Err(stop) => Err(stop),
    }
}

async fn look_at(probe: &Probe, pipeline_id: u64) -> Result<Option<KnownPipeline>, Stop> {
    let page = probe
        .call("list_items")
        .path("pipeline_id", pipeline_id)
        .query("limit", 1)
        .send()
        .await?;
    if page.status != 200 {
        return Ok(None);
    }
    let first = items(&page).first().unwrap_or(&Value::Null);
    Ok(Some(KnownPipeline {
        pipeline_id,
        total_count: page.at("/total_count").as_u64().unwrap_or(0),
        first_item: first[ITEM_ID].as_u64(),
        // It is shown; cases never expect a value that contains a secret.
        entity_type: first["entity_type"].as_str().map(|kind| probe.redact_said(kind)),
        question_columns: question_columns(first),
    }))
}

/// A smaller id of no record, if the deployment rejects the one of the contract without looking it up. How great an id
/// may be was decided, and that an unknown record is not found is stated.
async fn unknown_id(probe: &Probe) -> Result<Option<i64>, Stop> {
    let list = async |id: &str| probe.call("list_items").path("pipeline_id", id).send().await;
    // It may be answered like an id that is not a number, which some deployments do not find either.
    let malformed = list(NOT_A_NUMBER).await?;
    let is_rejected = |page: &HttpResponse, id: &str| match page.status {
        404 => malformed.status == 404 && page.text.replace(id, NOT_A_NUMBER) == malformed.text,
        status => (400..500).contains(&status),
    };
    let greatest = probe.contract().unknown_id().to_string();
    if is_rejected(&list(&greatest).await?, &greatest) {
        for id in SMALLER_UNKNOWN_IDS {
            let text = id.to_string();
            if !is_rejected(&list(&text).await?, &text) {
                return Ok(Some(id));
            }
        }
    }
    Ok(None)
}

/// The pipelines that a target names.
fn named(target: &Target) -> impl Iterator<Item = u64> + '_ {
    let with_role = target.pipelines.values();
    let SomePipelines { reads, adds } = target.some_pipelines();
    let others = target.more_pipelines.iter().chain(target.pipelines_to_add());
    with_role.chain(others).chain(reads).chain(adds).copied()
}

/// Keeps as many pipelines as the cases can check: those that the target names, then one of each sort, and then the
/// first of the others.
fn keep_some(pipelines: &mut Vec<KnownPipeline>, target: &Target) {
    let is_named = |pipeline: &KnownPipeline| named(target).any(|id| id == pipeline.pipeline_id);
    pipelines.sort_by_key(|pipeline| (!is_named(pipeline), pipeline.pipeline_id));
    let mut sorts = BTreeSet::new();
    let is_another = |pipeline: &KnownPipeline| {
        let sort = (pipeline.entity_type.clone(), pipeline.question_columns.is_empty());
        sorts.insert(sort) || is_named(pipeline)
    };
    let (mut kept, others): (Vec<_>, Vec<_>) = pipelines.drain(..).partition(is_another);
    kept.extend(others);
    kept.truncate(PIPELINES);
    kept.sort_by_key(|pipeline| pipeline.pipeline_id);
    *pipelines = kept;
}

/// Gives a pipeline to each role that has none. The one with many items has more than a page holds, if one has.
fn assign(known: &mut Known, page: u64) {
    let of_organizations = |pipeline: &&KnownPipeline| pipeline.entity_type.as_deref() == Some("organization");
    let walked = |pipeline: &&KnownPipeline| (1..=WALKED).contains(&pipeline.total_count);
    // What cases compare with the source of their data does not grow by their own additions.
    let writable = known.roles.get(&PipelineRole::Writable).copied();
    let pipelines = known.pipelines.iter();
    let pipelines = pipelines.filter(|pipeline| Some(pipeline.pipeline_id) != writable);
    // A key may be allowed the other pipeline alone, so the two are never one.
    let named_other = known.roles.get(&PipelineRole::Other).copied();
    let grows = |pipeline: &KnownPipeline| known.pipelines_to_add.contains(&pipeline.pipeline_id);
    let largest = pipelines
        .clone()
        .filter(walked)
        .filter(|pipeline| Some(pipeline.pipeline_id) != named_other)
        .filter(|pipeline| of_organizations(pipeline) || pipeline.total_count > page)
        .max_by_key(|pipeline| {
            let is_longer = pipeline.total_count > page;
            (
                is_longer,
                of_organizations(pipeline),
                !grows(pipeline),
                pipeline.total_count,
            )
        });
    let many = known
        .roles
        .get(&PipelineRole::ManyItems)
        .copied()
        .or(largest.map(|pipeline| pipeline.pipeline_id));
    let other = pipelines
        .clone()
        .find(|pipeline| Some(pipeline.pipeline_id) != many && walked(pipeline));
    let without = pipelines
        .clone()
        .find(|pipeline| pipeline.entity_type.is_some() && !of_organizations(pipeline));
    let found = [
        (PipelineRole::ManyItems, many),
        (PipelineRole::Other, other.map(|pipeline| pipeline.pipeline_id)),
        (
            PipelineRole::NotOrganizations,
            without.map(|pipeline| pipeline.pipeline_id),
        ),
    ];
    for (role, pipeline) in found {
        if let Some(pipeline) = pipeline {
            known.roles.entry(role).or_insert(pipeline);
        }
    }
}

/// What a search for any records finds.
#[derive(Default)]
struct Found {
    text: String,
    total: Option<u64>,
    /// The ids on the first page.
    ids: Vec<u64>,
}

impl Found {
    /// Notes the text and the number of records.
    fn noted(self, known: &mut Known, collection: Collection) -> Self {
        let (search, _) = match collection {
            Collection::Products => PRODUCTS,
            _ => ORGANIZATIONS,
        };
        known.wide_texts.insert(search.to_owned(), self.text.clone());
        known.totals.extend(self.total.map(|total| (collection, total)));
        self
    }
}

/// Searches for any records.
async fn found(probe: &Probe, (operation, id): (&str, &str)) -> Result<Found, Stop> {
    let limit = probe
        .contract()
        .operation(operation)
        .parameter("limit")
        .number("maximum");
    let call = || probe.call(operation).query("description", ANYTHING);
    let mut page = call().query("limit", limit).send().await?;
    // A deployment may return fewer at once than the contract says.
    if page.status != 200 {
        let is_rejected = (400..500).contains(&page.status);
        page = call().send().await?;
        if is_rejected && page.status == 200 {
            find_longest_page(probe, call).await?;
        }
    }
    if let Some(forms) = probe.shared.search_forms.as_ref().filter(|_| page.status == 200) {
        // With a length, a deployment that counts pages is asked for the first one.
        let first = call().query("skip", 0).query("limit", limit);
        let status = first.send().await?.status;
        if [400, 422].contains(&status) {
            forms.set_rejects_skip();
        }
    }
    let (text, page) = widened(probe, operation, ANYTHING, page).await?;
    let results = page.at("/results").as_array().into_iter().flatten();
    Ok(Found {
        text,
        total: page.at("/total_count").as_u64(),
        ids: results.filter_map(|result| result[id].as_u64()).collect(),
    })
}

/// Finds out how long a page of a search may be, and makes the run ask for no longer one from then on, at the level
/// `stated`.
async fn find_longest_page(probe: &Probe, search: impl Fn() -> Call) -> Result<(), Stop> {
    let Some(forms) = &probe.shared.search_forms else {
        return Ok(());
    };
    for limit in SHORTER {
        if search().query("limit", limit).send().await?.status == 200 {
            forms.set_most(Some(limit));
            return Ok(());
        }
    }
    forms.set_most(None);
    Ok(())
}

/// The ids of the organizations that the same search finds after the first page, as far as a search reaches.
async fn found_behind(probe: &Probe, Found { text, total, ids }: &Found) -> Result<Vec<u64>, Stop> {
    let (operation, id) = ORGANIZATIONS;
    let first = ids.len();
    let total = usize::try_from(total.unwrap_or(0)).unwrap_or(usize::MAX);
    let pages = (1..REACH.checked_div(first).unwrap_or(0)).map(|page| page * first);
    let pages = pages.take_while(|skip| *skip < total).map(|skip| {
        let call = probe.call(operation).query("description", text);
        call.query("limit", first).query("skip", skip).send()
    });
    let mut ids = Vec::new();
    for page in join_all(pages).await {
        // Organizations that cannot be found are not added.
        let Ok(page) = page else { continue };
        let results = page.at("/results").as_array().into_iter().flatten();
        ids.extend(results.filter_map(|result| result[id].as_u64()));
    }
    Ok(ids)
}

/// Searches for organizations similar to those found so far, if there are too few of them: some deployments show only
/// one short page of a search.
async fn find_around(probe: &Probe, found: &mut Vec<u64>) {
    let mut seen: BTreeSet<_> = found.iter().copied().collect();
    let mut searched = BTreeSet::new();
    while seen.len() < ENOUGH && searched.len() < SEARCHED_AROUND {
        // The neighbours of the last one are the least likely to be known.
        let Some(id) = found.iter().rev().copied().find(|id| !searched.contains(id)) else {
            return;
        };
        searched.insert(id);
        let call = probe
            .call("search_organizations_by_organization")
            .path("organization_id", id);
        // One search that gets no response does not end the others.
        let Ok(page) = call.send().await else { continue };
        let results = page.at("/results").as_array().into_iter().flatten();
        let ids = results.filter_map(|result| result["organization_id"].as_u64());
        found.extend(ids.filter(|id| seen.insert(*id)));
    }
}

/// Puts the greatest id first and the least one second: bounds are most often wrong at their ends.
fn edges_first(ids: &mut Vec<u64>) {
    let mut seen = BTreeSet::new();
    ids.retain(|id| seen.insert(*id));
    let (Some(least), Some(greatest)) = (seen.first().copied(), seen.last().copied()) else {
        return;
    };
    ids.sort_by_key(|id| (*id != greatest, *id != least));
}

/// The organizations that may be added: the named ones, or else the found ones, without those already in the pipeline.
/// None may be added to a pipeline whose items are of other kinds.
async fn to_add(probe: &Probe, target: &Target, writable: u64, found: &[u64]) -> Result<Vec<u64>, Stop> {
    let listing = match probe.listing(writable, None, None).await {
        Ok(listing) => listing,
        Err(Stop::Errored(reason)) => return Err(Stop::Errored(format!("it could not be listed: {reason}"))),
        // A pipeline that cannot be listed is for the cases to judge.
        Err(_) => return Ok(Vec::new()),
    };
    let there: BTreeSet<_> = listing
        .items
        .iter()
        .filter_map(|item| item["organization_id"].as_u64())
        .collect();
    let mut kinds = listing.items.iter().filter_map(|item| item["entity_type"].as_str());
    if !listing.items.is_empty() && !kinds.any(|kind| kind == "organization") {
        let kind = listing.items[0]["entity_type"].as_str().unwrap_or("unknown");
        return Err(Stop::Skipped(format!(
            "none of the items of pipeline {writable} is an organization, but a {}: name another as writable under \
             [pipelines]",
            probe.redact_said(kind)
        )));
    }
    let named = &target.organizations_to_add;
    let candidates = if named.is_empty() { found } else { named };
    let mut to_add: Vec<_> = candidates.iter().copied().filter(|id| !there.contains(id)).collect();
    if named.is_empty() {
        edges_first(&mut to_add);
    }
    // They are taken from the end.
    to_add.reverse();
    Ok(to_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pipeline(pipeline_id: u64, entity_type: &str, total_count: u64) -> KnownPipeline {
        KnownPipeline {
            pipeline_id,
            total_count,
            first_item: None,
            entity_type: Some(entity_type.to_owned()),
            question_columns: Vec::new(),
        }
    }

    /// Returns the pipeline with many items and the other one.
    fn assigned(named: impl IntoIterator<Item = (PipelineRole, u64)>, added_to: Vec<u64>) -> [Option<u64>; 2] {
        let mut known = Known {
            pipelines: vec![
                pipeline(1, "document", 1640),
                pipeline(2, "organization", 140),
                pipeline(5, "organization", 62),
                pipeline(8, "organization", 12),
            ],
            roles: named.into_iter().collect(),
            pipelines_to_add: added_to,
            ..Known::default()
        };
        assign(&mut known, 100);
        [PipelineRole::ManyItems, PipelineRole::Other].map(|role| known.roles.get(&role).copied())
    }

    #[test]
    fn largest_organization_pipeline_has_the_many_items() {
        assert_eq!(assigned([], Vec::new()), [Some(2), Some(1)]);
    }

    #[test]
    fn pipeline_named_other_is_not_the_one_with_many_items() {
        let other = [(PipelineRole::Other, 2)];
        assert_eq!(assigned(other, Vec::new()), [Some(1), Some(2)]);
    }

    #[test]
    fn pipeline_with_many_items_may_be_of_another_kind() {
        let longest = [(PipelineRole::Other, 1)];
        assert_eq!(assigned(longest, Vec::new()), [Some(2), Some(1)]);
        assert_eq!(assigned(longest, vec![2]), [Some(2), Some(1)]);
    }

    #[test]
    fn first_and_last_organizations_are_added_first() {
        let mut ids = vec![17, 4, 99, 4, 23];
        edges_first(&mut ids);
        assert_eq!(ids, [99, 4, 17, 23]);
    }
}
