//! The mock server and its mocks.

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

/// Mock server on its own port, which runs until it is dropped.
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
    /// The mock for requests that no other mock matches.
    last: Mutex<Option<usize>>,
}

#[derive(Default)]
struct Log {
    mocks: Vec<Arc<Expected>>,
    unexpected: Vec<HttpMockRequest>,
    answers: u64,
}

impl Server {
    /// Starts a server. httpmock shares a pool of servers among all tests of a process; if all are in use,
    /// this waits for one.
    pub async fn start() -> Self {
        let server = Self {
            http: MockServer::start_async().await,
            log: Arc::default(),
            last: Mutex::default(),
        };
        server.answer_the_rest();
        server
    }

    /// Returns the base URL of the server.
    pub fn base_url(&self) -> String {
        self.http.base_url()
    }

    /// Returns a client for this server that skips the time between attempts, pages and polls.
    ///
    /// # Panics
    /// TLS cannot be set up.
    pub fn client(&self) -> Client {
        match self.client_builder().build() {
            Ok(client) => client,
            Err(error) => panic!("{error}"),
        }
    }

    /// Returns a client builder for this server, for example to set the options of an app.
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

    /// Starts a mock for calls of an operation with the values set on `request`. A parameter that is not set
    /// may have any value. A list must have the same values, in any order.
    ///
    /// The client that created the request does not matter. If several mocks match a call, the first
    /// responds.
    ///
    /// # Panics
    /// The request has an invalid value.
    #[track_caller]
    pub fn when<R: Request>(&self, request: R) -> When<'_, R::Answer> {
        When {
            server: self,
            expected: request.expected(),
            success: PhantomData,
        }
    }

    /// Adds a plain httpmock mock, for requests that are not operations of the platform.
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
    pub fn mock(&self, specification: impl FnOnce(httpmock::When, httpmock::Then)) -> httpmock::Mock<'_> {
        let mock = self.http.mock(specification);
        self.answer_the_rest();
        mock
    }

    /// Returns the requests that no mock matched, one line each: the request, and how the nearest mocks
    /// differ.
    pub fn unexpected(&self) -> Vec<String> {
        lock(&self.log).describe_unexpected()
    }

    /// Responds to unmatched requests with an explanation. httpmock uses the first mock that matches, so this
    /// one is recreated after each new mock.
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

/// Shows the base URL.
impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("base_url", &self.base_url())
            .finish_non_exhaustive()
    }
}

impl Log {
    /// Returns the id of the request, or a new one.
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
        let target = uri.path_and_query().map_or(uri.path(), |target| target.as_str());
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
        let near = near.map(|(differences, mock)| format!("{mock}, but {}", differences.join(" and ")));
        format!("{target}: {}", near.collect::<Vec<_>>().join("; "))
    }
}

/// A mock that has no responses yet.
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
    /// Requires that a request does not have this parameter. Otherwise, a parameter that is not set on the
    /// request of [`Server::when`] may be present or not.
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

    /// Responds to each call with this value and the success status.
    pub fn answer(self, value: T) -> Mock
    where
        T: Serialize,
    {
        self.answers([value.into()])
    }

    /// Responds to the first call with the first of these, to the second with the second, and so on. The last
    /// is repeated; use [`Mock::assert_calls`] to check whether it was.
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
    /// `answers` is empty.
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

/// A mock for the calls that a test expects. It keeps responding after this handle is dropped.
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
    /// Returns the number of calls. Each attempt of the client counts.
    pub fn calls(&self) -> usize {
        lock(&self.requests).len()
    }

    /// Returns the requests that the mock received, in order.
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

    /// Asserts the number of calls. Each attempt of the client counts.
    ///
    /// # Panics
    /// The number of calls differs. The message lists the unexpected requests.
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

    /// Adds a response to one call or to all further calls.
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

    /// Returns whether the request matches this mock, and records it if so. httpmock asks the mocks in order
    /// until one matches and responds only after its delay, when the client may be gone. The request is
    /// therefore recorded here.
    fn take(&self, request: &HttpMockRequest) -> bool {
        let differences = self.expected.differences(request);
        let mine = has_key(request) && differences.is_some_and(|differences| differences.is_empty());
        if mine {
            lock(&self.requests).push(request.clone());
        }
        mine
    }
}

/// Shows the expected request and the number of calls.
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
