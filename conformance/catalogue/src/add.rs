//! Adding an organization to a pipeline, and what becomes of it.
//!
//! All of it writes to the pipeline that the target names as writable, and nothing can take it out again:
//! each case adds no more than it has to.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};

use crate::item::{assert_conjunction, pending};
use engine::case::{Case, Need};
use engine::session::observed::question_columns;
use engine::session::{Call, Probe};
use engine::target::PipelineRole::{ManyItems, NotOrganizations, Writable};
use engine::transport::client::{ATTEMPTS, Answer};
use engine::transport::request::Body;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// How often a body of the greatest length or more is sent at the most: a deployment may break the connection
/// off before it has read all of it.
pub(crate) const TOO_LONG: u64 = ATTEMPTS as u64;
/// How many identical requests are sent at once.
const AT_ONCE: usize = 8;
/// How long an item may take to become ready before a case gives up, without a verdict.
const READY_WITHIN: Duration = Duration::from_secs(120);
/// How long to wait between two looks at an item.
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);
/// After so many looks one waits longer.
const LOOKS: usize = 25;
/// How long to wait between two later looks at an item.
const BETWEEN_LATER_LOOKS: Duration = Duration::from_secs(1);

/// Ways to write the type of a body that is read.
const WITH_PARAMETERS: [&str; 3] = [
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    "Application/JSON",
];
/// Types of a body that is not read; none leaves the header out.
const OTHER_TYPES: [Option<&str>; 7] = [
    None,
    Some(""),
    Some("text/plain"),
    Some("application/x-www-form-urlencoded"),
    Some("application/jsonx"),
    Some("application/problem+json"),
    Some("json"),
];
/// A number between two ids that no organization has, and that a float holds exactly.
const NO_WHOLE_NUMBER: &str = "4503599627370495.5";

pub(crate) fn cases(contract: &'static Contract) -> Vec<Case> {
    let add = contract.operation("add_organization");
    let schema = format!(
        "{}/requestBody/content/application~1json/schema",
        add.pointer
    );
    let id = format!("{schema}/properties/organization_id");
    let case = |id: &str, title: &str, pointer: &str| {
        Case::new(format!("add/{id}"), title, pointer)
            .on([add.id.as_str()])
            .needs([Need::Writes, Need::Pipeline(ManyItems)])
            .adds(1)
            .writes(1)
    };
    let refused = |id: &str, title: &str, pointer: &str, bodies: fn() -> Vec<Body>| {
        let case = case(id, title, pointer)
            .and(add.response_pointer(422))
            .adds(0)
            .writes(bodies().len() as u64);
        case.check(move |probe| refused_bodies(probe, bodies()))
    };
    vec![
        case("created", "The answer is the new item, its questions pending", &add.response_pointer(201))
            .quote("organization_id is the organization added")
            .and_quote(&add.response_pointer(201), "entity_type is organization, person_id and document_id are null")
            .and_quote(&add.response_pointer(201), "every question is pending")
            .and_quote(&add.pointer, "every question of the new item is pending")
            .and_quote("/components/schemas/Values", "Every question of the pipeline has its entry, from the moment the item exists.")
            .check(created),
        case("location-names-the-values", "Location names the new item's values", "/components/headers/Location")
            .check(location),
        case("appears-in-the-list", "The new item is listed, and total_count is one higher", &add.pointer).check(listed),
        case("at-most-once", "A second request is refused and changes nothing", &add.response_pointer(409))
            .and_quote(&add.pointer, "that is safe, though the response is another one")
            .writes(3)
            .check(at_most_once),
        case("at-once-exactly-one", "Of identical requests at once exactly one is answered 201, the others 409", &add.response_pointer(409))
            .and_quote(&add.pointer, "Of any number of identical requests at once exactly one is answered 201 and the others 409")
            .writes(AT_ONCE as u64)
            .check(at_once),
        case("becomes-ready", "The new item becomes ready, and its questions go from pending to an end where they stay", &add.pointer)
            .and_quote("/components/schemas/ColumnValue", "A question goes from pending to completed, no_answer, failed or skipped, and stays there.")
            .sends(300)
            .check(becomes_ready),
        case("type-with-parameters", "application/json with a charset is accepted", &add.response_pointer(415))
            .quote("Parameters such as charset=utf-8 are accepted.")
            .writes(1 + WITH_PARAMETERS.len() as u64)
            .check(type_with_parameters),
        case("other-type-is-rejected", "A body that is not application/json is rejected", &add.response_pointer(415))
            .writes(1 + OTHER_TYPES.len() as u64)
            .check(other_types),
        case("longest-body-is-accepted", "A body of the greatest length is read", &format!("{}/requestBody/x-max-body-bytes", add.pointer))
            .and(format!("{}/requestBody", add.pointer))
            .writes(1 + TOO_LONG)
            .check(longest_body),
        case("longer-body-is-rejected", "A body of one byte more is rejected", &add.response_pointer(413))
            .writes(1 + TOO_LONG)
            .check(longer_body),
        refused("body-missing", "A request without a body is rejected", &format!("{}/requestBody/required", add.pointer), || {
            vec![Body::Text(String::new())]
        }),
        refused("not-json", "A body that is not JSON is rejected", &schema, || {
            let nobody = nobody();
            let text = [
                "{".to_owned(),
                format!("organization_id={nobody}"),
                format!("{{\"organization_id\": {nobody},}}"),
                format!("{{'organization_id': {nobody}}}"),
                "{} {}".to_owned(),
                " ".to_owned(),
            ];
            text.into_iter().map(Body::Text).chain([Body::Bytes(vec![0x7b, 0xff, 0x7d])]).collect()
        }),
        refused("not-an-object", "A body that is JSON but no object is rejected", &format!("{schema}/type"), || {
            let nobody = nobody();
            let text = [nobody.to_string(), format!("\"{nobody}\""), format!("[{{\"organization_id\": {nobody}}}]")];
            let text = ["[]", "null", "true"].map(str::to_owned).into_iter().chain(text);
            text.map(Body::Text).collect()
        }),
        refused("organization-id-missing", "A body without organization_id is rejected", &format!("{schema}/required"), || {
            let named = ["Organization_id", "organizationId"].map(|name| format!("{{\"{name}\": {}}}", nobody()));
            std::iter::once("{}".to_owned()).chain(named).map(Body::Text).collect()
        }),
        case("unknown-key-is-rejected", "A body with another key is rejected", &format!("{schema}/additionalProperties"))
            .and(add.response_pointer(422))
            .adds(0)
            .writes(2)
            .check(unknown_key),
        case("organization-id-bounds-are-accepted", "The least and the greatest organization_id are ids like any other", &format!("{id}/minimum"))
            .and(format!("{id}/maximum"))
            .and(add.response_pointer(400))
            .needs([Need::Named(NotOrganizations)])
            .adds(0)
            .writes(2)
            .check(bounds),
        case("every-fault-is-told", "Every fault of a request to add is told at once", &add.response_pointer(422))
            .quote("errors lists every fault.")
            .adds(0)
            .check(every_fault),
        refused("organization-id-below-minimum", "An organization_id below the minimum is rejected", &format!("{id}/minimum"), || {
            let least = body_number("minimum");
            [least - 1, least - 2].map(body_of).into()
        }),
        refused("organization-id-over-maximum", "An organization_id above the maximum is rejected", &format!("{id}/maximum"), || {
            vec![body_of(body_number("maximum") + 1), body_of("9223372036854775808"), body_of("1e300")]
        }),
        refused("organization-id-not-an-integer", "An organization_id that is not a whole number is rejected", &format!("{id}/type"), || {
            let nobody = nobody();
            let numbers = [format!("\"{nobody}\""), format!("[{nobody}]"), NO_WHOLE_NUMBER.to_owned()];
            let texts = ["null", "true", "{}", "\"\""].map(str::to_owned);
            numbers.into_iter().chain(texts).map(body_of).collect()
        }),
    ]
}

/// The greatest length of a body in bytes.
pub(crate) fn largest_body() -> usize {
    let body = &Contract::bundled().operation("add_organization").body;
    let most = body.as_ref().and_then(|body| body.max_bytes);
    most.and_then(|most| most.try_into().ok())
        .unwrap_or(usize::MAX)
}

/// An id that no organization has: a deployment that reads it where it should not finds nobody to add.
fn nobody() -> i64 {
    Contract::bundled().greatest_id()
}

fn body_number(keyword: &str) -> i64 {
    let contract = Contract::bundled();
    let operation = &contract.operation("add_organization").pointer;
    let pointer = format!(
        "{operation}/requestBody/content/application~1json/schema/properties/organization_id/{keyword}"
    );
    contract
        .get(&pointer)
        .and_then(Value::as_i64)
        .unwrap_or_default()
}

/// A body whose `organization_id` is this text of JSON.
fn body_of(id: impl std::fmt::Display) -> Body {
    Body::Text(format!("{{\"organization_id\": {id}}}"))
}

fn add(probe: &Probe) -> Result<Call, Stop> {
    Ok(probe
        .call("add_organization")
        .path("pipeline_id", probe.pipeline(Writable)?))
}

fn add_one(probe: &Probe, organization: u64) -> Result<Call, Stop> {
    Ok(add(probe)?.json(&json!({ "organization_id": organization })))
}

/// Adds an organization that was not there; the answer has to be 201.
async fn added(probe: &Probe) -> Result<(u64, Answer), Stop> {
    let organization = probe.organization_to_add()?;
    Ok((
        organization,
        probe.ok(add_one(probe, organization)?.send().await?)?,
    ))
}

/// How many items the writable pipeline has.
async fn count(probe: &Probe) -> Result<(i64, Answer), Stop> {
    let call = probe
        .call("list_items")
        .path("pipeline_id", probe.pipeline(Writable)?)
        .query("limit", 1);
    let page = probe.ok(call.send().await?)?;
    Ok((page.at("/total_count").as_i64().unwrap_or(-1), page))
}

async fn created(probe: Probe) -> Outcome {
    let (organization, answer) = added(&probe).await?;
    let writable = probe.pipeline(Writable)?;
    let expect = probe
        .expect(&answer)
        .status(201)
        .body("/pipeline_id", writable);
    expect
        .body("/entity_type", "organization")
        .body("/organization_id", organization)
        .body("/person_id", Value::Null)
        .body("/document_id", Value::Null);
    for column in question_columns(&answer.body) {
        let entry = &answer.body["values"][&column];
        let holds = entry["status"] == "pending" && entry["result"] == json!([]);
        probe.assert(holds, &column, "pending, with no result", entry, &[&answer]);
    }
    // Every question has its entry from the moment the item exists.
    let call = probe
        .call("get_item_values")
        .path("pipeline_id", writable)
        .path("pipeline_item_id", &answer.body["pipeline_item_id"]);
    let values = probe.ok(call.send().await?)?;
    let questions = |item: &Answer| {
        let columns: BTreeSet<_> = question_columns(&item.body).into_iter().collect();
        json!(columns)
    };
    probe.assert_same(
        "the questions of the new item",
        &questions(&values),
        &questions(&answer),
        &[&answer, &values],
    );
    Ok(())
}

async fn location(probe: Probe) -> Outcome {
    let (_, answer) = added(&probe).await?;
    let item = answer.body["pipeline_item_id"].to_string();
    let call = probe
        .call("get_item_values")
        .path("pipeline_id", probe.pipeline(Writable)?);
    let values = probe.ok(call.path("pipeline_item_id", &item).send().await?)?;
    let path = format!(
        "/api/v1/pipelines/{}/items/{item}/values",
        probe.pipeline(Writable)?
    );
    let seen = answer.header("location").unwrap_or_default();
    // The base URL may have a path of its own, which stands in front.
    probe.assert(
        seen.ends_with(&path),
        "the header Location",
        path,
        seen,
        &[&answer],
    );
    probe
        .expect(&values)
        .body("/organization_id", answer.body["organization_id"].clone());
    Ok(())
}

async fn listed(probe: Probe) -> Outcome {
    let (before, _) = count(&probe).await?;
    let (_, answer) = added(&probe).await?;
    let (after, page) = count(&probe).await?;
    probe.assert(
        after == before + 1,
        "total_count after an addition",
        before + 1,
        after,
        &[&answer, &page],
    );
    let item = &answer.body["pipeline_item_id"];
    let maximum = probe
        .contract()
        .operation("list_items")
        .parameter("limit")
        .number("maximum");
    let listing = probe
        .walk(probe.pipeline(Writable)?, None, None, maximum)
        .await?;
    let mine = listing
        .items
        .iter()
        .filter(|listed| listed["pipeline_item_id"] == *item)
        .count();
    let evidence: Vec<_> = std::iter::once(&answer).chain(&listing.pages).collect();
    probe.assert(
        mine == 1,
        &format!("item {item} in the list"),
        "once",
        format!("{mine} times"),
        &evidence,
    );
    Ok(())
}

async fn at_most_once(probe: Probe) -> Outcome {
    let (organization, first) = added(&probe).await?;
    let (before, _) = count(&probe).await?;
    for _ in 0..2 {
        let again = add_one(&probe, organization)?.send().await?;
        probe
            .expect(&again)
            .refused(409, "organization_already_in_pipeline");
    }
    let (after, page) = count(&probe).await?;
    probe.assert(
        after == before,
        "total_count after a refusal",
        before,
        after,
        &[&first, &page],
    );
    Ok(())
}

async fn at_once(probe: Probe) -> Outcome {
    let organization = probe.organization_to_add()?;
    let (before, _) = count(&probe).await?;
    let requests = (0..AT_ONCE).map(|_| add_one(&probe, organization).map(Call::send));
    let answers = join_all(requests.collect::<Result<Vec<_>, _>>()?).await;
    let answers = answers.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
    answers
        .iter()
        .for_each(|answer| *statuses.entry(answer.status).or_default() += 1);
    let expected = BTreeMap::from([(201, 1), (409, AT_ONCE - 1)]);
    let (after, page) = count(&probe).await?;
    let evidence = [&answers[0], &page];
    let what = format!("the answers to {AT_ONCE} identical requests, by status");
    probe.assert(
        statuses == expected,
        &what,
        format!("{expected:?}"),
        format!("{statuses:?}"),
        &evidence,
    );
    probe.assert(
        after == before + 1,
        "total_count",
        before + 1,
        after,
        &evidence,
    );
    Ok(())
}

/// Looks at a new item until it is ready, and holds every look to the last one.
async fn becomes_ready(probe: Probe) -> Outcome {
    let (_, answer) = added(&probe).await?;
    let item = answer.body["pipeline_item_id"].to_string();
    let pipeline_id = probe.pipeline(Writable)?;
    let read = |operation: &str| {
        probe
            .call(operation)
            .path("pipeline_id", pipeline_id)
            .path("pipeline_item_id", &item)
    };
    let deadline = probe.elapsed() + READY_WITHIN;
    let mut values = answer;
    for look in 0.. {
        let status = probe.ok(read("get_item_status").send().await?)?;
        let now = probe.ok(read("get_item_values").send().await?)?;
        assert_conjunction(&probe, &status);
        assert_transitions(&probe, &values, &now);
        values = now;
        if status.body["is_ready"] == true {
            let seen = format!("{} pending", pending(&values.body));
            probe.assert(
                pending(&values.body) == 0,
                "the questions of a ready item",
                "none pending",
                seen,
                &[&status, &values],
            );
            break;
        }
        if probe.elapsed() > deadline {
            return probe.inconclusive(format!(
                "an item that is ready within {} seconds",
                READY_WITHIN.as_secs()
            ));
        }
        let wait = match look < LOOKS {
            true => BETWEEN_LOOKS,
            false => BETWEEN_LATER_LOOKS,
        };
        probe.sleep(wait).await?;
    }
    let (later, again) = (
        read("get_item_status").send().await?,
        read("get_item_values").send().await?,
    );
    probe.expect(&later).body("/is_ready", true);
    assert_transitions(&probe, &values, &again);
    Ok(())
}

/// A question that has come to an end stays as it is.
fn assert_transitions(probe: &Probe, before: &Answer, after: &Answer) {
    for column in question_columns(&before.body) {
        let (was, is) = (
            &before.body["values"][&column]["status"],
            &after.body["values"][&column]["status"],
        );
        if was == "pending" {
            continue;
        }
        probe.assert(
            was == is,
            &format!("the status of {column}"),
            format!("{was}, as before"),
            is,
            &[before, after],
        );
    }
}

async fn type_with_parameters(probe: Probe) -> Outcome {
    let there = already_there(&probe).await?;
    for media_type in WITH_PARAMETERS {
        let call = add(&probe)?
            .header("Content-Type", media_type)
            .body(there.clone());
        let answer = call.send().await?;
        probe
            .expect(&answer)
            .refused(409, "organization_already_in_pipeline");
    }
    Ok(())
}

/// A body that names an organization which is in the writable pipeline, so that it is read to its end and
/// adds nothing.
pub(crate) async fn already_there(probe: &Probe) -> Result<Body, Stop> {
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

async fn other_types(probe: Probe) -> Outcome {
    let there = already_there(&probe).await?;
    let (before, _) = count(&probe).await?;
    for media_type in OTHER_TYPES {
        let mut call = add(&probe)?.body(there.clone());
        if let Some(media_type) = media_type {
            call = call.header("Content-Type", media_type);
        }
        let answer = call.send().await?;
        probe.expect(&answer).refused(415, "unsupported_media_type");
    }
    unchanged(&probe, before).await
}

async fn longest_body(probe: Probe) -> Outcome {
    let Body::Text(there) = already_there(&probe).await? else {
        return Ok(());
    };
    let call = add(&probe)?
        .header("Content-Type", "application/json")
        .body(Body::Padded(there, largest_body()));
    let answer = call.send().await?;
    probe
        .expect(&answer)
        .refused(409, "organization_already_in_pipeline");
    Ok(())
}

async fn longer_body(probe: Probe) -> Outcome {
    let Body::Text(there) = already_there(&probe).await? else {
        return Ok(());
    };
    let call = add(&probe)?
        .header("Content-Type", "application/json")
        .body(Body::Padded(there, largest_body() + 1));
    let answer = call.send().await?;
    probe.expect(&answer).refused(413, "body_too_large");
    Ok(())
}

/// A key that stands twice is not among them: either the last counts or the body is refused.
async fn unknown_key(probe: Probe) -> Outcome {
    let nobody = nobody();
    let bodies = [
        format!("{{\"organization_id\": {nobody}, \"note\": 1}}"),
        format!("{{\"organization_id\": {nobody}, \"\": null}}"),
    ];
    refused_bodies(probe, bodies.map(Body::Text).into()).await
}

/// A pipeline that takes no organization is told before the organization is looked up, so that nothing can be
/// added.
async fn bounds(probe: Probe) -> Outcome {
    for keyword in ["minimum", "maximum"] {
        let call = probe
            .call("add_organization")
            .path("pipeline_id", probe.pipeline(NotOrganizations)?);
        let body = json!({ "organization_id": body_number(keyword) });
        let answer = call.json(&body).send().await?;
        probe
            .expect(&answer)
            .refused(400, "not_an_organization_pipeline");
    }
    Ok(())
}

async fn every_fault(probe: Probe) -> Outcome {
    let body = json!({ "organization_id": body_number("minimum") - 1, "note": 1 });
    let answer = add(&probe)?.query("offset", 1).json(&body).send().await?;
    let expect = probe.expect(&answer).refused(422, "validation_failed");
    expect
        .fault_at(&["body", "organization_id"])
        .fault_at(&["body", "note"])
        .fault_at(&["query", "offset"]);
    Ok(())
}

/// Asserts that each body is refused, and that the pipeline is as it was.
async fn refused_bodies(probe: Probe, bodies: Vec<Body>) -> Outcome {
    let (before, _) = count(&probe).await?;
    for body in bodies {
        let answer = add(&probe)?
            .header("Content-Type", "application/json")
            .body(body)
            .send()
            .await?;
        probe
            .expect(&answer)
            .refused(422, "validation_failed")
            .fault_at(&["body"]);
    }
    unchanged(&probe, before).await
}

async fn unchanged(probe: &Probe, before: i64) -> Outcome {
    let (after, page) = count(probe).await?;
    probe.assert(
        after == before,
        "total_count after refusals",
        before,
        after,
        &[&page],
    );
    Ok(())
}
