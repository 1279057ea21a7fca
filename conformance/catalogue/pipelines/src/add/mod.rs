//! Cases about adding an organization to a pipeline and about the processing of the new item.
//!
//! Nearly all cases write to the pipeline that the target names as writable, a few to others that it names for that.
//! Nothing can be removed from them, so each case adds as few organizations as it can.

mod bodies;
mod elsewhere;
mod entity_data;
mod listed_elsewhere;
pub(crate) mod neighbour;
mod others;
pub mod ready;
pub mod rejected;
mod several;
mod synced;
mod to_the_end;
mod whole_ids;

use std::collections::{BTreeMap, BTreeSet};

use futures::future::join_all;
use serde_json::{Value, json};

use crate::item::{SAME_COLUMNS, entity_columns};
use crate::sample::listings;
use engine::case::{Case, Need, Rejection, RequestTemplate};
use engine::session::observed::{PIPELINES, item_id, items, question_columns};
use engine::session::{Call, Probe};
use engine::target::PipelineRole::{ManyItems, Writable};
use engine::transport::client::ATTEMPTS;
use engine::transport::request::Body;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// The limit on how often a body of the greatest length or more is sent: a deployment may close the connection before
/// it has read the whole body.
pub const TOO_LONG: u64 = ATTEMPTS as u64;
/// How many identical requests are sent at once.
const AT_ONCE: usize = 8;
/// When a new item can be read.
const READABLE: &str = "These processes are the only asynchronous effects: from the response on, the new item is in the list, and its \
     values and status can be read.";
/// Media types whose bodies are read.
const WITH_PARAMETERS: [&str; 5] = [
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    "Application/JSON",
    "application/json; charset=\"utf-8\"",
    "application/json; charset=utf-8; version=1",
];
/// Media types whose bodies are rejected; `None` omits the header.
const OTHER_TYPES: [Option<&str>; 8] = [
    None,
    Some(""),
    Some("text/plain"),
    Some("application/x-www-form-urlencoded"),
    Some("application/octet-stream"),
    Some("application/jsonx"),
    Some("application/problem+json"),
    Some("json"),
];
/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    let add = contract.operation("add_organization");
    let case =
        |id: &str, title: &str, pointer: &str| Case::new(format!("add/{id}"), title, pointer).on([add.id.as_str()]);
    let adds_one = |id: &str, title: &str, pointer: &str| adding(contract, id, title, pointer).adds(1).writes(1);
    let created = add.response_pointer(201);
    let mut cases = vec![
        others::first(contract),
        adds_one(
            "created",
            "The response is the new item, with its questions pending",
            &created,
        )
        .quote("organization_id is the organization added")
        .and_quote(
            &created,
            "entity_type is organization, person_id and document_id are null",
        )
        .and_quote(&created, "every question is pending")
        .and_quote(&add.pointer, "every question of the new item is pending")
        .and_quote("/components/schemas/PipelineItemId", "Unique identifier of the item")
        .and(contract.operation("get_item_values").response_pointer(400))
        .and_quote(
            "/components/schemas/Values",
            "Every question of the pipeline has its entry, from the moment the item exists.",
        )
        .point("new-item")
        .check(is_created),
        adds_one(
            "created-has-entity-columns",
            "The response has the same columns of entity data as the item and the other items of the pipeline",
            "/components/schemas/Values",
        )
        .quote(SAME_COLUMNS)
        .and(&created)
        .point("item-entity-columns")
        .check(has_entity_columns),
        adds_one(
            "location-names-the-values",
            "Location names the new item's values",
            "/components/headers/Location",
        )
        .point("add-location")
        .check(location),
        adds_one(
            "appears-in-the-list",
            "The new item is listed, total_count is one higher, and no other pipeline has a new item for the organization",
            &add.pointer,
        )
        .quote(READABLE)
        .walks(400)
        // The newest items of the other pipelines, before and after.
        .sends(8 + 2 * PIPELINES as u64)
        .check(listed),
        adds_one(
            "is-readable-at-once",
            "The values and the status of the new item can be read from the response on",
            &add.pointer,
        )
        .quote(READABLE)
        .and(&contract.operation("get_item_values").pointer)
        .and(&contract.operation("get_item_status").pointer)
        .on(["get_item_values", "get_item_status"])
        .check(is_readable),
        adds_one(
            "at-most-once",
            "A second request is rejected and changes nothing",
            &add.response_pointer(409),
        )
        .and_quote(
            &add.pointer,
            "A client that lost the response can safely send the request again",
        )
        .point("add-existing")
        .writes(3)
        .check(at_most_once),
        adds_one(
            "at-once-exactly-one",
            "Exactly one of several concurrent identical requests gets 201, the others 409",
            &add.response_pointer(409),
        )
        .and_quote(
            &add.pointer,
            "Of any number of concurrent identical requests, exactly one returns 201 and the others 409",
        )
        .point("add-existing")
        .writes(AT_ONCE as u64)
        .check(at_once),
        adds_one(
            "becomes-ready",
            "The new item becomes ready, and its questions go from pending to a final status",
            &add.pointer,
        )
        .and_quote(
            "/components/schemas/ColumnValue",
            "A question goes from pending to completed, no_answer, failed or skipped, and stays there.",
        )
        .and_quote("/components/schemas/ColumnValue", ready::SYNC)
        .point("new-item")
        .and("/components/schemas/ColumnValue/properties/last_synced_at")
        .and("/components/schemas/ItemStatus/properties/platform_entity_data_ready")
        .and("/components/schemas/ItemStatus/properties/custom_questions_answered")
        .and_quote(&add.pointer, "An organization is in a pipeline at most once.")
        .adds(2)
        .writes(3)
        .sends(ready::POLLS)
        .check(ready::becomes_ready),
        adds_one(
            "type-with-parameters",
            "application/json with a charset is accepted",
            &add.response_pointer(415),
        )
        .quote("Parameters such as charset=utf-8 are accepted.")
        .point("add-body-type")
        .writes(1 + WITH_PARAMETERS.len() as u64)
        .check(type_with_parameters),
        case(
            "other-type-is-rejected",
            "A body that is not application/json is rejected",
            &add.response_pointer(415),
        )
        .needs([Need::Writes])
        .point("add-body-type")
        .rejects(
            Rejection::new(415, "unsupported_media_type"),
            OTHER_TYPES
                .map(|name| RequestTemplate::valid(add).media_type(name))
                .into_iter()
                .chain([RequestTemplate::valid(add).body(Body::Text(String::new()))]),
        )
        .leaves_unchanged(Writable),
        adds_one(
            "longest-body-is-accepted",
            "A body of the greatest length is read",
            &format!("{}/requestBody/x-max-body-bytes", add.pointer),
        )
        .and(format!("{}/requestBody", add.pointer))
        .point("add-longest-body")
        .writes(1 + TOO_LONG)
        .check(longest_body),
        case(
            "longer-body-is-rejected",
            "A body one byte longer than the limit is rejected",
            &add.response_pointer(413),
        )
        .point("add-body-length")
        .rejects(
            Rejection::new(413, "body_too_large"),
            [body_of(contract.unknown_id()), of_two_bytes_each(contract)].map(|text| {
                RequestTemplate::valid(add)
                    .body(Body::Padded(text, largest_body(contract) + 1))
                    .media_type("application/json")
            }),
        ),
    ];
    cases.extend(bodies::cases(contract, add));
    cases.extend(ready::cases(contract));
    cases.push(synced::case(contract));
    cases.extend(several::cases(contract));
    cases.extend(rejected::cases(contract));
    cases.extend(whole_ids::cases(contract));
    cases.extend(others::cases(contract));
    cases.extend(elsewhere::cases(contract));
    cases.push(listed_elsewhere::case(contract));
    cases.push(neighbour::case(contract));
    cases.push(entity_data::case(contract));
    cases.push(synced::last(contract));
    cases.push(to_the_end::case(contract));
    cases
}

/// A case that adds organizations.
fn adding(contract: &Contract, id: &str, title: &str, pointer: &str) -> Case {
    Case::new(format!("add/{id}"), title, pointer)
        .on([contract.operation("add_organization").id.as_str()])
        .needs([Need::Writes, Need::Pipeline(ManyItems)])
}

/// A body with nearly as many bytes as are allowed, and half as many characters.
fn of_two_bytes_each(contract: &Contract) -> String {
    let characters = largest_body(contract) / 2 - 2;
    format!("[\"{}\"]", "é".repeat(characters))
}

/// The greatest length of a body, in bytes.
pub fn largest_body(contract: &Contract) -> usize {
    let body = &contract.operation("add_organization").body;
    let most = body.as_ref().and_then(|body| body.max_bytes);
    most.and_then(|most| most.try_into().ok()).unwrap_or(usize::MAX)
}

/// A body with this JSON as its `organization_id`.
fn body_of(id: impl std::fmt::Display) -> String {
    format!("{{\"organization_id\": {id}}}")
}

fn add(probe: &Probe) -> Result<Call, Stop> {
    Ok(probe
        .call("add_organization")
        .path("pipeline_id", probe.pipeline(Writable)?))
}

fn add_one(probe: &Probe, organization: u64) -> Result<Call, Stop> {
    Ok(add(probe)?.json(&json!({ "organization_id": organization })))
}

/// Adds an organization that is not in the pipeline; the response has to be a success.
pub(crate) async fn added(probe: &Probe) -> Result<(u64, HttpResponse), Stop> {
    let organization = probe.organization_to_add()?;
    Ok((organization, add_successfully(probe, organization).await?))
}

/// Adds this organization; the response has to be a success.
async fn add_successfully(probe: &Probe, organization: u64) -> Result<HttpResponse, Stop> {
    let response = add_one(probe, organization)?.send().await?;
    let is_broken = response.status == 500;
    match probe.ok(response) {
        // The source lists the conditions that yield an error, and none of them holds.
        Err(Stop::Failed(mut finding)) if is_broken => {
            finding.decisions = Some(BTreeSet::new());
            Err(Stop::Failed(finding))
        }
        response => response,
    }
}

async fn is_created(probe: Probe) -> Outcome {
    let (organization, response) = added(&probe).await?;
    let writable = probe.pipeline(Writable)?;
    let expect = probe.expect(&response).status(201).body("/pipeline_id", writable);
    expect
        .body("/entity_type", "organization")
        .body("/person_id", Value::Null)
        .body("/document_id", Value::Null);
    assert_is_of(&probe, &response, organization);
    assert_own_id(&probe, writable, &response).await?;
    assert_elsewhere_unknown(&probe, &response).await?;
    for column in question_columns(&response.body) {
        let entry = &response.body["values"][&column];
        let holds = entry["status"] == "pending" && entry["result"] == json!([]) && entry["certainty_score"].is_null();
        let expected = "pending, with no result and no certainty_score";
        probe.assert(holds, &column, expected, entry, &[&response]);
    }
    // Every question has an entry as soon as the item exists.
    let call = probe
        .call("get_item_values")
        .path("pipeline_id", writable)
        .path("pipeline_item_id", &response.body["pipeline_item_id"]);
    let values = probe.ok(call.send().await?)?;
    let status = probe.call("get_item_status").path("pipeline_id", writable);
    let status = status.path("pipeline_item_id", &response.body["pipeline_item_id"]);
    for read in [&values, &probe.ok(status.send().await?)?] {
        probe.expect(read).body("/pipeline_id", writable);
    }
    let questions = |item: &HttpResponse| {
        let columns: BTreeSet<_> = question_columns(&item.body).into_iter().collect();
        json!(columns)
    };
    probe.assert_same(
        "the questions of the new item",
        &questions(&values),
        &questions(&response),
        &[&response, &values],
    );
    // The other items of the pipeline show which questions it has.
    let call = probe.call("list_items").path("pipeline_id", writable);
    let list = probe.ok(call.query("limit", 1).send().await?)?;
    let others = items(&list).iter();
    let mut others = others.filter(|item| item_id(item) != item_id(&response.body));
    if let Some(other) = others.next() {
        let columns: BTreeSet<_> = question_columns(other).into_iter().collect();
        probe.assert_same(
            "the questions of the new item, beside those of another",
            &json!(columns),
            &questions(&values),
            &[&list, &values],
        );
    }
    Ok(())
}

async fn has_entity_columns(probe: Probe) -> Outcome {
    let (_, response) = added(&probe).await?;
    let writable = probe.pipeline(Writable)?;
    let call = probe.call("get_item_values").path("pipeline_id", writable);
    let values = call.path("pipeline_item_id", &response.body["pipeline_item_id"]);
    let values = probe.ok(values.send().await?)?;
    let call = probe.call("list_items").path("pipeline_id", writable);
    let list = probe.ok(call.query("limit", 1).send().await?)?;
    let mut expected = entity_columns(&values.body);
    expected.extend(items(&list).iter().flat_map(entity_columns));
    if expected.is_empty() {
        return probe.inconclusive("a column of entity data in the writable pipeline");
    }
    probe.assert_same(
        "the columns of entity data of the new item",
        &json!(expected),
        &json!(entity_columns(&response.body)),
        &[&response, &values, &list],
    );
    // Data may arrive between the two responses.
    for column in entity_columns(&response.body) {
        let [new, read] = [&response, &values].map(|shown| &shown.body["values"][&column]["result"]);
        let holds = *new == json!([]) || new == read;
        let what = format!("{column} in the response to an addition");
        probe.assert(
            holds,
            &what,
            format!("empty, or {read} as in the item"),
            new,
            &[&response, &values],
        );
    }
    Ok(())
}

/// Asserts that a new item is of the organization that was added, as the source states.
fn assert_is_of(probe: &Probe, new: &HttpResponse, organization: u64) {
    let seen = &new.body["organization_id"];
    probe.assert_as(
        Some(BTreeSet::new()),
        *seen == organization,
        "organization_id of the new item",
        organization,
        seen,
        &[new],
    );
}

/// Asserts that no item of another pipeline has the id of a new item, as the source states.
pub(super) async fn assert_own_id(probe: &Probe, pipeline_id: u64, new: &HttpResponse) -> Outcome {
    for listing in listings(probe).await? {
        let same = listing.items.iter().find(|item| item_id(item) == item_id(&new.body));
        let (Some(page), Some(same)) = (listing.first_page(), same) else {
            continue;
        };
        let holds = same["pipeline_id"] == pipeline_id;
        let seen = format!("that of an item of the pipeline {}", same["pipeline_id"]);
        let stated = Some(BTreeSet::new());
        let expected = "an id that no other item has";
        probe.assert_as(stated, holds, "the id of the new item", expected, seen, &[new, page]);
    }
    Ok(())
}

/// Asserts that a new item does not belong to another pipeline, as the source states.
async fn assert_elsewhere_unknown(probe: &Probe, new: &HttpResponse) -> Outcome {
    let writable = probe.pipeline(Writable)?;
    let mut others = probe.known().pipelines.iter().map(|pipeline| pipeline.pipeline_id);
    let Some(other) = others.find(|other| *other != writable) else {
        return Ok(());
    };
    for operation in ["get_item_values", "get_item_status"] {
        let call = probe.call(operation).path("pipeline_id", other);
        let call = call.path("pipeline_item_id", &new.body["pipeline_item_id"]);
        probe
            .expect(&call.send().await?)
            .rejected_with_stated_status(400, "item_not_in_pipeline");
    }
    Ok(())
}

async fn location(probe: Probe) -> Outcome {
    let (_, response) = added(&probe).await?;
    let item = response.body["pipeline_item_id"].to_string();
    let call = probe
        .call("get_item_values")
        .path("pipeline_id", probe.pipeline(Writable)?);
    let values = probe.ok(call.path("pipeline_item_id", &item).send().await?)?;
    assert_location(&probe, &response)?;
    probe
        .expect(&values)
        .body("/organization_id", response.body["organization_id"].clone());
    Ok(())
}

/// Asserts that the header Location of a new item is the address of its values.
fn assert_location(probe: &Probe, new: &HttpResponse) -> Outcome {
    let item = &new.body["pipeline_item_id"];
    let path = format!("/api/v1/pipelines/{}/items/{item}/values", probe.pipeline(Writable)?);
    let seen = new.header("location").unwrap_or_default();
    // The base URL may have a path, which comes first.
    probe.assert(
        seen.ends_with(&path) && probe.is_of_same_origin(seen),
        "the header Location",
        format!("{path}, at the origin of the deployment"),
        seen,
        &[new],
    );
    Ok(())
}

async fn listed(probe: Probe) -> Outcome {
    let organization = others::in_no_pipeline(&probe).await?;
    let of_others = others::newest(&probe, probe.pipeline(Writable)?).await?;
    let before = probe.count_items(Writable).await?;
    let response = add_successfully(&probe, organization).await?;
    let expect = probe.expect(&response).status(201);
    expect.body("/organization_id", organization);
    let added = probe.assert_items_added(Writable, &before, 1, Some(&response));
    added.await?;
    let item = &response.body["pipeline_item_id"];
    let listing = probe.listing_now(probe.pipeline(Writable)?).await?;
    let mine = listing
        .items
        .iter()
        .filter(|listed| listed["pipeline_item_id"] == *item)
        .count();
    let evidence: Vec<_> = std::iter::once(&response).chain(&listing.pages).collect();
    probe.assert(
        mine == 1,
        &format!("item {item} in the list"),
        "once",
        format!("{mine} times"),
        &evidence,
    );
    others::assert_in_no_other(&probe, organization, &of_others, &response).await
}

/// Reads the values and the status of a new item at the same time: the first read must not make the second wait.
async fn is_readable(probe: Probe) -> Outcome {
    let (organization, response) = added(&probe).await?;
    let item = ready::item_of(&probe, &response.body)?;
    let (values, status) = futures::join!(item.values(&probe), item.status(&probe));
    probe.expect(&values?).body("/organization_id", organization);
    let id = response.body["pipeline_item_id"].clone();
    probe.expect(&status?).body("/pipeline_item_id", id);
    Ok(())
}

async fn at_most_once(probe: Probe) -> Outcome {
    let (organization, first) = added(&probe).await?;
    let before = probe.count_items(Writable).await?;
    for _ in 0..2 {
        let again = add_one(&probe, organization)?.send().await?;
        probe
            .expect(&again)
            .rejected_as_stated(409, "organization_already_in_pipeline");
    }
    probe.assert_none_added(Writable, &before, &first).await
}

async fn at_once(probe: Probe) -> Outcome {
    let organization = probe.organization_to_add()?;
    let before = probe.count_items(Writable).await?;
    let requests = (0..AT_ONCE).map(|_| add_one(&probe, organization).map(Call::send));
    let responses = join_all(requests.collect::<Result<Vec<_>, _>>()?).await;
    let responses = responses.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
    responses
        .iter()
        .for_each(|response| *statuses.entry(response.status).or_default() += 1);
    // The source states an error for an organization that is in the pipeline already.
    let created = responses.iter().filter(|response| response.status == 201);
    let created: BTreeMap<_, _> = created.map(|response| (item_id(&response.body), response)).collect();
    probe.assert_as(
        Some(BTreeSet::new()),
        created.len() <= 1,
        &format!("the items that {AT_ONCE} identical requests created"),
        "one",
        format!("{:?}", created.keys().collect::<Vec<_>>()),
        &created.values().copied().take(2).collect::<Vec<_>>(),
    );
    let expected = BTreeMap::from([(201, 1), (409, AT_ONCE - 1)]);
    let what = format!("the responses to {AT_ONCE} identical requests, by status");
    probe.assert(
        statuses == expected,
        &what,
        format!("{expected:?}"),
        format!("{statuses:?}"),
        &[&responses[0]],
    );
    let added = probe.assert_items_added(Writable, &before, 1, Some(&responses[0]));
    added.await
}

async fn type_with_parameters(probe: Probe) -> Outcome {
    let there = already_there(&probe).await?;
    for media_type in WITH_PARAMETERS {
        let call = add(&probe)?
            .header("Content-Type", media_type)
            .body(Body::Text(there.clone()));
        let response = call.send().await?;
        probe
            .expect(&response)
            .rejected(409, "organization_already_in_pipeline");
    }
    Ok(())
}

/// A body that names an organization that is already in the writable pipeline: it is read completely and adds nothing.
/// If the pipeline is empty, adds an organization first.
pub(crate) async fn already_there(probe: &Probe) -> Result<String, Stop> {
    let call = probe
        .call("list_items")
        .path("pipeline_id", probe.pipeline(Writable)?)
        .query("limit", 1);
    let page = probe.ok(call.send().await?)?;
    match page.at("/items/0/organization_id") {
        Value::Null => Ok(body_of(added(probe).await?.0)),
        id => Ok(body_of(id)),
    }
}

async fn longest_body(probe: Probe) -> Outcome {
    let there = already_there(&probe).await?;
    let call = add(&probe)?
        .header("Content-Type", "application/json")
        .body(Body::Padded(there, largest_body(probe.contract())));
    let response = call.send().await?;
    probe
        .expect(&response)
        .rejected(409, "organization_already_in_pipeline");
    Ok(())
}
