//! Attempts: every request that was actually sent, with its result, for recording a run.
//!
//! An attempt contains no secrets: it is redacted when it ends, before its bodies are cut.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};

use crate::redact::Secrets;
use crate::transport::failed::Failed;
use crate::transport::raw::{Conversation, Talk};
use crate::transport::request::{Body, Request};
use crate::transport::response::HttpResponse;
use crate::transport::wire::Wire;

/// The limit on characters of a body in an [`Attempt`].
pub const RECORDED_BODY: usize = 65_536;
/// The header whose value is never recorded, because it may contain a session secret.
const SET_COOKIE: &str = "set-cookie";
/// The text shown for a value that is not recorded.
const LEFT_OUT: &str = "(not recorded)";
/// The result of an attempt whose response was not waited for.
const NOT_WAITED_FOR: &str = "the run ended before the response";

/// Receives every attempt of a run, in the order in which they end. Several tasks call it.
pub trait Recorder: fmt::Debug + Send + Sync {
    /// Records an attempt.
    fn record(&self, attempt: &Attempt);
}

/// One request as it was sent, with its result. A request that is sent again is another attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The id of the case that sent it; `None` before the cases begin. For shared requests, the first case that sent
    /// them.
    pub case: Option<String>,
    /// When it was sent.
    pub started_at: DateTime<Utc>,
    /// The time until the end of the response, or until the attempt failed.
    pub duration: Duration,
    /// The method.
    pub method: String,
    /// The whole URL.
    pub url: String,
    /// The headers that the kit sets; a secret is shown as its variable.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Option<RecordedBody>,
    /// The response.
    pub response: Option<RecordedResponse>,
    /// Why there is no response.
    pub trouble: Option<String>,
    /// The shell line that sends the same bytes, for requests without the HTTP client. It contains the whole
    /// conversation of the request.
    pub line: Option<String>,
}

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedResponse {
    /// The time until its headers arrived.
    pub until_head: Duration,
    /// The status.
    pub status: u16,
    /// The version of HTTP, such as `HTTP/1.1`.
    pub version: String,
    /// The headers. The values of `Set-Cookie` are left out.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: RecordedBody,
}

/// A body, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedBody {
    /// The first [`RECORDED_BODY`] characters. Bytes that are not UTF-8 are replaced.
    pub text: String,
    /// The number of bytes sent.
    pub bytes: usize,
    /// Whether `text` is only the beginning.
    pub is_cut: bool,
}

/// An attempt in progress. It is recorded when it is dropped, whatever its result.
pub(crate) struct UnderWay<'a> {
    recorder: &'a dyn Recorder,
    wire: &'a Wire,
    request: &'a Request,
    case: Option<&'a str>,
    started_at: DateTime<Utc>,
    start: Instant,
    end: Option<(Duration, Result<RecordedResponse, String>)>,
}

impl<'a> UnderWay<'a> {
    pub(crate) fn begin(
        recorder: &'a dyn Recorder,
        wire: &'a Wire,
        request: &'a Request,
        case: Option<&'a str>,
    ) -> Self {
        Self {
            recorder,
            wire,
            request,
            case,
            started_at: Utc::now(),
            start: Instant::now(),
            end: None,
        }
    }

    /// Sets the result.
    pub(crate) fn ended(&mut self, sent: &Result<HttpResponse, Failed>) {
        self.end = Some(match sent {
            Ok(response) => (response.arrival.until_end, Ok(response(response))),
            Err(failed) => (self.start.elapsed(), Err(failed.cause.clone())),
        });
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        let (duration, end) = self
            .end
            .take()
            .unwrap_or_else(|| (self.start.elapsed(), Err(NOT_WAITED_FOR.to_owned())));
        let (response, trouble) = match end {
            Ok(response) => (Some(response), None),
            Err(trouble) => (None, Some(trouble)),
        };
        let secrets = self.wire.secrets();
        let headers = self.wire.shown_headers(self.request).into_iter();
        self.recorder.record(&Attempt {
            case: self.case.map(str::to_owned),
            started_at: self.started_at,
            duration,
            method: self.request.method.clone(),
            url: secrets.written(&self.wire.url(self.request)),
            headers: headers
                .map(|(name, value)| (secrets.written(&name), secrets.written(&value)))
                .collect(),
            body: self.request.body.as_ref().map(|body| sent(body, &secrets)),
            response,
            trouble: trouble.map(|trouble| secrets.said(&trouble)),
            line: None,
        });
    }
}

/// A conversation in progress.
pub(crate) struct Spoken<'a> {
    conversation: &'a Conversation,
    case: Option<&'a str>,
    started_at: DateTime<Utc>,
    start: Instant,
}

impl<'a> Spoken<'a> {
    pub(crate) fn begin(conversation: &'a Conversation, case: Option<&'a str>) -> Self {
        Self {
            conversation,
            case,
            started_at: Utc::now(),
            start: Instant::now(),
        }
    }
}

/// Records a conversation, an attempt for each message.
pub(crate) fn record_talk(
    recorder: &dyn Recorder,
    wire: &Wire,
    spoken: &Spoken<'_>,
    talked: Option<&Result<Talk, Failed>>,
) {
    let secrets = wire.secrets();
    for (position, message) in spoken.conversation.messages.iter().enumerate() {
        let request = Wire::as_request(message);
        let (response, trouble, line) = match talked {
            None => (None, NOT_WAITED_FOR.to_owned(), None),
            Some(Err(failed)) => (None, failed.cause.clone(), None),
            Some(Ok(talk)) => {
                let response = talk.responses.get(position);
                (response, talk.end.shown().to_owned(), Some(&talk.line))
            }
        };
        let headers = wire.shown_headers(&request).into_iter();
        recorder.record(&Attempt {
            case: spoken.case.map(str::to_owned),
            started_at: spoken.started_at,
            duration: response.map_or_else(|| spoken.start.elapsed(), |response| response.arrival.until_end),
            method: message.method.clone(),
            url: secrets.written(&wire.url(&request)),
            headers: headers
                .map(|(name, value)| (secrets.written(&name), secrets.written(&value)))
                .collect(),
            body: request.body.as_ref().map(|body| sent(body, &secrets)),
            response: response.map(response),
            trouble: response.is_none().then(|| secrets.said(&trouble)),
            line: line.map(|line| secrets.written(line)),
        });
    }
}

fn sent(body: &Body, secrets: &Arc<Secrets>) -> RecordedBody {
    let bytes = body.bytes();
    let (text, is_whole) = secrets.written_beginning(&String::from_utf8_lossy(&bytes), RECORDED_BODY);
    RecordedBody {
        text,
        bytes: bytes.len(),
        is_cut: !is_whole,
    }
}

fn response(response: &HttpResponse) -> RecordedResponse {
    let secrets = &response.secrets;
    let headers = response.headers.iter().map(|(name, value)| {
        let value = match name.as_str() {
            SET_COOKIE => LEFT_OUT.to_owned(),
            _ => secrets.said(&String::from_utf8_lossy(value.as_bytes())),
        };
        (secrets.said(name.as_str()), value)
    });
    let (text, is_whole) = secrets.said_beginning(&response.text, RECORDED_BODY);
    RecordedResponse {
        until_head: response.arrival.until_head,
        status: response.status,
        version: format!("{:?}", response.arrival.version),
        headers: headers.collect(),
        body: RecordedBody {
            text,
            bytes: response.arrival.bytes,
            is_cut: !is_whole,
        },
    }
}
