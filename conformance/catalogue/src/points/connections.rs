//! Points about the writing of requests, about those that are not well-formed or too long, and about several requests
//! on one connection.

use serde_json::{Value, json};

use super::observation::{ObservationResult, across, observed, observed_other, observed_value, unknown_without};
use super::{Point, point};
use engine::case::Need;
use engine::session::Probe;
use engine::target::PipelineRole::{ManyItems, Writable};
use engine::transport::raw::{Conversation, Message, Talk};
use service::http::connections::{rejected_reads, wrong_next};
use service::http::long::TooLong;
use service::http::malformed::{FAULTS, add_half, with_fault};
use service::http::{is_of_the_platform, list};

pub(super) fn points() -> Vec<Point> {
    let many = || [Need::Pipeline(ManyItems)];
    vec![
        point(
            "malformed-request",
            "What is the response to a request that is not well-formed HTTP?",
            (
                "refused",
                json!([400, "malformed_request"]),
                "A rejection with this status and code.",
            ),
        )
        .or("closed", "None: the connection is closed.")
        .or("accepted", "The same as to a well-formed request.")
        .found_out("Lists items with six requests that HTTP has every server reject.")
        .needs(many())
        .by(|probe| async move {
            let faults = FAULTS.map(|(name, fault)| (name.to_owned(), fault));
            across(faults, |fault| {
                let probe = probe.clone();
                async move { rejected(&with_fault(&probe, fault).await?) }
            })
            .await
        }),
        point(
            "too-long-request",
            "What is the response to a request target of 128 KiB and to header fields of 512 KiB, if they are too long?",
            (
                "refused",
                json!([414, 431]),
                "Rejections with these statuses. A deployment may accept longer ones.",
            ),
        )
        .found_out("Lists items with an unknown parameter and with an unknown header of that length.")
        .needs(many())
        .by(too_long),
        point(
            "white-space-around-key",
            "How is white space before and after a key treated?",
            ("nothing", Value::Null, "It is not part of the key."),
        )
        .or("part-of-the-key", "It is part of the key, which is then unknown.")
        .found_out("Lists items with spaces and tabs around a known key.")
        .needs(many())
        .by(white_space),
        point(
            "kept-connection",
            "After a read with a body, where does the next request on the connection begin?",
            ("the-next-request", Value::Null, "After the body."),
        )
        .or("the-body", "At the body.")
        .found_out("Sends reads with a body, each with a list behind it on the same connection.")
        .needs(many())
        .by(kept),
        point(
            "cut-off-body",
            "What happens to an addition whose body is cut off?",
            ("nothing", Value::Null, "Nothing is added."),
        )
        .or("added", "The organization is added.")
        .found_out("Announces more bytes than it sends, and ends the connection.")
        .needs([Need::Writes])
        .writes(1)
        .by(cut_off),
    ]
}

fn rejected(talk: &Talk) -> ObservationResult {
    match talk.responses.first() {
        None => observed("closed", &[]),
        Some(response) if (200..300).contains(&response.status) => observed("accepted", &[response]),
        Some(response) if response.status == 400 && !is_of_the_platform(response) => {
            unknown_without("a response of the platform itself")
        }
        Some(response) => observed_value("refused", json!([response.status, response.code()]), &[response]),
    }
}

async fn too_long(probe: Probe) -> ObservationResult {
    let (mut statuses, mut evidence) = (Vec::new(), Vec::new());
    for long in [TooLong::Target, TooLong::Fields] {
        let (short, mut talk) = long.both(&probe).await?;
        let (Some(short), Some(response)) = (short.responses.first(), talk.responses.pop()) else {
            return unknown_without("a response to a long request");
        };
        statuses.push(match response.status {
            // A target or a header field that the deployment accepts is not too long.
            status if status == short.status => long.rejection().0,
            status => status,
        });
        evidence.push(response);
    }
    let evidence: Vec<_> = evidence.iter().collect();
    observed_value("refused", statuses, &evidence)
}

async fn white_space(probe: Probe) -> ObservationResult {
    let message = Message::get(&list(&probe).await?).around_key("API-Key: \t ", " \t");
    let talk = probe.talk(&Conversation::of(message)).await?;
    match talk.responses.first() {
        Some(response) if response.status == 200 => observed("nothing", &[response]),
        Some(response) if [401, 403].contains(&response.status) => observed("part-of-the-key", &[response]),
        Some(response) => observed_other(format!("answered {}", response.status), &[response]),
        None => unknown_without("a response to a key between spaces and tabs"),
    }
}

async fn kept(probe: Probe) -> ObservationResult {
    let list = list(&probe).await?;
    let mut fine = None;
    for message in rejected_reads(&probe).await? {
        let conversation = Conversation::in_turn([message, Message::get(&list)]);
        let talk = probe.talk(&conversation).await?;
        let Some(first) = talk.responses.first() else {
            continue;
        };
        match wrong_next(&talk) {
            Some(_) => return observed("the-body", &[first]),
            None => fine = Some(observed("the-next-request", &[first])),
        }
    }
    fine.unwrap_or_else(|| unknown_without("a response to a read with a body"))
}

async fn cut_off(probe: Probe) -> ObservationResult {
    let organization = probe.organization_to_add()?;
    let before = probe.count_items(Writable).await?;
    add_half(&probe, organization).await?;
    let after = probe.count_items(Writable).await?;
    let total = "/total_count";
    match (before.at(total).as_i64(), after.at(total).as_i64()) {
        (Some(was), Some(is)) if was == is => observed("nothing", &[&after]),
        (Some(was), Some(is)) if is == was + 1 => observed("added", &[&after]),
        totals => observed_other(format!("the totals are {totals:?}"), &[&after]),
    }
}
