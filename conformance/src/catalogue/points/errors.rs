//! Errors: what their bodies are, who is refused, and which goes first when a request deserves several.

use serde_json::{Value, json};

use super::parameters::READS;
use super::sight::{
    Pages, Seen, across, across_searches, member_names, refused_or, saw, saw_other, saw_value,
};
use super::{Point, point};
use crate::case::Need;
use crate::catalogue::add_organization::largest_body;
use crate::catalogue::any_operation::{call, first_item};
use crate::catalogue::search_calls::Search;
use crate::client::Answer;
use crate::contract::Contract;
use crate::probe::{Call, Probe};
use crate::request::Body;
use crate::target::PipelineRole::ManyItems;
use crate::target::Role::{NoAccess, ReadOnly};
use crate::verdict::Stop;

/// A text that is no deployment's key.
const NOBODY: &str = "not-a-key-of-any-deployment-0000";
const STATUS: &str = "It is refused with this status.";

pub(super) fn points() -> Vec<Point> {
    let mut points = of_bodies();
    points.extend(of_keys());
    points.extend(precedence());
    points
}

fn of_bodies() -> Vec<Point> {
    let contract = Contract::bundled();
    let problem = contract.get("/components/schemas/Problem/required");
    vec![
        point(
            "error-body",
            ["D20"],
            "What is the body of an error?",
            ("object", problem.map_or(Value::Null, sorted), "A JSON object of these members."),
        )
        .or("json", "JSON that is no object.")
        .or("text", "No JSON.")
        .or("empty", "Nothing.")
        .found_out("Reads the answers to a request without a key, and to one for a pipeline that does not exist.")
        .governing(["schema/*/409", "schema/*/413", "schema/*/415", "schema/*/422", "schema/add_organization/400", "schema/add_organization/404"])
        .governing(["schema/search_*/401", "schema/search_*/403", "schema/search_*/404"])
        .governing(["schema/any/problem-type"])
        .by(|probe| refusals(probe, |answer| {
            let names = member_names(&answer.body).into_iter().filter(|name| !name.starts_with("x-"));
            match &answer.body {
                Value::Object(_) => saw_value("object", names.collect::<Vec<_>>(), &[answer]),
                _ if answer.text.trim().is_empty() => saw("empty", &[answer]),
                _ if answer.is_json => saw("json", &[answer]),
                _ => saw("text", &[answer]),
            }
        })),
        point(
            "error-media-type",
            ["D20"],
            "Of which media type is the body of an error? The contract declares two, and a client reads either.",
            ("type", json!("application/problem+json"), "This one."),
        )
        .found_out("Reads the answers to a request without a key, and to one for a pipeline that does not exist.")
        .by(|probe| refusals(probe, |answer| {
            let essence = answer.header("content-type").unwrap_or_default().split(';').next();
            saw_value("type", essence.unwrap_or_default().trim().to_ascii_lowercase(), &[answer])
        })),
    ]
}

fn sorted(names: &Value) -> Value {
    let mut names: Vec<_> = names
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    names.sort_unstable();
    json!(names)
}

/// What two errors have in common.
async fn refusals(probe: Probe, look: impl Fn(&Answer) -> Seen) -> Seen {
    let list = |id| probe.call("list_items").path("pipeline_id", id);
    let asked = [
        ("401", list(1).literal_keys([])),
        ("404", list(nobody(&probe))),
    ];
    let named = asked.map(|(name, call)| (name.to_owned(), call));
    across(named, |call| async {
        let answer = call.send().await?;
        look(&answer)
    })
    .await
}

fn of_keys() -> Vec<Point> {
    vec![
        point(
            "search-authentication",
            ["D12", "D21"],
            "Do the searches require the key?",
            (
                "required",
                json!(401),
                "Yes: without a known key they are refused with this status.",
            ),
        )
        .or("open", "No: anybody is answered.")
        .found_out("Searches without a key.")
        .governing([
            "auth/missing-key/search_*",
            "auth/unknown-key/search_*",
            "auth/empty-key/search_*",
            "search-error/no-key-comes-before-faults/*",
        ])
        .by(|probe| {
            across_searches(move |search| {
                let probe = probe.clone();
                async move { required(search.call(&probe)?.literal_keys([]), 401).await }
            })
        }),
        point(
            "second-key",
            ["D12"],
            "What counts when a request brings two keys, one known and one not?",
            ("refused", json!(401), STATUS),
        )
        .or("first", "The first, which is known.")
        .found_out("Lists items with a known key and another text in a second API-Key header.")
        .governing(["auth/second-key/*"])
        .needs([Need::Pipeline(ManyItems)])
        .by(|probe| async move {
            let answer = Pages::Items
                .call(&probe)?
                .header("API-Key", NOBODY)
                .send()
                .await?;
            match answer.status {
                401 => saw_value("refused", 401, &[&answer]),
                _ => refused_or(&answer, || saw("first", &[&answer])),
            }
        }),
        point(
            "search-authorization",
            ["D12", "D21"],
            "What answers a search with a key whose policies allow nothing?",
            ("required", json!(403), "It is denied with this status."),
        )
        .or("open", "It is answered: any key may search.")
        .found_out("Searches with the key of the role no_access.")
        .governing([
            "auth/no-access/search_*",
            "search-error/denial-comes-before-*",
        ])
        .needs([Need::Key(NoAccess)])
        .by(|probe| {
            across_searches(move |search| {
                let probe = probe.clone();
                async move { required(search.call(&probe)?.key(NoAccess), 403).await }
            })
        }),
        point(
            "read-permission",
            ["D12"],
            "What answers a read of a pipeline with a key whose policies allow nothing?",
            ("required", json!(403), "It is denied with this status."),
        )
        .or("open", "It is answered: any key may read.")
        .found_out("Reads a list, values and a status with the key of the role no_access.")
        .governing(["auth/no-access/get_*", "auth/no-access/list_items"])
        .needs([Need::Key(NoAccess), Need::Pipeline(ManyItems)])
        .by(|probe| async move {
            across(READS.map(|id| (id.to_owned(), id)), |id| {
                let probe = probe.clone();
                async move {
                    let operation = probe.contract().operation(id);
                    required(call(&probe, operation).await?.key(NoAccess), 403).await
                }
            })
            .await
        }),
        point(
            "read-only-key",
            ["D12"],
            "What may a key do that may only read?",
            (
                "reads-and-searches",
                Value::Null,
                "It lists, reads values and status, and searches.",
            ),
        )
        .or("reads", "It reads pipelines, and may not search.")
        .or("searches", "It searches, and may not read pipelines.")
        .or("nothing", "Neither.")
        .found_out("Lists items and searches with the key of the role read_only.")
        .governing([
            "auth/read-only/get_*",
            "auth/read-only/list_items",
            "auth/read-only/search_*",
        ])
        .needs([Need::Key(ReadOnly), Need::Pipeline(ManyItems)])
        .by(read_only),
    ]
}

/// Whether a key, or its permission, is required.
async fn required(call: Call, status: u16) -> Seen {
    let answer = call.send().await?;
    match answer.status {
        seen @ (401 | 403 | 404) => saw_value("required", seen, &[&answer]),
        200..=299 => saw("open", &[&answer]),
        seen => saw_other(format!("answered {seen}, and not {status}"), &[&answer]),
    }
}

async fn read_only(probe: Probe) -> Seen {
    let list = Pages::Items.call(&probe)?.key(ReadOnly).send().await?;
    let mut searches = Vec::new();
    for search in Search::all()
        .into_iter()
        .filter(|search| !search.is_by_known_record())
    {
        searches.push(search.call(&probe)?.key(ReadOnly).send().await?);
    }
    let let_through = |answer: &Answer| answer.status == 200;
    let evidence: Vec<_> = std::iter::once(&list).chain(searches.first()).collect();
    match (let_through(&list), searches.iter().all(let_through)) {
        (true, true) => saw("reads-and-searches", &evidence),
        (true, false) => saw("reads", &evidence),
        (false, true) => saw("searches", &evidence),
        (false, false) => saw("nothing", &evidence),
    }
}

/// An id that hardly any record has.
fn nobody(probe: &Probe) -> i64 {
    probe
        .contract()
        .operation("list_items")
        .parameter("pipeline_id")
        .number("maximum")
}

/// A request that deserves two answers, and which of them it gets.
fn order<const N: usize>(
    id: &'static str,
    question: &'static str,
    (first, means): (&'static str, &'static str),
    (other, otherwise): (&'static str, &'static str),
    cases: [&str; N],
) -> Point {
    point(id, ["D18"], question, (first, Value::Null, means))
        .or(other, otherwise)
        .found_out("Sends requests that deserve both.")
        .governing(cases)
        .needs([Need::Pipeline(ManyItems)])
}

/// The statuses that were seen first, by request. Only those that the point knows have a name of theirs.
async fn first_of<const N: usize>(
    known: [(&'static str, u16); 2],
    asked: [(&str, Result<Call, Stop>); N],
) -> Seen {
    let named = asked.map(|(name, call)| (name.to_owned(), call));
    across(named, |call| async {
        let answer = call?.send().await?;
        match known.iter().find(|(_, status)| *status == answer.status) {
            Some((name, _)) => saw(name, &[&answer]),
            None => saw_other(format!("answered {}", answer.status), &[&answer]),
        }
    })
    .await
}

fn precedence() -> Vec<Point> {
    let mut points = precedence_of_keys();
    points.extend(precedence_of_bodies());
    points.extend(precedence_of_lookups());
    points
}

const AUTHENTICATION: (&str, &str) = (
    "authentication",
    "401: who asks is looked at before what is asked.",
);
const AUTHORIZATION: (&str, &str) = ("authorization", "403: whoever may not ask learns nothing.");

fn precedence_of_keys() -> Vec<Point> {
    let invalid = ("validation", "422: a malformed request is told to anybody.");
    let media = (
        "media-type",
        "415: the type of the body is looked at first.",
    );
    let lookup = (
        "lookup",
        "404: whether the pipeline exists is told to anybody with a key.",
    );
    vec![
        order(
            "precedence-401-422",
            "Without a key and with a bad parameter, which is told?",
            AUTHENTICATION,
            invalid,
            ["error/401-before-422/*"],
        )
        .by(|probe| async move {
            let known = [("authentication", 401), ("validation", 422)];
            let list = probe
                .call("list_items")
                .path("pipeline_id", "abc")
                .literal_keys([]);
            let item = |id| {
                probe
                    .call(id)
                    .path("pipeline_id", "abc")
                    .path("pipeline_item_id", "abc")
                    .literal_keys([])
            };
            first_of(
                known,
                [
                    ("list_items", Ok(list)),
                    ("get_item_values", Ok(item("get_item_values"))),
                    ("get_item_status", Ok(item("get_item_status"))),
                ],
            )
            .await
        }),
        order(
            "precedence-401-404",
            "Without a key and with a pipeline that does not exist, which is told?",
            AUTHENTICATION,
            (
                "lookup",
                "404: whether the pipeline exists is told to anybody.",
            ),
            ["error/401-before-404/*"],
        )
        .by(|probe| async move {
            let pipeline = nobody(&probe);
            let list = probe
                .call("list_items")
                .path("pipeline_id", pipeline)
                .literal_keys([]);
            let item = |id| {
                probe
                    .call(id)
                    .path("pipeline_id", pipeline)
                    .path("pipeline_item_id", 1)
                    .literal_keys([])
            };
            first_of(
                [("authentication", 401), ("lookup", 404)],
                [
                    ("list_items", Ok(list)),
                    ("get_item_values", Ok(item("get_item_values"))),
                    ("get_item_status", Ok(item("get_item_status"))),
                ],
            )
            .await
        }),
        order(
            "precedence-401-415",
            "Without a key and with a body of a bad type, which is told?",
            AUTHENTICATION,
            media,
            ["error/401-before-415/*"],
        )
        .by(|probe| async move {
            let call = add(&probe, probe.pipeline(ManyItems)?)
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
            "With a key that is denied and a bad parameter, which is told?",
            AUTHORIZATION,
            invalid,
            [
                "error/403-before-422/*",
                "error/403-before-422-of-the-pipeline/*",
            ],
        )
        .needs([Need::Key(NoAccess)])
        .by(|probe| async move {
            let pipeline = probe.pipeline(ManyItems)?;
            let list = probe
                .call("list_items")
                .path("pipeline_id", pipeline)
                .query("limit", 0)
                .key(NoAccess);
            let item = |id| {
                probe
                    .call(id)
                    .path("pipeline_id", pipeline)
                    .path("pipeline_item_id", "abc")
                    .key(NoAccess)
            };
            let known = [("authorization", 403), ("validation", 422)];
            first_of(
                known,
                [
                    ("list_items", Ok(list)),
                    ("get_item_values", Ok(item("get_item_values"))),
                    ("get_item_status", Ok(item("get_item_status"))),
                ],
            )
            .await
        }),
        order(
            "precedence-403-404",
            "With a key that is denied and a pipeline that does not exist, which is told?",
            AUTHORIZATION,
            lookup,
            [
                "error/403-before-404/list_items",
                "error/403-before-404/get_*",
            ],
        )
        .needs([Need::Key(NoAccess)])
        .by(|probe| async move {
            let pipeline = nobody(&probe);
            let list = probe
                .call("list_items")
                .path("pipeline_id", pipeline)
                .key(NoAccess);
            let item = |id| {
                probe
                    .call(id)
                    .path("pipeline_id", pipeline)
                    .path("pipeline_item_id", 1)
                    .key(NoAccess)
            };
            let known = [("authorization", 403), ("lookup", 404)];
            first_of(
                known,
                [
                    ("list_items", Ok(list)),
                    ("get_item_values", Ok(item("get_item_values"))),
                    ("get_item_status", Ok(item("get_item_status"))),
                ],
            )
            .await
        }),
        order(
            "precedence-403-404-adding",
            "With a key that may not add and a pipeline that does not exist, which is told?",
            AUTHORIZATION,
            lookup,
            ["error/403-before-404/add_organization"],
        )
        .needs([Need::Key(ReadOnly)])
        .by(|probe| async move {
            let call = add(&probe, nobody(&probe)).json(&json!({})).key(ReadOnly);
            first_of(
                [("authorization", 403), ("lookup", 404)],
                [("add_organization", Ok(call))],
            )
            .await
        }),
        order(
            "precedence-403-415",
            "With a key that may not add and a body of a bad type, which is told?",
            AUTHORIZATION,
            media,
            ["error/403-before-415/*"],
        )
        .needs([Need::Key(ReadOnly)])
        .by(|probe| async move {
            let call = add(&probe, probe.pipeline(ManyItems)?)
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

fn precedence_of_bodies() -> Vec<Point> {
    let length = ("length", "413: the length of the body is looked at first.");
    vec![
        order(
            "precedence-415-413",
            "Of a body that is of a bad type and too long, which is told?",
            (
                "media-type",
                "415: the type of the body is looked at first.",
            ),
            length,
            ["error/415-before-413/*"],
        )
        .by(|probe| async move {
            let call = add(&probe, probe.pipeline(ManyItems)?)
                .header("Content-Type", "text/plain")
                .body(too_long());
            first_of(
                [("media-type", 415), ("length", 413)],
                [("add_organization", Ok(call))],
            )
            .await
        }),
        order(
            "precedence-413-422",
            "With a body that is too long and an id that is none, which is told?",
            length,
            ("validation", "422: the path is looked at first."),
            ["error/413-before-422/*"],
        )
        .by(|probe| async move {
            let call = add(&probe, "abc")
                .header("Content-Type", "application/json")
                .body(too_long());
            first_of(
                [("length", 413), ("validation", 422)],
                [("add_organization", Ok(call))],
            )
            .await
        }),
        order(
            "precedence-422-404-adding",
            "With a bad body and a pipeline that does not exist, which is told?",
            (
                "validation",
                "422: the body is looked at before the pipeline is looked up.",
            ),
            ("lookup", "404: the pipeline is looked up first."),
            ["error/422-before-404/add_organization"],
        )
        .by(|probe| async move {
            let call = add(&probe, nobody(&probe)).json(&json!({}));
            first_of(
                [("validation", 422), ("lookup", 404)],
                [("add_organization", Ok(call))],
            )
            .await
        }),
    ]
}

fn precedence_of_lookups() -> Vec<Point> {
    let validation = (
        "validation",
        "422: what is asked is looked at before anything is looked up.",
    );
    let lookup = ("lookup", "404: it is looked up first.");
    vec![
        order(
            "precedence-422-404",
            "With a bad parameter and a pipeline that does not exist, which is told?",
            validation,
            lookup,
            [
                "error/422-before-404/list_items",
                "error/422-before-404/get_*",
            ],
        )
        .by(|probe| async move {
            let pipeline = nobody(&probe);
            let list = probe
                .call("list_items")
                .path("pipeline_id", pipeline)
                .query("limit", 0);
            let item = |id| {
                probe
                    .call(id)
                    .path("pipeline_id", pipeline)
                    .path("pipeline_item_id", "abc")
            };
            let known = [("validation", 422), ("lookup", 404)];
            first_of(
                known,
                [
                    ("list_items", Ok(list)),
                    ("get_item_values", Ok(item("get_item_values"))),
                    ("get_item_status", Ok(item("get_item_status"))),
                ],
            )
            .await
        }),
        order(
            "precedence-422-400",
            "With a bad limit and a bad sort_by, which is told?",
            validation,
            ("sort", "400: sort_by is looked at first."),
            ["error/422-before-400/*"],
        )
        .by(|probe| async move {
            let call = Pages::Items
                .call(&probe)?
                .query("limit", 0)
                .query("sort_by", "name");
            first_of(
                [("validation", 422), ("sort", 400)],
                [("list_items", Ok(call))],
            )
            .await
        }),
        order(
            "precedence-404-400",
            "With a pipeline that does not exist and a bad sort_by, which is told?",
            ("lookup", "404: the pipeline is looked up first."),
            ("sort", "400: the form of sort_by is looked at first."),
            ["error/404-before-400/*"],
        )
        .by(|probe| async move {
            let call = probe
                .call("list_items")
                .path("pipeline_id", nobody(&probe))
                .query("sort_by", "name");
            first_of([("lookup", 404), ("sort", 400)], [("list_items", Ok(call))]).await
        }),
        point(
            "search-precedence-422-404",
            ["D18"],
            "With a bad limit and a known record that does not exist, which is told?",
            (
                "validation",
                Value::Null,
                "422: what is asked is looked at before the record is looked up.",
            ),
        )
        .or("lookup", "404: the record is looked up first.")
        .found_out("Searches by a record that does not exist, with limit=0.")
        .governing(["search-error/faults-come-before-not-found/*"])
        .by(|probe| async move {
            let nobody = nobody(&probe);
            by_known_record(
                &probe,
                |search, probe| search.call_with(probe, nobody).query("limit", 0),
                |answer| match answer.status {
                    422 => saw("validation", &[answer]),
                    404 => saw("lookup", &[answer]),
                    status => saw_other(format!("answered {status}"), &[answer]),
                },
            )
            .await
        }),
        point(
            "item-of-unknown-pipeline",
            ["D17"],
            "What answers a pipeline that does not exist, when an item of it is read?",
            (
                "refused",
                json!([404, "pipeline_not_found"]),
                "It is refused with this status and code.",
            ),
        )
        .found_out("Reads the values of an item, with the id of a pipeline that does not exist.")
        .governing(["error/unknown-pipeline/get_item_*"])
        .needs([Need::Pipeline(ManyItems)])
        .by(|probe| async move {
            let call = probe
                .call("get_item_values")
                .path("pipeline_id", nobody(&probe));
            let item = first_item(&probe).await?;
            let answer = call.path("pipeline_item_id", item).send().await?;
            saw_value("refused", json!([answer.status, answer.code()]), &[&answer])
        }),
        point(
            "search-unknown-record",
            ["D21"],
            "What answers a search by a known record that does not exist?",
            ("refused", json!(404), STATUS),
        )
        .or("nothing-found", "An empty page.")
        .or("found", "A page with results.")
        .found_out("Searches by a record that does not exist.")
        .governing(["search-error/unknown-record-is-not-found/*"])
        .by(|probe| async move {
            let nobody = nobody(&probe);
            by_known_record(
                &probe,
                |search, probe| search.call_with(probe, nobody),
                |answer| {
                    refused_or(answer, || {
                        match answer.at("/results").as_array().map(Vec::len) {
                            Some(0) => saw("nothing-found", &[answer]),
                            _ => saw("found", &[answer]),
                        }
                    })
                },
            )
            .await
        }),
    ]
}

/// Asks the same of the two searches by a known record.
async fn by_known_record(
    probe: &Probe,
    ask: impl Fn(Search, &Probe) -> Call,
    look: impl Fn(&Answer) -> Seen,
) -> Seen {
    let known = Search::all()
        .into_iter()
        .filter(|search| search.is_by_known_record());
    let named = known.map(|search| (search.operation.id.clone(), search));
    across(named, |search| {
        let call = ask(search, probe);
        let look = &look;
        async move {
            let answer = call.send().await?;
            look(&answer)
        }
    })
    .await
}

fn add(probe: &Probe, pipeline_id: impl std::fmt::Display) -> Call {
    probe
        .call("add_organization")
        .path("pipeline_id", pipeline_id)
}

/// A body of one byte too many, which says nothing.
fn too_long() -> Body {
    Body::Padded("[]".to_owned(), largest_body() + 1)
}
