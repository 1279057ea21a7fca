//! Variants of connections: how gateways and servers may treat malformed and long requests and the end of a
//! connection.

use axum::http::HeaderValue;

use super::{Variant, variant};
use crate::fault::EVERY_OPERATION;
use crate::relay::{Relay, Then, contains, position, replace};

pub(super) fn variants() -> Vec<Variant> {
    vec![
        variant(
            "gateway-rejects-malformed",
            EVERY_OPERATION,
            "A gateway answers malformed and long requests, with a page of its own.",
        )
        .relayed(Relay::response(|bytes| {
            for (code, status) in [
                ("\"malformed_request\"", "400 Bad Request"),
                ("\"uri_too_long\"", "414 Request-URI Too Large"),
                ("\"headers_too_large\"", "431 Request Header Fields Too Large"),
            ] {
                if contains(bytes, code) {
                    let page = format!("<html><h1>{status}</h1></html>");
                    *bytes = format!(
                        "HTTP/1.1 {status}\r\nServer: gateway\r\nContent-Type: text/html\r\n\
                         Content-Length: {}\r\nConnection: close\r\n\r\n{page}",
                        page.len()
                    )
                    .into_bytes();
                }
            }
        })),
        variant(
            "server-rejects-malformed",
            EVERY_OPERATION,
            "A gateway answers malformed requests with 400 and nothing else, and closes the connection.",
        )
        .relayed(
            Relay::response(|bytes| {
                if contains(bytes, "\"malformed_request\"") {
                    *bytes =
                        b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n400 Bad Request"
                            .to_vec();
                }
            })
            .then(|bytes| match contains(bytes, "\r\n\r\n400 Bad Request") {
                true => Then::Closes,
                false => Then::Continues,
            }),
        ),
        variant(
            "errors-end-the-connection",
            EVERY_OPERATION,
            "The connection is closed after every error, which says so.",
        )
        .answer(|_, answered| {
            if answered.status.as_u16() >= 400 {
                let close = HeaderValue::from_static("close");
                answered.headers.insert("connection", close);
            }
        }),
        variant(
            "errors-end-the-connection-unsaid",
            EVERY_OPERATION,
            "The connection is closed after every error, and no header says so.",
        )
        .relayed(Relay::default().then(|bytes| {
            let is_error = bytes.starts_with(b"HTTP/1.1 4");
            match is_error {
                true => Then::Closes,
                false => Then::Continues,
            }
        })),
        variant(
            "two-framings-are-rejected",
            EVERY_OPERATION,
            "A request with Content-Length and Transfer-Encoding is rejected as malformed.",
        )
        .relayed(Relay::request(|bytes| {
            if contains(bytes, "\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n") {
                replace(bytes, "Content-Length: 3", "Content-Length: x");
                replace(bytes, "Transfer-Encoding: chunked\r\n", "");
            }
        })),
        variant(
            "bodies-of-reads-are-rejected",
            EVERY_OPERATION,
            "A gateway rejects every GET with a body, and closes the connection.",
        )
        .relayed(Relay::request(|bytes| {
            let has_body = contains(bytes, "\r\nTransfer-Encoding: ") || contains(bytes, "\r\nContent-Length: ");
            if bytes.starts_with(b"GET ") && has_body {
                *bytes = b"GET / HTTP/1.1\r\n\r\n".to_vec();
            }
        })),
        variant(
            "long-targets-are-read",
            EVERY_OPERATION,
            "A request target of any length is read.",
        )
        .relayed(Relay::request(|bytes| {
            let zeros = "0".repeat(256);
            while let Some(start) = position(bytes, &zeros) {
                let run = bytes[start..].iter().take_while(|byte| **byte == b'0').count();
                bytes.drain(start..start + run - 1);
            }
        })),
    ]
}
