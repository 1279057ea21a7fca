//! Cases about several requests on one connection: none is parsed as a part of another, and the responses are in
//! order.

use super::list;
use crate::header::headers::only_to_add;
use engine::case::{Case, Need, RequestTemplate};
use engine::session::Probe;
use engine::session::presence::NO_ROUTE;
use engine::target::PipelineRole::ManyItems;
use engine::target::Role::ReadOnly;
use engine::transport::raw::{Conversation, End, Message, Talk};
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// A body that is never read: the route does not accept one.
const BODY: &str = r#"{"organization_id": 9007199254740991}"#;
/// The same, in a chunk.
const CHUNKED: &str = "25\r\n{\"organization_id\": 9007199254740991}\r\n0\r\n\r\n";
/// Longer than any body that is read.
const LONG: usize = 70_000;
/// The contract's sentence about a connection that stays open.
const NEXT: &str = "A connection that stays open after a response accepts the next request, whether or not the \
     previous body was read.";

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    let add = contract.operation("add_organization");
    let case = |id: &str, title: &str, sentence: &str, point: &str| {
        Case::quoting(format!("http/{id}"), title, "/info", sentence)
            .on(["list_items"])
            .needs([Need::Pipeline(ManyItems)])
            .point(point)
            .byte_for_byte()
    };
    vec![
        case(
            "body-of-a-read-is-not-a-request",
            "The body of a read that is rejected is not taken for the next request",
            NEXT,
            "kept-connection",
        )
        .sends(12)
        .check(after_reads),
        case(
            "body-of-an-addition-is-not-a-request",
            "The body of an addition that is rejected is not taken for the next request",
            NEXT,
            "kept-connection",
        )
        .on([add.id.as_str(), "list_items"])
        .needs([Need::POST])
        .sends(10)
        .writes(5)
        .check(after_additions),
        case(
            "body-of-a-denied-addition-is-not-a-request",
            "The body of an addition by a key without the permission is not taken for the next request",
            NEXT,
            "kept-connection",
        )
        .on([add.id.as_str(), "list_items"])
        .needs([Need::POST, Need::Key(ReadOnly)])
        .sends(2)
        .writes(1)
        .check(after_a_denial),
        case(
            "answers-come-in-order",
            "Requests that are sent at once get their responses in order",
            "Requests on one connection get their responses in order.",
            "kept-connection",
        )
        .sends(4)
        .check(in_order),
        case(
            "head-has-no-body",
            "The response to HEAD has no body: the next one on the connection begins after its headers",
            "HEAD is available wherever GET is, with the same status and headers and without a body",
            "head",
        )
        .sends(6)
        .check(head_has_no_body),
    ]
}

/// Reads with a body, each rejected for another reason before the body is read.
pub async fn rejected_reads(probe: &Probe) -> Result<Vec<Message>, Stop> {
    let list = list(probe).await?;
    let get = |path: &str| Message::get(path).line("Content-Type: application/json");
    let chunked = |message: Message| {
        let message = message.line("Transfer-Encoding: chunked");
        message.unframed_body(CHUNKED)
    };
    Ok(vec![
        get(&list).key(None).body(BODY),
        chunked(get(&list).key(None)),
        get(NO_ROUTE).body(BODY),
        get(&only_to_add(probe)).body(BODY),
        get(&format!("{list}&offset=1")).body(BODY),
        // If the request is not rejected, the encoding overrides the length (RFC 9112, section 6.1).
        chunked(get(&list).line("Content-Length: 3")),
    ])
}

async fn after_reads(probe: Probe) -> Outcome {
    let rejected = rejected_reads(&probe).await?;
    after_each(&probe, rejected).await
}

/// The path of an addition.
async fn addition(probe: &Probe) -> Result<String, Stop> {
    let add = probe.contract().operation("add_organization");
    RequestTemplate::valid(add).call(probe).await?.path_and_query()
}

/// A request that declares its body as JSON.
fn json(path: &str) -> Message {
    Message::new("POST", path).line("Content-Type: application/json")
}

async fn after_a_denial(probe: Probe) -> Outcome {
    let denied = json(&addition(&probe).await?).key(ReadOnly).body(BODY);
    after_each(&probe, vec![denied]).await
}

async fn after_additions(probe: Probe) -> Outcome {
    let (add, list) = (addition(&probe).await?, list(&probe).await?);
    let path = list.split('?').next().unwrap_or_default();
    let rejected = vec![
        json(&add).key(None).body(BODY),
        json(NO_ROUTE).body(BODY),
        json(path).body(BODY),
        Message::new("POST", &add).line("Content-Type: text/plain").body(BODY),
        json(&add).body("0".repeat(LONG)),
    ];
    after_each(&probe, rejected).await
}

/// Asserts that a list request after each of these requests is answered, or the connection is closed.
async fn after_each(probe: &Probe, rejected: Vec<Message>) -> Outcome {
    let list = list(probe).await?;
    let mut refused = 0;
    for message in rejected {
        let conversation = Conversation::in_turn([message, Message::get(&list)]);
        let talk = probe.talk(&conversation).await?;
        if talk.is_disturbed() {
            continue;
        }
        refused += usize::from(talk.responses.first().is_some_and(|first| first.status >= 400));
        assert_next(probe, &talk, "a request with a body");
    }
    match refused {
        0 => probe.inconclusive("a request with a body that is rejected"),
        _ => Ok(()),
    }
}

/// Describes what is wrong with the second response of a conversation, if anything: it has to be a success, or the
/// connection is closed before it.
pub fn wrong_next(talk: &Talk) -> Option<String> {
    match (talk.responses.as_slice(), &talk.end) {
        ([], _) | ([_], End::Closed | End::Cut) => None,
        ([_], end) => Some(end.shown().to_owned()),
        // A quota rejects the next request.
        ([_, next, ..], _) if next.status == 429 => None,
        ([_, next, ..], _) => (next.status != 200).then(|| next.summary()),
    }
}

fn assert_next(probe: &Probe, talk: &Talk, behind: &str) {
    if talk.responses.is_empty() {
        return;
    }
    let wrong = wrong_next(talk);
    let what = format!("the response to a list on the same connection, after {behind}");
    probe.assert(
        wrong.is_none(),
        &what,
        "200, or the connection is closed",
        wrong.unwrap_or_default(),
        &talk.responses.iter().take(1).collect::<Vec<_>>(),
    );
}

async fn in_order(probe: Probe) -> Outcome {
    let list = list(&probe).await?;
    let get = || Message::get(&list);
    let expected = [200, 401, 404, 200];
    let conversation = Conversation::at_once([get(), get().key(None), Message::get(NO_ROUTE), get()]);
    let talk = probe.talk(&conversation).await?;
    let statuses: Vec<_> = talk.responses.iter().map(|response| response.status).collect();
    if statuses.len() < 2 && talk.end.is_closed() {
        return probe.inconclusive("a connection that takes several requests");
    }
    let evidence: Vec<_> = talk.responses.iter().take(1).collect();
    probe.assert(
        statuses == expected[..statuses.len()],
        "the statuses of the responses on one connection",
        format!("{expected:?}"),
        format!("{statuses:?}"),
        &evidence,
    );
    if statuses.len() < expected.len() {
        let expected = "a response, or the connection is closed";
        let seen = talk.end.shown();
        let what = "what comes for the next request";
        probe.assert(talk.end.is_closed(), what, expected, seen, &evidence);
    }
    Ok(())
}

/// Sends HEAD and then GET on one connection: a list, a search, and a list without a key.
pub async fn heads(probe: &Probe) -> Result<Vec<Talk>, Stop> {
    let list = list(probe).await?;
    let search = probe.contract().operation("search_organizations_by_description");
    let search = RequestTemplate::valid(search).call(probe).await?;
    let search = search.path_and_query()?;
    let mut talks = Vec::new();
    for head in [
        Message::new("HEAD", &list),
        Message::new("HEAD", search),
        Message::new("HEAD", &list).key(None),
    ] {
        let conversation = Conversation::in_turn([head, Message::get(&list)]);
        talks.push(probe.talk(&conversation).await?);
    }
    Ok(talks)
}

async fn head_has_no_body(probe: Probe) -> Outcome {
    let talks = heads(&probe).await?;
    for talk in &talks {
        assert_next(&probe, talk, "HEAD");
    }
    let list_items = probe.contract().operation("list_items");
    let mut next = talks.iter().filter_map(|talk| talk.responses.get(1));
    match next.any(|next| probe.is_whole(list_items, next)) {
        true => Ok(()),
        false => probe.inconclusive("a connection that stays open after HEAD, and a list as the next response"),
    }
}
