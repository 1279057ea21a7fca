//! Adding an organization: what answers a request that cannot be met, and what a new item looks like.
//!
//! All of it needs leave to write, and goes to the pipeline that the target names as writable. Only what adds
//! names an organization that exists.

use serde_json::{Value, json};

use super::sight::{
    Seen, across, is_refusal, refused_or, refused_or_accepted, saw, saw_other, saw_value,
};
use super::{Point, point};
use crate::add::{TOO_LONG, largest_body};
use engine::case::Need;
use engine::session::observed::question_columns;
use engine::session::{Call, Probe};
use engine::target::PipelineRole::{ManyItems, NotOrganizations, Writable};
use engine::transport::client::Answer;
use engine::transport::request::Body;
use engine::verdict::Stop;

/// The leave that a point needs to send additions that are refused.
const POST: Need = Need::Method("POST");
const STATUS: &str = "It is refused with this status.";

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
            "What answers a body that is none, no JSON, no object, or has no valid organization_id?",
            ("refused", json!(422), STATUS),
        )
        .or("accepted", "It is not refused.")
        .found_out("Sends nothing, {, [], {}, {\"organization_id\": 0} and {\"organization_id\": \"one\"}.")
        .governing([
            "add/body-missing",
            "add/not-json",
            "add/not-an-object",
            "add/organization-id-*",
        ])
        .needs([POST])
        .writes(6)
        .by(malformed),
        point(
            "add-body-type",
            "What answers a body of another type than application/json?",
            ("refused", json!(415), STATUS),
        )
        .or("read", "It is read all the same.")
        .found_out("Sends {} as text/plain, and the same as application/json to compare.")
        .governing(["add/other-type-is-rejected", "add/type-with-parameters"])
        .needs([POST])
        .writes(2)
        .by(other_type),
        point(
            "add-body-length",
            "What answers a body longer than the contract allows?",
            ("refused", json!(413), STATUS),
        )
        .or("read", "It is read: the answer is the one to the same body without the blanks behind it.")
        .found_out("Sends {} and blanks, one byte more than the contract allows, and {} to compare.")
        .governing(["add/longer-body-is-rejected"])
        .needs([POST])
        .writes(1 + TOO_LONG)
        .by(|probe| padded(probe, largest_body() + 1)),
        point(
            "add-longest-body",
            "Is a body of the greatest length that the contract allows read?",
            ("read", Value::Null, "Yes: the answer is the one to the same body without the blanks behind it."),
        )
        .or("refused", "No: it is refused with this status.")
        .found_out("Sends {} and blanks, as many bytes as the contract allows, and {} to compare.")
        .governing(["add/longest-body-is-accepted"])
        .needs([POST])
        .writes(2)
        .by(|probe| padded(probe, largest_body())),
        point(
            "add-unknown-key",
            "What becomes of a key that the body should not have?",
            ("refused", json!(422), STATUS),
        )
        .or("ignored", "It is ignored.")
        .found_out("Sends an organization_id that does not exist and another key beside it.")
        .governing(["add/unknown-key-is-rejected"])
        .needs([POST])
        .writes(2)
        .by(|probe| async move {
            let body = json!({ "organization_id": probe.contract().greatest_id(), "note": "none" });
            let answer = add(&probe, probe.pipeline(Writable)?).json(&body).send().await?;
            let bare = add(&probe, probe.pipeline(Writable)?).json(&unknown(&probe)).send().await?;
            ignored_or_refused(&answer, &bare, "ignored")
        }),
    ]
}

fn of_unknown() -> Vec<Point> {
    vec![
        point(
            "add-unknown-pipeline",
            "What answers adding to a pipeline that does not exist?",
            ("refused", json!(404), STATUS),
        )
        .found_out("Adds an organization that does not exist to a pipeline that does not exist.")
        .governing(["error/unknown-pipeline/add_organization", "error/404-before-404/add_organization"])
        .needs([POST])
        .writes(1)
        .by(|probe| async move {
            refused_or_accepted(add(&probe, probe.contract().greatest_id()).json(&unknown(&probe)), "accepted").await
        }),
        point(
            "add-unknown-organization",
            "What answers adding an organization that does not exist?",
            ("refused", json!(404), STATUS),
        )
        .found_out("Adds an organization that does not exist.")
        .governing(["error/unknown-organization/add_organization"])
        .needs([POST])
        .writes(1)
        .by(|probe| async move {
            let call = add(&probe, probe.pipeline(Writable)?).json(&unknown(&probe));
            refused_or_accepted(call, "accepted").await
        }),
        point(
            "add-to-another-kind",
            "What answers adding an organization to a pipeline of persons or documents?",
            ("refused", json!(400), STATUS),
        )
        .found_out("Adds an organization that does not exist to such a pipeline; 404 tells that the organization was looked up first.")
        .governing(["error/not-an-organization-pipeline/add_organization", "error/400-before-404/add_organization"])
        .needs([POST, Need::Named(NotOrganizations)])
        .writes(1)
        .by(|probe| async move {
            let call = add(&probe, probe.pipeline(NotOrganizations)?).json(&unknown(&probe));
            refused_or_accepted(call, "accepted").await
        }),
    ]
}

fn of_additions() -> Vec<Point> {
    let points = vec![
        point(
            "add-existing",
            "What answers adding an organization that is in the pipeline?",
            ("refused", json!(409), STATUS),
        )
        .or("same-item", "A success: the item that is there.")
        .or("another-item", "A success: a second item.")
        .found_out("Adds an organization to the writable pipeline, twice.")
        .governing([
            "add/at-most-once",
            "add/at-once-exactly-one",
            "error/already-there/add_organization",
        ])
        .writes(2)
        .by(existing),
        point(
            "new-item",
            "What does the answer to an addition show of the questions?",
            (
                "pending",
                Value::Null,
                "Every question is there, pending and without a result.",
            ),
        )
        .or(
            "answered",
            "Some question is no longer pending: the answer waits for them.",
        )
        .or("without-questions", "The questions are not there yet.")
        .found_out("Adds an organization to the writable pipeline.")
        .governing(["add/created", "add/becomes-ready"])
        .writes(1)
        .by(new_item),
        point(
            "add-location",
            "What does Location name in the answer to an addition?",
            ("values", Value::Null, "The path of the new item's values."),
        )
        .or(
            "item",
            "A path of the new item, and not that of its values.",
        )
        .or("absent", "There is no such header.")
        .found_out("Adds an organization to the writable pipeline.")
        .governing(["add/location-names-the-values"])
        .writes(1)
        .by(location),
    ];
    points
        .into_iter()
        .map(|point| point.needs([Need::Writes, Need::Pipeline(ManyItems)]))
        .collect()
}

fn unknown(probe: &Probe) -> Value {
    json!({ "organization_id": probe.contract().greatest_id() })
}

fn add(probe: &Probe, pipeline_id: impl std::fmt::Display) -> Call {
    probe
        .call("add_organization")
        .path("pipeline_id", pipeline_id)
}

async fn malformed(probe: Probe) -> Seen {
    let pipeline_id = probe.pipeline(Writable)?;
    let bodies = [
        ("nothing", ""),
        ("no JSON", "{"),
        ("no object", "[]"),
        ("no organization_id", "{}"),
        ("organization_id 0", "{\"organization_id\": 0}"),
        (
            "organization_id that is a text",
            "{\"organization_id\": \"one\"}",
        ),
    ];
    across(bodies.map(|(name, body)| (name.to_owned(), body)), |body| {
        let call = add(&probe, pipeline_id).header("Content-Type", "application/json");
        refused_or_accepted(call.body(Body::Text(body.to_owned())), "accepted")
    })
    .await
}

/// What a deployment makes of a request: what it makes of one without the oddity, or a refusal.
fn ignored_or_refused(answer: &Answer, bare: &Answer, ignored: &'static str) -> Seen {
    match is_refusal(answer) && (answer.status, answer.code()) == (bare.status, bare.code()) {
        true => saw(ignored, &[answer, bare]),
        false => refused_or(answer, || saw(ignored, &[answer])),
    }
}

async fn other_type(probe: Probe) -> Seen {
    let call = || Ok::<_, Stop>(add(&probe, probe.pipeline(Writable)?));
    let text = || Body::Text("{}".to_owned());
    let bare = call()?.json(&json!({})).send().await?;
    let answer = call()?
        .header("Content-Type", "text/plain")
        .body(text())
        .send()
        .await?;
    ignored_or_refused(&answer, &bare, "read")
}

/// What answers a body of this many bytes, most of them blanks.
async fn padded(probe: Probe, length: usize) -> Seen {
    let call = || Ok::<_, Stop>(add(&probe, probe.pipeline(Writable)?));
    let bare = call()?.json(&json!({})).send().await?;
    let body = Body::Padded("{}".to_owned(), length);
    let answer = call()?
        .header("Content-Type", "application/json")
        .body(body)
        .send()
        .await?;
    ignored_or_refused(&answer, &bare, "read")
}

/// Adds an organization that was not there.
async fn added(probe: &Probe) -> Result<(Call, Answer), Stop> {
    let body = json!({ "organization_id": probe.organization_to_add()? });
    let call = || Ok::<_, Stop>(add(probe, probe.pipeline(Writable)?).json(&body));
    let answer = probe.ok(call()?.send().await?)?;
    Ok((call()?, answer))
}

async fn existing(probe: Probe) -> Seen {
    let (again, first) = added(&probe).await?;
    let second = again.send().await?;
    refused_or(&second, || {
        match first.at("/pipeline_item_id") == second.at("/pipeline_item_id") {
            true => saw_value("same-item", second.status, &[&first, &second]),
            false => saw_value("another-item", second.status, &[&first, &second]),
        }
    })
}

async fn new_item(probe: Probe) -> Seen {
    let (_, answer) = added(&probe).await?;
    let columns = question_columns(&answer.body);
    if columns.is_empty() {
        let listed = probe
            .listing(probe.pipeline(ManyItems)?, None, None)
            .await?;
        let has_questions = listed
            .items
            .first()
            .is_some_and(|item| !question_columns(item).is_empty());
        return match has_questions {
            true => saw("without-questions", &[&answer]),
            false => super::sight::untold("a pipeline with a question"),
        };
    }
    let is_pending = |column: &String| {
        let entry = &answer.body["values"][column];
        entry["status"] == "pending" && entry["result"] == json!([])
    };
    match columns.iter().all(is_pending) {
        true => saw("pending", &[&answer]),
        false => saw("answered", &[&answer]),
    }
}

async fn location(probe: Probe) -> Seen {
    let (_, answer) = added(&probe).await?;
    let item = answer.at("/pipeline_item_id").to_string();
    match answer.header("location").unwrap_or_default() {
        "" => saw("absent", &[&answer]),
        path if path.ends_with(&format!("/items/{item}/values")) => saw("values", &[&answer]),
        path if path.contains(&item) => saw("item", &[&answer]),
        _ => saw_other("something else", &[&answer]),
    }
}
