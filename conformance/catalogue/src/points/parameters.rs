//! Parameters that an operation does not have, or that are given twice, ids that are none, and whether
//! every fault of a request is told.

use serde_json::{Value, json};

use super::sight::{
    Pages, Seen, across, across_searches, is_refusal, refused_or, refused_or_accepted, saw,
    saw_other,
};
use super::{Point, point};
use crate::search::calls::Search;
use crate::support::any_operation::{call, first_item};
use engine::case::Need;
use engine::session::Probe;
use engine::target::PipelineRole::{ManyItems, Writable};
use engine::transport::client::Answer;
use platform_contract::{Contract, Operation};

/// The reads of the pipelines.
pub(super) const READS: [&str; 3] = ["list_items", "get_item_values", "get_item_status"];
const REFUSED: &str = "It is refused with this status.";

pub(super) fn points() -> Vec<Point> {
    let of = |point: Point| point.needs([Need::Pipeline(ManyItems)]);
    vec![
        of(unknown("unknown-parameter", "What do the reads of a pipeline make of a parameter that they do not have?"))
            .governing([
                "parameter/unknown-is-rejected/list_items",
                "parameter/unknown-is-rejected/get_item_values",
                "parameter/unknown-is-rejected/get_item_status",
            ])
            .by(|probe| reads(probe, |probe, operation| async move {
                refused_or_accepted(call(&probe, operation).await?.query("offset", 1), "ignored").await
            })),
        of(unknown("add-unknown-parameter", "What does adding make of a parameter that it does not have?"))
            .or("judged-later", "Another fault of the request is told, with another status.")
            .governing(["parameter/unknown-is-rejected/add_organization"])
            .needs([Need::Method("POST")])
            .writes(1)
            .by(|probe| async move {
                let operation = probe.contract().operation("add_organization");
                let nobody = probe.contract().greatest_id();
                let call = probe
                    .call(&operation.id)
                    .path("pipeline_id", probe.pipeline(Writable)?)
                    .query("offset", 1);
                let answer = call.json(&json!({ "organization_id": nobody })).send().await?;
                match answer.status {
                    404 => saw("ignored", &[&answer]),
                    _ => refused_or(&answer, || saw("ignored", &[&answer])),
                }
            }),
        unknown("search-unknown-parameter", "What do the searches make of a parameter that they do not have?")
            .governing(["search-error/unknown-parameter-is-rejected/*"])
            .by(|probe| across_searches(move |search| {
                let probe = probe.clone();
                async move { refused_or_accepted(search.call(&probe)?.query("offset", 1), "ignored").await }
            })),
        of(repeated("list-repeated-parameter", "What becomes of a parameter of a list that is given twice?"))
            .governing([
                "limit/repeated-is-rejected",
                "skip/repeated-is-rejected",
                "sort/repeated-sort-by-is-rejected",
                "sort/repeated-sort-order-is-rejected",
            ])
            .by(|probe| limit_twice(probe, Pages::Items)),
        repeated("search-repeated-parameter", "What becomes of a parameter of a search that takes one value and is given twice?")
            .governing(["search-limit/repeated-is-rejected/*", "search-values/repeated-is-rejected/*", "search-text/repeated-is-rejected/*"])
            .by(|probe| across_searches(move |search| limit_twice(probe.clone(), Pages::Results(search)))),
        of(faults("faults-told", "Of several faults of a request for a list, which are told?"))
            .governing(["parameter/every-fault-is-told", "add/every-fault-is-told"])
            .by(|probe| told(probe, Pages::Items)),
        faults("search-faults-told", "Of several faults of a search, which are told?")
            .governing(["search-error/all-faults-are-named/*"])
            .by(|probe| across_searches(move |search| told(probe.clone(), Pages::Results(search)))),
        of(id("path-id-malformed", "What answers an id in the path of a pipeline operation that is no whole number?"))
            .governing(["parameter/*-not-an-integer/get_*", "parameter/*-not-an-integer/list_items"])
            .found_out("Asks for the pipeline abc, and for the item abc.")
            .by(|probe| ids(probe, "abc")),
        of(id("path-id-out-of-range", "What answers an id in the path of a pipeline operation that is below 1 or above 2^53 - 1?"))
            .governing([
                "parameter/*-below-minimum/get_*",
                "parameter/*-below-minimum/list_items",
                "parameter/*-over-maximum/get_*",
                "parameter/*-over-maximum/list_items",
                "parameter/*-bounds-are-accepted/get_*",
                "parameter/*-bounds-are-accepted/list_items",
            ])
            .found_out("Asks for the pipeline 0, and for the item 0.")
            .by(|probe| ids(probe, "0")),
        of(id("add-path-id", "What answers adding to a pipeline whose id is no id?"))
            .governing(["parameter/pipeline-id-*/add_organization"])
            .needs([Need::Method("POST")])
            .writes(2)
            .found_out("Adds an organization that does not exist to the pipelines abc and 0.")
            .by(|probe| async move {
                let nobody = probe.contract().greatest_id();
                let named = ["abc", "0"].map(|id| (id.to_owned(), id));
                across(named, |id| {
                    let call = probe.call("add_organization").path("pipeline_id", id);
                    refused_or_accepted(call.json(&json!({ "organization_id": nobody })), "accepted")
                })
                .await
            }),
        id("search-id-malformed", "What answers a known record whose id is no whole number, or no integer of 64 bits?")
            .governing(["search-error/id-malformed-is-rejected/*", "search-error/id-huge-is-rejected/*"])
            .found_out("Searches by the records abc.")
            .by(|probe| records(probe, "abc")),
        id("search-id-out-of-range", "What answers a known record whose id is below 1 or above 2^53 - 1?")
            .governing(["search-error/id-below-minimum-is-rejected/*", "search-error/id-over-maximum-is-rejected/*", "search-error/id-at-minimum-is-accepted/*"])
            .found_out("Searches by the records 0.")
            .by(|probe| records(probe, "0")),
    ]
}

fn unknown(id: &'static str, question: &'static str) -> Point {
    point(id, question, ("refused", json!(422), REFUSED))
        .or("ignored", "The answer is the one without it.")
        .found_out("Sends a valid request with offset=1.")
}

fn repeated(id: &'static str, question: &'static str) -> Point {
    point(id, question, ("refused", json!(422), REFUSED))
        .or("first", "The first value counts.")
        .or("last", "The last value counts.")
        .found_out("Asks for a page with limit=1&limit=2.")
}

fn faults(id: &'static str, question: &'static str) -> Point {
    point(
        id,
        question,
        ("all", Value::Null, "Each of them is named in errors."),
    )
    .or("some", "Some of them are named.")
    .or("one", "One of them is named.")
    .or(
        "none",
        "It is refused, and no fault is named where the contract has them.",
    )
    .found_out("Asks for a page with limit=0, skip=-1 and offset=1.")
}

fn id(id: &'static str, question: &'static str) -> Point {
    point(id, question, ("refused", json!(422), REFUSED))
        .or("accepted", "It is taken for an id like any other.")
}

/// Asks the same of the three reads of a pipeline.
async fn reads<Answered>(probe: Probe, look: impl Fn(Probe, &'static Operation) -> Answered) -> Seen
where
    Answered: Future<Output = Seen> + Send,
{
    let named = READS.map(|id| (id.to_owned(), Contract::bundled().operation(id)));
    across(named, |operation| look(probe.clone(), operation)).await
}

async fn limit_twice(probe: Probe, pages: Pages) -> Seen {
    let call = pages.call(&probe)?.query("limit", 1).query("limit", 2);
    let answer = call.send().await?;
    refused_or(&answer, || match pages.count(&answer) {
        1 => saw("first", &[&answer]),
        2 => saw("last", &[&answer]),
        count => saw_other(format!("{count} entries"), &[&answer]),
    })
}

async fn told(probe: Probe, pages: Pages) -> Seen {
    let faults = [("limit", "0"), ("skip", "-1"), ("offset", "1")];
    let call = faults
        .iter()
        .fold(pages.call(&probe)?, |call, (name, value)| {
            call.query(name, value)
        });
    let answer = call.send().await?;
    if !is_refusal(&answer) {
        return saw_other(format!("answered {}", answer.status), &[&answer]);
    }
    let named = faults
        .iter()
        .filter(|(name, _)| names(&answer, name))
        .count();
    match named {
        0 => saw("none", &[&answer]),
        1 => saw("one", &[&answer]),
        all if all == faults.len() => saw("all", &[&answer]),
        _ => saw("some", &[&answer]),
    }
}

/// Whether the errors of a problem name a parameter of the query.
fn names(answer: &Answer, parameter: &str) -> bool {
    let errors = answer.at("/errors").as_array().into_iter().flatten();
    let mut places = errors.map(|error| &error["loc"]);
    places.any(|place| *place == json!(["query", parameter]))
}

/// A pipeline or an item of this id.
async fn ids(probe: Probe, id: &'static str) -> Seen {
    let pipeline = probe.pipeline(ManyItems)?;
    let item = first_item(&probe).await?;
    let of_item = |operation| {
        probe
            .call(operation)
            .path("pipeline_id", pipeline)
            .path("pipeline_item_id", id)
    };
    let in_pipeline = |operation| {
        probe
            .call(operation)
            .path("pipeline_id", id)
            .path("pipeline_item_id", item)
    };
    let asked = [
        ("list_items pipeline_id", in_pipeline("list_items")),
        (
            "get_item_values pipeline_id",
            in_pipeline("get_item_values"),
        ),
        (
            "get_item_status pipeline_id",
            in_pipeline("get_item_status"),
        ),
        (
            "get_item_values pipeline_item_id",
            of_item("get_item_values"),
        ),
        (
            "get_item_status pipeline_item_id",
            of_item("get_item_status"),
        ),
    ];
    across(asked.map(|(name, call)| (name.to_owned(), call)), |call| {
        refused_or_accepted(call, "accepted")
    })
    .await
}

/// A known record of this id.
async fn records(probe: Probe, id: &'static str) -> Seen {
    let known = Search::all()
        .into_iter()
        .filter(|search| search.is_by_known_record());
    let named = known.map(|search| (search.operation.id.clone(), search));
    across(named, |search| {
        refused_or_accepted(search.call_with(&probe, id), "accepted")
    })
    .await
}
