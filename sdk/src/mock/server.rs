//! The server, and what stands in for the platform on it.

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex};

use httpmock::{HttpMockRequest, HttpMockResponse, MockServer};
use serde::Serialize;

use super::answer::Answer;
use super::clock::SkippingClock;
use super::expected::{Expected, Request};
use super::lock::lock;
use crate::{Client, ClientBuilder, ProblemCode};

/// A server on a port of its own that answers as it is told, until it is dropped.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), platform_sdk::Error> {
/// use platform_sdk::mock::{Server, examples};
///
/// let server = Server::start().await;
/// let client = server.client();
/// let added = server
///     .when(client.add_organization().pipeline_id(2).organization_id(1008))
///     .answer(examples::pipeline_item::added());
///
/// client.add_organization().pipeline_id(2).organization_id(1008).send().await?;
/// added.assert_calls(1);
/// assert!(server.unexpected().is_empty());
/// # Ok(())
/// # }
/// ```
pub struct Server {
    http: MockServer,
    log: Arc<Mutex<Log>>,
    /// The mock that answers what no other does.
    last: Mutex<Option<usize>>,
}

#[derive(Default)]
struct Log {
    mocks: Vec<Arc<Expected>>,
    unexpected: Vec<HttpMockRequest>,
    answers: u64,
}

impl Server {
    /// Starts a server. httpmock keeps some for all tests of a process: when all are in use, this waits for
    /// one.
    pub async fn start() -> Self {
        let server = Self {
            http: MockServer::start_async().await,
            log: Arc::default(),
            last: Mutex::default(),
        };
        server.answer_the_rest();
        server
    }

    /// Where it is called.
    pub fn base_url(&self) -> String {
        self.http.base_url()
    }

    /// A client of this server, which skips the time between attempts, pages and polls.
    ///
    /// # Panics
    /// TLS cannot be set up.
    pub fn client(&self) -> Client {
        match self.client_builder().build() {
            Ok(client) => client,
            Err(error) => panic!("{error}"),
        }
    }

    /// A client of this server, to be given options: as an app makes its own, say.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), platform_sdk::Error> {
    /// use platform_sdk::RetryPolicy;
    /// use platform_sdk::mock::Server;
    ///
    /// let server = Server::start().await;
    /// let client = server.client_builder().retry_policy(RetryPolicy::never()).build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn client_builder(&self) -> ClientBuilder {
        Client::builder()
            .base_url(self.base_url())
            .api_key("any-key-will-do")
            .clock(SkippingClock::default())
    }

    /// Begins a mock, for calls of an operation with the values that `request` has. A parameter that it does
    /// not have may be anything; a list must have the same values, in whatever order.
    ///
    /// Which client the request is of makes no difference. Of several mocks that a call would suit, the first
    /// answers.
    ///
    /// # Panics
    /// The request was given a value that no request can be made of.
    #[track_caller]
    pub fn when<R: Request>(&self, request: R) -> When<'_, R::Answer> {
        When {
            server: self,
            expected: request.expected(),
            success: PhantomData,
        }
    }

    /// A mock by httpmock's own means, for what is none of the platform's operations.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use platform_sdk::mock::Server;
    ///
    /// let server = Server::start().await;
    /// let token = server.mock(|when, then| {
    ///     when.method("POST").path("/oauth/token");
    ///     then.status(200).body("{}");
    /// });
    /// token.assert_calls(0);
    /// # }
    /// ```
    pub fn mock(
        &self,
        specification: impl FnOnce(httpmock::When, httpmock::Then),
    ) -> httpmock::Mock<'_> {
        let mock = self.http.mock(specification);
        self.answer_the_rest();
        mock
    }

    /// The requests that no mock was for, a line each: what was asked for, and what the nearest mocks have
    /// otherwise.
    pub fn unexpected(&self) -> Vec<String> {
        lock(&self.log).describe_unexpected()
    }

    /// Has what no mock is for answered so that one sees why. httpmock takes the first mock that matches, so
    /// this one is made anew after each other.
    fn answer_the_rest(&self) {
        let mut last = lock(&self.last);
        let log = Arc::clone(&self.log);
        let mock = self.http.mock(|when, then| {
            when.any_request();
            then.respond_with(move |request| lock(&log).answer_unexpected(request));
        });
        if let Some(before) = last.replace(mock.id()) {
            httpmock::Mock::new(before, &self.http).delete();
        }
    }
}

/// Shows where it is called.
impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("base_url", &self.base_url())
            .finish_non_exhaustive()
    }
}

impl Log {
    /// The id that the request brought, or else a new one.
    fn request_id(&mut self, request: &HttpMockRequest) -> String {
        self.answers += 1;
        let own = header(request, "x-request-id");
        own.map_or_else(|| format!("mock-{}", self.answers), str::to_owned)
    }

    fn answer_unexpected(&mut self, request: &HttpMockRequest) -> HttpMockResponse {
        self.unexpected.push(request.clone());
        let id = self.request_id(request);
        let answer: Answer<()> = if has_key(request) {
            Answer::raw(501, "text/plain; charset=utf-8", self.describe(request))
        } else {
            Answer::problem(ProblemCode::AuthenticationRequired)
        };
        answer.to(request, &id, 200)
    }

    fn describe_unexpected(&self) -> Vec<String> {
        let unexpected = self.unexpected.iter();
        unexpected.map(|request| self.describe(request)).collect()
    }

    fn describe(&self, request: &HttpMockRequest) -> String {
        let uri = request.uri();
        let target = uri
            .path_and_query()
            .map_or(uri.path(), |target| target.as_str());
        let target = format!("no mock for {} {target}", request.method_str());
        if !has_key(request) {
            return format!("{target}: it has no API-Key");
        }
        let mocks = self.mocks.iter();
        let mut near: Vec<_> = mocks
            .filter_map(|mock| Some((mock.differences(request)?, mock)))
            .collect();
        near.sort_by_key(|(differences, _)| differences.len());
        if near.is_empty() {
            return format!("{target}: there is none for this operation");
        }
        let near = near.iter().take(3);
        let near =
            near.map(|(differences, mock)| format!("{mock}, but {}", differences.join(" and ")));
        format!("{target}: {}", near.collect::<Vec<_>>().join("; "))
    }
}

/// A mock that has yet to be told its answers.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use platform_sdk::mock::{Server, When, examples};
/// use platform_sdk::types::ItemPage;
///
/// let server = Server::start().await;
/// let client = server.client();
/// let listing: When<'_, ItemPage> = server.when(client.list_items());
/// let listing = listing.answer(examples::item_page::first_page());
/// assert_eq!(listing.calls(), 0);
/// # }
/// ```
#[must_use = "nothing is answered until `answer` or `answers` is called"]
pub struct When<'server, T> {
    server: &'server Server,
    expected: Expected,
    success: PhantomData<fn() -> T>,
}

impl<T: 'static> When<'_, T> {
    /// Expects that a request does not have this parameter. Without it, a parameter that the request of
    /// [`Server::when`] leaves open may be there or not.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use platform_sdk::mock::{Server, examples};
    ///
    /// let server = Server::start().await;
    /// let client = server.client();
    /// server.when(client.list_items()).without("sort_by").answer(examples::item_page::first_page());
    ///
    /// assert!(client.list_items().pipeline_id(2).send().await.is_ok());
    /// assert!(client.list_items().pipeline_id(2).sort_by("question.201").send().await.is_err());
    /// # }
    /// ```
    pub fn without(mut self, parameter: &str) -> Self {
        self.expected.exclude(parameter);
        self
    }

    /// Answers each call with this value, and the status of a success.
    pub fn answer(self, value: T) -> Mock
    where
        T: Serialize,
    {
        self.answers([value.into()])
    }

    /// Answers the first call with the first of these, the second with the second, and so on. The last is
    /// repeated: [`Mock::assert_calls`] tells whether it was.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), platform_sdk::Error> {
    /// use platform_sdk::mock::{Server, examples};
    ///
    /// let server = Server::start().await;
    /// let client = server.client();
    /// let status = server.when(client.get_item_status()).answers([
    ///     examples::item_status::in_progress().into(),
    ///     examples::item_status::ready().into(),
    /// ]);
    ///
    /// let poll = client.get_item_status().pipeline_id(2).pipeline_item_id(200_013);
    /// while !poll.clone().send().await?.is_ready {}
    /// status.assert_calls(2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// There is no answer.
    pub fn answers(self, answers: impl IntoIterator<Item = Answer<T>>) -> Mock {
        let mock = Mock {
            expected: Arc::new(self.expected),
            requests: Arc::default(),
            log: Arc::clone(&self.server.log),
        };
        let mut answers = answers.into_iter().peekable();
        assert!(answers.peek().is_some(), "{}: no answer", mock.expected);
        while let Some(answer) = answers.next() {
            mock.add(&self.server.http, answer, answers.peek().is_some());
        }
        lock(&mock.log).mocks.push(Arc::clone(&mock.expected));
        self.server.answer_the_rest();
        mock
    }
}

/// What answers the calls that a test expects. It goes on answering when this is dropped.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), platform_sdk::Error> {
/// use platform_sdk::mock::{Server, examples};
///
/// let server = Server::start().await;
/// let client = server.client();
/// let listing = server.when(client.list_items()).answer(examples::item_page::first_page());
/// client.list_items().pipeline_id(2).send().await?;
/// assert_eq!(listing.calls(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Mock {
    expected: Arc<Expected>,
    requests: Arc<Mutex<Vec<HttpMockRequest>>>,
    log: Arc<Mutex<Log>>,
}

impl Mock {
    /// How often it was called, each attempt of the client on its own.
    pub fn calls(&self) -> usize {
        lock(&self.requests).len()
    }

    /// The requests that it was called with, in order.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), platform_sdk::Error> {
    /// use platform_sdk::mock::{Server, examples};
    ///
    /// let server = Server::start().await;
    /// let client = server.client();
    /// let listing = server.when(client.list_items()).answer(examples::item_page::past_the_end());
    ///
    /// client.list_items().pipeline_id(2).skip(12).send().await?;
    /// let requests = listing.requests();
    /// assert_eq!(requests[0].uri().path(), "/api/v1/pipelines/2/items");
    /// assert_eq!(requests[0].query_params(), [("skip".to_owned(), "12".to_owned())]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn requests(&self) -> Vec<HttpMockRequest> {
        lock(&self.requests).clone()
    }

    /// Checks how often it was called, each attempt of the client on its own.
    ///
    /// # Panics
    /// It was called more or less often. The message says what else was asked for.
    #[track_caller]
    pub fn assert_calls(&self, expected: usize) {
        let calls = self.calls();
        if calls == expected {
            return;
        }
        let mut message = format!("{}: {calls} calls, not {expected}", self.expected);
        for unexpected in lock(&self.log).describe_unexpected() {
            message.push('\n');
            message.push_str(&unexpected);
        }
        panic!("{message}");
    }

    /// Adds an answer, to one call or to all that follow.
    fn add<T: 'static>(&self, server: &MockServer, answer: Answer<T>, once: bool) {
        let taker = self.clone();
        let (log, success) = (Arc::clone(&self.log), self.expected.success);
        server.mock(|when, mut then| {
            when.is_true(move |request| taker.take(request));
            if once {
                then = then.up_to_n_times(1);
            }
            if let Some(delay) = answer.delay {
                then = then.delay(delay);
            }
            then.respond_with(move |request| {
                let id = lock(&log).request_id(request);
                answer.to(request, &id, success)
            });
        });
    }

    /// Whether the request is for this mock. If so it is noted here and now, because httpmock asks the mocks
    /// in order until one says yes, and that one answers: after its delay, when the client may be gone.
    fn take(&self, request: &HttpMockRequest) -> bool {
        let differences = self.expected.differences(request);
        let mine =
            has_key(request) && differences.is_some_and(|differences| differences.is_empty());
        if mine {
            lock(&self.requests).push(request.clone());
        }
        mine
    }
}

/// Shows what it is for, and how often it was called.
impl fmt::Debug for Mock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mock")
            .field("expected", &self.expected.to_string())
            .field("calls", &self.calls())
            .finish_non_exhaustive()
    }
}

fn has_key(request: &HttpMockRequest) -> bool {
    header(request, "api-key").is_some_and(|key| !key.is_empty())
}

fn header<'a>(request: &'a HttpMockRequest, name: &str) -> Option<&'a str> {
    let mut headers = request.headers_vec().iter();
    let (_, value) = headers.find(|(header, _)| header.eq_ignore_ascii_case(name))?;
    Some(value)
}
