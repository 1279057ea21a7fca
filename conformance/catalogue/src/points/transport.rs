//! Points about HEAD and OPTIONS, about conditions and `Accept`, and about long requests.

use serde_json::{Value, json};
use std::sync::Arc;

use super::observation::{ObservationResult, across, observed, observed_other, observed_value, rejected_or};
use super::{Point, point};
use engine::case::Need;
use engine::session::Probe;
use engine::target::PipelineRole::ManyItems;
use engine::transport::response::HttpResponse;
use platform_contract::Operation;
use service::header::lengths::Long;
use service::header::methods::{allows, ask_options, ask_options_without_a_key, both, is_mirrored, requests};
use service::header::negotiation::{is_declared, with_accept, with_conditions};

pub(super) fn points() -> Vec<Point> {
    let points = vec![
        point(
            "head",
            "What is the response to HEAD on a route that supports GET?",
            ("as-get", Value::Null, "The status and the headers of GET."),
        )
        .or("refused", "It is rejected with this status.")
        .or("other-status", "Some requests get another status than GET.")
        .or("other-headers", "The status of GET, with other headers.")
        .found_out(
            "Sends GET and HEAD to every operation that reads: a valid request, one without a key, one with a \
             parameter that the operation does not have, and one for an unknown record.",
        )
        .by(|probe| async move { across(reads(&probe), |operation| head(probe.clone(), operation)).await }),
        point(
            "options",
            "What is the response to OPTIONS?",
            (
                "names-the-methods",
                json!(204),
                "This status, and Allow names the methods of the path.",
            ),
        )
        .or("without-allow", "This status, and Allow does not name the methods.")
        .or("refused", "It is rejected with this status.")
        .found_out("Sends OPTIONS to every path of the contract.")
        .by(|probe| async move {
            let operations = probe.contract().operations().iter();
            let named = operations.map(|operation| (operation.id.clone(), Arc::clone(operation)));
            across(named, |operation| options(probe.clone(), operation)).await
        }),
        point(
            "options-key",
            "Does OPTIONS need a key?",
            ("not-needed", Value::Null, "No."),
        )
        .or("refused", "Yes: without a key it is rejected with this status.")
        .found_out("Sends OPTIONS without a key to every path of the contract.")
        .by(|probe| async move {
            let operations = probe.contract().operations().iter();
            let named = operations.map(|operation| (operation.id.clone(), Arc::clone(operation)));
            across(named, |operation| options_without_a_key(probe.clone(), operation)).await
        }),
        point(
            "conditional-requests",
            "What is the response to a request with If-None-Match, If-Modified-Since or Range?",
            ("in-full", Value::Null, "The same as without them."),
        )
        .or("not-modified", "304, where nothing has changed.")
        .or("in-part", "206 with part of the body.")
        .or("refused", "It is rejected with this status.")
        .found_out(
            "Sends the three headers to every operation that reads, with the ETag and Last-Modified of a response \
             before if it has them.",
        )
        .by(|probe| async move { across(reads(&probe), |operation| conditional(probe.clone(), operation)).await }),
        point(
            "accept",
            "What is the effect of Accept headers, as programs and browsers send them, that allow JSON?",
            ("nothing", Value::Null, "None: the response is JSON."),
        )
        .or("media-type", "The response has another media type.")
        .or("refused", "It is rejected with this status.")
        .found_out("Sends two such headers to every operation that reads, with a key and without one.")
        .by(|probe| async move { across(reads(&probe), |operation| negotiated(probe.clone(), operation)).await }),
        long(
            "request-target-length",
            "What is the response to a request target of nearly 32 KiB?",
            "Lists items with an unknown parameter of that length, and with a short one.",
        )
        .by(|probe| like_a_short_one(probe, Long::Target)),
        long(
            "header-fields-length",
            "What is the response to header fields of nearly 32 KiB?",
            "Lists items with an unknown header of that length, and with a short one.",
        )
        .by(|probe| like_a_short_one(probe, Long::Fields)),
    ];
    let needs = |point: Point| point.needs([Need::Pipeline(ManyItems)]);
    points.into_iter().map(needs).collect()
}

fn long(id: &'static str, question: &'static str, found_out: &'static str) -> Point {
    let contract = ("as-a-short-one", Value::Null, "The same as to a short request.");
    point(id, question, contract)
        .or("refused", "It is rejected with this status.")
        .found_out(found_out)
}

async fn like_a_short_one(probe: Probe, long: Long) -> ObservationResult {
    let (short, long) = long.both(&probe).await?;
    match long.status {
        status if status == short.status => observed("as-a-short-one", &[&long, &short]),
        status @ 400..=499 => observed_value("refused", status, &[&long, &short]),
        status => observed_other(format!("answered {status}"), &[&long, &short]),
    }
}

/// The operations that read, each under its name.
fn reads(probe: &Probe) -> Vec<(String, Arc<Operation>)> {
    let operations = probe.contract().operations().iter();
    let reads = operations.filter(|operation| operation.is_read());
    reads
        .map(|operation| (operation.id.clone(), Arc::clone(operation)))
        .collect()
}

async fn conditional(probe: Probe, operation: Arc<Operation>) -> ObservationResult {
    let (whole, conditional) = with_conditions(&probe, &operation).await?;
    let differs = |response: &&HttpResponse| response.status != whole.status || !response.is_json;
    let Some(response) = conditional.iter().find(differs) else {
        let evidence: Vec<_> = conditional.iter().collect();
        return observed("in-full", &evidence);
    };
    match response.status {
        304 => observed("not-modified", &[response, &whole]),
        206 => observed("in-part", &[response, &whole]),
        _ => rejected_or(response, || {
            observed_other(format!("answered {}", response.status), &[response, &whole])
        }),
    }
}

async fn negotiated(probe: Probe, operation: Arc<Operation>) -> ObservationResult {
    let responses = with_accept(&probe, &operation).await?;
    let differs = |response: &&HttpResponse| !is_declared(&operation, response);
    match responses.iter().find(differs) {
        None => observed("nothing", &responses.iter().collect::<Vec<_>>()),
        Some(response) if operation.response(response.status).is_some() => observed("media-type", &[response]),
        Some(response) => rejected_or(response, || {
            observed_other(format!("answered {}", response.status), &[response])
        }),
    }
}

async fn head(probe: Probe, operation: Arc<Operation>) -> ObservationResult {
    let mut mirrored = None;
    for request in requests(&probe, &operation) {
        let (get, head) = both(&probe, &request).await?;
        let evidence = [&head, &get];
        if let (200, status @ (404 | 405 | 501)) = (get.status, head.status) {
            return observed_value("refused", status, &evidence);
        }
        if get.status != head.status {
            return observed("other-status", &evidence);
        }
        if !is_mirrored(&operation, &get, &head) {
            return observed("other-headers", &evidence);
        }
        mirrored = mirrored.or(Some(observed("as-get", &evidence)));
    }
    mirrored.unwrap_or_else(|| observed_other("no request was sent", &[]))
}

async fn options_without_a_key(probe: Probe, operation: Arc<Operation>) -> ObservationResult {
    let response = ask_options_without_a_key(&probe, &operation).await?;
    match response.status {
        401 | 403 => observed_value("refused", response.status, &[&response]),
        // Another rejection is that of OPTIONS with a key.
        _ => observed("not-needed", &[&response]),
    }
}

async fn options(probe: Probe, operation: Arc<Operation>) -> ObservationResult {
    let response = ask_options(&probe, &operation, &[]).await?;
    rejected_or(&response, || {
        let behaviour = match allows(&response, &operation.method) {
            true => "names-the-methods",
            false => "without-allow",
        };
        observed_value(behaviour, response.status, &[&response])
    })
}
