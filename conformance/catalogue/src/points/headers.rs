//! Headers that every answer has, answers to routes and methods that are not there, statuses that the
//! contract does not declare, and quotas.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::sight::{Pages, Seen, across, saw, saw_other, saw_value, untold};
use super::{Point, point};
use crate::header::headers::{NO_ROUTE, only_to_add};
use crate::support::any_operation::call;
use engine::case::Need;
use engine::session::{Call, Probe};
use engine::target::PipelineRole::ManyItems;
use engine::target::Role::RateLimited;
use engine::transport::client::Answer;
use engine::verdict::Stop;
use platform_contract::Operation;

/// A well-formed id of a request.
const ID: &str = "trace-7.b_2";
/// The most requests that are sent to use up a quota.
const LARGEST_QUOTA: usize = 200;

pub(super) fn points() -> Vec<Point> {
    let many = || [Need::Pipeline(ManyItems)];
    vec![
        point(
            "request-id",
            "Has every answer an X-Request-Id?",
            ("kept-or-new", Value::Null, "Yes: the one that the request brought, if it is well-formed, else a new one."),
        )
        .or("new", "Yes: a new one, whatever the request brought.")
        .or("kept", "Yes: the one that the request brought, whatever it is.")
        .or("absent", "No.")
        .found_out("Lists items with a well-formed id, with <script>, and without one; asks for an unknown pipeline.")
        .governing(["header/request-id-*"])
        .needs(many())
        .by(request_id),
        point(
            "cache-control",
            "What does Cache-Control say?",
            ("says", json!("no-store"), "This, in successes and errors."),
        )
        .or("absent", "Nothing: there is no such header.")
        .found_out("Reads the header of a list, of a 401 and of a 404.")
        .governing(["header/not-stored"])
        .needs(many())
        .by(|probe| async move { header(&probe, "Cache-Control").await }),
        point(
            "www-authenticate",
            "Which scheme does WWW-Authenticate of a 401 name?",
            ("scheme", json!("apikey"), "This one, in any spelling of capitals."),
        )
        .or("absent", "None: there is no such header.")
        .found_out("Lists items without a key.")
        .governing(["header/www-authenticate"])
        .needs(many())
        .by(|probe| async move {
            let answer = Pages::Items.call(&probe)?.literal_keys([]).send().await?;
            match answer.header("www-authenticate").and_then(|text| text.split_whitespace().next()) {
                None => saw("absent", &[&answer]),
                Some(scheme) => {
                    let scheme = scheme.to_ascii_lowercase();
                    // The kit takes any spelling that begins so.
                    let scheme = if scheme.starts_with("apikey") { "apikey" } else { &scheme };
                    saw_value("scheme", scheme, &[&answer])
                }
            }
        }),
        point(
            "unknown-route",
            "What answers a route that is not there?",
            ("refused", json!([404, "route_not_found"]), "This status and code."),
        )
        .found_out("Asks for a route that no platform has.")
        .governing(["header/unknown-route", "schema/unrouted/404"])
        .by(|probe| async move {
            let answer = probe.route("GET", NO_ROUTE).send().await?;
            saw_value("refused", json!([answer.status, answer.code()]), &[&answer])
        }),
        point(
            "unknown-method",
            "What answers a method that a route does not have?",
            ("refused", json!([405, "method_not_allowed", "Allow"]), "This status and code, with the header Allow."),
        )
        .found_out("Reads the route that organizations are added by, of a pipeline that does not exist.")
        .governing(["header/unknown-method", "schema/unrouted/405"])
        .by(|probe| async move {
            let answer = probe.route("GET", &only_to_add(&probe)).send().await?;
            let allow = answer.headers.contains_key("allow").then_some("Allow");
            saw_value("refused", json!([answer.status, answer.code(), allow]), &[&answer])
        }),
        point(
            "deprecation",
            "Is it said when something that is deprecated goes away?",
            ("with-its-end", Value::Null, "Yes: nothing is announced by Deprecation but with the header Sunset."),
        )
        .or("without-its-end", "No: the header Deprecation comes without Sunset.")
        .found_out("Looks at the headers of answers of each kind.")
        .governing(["schema/any/deprecation"])
        .by(|probe| async move {
            let named = some_of_each(&probe)?.map(|(kind, call)| (kind.to_owned(), call));
            across(named, |call| async move {
                let answer = call.send().await?;
                let has = |name| answer.headers.contains_key(name);
                match has("deprecation") && !has("sunset") {
                    true => saw("without-its-end", &[&answer]),
                    false => saw("with-its-end", &[&answer]),
                }
            })
            .await
        }),
        point(
            "undeclared-statuses",
            "Which statuses answer bad requests that the contract does not declare?",
            ("statuses", json!([]), "These."),
        )
        .found_out("Asks every operation with a parameter that it does not have and a limit of 0, without a key, and for an id that is none.")
        .governing(["schema/*/other-status"])
        .needs(many())
        .writes(3)
        .by(undeclared),
        point(
            "rate-limit",
            "How is a quota told, and what answers when it is used up?",
            (
                "429",
                json!(["Retry-After", "RateLimit", "RateLimit-Policy"]),
                "429 with Retry-After, and every answer has RateLimit and RateLimit-Policy; the value lists those that are there.",
            ),
        )
        .or("none", "Nothing: no quota was met.")
        .found_out("Lists items with the key of the role rate_limited until it is answered 429, 200 times at the most.")
        .governing(["rate-limit/*", "schema/*/429"])
        .needs(many())
        .needs([Need::Key(RateLimited)])
        .sends(LARGEST_QUOTA as u64)
        .by(rate_limit),
    ]
}

/// A success, and errors of two statuses.
fn some_of_each(probe: &Probe) -> Result<[(&'static str, Call); 3], Stop> {
    let list = || Ok::<_, Stop>(Pages::Items.call(probe)?.query("limit", 1));
    let unknown = probe
        .call("list_items")
        .path("pipeline_id", probe.contract().greatest_id());
    Ok([
        ("200", list()?),
        ("401", list()?.literal_keys([])),
        ("404", unknown),
    ])
}

/// What a header says in answers of each kind.
async fn header(probe: &Probe, name: &'static str) -> Seen {
    let named = some_of_each(probe)?.map(|(kind, call)| (kind.to_owned(), call));
    across(named, |call| async move {
        let answer = call.send().await?;
        match answer.header(name) {
            None => saw("absent", &[&answer]),
            Some(text) => saw_value("says", text, &[&answer]),
        }
    })
    .await
}

async fn request_id(probe: Probe) -> Seen {
    let named = some_of_each(&probe)?.map(|(kind, _)| kind);
    across(named.map(|kind| (kind.to_owned(), kind)), |kind| {
        let probe = probe.clone();
        async move {
            let ask = async |id: Option<&str>| {
                let calls = some_of_each(&probe)?.into_iter();
                let call = calls
                    .filter(|(name, _)| *name == kind)
                    .map(|(_, call)| call)
                    .next();
                let Some(call) = call else {
                    return Err(Stop::Inconclusive("a request to send".to_owned()));
                };
                id.into_iter()
                    .fold(call, |call, id| call.header("X-Request-Id", id))
                    .send()
                    .await
            };
            let (sane, insane, bare) = (
                ask(Some(ID)).await?,
                ask(Some("<script>")).await?,
                ask(None).await?,
            );
            let id = |answer: &Answer| answer.header("x-request-id").unwrap_or_default().to_owned();
            let evidence = [&sane, &insane, &bare];
            match (
                id(&sane) == ID,
                id(&insane) == "<script>",
                id(&bare).is_empty(),
            ) {
                (_, _, true) if id(&sane).is_empty() => saw("absent", &evidence),
                (true, false, false) if !id(&insane).is_empty() => saw("kept-or-new", &evidence),
                (false, false, false) => saw("new", &evidence),
                (true, true, false) => saw("kept", &evidence),
                _ => saw_other("sometimes there, sometimes not", &evidence),
            }
        }
    })
    .await
}

async fn undeclared(probe: Probe) -> Seen {
    let mut undeclared = BTreeSet::new();
    let mut evidence = Vec::new();
    // In a run that may only read, those that do.
    let asked = |operation: &&Operation| operation.is_read() || probe.may_write();
    for operation in probe.contract().operations().iter().filter(asked) {
        let id = operation
            .parameters
            .iter()
            .find(|parameter| parameter.location == "path");
        let mut calls = vec![
            call(&probe, operation)
                .await?
                .query("offset", 1)
                .query("limit", 0),
            call(&probe, operation).await?.literal_keys([]),
        ];
        if let Some(id) = id {
            let abc = probe
                .call(&operation.id)
                .path(&id.name, "abc")
                .path("pipeline_item_id", 1);
            calls.push(if operation.is_read() {
                abc
            } else {
                abc.json(&json!({}))
            });
        }
        for call in calls {
            let answer = call.send().await?;
            let declared = operation.response(answer.status);
            if declared.is_none_or(|response| response.status.ends_with("XX"))
                && undeclared.insert(answer.status)
            {
                evidence.push(answer);
            }
        }
    }
    saw_value(
        "statuses",
        json!(undeclared),
        &evidence.iter().collect::<Vec<_>>(),
    )
}

async fn rate_limit(probe: Probe) -> Seen {
    let mut first = None;
    for _ in 0..LARGEST_QUOTA {
        let answer = Pages::Items
            .call(&probe)?
            .query("limit", 1)
            .key(RateLimited)
            .send()
            .await?;
        match answer.status {
            200 => first = first.or(Some(answer)),
            429 => {
                let told = |name: &&str| match *name {
                    "Retry-After" => answer.headers.contains_key(*name),
                    name => first.as_ref().unwrap_or(&answer).headers.contains_key(name),
                };
                let there: Vec<_> = ["Retry-After", "RateLimit", "RateLimit-Policy"]
                    .into_iter()
                    .filter(told)
                    .collect();
                return saw_value("429", there, &[&answer]);
            }
            status => return saw_other(format!("answered {status}"), &[&answer]),
        }
    }
    match first {
        Some(answer) => saw("none", &[&answer]),
        None => untold("an answer to the key of the role rate_limited"),
    }
}
