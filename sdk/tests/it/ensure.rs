//! Adding exactly once, even when responses are lost.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::body::Body;
use axum::http::{Method, Request, Response};
use futures::future::join_all;
use platform_sdk::{
    Client, ClientBuilder, Ensured, Error, Outcome, Presence, RetryBudget, RetryPolicy, StatusCode, reqwest,
};
use platform_server_stub::Server;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::canned::KEY;
use crate::script::Step;

const ORGANIZATION: usize = 1001;

/// How an add request is handled.
#[derive(Clone)]
enum Add {
    /// Carried out, with this response.
    Done(Step),
    /// Not carried out, with this response.
    NotDone(Step),
}

use Add::{Done, NotDone};

/// Deployment with one pipeline. It adds an organization on every request, so a client that does not look
/// first creates a second item. A careful deployment responds with 409 instead.
#[derive(Clone, Default)]
struct Deployment(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    is_careful: bool,
    items: Vec<Value>,
    /// How the next add and list requests are handled; later requests succeed.
    adds: VecDeque<Add>,
    lists: VecDeque<Step>,
    /// Requests received: `add` or `look`.
    log: Vec<&'static str>,
}

impl Deployment {
    fn with(adds: impl IntoIterator<Item = Add>) -> Self {
        let deployment = Self::default();
        deployment.state().adds.extend(adds);
        deployment
    }

    fn careful(adds: impl IntoIterator<Item = Add>) -> Self {
        let deployment = Self::with(adds);
        deployment.state().is_careful = true;
        deployment
    }

    /// Sets the responses to the next list requests.
    fn listing(self, lists: impl IntoIterator<Item = Step>) -> Self {
        self.state().lists.extend(lists);
        self
    }

    /// Adds the organization to the pipeline.
    fn filled(self) -> Self {
        self.state().add(ORGANIZATION);
        self
    }

    /// Adds `others` other items to the pipeline.
    fn crowded(self, others: usize) -> Self {
        for other in 0..others {
            self.state().add(2001 + other);
        }
        self
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    fn client(&self) -> Client {
        self.builder().build().unwrap()
    }

    fn builder(&self) -> ClientBuilder {
        let deployment = self.clone();
        Client::builder()
            .api_key(KEY)
            .service(tower::service_fn(move |request: Request<reqwest::Body>| {
                deployment.clone().answer(request)
            }))
    }

    async fn answer(self, request: Request<reqwest::Body>) -> io::Result<Response<Body>> {
        let step = match *request.method() {
            Method::POST => self.state().answer_add(),
            _ => self.state().answer_list(request.uri().query().unwrap_or_default()),
        };
        step.play().await
    }

    async fn ensure(&self) -> Result<Ensured, Error> {
        ensure(&self.client()).await
    }

    fn log(&self) -> String {
        self.state().log.join(" ")
    }

    fn item_count(&self) -> usize {
        self.state().items.len()
    }
}

impl State {
    fn add(&mut self, organization: usize) -> Step {
        let item = json!({
            "pipeline_id": 6, "pipeline_item_id": 600_001 + self.items.len(),
            "entity_type": "organization", "organization_id": organization, "person_id": null,
            "document_id": null, "values": {},
        });
        self.items.push(item.clone());
        Step::json(201, &item)
    }

    fn answer_add(&mut self) -> Step {
        self.log.push("add");
        let is_there = |item: &Value| item["organization_id"] == ORGANIZATION;
        if self.is_careful && self.items.iter().any(is_there) {
            return Step::json(409, &json!({"code": "organization_already_in_pipeline"}));
        }
        match self.adds.pop_front() {
            None => self.add(ORGANIZATION),
            Some(NotDone(answer)) => answer,
            Some(Done(answer)) => {
                self.add(ORGANIZATION);
                answer
            }
        }
    }

    fn answer_list(&mut self, query: &str) -> Step {
        self.log.push("look");
        assert!(query.contains("sort_order=desc"), "{query}");
        let number = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            let value = pairs.find(|(key, _)| *key == name).map(|(_, value)| value);
            value.map(|value| value.parse::<usize>().unwrap())
        };
        let newest_first = self.items.iter().rev().skip(number("skip").unwrap_or(0));
        let items = newest_first.take(number("limit").unwrap_or(100)).cloned();
        let answer = page(self.items.len(), items.collect());
        self.lists.pop_front().unwrap_or(answer)
    }
}

fn page(total_count: usize, items: Vec<Value>) -> Step {
    Step::json(
        200,
        &json!({"pipeline_id": 6, "total_count": total_count, "items": items}),
    )
}

async fn ensure(client: &Client) -> Result<Ensured, Error> {
    let request = client.ensure_organization();
    request.pipeline_id(6).organization_id(1001).send().await
}

/// Every response or failure after which the outcome is unknown.
fn losses() -> Vec<Step> {
    let not_json = Step::Answer(201, Vec::new(), "<html>".to_owned());
    let mut losses = vec![Step::Reset, Step::Stall, Step::BreakOff, not_json];
    losses.push(Step::json(201, &json!({"pipeline_id": "six"})));
    losses.extend([408, 500, 502, 503, 504].map(Step::status));
    losses
}

#[tokio::test(start_paused = true)]
async fn missing_organization_is_added_without_a_check() {
    let deployment = Deployment::default();
    let ensured = deployment.ensure().await.unwrap();
    assert_eq!(ensured.presence, Presence::Created);
    assert_eq!(ensured.item.organization_id, Some(1001.into()));
    assert_eq!(deployment.log(), "add");
}

#[tokio::test(start_paused = true)]
async fn organization_with_a_lost_answer_is_found() {
    for loss in losses() {
        let deployment = Deployment::with([Done(loss)]);
        let ensured = deployment.ensure().await.unwrap();
        assert_eq!(ensured.presence, Presence::FoundAfterLostAnswer);
        assert_eq!(ensured.item.pipeline_item_id, 600_001.into());
        assert_eq!(deployment.log(), "add look");
    }
}

#[tokio::test(start_paused = true)]
async fn newest_item_is_found_by_one_small_list() {
    let deployment = Deployment::with([Done(Step::Reset)]).crowded(3000);
    let ensured = deployment.ensure().await.unwrap();
    assert_eq!(ensured.item.pipeline_item_id, 603_001.into());
    assert_eq!(deployment.log(), "add look");
}

#[tokio::test(start_paused = true)]
async fn whole_pipeline_is_searched_before_adding_again() {
    for others in [20, 21, 1020, 3000] {
        let deployment = Deployment::with([NotDone(Step::Reset)]).crowded(others);
        let ensured = deployment.ensure().await.unwrap();
        assert_eq!(ensured.presence, Presence::Created);
        assert_eq!(deployment.item_count(), others + 1);

        let deployment = Deployment::careful([]).filled().crowded(others);
        let ensured = deployment.ensure().await.unwrap();
        assert_eq!(ensured.presence, Presence::AlreadyThere);
        assert_eq!(ensured.item.pipeline_item_id, 600_001.into());
    }
}

/// A request can still be carried out after its response was given up.
#[tokio::test(start_paused = true)]
async fn late_item_is_waited_for() {
    let deployment = Deployment::with([NotDone(Step::status(504).with("Retry-After", "2"))]);
    let late = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        deployment.state().add(ORGANIZATION);
    };
    let (ensured, ()) = tokio::join!(deployment.ensure(), late);
    assert_eq!(ensured.unwrap().presence, Presence::FoundAfterLostAnswer);
    assert_eq!(deployment.item_count(), 1);
}

#[tokio::test(start_paused = true)]
async fn organization_not_added_at_first_is_added_again() {
    for loss in losses() {
        let deployment = Deployment::with([NotDone(loss)]);
        let ensured = deployment.ensure().await.unwrap();
        assert_eq!(ensured.presence, Presence::Created);
        assert_eq!(deployment.log(), "add look add");
        assert_eq!(deployment.item_count(), 1);
    }
}

/// Law: whatever is carried out or answered, in any order, exactly one item exists in the end, even if the
/// deployment would create a second one.
#[tokio::test(start_paused = true)]
async fn there_is_never_a_second_item() {
    let turns = [
        Done(Step::Reset),
        Done(Step::status(503)),
        NotDone(Step::Stall),
        NotDone(Step::status(502)),
        NotDone(Step::status(429)),
    ];
    for first in &turns {
        for second in &turns {
            for third in &turns {
                let adds = [first, second, third].map(Clone::clone);
                for deployment in [Deployment::with(adds.clone()), Deployment::careful(adds)] {
                    let ensured = deployment.ensure().await.unwrap();
                    assert_eq!(deployment.item_count(), 1, "{}", deployment.log());
                    assert_eq!(ensured.item.pipeline_item_id, 600_001.into());
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_added_again_after_a_failed_check() {
    let deployment = Deployment::with([NotDone(Step::Reset)]).listing([Step::status(403), Step::status(403)]);
    let error = deployment.ensure().await.unwrap_err();
    assert_eq!(deployment.log(), "add look");
    assert_eq!(error.outcome(), Outcome::MayHaveHappened);
    assert_eq!(error.attempts().len(), 1);
    assert_eq!(error.operation(), Some("add_organization"));
    assert_eq!(
        error.to_string(),
        "add_organization: the connection ended before the response was complete; \
         looking for the organization in the pipeline failed"
    );
    let source = std::error::Error::source(&error).unwrap();
    assert!(source.downcast_ref::<Error>().unwrap().is_denied());
}

#[tokio::test(start_paused = true)]
async fn error_lists_all_attempts_of_the_policy() {
    let deployment = Deployment::with(vec![NotDone(Step::status(503)); 9]);
    let error = deployment.ensure().await.unwrap_err();
    assert_eq!(
        deployment.log(),
        "add look add look add look add look",
        "four attempts are the default"
    );
    assert_eq!(error.status(), Some(StatusCode::SERVICE_UNAVAILABLE));
    assert_eq!(error.outcome(), Outcome::MayHaveHappened);
    let delays: Vec<_> = error.attempts().iter().map(|one| one.delay()).collect();
    assert_eq!(delays.len(), 4);
    assert!(delays[0].is_zero() && delays[1..].iter().all(|delay| !delay.is_zero()));
    let shown = error.to_string();
    assert!(
        shown.ends_with("; the organization was not found in the pipeline afterwards (attempt 4)"),
        "{shown}"
    );
}

#[tokio::test(start_paused = true)]
async fn attempts_after_a_loss_count_with_those_before() {
    let turned_away = NotDone(Step::status(429));
    let deployment = Deployment::with([vec![NotDone(Step::Reset)], vec![turned_away; 9]].concat());
    let error = deployment.ensure().await.unwrap_err();
    assert_eq!(deployment.log(), "add look add add add");
    assert!(error.is_rate_limited());
    assert_eq!(error.attempts().len(), 4);
    assert_eq!(error.outcome(), Outcome::MayHaveHappened);
}

#[tokio::test(start_paused = true)]
async fn policy_of_one_attempt_adds_once_and_still_searches() {
    for (add, is_found) in [(Done(Step::Reset), true), (NotDone(Step::Reset), false)] {
        let deployment = Deployment::with([add]);
        let client = deployment.client().with_retry_policy(RetryPolicy::never());
        assert_eq!(ensure(&client).await.is_ok(), is_found);
        assert_eq!(deployment.log(), "add look");
    }
}

#[tokio::test(start_paused = true)]
async fn exhausted_budget_allows_no_second_attempt_to_add() {
    let deployment = Deployment::with([NotDone(Step::Reset)]);
    let client = deployment
        .builder()
        .retry_budget(Arc::new(RetryBudget::new(4)))
        .build()
        .unwrap();
    let error = ensure(&client).await.unwrap_err();
    assert_eq!(deployment.log(), "add look");
    assert_eq!(error.outcome(), Outcome::MayHaveHappened);
}

#[tokio::test(start_paused = true)]
async fn deadline_spans_adding_and_checking() {
    let seconds = Duration::from_secs;
    let deployment = Deployment::with(vec![NotDone(Step::Stall); 9]);
    let client = deployment.client();
    let started = Instant::now();
    let error = ensure(&client.with_deadline(seconds(20))).await.unwrap_err();
    assert!(started.elapsed() <= seconds(21), "{:?}", started.elapsed());
    assert!(error.is_timeout());
    assert_eq!(error.outcome(), Outcome::MayHaveHappened);
    assert_eq!(deployment.log(), "add look add");

    let deployment = Deployment::with([Done(Step::Stall)]).listing(vec![Step::Stall; 9]);
    let started = Instant::now();
    let client = deployment.client().with_deadline(seconds(20));
    let error = ensure(&client).await.unwrap_err();
    assert!(started.elapsed() <= seconds(21), "{:?}", started.elapsed());
    assert_eq!(error.outcome(), Outcome::MayHaveHappened);
    assert_eq!(error.attempts().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn total_timeout_holds_for_all_requests_together() {
    let deployment = Deployment::with(vec![NotDone(Step::Stall); 9]);
    let client = deployment
        .builder()
        .total_timeout(Duration::from_secs(20))
        .build()
        .unwrap();
    let started = Instant::now();
    let error = ensure(&client).await.unwrap_err();
    assert!(started.elapsed() <= Duration::from_secs(21));
    assert_eq!(error.outcome(), Outcome::MayHaveHappened);
}

#[tokio::test(start_paused = true)]
async fn existing_organization_is_found() {
    let deployment = Deployment::careful([]).filled();
    let ensured = deployment.ensure().await.unwrap();
    assert_eq!(ensured.presence, Presence::AlreadyThere);
    assert_eq!(deployment.log(), "add look");
}

#[tokio::test]
async fn deciding_request_is_named() {
    let answered = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&answered);
    let note = axum::middleware::map_response(move |response: Response<Body>| {
        let id = response.headers().get("x-request-id").cloned();
        seen.lock().unwrap().push((response.status(), id));
        std::future::ready(response)
    });
    let router = Server::built_in().router().layer(note);
    let client = Client::builder().service(router).api_key("dev-full-access");
    let client = client.build().unwrap();
    for (presence, status) in [
        (Presence::Created, StatusCode::CREATED),
        (Presence::AlreadyThere, StatusCode::CONFLICT),
    ] {
        let ensured = ensure(&client).await.unwrap();
        assert_eq!(ensured.presence, presence);
        let answered = answered.lock().unwrap();
        let settled = answered.iter().find(|(seen, _)| *seen == status);
        let id = settled.and_then(|(_, id)| id.as_ref()?.to_str().ok());
        assert!(id.is_some());
        assert_eq!(ensured.request_id.as_deref(), id);
    }
}

#[tokio::test(start_paused = true)]
async fn stale_list_is_read_again() {
    let deployment = Deployment::careful([])
        .filled()
        .listing([page(0, Vec::new()), page(0, Vec::new())]);
    let started = Instant::now();
    let ensured = deployment.ensure().await.unwrap();
    assert_eq!(ensured.presence, Presence::AlreadyThere);
    assert_eq!(deployment.log(), "add look look look");
    assert!(!started.elapsed().is_zero());
}

#[tokio::test(start_paused = true)]
async fn item_reported_but_not_found_is_an_error() {
    let empty = page(0, Vec::new());
    let deployment = Deployment::careful([]).filled().listing(vec![empty; 9]);
    let error = deployment.ensure().await.unwrap_err();
    assert_eq!(deployment.log(), "add look look look look");
    assert!(error.is_already_in_pipeline());
    assert_eq!(error.outcome(), Outcome::Rejected);
    assert_eq!(
        error.to_string(),
        "add_organization: 409 organization_already_in_pipeline; \
         the organization is not among the items of the pipeline"
    );
}

#[tokio::test(start_paused = true)]
async fn other_rejections_are_returned_unchanged() {
    for status in [400, 401, 403, 404, 413, 415, 422] {
        let deployment = Deployment::with([NotDone(Step::status(status))]);
        let error = deployment.ensure().await.unwrap_err();
        assert_eq!(error.status().unwrap(), status);
        assert_eq!(error.outcome(), Outcome::Rejected);
        assert_eq!(deployment.log(), "add");
    }
}

#[tokio::test(start_paused = true)]
async fn rejection_after_a_lost_answer_is_not_certain() {
    let deployment = Deployment::with([NotDone(Step::Reset), NotDone(Step::status(403))]);
    let error = deployment.ensure().await.unwrap_err();
    assert!(error.is_denied());
    assert_eq!(error.attempts().len(), 2);
    assert_eq!(error.outcome(), Outcome::MayHaveHappened);
}

fn reference_server() -> Client {
    let server = Server::built_in();
    let client = Client::builder().service(server.router());
    client.api_key("dev-full-access").build().unwrap()
}

#[tokio::test]
async fn concurrent_calls_make_one_item() {
    let client = reference_server();
    let tasks = (0..50).map(|_| {
        let client = client.clone();
        tokio::spawn(async move { ensure(&client).await.unwrap() })
    });
    let ensured = join_all(tasks).await;
    let ensured: Vec<Ensured> = ensured.into_iter().map(Result::unwrap).collect();
    let created = |one: &&Ensured| one.presence == Presence::Created;
    assert_eq!(ensured.iter().filter(created).count(), 1);
    let id = ensured[0].item.pipeline_item_id;
    assert!(ensured.iter().all(|one| one.item.pipeline_item_id == id));
    let page = client.list_items().pipeline_id(6).send().await.unwrap();
    let ours = page
        .items
        .iter()
        .filter(|item| item.organization_id == Some(1001.into()));
    assert_eq!(ours.count(), 1);
}

#[tokio::test]
async fn oldest_item_of_many_pages_is_found() {
    let client = reference_server();
    let page = client.list_items().pipeline_id(1).limit(1).send().await.unwrap();
    assert!(page.total_count > 1000);
    let oldest = &page.items[0];
    let ensured = client
        .ensure_organization()
        .pipeline_id(1)
        .organization_id(oldest.organization_id.unwrap())
        .send()
        .await
        .unwrap();
    assert_eq!(ensured.presence, Presence::AlreadyThere);
    assert_eq!(ensured.item.pipeline_item_id, oldest.pipeline_item_id);
}
