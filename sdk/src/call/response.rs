//! Reads a response into a value, or into an error that keeps its details.

use std::borrow::Cow;
use std::fmt;
use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use reqwest::Response;
use serde::de::DeserializeOwned;
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout_at};

use crate::ResponseValue;
use crate::error::{Answer, Error, Fault, Hidden, Kind, Unreached};
use crate::redact::Redactor;
use crate::text::{excerpt, excerpt_of_page, one_line};

/// Maximum number of bytes read from an error body. Enough for any problem document.
const ERROR_BODY_LIMIT: usize = 64 * 1024;

/// Default maximum size of a successful response, in bytes.
pub(crate) const MAX_RESPONSE_BYTES: u64 = 64 * 1024 * 1024;

/// Size of the largest body, in bytes, that is decoded in place, which takes two milliseconds. A page of a
/// thousand items is larger.
const DECODED_AT_ONCE: usize = 512 * 1024;

/// The UTF-8 byte order mark.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// The timeout of an attempt, and when it expires.
#[derive(Clone, Copy)]
pub(crate) struct Limit {
    pub(crate) duration: Duration,
    end: Instant,
}

impl Limit {
    /// Starts a limit of `duration` now.
    pub(crate) fn starting_now(duration: Duration) -> Self {
        // Caps durations that could overflow an `Instant`. No process runs longer.
        const LONG: Duration = Duration::from_secs(365 * 24 * 60 * 60);
        Self {
            duration,
            end: Instant::now() + duration.min(LONG),
        }
    }

    /// Returns the output of `future`, or an error if it times out. Pass a large future pinned, because it is
    /// moved.
    pub(crate) async fn hold<T>(self, future: impl Future<Output = T>) -> Result<T, Error> {
        timeout_at(self.end, future)
            .await
            .map_err(|_| Error::new(Kind::TimedOut { after: self.duration }))
    }
}

/// How a response is read.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub(crate) limit: Limit,
    /// Maximum size of a successful response.
    pub(crate) max_bytes: u64,
    /// Whether a successful response has a body. If not, the body is not read and counts as `null`.
    pub(crate) has_content: bool,
    /// Creates the redactor for the key and the search texts. Called only on errors.
    pub(crate) redactor: &'a (dyn Fn() -> Redactor + Sync),
}

/// Reads a response.
pub(crate) async fn read<T: Body>(mut response: Response, reading: Reading<'_>) -> Result<ResponseValue<T>, Error> {
    let status = response.status();
    let headers = std::mem::take(response.headers_mut());
    let answer = |redactor: &Redactor| Answer::new(status, &headers, redactor);
    if !status.is_success() {
        let body = body_of_error(response, reading.limit).await;
        let redactor = (reading.redactor)();
        let mut answer = answer(&redactor);
        answer.describe(body.strip_prefix(BOM).unwrap_or(&body), &redactor);
        return Err(Error::new(Kind::Answered(Fault::Status)).with_answer(answer));
    }
    let value = async {
        let body = match reading.has_content {
            true => body_of_success(response, reading).await?,
            false => Bytes::from_static(b"null"),
        };
        decoded::<T>(body).await
    };
    let failure = match reading.limit.hold(pin!(value)).await {
        Ok(Ok(value)) => return Ok(ResponseValue::new(value, status, headers)),
        Ok(Err(Unreadable::Error(error))) => Err(error),
        Ok(Err(Unreadable::Body(body))) => Ok(body),
        Err(late) => Err(late),
    };
    let redactor = (reading.redactor)();
    Err(match failure {
        Ok(body) => body.into_error(answer(&redactor), &redactor),
        Err(error) => error.with_answer(answer(&redactor)),
    })
}

/// Returns the whole body, or an error if it exceeds the limit.
async fn body_of_success(mut response: Response, reading: Reading<'_>) -> Result<Bytes, Error> {
    let limit = reading.max_bytes;
    let too_large = || Error::new(Kind::Answered(Fault::TooLarge { limit }));
    let is_too_large = |length: usize| u64::try_from(length).is_ok_and(|length| length > limit);
    let announced = response.content_length().unwrap_or_default();
    if announced > limit {
        return Err(too_large());
    }
    let mut next = async || {
        let chunk = response.chunk().await;
        chunk.map_err(|error| broken(error, reading.limit))
    };
    // Most bodies arrive in one chunk, which is not copied.
    let first = next().await?.unwrap_or_default();
    let mut second = next().await?;
    if second.is_none() && !is_too_large(first.len()) {
        return Ok(first);
    }
    // The announced length may be wrong, so it is capped.
    let expected = announced.min(MAX_RESPONSE_BYTES);
    let mut body = Vec::with_capacity(usize::try_from(expected).unwrap_or_default());
    body.extend_from_slice(&first);
    while let Some(chunk) = second {
        body.extend_from_slice(&chunk);
        if is_too_large(body.len()) {
            return Err(too_large());
        }
        second = next().await?;
    }
    match is_too_large(body.len()) {
        true => Err(too_large()),
        false => Ok(body.into()),
    }
}

/// Decodes a body. A large body is decoded on a blocking thread, where it delays neither other tasks nor the
/// timeout.
async fn decoded<T: Body>(body: Bytes) -> Result<T, Unreadable> {
    let decode = |body: Bytes| {
        let body = without_bom(body);
        T::decode(&body).map_err(|error| UnreadBody::of::<T>(&error, body))
    };
    let runtime = match body.len() > DECODED_AT_ONCE {
        true => Handle::try_current().ok(),
        false => None,
    };
    let Some(runtime) = runtime else {
        return Ok(decode(body)?);
    };
    match runtime.spawn_blocking(move || decode(body)).await {
        Ok(decoded) => Ok(decoded?),
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is shutting down.
            Err(error) => Err(Error::new(Kind::Broken).with_source(error).into()),
        },
    }
}

/// Type that the body of a successful response is decoded into.
pub(crate) trait Body: Sized + Send + 'static {
    fn decode(body: &[u8]) -> serde_json::Result<Self>;

    /// Returns where a body fails to decode. It parses the body again, so that decoding valid bodies stays
    /// fast.
    fn place_of_fault(body: &[u8]) -> Option<String>;
}

impl<T: DeserializeOwned + Send + 'static> Body for T {
    fn decode(body: &[u8]) -> serde_json::Result<Self> {
        decode(body)
    }

    fn place_of_fault(body: &[u8]) -> Option<String> {
        let mut json = serde_json::Deserializer::from_slice(body);
        let found = serde_path_to_error::deserialize::<_, T>(&mut json).err()?;
        Some(found.path().to_string())
    }
}

/// Validating UTF-8 once for the whole body, not for each string, saves a fifth of the time.
fn decode<T: DeserializeOwned>(body: &[u8]) -> serde_json::Result<T> {
    match str::from_utf8(body) {
        Ok(text) => serde_json::from_str(text),
        // Reports where the body is not UTF-8.
        Err(_) => serde_json::from_slice(body),
    }
}

/// Removes the byte order mark that some writers put before JSON.
fn without_bom(body: Bytes) -> Bytes {
    match body.starts_with(BOM) {
        true => body.slice(BOM.len()..),
        false => body,
    }
}

/// Why there is no value.
enum Unreadable {
    Error(Error),
    Body(Box<UnreadBody>),
}

impl From<Error> for Unreadable {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<UnreadBody> for Unreadable {
    fn from(body: UnreadBody) -> Self {
        Self::Body(Box::new(body))
    }
}

/// A body that could not be decoded, and the reason. It is not redacted yet.
struct UnreadBody {
    fault: Fault,
    reason: String,
    body: Bytes,
}

impl UnreadBody {
    fn of<T: Body>(error: &serde_json::Error, body: Bytes) -> Self {
        let fault = if error.is_data() {
            let path = match T::place_of_fault(&body) {
                Some(path) if path != "." => path,
                _ => "the root".to_owned(),
            };
            Fault::OffContract { path }
        } else if error.is_eof() && !body.trim_ascii().is_empty() {
            Fault::Truncated
        } else {
            Fault::NotJson
        };
        Self {
            fault,
            reason: error.to_string(),
            body,
        }
    }

    fn into_error(self, mut answer: Answer, redactor: &Redactor) -> Error {
        let shown = |text: &str, most| one_line(&redactor.text(beginning(text)), most);
        let fault = match self.fault {
            Fault::OffContract { path } => Fault::OffContract {
                path: shown(&path, 200).unwrap_or_default(),
            },
            fault => fault,
        };
        // An HTML page is not platform data; it is most likely the message of an intermediary.
        answer.detail = excerpt_of_page(&self.body, redactor);
        answer.excerpt = excerpt(&self.body, redactor).map(Hidden);
        let reason = Unread(shown(&without_value(&self.reason), 300).unwrap_or_default());
        Error::new(Kind::Answered(fault))
            .with_answer(answer)
            .with_source(reason)
    }
}

/// Removes the value that serde quotes, which may be customer data, from its reason: `invalid type: string,
/// expected i64`.
fn without_value(reason: &str) -> Cow<'_, str> {
    let without = || {
        let (fault, rest) = reason.split_once(": ")?;
        // The value itself may contain this text, so the last occurrence counts.
        let (found, expected) = rest.rsplit_once(", expected ")?;
        let (kind, _value) = found.split_once(['"', '`'])?;
        Some(format!("{fault}: {}, expected {expected}", kind.trim_end()))
    };
    without().map_or(Cow::Borrowed(reason), Cow::Owned)
}

/// Limits a text to the part that can matter. Callers truncate it further.
fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(8 * 1024)]
}

/// Converts a connection error. Omits the URL, because it contains search texts.
pub(crate) fn broken(error: reqwest::Error, limit: Limit) -> Error {
    let kind = if error.is_builder() {
        Kind::Argument("the request cannot be built".to_owned())
    } else if error.is_connect() {
        let host = error.url().and_then(|url| {
            let port = url.port_or_known_default()?;
            Some(format!("{}:{port}", url.host_str()?))
        });
        Kind::Unconnected {
            host,
            timed_out: error.is_timeout(),
            why: unreached(&error),
        }
    } else if error.is_timeout() {
        Kind::TimedOut { after: limit.duration }
    } else {
        garbled(&error)
    };
    Error::new(kind).with_source(error.without_url())
}

/// Classifies an invalid or incomplete response.
fn garbled(error: &reqwest::Error) -> Kind {
    use std::io::ErrorKind::{InvalidData, InvalidInput, Other};

    let mut cause = std::error::Error::source(error);
    let (mut is_of_http, mut is_invalid, mut is_other) = (false, false, false);
    while let Some(source) = cause {
        if let Some(http) = source.downcast_ref::<hyper::Error>() {
            is_of_http = true;
            is_invalid |= http.is_parse();
        }
        let io = source.downcast_ref::<std::io::Error>();
        is_invalid |= io.is_some_and(|io| matches!(io.kind(), InvalidData | InvalidInput));
        // The error kind of zstd for invalid data.
        is_other |= io.is_some_and(|io| io.kind() == Other);
        cause = source.source();
    }
    match is_of_http {
        true if is_invalid => Kind::NotHttp,
        // The body is complete but does not decompress.
        false if is_invalid || is_other => Kind::Answered(Fault::BadEncoding),
        _ => Kind::Broken,
    }
}

/// Returns why no connection could be made. reqwest keeps the reason as text and as OS errors.
fn unreached(error: &reqwest::Error) -> Unreached {
    let mut cause = std::error::Error::source(error);
    let mut of_names = false;
    while let Some(source) = cause {
        let text = source.to_string();
        of_names |= text.contains("dns error");
        let is_unknown = UNKNOWN_HOST.iter().any(|unknown| text.contains(unknown));
        if of_names && is_unknown {
            return Unreached::UnknownHost;
        }
        // rustls reports what it rejects as invalid data; other TLS backends provide only text.
        let io = source.downcast_ref::<std::io::Error>();
        let is_invalid = io.is_some_and(is_invalid_data);
        if is_invalid || OTHER_TLS.iter().any(|tls| text.contains(tls)) {
            return Unreached::Tls;
        }
        cause = source.source();
    }
    Unreached::Other
}

/// Returns whether the error is invalid data, even if wrapped in another one: OS errors do not list the error
/// they wrap as a source.
fn is_invalid_data(error: &std::io::Error) -> bool {
    let wrapped = error.get_ref().and_then(|inner| inner.downcast_ref());
    error.kind() == std::io::ErrorKind::InvalidData || wrapped.is_some_and(is_invalid_data)
}

/// Messages of DNS resolvers for a host that does not exist, as opposed to a temporary failure.
const UNKNOWN_HOST: [&str; 4] = [
    "Name or service not known",
    "nodename nor servname",
    "No such host is known",
    "No address associated with hostname",
];

/// Messages of the OS TLS libraries for a rejected connection.
const OTHER_TLS: [&str; 4] = [
    "SSL routines",
    "certificate verify failed",
    "certificate chain",
    "invalid peer certificate",
];

/// Returns the beginning of an error body. Read errors are ignored: the status is more useful.
async fn body_of_error(mut response: Response, limit: Limit) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Ok(Some(chunk))) = limit.hold(response.chunk()).await {
        body.extend_from_slice(&chunk);
        if body.len() >= ERROR_BODY_LIMIT {
            body.truncate(ERROR_BODY_LIMIT);
            break;
        }
    }
    body
}

/// Reason why a body cannot be read. Truncated, because serde quotes values in full, however long they are.
#[derive(Debug)]
struct Unread(String);

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unread {}

#[cfg(test)]
mod tests {
    use super::without_value;

    #[test]
    fn reason_is_shown_without_the_value() {
        for (reason, shown) in [
            (
                r#"invalid type: string "a, expected b", expected i64 at line 1 column 9"#,
                "invalid type: string, expected i64 at line 1 column 9",
            ),
            (
                "invalid value: integer `42`, expected i32",
                "invalid value: integer, expected i32",
            ),
            (
                "invalid type: map, expected a string",
                "invalid type: map, expected a string",
            ),
            ("missing field `items`", "missing field `items`"),
            ("expected value at line 1", "expected value at line 1"),
        ] {
            assert_eq!(without_value(reason), shown);
        }
    }
}
