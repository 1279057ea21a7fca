//! Points about HEAD and OPTIONS, and about long requests.

use serde_json::{Value, json};
use std::sync::Arc;

use super::observation::{
    ObservationResult, across, observed, observed_other, observed_value, rejected_or,
};
use super::{Point, point};
use crate::header::lengths::Long;
use crate::header::methods::{REQUESTS, allows, ask_options, both, is_mirrored};
use engine::case::Need;
use engine::session::Probe;
use engine::target::PipelineRole::ManyItems;
use platform_contract::Operation;

pub(super) fn points() -> Vec<Point> {
    let points = vec![
        point(
            "head",
            "How is HEAD answered where GET is?",
            ("as-get", Value::Null, "With the status and the headers of GET."),
        )
        .or("refused", "It is rejected with this status.")
        .or("other-status", "Some requests get another status than GET.")
        .or("other-headers", "With the status of GET, and with other headers.")
        .found_out("Sends GET and HEAD to every operation that reads: a valid request, one without a key, and one with a parameter that the operation does not have.")
        .by(|probe| async move {
            let operations = probe.contract().operations().iter();
            let reads = operations.filter(|operation| operation.is_read());
            let named = reads.map(|operation| (operation.id.clone(), Arc::clone(operation)));
            across(named, |operation| head(probe.clone(), operation)).await
        }),
        point(
            "options",
            "How is OPTIONS answered?",
            ("names-the-methods", json!(204), "With this status, and Allow names the methods of the path."),
        )
        .or("without-allow", "With this status, and Allow does not name the methods.")
        .or("refused", "It is rejected with this status.")
        .found_out("Sends OPTIONS to every path of the contract.")
        .by(|probe| async move {
            let operations = probe.contract().operations().iter();
            let named = operations.map(|operation| (operation.id.clone(), Arc::clone(operation)));
            across(named, |operation| options(probe.clone(), operation)).await
        }),
        long(
            "request-target-length",
            "How is a request target of 31 KiB answered?",
            "Lists items with an unknown parameter of that length, and with a short one.",
        )
        .by(|probe| like_a_short_one(probe, Long::Target)),
        long(
            "header-fields-length",
            "How are header fields of 30 KiB answered?",
            "Lists items with an unknown header of that length, and with a short one.",
        )
        .by(|probe| like_a_short_one(probe, Long::Fields)),
    ];
    let needs = |point: Point| point.needs([Need::Pipeline(ManyItems)]);
    points.into_iter().map(needs).collect()
}

fn long(id: &'static str, question: &'static str, found_out: &'static str) -> Point {
    let contract = ("as-a-short-one", Value::Null, "Like a short request.");
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

async fn head(probe: Probe, operation: Arc<Operation>) -> ObservationResult {
    let mut mirrored = None;
    for change in REQUESTS {
        let (get, head) = both(&probe, &operation, change).await?;
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

async fn options(probe: Probe, operation: Arc<Operation>) -> ObservationResult {
    let answer = ask_options(&probe, &operation).await?;
    rejected_or(&answer, || {
        let behaviour = match allows(&answer, &operation.method) {
            true => "names-the-methods",
            false => "without-allow",
        };
        observed_value(behaviour, answer.status, &[&answer])
    })
}
