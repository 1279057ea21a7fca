//! How an answer is read: into the value of a success, or into an error that keeps all it says.

use std::time::Duration;

use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{Answer, Error, Fault, Kind};
use crate::text::{excerpt, one_line};
use crate::types::FieldError;
use crate::{Client, ProblemCode, ResponseValue};

/// The most that is read of an error's body, in bytes: enough for any problem document.
const ERROR_BODY_LIMIT: usize = 64 * 1024;

/// Reads the answer to a request, or says why there is none.
pub(crate) async fn read<T: DeserializeOwned>(
    client: &Client,
    operation: &'static str,
    sent: Result<Response, progenitor_client::Error<()>>,
) -> Result<ResponseValue<T>, Error> {
    let timeout = client.inner.timeout(operation);
    let response = sent.map_err(|error| unanswered(error, timeout).of(operation))?;
    let status = response.status();
    let mut answer = Answer::new(status, response.headers());
    if !status.is_success() {
        answer.describe(&body_of_error(response).await);
        return Err(Error::new(Kind::Answered(Fault::Status))
            .with_answer(answer)
            .of(operation));
    }
    let headers = response.headers().clone();
    let body = match response.bytes().await {
        Ok(body) => body,
        Err(error) => return Err(broken(error, timeout).with_answer(answer).of(operation)),
    };
    match serde_json::from_slice(&body) {
        Ok(value) => Ok(ResponseValue::new(value, status, headers)),
        Err(error) => Err(undecodable::<T>(error, &body, answer).of(operation)),
    }
}

/// Why a request has no answer.
fn unanswered(error: progenitor_client::Error<()>, timeout: Option<Duration>) -> Error {
    use progenitor_client::Error as Sent;
    match error {
        Sent::InvalidRequest(why) | Sent::Custom(why) => Error::new(Kind::Argument(why)),
        Sent::CommunicationError(error)
        | Sent::InvalidUpgrade(error)
        | Sent::ResponseBodyError(error) => broken(error, timeout),
        // The generated code decodes no answer: `read` does.
        Sent::ErrorResponse(_) | Sent::UnexpectedResponse(_) | Sent::InvalidResponsePayload(..) => {
            Error::new(Kind::Broken)
        }
    }
}

/// What went wrong with the connection. The URL is left out, because search texts stand in it.
fn broken(error: reqwest::Error, timeout: Option<Duration>) -> Error {
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
        Kind::TimedOut { after: timeout }
    } else {
        Kind::Broken
    };
    Error::new(kind).with_source(error.without_url())
}

/// The beginning of an error's body. What cannot be read is left out: the status says more.
async fn body_of_error(mut response: Response) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
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
        return Error::new(Kind::Answered(Fault::NotJson))
            .with_answer(answer)
            .with_source(error);
    }
    let mut json = serde_json::Deserializer::from_slice(body);
    let found = serde_path_to_error::deserialize::<_, T>(&mut json).err();
    let path = match found.map(|error| error.path().to_string()) {
        Some(path) if path != "." => path,
        _ => "its root".to_owned(),
    };
    Error::new(Kind::Answered(Fault::OffContract { path }))
        .with_answer(answer)
        .with_source(error)
}

impl Answer {
    fn new(status: StatusCode, headers: &HeaderMap) -> Self {
        let text = |name: &str| headers.get(name)?.to_str().ok();
        Self {
            status,
            request_id: text("x-request-id").and_then(|id| one_line(id, 128)),
            retry_after: text(RETRY_AFTER.as_str())
                .and_then(|seconds| seconds.trim().parse().ok())
                .map(Duration::from_secs),
            code: None,
            detail: None,
            field_errors: Vec::new(),
            problem: None,
        }
    }

    /// Takes from an error's body what it says: the contract's problem document, or part of one, or what
    /// frameworks and gateways send in its place, or the beginning of any text.
    fn describe(&mut self, body: &[u8]) {
        let Ok(Value::Object(object)) = serde_json::from_slice(body) else {
            self.detail = excerpt(body);
            return;
        };
        let text = |name: &str| {
            object
                .get(name)
                .and_then(Value::as_str)
                .and_then(|text| one_line(text, 300))
        };
        self.code = text("code").map(ProblemCode::from);
        if let Some(id) = text("request_id") {
            self.request_id = Some(id);
        }
        self.detail = ["detail", "title", "message", "error"]
            .into_iter()
            .find_map(text);
        self.field_errors = ["errors", "detail"]
            .into_iter()
            .filter_map(|name| object.get(name)?.as_array())
            .flatten()
            .filter_map(|fault| serde_json::from_value::<FieldError>(fault.clone()).ok())
            .collect();
        if self.code.is_none() && self.detail.is_none() && self.field_errors.is_empty() {
            self.detail = excerpt(body);
        }
        self.problem = serde_json::from_value(Value::Object(object)).ok();
    }
}
