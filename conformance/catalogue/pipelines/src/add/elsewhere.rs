//! Additions to other pipelines than the writable one, where the target allows them: to pipelines with and without CRM
//! sync, to empty ones, and to those of other kinds, which reject them.

use std::collections::BTreeSet;
use std::iter;
use std::time::Duration;

use serde_json::{Value, json};

use super::others::assert_providers;
use super::ready::{BETWEEN_LATER_LOOKS, BETWEEN_LOOKS, Item};
use super::synced::{Syncs, has_begun, is_under_way};
use super::{assert_is_of, assert_own_id};
use crate::entry::assert_entries;
use crate::item::assert_conjunction;
use crate::sample::pending;
use crate::sync::{LAST_SYNC, assert_iso_8601};
use engine::case::{Case, Need};
use engine::rules::entry::COLUMN_VALUE;
use engine::session::observed::{KnownPipeline, item_id, items};
use engine::session::{Call, Probe};
use engine::target::MOST_PIPELINES_TO_ADD;
use engine::target::PipelineRole::{ManyItems, Writable};
use engine::target::Role;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// The limit on pipelines that are added to.
const MOST: u64 = MOST_PIPELINES_TO_ADD as u64;
/// The limit on reads of each new item until its values are synced.
const LOOKS: u64 = CLOSE_LOOKS + LATER_LOOKS as u64;
/// The number of looks that come close together: a status that goes back may stay so for a moment only.
const CLOSE_LOOKS: u64 = 20;
/// The number of the looks after them.
const LATER_LOOKS: u32 = 8;

/// Keys that add to some pipelines only, each with the case about it and its point.
const KEYS_FOR_SOME: [(&str, &str, &str, Role); 3] = [
    (
        "other-pipelines-of-a-key-for-one",
        "A key that may add to one pipeline is denied all others",
        "key-that-may-only-add",
        Role::CreateOnly,
    ),
    (
        "other-pipelines-of-a-key-that-reads-one",
        "A key that may read and add in one pipeline is denied all others",
        "key-that-reads-and-adds",
        Role::WritableOnly,
    ),
    (
        "other-pipelines-of-a-key-for-some",
        "A key that may add to some pipelines adds to each of them, and is denied all others",
        "key-of-one-pipeline",
        Role::SomePipelines,
    ),
];

pub(super) fn cases(contract: &Contract) -> Vec<Case> {
    let add = contract.operation("add_organization");
    let case = |id: &str, title: &str, pointer: &str| {
        Case::new(format!("add/{id}"), title, pointer)
            .on([add.id.as_str(), "list_items"])
            .needs([Need::Writes, Need::OtherPipelines])
    };
    let of_keys = KEYS_FOR_SOME.map(|(id, title, point, role)| {
        case(id, title, &add.response_pointer(403))
            .primary_quote(
                "/components/securitySchemes/ApiKey",
                "What a key may do is decided by its policies over (action, resource, pipeline).",
            )
            .point(point)
            .needs([Need::Key(role)])
            // The writable pipeline and the others, for an unknown organization and for one that could be added.
            .writes(2 + 2 * MOST)
            .check(move |probe| reject_key_for_some(probe, role))
    });
    // An empty pipeline is empty until something is added to it: first what must be rejected.
    let rejected = vec![
        case(
            "other-kinds-take-nothing",
            "No pipeline of persons or documents takes an organization",
            &add.response_pointer(400),
        )
        .point("add-to-another-kind")
        .writes(MOST)
        .check(reject_it),
        case(
            "other-pipelines-take-nothing-unknown",
            "No pipeline takes an organization that does not exist",
            &add.response_pointer(404),
        )
        .point("add-unknown-organization")
        .writes(MOST)
        .check(reject_unknown),
        case(
            "other-pipelines-need-the-permission",
            "No pipeline takes an organization from a key that only reads",
            &add.response_pointer(403),
        )
        .needs([Need::Key(Role::ReadOnly)])
        .writes(MOST)
        .sends(2 * MOST)
        .check(|probe| reject_key(probe, Role::ReadOnly)),
        case(
            "other-pipelines-need-access",
            "No pipeline takes an organization from a key without access",
            &add.response_pointer(403),
        )
        .needs([Need::Key(Role::NoAccess)])
        .writes(MOST)
        .sends(2 * MOST)
        .check(|probe| reject_key(probe, Role::NoAccess)),
        case(
            "other-pipelines-need-a-key",
            "No pipeline takes an organization from a request without a key",
            &add.response_pointer(401),
        )
        .writes(MOST)
        .check(reject_anyone),
    ];
    let added = vec![
        case(
            "other-pipelines-take-it",
            "Every pipeline of organizations takes an organization, once, and gives its item an id of its own",
            &add.response_pointer(201),
        )
        .quote("organization_id is the organization added")
        .and_quote("/components/schemas/PipelineItemId", "Unique identifier of the item")
        .and(add.response_pointer(409))
        .point("add-existing")
        .walks(200)
        .adds(MOST)
        .writes(2 * MOST)
        .sends(20 * MOST)
        .check(take_it),
        case(
            "other-pipelines-sync-it",
            "A new item of any pipeline has the CRM providers of the others, a sync_status only where it has one, no time of \
             a sync before the first, and is ready exactly when its three conditions are true",
            &format!("{COLUMN_VALUE}/properties/sync_provider"),
        )
        .and(format!("{COLUMN_VALUE}/properties/sync_status"))
        .and_quote(&format!("{COLUMN_VALUE}/properties/last_synced_at"), LAST_SYNC)
        .and("/components/schemas/ItemStatus/properties/is_ready")
        .on([add.id.as_str(), "list_items", "get_item_values", "get_item_status"])
        .adds(MOST)
        .writes(MOST)
        .sends((2 * LOOKS + 16) * MOST)
        .check(sync_it),
        Case::new(
            "add/last-of-many-is-there",
            "The organization of the last item of a long list is rejected",
            add.response_pointer(409),
        )
        .on([add.id.as_str()])
        .needs([Need::Writes, Need::Named(ManyItems), Need::Pipeline(ManyItems)])
        .point("add-existing")
        .writes(1)
        .check(last_is_there),
    ];
    rejected.into_iter().chain(of_keys).chain(added).collect()
}

/// The pipelines of organizations that may be added to; the kind of an empty one is not known.
pub(super) fn of_organizations(probe: &Probe) -> Vec<u64> {
    let is_of = |pipeline: &KnownPipeline| {
        pipeline
            .entity_type
            .as_deref()
            .is_none_or(|kind| kind == "organization")
    };
    to_add(probe, is_of)
}

fn to_add(probe: &Probe, is_meant: impl Fn(&KnownPipeline) -> bool) -> Vec<u64> {
    let known = probe.known();
    let meant = known.pipelines.iter().filter(|pipeline| is_meant(pipeline));
    let ids = meant.map(|pipeline| pipeline.pipeline_id);
    ids.filter(|id| known.pipelines_to_add.contains(id)).collect()
}

fn add_to(probe: &Probe, pipeline_id: u64, organization: impl Into<Value>) -> Call {
    let call = probe.call("add_organization").path("pipeline_id", pipeline_id);
    call.json(&json!({ "organization_id": organization.into() }))
}

/// Adds an organization that is not there. `None` if the pipeline is empty and turns out to be of another kind.
pub(super) async fn add_beside(probe: &Probe, pipeline_id: u64) -> Result<Option<(u64, HttpResponse)>, Stop> {
    // The shared listing is from before the first addition.
    let there = probe.listing_now(pipeline_id).await?;
    let members = there.items.iter().filter_map(|item| item["organization_id"].as_u64());
    let organization = probe.organization_to_add_beside(&members.collect())?;
    let response = add_to(probe, pipeline_id, organization).send().await?;
    let is_of_another_kind = there.items.is_empty() && response.status == 400;
    Ok((!is_of_another_kind).then_some((organization, response)))
}

/// Adds an organization twice to each pipeline.
async fn take_it(probe: Probe) -> Outcome {
    let mut is_added = false;
    for pipeline_id in of_organizations(&probe) {
        let Some((organization, response)) = add_beside(&probe, pipeline_id).await? else {
            continue;
        };
        is_added = true;
        let expect = probe.expect(&response).stated_status(201);
        expect.body("/pipeline_id", pipeline_id);
        if response.status != 201 {
            continue;
        }
        assert_is_of(&probe, &response, organization);
        assert_own_id(&probe, pipeline_id, &response).await?;
        let again = add_to(&probe, pipeline_id, organization).send().await?;
        probe
            .expect(&again)
            .rejected_as_stated(409, "organization_already_in_pipeline");
        let values = Item::of(pipeline_id, &response.body).values(&probe).await?;
        probe.expect(&values).body("/organization_id", organization);
    }
    match is_added {
        true => Ok(()),
        false => probe.inconclusive("another pipeline of organizations among those that may be added to"),
    }
}

/// A new item that is being synced.
struct New {
    item: Item,
    /// The first page of its pipeline before it was added.
    there: HttpResponse,
    /// The last response with its values.
    last: HttpResponse,
    /// The last response with its status, once it was read.
    status: Option<HttpResponse>,
    syncs: Syncs,
}

impl New {
    fn is_ready(&self) -> bool {
        self.status
            .as_ref()
            .is_some_and(|status| status.body["is_ready"] == true)
    }
}

/// Adds an organization to each pipeline, and reads the new items until they are ready and synced.
async fn sync_it(probe: Probe) -> Outcome {
    let mut new = Vec::new();
    for pipeline_id in of_organizations(&probe) {
        let list = probe.call("list_items").path("pipeline_id", pipeline_id);
        let there = probe.ok(list.send().await?)?;
        if let Some((_, response)) = add_beside(&probe, pipeline_id).await? {
            let response = probe.ok(response)?;
            assert_providers(&probe, &there, &response);
            new.push(New {
                item: Item::of(pipeline_id, &response.body),
                there,
                syncs: Syncs::of_new(&probe, &response),
                last: response,
                status: None,
            });
        }
    }
    if new.is_empty() {
        return probe.inconclusive("another pipeline of organizations among those that may be added to");
    }
    let patience = probe.ready_within().unwrap_or_default();
    for look in 0..LOOKS {
        let mut are_done = true;
        for new in &mut new {
            let now = new.item.values(&probe).await?;
            assert_entries(&probe, &now);
            assert_providers(&probe, &new.there, &now);
            assert_status_with_provider(&probe, &now);
            assert_iso_8601(&probe, &now);
            new.syncs.check(&probe, &now);
            let status = new.item.status(&probe).await?;
            assert_conjunction(&probe, &status);
            new.status = Some(status);
            are_done &= is_done(&new.there, &now) && new.is_ready();
            new.last = now;
        }
        if are_done || probe.has_waited_in_vain() {
            break;
        }
        let pause = match look < CLOSE_LOOKS {
            true => BETWEEN_LOOKS,
            false if new.iter().any(|new| has_yet_to_begin(new) || !new.is_ready()) => {
                BETWEEN_LATER_LOOKS.max(patience / LATER_LOOKS)
            }
            false => BETWEEN_LATER_LOOKS,
        };
        probe.sleep(pause).await?;
    }
    for new in new.iter().filter(|new| new.is_ready()) {
        new.item.note_ready(&probe, &new.last);
    }
    if let Some(limit) = probe.ready_within().filter(|_| !probe.has_waited_in_vain()) {
        for new in &new {
            assert_begun(&probe, new, limit);
            assert_ready(&probe, new, limit);
        }
    }
    Ok(())
}

/// Asserts that a new item is ready. The contract promises no time; a run may limit it.
fn assert_ready(probe: &Probe, new: &New, limit: Duration) {
    probe.assert_as(
        Some(BTreeSet::new()),
        new.is_ready(),
        "is_ready of the new item",
        format!("true within {} seconds, the limit of this run", limit.as_secs()),
        "false",
        &new.status.iter().collect::<Vec<_>>(),
    );
}

/// Asserts that the CRM sync of a new item has begun, if other items are synced. The contract promises no time; a run
/// may limit it.
fn assert_begun(probe: &Probe, new: &New, limit: Duration) {
    probe.assert_as(
        Some(BTreeSet::new()),
        !has_yet_to_begin(new),
        "the CRM sync of the new item",
        format!("begun within {} seconds, the limit of this run", limit.as_secs()),
        "no value has a sync_status",
        &[&new.last],
    );
}

/// Whether a new item waits for its first sync, as other items of its pipeline did.
fn has_yet_to_begin(new: &New) -> bool {
    !has_begun(&new.last.body) && items(&new.there).iter().any(has_begun)
}

/// Whether the questions of a new item are answered and its syncs have ended, if other items are synced.
fn is_done(there: &HttpResponse, now: &HttpResponse) -> bool {
    let is_synced = has_begun(&now.body) || !items(there).iter().any(has_begun);
    is_synced && !is_under_way(&now.body) && pending(&now.body) == 0
}

/// Asserts that a value with a sync_status names its provider: either is null if CRM sync is not configured.
fn assert_status_with_provider(probe: &Probe, item: &HttpResponse) {
    for (column, entry) in item.body["values"].as_object().into_iter().flatten() {
        probe.assert(
            entry["sync_status"].is_null() || entry["sync_provider"].is_string(),
            &format!(
                "sync_provider of {column}, whose sync_status is {}",
                entry["sync_status"]
            ),
            "a provider",
            &entry["sync_provider"],
            &[item],
        );
    }
}

async fn reject_it(probe: Probe) -> Outcome {
    let of_another = |pipeline: &KnownPipeline| {
        let kind = pipeline.entity_type.as_deref();
        kind.is_some_and(|kind| kind != "organization")
    };
    let pipelines = to_add(&probe, of_another);
    if pipelines.is_empty() {
        return probe.inconclusive("a pipeline of another kind among those that may be added to");
    }
    let organization = addable(&probe)?;
    for pipeline_id in pipelines {
        let response = add_to(&probe, pipeline_id, organization).send().await?;
        probe
            .expect(&response)
            .rejected_as_stated(400, "not_an_organization_pipeline");
    }
    Ok(())
}

async fn reject_unknown(probe: Probe) -> Outcome {
    let pipelines = of_organizations(&probe);
    if pipelines.is_empty() {
        return probe.inconclusive("another pipeline of organizations among those that may be added to");
    }
    let unknown = probe.unknown_id();
    for pipeline_id in pipelines {
        let response = add_to(&probe, pipeline_id, unknown).send().await?;
        let mut known = probe.known().pipelines.iter();
        let is_known = known.any(|one| one.pipeline_id == pipeline_id && one.entity_type.is_some());
        if is_known {
            probe
                .expect(&response)
                .rejected_as_stated(404, "organization_not_found");
            continue;
        }
        // An empty pipeline may be of another kind. Either is an error.
        probe.assert_as(
            Some(BTreeSet::new()),
            !(200..300).contains(&response.status),
            &format!("the response to an unknown organization for pipeline {pipeline_id}, which has no items"),
            "an error",
            response.summary(),
            &[&response],
        );
    }
    Ok(())
}

/// An organization that could be added, if the key allowed it.
fn addable(probe: &Probe) -> Result<u64, Stop> {
    let organization = probe.known().to_add.last().copied();
    organization.ok_or_else(|| Stop::not_seen("an organization"))
}

async fn reject_key(probe: Probe, role: Role) -> Outcome {
    let organization = addable(&probe)?;
    for pipeline_id in to_add(&probe, |_| true) {
        // That the key may read a pipeline may be remembered, but does not matter.
        let list = probe.call("list_items").path("pipeline_id", pipeline_id);
        list.query("limit", 1).key(role).send().await?;
        let call = add_to(&probe, pipeline_id, organization).key(role);
        probe
            .expect(&call.send().await?)
            .rejected_as_stated(403, "authorization_denied");
    }
    Ok(())
}

async fn reject_anyone(probe: Probe) -> Outcome {
    let organization = addable(&probe)?;
    for pipeline_id in to_add(&probe, |_| true) {
        let call = add_to(&probe, pipeline_id, organization).literal_keys([]);
        probe
            .expect(&call.send().await?)
            .rejected_as_stated(401, "authentication_required");
    }
    Ok(())
}

/// Adds an organization that does not exist, which is not found where the key may add, and denied everywhere else.
/// There it then adds one that exists.
async fn reject_key_for_some(probe: Probe, role: Role) -> Outcome {
    let unknown = probe.unknown_id();
    let writable = probe.pipeline(Writable)?;
    let may_add = |id: &u64| match role {
        Role::SomePipelines => probe.known().some_pipelines.adds.contains(id),
        _ => *id == writable,
    };
    let pipelines = to_add(&probe, |one| one.pipeline_id != writable).into_iter();
    let (own, others): (Vec<_>, Vec<_>) = iter::once(writable).chain(pipelines).partition(may_add);
    let add = |pipeline_id, organization: Value| add_to(&probe, pipeline_id, organization).key(role).send();
    for pipeline_id in own {
        let response = add(pipeline_id, unknown.into()).await?;
        probe.expect(&response).permitted(404);
    }
    for pipeline_id in &others {
        let response = add(*pipeline_id, unknown.into()).await?;
        probe.expect(&response).rejected(403, "authorization_denied");
    }
    let organization = addable(&probe)?;
    for pipeline_id in others {
        let response = add(pipeline_id, organization.into()).await?;
        probe.expect(&response).rejected_as_stated(403, "authorization_denied");
    }
    Ok(())
}

/// Adds the organization of the last item of the largest pipeline to that pipeline.
async fn last_is_there(probe: Probe) -> Outcome {
    let pipeline_id = probe.pipeline(ManyItems)?;
    let listing = probe.listing(pipeline_id, None, None).await?;
    // A document may have an organization too, but no pipeline of documents takes one.
    if listing.items.iter().any(|item| item["entity_type"] != "organization") {
        return probe.inconclusive("a pipeline with many organizations");
    }
    let last = listing.items.iter().max_by_key(|item| item_id(item));
    let Some(organization) = last.and_then(|item| item["organization_id"].as_u64()) else {
        return probe.inconclusive("a pipeline with many organizations");
    };
    let response = add_to(&probe, pipeline_id, organization).send().await?;
    probe
        .expect(&response)
        .rejected_as_stated(409, "organization_already_in_pipeline");
    Ok(())
}
