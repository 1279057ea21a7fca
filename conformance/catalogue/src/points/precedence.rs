//! Points about precedence: which error is returned for a request that deserves two.

use std::fmt::Display;

use serde_json::{Value, json};

use super::observation::{ObservationResult, Pages, across, observed, observed_other, on_each};
use super::parameters::READS;
use super::{Point, point};
use engine::case::Need;
use engine::session::presence::NO_ROUTE;
use engine::session::{Call, Probe};
use engine::target::PipelineRole::{ManyItems, Writable};
use engine::target::Role;
use engine::target::Role::{NoAccess, ReadOnly};
use engine::transport::request::Body;
use engine::verdict::Stop;
use pipelines::add::{TOO_LONG, largest_body};
use pipelines::error::precedence::with_malformed_id;
use platform_contract::Contract;
use searches::calls::Search;
use service::header::headers::only_to_add;

pub(super) fn points(contract: &Contract) -> Vec<Point> {
    let mut points = of_routes();
    points.extend(of_keys());
    points.extend(of_malformed_ids());
    points.extend(of_bodies());
    points.extend(of_lookups());
    points.push(of_searches(contract));
    points
}

const AUTHENTICATION: (&str, &str) = ("authentication", "401: the key is checked before the request.");
const AUTHORIZATION: (&str, &str) = ("authorization", "403: a key without permission learns nothing else.");

fn of_keys() -> Vec<Point> {
    let invalid = (
        "validation",
        "422: a malformed request is reported regardless of the key.",
    );
    let media = ("media-type", "415: the type of the body is checked first.");
    let lookup = ("lookup", "404: any known key learns whether the pipeline exists.");
    vec![
        order(
            "precedence-401-422",
            "Which error is returned when the key is missing and a parameter is invalid?",
            AUTHENTICATION,
            invalid,
        )
        .by(|probe| async move {
            let asked = reads(&probe, "abc", Rest::Malformed, |call| call.literal_keys([]));
            first_of([("authentication", 401), ("validation", 422)], asked).await
        }),
        order(
            "precedence-401-404",
            "Which error is returned when the key is missing and the pipeline does not exist?",
            AUTHENTICATION,
            ("lookup", "404: anyone learns whether the pipeline exists."),
        )
        .by(|probe| async move {
            let asked = reads(&probe, probe.unknown_id(), Rest::Sound, |call| call.literal_keys([]));
            first_of([("authentication", 401), ("lookup", 404)], asked).await
        }),
        order(
            "precedence-401-415",
            "Which error is returned when the key is missing and the media type of the body is not supported?",
            AUTHENTICATION,
            media,
        )
        .needs([Need::POST])
        .writes(1)
        .by(|probe| async move {
            let call = add(&probe, probe.pipeline(Writable)?)
                .body(Body::Text("{}".to_owned()))
                .literal_keys([]);
            first_of(
                [("authentication", 401), ("media-type", 415)],
                [("add_organization", Ok(call))],
            )
            .await
        }),
        order(
            "precedence-403-422",
            "Which error is returned when the key is denied and a parameter is invalid?",
            AUTHORIZATION,
            invalid,
        )
        .needs([Need::Key(NoAccess)])
        .by(|probe| async move {
            let asked = reads(&probe, probe.pipeline(ManyItems)?, Rest::Malformed, |call| {
                call.key(NoAccess)
            });
            first_of([("authorization", 403), ("validation", 422)], asked).await
        }),
        order(
            "precedence-403-404",
            "Which error is returned when the key is denied and the pipeline does not exist?",
            AUTHORIZATION,
            lookup,
        )
        .needs([Need::Key(NoAccess)])
        .by(|probe| async move {
            let asked = reads(&probe, probe.unknown_id(), Rest::Sound, |call| call.key(NoAccess));
            first_of([("authorization", 403), ("lookup", 404)], asked).await
        }),
        order(
            "precedence-403-404-adding",
            "Which error is returned when the key may not add and the pipeline does not exist?",
            AUTHORIZATION,
            lookup,
        )
        .needs([Need::Key(ReadOnly), Need::POST])
        .writes(1)
        .by(|probe| async move {
            let call = add(&probe, probe.unknown_id()).json(&json!({})).key(ReadOnly);
            first_of(
                [("authorization", 403), ("lookup", 404)],
                [("add_organization", Ok(call))],
            )
            .await
        }),
        order(
            "precedence-403-415",
            "Which error is returned when the key may not add and the media type of the body is not supported?",
            AUTHORIZATION,
            media,
        )
        .needs([Need::Key(ReadOnly), Need::POST])
        .writes(1)
        .by(|probe| async move {
            let call = add(&probe, probe.pipeline(Writable)?)
                .body(Body::Text("{}".to_owned()))
                .key(ReadOnly);
            first_of(
                [("authorization", 403), ("media-type", 415)],
                [("add_organization", Ok(call))],
            )
            .await
        }),
    ]
}

fn of_routes() -> Vec<Point> {
    vec![
        order(
            "precedence-404-401",
            "Which error is returned when the key is missing and the route is unknown?",
            ("route", "404: the route is checked first."),
            AUTHENTICATION,
        )
        .by(|probe| async move {
            let call = probe.route("GET", NO_ROUTE).literal_keys([]);
            first_of([("route", 404), ("authentication", 401)], [("GET", Ok(call))]).await
        }),
        order(
            "precedence-405-401",
            "Which error is returned when the key is missing and the route does not support the method?",
            ("method", "405: the method is checked first."),
            AUTHENTICATION,
        )
        .by(|probe| async move {
            let call = probe.route("GET", &only_to_add(&probe)).literal_keys([]);
            first_of([("method", 405), ("authentication", 401)], [("GET", Ok(call))]).await
        }),
    ]
}

fn of_malformed_ids() -> Vec<Point> {
    let malformed_id = |id, question| {
        let means = "Keys that are allowed the operation on some pipeline get 422. Any other key is denied with 403.";
        point(id, question, ("permitted", Value::Null, means))
            .or("known", "Every known key gets 422.")
            .or("none", "None: every key is denied with 403.")
            .found_out(
                "Requests the pipeline abc with a key that is denied the operation and with one that is allowed it.",
            )
    };
    vec![
        malformed_id(
            "malformed-id",
            "When reading a pipeline with a malformed id, which keys get the error about the id?",
        )
        .needs([Need::Key(NoAccess)])
        .by(|probe| async move {
            let named = READS.map(|id| (id.to_owned(), id));
            across(named, |id| who_learns(probe.clone(), id, NoAccess)).await
        }),
        malformed_id(
            "malformed-id-adding",
            "When adding to a pipeline with a malformed id, which keys get the error about the id?",
        )
        .needs([Need::Key(ReadOnly), Need::POST])
        .writes(2)
        .by(|probe| who_learns(probe, "add_organization", ReadOnly)),
    ]
}

async fn who_learns(probe: Probe, operation: &str, denied: Role) -> ObservationResult {
    let operation = probe.contract().operation(operation);
    let request = with_malformed_id(operation);
    let (denied, allowed) = (
        request.call(&probe).await?.key(denied).send().await?,
        request.call(&probe).await?.send().await?,
    );
    let evidence = [&denied, &allowed];
    match (denied.status, allowed.status) {
        (403, 422) => observed("permitted", &evidence),
        (422, 422) => observed("known", &evidence),
        (403, 403) => observed("none", &evidence),
        (one, other) => observed_other(format!("answered {one} and {other}"), &evidence),
    }
}

fn of_bodies() -> Vec<Point> {
    let length = ("length", "413: the length of the body is checked first.");
    vec![
        order(
            "precedence-415-413",
            "Which error is returned when the body is too long and its media type is not supported?",
            ("media-type", "415: the type of the body is checked first."),
            length,
        )
        .needs([Need::POST])
        .writes(TOO_LONG)
        .by(|probe| async move {
            let call = add(&probe, probe.pipeline(Writable)?)
                .header("Content-Type", "text/plain")
                .body(too_long(&probe));
            first_of([("media-type", 415), ("length", 413)], [("add_organization", Ok(call))]).await
        }),
        order(
            "precedence-413-422",
            "Which error is returned when the body is too long and the pipeline id is malformed?",
            length,
            ("validation", "422: the path is checked first."),
        )
        .needs([Need::POST])
        .writes(TOO_LONG)
        .by(|probe| async move {
            let call = add(&probe, "abc")
                .header("Content-Type", "application/json")
                .body(too_long(&probe));
            first_of([("length", 413), ("validation", 422)], [("add_organization", Ok(call))]).await
        }),
        order(
            "precedence-422-404-adding",
            "Which error is returned when the body is invalid and the pipeline does not exist?",
            (
                "validation",
                "422: the body is checked before the pipeline is looked up.",
            ),
            ("lookup", "404: the pipeline is looked up first."),
        )
        .needs([Need::POST])
        .writes(1)
        .by(|probe| async move {
            let call = add(&probe, probe.unknown_id()).json(&json!({}));
            first_of([("validation", 422), ("lookup", 404)], [("add_organization", Ok(call))]).await
        }),
    ]
}

fn of_lookups() -> Vec<Point> {
    let validation = (
        "validation",
        "422: the request is checked before anything is looked up.",
    );
    let lookup = ("lookup", "404: it is looked up first.");
    vec![
        order(
            "precedence-422-404",
            "Which error is returned when a parameter is invalid and the pipeline does not exist?",
            validation,
            lookup,
        )
        .by(|probe| async move {
            let asked = reads(&probe, probe.unknown_id(), Rest::Malformed, |call| call);
            first_of([("validation", 422), ("lookup", 404)], asked).await
        }),
        order(
            "precedence-422-400",
            "Which error is returned when both limit and sort_by are invalid?",
            validation,
            ("sort", "400: sort_by is checked first."),
        )
        .by(|probe| async move {
            let call = Pages::Items.call(&probe)?.query("limit", 0).query("sort_by", "name");
            first_of([("validation", 422), ("sort", 400)], [("list_items", Ok(call))]).await
        }),
        order(
            "precedence-404-400",
            "Which error is returned when sort_by is invalid and the pipeline does not exist?",
            ("lookup", "404: the pipeline is looked up first."),
            ("sort", "400: the form of sort_by is checked first."),
        )
        .by(|probe| async move {
            let call = probe
                .call("list_items")
                .path("pipeline_id", probe.unknown_id())
                .query("sort_by", "name");
            first_of([("lookup", 404), ("sort", 400)], [("list_items", Ok(call))]).await
        }),
    ]
}

fn of_searches(contract: &Contract) -> Point {
    point(
        "search-precedence-422-404",
        "Which error is returned when limit is invalid and the record does not exist?",
        (
            "validation",
            Value::Null,
            "422: the request is checked before the record is looked up.",
        ),
    )
    .or("lookup", "404: the record is looked up first.")
    .found_out("Searches by a record that does not exist, with limit=0.")
    .by(on_each(
        &Search::by_known_record(contract),
        |probe, search| async move {
            let unknown_id = probe.unknown_id();
            let call = search.call_with(&probe, unknown_id).query("limit", 0);
            let response = call.send().await?;
            match response.status {
                422 => observed("validation", &[&response]),
                404 => observed("lookup", &[&response]),
                status => observed_other(format!("answered {status}"), &[&response]),
            }
        },
    ))
}

/// Creates a point that compares two errors which one request deserves.
fn order(
    id: &'static str,
    question: &'static str,
    (first, means): (&'static str, &'static str),
    (other, otherwise): (&'static str, &'static str),
) -> Point {
    point(id, question, (first, Value::Null, means))
        .or(other, otherwise)
        .found_out("Sends requests that deserve both errors.")
        .needs([Need::Pipeline(ManyItems)])
}

/// Observes the status of each response. Only a status that the point lists has its own behaviour.
async fn first_of<const N: usize>(
    known: [(&'static str, u16); 2],
    asked: [(&str, Result<Call, Stop>); N],
) -> ObservationResult {
    let named = asked.map(|(name, call)| (name.to_owned(), call));
    across(named, |call| async {
        let response = call?.send().await?;
        match known.iter().find(|(_, status)| *status == response.status) {
            Some((name, _)) => observed(name, &[&response]),
            None => observed_other(format!("answered {}", response.status), &[&response]),
        }
    })
    .await
}

/// The parameters to read with, other than the pipeline.
#[derive(Clone, Copy)]
enum Rest {
    /// A page, and the item 1.
    Sound,
    /// A page of no items, and the item abc.
    Malformed,
}

/// Returns the three reads of a pipeline, each with the same change.
fn reads(
    probe: &Probe,
    pipeline_id: impl Display,
    rest: Rest,
    change: impl Fn(Call) -> Call,
) -> [(&'static str, Result<Call, Stop>); 3] {
    let (list, item) = match rest {
        Rest::Sound => (None, "1"),
        Rest::Malformed => (Some(0), "abc"),
    };
    let read = |operation| {
        let call = probe
            .call(operation)
            .path("pipeline_id", &pipeline_id)
            .path("pipeline_item_id", item);
        let list = list.filter(|_| operation == "list_items");
        (operation, Ok(change(call.query_some("limit", list))))
    };
    ["list_items", "get_item_values", "get_item_status"].map(read)
}

fn add(probe: &Probe, pipeline_id: impl Display) -> Call {
    probe.call("add_organization").path("pipeline_id", pipeline_id)
}

/// A body that is one byte too long and has no meaning.
fn too_long(probe: &Probe) -> Body {
    Body::Padded("[]".to_owned(), largest_body(probe.contract()) + 1)
}
