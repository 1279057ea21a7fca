//! Points about parameters that an operation does not have or that are sent twice, ids that are not valid ids, and
//! whether every error of a request is listed.

use serde_json::{Value, json};
use std::sync::Arc;

use super::observation::{
    ObservationResult, Pages, across, is_rejection, observed, observed_other, on_each, rejected_or,
    rejected_or_accepted,
};
use super::{Point, point};
use engine::case::{Need, RequestTemplate};
use engine::session::Probe;
use engine::target::PipelineRole::{ManyItems, Writable};
use engine::transport::response::HttpResponse;
use platform_contract::{Contract, Operation};
use searches::calls::Search;
use service::http::encoding::{operations, pairs};

/// The operations that read a pipeline.
pub(super) const READS: [&str; 3] = ["list_items", "get_item_values", "get_item_status"];
const REJECTED: &str = "It is rejected with this status.";

async fn encoded(probe: Probe, operation: Arc<Operation>) -> ObservationResult {
    let pairs = pairs(&probe, &operation).await?;
    let evidence: Vec<_> = pairs.iter().flat_map(|(plain, encoded)| [encoded, plain]).collect();
    match pairs.iter().all(|(plain, encoded)| plain.status == encoded.status) {
        true => observed("same", &evidence),
        false => observed("another", &evidence),
    }
}

pub(super) fn points(contract: &Contract) -> Vec<Point> {
    let searches = Search::all(contract);
    let by_record = Search::by_known_record(contract);
    let of = |point: Point| point.needs([Need::Pipeline(ManyItems)]);
    vec![
        of(unknown(
            "unknown-parameter",
            "What is the response to an unknown parameter when a pipeline is read?",
        ))
        .by(|probe| {
            reads(probe, |probe, operation| async move {
                let request = RequestTemplate::valid(&operation).query("offset", 1);
                rejected_or_accepted(request.call(&probe).await?, "ignored").await
            })
        }),
        of(unknown(
            "add-unknown-parameter",
            "What is the response to an unknown parameter when an organization is added?",
        ))
        .or(
            "judged-later",
            "Another error in the request is reported, with another status.",
        )
        .needs([Need::POST])
        .writes(1)
        .by(|probe| async move {
            let operation = probe.contract().operation("add_organization");
            let unknown_id = probe.unknown_id();
            let call = probe
                .call(&operation.id)
                .path("pipeline_id", probe.pipeline(Writable)?)
                .query("offset", 1);
            let response = call.json(&json!({ "organization_id": unknown_id })).send().await?;
            match response.status {
                404 => observed("ignored", &[&response]),
                _ => rejected_or(&response, || observed("ignored", &[&response])),
            }
        }),
        unknown(
            "search-unknown-parameter",
            "What is the response of a search to an unknown parameter?",
        )
        .by(on_each(&searches, |probe, search| async move {
            rejected_or_accepted(search.call(&probe)?.query("offset", 1), "ignored").await
        })),
        of(point(
            "encoded-characters",
            "Does a percent-encoded letter or digit in a path mean that letter or digit?",
            ("same", Value::Null, "Yes: the response is that of the path as usual."),
        ))
        .or("another", "No: the path is another one, or none.")
        .found_out("Sends reads whose paths have percent-encoded ids or letters, and the same reads without encoding.")
        .by(|probe| async move {
            let operations = operations(probe.contract());
            let reads = operations.map(|operation| (operation.id.clone(), operation));
            let reads: Vec<_> = reads.filter(|(id, _)| READS.contains(&id.as_str())).collect();
            across(reads, |operation| encoded(probe.clone(), operation)).await
        }),
        of(repeated(
            "list-repeated-parameter",
            "What happens when a parameter of a list request is sent twice?",
        ))
        .by(|probe| limit_twice(probe, Pages::Items)),
        repeated(
            "search-repeated-parameter",
            "What happens when a single-valued search parameter is sent twice?",
        )
        .by(on_each(&searches, |probe, search| {
            limit_twice(probe, Pages::Results(search))
        })),
        of(faults(
            "faults-told",
            "Which errors are listed when a list request has several?",
        ))
        .by(|probe| listed_faults(probe, Pages::Items)),
        faults(
            "search-faults-told",
            "Which errors are listed when a search request has several?",
        )
        .by(on_each(&searches, |probe, search| {
            listed_faults(probe, Pages::Results(search))
        })),
        of(id(
            "path-id-malformed",
            "What is the response to an id that is not a whole number in the path of a pipeline operation?",
        ))
        .found_out("Requests the pipeline abc and the item abc.")
        .by(|probe| ids(probe, "abc")),
        of(id(
            "path-id-out-of-range",
            "What is the response to an id below 1 or above 2^53 - 1 in the path of a pipeline operation?",
        ))
        .found_out("Requests the pipeline 0 and the item 0.")
        .by(|probe| ids(probe, "0")),
        of(id(
            "add-path-id",
            "What is the response to an addition whose pipeline id is malformed?",
        ))
        .needs([Need::POST])
        .writes(2)
        .found_out("Adds an organization that does not exist to the pipelines abc and 0.")
        .by(|probe| async move {
            let unknown_id = probe.unknown_id();
            let named = ["abc", "0"].map(|id| (id.to_owned(), id));
            across(named, |id| {
                let call = probe.call("add_organization").path("pipeline_id", id);
                rejected_or_accepted(call.json(&json!({ "organization_id": unknown_id })), "accepted")
            })
            .await
        }),
        id(
            "search-id-malformed",
            "What is the response to a search by a known record whose id is not a 64-bit integer?",
        )
        .found_out("Searches by the records abc.")
        .by(on_each(&by_record, |probe, search| async move {
            rejected_or_accepted(search.call_with(&probe, "abc"), "accepted").await
        })),
        id(
            "search-id-out-of-range",
            "What is the response to a search by a known record whose id is below 1 or above 2^53 - 1?",
        )
        .found_out("Searches by the records 0.")
        .by(on_each(&by_record, |probe, search| async move {
            rejected_or_accepted(search.call_with(&probe, "0"), "accepted").await
        })),
    ]
}

fn unknown(id: &'static str, question: &'static str) -> Point {
    point(id, question, ("refused", json!(422), REJECTED))
        .or("ignored", "It is ignored.")
        .found_out("Sends a valid request with offset=1.")
}

fn repeated(id: &'static str, question: &'static str) -> Point {
    point(id, question, ("refused", json!(422), REJECTED))
        .or("first", "The first value counts.")
        .or("last", "The last value counts.")
        .found_out("Requests a page with limit=1&limit=2.")
}

fn faults(id: &'static str, question: &'static str) -> Point {
    point(id, question, ("all", Value::Null, "All of them are listed in errors."))
        .or("some", "Some of them are listed.")
        .or("one", "One of them is listed.")
        .or("none", "It is rejected, and errors lists none of them.")
        .found_out("Requests a page with limit=0, skip=-1 and offset=1.")
}

fn id(id: &'static str, question: &'static str) -> Point {
    point(id, question, ("refused", json!(422), REJECTED)).or("accepted", "It is treated like any other id.")
}

/// Makes one observation on each of the three operations that read a pipeline.
async fn reads<Answered>(probe: Probe, look: impl Fn(Probe, Arc<Operation>) -> Answered) -> ObservationResult
where
    Answered: Future<Output = ObservationResult> + Send,
{
    let operation = |id| Arc::clone(probe.contract().operation(id));
    let named = READS.map(|id| (id.to_owned(), operation(id)));
    across(named, |operation| look(probe.clone(), operation)).await
}

async fn limit_twice(probe: Probe, pages: Pages) -> ObservationResult {
    let call = pages.call(&probe)?.query("limit", 1).query("limit", 2);
    let response = call.send().await?;
    rejected_or(&response, || match pages.count(&response) {
        1 => observed("first", &[&response]),
        2 => observed("last", &[&response]),
        count => observed_other(format!("{count} entries"), &[&response]),
    })
}

async fn listed_faults(probe: Probe, pages: Pages) -> ObservationResult {
    let faults = [("limit", "0"), ("skip", "-1"), ("offset", "1")];
    let call = faults
        .iter()
        .fold(pages.call(&probe)?, |call, (name, value)| call.query(name, value));
    let response = call.send().await?;
    if !is_rejection(&response) {
        return observed_other(format!("answered {}", response.status), &[&response]);
    }
    let named = faults.iter().filter(|(name, _)| names(&response, name)).count();
    match named {
        0 => observed("none", &[&response]),
        1 => observed("one", &[&response]),
        all if all == faults.len() => observed("all", &[&response]),
        _ => observed("some", &[&response]),
    }
}

/// Whether the errors of a problem name a query parameter.
fn names(response: &HttpResponse, parameter: &str) -> bool {
    let errors = response.at("/errors").as_array().into_iter().flatten();
    let mut places = errors.map(|error| &error["loc"]);
    places.any(|place| *place == json!(["query", parameter]))
}

/// Observes how a pipeline and an item with this id are answered.
async fn ids(probe: Probe, id: &'static str) -> ObservationResult {
    let asked = [
        ("list_items", "pipeline_id"),
        ("get_item_values", "pipeline_id"),
        ("get_item_status", "pipeline_id"),
        ("get_item_values", "pipeline_item_id"),
        ("get_item_status", "pipeline_item_id"),
    ];
    let named = asked.map(|(operation, name)| {
        let operation = probe.contract().operation(operation);
        let request = RequestTemplate::valid(operation).path(name, id);
        (format!("{} {name}", operation.id), request)
    });
    across(named, |request| {
        let probe = probe.clone();
        async move { rejected_or_accepted(request.call(&probe).await?, "accepted").await }
    })
    .await
}
