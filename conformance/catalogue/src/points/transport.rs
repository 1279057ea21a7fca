//! HEAD and OPTIONS, and requests that are long.

use serde_json::{Value, json};

use super::sight::{Seen, across, refused_or, saw, saw_other, saw_value};
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
        .or("refused", "It is refused with this status.")
        .or("other-status", "Some requests with another status than GET.")
        .or("other-headers", "With the status of GET, but not with the same headers.")
        .found_out("Sends GET and HEAD to every read: a sound request, one without a key, one with a parameter that the operation does not have.")
        .governing(["header/head-is-get-without-a-body/*"])
        .by(|probe| async move {
            let operations = probe.contract().operations().iter();
            let reads = operations.filter(|operation| operation.is_read());
            let named = reads.map(|operation| (operation.id.clone(), operation));
            across(named, |operation| head(probe.clone(), operation)).await
        }),
        point(
            "options",
            "How is OPTIONS answered?",
            ("names-the-methods", json!(204), "With this status, and Allow names the methods of the path."),
        )
        .or("without-allow", "With this status, and Allow does not name the methods.")
        .or("refused", "It is refused with this status.")
        .found_out("Sends OPTIONS to every path of the contract.")
        .governing(["header/options-names-the-methods/*"])
        .by(|probe| async move {
            let operations = probe.contract().operations().iter();
            let named = operations.map(|operation| (operation.id.clone(), operation));
            across(named, |operation| options(probe.clone(), operation)).await
        }),
        long(
            "request-target-length",
            "How is a request target of 31 KiB answered?",
            "Lists items with an unknown parameter of that length, and with a short one.",
        )
        .governing(["header/long-target-is-read"])
        .by(|probe| like_a_short_one(probe, Long::Target)),
        long(
            "header-fields-length",
            "How are header fields of 30 KiB answered?",
            "Lists items with an unknown header of that length, and with a short one.",
        )
        .governing(["header/long-fields-are-read"])
        .by(|probe| like_a_short_one(probe, Long::Fields)),
    ];
    let needs = |point: Point| point.needs([Need::Pipeline(ManyItems)]);
    points.into_iter().map(needs).collect()
}

fn long(id: &'static str, question: &'static str, found_out: &'static str) -> Point {
    let contract = ("as-a-short-one", Value::Null, "Like a short request.");
    point(id, question, contract)
        .or("refused", "It is refused with this status.")
        .found_out(found_out)
}

async fn like_a_short_one(probe: Probe, long: Long) -> Seen {
    let (short, long) = long.both(&probe).await?;
    match long.status {
        status if status == short.status => saw("as-a-short-one", &[&long, &short]),
        status @ 400..=499 => saw_value("refused", status, &[&long, &short]),
        status => saw_other(format!("answered {status}"), &[&long, &short]),
    }
}

async fn head(probe: Probe, operation: &'static Operation) -> Seen {
    let mut mirrored = None;
    for change in REQUESTS {
        let (get, head) = both(&probe, operation, change).await?;
        let evidence = [&head, &get];
        if let (200, status @ (404 | 405 | 501)) = (get.status, head.status) {
            return saw_value("refused", status, &evidence);
        }
        if get.status != head.status {
            return saw("other-status", &evidence);
        }
        if !is_mirrored(operation, &get, &head) {
            return saw("other-headers", &evidence);
        }
        mirrored = mirrored.or(Some(saw("as-get", &evidence)));
    }
    mirrored.unwrap_or_else(|| saw_other("nothing was asked", &[]))
}

async fn options(probe: Probe, operation: &'static Operation) -> Seen {
    let answer = ask_options(&probe, operation).await?;
    refused_or(&answer, || {
        let behaviour = match allows(&answer, &operation.method) {
            true => "names-the-methods",
            false => "without-allow",
        };
        saw_value(behaviour, answer.status, &[&answer])
    })
}
