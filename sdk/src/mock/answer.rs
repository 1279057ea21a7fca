//! Mock responses.

use std::marker::PhantomData;
use std::time::Duration;

use httpmock::{HttpMockRequest, HttpMockResponse};
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use serde::Serialize;
use serde_json::json;

use crate::generated::problem;
use crate::generated::problem_code::ProblemCode;
use crate::types::Problem;

const PROBLEM_JSON: &str = "application/problem+json";

/// A mock response for an operation that returns a `T` on success.
///
/// A `T` converts into an answer with the operation's success status from the contract.
///
/// ```
/// use std::time::Duration;
///
/// use platform_sdk::ProblemCode;
/// use platform_sdk::mock::{Answer, examples};
/// use platform_sdk::types::ItemStatus;
///
/// let answers: [Answer<ItemStatus>; 5] = [
///     Answer::problem(ProblemCode::InternalError).header("Retry-After", "1"),
///     Answer::rate_limited(Duration::from_secs(7)),
///     Answer::raw(502, "text/html", "<title>502 Bad Gateway</title>"),
///     Answer::from(examples::item_status::in_progress()).delayed(Duration::from_millis(20)),
///     Answer::from(examples::item_status::ready()).cut_after(30),
/// ];
/// ```
#[derive(Debug)]
pub struct Answer<T> {
    content: Content,
    headers: Vec<(String, String)>,
    pub(super) delay: Option<Duration>,
    cut_after: Option<usize>,
    success: PhantomData<fn() -> T>,
}

#[derive(Debug, Clone)]
enum Content {
    /// The JSON body of a success.
    Success(Vec<u8>),
    Problem(ProblemCode),
    Raw {
        status: u16,
        content_type: String,
        body: Vec<u8>,
    },
}

impl<T> Answer<T> {
    fn new(content: Content) -> Self {
        Self {
            content,
            headers: Vec::new(),
            delay: None,
            cut_after: None,
            success: PhantomData,
        }
    }

    /// Returns a problem document with the contract's status and title for the code, or with status 400 for a
    /// code that this version of the SDK does not know. For field errors or another text, use
    /// [`problem_document`](Self::problem_document).
    pub fn problem(code: impl Into<ProblemCode>) -> Self {
        Self::new(Content::Problem(code.into()))
    }

    /// Returns this problem document, sent with the status that it contains.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use platform_sdk::mock::{Answer, Server, examples};
    ///
    /// let mut problem = examples::problem::invalid_parameters();
    /// problem.errors.truncate(1);
    ///
    /// let server = Server::start().await;
    /// let client = server.client();
    /// server.when(client.list_items()).answers([Answer::problem_document(problem)]);
    ///
    /// let error = client.list_items().pipeline_id(2).limit(5000).send().await.unwrap_err();
    /// assert!(error.is_invalid());
    /// assert_eq!(error.field_errors()[0].msg, "must be an integer from 1 to 1000");
    /// # }
    /// ```
    ///
    /// # Panics
    /// The status is not an HTTP status.
    pub fn problem_document(problem: Problem) -> Self {
        let Ok(status) = problem.status.try_into() else {
            panic!("a problem cannot have the status {}", problem.status)
        };
        Self::raw(status, PROBLEM_JSON, to_json(&problem))
    }

    /// Returns a 429 response with a `Retry-After` header of `retry_after`, rounded up to whole seconds.
    pub fn rate_limited(retry_after: Duration) -> Self {
        let seconds = retry_after.as_secs() + u64::from(retry_after.subsec_nanos() > 0);
        Self::problem(ProblemCode::RateLimited).header(RETRY_AFTER.as_str(), seconds.to_string())
    }

    /// Returns a response that the platform would not send: a proxy's page, JSON of another shape, or an
    /// empty body.
    pub fn raw(status: u16, content_type: impl Into<String>, body: impl Into<Vec<u8>>) -> Self {
        Self::new(Content::Raw {
            status,
            content_type: content_type.into(),
            body: body.into(),
        })
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Delays the response by `delay` in real time. Fractions of a millisecond are ignored.
    #[must_use]
    pub fn delayed(mut self, delay: Duration) -> Self {
        self.delay = Some(delay);
        self
    }

    /// Cuts the body off after this many bytes.
    #[must_use]
    pub fn cut_after(mut self, bytes: usize) -> Self {
        self.cut_after = Some(bytes);
        self
    }

    /// Builds the response to a request. `success` is the status of a success.
    pub(super) fn to(&self, request: &HttpMockRequest, request_id: &str, success: u16) -> HttpMockResponse {
        let (status, content_type, mut body) = match &self.content {
            // 204 has no content.
            Content::Success(_) if success == 204 => (success, "", Vec::new()),
            Content::Success(body) => (success, "application/json", body.clone()),
            Content::Problem(code) => {
                let (status, title) = problem(code);
                let document = json!({
                    "type": format!("https://platform.example/problems/{code}"),
                    "title": title,
                    "status": status,
                    "detail": format!("{title} (mock response)."),
                    "instance": request.uri().path(),
                    "code": code,
                    "request_id": request_id,
                    "errors": [],
                });
                (status, PROBLEM_JSON, document.to_string().into_bytes())
            }
            Content::Raw {
                status,
                content_type,
                body,
            } => (*status, content_type.as_str(), body.clone()),
        };
        body.truncate(self.cut_after.unwrap_or(usize::MAX));
        let mut response = HttpMockResponse::builder()
            .status(status)
            .header("X-Request-Id", request_id)
            .body(body);
        if !content_type.is_empty() {
            response = response.header(CONTENT_TYPE.as_str(), content_type);
        }
        for (name, value) in &self.headers {
            response = response.header(name.as_str(), value.as_str());
        }
        response.build()
    }
}

impl<T: Serialize> From<T> for Answer<T> {
    fn from(value: T) -> Self {
        Self::new(Content::Success(to_json(&value)))
    }
}

fn to_json(value: &impl Serialize) -> Vec<u8> {
    match serde_json::to_vec(value) {
        Ok(json) => json,
        Err(error) => panic!("the answer cannot be written as JSON: {error}"),
    }
}
