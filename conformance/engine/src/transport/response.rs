//! A response of a deployment, with the data for judging and showing it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Version;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use serde_json::Value;

use crate::redact::Secrets;
use crate::transport::body::BadByte;
use crate::transport::departure::Departure;
use crate::transport::request::Request;

/// The characters that are shown on each side of a byte that is not UTF-8.
const AROUND: usize = 20;
/// How many of them are redacted before that: no secret is longer, in any form.
const SEARCHED: usize = 65_536;

/// A complete response of the deployment.
///
/// Its fields contain what was sent, including any secrets that the deployment repeats: they are for judging.
/// [`summary`](Self::summary) and `Debug` are for showing, and contain no secrets.
#[derive(Clone)]
pub struct HttpResponse {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, as text.
    pub text: String,
    /// The body if it is JSON, or null.
    pub body: Value,
    /// Whether the body is JSON.
    pub is_json: bool,
    /// The first byte of the body that is not UTF-8, if there is one.
    pub(crate) not_utf_8: Option<BadByte>,
    /// How the body departs from its schema.
    pub(crate) departures: Vec<Departure>,
    /// How and when it arrived.
    pub(crate) arrival: Arrival,
    /// The request as a shell line, with variables instead of secrets. A value in it that the deployment sent earlier
    /// may repeat a secret; findings redact it.
    pub curl: Arc<str>,
    /// The request, for sending it again.
    pub(crate) request: Arc<Request>,
    /// The secrets to redact from it.
    pub(crate) secrets: Arc<Secrets>,
}

/// How and when a response arrived.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    /// The time until its headers arrived.
    pub(crate) until_head: Duration,
    /// The time until all of it arrived.
    pub(crate) until_end: Duration,
    pub(crate) version: Version,
    /// The length of the body.
    pub(crate) bytes: usize,
    /// How often the request was sent, including the attempt that got this response.
    pub(crate) attempts: u32,
}

impl fmt::Debug for HttpResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = (self.secrets.written(&self.curl), self.summary());
        f.debug_tuple("Answer").field(&shown.0).field(&shown.1).finish()
    }
}

impl HttpResponse {
    /// The value of a header that occurs once and is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let value = values.next().filter(|_| values.next().is_none())?;
        value.to_str().ok()
    }

    /// Returns how often the request was sent before the attempt that got this response. The deployment may have
    /// counted each of those attempts.
    pub fn earlier_attempts(&self) -> i64 {
        i64::from(self.arrival.attempts) - 1
    }

    /// The node of the body at a JSON pointer; null when there is none.
    pub fn at(&self, pointer: &str) -> &Value {
        self.body.pointer(pointer).unwrap_or(&Value::Null)
    }

    /// Whether it is a page without a record.
    pub fn is_empty_page(&self) -> bool {
        let lists = ["/items", "/results"].map(|member| self.at(member).as_array());
        lists.into_iter().flatten().any(Vec::is_empty)
    }

    /// Removes the entries of a page from it; the rest is enough as evidence.
    pub fn take(&mut self, member: &str) -> Vec<Value> {
        self.text = String::new();
        let entries = self.body.get_mut(member).and_then(Value::as_array_mut);
        entries.map(std::mem::take).unwrap_or_default()
    }

    /// The `code` of a problem.
    pub fn code(&self) -> Option<&str> {
        self.at("/code").as_str()
    }

    /// Whether its `errors` name an error at this place, or below it: `["query", "limit"]`. A number is a position in a
    /// list: `["query", "countries", "1"]`.
    pub fn names_fault_at(&self, place: &[&str]) -> bool {
        let errors = self.at("/errors").as_array();
        let is_segment = |(name, segment): (&&str, &Value)| match name.parse::<u64>() {
            Ok(position) => *segment == position,
            Err(_) => segment == name,
        };
        let is_there = |error: &Value| {
            let segments = error["loc"].as_array().map_or(&[][..], Vec::as_slice);
            let mut pairs = place.iter().zip(segments);
            segments.len() >= place.len() && pairs.all(is_segment)
        };
        errors.into_iter().flatten().any(is_there)
    }

    /// Whether its `errors` name an error at one of these places.
    pub(crate) fn names_fault_at_any_of(&self, places: &[Vec<String>]) -> bool {
        places.iter().any(|place| {
            let place: Vec<_> = place.iter().map(String::as_str).collect();
            self.names_fault_at(&place)
        })
    }

    /// Whether it comes from a gateway: a gateway error, or a page for a browser instead of a response. The contract
    /// has neither; for 5XX it says that a proxy may send another body. A page with a 4xx or a 501 is a response:
    /// frameworks send such pages.
    pub(crate) fn is_from_gateway(&self) -> bool {
        let is_gateway_error = !self.is_json && matches!(self.status, 502..=504);
        is_gateway_error || self.is_page() && !matches!(self.status, 400..=499 | 501)
    }

    /// Whether its body is a page for a browser.
    pub(crate) fn is_page(&self) -> bool {
        let media_type = self.header(CONTENT_TYPE.as_str()).unwrap_or_default();
        !self.is_json && media_type.to_ascii_lowercase().starts_with("text/html")
    }

    /// Whether its body begins with a byte order mark, which JSON never does (RFC 8259).
    pub(crate) fn has_byte_order_mark(&self) -> bool {
        self.text.starts_with('\u{feff}')
    }

    /// The encoding of a body that cannot be read because of it. No request asks for one.
    pub(crate) fn encoding(&self) -> Option<&str> {
        let encoding = self.header(CONTENT_ENCODING.as_str()).filter(|_| !self.is_json)?;
        (!encoding.eq_ignore_ascii_case("identity")).then_some(encoding)
    }

    /// The departure that leaves nothing of the body to rely on, if there is one.
    pub(crate) fn departure_of_all(&self) -> Option<&Departure> {
        self.departures.iter().find(|departure| departure.member.is_none())
    }

    /// Why its body is not text, for a person.
    fn why_unreadable(&self) -> Option<String> {
        let of_encoding = self
            .encoding()
            .map(|encoding| format!("a body with Content-Encoding: {encoding}"));
        of_encoding.or_else(|| Some(format!("a body that is not UTF-8: {}", self.bad_byte()?)))
    }

    /// The first byte of the body that is not UTF-8, with the text around it. The text is redacted before it is cut.
    pub(crate) fn bad_byte(&self) -> Option<String> {
        let BadByte { byte, offset } = self.not_utf_8?;
        // Bytes that are UTF-8 are the same in the text.
        let (before, after) = self.text.split_at_checked(offset)?;
        let before = self.secrets.said(end(before, SEARCHED));
        let after = self
            .secrets
            .said(beginning(after.trim_start_matches('\u{fffd}'), SEARCHED));
        let (before, after) = (end(&before, AROUND), beginning(&after, AROUND));
        Some(format!(
            "byte 0x{byte:02X} at offset {offset}, between {before:?} and {after:?}"
        ))
    }

    /// Status, code and the beginning of the body, for a person.
    pub fn summary(&self) -> String {
        let shown = |text: &str| self.secrets.excerpt(text);
        match self.code() {
            Some(code) => format!(
                "{} {}: {}",
                self.status,
                shown(code),
                shown(self.at("/detail").as_str().unwrap_or_default())
            ),
            None => {
                let unreadable = self.why_unreadable();
                format!("{} {}", self.status, shown(unreadable.as_deref().unwrap_or(&self.text)))
            }
        }
    }
}

/// The first characters of a text.
fn beginning(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

/// The last characters of a text.
fn end(text: &str, most: usize) -> &str {
    let start = most.checked_sub(1).and_then(|last| text.char_indices().nth_back(last));
    start.map_or(text, |(start, _)| &text[start..])
}
