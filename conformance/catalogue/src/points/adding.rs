//! Points about adding an organization: the response to a request that cannot be fulfilled, and the contents of a new
//! item.
//!
//! Every point here needs permission to write and uses the pipeline that the target names as writable. Only the points
//! that add an item name an organization that exists.

use serde_json::{Value, json};

use super::observation::{
    ObservationResult, across, is_rejection, observed, observed_other, observed_value, rejected_or,
    rejected_or_accepted, unknown_without,
};
use super::{Point, point};
use engine::case::Need;
use engine::session::observed::question_columns;
use engine::session::{Call, Probe};
use engine::target::PipelineRole::{ManyItems, NotOrganizations, Writable};
use engine::transport::request::Body;
use engine::transport::response::HttpResponse;
use engine::verdict::Stop;
use pipelines::add::ready::look_at_ready_item;
use pipelines::add::rejected::{REJECTED, rejections};
use pipelines::add::{TOO_LONG, largest_body};

/// The meaning of `refused`: any status that rejects the addition.
const STATUS: &str = "It is rejected with this status.";

pub(super) fn points() -> Vec<Point> {
    let mut points = of_bodies();
    points.extend(of_unknown());
    points.extend(of_additions());
    points
}

fn of_bodies() -> Vec<Point> {
    vec![
        point(
            "add-body-malformed",
            "What is the response to a body that is missing, not JSON, not an object, or without a valid organization_id?",
            ("refused", json!(422), STATUS),
        )
        .or("accepted", "It is not rejected.")
        .found_out("Sends nothing, {, [], {}, {\"organization_id\": 0} and {\"organization_id\": \"one\"}.")
        .needs([Need::POST])
        .writes(6)
        .by(malformed),
        point(
            "add-body-type",
            "What is the response to a body whose media type is not application/json?",
            ("refused", json!(415), STATUS),
        )
        .or("read", "It is read anyway.")
        .found_out("Sends {} as text/plain, and the same body as application/json to compare.")
        .needs([Need::POST])
        .writes(2)
        .by(other_type),
        point(
            "add-body-length",
            "What is the response to a body that is longer than the contract allows?",
            ("refused", json!(413), STATUS),
        )
        .or(
            "read",
            "It is read: the response is the same as for the body without the padding.",
        )
        .found_out("Sends {} padded with blanks to one byte more than the contract allows, and {} to compare.")
        .needs([Need::POST])
        .writes(1 + TOO_LONG)
        .by(|probe| async move {
            let length = largest_body(probe.contract()) + 1;
            padded(probe, length).await
        }),
        point(
            "add-longest-body",
            "Is a body of the maximum length accepted?",
            (
                "read",
                Value::Null,
                "Yes: the response is the same as for the body without the padding.",
            ),
        )
        .or("refused", "No: it is rejected with this status.")
        .found_out("Sends {} padded with blanks to the greatest length that the contract allows, and {} to compare.")
        .needs([Need::POST])
        .writes(2)
        .by(|probe| async move {
            let length = largest_body(probe.contract());
            padded(probe, length).await
        }),
        point(
            "add-unknown-key",
            "What happens when the body has an unknown key?",
            ("refused", json!(422), STATUS),
        )
        .or("ignored", "It is ignored.")
        .found_out("Sends an organization_id that does not exist, together with another key.")
        .needs([Need::POST])
        .writes(2)
        .by(|probe| async move {
            let body = json!({ "organization_id": probe.unknown_id(), "note": "none" });
            let response = add(&probe, probe.pipeline(Writable)?).json(&body).send().await?;
            let bare = add(&probe, probe.pipeline(Writable)?)
                .json(&unknown(&probe))
                .send()
                .await?;
            ignored_or_rejected(&response, &bare, "ignored")
        }),
    ]
}

fn of_unknown() -> Vec<Point> {
    vec![
        point(
            "add-unknown-pipeline",
            "What is the response to an addition to a pipeline that does not exist?",
            ("refused", json!(404), STATUS),
        )
        .found_out("Adds an organization that does not exist to a pipeline that does not exist.")
        .needs([Need::POST])
        .writes(1)
        .by(|probe| async move {
            rejected_or_accepted(add(&probe, probe.unknown_id()).json(&unknown(&probe)), "accepted").await
        }),
        point(
            "add-unknown-organization",
            "What is the response to the addition of an organization that does not exist?",
            ("refused", json!(404), STATUS),
        )
        .found_out("Adds an organization that does not exist.")
        .needs([Need::POST])
        .writes(1)
        .by(|probe| async move {
            let call = add(&probe, probe.pipeline(Writable)?).json(&unknown(&probe));
            rejected_or_accepted(call, "accepted").await
        }),
        point(
            "add-to-another-kind",
            "What is the response to the addition of an organization to a pipeline of persons or documents?",
            ("refused", json!(400), STATUS),
        )
        .found_out(
            "Adds an organization that does not exist to such a pipeline; 404 means that the organization was \
             looked up first.",
        )
        .needs([Need::POST, Need::Named(NotOrganizations)])
        .writes(1)
        .by(|probe| async move {
            let call = add(&probe, probe.pipeline(NotOrganizations)?).json(&unknown(&probe));
            rejected_or_accepted(call, "accepted").await
        }),
    ]
}

fn of_additions() -> Vec<Point> {
    let points = vec![
        point(
            "add-existing",
            "What is the response to the addition of an organization that is already in the pipeline?",
            ("refused", json!(409), STATUS),
        )
        .or("same-item", "A success with the existing item.")
        .or("another-item", "A success with a second item.")
        .found_out("Adds an organization to the writable pipeline twice.")
        .writes(2)
        .by(existing),
        point(
            "rejected-addition",
            "Does a rejected addition add an item anyway?",
            ("nothing-added", Value::Null, "No: nothing is added."),
        )
        .or("added", "Yes: an item is added.")
        .found_out(
            "Names an organization that could be added, in bodies with another key or of another type, and without \
             a key.",
        )
        .writes(REJECTED)
        .by(rejected),
        point(
            "new-item",
            "Which state do the questions have in the response to an addition?",
            (
                "pending",
                Value::Null,
                "Every question is present, pending and without a result.",
            ),
        )
        .or(
            "answered",
            "Some question is no longer pending: the response waits for the results.",
        )
        .or("without-questions", "The questions are not present yet.")
        .found_out("Adds an organization to the writable pipeline.")
        .writes(1)
        .by(new_item),
        point(
            "add-location",
            "What does the Location of the response to an addition point to?",
            ("values", Value::Null, "The path of the new item's values."),
        )
        .or("item", "Another path of the new item.")
        .or("absent", "The header is absent.")
        .found_out("Adds an organization to the writable pipeline.")
        .writes(1)
        .by(location),
    ];
    let points = points.into_iter();
    points
        .map(|point| point.needs([Need::Writes, Need::Pipeline(ManyItems)]))
        .chain([ready_item()])
        .collect()
}

fn ready_item() -> Point {
    point(
        "ready-item",
        "Does an item that is ready stay ready, with its questions answered?",
        ("stays", Value::Null, "Yes, unless a new question is asked."),
    )
    .or(
        "falls-back",
        "No: it is not ready again, or a question is pending again.",
    )
    .found_out("Reads the status and the values of a ready item of the writable pipeline several times.")
    .needs([Need::Pipeline(Writable), Need::Pipeline(ManyItems)])
    .by(|probe| async move {
        match look_at_ready_item(&probe).await? {
            Some((response, true)) => observed("stays", &[&response]),
            Some((response, false)) => observed("falls-back", &[&response]),
            None => unknown_without("a ready item among the newest of the writable pipeline"),
        }
    })
}

fn unknown(probe: &Probe) -> Value {
    json!({ "organization_id": probe.unknown_id() })
}

fn add(probe: &Probe, pipeline_id: impl std::fmt::Display) -> Call {
    probe.call("add_organization").path("pipeline_id", pipeline_id)
}

async fn malformed(probe: Probe) -> ObservationResult {
    let pipeline_id = probe.pipeline(Writable)?;
    let bodies = [
        ("nothing", ""),
        ("no JSON", "not JSON"),
        ("no object", "not an object"),
        ("no organization_id", "{}"),
        ("organization_id 0", "{\"organization_id\": 0}"),
        ("organization_id that is a string", "{\"organization_id\": \"one\"}"),
    ];
    across(bodies.map(|(name, body)| (name.to_owned(), body)), |body| {
        let call = add(&probe, pipeline_id).header("Content-Type", "application/json");
        rejected_or_accepted(call.body(Body::Text(body.to_owned())), "accepted")
    })
    .await
}

/// Compares the response with the one to an ordinary request: the oddity is ignored, or the request is rejected.
fn ignored_or_rejected(response: &HttpResponse, bare: &HttpResponse, ignored: &'static str) -> ObservationResult {
    match is_rejection(response) && (response.status, response.code()) == (bare.status, bare.code()) {
        true => observed(ignored, &[response, bare]),
        false => rejected_or(response, || observed(ignored, &[response])),
    }
}

async fn other_type(probe: Probe) -> ObservationResult {
    let call = || Ok::<_, Stop>(add(&probe, probe.pipeline(Writable)?));
    let text = || Body::Text("{}".to_owned());
    let bare = call()?.json(&json!({})).send().await?;
    let response = call()?.header("Content-Type", "text/plain").body(text()).send().await?;
    ignored_or_rejected(&response, &bare, "read")
}

/// Sends a body of this many bytes, most of them spaces.
async fn padded(probe: Probe, length: usize) -> ObservationResult {
    let call = || Ok::<_, Stop>(add(&probe, probe.pipeline(Writable)?));
    let bare = call()?.json(&json!({})).send().await?;
    let body = Body::Padded("{}".to_owned(), length);
    let response = call()?
        .header("Content-Type", "application/json")
        .body(body)
        .send()
        .await?;
    ignored_or_rejected(&response, &bare, "read")
}

/// Adds an organization that is not in the pipeline yet.
async fn added(probe: &Probe) -> Result<(Call, HttpResponse), Stop> {
    let body = json!({ "organization_id": probe.organization_to_add()? });
    let call = || Ok::<_, Stop>(add(probe, probe.pipeline(Writable)?).json(&body));
    let response = probe.ok(call()?.send().await?)?;
    Ok((call()?, response))
}

async fn existing(probe: Probe) -> ObservationResult {
    let (again, first) = added(&probe).await?;
    let second = again.send().await?;
    rejected_or(&second, || {
        match first.at("/pipeline_item_id") == second.at("/pipeline_item_id") {
            true => observed_value("same-item", second.status, &[&first, &second]),
            false => observed_value("another-item", second.status, &[&first, &second]),
        }
    })
}

async fn rejected(probe: Probe) -> ObservationResult {
    let before = probe.count_items(Writable).await?;
    for call in rejections(&probe, probe.organization_to_add()?)? {
        let response = call.send().await?;
        if response.status < 400 {
            return observed_other(format!("answered {}", response.status), &[&response]);
        }
    }
    let after = probe.count_items(Writable).await?;
    match before.at("/total_count") == after.at("/total_count") {
        true => observed("nothing-added", &[&before, &after]),
        false => observed("added", &[&before, &after]),
    }
}

async fn new_item(probe: Probe) -> ObservationResult {
    let (_, response) = added(&probe).await?;
    let columns = question_columns(&response.body);
    if columns.is_empty() {
        let listed = probe.listing(probe.pipeline(ManyItems)?, None, None).await?;
        let has_questions = listed
            .items
            .first()
            .is_some_and(|item| !question_columns(item).is_empty());
        return match has_questions {
            true => observed("without-questions", &[&response]),
            false => unknown_without("a pipeline with a question"),
        };
    }
    let is_pending = |column: &String| {
        let entry = &response.body["values"][column];
        entry["status"] == "pending" && entry["result"] == json!([])
    };
    match columns.iter().all(is_pending) {
        true => observed("pending", &[&response]),
        false => observed("answered", &[&response]),
    }
}

async fn location(probe: Probe) -> ObservationResult {
    let (_, response) = added(&probe).await?;
    let item = response.at("/pipeline_item_id").to_string();
    match response.header("location").unwrap_or_default() {
        "" => observed("absent", &[&response]),
        path if path.ends_with(&format!("/items/{item}/values")) => observed("values", &[&response]),
        path if path.contains(&item) => observed("item", &[&response]),
        _ => observed_other("something else", &[&response]),
    }
}
