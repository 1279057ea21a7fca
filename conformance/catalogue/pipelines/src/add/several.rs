//! Concurrent and repeated additions.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::join_all;
use serde_json::Value;

use super::ready::{answers, assert_sync, assert_transitions};
use super::{add_one, added, adding, assert_is_of, assert_location, body_of};
use crate::item::is_settled;
use crate::sample::listings;
use engine::case::Case;
use engine::session::observed::{Listing, item_id};
use engine::session::{Call, Probe};
use engine::target::PipelineRole::Writable;
use engine::transport::raw::{Conversation, Message};
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// How many organizations are added at once.
const ORGANIZATIONS: u64 = 3;
/// The number of states of an item in which its organization is added again.
const STATES: usize = 10;
/// The operations that show an item.
const SHOWING: [&str; 2] = ["get_item_values", "get_item_status"];

pub(super) fn cases(contract: &Contract) -> Vec<Case> {
    let add = contract.operation("add_organization");
    vec![
        adding(
            contract,
            "several-at-once",
            "Of several organizations that are added at once each becomes one item, with an id of its own, and those that \
             were there stay",
            &add.pointer,
        )
        .and(add.response_pointer(201))
        .and_quote("/components/schemas/PipelineItemId", "Unique identifier of the item")
        .walks(200)
        .adds(ORGANIZATIONS)
        .writes(ORGANIZATIONS + 1)
        .check(several),
        adding(
            contract,
            "one-request-id-adds-each",
            "Two additions with one X-Request-Id add two organizations: the id names a request in logs, and decides nothing",
            "/info",
        )
        .quote("Every response of the platform carries `X-Request-Id`: the id from the request, if it matches")
        .and(add.response_pointer(201))
        .point("request-id")
        .adds(2)
        .writes(2)
        .check(each_with_one_id),
        adding(
            contract,
            "one-connection-adds-each",
            "Two additions on one connection each get their own item",
            "/components/headers/Location",
        )
        .and(add.response_pointer(201))
        .and_quote("/info", "Requests on one connection get their responses in order.")
        .point("add-location")
        .byte_for_byte()
        .adds(2)
        .writes(2)
        .check(each_on_one_connection),
        adding(
            contract,
            "again-leaves-the-item",
            "A rejected repetition leaves the item as it is: its values, its status and its place in the list",
            "/info",
        )
        .quote("a response of 4xx means that nothing was changed")
        .and_quote(&add.pointer, "An organization is in a pipeline at most once.")
        .point("add-existing")
        .adds(1)
        .writes(2)
        .check(leaves_the_item),
        adding(
            contract,
            "there-in-any-state",
            "An organization is in the pipeline, whatever its questions, their CRM sync and its place in the list are",
            &add.pointer,
        )
        .quote("An organization is in a pipeline at most once.")
        .and(add.response_pointer(409))
        .point("add-existing")
        .adds(1)
        .writes(STATES as u64)
        .check(there_in_any_state),
        adding(
            contract,
            "new-item-needs-a-key",
            "What was just added is not shown without a key",
            &contract.operation("get_item_values").response_pointer(401),
        )
        .and(contract.operation("get_item_status").response_pointer(401))
        .on(SHOWING)
        .adds(1)
        .writes(1)
        .check(new_item_needs_a_key),
    ]
}

/// A deployment that takes the id for the key of a repeated request answers the second with the item of the first.
async fn each_with_one_id(probe: Probe) -> Outcome {
    let organizations = [probe.organization_to_add()?, probe.organization_to_add()?];
    let id = format!("one-request-id-adds-each-{}", organizations[0]);
    for organization in organizations {
        let call = add_one(&probe, organization)?.header("X-Request-Id", &id);
        let response = call.send().await?;
        probe.expect(&response).status(201);
        if response.status == 201 {
            assert_is_of(&probe, &response, organization);
        }
    }
    Ok(())
}

/// A deployment may remember something of the previous request of a connection.
async fn each_on_one_connection(probe: Probe) -> Outcome {
    let writable = probe.pipeline(Writable)?;
    let organizations = [probe.organization_to_add()?, probe.organization_to_add()?];
    let messages = organizations.map(|organization| {
        let message = Message::new("POST", format!("/api/v1/pipelines/{writable}/organizations"));
        let message = message.line("Content-Type: application/json");
        message.body(body_of(organization))
    });
    let talk = probe.talk(&Conversation::in_turn(messages)).await?;
    let are_two = talk.responses.len() == organizations.len();
    // Others may have added one of them, and other cases check the status.
    if !are_two || talk.responses.iter().any(|response| response.status != 201) {
        return probe.inconclusive("two additions on one connection");
    }
    for (organization, response) in organizations.iter().zip(&talk.responses) {
        assert_is_of(&probe, response, *organization);
        assert_location(&probe, response)?;
    }
    Ok(())
}

async fn several(probe: Probe) -> Outcome {
    let mut organizations = vec![probe.organization_to_add()?, probe.organization_to_add()?];
    // Two are enough where no third is left.
    organizations.extend((2..ORGANIZATIONS).map_while(|_| probe.organization_to_add().ok()));
    let requests = organizations.iter();
    let requests = requests.map(|organization| add_one(&probe, *organization).map(Call::send));
    let answers = join_all(requests.collect::<Result<Vec<_>, _>>()?).await;
    let answers = answers.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut ids = BTreeSet::new();
    for (organization, response) in organizations.iter().zip(&answers) {
        let expect = probe.expect(response).status(201);
        expect.body("/organization_id", *organization);
        ids.insert(item_id(&response.body));
    }
    probe.assert(
        ids.len() == answers.len(),
        "the ids of the new items",
        format!("{} different ids", answers.len()),
        format!("{ids:?}"),
        &answers.iter().collect::<Vec<_>>(),
    );
    let listing = walk(&probe).await?;
    for (organization, response) in organizations.iter().zip(&answers) {
        let mine = of_organization(&listing, *organization);
        if mine.is_empty() && !listing.complete {
            return probe.inconclusive("the end of a list with very many items");
        }
        let evidence: Vec<_> = std::iter::once(response).chain(&listing.pages).collect();
        probe.assert(
            mine == [item_id(&response.body)],
            &format!("the items of organization {organization} in the list"),
            format!("{:?}", [item_id(&response.body)]),
            format!("{mine:?}"),
            &evidence,
        );
        let values = read(&probe, "get_item_values", item_id(&response.body)).await?;
        probe
            .expect(&values)
            .status(200)
            .body("/organization_id", *organization);
    }
    assert_own_ids(&probe, &listing).await?;
    assert_oldest_is_there(&probe, &listing).await
}

/// Asserts that the organization of the oldest item is still in the pipeline, as the source states: a deployment may
/// know only the last additions.
async fn assert_oldest_is_there(probe: &Probe, listing: &Listing) -> Outcome {
    let oldest = listing.items.iter().min_by_key(|item| item_id(item));
    let Some(organization) = oldest.and_then(|item| item["organization_id"].as_u64()) else {
        return Ok(());
    };
    let again = add_one(probe, organization)?.send().await?;
    probe.assert_as(
        Some(BTreeSet::new()),
        !(200..300).contains(&again.status),
        "the response to an organization that is in the pipeline",
        "an error",
        again.summary(),
        &[&again],
    );
    Ok(())
}

/// Asserts that no item of another pipeline has the id of an item of the writable one, as the source states: items were
/// added there, and the others have theirs from before.
async fn assert_own_ids(probe: &Probe, listing: &Listing) -> Outcome {
    let own: BTreeSet<_> = listing.ids().into_iter().collect();
    let writable = probe.pipeline(Writable)?;
    for other in listings(probe).await? {
        let mut others = other.items.iter().filter(|item| item["pipeline_id"] != writable);
        let same = others.find(|item| own.contains(&item_id(item)));
        let evidence: Vec<_> = listing.first_page().into_iter().chain(other.first_page()).collect();
        let seen = same.map_or_else(String::new, |item| {
            format!("item {} is in pipeline {} as well", item_id(item), item["pipeline_id"])
        });
        let what = "the ids of the items of the pipeline";
        let stated = Some(BTreeSet::new());
        probe.assert_as(
            stated,
            same.is_none(),
            what,
            "ids that no other item has",
            seen,
            &evidence,
        );
    }
    Ok(())
}

/// A deployment may remember what it has just created, and return it to anyone.
async fn new_item_needs_a_key(probe: Probe) -> Outcome {
    let (_, response) = added(&probe).await?;
    for operation in SHOWING {
        let call = probe.call(operation).path("pipeline_id", probe.pipeline(Writable)?);
        let call = call.path("pipeline_item_id", item_id(&response.body));
        let shown = call.literal_keys([]).send().await?;
        probe.expect(&shown).rejected(401, "authentication_required");
    }
    Ok(())
}

/// All items of the writable pipeline.
pub(super) async fn walk(probe: &Probe) -> Result<Listing, Stop> {
    probe.listing_now(probe.pipeline(Writable)?).await
}

/// The ids of the items with this organization.
fn of_organization(listing: &Listing, organization: u64) -> Vec<i64> {
    let items = listing.items.iter();
    let mine = items.filter(|item| item["organization_id"] == organization);
    mine.map(item_id).collect()
}

async fn read(probe: &Probe, operation: &str, item: i64) -> Result<HttpResponse, Stop> {
    let call = probe.call(operation).path("pipeline_id", probe.pipeline(Writable)?);
    call.path("pipeline_item_id", item).send().await
}

/// Adds an organization that already has an item, and compares everything that shows the item.
async fn leaves_the_item(probe: Probe) -> Outcome {
    let before = with_an_organization(&probe).await?;
    let there = before.items.iter().filter_map(|item| {
        let organization = item["organization_id"].as_u64()?;
        Some((organization, item))
    });
    // Best is an item that no background process is about to change, and the oldest of those: a deployment may remember
    // the last additions only.
    let Some((organization, item)) = there.min_by_key(|(_, item)| !is_settled(item)) else {
        return probe.inconclusive("an item with an organization");
    };
    let id = item_id(item);
    let values = probe.ok(read(&probe, "get_item_values", id).await?)?;
    let status = probe.ok(read(&probe, "get_item_status", id).await?)?;
    let again = add_one(&probe, organization)?.send().await?;
    if !(400..500).contains(&again.status) {
        return probe.inconclusive("a rejection of an organization that is in the pipeline");
    }
    let later = read(&probe, "get_item_values", id).await?;
    let status_later = read(&probe, "get_item_status", id).await?;
    for response in [&later, &status_later] {
        probe.expect(response).status(200);
    }
    assert_transitions(&probe, &values, &later);
    assert_sync(&probe, &values, &later);
    if is_settled(&values.body) {
        let what = format!("the answers of item {id}");
        let (was, is) = (answers(&values.body), answers(&later.body));
        probe.assert_same(&what, &was, &is, &[&values, &again, &later]);
    }
    if status.body["is_ready"] == true {
        probe.expect(&status_later).body("/is_ready", true);
    }
    let after = walk(&probe).await?;
    let evidence: Vec<_> = std::iter::once(&again).chain(after.first_page()).collect();
    let mine = of_organization(&after, organization);
    probe.assert(
        mine == [id],
        &format!("the items of organization {organization} in the list"),
        format!("{:?}", [id]),
        format!("{mine:?}"),
        &evidence,
    );
    assert_order(&probe, &before, &after, &evidence);
    Ok(())
}

/// Adds the organization with the greatest id again, and others whose items are in different states, until one is
/// accepted.
async fn there_in_any_state(probe: Probe) -> Outcome {
    let listing = walk(&probe).await?;
    let mut states = BTreeMap::new();
    let last = listing.items.len().saturating_sub(1);
    // A table of what is there may not hold every id.
    let of_item = |item: &Value| item["organization_id"].as_u64();
    let greatest = listing.items.iter().filter_map(of_item).max();
    for (place, item) in listing.items.iter().enumerate() {
        if let Some(organization) = of_item(item) {
            let key = (Some(organization) != greatest, place == last, states_of(item));
            states.entry(key).or_insert(organization);
        }
    }
    if states.is_empty() {
        return probe.inconclusive("an item with an organization");
    }
    for organization in states.into_values().take(STATES) {
        let again = add_one(&probe, organization)?.send().await?;
        probe
            .expect(&again)
            .rejected_as_stated(409, "organization_already_in_pipeline");
        if again.status == 201 {
            break;
        }
    }
    Ok(())
}

/// The states that the values of an item are in.
fn states_of(item: &Value) -> BTreeSet<String> {
    let entries = item["values"].as_object().into_iter().flatten();
    let states = entries.map(|(_, entry)| format!("{} {}", entry["status"], entry["sync_status"]));
    states.collect()
}

/// All items of the pipeline; if there is none, one is added first.
async fn with_an_organization(probe: &Probe) -> Result<Listing, Stop> {
    let listing = walk(probe).await?;
    if !listing.items.is_empty() {
        return Ok(listing);
    }
    added(probe).await?;
    walk(probe).await
}

/// Asserts that the items that were in the list are in the same order. Others may have been added meanwhile.
pub(super) fn assert_order(probe: &Probe, before: &Listing, after: &Listing, evidence: &[&HttpResponse]) {
    let ids = before.ids();
    let known: BTreeSet<_> = ids.iter().copied().collect();
    let seen: Vec<_> = after.ids().into_iter().filter(|id| known.contains(id)).collect();
    let is_same = before.complete && after.complete && ids != seen;
    let differs = ids.iter().zip(&seen).position(|(one, other)| one != other);
    let place = differs.unwrap_or(ids.len().min(seen.len()));
    let shown = |ids: &[i64]| Value::from(ids.get(place).copied());
    let what = format!("the item at position {place} of those that were in the list");
    probe.assert(!is_same, &what, shown(&ids), shown(&seen), evidence);
}
