//! Cases about requests that are not well-formed HTTP.

use serde_json::json;

use super::{first, is_of_the_platform, list};
use engine::case::{Case, Need};
use engine::session::Probe;
use engine::target::PipelineRole::{ManyItems, Writable};
use engine::transport::raw::{Conversation, Message, Talk};
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// The contract's sentence about such a request.
const REJECTED: &str = "It is rejected with 400 and the code malformed_request wherever a response is possible, unless it \
     was rejected for another reason first, and the connection is closed.";

/// The number of bytes of a body that are announced and not sent.
const MISSING: usize = 30;

/// A way in which a request is not well-formed.
type Fault = fn(Message) -> Message;

/// Requests that every HTTP server has to answer 400 (RFC 9112, sections 3, 3.2, 5.1 and 6.3), by name. Requests that
/// a server may repair or interpret itself are not included.
pub const FAULTS: [(&str, Fault); 8] = [
    ("words-behind-the-target", |message| {
        message.version("and more HTTP/1.1")
    }),
    ("no-host", |message| message.hosts(0)),
    ("two-hosts", |message| message.hosts(2)),
    ("space-before-colon", |message| message.line("X-Note : 1")),
    ("no-colon", |message| message.line("X-Note")),
    ("length-not-a-number", |message| message.line("Content-Length: two")),
    ("length-with-a-sign", |message| {
        message.line("Content-Length: +2").unframed_body("{}")
    }),
    ("two-lengths", |message| {
        let message = message.line("Content-Length: 2");
        message.line("Content-Length: 3").unframed_body("{} ")
    }),
];

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    let point = "malformed-request";
    let mut cases: Vec<_> = FAULTS
        .into_iter()
        .map(|(name, fault)| {
            Case::quoting(
                format!("http/malformed-is-rejected/{name}"),
                format!("{name}: A malformed request gets 400, and the connection is closed"),
                "/info",
                REJECTED,
            )
            .on(["list_items"])
            .needs([Need::Pipeline(ManyItems)])
            .point(point)
            .byte_for_byte()
            .sends(1)
            .check_with(fault, rejected)
        })
        .collect();
    cases.push(
        Case::quoting(
            "http/malformed-has-the-error-body",
            "The response of the platform to a malformed request is a problem with the code malformed_request",
            "/info",
            REJECTED,
        )
        .and("/x-early-responses/400")
        .and_quote("/info", "Every response of the platform carries X-Request-Id")
        .and_quote("/info", "Responses carry Cache-Control: no-store")
        .on(["list_items"])
        .needs([Need::Pipeline(ManyItems)])
        .point(point)
        .byte_for_byte()
        .sends(2)
        .check(has_the_error_body),
    );
    cases.push(
        Case::quoting(
            "http/lower-case-method-is-another-method",
            "A method in lower case is not the method: the request is rejected",
            "/info",
            "Names of methods are case-sensitive: get is not GET.",
        )
        .and_quote(
            "/info",
            "an unknown method of a known route is rejected with 405, the code method_not_allowed and the header \
             Allow",
        )
        .on(["list_items"])
        .needs([Need::Pipeline(ManyItems)])
        .point("unknown-method")
        .byte_for_byte()
        .sends(1)
        .writes(1)
        .check(lower_case),
    );
    let add = contract.operation("add_organization");
    cases.push(
        Case::quoting(
            "http/cut-off-body-adds-nothing",
            "A request whose body is cut off is not carried out",
            "/info",
            "A request that is not well-formed HTTP, or whose body was cut off, is never carried out.",
        )
        .and_quote(
            &add.response_pointer(400),
            "Or the request is not well-formed HTTP, such as a body that was cut off (malformed_request).",
        )
        .on([add.id.as_str()])
        .needs([Need::Writes])
        .point("cut-off-body")
        .byte_for_byte()
        .sends(7)
        .adds(1)
        .writes(2)
        .check(cut_off),
    );
    cases
}

/// Sends a list request with an error.
pub async fn with_fault(probe: &Probe, fault: Fault) -> Result<Talk, Stop> {
    let message = fault(Message::get(list(probe).await?));
    let conversation = Conversation::of(message).watching_the_end();
    probe.talk(&conversation).await
}

async fn rejected(probe: Probe, fault: Fault) -> Outcome {
    let talk = with_fault(&probe, fault).await?;
    let response = first(&probe, &talk, "400")?;
    probe.expect(response).status(400);
    let expected = "it is closed after the response";
    let closes = talk.end.is_closed();
    probe.assert(closes, "the connection", expected, talk.end.shown(), &[response]);
    Ok(())
}

/// Sends `get`. A parser that knows only the common methods takes it for malformed (400) or not implemented (501).
async fn lower_case(probe: Probe) -> Outcome {
    let message = Message::new("get", list(&probe).await?);
    let talk = probe.talk(&Conversation::of(message)).await?;
    let response = first(&probe, &talk, "405")?;
    let holds = matches!(response.status, 400 | 405 | 501);
    probe.assert(
        holds,
        "the status",
        "405, or 400 of a parser",
        response.summary(),
        &[response],
    );
    Ok(())
}

async fn has_the_error_body(probe: Probe) -> Outcome {
    let mut is_seen = false;
    for (_, fault) in [FAULTS[0], FAULTS[2]] {
        let talk = with_fault(&probe, fault).await?;
        let responses = talk.responses.iter();
        for response in responses.filter(|response| response.status == 400 && is_of_the_platform(response)) {
            is_seen = true;
            probe.expect(response).rejected(400, "malformed_request");
            assert_headers(&probe, response);
        }
    }
    match is_seen {
        true => Ok(()),
        false => probe
            .inconclusive("a response of the platform itself: something in front of it responds to malformed requests"),
    }
}

/// Asserts the headers of a response of the platform that comes before any operation.
pub(crate) fn assert_headers(probe: &Probe, response: &HttpResponse) {
    let id = response
        .header("x-request-id")
        .unwrap_or("it is missing, or there more than once");
    let in_body = response.at("/request_id").as_str();
    let holds = in_body == Some(id);
    let expected = format!("{}, as in the body", in_body.unwrap_or("an id"));
    probe.assert(holds, "the header X-Request-Id", expected, id, &[response]);
    probe.expect(response).header("Cache-Control", "no-store");
}

/// Sends an addition whose body ends before its length.
pub async fn add_half(probe: &Probe, organization: u64) -> Result<Talk, Stop> {
    let body = json!({ "organization_id": organization }).to_string();
    let length = format!("Content-Length: {}", body.len() + MISSING);
    add_in_part(probe, length, body).await
}

/// Sends an addition whose body ends before its last chunk.
async fn add_without_the_last_chunk(probe: &Probe, organization: u64) -> Result<Talk, Stop> {
    let body = json!({ "organization_id": organization }).to_string();
    let chunk = format!("{:x}\r\n{body}\r\n", body.len());
    add_in_part(probe, "Transfer-Encoding: chunked".to_owned(), chunk).await
}

async fn add_in_part(probe: &Probe, framing: String, sent: String) -> Result<Talk, Stop> {
    let call = probe.call("add_organization");
    let path = call.path("pipeline_id", probe.pipeline(Writable)?).path_and_query()?;
    let message = Message::new("POST", path)
        .line("Content-Type: application/json")
        .line(framing)
        .unframed_body(sent);
    let conversation = Conversation::of(message).ended();
    probe.talk(&conversation).await
}

async fn cut_off(probe: Probe) -> Outcome {
    let organization = probe.organization_to_add()?;
    let before = probe.count_items(Writable).await?;
    let talk = add_half(&probe, organization).await?;
    assert_not_carried_out(&probe, &talk, &before).await?;
    let talk = add_without_the_last_chunk(&probe, organization).await?;
    assert_not_carried_out(&probe, &talk, &before).await
}

async fn assert_not_carried_out(probe: &Probe, talk: &Talk, before: &HttpResponse) -> Outcome {
    let response = talk.responses.first();
    match response {
        _ if talk.is_disturbed() => {}
        Some(response) if is_of_the_platform(response) => {
            probe.expect(response).rejected(400, "malformed_request");
        }
        // A proxy does not forward an incomplete request.
        Some(response) => probe.assert(
            response.status >= 400,
            "the status",
            "no success",
            response.summary(),
            &[response],
        ),
        None => {}
    }
    probe.assert_items_added(Writable, before, 0, response).await
}
