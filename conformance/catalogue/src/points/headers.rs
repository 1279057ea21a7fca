//! Points about headers of every response, unknown routes and methods, statuses that the contract does not declare,
//! and quotas.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::observation::{ObservationResult, Pages, across, observed, observed_other, observed_value, unknown_without};
use super::{Point, point};
use engine::case::{Need, RequestTemplate};
use engine::session::presence::NO_ROUTE;
use engine::session::{Call, Probe};
use engine::target::PipelineRole::ManyItems;
use engine::target::Role::RateLimited;
use engine::transport::response::HttpResponse;
use engine::verdict::Stop;
use platform_contract::Operation;
use service::header::headers::{challenge_schemes, only_to_add};

/// A well-formed request id.
const ID: &str = "trace-7.b_2";
/// The greatest number of requests to send to exhaust a quota.
const LARGEST_QUOTA: usize = 200;

pub(super) fn points() -> Vec<Point> {
    let many = || [Need::Pipeline(ManyItems)];
    vec![
        point(
            "request-id",
            "Does every response have an X-Request-Id?",
            (
                "kept-or-new",
                Value::Null,
                "Yes: the one from the request if it is well-formed, otherwise a new one.",
            ),
        )
        .or("new", "Yes: always a new one.")
        .or("kept", "Yes: the one from the request, in any form.")
        .or("absent", "No.")
        .found_out(
            "Lists items with a well-formed id, with <script>, and without an id; requests a pipeline that does not \
             exist.",
        )
        .needs(many())
        .by(request_id),
        point(
            "cache-control",
            "What is the value of Cache-Control?",
            ("says", json!("no-store"), "This, in successes and errors."),
        )
        .or("absent", "The header is absent.")
        .found_out("Reads the header of a list, of a 401 and of a 404.")
        .needs(many())
        .by(|probe| async move { header(&probe, "Cache-Control").await }),
        point(
            "www-authenticate",
            "Which scheme does WWW-Authenticate name in a 401?",
            ("scheme", json!("apikey"), "This one, ignoring case and hyphens."),
        )
        .or("absent", "None: the header is absent.")
        .found_out("Lists items without a key.")
        .needs(many())
        .by(|probe| async move {
            let response = Pages::Items.call(&probe)?.literal_keys([]).send().await?;
            let schemes = challenge_schemes(&response);
            let of_key = schemes.iter().find(|scheme| *scheme == "apikey");
            match of_key.or(schemes.first()) {
                None => observed("absent", &[&response]),
                Some(scheme) => observed_value("scheme", scheme.as_str(), &[&response]),
            }
        }),
        point(
            "unknown-route",
            "What is the response to an unknown route?",
            (
                "refused",
                json!([404, "route_not_found"]),
                "A rejection with this status and code.",
            ),
        )
        .found_out("Requests a route that no deployment has.")
        .by(|probe| async move {
            let response = probe.route("GET", NO_ROUTE).send().await?;
            observed_value("refused", json!([response.status, response.code()]), &[&response])
        }),
        point(
            "unknown-method",
            "What is the response to a method that the route does not support?",
            (
                "refused",
                json!([405, "method_not_allowed", "Allow"]),
                "A rejection with this status and code, and the header Allow.",
            ),
        )
        .found_out("Sends GET to the route that adds organizations, for a pipeline that does not exist.")
        .by(|probe| async move {
            let response = probe.route("GET", &only_to_add(&probe)).send().await?;
            let allow = response.headers.contains_key("allow").then_some("Allow");
            observed_value(
                "refused",
                json!([response.status, response.code(), allow]),
                &[&response],
            )
        }),
        point(
            "deprecation",
            "Does the response of a deprecated resource announce when the resource is removed?",
            (
                "with-its-end",
                Value::Null,
                "Yes: the header Deprecation never comes without Sunset.",
            ),
        )
        .or("without-its-end", "No: the header Deprecation comes without Sunset.")
        .found_out("Reads the headers of successes and errors.")
        .by(|probe| async move {
            let named = some_of_each(&probe)?.map(|(kind, call)| (kind.to_owned(), call));
            across(named, |call| async move {
                let response = call.send().await?;
                let has = |name| response.headers.contains_key(name);
                match has("deprecation") && !has("sunset") {
                    true => observed("without-its-end", &[&response]),
                    false => observed("with-its-end", &[&response]),
                }
            })
            .await
        }),
        point(
            "undeclared-statuses",
            "Which undeclared statuses are returned for bad requests?",
            ("statuses", json!([]), "These."),
        )
        .found_out(
            "Calls every operation with a parameter that it does not have and a limit of 0, without a key, and with \
             an id that is not a valid id.",
        )
        .needs(many())
        .writes(3)
        .by(undeclared),
        point(
            "rate-limit",
            "How is a quota announced, and what is the response when it is used up?",
            (
                "429",
                json!(["Retry-After", "RateLimit", "RateLimit-Policy"]),
                "429 with Retry-After, and every response has RateLimit and RateLimit-Policy; the value lists \
                     the headers that are present.",
            ),
        )
        .or("none", "It is not announced, and none was reached.")
        .found_out("Lists items with the key of the role rate_limited until the response is 429, at most 200 times.")
        .needs(many())
        .needs([Need::Key(RateLimited)])
        .sends(LARGEST_QUOTA as u64)
        .by(rate_limit),
    ]
}

/// Returns requests that are answered by a success and by errors of two statuses.
fn some_of_each(probe: &Probe) -> Result<[(&'static str, Call); 3], Stop> {
    let list = || Ok::<_, Stop>(Pages::Items.call(probe)?.query("limit", 1));
    let unknown = probe.call("list_items").path("pipeline_id", probe.unknown_id());
    Ok([("200", list()?), ("401", list()?.literal_keys([])), ("404", unknown)])
}

/// Observes the value of a header in a success and in errors.
async fn header(probe: &Probe, name: &'static str) -> ObservationResult {
    let named = some_of_each(probe)?.map(|(kind, call)| (kind.to_owned(), call));
    across(named, |call| async move {
        let response = call.send().await?;
        match response.header(name) {
            None => observed("absent", &[&response]),
            Some(text) => observed_value("says", text, &[&response]),
        }
    })
    .await
}

async fn request_id(probe: Probe) -> ObservationResult {
    let named = some_of_each(&probe)?.map(|(kind, _)| kind);
    across(named.map(|kind| (kind.to_owned(), kind)), |kind| {
        let probe = probe.clone();
        async move {
            let ask = async |id: Option<&str>| {
                let calls = some_of_each(&probe)?.into_iter();
                let call = calls.filter(|(name, _)| *name == kind).map(|(_, call)| call).next();
                let Some(call) = call else {
                    return Err(Stop::Inconclusive("a request to send".to_owned()));
                };
                id.into_iter()
                    .fold(call, |call, id| call.header("X-Request-Id", id))
                    .send()
                    .await
            };
            let (sane, insane, bare) = (ask(Some(ID)).await?, ask(Some("<script>")).await?, ask(None).await?);
            let id = |response: &HttpResponse| response.header("x-request-id").unwrap_or_default().to_owned();
            let evidence = [&sane, &insane, &bare];
            match (id(&sane) == ID, id(&insane) == "<script>", id(&bare).is_empty()) {
                (_, _, true) if id(&sane).is_empty() => observed("absent", &evidence),
                (true, false, false) if !id(&insane).is_empty() => observed("kept-or-new", &evidence),
                (false, false, false) => observed("new", &evidence),
                (true, true, false) => observed("kept", &evidence),
                _ => observed_other("present in some responses and absent in others", &evidence),
            }
        }
    })
    .await
}

async fn undeclared(probe: Probe) -> ObservationResult {
    let mut undeclared = BTreeSet::new();
    let mut evidence = Vec::new();
    // In a run that may only read, only the operations that read.
    let asked = |operation: &&Arc<Operation>| operation.is_read() || probe.may_write();
    for operation in probe.contract().operations().iter().filter(asked) {
        let id = operation
            .parameters
            .iter()
            .find(|parameter| parameter.location == "path");
        let valid = RequestTemplate::valid(operation);
        let mut calls = vec![
            valid.call(&probe).await?.query("offset", 1).query("limit", 0),
            valid.call(&probe).await?.literal_keys([]),
        ];
        if let Some(id) = id {
            let abc = probe
                .call(&operation.id)
                .path(&id.name, "abc")
                .path("pipeline_item_id", 1);
            calls.push(if operation.is_read() { abc } else { abc.json(&json!({})) });
        }
        for call in calls {
            let response = call.send().await?;
            let declared = operation.response(response.status);
            if declared.is_none_or(|declared_response| declared_response.status.ends_with("XX"))
                && undeclared.insert(response.status)
            {
                evidence.push(response);
            }
        }
    }
    observed_value("statuses", json!(undeclared), &evidence.iter().collect::<Vec<_>>())
}

async fn rate_limit(probe: Probe) -> ObservationResult {
    let mut first = None;
    for _ in 0..LARGEST_QUOTA {
        let response = Pages::Items
            .call(&probe)?
            .query("limit", 1)
            .key(RateLimited)
            .send()
            .await?;
        match response.status {
            200 => first = first.or(Some(response)),
            429 => {
                let present = |name: &&str| match *name {
                    "Retry-After" => response.headers.contains_key(*name),
                    name => first.as_ref().unwrap_or(&response).headers.contains_key(name),
                };
                let there: Vec<_> = ["Retry-After", "RateLimit", "RateLimit-Policy"]
                    .into_iter()
                    .filter(present)
                    .collect();
                return observed_value("429", there, &[&response]);
            }
            status => return observed_other(format!("answered {status}"), &[&response]),
        }
    }
    match first {
        Some(response) => observed("none", &[&response]),
        None => unknown_without("a response to the key of the role rate_limited"),
    }
}
