//! A recording of a run as HAR 1.2, for the developer tools of browsers and other viewers: every request that was sent,
//! with its response.
//!
//! Entries are written as they come and are not kept. They contain no secrets: see [`Attempt`].

use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

use chrono::SecondsFormat;
use parking_lot::Mutex;
use percent_encoding::percent_decode_str;
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::json;
use crate::transport::attempt::{Attempt, RECORDED_BODY, RecordedBody, RecordedResponse, Recorder};

/// The HTTP version recorded for a request without a response.
const HTTP: &str = "HTTP/1.1";
/// The media type recorded for content without one.
const UNKNOWN: &str = "x-unknown";

/// Writes the attempts of a run as they end.
///
/// ```
/// # use platform_conformance_engine as platform_conformance;
/// use std::sync::Arc;
///
/// use platform_conformance::{Options, report::har::Har};
///
/// let har = Arc::new(Har::begin(Vec::new())?);
/// let options = Options { recorder: Some(har.clone()), ..Options::default() };
/// // After the run:
/// let text = String::from_utf8(har.finish()?).unwrap();
/// assert!(text.contains(r#""version": "1.2""#));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Har<W> {
    state: Mutex<State<W>>,
}

enum State<W> {
    /// The writer, and whether an entry was written.
    Open(W, bool),
    /// Writing an entry failed, and no more are written.
    Failed(io::Error),
    Finished,
}

impl<W: Write> Har<W> {
    /// Begins a recording.
    ///
    /// # Errors
    /// When writing to `out` fails.
    pub fn begin(mut out: W) -> io::Result<Self> {
        let creator = json!({
            "name": "platform-conformance",
            "version": env!("CARGO_PKG_VERSION"),
        });
        let comment = format!(
            "Bodies are cut after {RECORDED_BODY} characters. Secrets are replaced with the names of \
                 their environment variables."
        );
        let comment = Value::from(comment);
        write!(
            out,
            "{{\"log\": {{\"version\": \"1.2\", \"creator\": {creator}, \"comment\": {comment}, \"entries\": ["
        )?;
        Ok(Self {
            state: Mutex::new(State::Open(out, false)),
        })
    }

    /// Ends the recording and returns its writer. Later attempts are not recorded.
    ///
    /// # Errors
    /// When writing an entry or to `out` failed.
    pub fn finish(&self) -> io::Result<W> {
        let state = std::mem::replace(&mut *self.state.lock(), State::Finished);
        match state {
            State::Open(mut out, _) => {
                out.write_all(b"\n]}}\n")?;
                out.flush()?;
                Ok(out)
            }
            State::Failed(error) => Err(error),
            State::Finished => Err(io::Error::other("the recording was already finished")),
        }
    }
}

impl<W: Write + Send> Recorder for Har<W> {
    fn record(&self, attempt: &Attempt) {
        let state = &mut *self.state.lock();
        let State::Open(out, begun) = state else {
            return;
        };
        let separator = if *begun { ",\n" } else { "\n" };
        let written = out.write_all(separator.as_bytes());
        match written.and_then(|()| json::pretty(&entry(attempt), out)) {
            Ok(()) => *begun = true,
            Err(error) => *state = State::Failed(error),
        }
    }
}

impl<W> fmt::Debug for Har<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Har(..)")
    }
}

fn entry(attempt: &Attempt) -> Value {
    let response = attempt.response.as_ref();
    let wait = response.map_or(attempt.duration, |response| response.until_head);
    let mut entry = json!({
        "startedDateTime": attempt.started_at.to_rfc3339_opts(SecondsFormat::Millis, true),
        "time": millis(attempt.duration),
        "request": request(attempt),
        "response": match response {
            Some(response) => answered(response),
            None => unanswered(attempt.trouble.as_deref().unwrap_or_default()),
        },
        "cache": {},
        "timings": {
            "send": 0,
            "wait": millis(wait),
            "receive": millis(attempt.duration.saturating_sub(wait)),
        },
    });
    if let Some(case) = &attempt.case {
        entry["_caseId"] = json!(case);
    }
    if let Some(line) = &attempt.line {
        entry["comment"] = json!(format!("sent byte for byte, as by: {line}"));
    }
    entry
}

fn request(attempt: &Attempt) -> Value {
    let version = attempt.response.as_ref();
    let mut request = json!({
        "method": attempt.method,
        "url": attempt.url,
        "httpVersion": version.map_or(HTTP, |response| &response.version),
        "cookies": [],
        "headers": pairs(&attempt.headers),
        "queryString": query(&attempt.url),
        "headersSize": -1,
        "bodySize": attempt.body.as_ref().map_or(0, |body| body.bytes),
    });
    if let Some(body) = &attempt.body {
        let media_type = header(&attempt.headers, "Content-Type").unwrap_or_default();
        let mut post = json!({"mimeType": media_type, "params": [], "text": body.text});
        note_cut(&mut post, body);
        request["postData"] = post;
    }
    request
}

fn answered(response: &RecordedResponse) -> Value {
    let status = StatusCode::from_u16(response.status).ok();
    let media_type = header(&response.headers, "Content-Type");
    let mut content = json!({
        "size": response.body.bytes,
        "mimeType": media_type.unwrap_or(UNKNOWN),
        "text": response.body.text,
    });
    note_cut(&mut content, &response.body);
    json!({
        "status": response.status,
        "statusText": status.and_then(|status| status.canonical_reason()).unwrap_or_default(),
        "httpVersion": response.version,
        "cookies": [],
        "headers": pairs(&response.headers),
        "content": content,
        "redirectURL": header(&response.headers, "Location").unwrap_or_default(),
        "headersSize": -1,
        "bodySize": response.body.bytes,
    })
}

/// The browsers' export format for a missing response: the status 0, and the reason in a separate field.
fn unanswered(trouble: &str) -> Value {
    json!({
        "status": 0,
        "statusText": "",
        "httpVersion": "",
        "cookies": [],
        "headers": [],
        "content": {"size": 0, "mimeType": UNKNOWN},
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": -1,
        "_error": trouble,
    })
}

fn note_cut(content: &mut Value, body: &RecordedBody) {
    if body.is_cut {
        content["_truncated"] = json!(true);
        content["comment"] = json!(format!("the first {RECORDED_BODY} characters of {} bytes", body.bytes));
    }
}

fn pairs(headers: &[(String, String)]) -> Value {
    let pairs = headers.iter();
    pairs
        .map(|(name, value)| json!({"name": name, "value": value}))
        .collect()
}

/// The parameters of the query, decoded.
fn query(url: &str) -> Value {
    let (_, query) = url.split_once('?').unwrap_or_default();
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let parts = query.split('&').filter(|part| !part.is_empty());
    let pairs: Vec<_> = parts
        .map(|part| part.split_once('=').unwrap_or((part, "")))
        .map(|(name, value)| (decoded(name), decoded(value)))
        .collect();
    self::pairs(&pairs)
}

/// The first value of a header.
fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let mut headers = headers.iter();
    let found = headers.find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

/// A duration in milliseconds, with its microseconds.
fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
