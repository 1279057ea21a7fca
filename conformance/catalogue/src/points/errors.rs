//! Points about errors: the form of their bodies, which keys are rejected, and which error wins when a request
//! deserves several.

use std::sync::Arc;

use serde_json::{Value, json};

use super::observation::{
    ObservationResult, Pages, across, member_names, observed, observed_other, observed_value, on_each, rejected_or,
    unknown_without,
};
use super::parameters::READS;
use super::{Point, point};
use engine::case::values::UNKNOWN_KEY;
use engine::case::{Binding, Need, RequestTemplate};
use engine::session::{Call, Probe};
use engine::target::PipelineRole::{ManyItems, NotOrganizations, Other, Writable};
use engine::target::Role::{CreateOnly, NoAccess, OnePipeline, OrganizationsOnly, ReadOnly, WritableOnly};
use engine::target::near_key::NearKey;
use engine::transport::response::HttpResponse;
use platform_contract::Contract;
use searches::calls::Search;
use service::auth::views;

const STATUS: &str = "It is rejected with this status.";

pub(super) fn points(contract: &Contract) -> Vec<Point> {
    let searches = Search::all(contract);
    let mut points = of_bodies(contract);
    points.extend(of_keys(&searches));
    points.extend(of_unknown_records(contract));
    points
}

fn of_bodies(contract: &Contract) -> Vec<Point> {
    let problem = contract.get("/components/schemas/Problem/required");
    vec![
        point(
            "error-body",
            "What is the body of an error response?",
            (
                "object",
                problem.map_or(Value::Null, sorted),
                "A JSON object with these members.",
            ),
        )
        .answered_at("/components/schemas/Problem")
        .or("json", "JSON that is not an object.")
        .or("text", "Not JSON.")
        .or("empty", "Nothing.")
        .found_out("Reads the responses to a request without a key and to one for a pipeline that does not exist.")
        .by(|probe| {
            rejections(probe, |response| {
                let names = member_names(&response.body)
                    .into_iter()
                    .filter(|name| !name.starts_with("x-"));
                match &response.body {
                    Value::Object(_) => observed_value("object", names.collect::<Vec<_>>(), &[response]),
                    _ if response.text.trim().is_empty() => observed("empty", &[response]),
                    _ if response.is_json => observed("json", &[response]),
                    _ => observed("text", &[response]),
                }
            })
        }),
        point(
            "error-media-type",
            "Which media type does the body of an error have? The contract declares two, and a client reads either.",
            ("type", json!("application/problem+json"), "This one."),
        )
        .answered_by("/info", "It is sent as `application/problem+json`.")
        .found_out("Reads the responses to a request without a key and to one for a pipeline that does not exist.")
        .by(|probe| {
            rejections(probe, |response| {
                let essence = response.header("content-type").unwrap_or_default().split(';').next();
                observed_value(
                    "type",
                    essence.unwrap_or_default().trim().to_ascii_lowercase(),
                    &[response],
                )
            })
        }),
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

/// Compares a property of two errors.
async fn rejections(probe: Probe, look: impl Fn(&HttpResponse) -> ObservationResult + Sync) -> ObservationResult {
    let list = |id| probe.call("list_items").path("pipeline_id", id);
    let asked = [("401", list(1).literal_keys([])), ("404", list(probe.unknown_id()))];
    let named = asked.map(|(name, call)| (name.to_owned(), call));
    across(named, |call| async {
        let response = call.send().await?;
        look(&response)
    })
    .await
}

fn of_keys(searches: &[Search]) -> Vec<Point> {
    vec![
        point(
            "search-authentication",
            "Do searches require a key?",
            (
                "required",
                json!(401),
                "Yes: without a known key they are rejected with this status.",
            ),
        )
        .or("open", "No: a search works without a key.")
        .found_out("Searches without a key.")
        .by(on_each(searches, |probe, search| async move {
            required(search.call(&probe)?.literal_keys([]), 401).await
        })),
        point(
            "unknown-key",
            "What is the response to an unknown key in pipeline operations?",
            (
                "refused",
                json!([401, "invalid_api_key"]),
                "It is rejected with this status and code.",
            ),
        )
        .or("open", "They accept any key.")
        .found_out("Lists items with an unknown key.")
        .needs([Need::Pipeline(ManyItems)])
        .by(|probe| async move {
            let response = Pages::Items.call(&probe)?.literal_keys([UNKNOWN_KEY]).send().await?;
            match response.status {
                200..=299 => observed("open", &[&response]),
                status => observed_value("refused", json!([status, response.code()]), &[&response]),
            }
        }),
        point(
            "near-key",
            "What does a list answer to a text that is nearly a key: shorter or longer by a character, in the \
                 other letter case, or with another first or last character?",
            (
                "refused",
                json!([401, "invalid_api_key"]),
                "It is rejected with this status and code.",
            ),
        )
        .or("any-case", "In the other letter case it is accepted.")
        .or("accepted", "Some such text is accepted.")
        .found_out("Lists items with each of these texts. Reports show how they are made of the key.")
        .needs([Need::Pipeline(ManyItems)])
        .by(near_key),
        point(
            "read-only-view",
            "Does a read-only key get the same data as a key with full access?",
            ("same", Value::Null, "Yes: the responses to both are the same."),
        )
        .or("another-view", "No: some response is different.")
        .found_out("Sends every read with both keys.")
        .needs([
            Need::Key(ReadOnly),
            Need::Pipeline(ManyItems),
            Need::Organization,
            Need::Product,
        ])
        .by(read_only_view),
        point(
            "key-of-one-pipeline",
            "What can a key with permission to read one pipeline do?",
            (
                "that-one",
                Value::Null,
                "It reads that pipeline, and is denied any other, known or not.",
            ),
        )
        .or(
            "known-or-not",
            "It reads that pipeline and is denied others; one that does not exist is not found.",
        )
        .or("all", "It reads other pipelines too.")
        .or("nothing", "It does not read that pipeline either.")
        .found_out(
            "Lists three pipelines with the key of the role one_pipeline: its own, another, and one that does not \
             exist.",
        )
        .needs([Need::Key(OnePipeline), Need::Named(Other), Need::Pipeline(ManyItems)])
        .by(one_pipeline),
        point(
            "key-that-may-only-add",
            "What can a key with permission to add to one pipeline do?",
            (
                "adds-there",
                Value::Null,
                "It adds to that pipeline, and is denied everything else.",
            ),
        )
        .or("reads-too", "It reads that pipeline, too.")
        .or("adds-elsewhere", "It adds to other pipelines, too.")
        .or("nothing", "It does not add to that pipeline either.")
        .found_out(
            "Lists the writable pipeline with the key of the role create_only, and adds an organization that does \
             not exist to it and to another pipeline.",
        )
        .needs([
            Need::Key(CreateOnly),
            Need::POST,
            Need::Named(NotOrganizations),
            Need::Pipeline(NotOrganizations),
        ])
        .writes(2)
        .by(create_only),
        point(
            "key-that-reads-and-adds",
            "What can a key with permission to read one pipeline and add to it do?",
            (
                "that-one",
                Value::Null,
                "It reads that pipeline and adds to it, and is denied everything else.",
            ),
        )
        .or("reads-elsewhere", "It reads other pipelines, too.")
        .or("adds-elsewhere", "It adds to other pipelines, too.")
        .or("reads", "It reads that pipeline, and does not add to it.")
        .or("nothing", "It does not read that pipeline either.")
        .found_out(
            "Lists the writable pipeline and another with the key of the role writable_only, and adds an organization \
             that does not exist to both.",
        )
        .needs([
            Need::Key(WritableOnly),
            Need::POST,
            Need::Named(NotOrganizations),
            Need::Pipeline(NotOrganizations),
        ])
        .writes(2)
        .by(writable_only),
        point(
            "key-for-organizations",
            "What can a key with permission to search organizations do?",
            (
                "organizations",
                Value::Null,
                "It searches organizations, and is denied everything else.",
            ),
        )
        .or("products-too", "It searches products, too.")
        .or("items-too", "It reads the items of pipelines, too.")
        .or("nothing", "It does not search organizations either.")
        .found_out("Searches both kinds of records and lists a pipeline with the key of the role organizations_only.")
        .needs([Need::Key(OrganizationsOnly), Need::Pipeline(ManyItems)])
        .by(organizations_only),
        point(
            "second-key",
            "Which key counts when a request has two keys, one known and one unknown?",
            ("refused", json!(401), STATUS),
        )
        .or("first", "The first one, which is known.")
        .found_out("Lists items with a known key and with another text in a second API-Key header.")
        .needs([Need::Pipeline(ManyItems)])
        .by(|probe| async move {
            let response = Pages::Items.call(&probe)?.header("API-Key", UNKNOWN_KEY).send().await?;
            match response.status {
                401 => observed_value("refused", 401, &[&response]),
                _ => rejected_or(&response, || observed("first", &[&response])),
            }
        }),
        point(
            "search-authorization",
            "What is the response to a search with a key whose policies allow nothing?",
            ("required", json!(403), "It is denied with this status."),
        )
        .or("open", "It succeeds: any key may search.")
        .found_out("Searches with the key of the role no_access.")
        .needs([Need::Key(NoAccess)])
        .by(on_each(searches, |probe, search| async move {
            required(search.call(&probe)?.key(NoAccess), 403).await
        })),
        point(
            "read-permission",
            "What is the response to reading a pipeline with a key whose policies allow nothing?",
            ("required", json!(403), "It is denied with this status."),
        )
        .or("open", "It succeeds: any key may read.")
        .found_out("Reads a list, values and a status with the key of the role no_access.")
        .needs([Need::Key(NoAccess), Need::Pipeline(ManyItems)])
        .by(|probe| async move {
            across(READS.map(|id| (id.to_owned(), id)), |id| {
                let probe = probe.clone();
                async move {
                    let valid = RequestTemplate::valid(probe.contract().operation(id));
                    required(valid.call(&probe).await?.key(NoAccess), 403).await
                }
            })
            .await
        }),
        point(
            "read-only-key",
            "What can a key that only has permission to read do?",
            (
                "reads-and-searches",
                Value::Null,
                "It lists items, reads values and status, and searches.",
            ),
        )
        .or("reads", "It reads pipelines and may not search.")
        .or("searches", "It searches and may not read pipelines.")
        .or("nothing", "Neither.")
        .found_out("Lists items and searches with the key of the role read_only.")
        .needs([Need::Key(ReadOnly), Need::Pipeline(ManyItems)])
        .by(read_only),
    ]
}

async fn near_key(probe: Probe) -> ObservationResult {
    let mut seen: Vec<(NearKey, HttpResponse)> = Vec::new();
    for near in probe.near_keys() {
        let call = Pages::Items.call(&probe)?.near_key(near);
        seen.push((near, call.send().await?));
    }
    let is_success = |response: &HttpResponse| (200..300).contains(&response.status);
    let accepted: Vec<_> = seen.iter().filter(|(_, response)| is_success(response)).collect();
    match (accepted.as_slice(), seen.first()) {
        ([], None) => unknown_without("a key with full access of at least 8 characters"),
        ([], Some((_, first))) => observed_value("refused", json!([first.status, first.code()]), &[first]),
        ([(NearKey::OtherCase, response)], _) => observed("any-case", &[response]),
        ([(_, response), ..], _) => observed("accepted", &[response]),
    }
}

async fn one_pipeline(probe: Probe) -> ObservationResult {
    let list = |id: u64| {
        let call = probe.call("list_items").path("pipeline_id", id);
        call.query("limit", 1).key(OnePipeline).send()
    };
    let own = list(probe.pipeline(Other)?).await?;
    let other = list(probe.pipeline(ManyItems)?).await?;
    let unknown = list(probe.unknown_id().unsigned_abs()).await?;
    let evidence = [&own, &other, &unknown];
    match evidence.map(|response| response.status) {
        [200, 403, 403] => observed("that-one", &evidence),
        [200, 403, 404] => observed("known-or-not", &evidence),
        [200, 200, _] => observed("all", &evidence),
        [401 | 403 | 404, ..] => observed("nothing", &evidence),
        statuses => observed_other(format!("answered {statuses:?}"), &evidence),
    }
}

async fn create_only(probe: Probe) -> ObservationResult {
    let list = probe.call("list_items").path("pipeline_id", probe.pipeline(Writable)?);
    let list = list.query("limit", 1).key(CreateOnly).send().await?;
    let add = probe.contract().operation("add_organization");
    let add = |role| RequestTemplate::valid(add).path("pipeline_id", role).key(CreateOnly);
    let own = add(Writable).call(&probe).await?.send().await?;
    let other = add(NotOrganizations).call(&probe).await?.send().await?;
    let evidence = [&list, &own, &other];
    match evidence.map(|response| response.status) {
        [403, 404 | 422, 403] => observed("adds-there", &evidence),
        [200, 404 | 422, _] => observed("reads-too", &evidence),
        [_, 404 | 422, 400 | 404 | 422] => observed("adds-elsewhere", &evidence),
        [_, 401 | 403, _] => observed("nothing", &evidence),
        statuses => observed_other(format!("answered {statuses:?}"), &evidence),
    }
}

async fn writable_only(probe: Probe) -> ObservationResult {
    let add = probe.contract().operation("add_organization");
    let mut responses = Vec::new();
    for role in [Writable, NotOrganizations] {
        let list = probe.call("list_items").path("pipeline_id", probe.pipeline(role)?);
        responses.push(list.query("limit", 1).key(WritableOnly).send().await?);
        let add = RequestTemplate::valid(add).path("pipeline_id", role).key(WritableOnly);
        responses.push(add.call(&probe).await?.send().await?);
    }
    let evidence: Vec<_> = responses.iter().collect();
    match responses.iter().map(|response| response.status).collect::<Vec<_>>()[..] {
        [200, 404 | 422, 403, 403] => observed("that-one", &evidence),
        [200, 404 | 422, 200, 403] => observed("reads-elsewhere", &evidence),
        [200, 404 | 422, _, 400 | 404 | 422] => observed("adds-elsewhere", &evidence),
        [200, 403, ..] => observed("reads", &evidence),
        [401 | 403 | 404, ..] => observed("nothing", &evidence),
        ref statuses => observed_other(format!("answered {statuses:?}"), &evidence),
    }
}

async fn organizations_only(probe: Probe) -> ObservationResult {
    let ids = [
        "search_organizations_by_description",
        "search_products_by_description",
        "list_items",
    ];
    let mut responses = Vec::new();
    for id in ids {
        let valid = RequestTemplate::valid(probe.contract().operation(id)).key(OrganizationsOnly);
        responses.push(valid.call(&probe).await?.send().await?);
    }
    let evidence: Vec<_> = responses.iter().collect();
    match responses.iter().map(|response| response.status).collect::<Vec<_>>()[..] {
        [200, 403, 403] => observed("organizations", &evidence),
        [200, 200, 403] => observed("products-too", &evidence),
        [200, _, 200] => observed("items-too", &evidence),
        [401 | 403, ..] => observed("nothing", &evidence),
        ref statuses => observed_other(format!("answered {statuses:?}"), &evidence),
    }
}

async fn read_only_view(probe: Probe) -> ObservationResult {
    let contract = Arc::clone(probe.contract());
    let reads = contract.operations().iter().filter(|one| one.is_read());
    let mut evidence = None;
    for operation in reads {
        let valid = RequestTemplate::valid(operation);
        let Some(views) = views(&probe, operation, &valid, ReadOnly).await? else {
            continue;
        };
        if views.full != views.reader {
            return observed("another-view", &[&views.of_full, &views.of_reader]);
        }
        evidence = Some(views.of_reader);
    }
    match evidence {
        Some(response) => observed("same", &[&response]),
        None => unknown_without("a response to both keys"),
    }
}

/// Observes whether a key, or a permission, is required.
async fn required(call: Call, status: u16) -> ObservationResult {
    let response = call.send().await?;
    match response.status {
        seen @ (401 | 403 | 404) => observed_value("required", seen, &[&response]),
        200..=299 => observed("open", &[&response]),
        seen => observed_other(format!("answered {seen} instead of {status}"), &[&response]),
    }
}

async fn read_only(probe: Probe) -> ObservationResult {
    let list = Pages::Items.call(&probe)?.key(ReadOnly).send().await?;
    let mut searches = Vec::new();
    let by_text = Search::all(probe.contract());
    for search in by_text.iter().filter(|search| !search.is_by_known_record()) {
        searches.push(search.call(&probe)?.key(ReadOnly).send().await?);
    }
    let let_through = |response: &HttpResponse| response.status == 200;
    let evidence: Vec<_> = std::iter::once(&list).chain(searches.first()).collect();
    match (let_through(&list), searches.iter().all(let_through)) {
        (true, true) => observed("reads-and-searches", &evidence),
        (true, false) => observed("reads", &evidence),
        (false, true) => observed("searches", &evidence),
        (false, false) => observed("nothing", &evidence),
    }
}

fn of_unknown_records(contract: &Contract) -> Vec<Point> {
    vec![
        point(
            "item-of-unknown-pipeline",
            "What is the response to reading an item of a pipeline that does not exist?",
            (
                "refused",
                json!([404, "pipeline_not_found"]),
                "It is rejected with this status and code.",
            ),
        )
        .found_out("Reads the values of an item, with the id of a pipeline that does not exist.")
        .needs([Need::Pipeline(ManyItems)])
        .by(|probe| async move {
            let values = probe.contract().operation("get_item_values");
            let request = RequestTemplate::valid(values).path("pipeline_id", Binding::UnknownId);
            let response = request.call(&probe).await?.send().await?;
            observed_value("refused", json!([response.status, response.code()]), &[&response])
        }),
        point(
            "search-unknown-record",
            "What is the response to a search by a record that does not exist?",
            ("refused", json!(404), STATUS),
        )
        .or("nothing-found", "An empty page.")
        .or("found", "A page with results.")
        .found_out("Searches by a record that does not exist.")
        .by(on_each(
            &Search::by_known_record(contract),
            |probe, search| async move {
                let unknown_id = probe.unknown_id();
                let response = search.call_with(&probe, unknown_id).send().await?;
                rejected_or(&response, || match response.at("/results").as_array().map(Vec::len) {
                    Some(0) => observed("nothing-found", &[&response]),
                    _ => observed("found", &[&response]),
                })
            },
        )),
    ]
}
