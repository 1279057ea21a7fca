//! How an answer is read: into the value of a success, or into an error that keeps all it says.

use std::fmt;
use std::pin::pin;
use std::time::Duration;

use reqwest::Response;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout_at};

use crate::ResponseValue;
use crate::error::{Answer, Error, Fault, Kind};
use crate::text::{excerpt, one_line};

/// The most that is read of an error's body, in bytes: enough for any problem document.
const ERROR_BODY_LIMIT: usize = 64 * 1024;

/// How long an attempt may take, and when that is over.
#[derive(Clone, Copy)]
pub(crate) struct Limit {
    pub(crate) duration: Duration,
    end: Instant,
}

impl Limit {
    /// A limit that begins now.
    pub(crate) fn starting_now(duration: Duration) -> Self {
        // What is too long to be told as an instant is no limit in the life of a process.
        const LONG: Duration = Duration::from_secs(365 * 24 * 60 * 60);
        Self {
            duration,
            end: Instant::now() + duration.min(LONG),
        }
    }

    /// What `future` gives, if it does so in time. Give it pinned where it is large: it is moved about.
    pub(crate) async fn hold<T>(self, future: impl Future<Output = T>) -> Result<T, Error> {
        timeout_at(self.end, future).await.map_err(|_| {
            Error::new(Kind::TimedOut {
                after: self.duration,
            })
        })
    }
}

/// Reads an answer.
pub(crate) async fn read<T: DeserializeOwned>(
    mut response: Response,
    limit: Limit,
) -> Result<ResponseValue<T>, Error> {
    let status = response.status();
    let headers = std::mem::take(response.headers_mut());
    let answer = || Answer::new(status, &headers);
    if !status.is_success() {
        let mut answer = answer();
        answer.describe(&body_of_error(response, limit).await);
        return Err(Error::new(Kind::Answered(Fault::Status)).with_answer(answer));
    }
    let body = match limit.hold(pin!(response.bytes())).await {
        Ok(Ok(body)) => body,
        Ok(Err(error)) => return Err(broken(error, limit).with_answer(answer())),
        Err(late) => return Err(late.with_answer(answer())),
    };
    match decode(&body) {
        Ok(value) => Ok(ResponseValue::new(value, status, headers)),
        Err(error) => Err(undecodable::<T>(error, &body, answer())),
    }
}

/// Text that is checked once as a whole need not be checked string by string, which saves a fifth of the time.
fn decode<T: DeserializeOwned>(body: &[u8]) -> serde_json::Result<T> {
    match str::from_utf8(body) {
        Ok(text) => serde_json::from_str(text),
        // This says where it is not text.
        Err(_) => serde_json::from_slice(body),
    }
}

/// What went wrong with the connection. The URL is left out, because search texts stand in it.
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
        }
    } else if error.is_timeout() {
        Kind::TimedOut {
            after: limit.duration,
        }
    } else {
        Kind::Broken
    };
    Error::new(kind).with_source(error.without_url())
}

/// The beginning of an error's body. What cannot be read is left out: the status says more.
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

/// Says where a body is at fault. It is read again for that, so that a good one is read fast.
fn undecodable<T: DeserializeOwned>(
    error: serde_json::Error,
    body: &[u8],
    mut answer: Answer,
) -> Error {
    if !error.is_data() {
        answer.detail = excerpt(body);
        let fault = if error.is_eof() && !body.is_empty() {
            Fault::Truncated
        } else {
            Fault::NotJson
        };
        return Error::new(Kind::Answered(fault))
            .with_answer(answer)
            .with_source(Unread::new(&error));
    }
    let mut json = serde_json::Deserializer::from_slice(body);
    let found = serde_path_to_error::deserialize::<_, T>(&mut json).err();
    let path = match found.map(|error| error.path().to_string()) {
        Some(path) if path != "." => path,
        _ => "its root".to_owned(),
    };
    Error::new(Kind::Answered(Fault::OffContract { path }))
        .with_answer(answer)
        .with_source(Unread::new(&error))
}

/// Why a body cannot be read. The text of serde quotes a value whole, however long it is.
#[derive(Debug)]
struct Unread(String);

impl Unread {
    fn new(error: &serde_json::Error) -> Self {
        Self(one_line(&error.to_string(), 300).unwrap_or_default())
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unread {}
