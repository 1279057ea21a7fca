//! Cases about one request that is written in several ways. To HTTP they are the same: the names of headers have no
//! case (RFC 9110, section 5.1), white space around a value is not part of it (section 5.5), the order of fields with
//! different names does not matter (section 5.3), fields that a server does not know are ignored, and a network
//! delivers a request in pieces of any length.
//!
//! Clients and proxies differ in all of this. HTTP/2 and most proxies send names in lower case, for example.

use std::sync::Arc;

use super::first;
use engine::case::{Case, Need, RequestTemplate};
use engine::session::Probe;
use engine::transport::raw::{Conversation, Message};
use engine::transport::response::HttpResponse;
use engine::verdict::Outcome;
use platform_contract::{Contract, Operation};

/// The status of a server that does not meet an expectation (RFC 9110, section 10.1.1).
const EXPECTATION_FAILED: u16 = 417;

/// A way to write a request.
#[derive(Debug, Clone, Copy)]
struct Way {
    /// What is written in this way, for a finding.
    shown: &'static str,
    /// The text before and after the key.
    key: (&'static str, &'static str),
    /// The line with the media type of a body.
    media_type: &'static str,
    /// Further lines.
    lines: &'static [&'static str],
    /// Changes the rest.
    change: fn(Message) -> Message,
}

/// The usual way.
const USUAL: Way = Way {
    shown: "the usual headers",
    key: ("API-Key: ", ""),
    media_type: "Content-Type: application/json",
    lines: &[],
    change: |message| message,
};

/// Ways to write a request that do not change its meaning.
struct Writing {
    rule: &'static str,
    title: &'static str,
    /// A sentence about the key that decides it, where the name of the header does not.
    decided_by: Option<&'static str>,
    /// The operations that are requested in these ways.
    operations: fn(&Operation) -> bool,
    ways: &'static [Way],
}

const WRITINGS: [Writing; 6] = [
    Writing {
        rule: "names-of-headers-in-any-case",
        title: "The name of a header is the same in upper and in lower case",
        decided_by: None,
        operations: |_| true,
        ways: &[
            Way {
                shown: "the header api-key",
                key: ("api-key: ", ""),
                media_type: "content-type: application/json",
                ..USUAL
            },
            Way {
                shown: "the header Api-Key",
                key: ("Api-Key: ", ""),
                media_type: "Content-type: application/json",
                ..USUAL
            },
            Way {
                shown: "the header API-KEY",
                key: ("API-KEY: ", ""),
                media_type: "CONTENT-TYPE: application/json",
                ..USUAL
            },
        ],
    },
    Writing {
        rule: "white-space-around-values-of-headers",
        title: "White space around the value of a header is not part of it",
        decided_by: Some("White space around the value of a header is not part of it."),
        operations: is_one_of_its_kind,
        ways: &[
            Way {
                shown: "no space before the key",
                key: ("API-Key:", ""),
                media_type: "Content-Type:application/json",
                ..USUAL
            },
            Way {
                shown: "spaces and tabs around the key",
                key: ("API-Key: \t ", " \t"),
                media_type: "Content-Type: \t application/json \t",
                ..USUAL
            },
        ],
    },
    Writing {
        rule: "other-headers-change-nothing",
        title: "Headers that browsers, proxies and HTTP clients add change nothing, in any order",
        decided_by: None,
        operations: is_one_of_its_kind,
        ways: &[
            Way {
                shown: "headers of a browser",
                lines: &[
                    "Accept-Language: nb-NO,nb;q=0.9,en;q=0.8",
                    "Cookie: theme=dark; session=none",
                    "Sec-Fetch-Dest: empty",
                    "Sec-Fetch-Mode: cors",
                    "DNT: 1",
                ],
                ..USUAL
            },
            Way {
                shown: "headers of a proxy, and the key as the last one",
                lines: &[
                    "Via: 1.1 proxy.example",
                    "X-Forwarded-For: 203.0.113.7, 198.51.100.9",
                    "X-Forwarded-Proto: https",
                    "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                ],
                change: Message::key_last,
                ..USUAL
            },
        ],
    },
    Writing {
        rule: "media-type-without-a-body-changes-nothing",
        title: "A read whose headers name the media type of a body is a read like any other",
        decided_by: None,
        operations: |operation| operation.is_read() && is_one_of_its_kind(operation),
        ways: &[Way {
            shown: "Content-Type and no body",
            lines: &["Content-Type: application/json"],
            ..USUAL
        }],
    },
    Writing {
        rule: "body-is-read-when-continue-is-expected",
        title: "The body of a client that expects 100 (Continue) is read",
        decided_by: None,
        operations: |operation| !operation.is_read(),
        ways: &[Way {
            shown: "Expect: 100-continue",
            lines: &["Expect: 100-continue"],
            ..USUAL
        }],
    },
    Writing {
        rule: "request-in-pieces-is-one",
        title: "A request that arrives in pieces is one request",
        decided_by: None,
        operations: is_one_of_its_kind,
        ways: &[Way {
            shown: "pauses within the head and the body",
            change: Message::in_pieces,
            ..USUAL
        }],
    },
];

/// A list, a search and an addition: what is in front of the routes is the same for all.
fn is_one_of_its_kind(operation: &Operation) -> bool {
    matches!(
        operation.id.as_str(),
        "list_items" | "search_organizations_by_description" | "add_organization"
    )
}

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    let of = |writing: &'static Writing| {
        let operations = contract.operations().iter();
        let written = operations.filter(|operation| (writing.operations)(operation));
        written.map(move |operation| of_operation(writing, operation))
    };
    WRITINGS.iter().flat_map(of).collect()
}

fn of_operation(writing: &'static Writing, operation: &Arc<Operation>) -> Case {
    let count = writing.ways.len() as u64 + 1;
    let written = u64::from(!operation.is_read()) * count;
    let case = Case::new(
        format!("http/{}/{}", writing.rule, operation.id),
        format!("{}: {}", operation.id, writing.title),
        "/components/securitySchemes/ApiKey/name",
    );
    let case = writing.decided_by.into_iter().fold(case, |case, sentence| {
        case.primary_quote("/components/securitySchemes/ApiKey", sentence)
            .point("white-space-around-key")
    });
    case.on([operation.id.as_str()])
        .needs(RequestTemplate::valid(operation).needs())
        .needs((!operation.is_read()).then_some(Need::POST))
        .byte_for_byte()
        .sends(count)
        .writes(written)
        .check_with((Arc::clone(operation), writing), is_the_same)
}

/// Sends a valid request in the usual way and in each other one. An addition names an organization that does not exist.
async fn is_the_same(probe: Probe, (operation, writing): (Arc<Operation>, &'static Writing)) -> Outcome {
    let call = RequestTemplate::valid(&operation).call(&probe).await?;
    let path = call.path_and_query()?;
    let (mut usual, mut compared, mut is_usual) = (None, 0, false);
    for way in std::iter::once(&USUAL).chain(writing.ways) {
        let message = written(&probe, &operation, &path, way);
        let talk = probe.talk(&Conversation::of(message)).await?;
        let response = first(&probe, &talk, "a response")?;
        if response.status == EXPECTATION_FAILED && usual.is_some() {
            continue;
        }
        is_usual |= is_expected(&probe, &operation, response);
        let expected: &u16 = usual.get_or_insert(response.status);
        probe.assert(
            response.status == *expected,
            &format!("the status with {}", way.shown),
            format!("{expected}, as with {}", USUAL.shown),
            response.summary(),
            &[response],
        );
        compared += 1;
    }
    match compared {
        1 => probe.inconclusive("a deployment that meets the expectation of 100 (Continue)"),
        _ if !is_usual => probe.inconclusive("the expected response to a request with the usual headers"),
        _ => Ok(()),
    }
}

/// Whether a read succeeds, and the addition does not: a server that answers everything alike reads no header.
fn is_expected(probe: &Probe, operation: &Operation, response: &HttpResponse) -> bool {
    match operation.is_read() {
        true => probe.is_whole(operation, response),
        false => response.status >= 400,
    }
}

fn written(probe: &Probe, operation: &Operation, path: &str, way: &Way) -> Message {
    let (before, after) = way.key;
    let message = Message::new(&operation.method, path).around_key(before, after);
    let message = way.lines.iter().fold(message, |message, line| message.line(*line));
    let message = match operation.is_read() {
        true => message,
        false => message
            .line(way.media_type)
            .body(format!("{{\"organization_id\": {}}}", probe.unknown_id())),
    };
    (way.change)(message)
}
