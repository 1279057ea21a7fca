//! Requests that are not well-formed, too long or cut off, and several requests on one connection.

use crate::fault::{EVERY_OPERATION, Family, Fault, fault, header};
use crate::relay::{Relay, Then, contains, position, replace};

pub(super) const FAMILY: Family = Family {
    name: "http",
    title: "Connections, and requests that no HTTP client sends",
    faults,
};

/// The end of a request that is sent after another one.
const AGAIN: &str = "GET /api/v1/pipelines/2/items?limit=1 HTTP/1.1\r\nHost: x\r\nAPI-Key: dev-full-access\r\n\r\n";

fn faults() -> Vec<Fault> {
    [
        of_malformed(),
        of_mending(),
        of_bodies(),
        of_long(),
        vec![first_location_stays()],
    ]
    .concat()
}

/// Something of a connection's earlier response in a later one.
fn first_location_stays() -> Fault {
    let add = |id: u64| {
        let body = format!("{{\"organization_id\": {id}}}");
        let length = body.len();
        format!(
            "POST /api/v1/pipelines/6/organizations HTTP/1.1\r\nHost: x\r\nAPI-Key: dev-full-access\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
    };
    fault(
        "location-of-the-first-stays",
        header("Location"),
        "Every addition on a connection gets the Location of the first.",
    )
    .shown_on_the_wire(add(1001) + &add(1002))
    .relayed(Relay::responses(|| {
        let mut first: Option<Vec<u8>> = None;
        move |bytes: &mut Vec<u8>| {
            let mut from = 0;
            while let Some(place) = position(&bytes[from..], "\r\nlocation: ") {
                let start = from + place + "\r\nlocation: ".len();
                let end = position(&bytes[start..], "\r\n").map_or(bytes.len(), |length| start + length);
                let first = first.get_or_insert_with(|| bytes[start..end].to_vec());
                bytes.splice(start..end, first.iter().copied());
                from = start;
            }
        }
    }))
}

/// The head of a request that lists items, with these lines.
fn list(lines: &str) -> String {
    format!("GET /api/v1/pipelines/2/items?limit=1 HTTP/1.1\r\nAPI-Key: dev-full-access\r\n{lines}\r\n")
}

/// Other responses to malformed requests.
fn of_malformed() -> Vec<Fault> {
    let no_host = || list("");
    let on_rejection = |change: fn(&mut Vec<u8>)| {
        Relay::response(move |bytes| {
            if contains(bytes, "\"malformed_request\"") {
                change(bytes);
            }
        })
    };
    vec![
        fault(
            "malformed-is-500",
            EVERY_OPERATION,
            "A request that is not well-formed gets 500.",
        )
        .shown_on_the_wire(no_host())
        .relayed(on_rejection(|bytes| {
            replace(bytes, " 400 Bad Request", " 500 Internal Server Error");
        })),
        fault(
            "malformed-is-validation",
            "/x-early-responses/400",
            "A request that is not well-formed has the code validation_failed.",
        )
        .shown_on_the_wire(no_host())
        .relayed(on_rejection(|bytes| {
            replace(bytes, "\"malformed_request\"", "\"validation_failed\"");
        })),
        fault(
            "malformed-has-no-request-id",
            "/x-early-responses/400",
            "The response to a request that is not well-formed has no header X-Request-Id.",
        )
        .shown_on_the_wire(no_host())
        .relayed(on_rejection(|bytes| {
            if let Some(start) = position(bytes, "x-request-id: ") {
                let end = position(&bytes[start..], "\r\n").map_or(start, |end| start + end + 2);
                bytes.drain(start..end);
            }
        })),
        fault(
            "malformed-is-not-answered",
            EVERY_OPERATION,
            "The connection is closed without a response to a request that is not well-formed.",
        )
        .shown_on_the_wire(no_host())
        .relayed(on_rejection(Vec::clear)),
        fault(
            "malformed-leaves-the-connection",
            EVERY_OPERATION,
            "The connection stays open after a request that is not well-formed.",
        )
        .shown_on_the_wire(no_host())
        .relayed(
            Relay::response(|bytes| {
                if contains(bytes, "\"malformed_request\"") {
                    replace(bytes, "connection: close\r\n", "");
                }
            })
            .then(|bytes| match contains(bytes, "\"malformed_request\"") {
                true => Then::StaysOpen,
                false => Then::Continues,
            }),
        ),
    ]
}

/// Malformed requests that are accepted.
fn of_mending() -> Vec<Fault> {
    let mends = |name: &str, wrong: &'static str, shown: String, mend: fn(&mut Vec<u8>)| {
        fault(name, EVERY_OPERATION, wrong)
            .shown_on_the_wire(shown)
            .relayed(Relay::request(mend))
    };
    vec![
        mends(
            "no-host-is-needed",
            "A request without the header Host gets a response like any other.",
            list(""),
            |bytes| {
                if contains(bytes, " HTTP/1.1\r\n") && !contains(&bytes.to_ascii_lowercase(), "\r\nhost:") {
                    replace(bytes, " HTTP/1.1\r\n", " HTTP/1.1\r\nHost: x\r\n");
                }
            },
        ),
        mends(
            "first-host-counts",
            "Of two headers Host the first one counts.",
            list("Host: x\r\nHost: x\r\n"),
            |bytes| {
                let lower = bytes.to_ascii_lowercase();
                let Some(first) = position(&lower, "\r\nhost:") else {
                    return;
                };
                let second = position(&lower[first + 2..], "\r\nhost:").map(|at| first + 2 + at);
                let end = second.and_then(|at| Some(at + 2 + position(&lower[at + 2..], "\r\n")?));
                // Both have to be in the head of the first request.
                let is_head = |end: usize| position(bytes, "\r\n\r\n").is_some_and(|head| end <= head);
                if let (Some(second), Some(end)) = (second, end.filter(|end| is_head(*end))) {
                    bytes.drain(second..end);
                }
            },
        ),
        mends(
            "any-request-line",
            "What stands in a request line behind the target is not looked at.",
            list("Host: x\r\n").replacen(" HTTP/1.1", " and more HTTP/1.1", 1),
            |bytes| {
                replace(bytes, " and more HTTP/1.1\r\n", " HTTP/1.1\r\n");
            },
        ),
        mends(
            "space-before-colon",
            "A space between the name of a header and the colon is ignored.",
            list("Host: x\r\nX-Note : 1\r\n"),
            |bytes| {
                replace(bytes, "X-Note :", "X-Note:");
            },
        ),
        mends(
            "length-is-not-read",
            "A Content-Length that is not a number counts as none.",
            list("Host: x\r\nContent-Length: two\r\n"),
            |bytes| {
                replace(bytes, "Content-Length: two\r\n", "");
            },
        ),
        mends(
            "last-length-counts",
            "Of two headers Content-Length the last one counts.",
            list("Host: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n") + "{} ",
            |bytes| {
                replace(bytes, "Content-Length: 2\r\nContent-Length: 3", "Content-Length: 3");
            },
        ),
        mends(
            "half-a-body-is-enough",
            "A body that is cut off is read as far as it goes.",
            "POST /api/v1/pipelines/6/organizations HTTP/1.1\r\nHost: x\r\nAPI-Key: dev-full-access\r\n\
             Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{\"organization_id\":1001}"
                .to_owned(),
            |bytes| {
                let (Some(field), Some(head)) = (position(bytes, "Content-Length: "), position(bytes, "\r\n\r\n"))
                else {
                    return;
                };
                let body = bytes.len() - head - 4;
                let digits = field + "Content-Length: ".len();
                let line = position(&bytes[digits..], "\r\n").unwrap_or(0);
                let length = String::from_utf8_lossy(&bytes[digits..digits + line]).parse();
                if body > 0 && length.is_ok_and(|length: usize| length > body && length < 200) {
                    bytes.splice(digits..digits + line, body.to_string().bytes());
                }
            },
        ),
        mends(
            "last-chunk-is-added",
            "A body in chunks that is cut off is read as far as it goes.",
            "POST /api/v1/pipelines/6/organizations HTTP/1.1\r\nHost: x\r\nAPI-Key: dev-full-access\r\n\
             Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n18\r\n{\"organization_id\":1001}\r\n"
                .to_owned(),
            |bytes| {
                if contains(bytes, "\r\nTransfer-Encoding: chunked\r\n") && bytes.ends_with(b"}\r\n") {
                    bytes.extend(b"0\r\n\r\n");
                }
            },
        ),
    ]
}

/// Bodies that are parsed as requests, and responses in the wrong order.
fn of_bodies() -> Vec<Fault> {
    let body = "Content-Length: 2\r\n\r\n{}";
    let behind = |head: &str| format!("{head}Host: x\r\n{body}{AGAIN}");
    /// Leaves a body unread: the next bytes are parsed as a request.
    fn leave_unread(bytes: &mut Vec<u8>) {
        let Some(field) = position(bytes, "\r\nContent-Length: ") else {
            return;
        };
        let end = position(&bytes[field + 2..], "\r\n").map_or(bytes.len(), |end| field + 2 + end);
        bytes.splice(field + 2..end, *b"Content-Length: 0");
    }
    let is_without_key = |bytes: &[u8]| !contains(bytes, "\r\nAPI-Key: ") && contains(bytes, "\r\nUser-Agent: ");
    vec![
        fault(
            "body-without-a-key-is-a-request",
            EVERY_OPERATION,
            "The body of a request without a key is left unread, and taken for the next request.",
        )
        .shown_on_the_wire(behind("GET /api/v1/pipelines/2/items HTTP/1.1\r\nUser-Agent: x\r\n"))
        .relayed(Relay::request(move |bytes| {
            // Of several requests, the first.
            let first = position(bytes, "\r\n\r\n").unwrap_or(bytes.len());
            if is_without_key(&bytes[..first]) {
                leave_unread(bytes);
            }
        })),
        fault(
            "body-to-an-unknown-route-is-a-request",
            EVERY_OPERATION,
            "The body of a request to an unknown route is left unread, and taken for the next request.",
        )
        .shown_on_the_wire(behind(
            "POST /api/v1/platform-conformance-no-such-route-5f3a9c HTTP/1.1\r\n",
        ))
        .relayed(Relay::request(|bytes| {
            let line = position(bytes, "\r\n").unwrap_or(0);
            if contains(&bytes[..line], "no-such-route") {
                leave_unread(bytes);
            }
        })),
        fault(
            "unread-additions-are-requests",
            EVERY_OPERATION,
            "The body of an addition that is not JSON is left unread, and taken for the next request.",
        )
        .shown_on_the_wire(behind(
            "POST /api/v1/pipelines/6/organizations HTTP/1.1\r\nAPI-Key: dev-full-access\r\nContent-Type: \
                 text/plain\r\n",
        ))
        .relayed(Relay::request(|bytes| {
            if bytes.starts_with(b"POST ") && contains(bytes, "Content-Type: text/plain") {
                leave_unread(bytes);
            }
        })),
        fault(
            "denied-additions-are-requests",
            EVERY_OPERATION,
            "The body of an addition by a key that only reads is left unread, and taken for the next request.",
        )
        .shown_on_the_wire(behind(
            "POST /api/v1/pipelines/6/organizations HTTP/1.1\r\nAPI-Key: dev-read-only\r\nContent-Type: \
                 application/json\r\n",
        ))
        .relayed(Relay::request(|bytes| {
            if bytes.starts_with(b"POST ") && contains(bytes, "\r\nAPI-Key: dev-read-only\r\n") {
                leave_unread(bytes);
            }
        })),
        fault(
            "length-beside-an-encoding-counts",
            EVERY_OPERATION,
            "Of Content-Length and Transfer-Encoding the length counts: the rest is taken for a request.",
        )
        .shown_on_the_wire(
            list("Host: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n") + "5\r\nhello\r\n0\r\n\r\n",
        )
        .relayed(Relay::request(|bytes| {
            if contains(bytes, "\r\nContent-Length: 3\r\n") {
                replace(bytes, "Transfer-Encoding: chunked\r\n", "");
            }
        })),
        fault("head-has-a-body", EVERY_OPERATION, "HEAD gets the body of GET.")
            .shown_on_the_wire(list("Host: x\r\n").replacen("GET", "HEAD", 1))
            .relayed(Relay::request(|bytes| {
                if bytes.starts_with(b"HEAD ") {
                    replace(bytes, "HEAD ", "GET ");
                }
            })),
        fault(
            "last-request-is-answered-first",
            EVERY_OPERATION,
            "Of requests that come at once, the second is answered before the first.",
        )
        .shown_on_the_wire(format!("GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n{AGAIN}"))
        .relayed(Relay::request(|bytes| {
            let Some(first) = position(bytes, "\r\n\r\nGET ").map(|end| end + 4) else {
                return;
            };
            let second = position(&bytes[first..], "\r\n\r\n").map_or(bytes.len(), |end| first + end + 4);
            bytes[..second].rotate_left(first);
        })),
    ]
}

/// Other responses to requests that are too long.
fn of_long() -> Vec<Fault> {
    let rejected_as = |name: &str, wrong: &'static str, shown: String, status: &'static str, by: &'static str| {
        fault(name, EVERY_OPERATION, wrong)
            .shown_on_the_wire(shown)
            .relayed(Relay::response(move |bytes| {
                replace(bytes, status, by);
            }))
    };
    let zeros = |length: usize| "0".repeat(length);
    let target = list("Host: x\r\n").replacen("limit=1", &format!("padding={}", zeros(70_000)), 1);
    let fields = list(&format!("Host: x\r\nX-Padding: {}\r\n", zeros(520_000)));
    vec![
        rejected_as(
            "too-long-target-is-400",
            "A request target that is too long gets 400.",
            target.clone(),
            "HTTP/1.1 414 URI Too Long",
            "HTTP/1.1 400 Bad Request",
        ),
        rejected_as(
            "too-long-target-is-malformed",
            "A request target that is too long has the code malformed_request.",
            target,
            "\"uri_too_long\"",
            "\"malformed_request\"",
        ),
        rejected_as(
            "too-large-fields-are-500",
            "Header fields that are too large get 500.",
            fields,
            "HTTP/1.1 431 Request Header Fields Too Large",
            "HTTP/1.1 500 Internal Server Error",
        ),
    ]
}
