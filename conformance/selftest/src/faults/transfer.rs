//! Requests that are sent in another way than usual, and are read in another way than HTTP describes.

use axum::body::Bytes;

use super::authentication::let_in;
use crate::exchange::{Asked, Plant};
use crate::fault::{EVERY_OPERATION, Family, Fault, fault, operation, permission};
use crate::relay::{Relay, contains, replace};
use crate::witness::{add_organization, get, request};

pub(super) const FAMILY: Family = Family {
    name: "transfer",
    title: "Bodies in chunks, encoded characters and names of methods",
    faults,
};

/// The greatest length of a body.
const LONGEST: usize = 65_536;

fn faults() -> Vec<Fault> {
    [
        of_chunks(),
        of_malformed_chunks(),
        of_heads(),
        of_fields(),
        of_encoding(),
    ]
    .concat()
}

/// An addition in chunks, on the wire.
fn in_chunks(chunks: &str) -> String {
    format!(
        "POST /api/v1/pipelines/6/organizations HTTP/1.1\r\nHost: x\r\nAPI-Key: dev-full-access\r\n\
         Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}"
    )
}

fn is_in_chunks(asked: &Asked) -> bool {
    asked.headers.contains_key("transfer-encoding")
}

const BODY: &str = "{\"organization_id\": 9007199254740991}";

fn of_chunks() -> Vec<Fault> {
    let whole = |body: &str| in_chunks(&format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len()));
    let padded = format!("{BODY}{}", " ".repeat(LONGEST));
    vec![
        fault(
            "chunks-are-not-read",
            operation("add_organization"),
            "A body without a Content-Length is empty.",
        )
        .shown_on_the_wire(whole(BODY))
        .request(|asked| {
            if is_in_chunks(asked) {
                asked.body = Bytes::new();
            }
        }),
        fault(
            "chunks-need-no-permission",
            permission("add_organization"),
            "An addition whose body comes in chunks needs no permission.",
        )
        .shown_on_the_wire(whole(BODY).replace("dev-full-access", "dev-read-only"))
        .request(|asked| {
            if is_in_chunks(asked) {
                let_in(asked, Some("dev-read-only"));
            }
        }),
        fault(
            "chunks-have-no-limit",
            operation("add_organization"),
            "A body without a Content-Length may be of any length.",
        )
        .shown_on_the_wire(whole(&padded))
        .request(|asked| {
            if is_in_chunks(asked) && asked.body.len() > LONGEST {
                asked.body = asked.json().to_string().into();
            }
        }),
    ]
}

fn of_malformed_chunks() -> Vec<Fault> {
    let mends = |name: &str, wrong: &'static str, chunks: String, from: &'static str, to: &'static str| {
        fault(name, EVERY_OPERATION, wrong)
            .shown_on_the_wire(in_chunks(&chunks))
            .relayed(Relay::request(move |bytes| {
                if contains(bytes, "Transfer-Encoding: chunked") {
                    replace(bytes, from, to);
                }
            }))
    };
    vec![
        mends(
            "size-of-a-chunk-is-not-read",
            "A chunk whose size is not a number is read as far as it goes.",
            format!("zz\r\n{BODY}\r\n0\r\n\r\n"),
            "\r\nzz\r\n",
            "\r\n25\r\n",
        ),
        mends(
            "size-of-a-chunk-may-have-a-prefix",
            "The size of a chunk may begin with 0x.",
            format!("0x25\r\n{BODY}\r\n0\r\n\r\n"),
            "\r\n0x25\r\n",
            "\r\n25\r\n",
        ),
        mends(
            "end-of-a-chunk-is-not-read",
            "What stands in a chunk beyond its size is skipped.",
            format!("25\r\n{BODY}  \r\n0\r\n\r\n"),
            "}  \r\n",
            "}\r\n",
        ),
    ]
}

/// A list request with further lines in its head, on the wire.
fn list(method: &str, lines: &str) -> String {
    format!("{method} /api/v1/pipelines/2/items?limit=1 HTTP/1.1\r\nHost: x\r\nAPI-Key: dev-full-access\r\n{lines}\r\n")
}

/// A fault that reads one text in the head of a request as another.
fn misread(name: &str, wrong: &'static str, shown: String, from: &'static str, to: &'static str) -> Fault {
    fault(name, EVERY_OPERATION, wrong)
        .shown_on_the_wire(shown)
        .relayed(Relay::request(move |bytes| {
            replace(bytes, from, to);
        }))
}

fn of_heads() -> Vec<Fault> {
    vec![
        misread(
            "method-in-any-case",
            "get is treated as GET.",
            list("get", ""),
            "get /",
            "GET /",
        ),
        misread(
            "line-without-a-colon-is-skipped",
            "A line of the head without a colon is skipped.",
            list("GET", "X-Note\r\n"),
            "\r\nX-Note\r\n",
            "\r\n",
        ),
        misread(
            "length-may-have-a-sign",
            "A Content-Length of +2 is read as 2.",
            list("GET", "Content-Length: +2\r\n") + "{}",
            "Content-Length: +2",
            "Content-Length: 2",
        ),
        misread(
            "header-has-one-spelling",
            "The key is read from API-Key and api-key, and not from Api-Key.",
            list("GET", "").replace("API-Key", "Api-Key"),
            "\r\nApi-Key: ",
            "\r\nX-Other: ",
        ),
        fault("options-need-a-key", EVERY_OPERATION, "OPTIONS without a key gets 401.")
            .shown_by([request("OPTIONS", "/api/v1/pipelines/2/items").key("")])
            .answer(|asked, answered| {
                if asked.method == "OPTIONS" && asked.header("api-key").is_none() {
                    answered.becomes(401, "authentication_required");
                    answered.set_header("www-authenticate", "ApiKey");
                }
            }),
    ]
}

fn of_fields() -> Vec<Fault> {
    const FORWARDED_FOR: &str = "203.0.113.7, 198.51.100.9";
    let with_key = |field: &str| list("GET", "").replace("API-Key: dev-full-access", field);
    vec![
        misread(
            "space-after-the-colon-is-needed",
            "The key is not read without a space before it.",
            with_key("API-Key:dev-full-access"),
            "\r\nAPI-Key:d",
            "\r\nX-Other:d",
        ),
        misread(
            "white-space-is-part-of-the-key",
            "Spaces and tabs around a key are part of it.",
            with_key("API-Key: \t dev-full-access"),
            "\r\nAPI-Key: \t ",
            "\r\nAPI-Key: .",
        ),
        fault(
            "first-piece-is-the-request",
            EVERY_OPERATION,
            "A request ends where its first piece ends.",
        )
        .shown_on_the_wire(list("GET", "").replace("dev-full-access\r\n\r\n", ""))
        .relayed(Relay::request(|bytes| {
            if contains(bytes, " HTTP/1.1\r\n") && !contains(bytes, "\r\n\r\n") {
                bytes.extend_from_slice(b"\r\n\r\n");
            }
        })),
        fault(
            "forwarded-for-is-one-address",
            EVERY_OPERATION,
            "A request that passed two proxies is rejected.",
        )
        .shown_by([get("/api/v1/pipelines/2/items").header("x-forwarded-for", FORWARDED_FOR)])
        .answer(|asked, answered| {
            if asked.header("x-forwarded-for").is_some_and(|value| value.contains(',')) {
                answered.becomes(400, "malformed_request");
            }
        }),
        fault(
            "empty-body-of-a-read-is-parsed",
            EVERY_OPERATION,
            "A read that names the media type of JSON needs a body of JSON.",
        )
        .shown_by([get("/api/v1/pipelines/2/items").header("content-type", "application/json")])
        .answer(|asked, answered| {
            let is_json = asked.header("content-type") == Some("application/json");
            if asked.method == "GET" && is_json && answered.is_success() {
                answered.becomes(400, "malformed_request");
            }
        }),
        fault(
            "expected-body-is-not-read",
            operation("add_organization"),
            "The body of a client that expects 100 (Continue) is not read.",
        )
        .shown_by([add_organization(1001).header("expect", "100-continue")])
        .request(|asked| {
            if asked.header("expect").is_some() {
                asked.body = Bytes::new();
            }
        }),
    ]
}

fn of_encoding() -> Vec<Fault> {
    vec![
        fault(
            "encoded-id-is-another",
            EVERY_OPERATION,
            "An id with a percent-encoded digit is not an integer.",
        )
        .shown_by([get("/api/v1/pipelines/%32/items")])
        .answer(|asked, answered| {
            if asked.path.contains("%3") && answered.is_success() {
                answered.becomes(404, "route_not_found");
            }
        }),
        fault(
            "encoded-route-is-unknown",
            EVERY_OPERATION,
            "A route with a percent-encoded letter is unknown.",
        )
        .shown_by([get("/api/v1/pipelines/2/item%73")])
        .answer(|asked, answered| {
            if asked.path.contains("%73") && answered.is_success() {
                answered.becomes(404, "route_not_found");
            }
        }),
        fault(
            "encoded-limit-is-ignored",
            EVERY_OPERATION,
            "A limit whose name is percent-encoded is ignored.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?%6C%69%6D%69%74=5")])
        .request(|asked| asked.keep(|name, _| name != "%6C%69%6D%69%74")),
        fault(
            "encoded-name-is-ignored",
            EVERY_OPERATION,
            "A parameter whose name has a percent-encoded letter is ignored.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?off%73et=1")])
        .planted(|_| {
            Plant::request(|asked| {
                if asked.query.contains("%73") {
                    asked.keep(|name, _| !name.contains("%73"));
                }
            })
        }),
    ]
}
