//! What an addition leaves as it is: the other items, those of other pipelines, and the order of the list.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};

use super::ready::{answers, assert_sync, assert_transitions};
use super::several::{assert_order, walk};
use super::{add_one, added, adding};
use crate::item::{QUESTIONS_END, is_settled};
use crate::sample::listings;
use engine::case::{Case, Need, RequestTemplate};
use engine::rules::entry::COLUMN_VALUE;
use engine::session::observed::{Listing, PIPELINES, item_id, items, question_columns};
use engine::session::{Call, Probe};
use engine::target::PipelineRole::{ManyItems, Writable};
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// The number of looks at the list after the last addition, and the time between two of them.
const LATER_LOOKS: usize = 4;
const BETWEEN_LOOKS: Duration = Duration::from_millis(750);
/// The search that is repeated.
const SEARCH: &str = "search_organizations_by_description";
/// The number of items that show whether CRM sync is configured.
const OLDEST: usize = 3;
/// The number of items of another pipeline among which a new one is looked for.
const NEWEST: usize = 3;

/// The case that comes before all others that add: its first look at the pipeline is from before the first addition.
pub(super) fn first(contract: &Contract) -> Case {
    adding(
        contract,
        "others-stay",
        "An addition leaves the other items as they are, in its pipeline and in others",
        COLUMN_VALUE,
    )
    .quote(QUESTIONS_END)
    .point("questions-answered")
    .on(["list_items", "get_item_values"])
    .needs([Need::Pipeline(ManyItems)])
    .walks(400)
    // The values of items, before and after.
    .sends(2 * (2 + PIPELINES as u64) + 1)
    .adds(1)
    .writes(1)
    .check(others_stay)
}

/// The cases that look at what all others left behind.
pub(super) fn cases(contract: &Contract) -> [Case; 3] {
    let list_items = contract.operation("list_items");
    let search = contract.operation(SEARCH);
    [
        adding(
            contract,
            "searches-find-it-as-before",
            "An organization that is added is found by a search as before",
            &search.response_pointer(200),
        )
        .on([SEARCH])
        .point("search-total")
        .adds(1)
        .writes(1)
        .check(is_found_as_before),
        adding(
            contract,
            "created-has-a-provider-like-others",
            "Each value of a new item has a CRM provider exactly if that of all other items has one",
            &format!("{COLUMN_VALUE}/properties/sync_provider"),
        )
        .on(["list_items"])
        .adds(1)
        .writes(1)
        .check(has_a_provider),
        adding(
            contract,
            "list-is-of-now",
            "After an addition the first page, sorted pages and the order of the items are those of the list with the \
             new item",
            &list_items.pointer,
        )
        .and(&list_items.parameter("sort_by").pointer)
        .on(["list_items"])
        .walks(200)
        .adds(1)
        .writes(1)
        .check(is_of_now),
    ]
}

/// Repeats a search after one of the organizations that it finds was added to a pipeline.
async fn is_found_as_before(probe: Probe) -> Outcome {
    let operation = probe.contract().operation(SEARCH);
    let limit = operation.parameter("limit").number("maximum");
    let search = RequestTemplate::valid(operation).query("limit", limit);
    let before = probe.ok(search.call(&probe).await?.send().await?)?;
    let ids = |page: &HttpResponse| -> Vec<u64> {
        let found = page.at("/results").as_array().into_iter().flatten();
        found.filter_map(|result| result["organization_id"].as_u64()).collect()
    };
    let found = ids(&before);
    let organization = probe.organization_to_add_among(|organization| found.contains(&organization))?;
    if !found.contains(&organization) {
        return probe.inconclusive("an organization that a search finds and that is not in the writable pipeline");
    }
    let response = probe.ok(add_one(&probe, organization)?.send().await?)?;
    let after = probe.ok(search.call(&probe).await?.send().await?)?;
    let is_there = ids(&after).contains(&organization);
    let what = format!("the organization {organization} in the search, after it was added to a pipeline");
    let seen = format!("{} results, without it", ids(&after).len());
    probe.assert(is_there, &what, "it is there", seen, &[&before, &response, &after]);
    Ok(())
}

fn list(probe: &Probe) -> Result<Call, Stop> {
    Ok(probe.call("list_items").path("pipeline_id", probe.pipeline(Writable)?))
}

/// Compares the providers of a new item with those of the items that are there: either CRM sync is configured or not.
async fn has_a_provider(probe: Probe) -> Outcome {
    let there = probe.ok(list(&probe)?.send().await?)?;
    let (_, response) = added(&probe).await?;
    match assert_providers(&probe, &there, &response) {
        true => Ok(()),
        false => probe.inconclusive("items of the writable pipeline that all have a CRM provider, or none"),
    }
}

/// Compares the providers of a new item with those of the items on a page of its pipeline. Returns whether any could be
/// compared.
pub(super) fn assert_providers(probe: &Probe, there: &HttpResponse, response: &HttpResponse) -> bool {
    let mut compared = false;
    for (column, entry) in response.body["values"].as_object().into_iter().flatten() {
        // Those behind them may be new as well.
        let oldest = items(there).iter().take(OLDEST);
        let others = oldest.filter_map(|item| item["values"].get(column));
        let providers: Vec<_> = others.map(|other| &other["sync_provider"]).collect();
        let has_one = providers.iter().filter(|provider| provider.is_string()).count();
        if providers.is_empty() || ![0, providers.len()].contains(&has_one) {
            continue;
        }
        compared = true;
        let seen = &entry["sync_provider"];
        let expected = if has_one > 0 { "a provider" } else { "null" };
        let what = format!("sync_provider of {column}, which is {} for others", providers[0]);
        probe.assert(
            seen.is_string() == (has_one > 0),
            &what,
            expected,
            seen,
            &[response, there],
        );
    }
    compared
}

/// Reads pages before an addition, and again afterwards.
async fn is_of_now(probe: Probe) -> Outcome {
    let (first, before) = (list(&probe)?.send().await?, walk(&probe).await?);
    let column = items(&first).first().and_then(|item| question_columns(item).pop());
    if let Some(column) = &column {
        longest(&probe)?.query("sort_by", column).send().await?;
    }
    let (_, response) = added(&probe).await?;
    let now = probe.ok(list(&probe)?.send().await?)?;
    // Items that were added a moment ago change meanwhile. Each look compares them with the earlier ones.
    let mut listing = walk(&probe).await?;
    for _ in 0..LATER_LOOKS {
        probe.sleep(BETWEEN_LOOKS).await?;
        listing = walk(&probe).await?;
    }
    let evidence: Vec<_> = [&response].into_iter().chain(listing.first_page()).collect();
    assert_kept(&probe, &before, &listing, &evidence);
    assert_in_place(&probe, &listing, &now, &response);
    assert_in_every_order(&probe, column, &response).await
}

/// The first page of the greatest length.
fn longest(probe: &Probe) -> Result<Call, Stop> {
    let limit = probe.contract().operation("list_items").parameter("limit");
    Ok(list(probe)?.query("limit", limit.number("maximum")))
}

/// Asserts that a new item is in the list, that the list is in the order of the ids, and that the first page, read
/// before the list, is its beginning.
fn assert_in_place(probe: &Probe, listing: &Listing, page: &HttpResponse, response: &HttpResponse) {
    let (ids, new) = (listing.ids(), item_id(&response.body));
    let evidence: Vec<_> = [response].into_iter().chain(listing.first_page()).collect();
    let falls = ids.windows(2).find(|pair| pair[0] >= pair[1]);
    let seen = falls.map_or_else(String::new, |pair| {
        format!("item {} comes before item {}", pair[0], pair[1])
    });
    let what = "the order of the list after an addition";
    probe.assert(falls.is_none(), what, "ascending ids", seen, &evidence);
    let place = ids.iter().position(|id| *id == new);
    let what = format!("item {new} in the list, after an earlier walk");
    let seen = format!("{} items, without it", ids.len());
    let is_there = place.is_some() || !listing.complete;
    probe.assert(is_there, &what, "it is there", seen, &evidence);
    // Others may have added items since the page was read.
    let default = probe
        .contract()
        .operation("list_items")
        .parameter("limit")
        .number("default");
    let least = place.map_or(0, |place| place + 1);
    let least = least.min(usize::try_from(default).unwrap_or_default());
    let on_page: Vec<_> = items(page).iter().map(item_id).collect();
    let expected: Vec<_> = ids.into_iter().take(on_page.len().max(least)).collect();
    let what = "the items on the first page after an addition";
    probe.assert_same(what, &json!(expected), &json!(on_page), &[response, page]);
}

/// Asserts that a new item is in the list, in whatever order, if one page holds all items.
async fn assert_in_every_order(probe: &Probe, column: Option<String>, response: &HttpResponse) -> Outcome {
    let new = item_id(&response.body);
    let limit = probe
        .contract()
        .operation("list_items")
        .parameter("limit")
        .number("maximum");
    let mut orders = vec![(
        "in descending order".to_owned(),
        longest(probe)?.query("sort_order", "desc"),
    )];
    if let Some(column) = column {
        let sorted = longest(probe)?.query("sort_by", &column);
        orders.push((format!("sorted by {column}"), sorted));
    }
    for (order, call) in orders {
        let page = probe.ok(call.send().await?)?;
        if page.at("/total_count").as_i64().is_none_or(|total| total > limit) {
            continue;
        }
        let is_there = items(&page).iter().any(|item| item_id(item) == new);
        let what = format!("item {new} in the list {order}");
        let seen = format!("{} items, without it", items(&page).len());
        probe.assert(is_there, &what, "it is there", seen, &[response, &page]);
    }
    Ok(())
}

/// Compares the items before and after an addition, in every pipeline that the case can read them in.
async fn others_stay(probe: Probe) -> Outcome {
    let listings = listings(&probe).await?;
    let all = listings.iter().flat_map(|listing| &listing.items);
    let members = all.filter_map(|item| Some((item["organization_id"].as_u64()?, place_of(item)?)));
    let members: Vec<_> = members.collect();
    // An organization may be in several pipelines. Those of the largest pipeline may be in that one only, so one of the
    // smallest shows more.
    let smallest = listings.iter().filter_map(|listing| {
        let items = listing
            .items
            .iter()
            .filter(|item| item["entity_type"] == "organization");
        let ids: BTreeSet<_> = items.filter_map(|item| item["organization_id"].as_u64()).collect();
        let may_be_added = probe
            .known()
            .to_add
            .iter()
            .any(|organization| ids.contains(organization));
        may_be_added.then_some(ids)
    });
    let smallest = smallest.min_by_key(BTreeSet::len).unwrap_or_default();
    let organization = probe.organization_to_add_among(|organization| smallest.contains(&organization))?;
    let ends = probe.listing(probe.pipeline(ManyItems)?, None, None).await?;
    let ends = [ends.items.first(), ends.items.last()];
    let ends = ends.into_iter().flatten().filter_map(place_of);
    let its_own = members.iter().filter(|(member, _)| *member == organization);
    let elsewhere: BTreeSet<_> = ends.chain(its_own.map(|(_, place)| *place).take(PIPELINES)).collect();
    let mut there = Vec::new();
    for place in &elsewhere {
        there.push(read(&probe, *place).await?);
    }
    let before = walk(&probe).await?;
    let response = add_one(&probe, organization)?.send().await?;
    // Another pipeline is no reason to reject it. That an addition succeeds with 201 is stated.
    probe.assert_as(
        Some(BTreeSet::new()),
        response.status == 201,
        &format!("the addition of organization {organization}, which is not in the pipeline"),
        201,
        response.summary(),
        &[&response],
    );
    let response = probe.ok(response)?;
    let after = walk(&probe).await?;
    let evidence: Vec<_> = std::iter::once(&response).chain(after.first_page()).collect();
    assert_order(&probe, &before, &after, &evidence);
    assert_kept(&probe, &before, &after, &evidence);
    for (place, was) in elsewhere.into_iter().zip(&there) {
        let is = read(&probe, place).await?;
        assert_transitions(&probe, was, &is);
        assert_sync(&probe, was, &is);
        if is_settled(&was.body) {
            let what = format!("the answers of item {}, in pipeline {}", place.1, place.0);
            probe.assert_same(&what, &answers(&was.body), &answers(&is.body), &[was, &response, &is]);
        }
    }
    Ok(())
}

/// Chooses an organization that is in no known pipeline, if one is left: only such a one shows where it is added.
pub(super) async fn in_no_pipeline(probe: &Probe) -> Result<u64, Stop> {
    let listings = listings(probe).await?;
    let all = listings.iter().flat_map(|listing| &listing.items);
    let members: BTreeSet<_> = all.filter_map(|item| item["organization_id"].as_u64()).collect();
    probe.organization_to_add_among(|organization| !members.contains(&organization))
}

/// Reads the newest items of every pipeline besides this one.
pub(super) async fn newest(probe: &Probe, besides: u64) -> Result<Vec<HttpResponse>, Stop> {
    let pipelines = probe.known().pipelines.iter().map(|pipeline| pipeline.pipeline_id);
    let mut pages = Vec::new();
    for pipeline_id in pipelines.filter(|id| *id != besides) {
        let call = probe.call("list_items").path("pipeline_id", pipeline_id);
        let page = call.query("sort_order", "desc").query("limit", NEWEST);
        pages.push(probe.ok(page.send().await?)?);
    }
    Ok(pages)
}

/// Asserts that no other pipeline has a new item for an organization that was added to the writable pipeline.
pub(super) async fn assert_in_no_other(
    probe: &Probe,
    organization: u64,
    before: &[HttpResponse],
    response: &HttpResponse,
) -> Outcome {
    let writable = probe.pipeline(Writable)?;
    for (was, is) in before.iter().zip(&newest(probe, writable).await?) {
        let earlier: Vec<_> = items(was).iter().map(item_id).collect();
        let mut new = items(is).iter().filter(|item| !earlier.contains(&item_id(item)));
        let added = new.find(|item| item["organization_id"] == organization);
        let what = format!("organization {organization} in a pipeline that it was not added to");
        let seen = added.map_or_else(String::new, |item| {
            format!("item {} of pipeline {}", item_id(item), item["pipeline_id"])
        });
        probe.assert(added.is_none(), &what, "it is not there", seen, &[was, response, is]);
    }
    Ok(())
}

/// The pipeline of an item, and its id.
type Place = (u64, i64);

fn place_of(item: &Value) -> Option<Place> {
    Some((item["pipeline_id"].as_u64()?, item_id(item)))
}

async fn read(probe: &Probe, (pipeline, item): Place) -> Result<HttpResponse, Stop> {
    let call = probe.call("get_item_values").path("pipeline_id", pipeline);
    probe.ok(call.path("pipeline_item_id", item).send().await?)
}

/// Asserts that each item that was in the list is of the same entity, and that its questions keep a final status. An
/// answer may be refreshed meanwhile, and a new question asked.
fn assert_kept(probe: &Probe, before: &Listing, after: &Listing, evidence: &[&HttpResponse]) {
    let kept = |item: &Value, columns: &[String]| {
        let entity = ["entity_type", "organization_id", "person_id", "document_id"].map(|name| &item[name]);
        let statuses = columns.iter().map(|column| &item["values"][column]["status"]);
        json!([entity, statuses.collect::<Vec<_>>()])
    };
    let later: BTreeMap<_, _> = after.items.iter().map(|item| (item_id(item), item)).collect();
    let was = before.items.iter().filter(|item| is_settled(item));
    let changed = was.filter_map(|was| {
        let columns = question_columns(was);
        let [before, now] = [was, later.get(&item_id(was))?].map(|item| kept(item, &columns));
        (before != now).then(|| (item_id(was), before, now))
    });
    let changed: Vec<_> = changed.collect();
    let Some((item, was, is)) = changed.first() else {
        probe.assert(true, "the other items of the pipeline", "as before", "", evidence);
        return;
    };
    let what = format!("item {item} after an addition; {} items changed", changed.len());
    probe.assert_same(&what, was, is, evidence);
}

/// Asserts that the newest items of no other pipeline have the new item, which belongs to one pipeline.
pub(super) async fn assert_listed_in_no_other(probe: &Probe, pipeline_id: u64, response: &HttpResponse) -> Outcome {
    let new = item_id(&response.body);
    for page in newest(probe, pipeline_id).await? {
        let is_there = items(&page).iter().any(|item| item_id(item) == new);
        let what = format!("item {new} of pipeline {pipeline_id} in the list of another");
        let seen = if is_there { "listed" } else { "" };
        let stated = Some(BTreeSet::new());
        probe.assert_as(stated, !is_there, &what, "not listed", seen, &[response, &page]);
    }
    Ok(())
}
