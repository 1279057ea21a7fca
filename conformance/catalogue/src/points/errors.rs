//! Errors: what their bodies are, who is refused, and which goes first when a request deserves several.

use serde_json::{Value, json};

use super::parameters::READS;
use super::sight::{
    Pages, Seen, across, across_searches, member_names, refused_or, saw, saw_other, saw_value,
};
use super::{Point, point};
use crate::search::calls::Search;
use crate::support::any_operation::{call, first_item};
use engine::case::Need;
use engine::session::{Call, Probe};
use engine::target::PipelineRole::ManyItems;
use engine::target::Role::{NoAccess, ReadOnly};
use engine::transport::client::Answer;
use platform_contract::Contract;

/// A text that is no deployment's key.
const NOBODY: &str = "not-a-key-of-any-deployment-0000";
const STATUS: &str = "It is refused with this status.";

pub(super) fn points() -> Vec<Point> {
    let mut points = of_bodies();
    points.extend(of_keys());
    points.extend(of_unknown_records());
    points
}

fn of_bodies() -> Vec<Point> {
    let contract = Contract::bundled();
    let problem = contract.get("/components/schemas/Problem/required");
    vec![
        point(
            "error-body",
            "What is the body of an error?",
            ("object", problem.map_or(Value::Null, sorted), "A JSON object of these members."),
        )
        .answered_at("/components/schemas/Problem")
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
            "Of which media type is the body of an error? The contract declares two, and a client reads either.",
            ("type", json!("application/problem+json"), "This one."),
        )
        .answered_by("/info", "It is sent as `application/problem+json`.")
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
async fn refusals(probe: Probe, look: impl Fn(&Answer) -> Seen + Sync) -> Seen {
    let list = |id| probe.call("list_items").path("pipeline_id", id);
    let asked = [
        ("401", list(1).literal_keys([])),
        ("404", list(probe.contract().greatest_id())),
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
            "unknown-key",
            "What do the pipeline endpoints answer to a key that is not known?",
            (
                "refused",
                json!([401, "invalid_api_key"]),
                "It is refused with this status and code.",
            ),
        )
        .or("open", "They answer anybody.")
        .found_out("Lists items with a key that is not known.")
        .governing([
            "auth/unknown-key/list_items",
            "auth/unknown-key/get_*",
            "auth/unknown-key/add_organization",
        ])
        .needs([Need::Pipeline(ManyItems)])
        .by(|probe| async move {
            let answer = Pages::Items
                .call(&probe)?
                .literal_keys([NOBODY])
                .send()
                .await?;
            match answer.status {
                200..=299 => saw("open", &[&answer]),
                status => saw_value("refused", json!([status, answer.code()]), &[&answer]),
            }
        }),
        point(
            "second-key",
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

fn of_unknown_records() -> Vec<Point> {
    vec![
        point(
            "item-of-unknown-pipeline",
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
                .path("pipeline_id", probe.contract().greatest_id());
            let item = first_item(&probe).await?;
            let answer = call.path("pipeline_item_id", item).send().await?;
            saw_value("refused", json!([answer.status, answer.code()]), &[&answer])
        }),
        point(
            "search-unknown-record",
            "What answers a search by a known record that does not exist?",
            ("refused", json!(404), STATUS),
        )
        .or("nothing-found", "An empty page.")
        .or("found", "A page with results.")
        .found_out("Searches by a record that does not exist.")
        .governing(["search-error/unknown-record-is-not-found/*"])
        .by(|probe| async move {
            let nobody = probe.contract().greatest_id();
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
pub(super) async fn by_known_record(
    probe: &Probe,
    ask: impl Fn(Search, &Probe) -> Call,
    look: impl Fn(&Answer) -> Seen + Sync,
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
