//! Many calls against a quota: every call succeeds, none is sent too early, and the retry budget stays full.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Response};
use futures::future::join_all;
use platform_sdk::{Client, Error, Outcome, RetryBudget, RetryPolicy, reqwest};
use platform_server_stub::Server;
use platform_server_stub::data::{Data, Dataset};
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::SystemClock;
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};

use crate::canned::KEY;
use crate::paging_under_load::page_of;
use crate::reference_server::Reference;
use crate::script::{Script, Step, added, ready};

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

async fn status(client: &Client) -> Result<(), Error> {
    let request = client.get_item_status();
    let request = request.pipeline_id(2).pipeline_item_id(200_001);
    request.send().await.map(drop)
}

/// How a service reports its quota.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Says {
    /// `Retry-After` in whole seconds, rounded up.
    RetryAfter,
    /// `Retry-After`, `RateLimit` and `RateLimit-Policy`.
    Policy,
    /// `RateLimit` without `Retry-After`.
    Rest,
    /// Only the status 429.
    Nothing,
}

/// A service with a quota in fixed windows. A window starts with its first request.
#[derive(Clone)]
struct Limited {
    requests: u32,
    window: Duration,
    says: Says,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    ends: Option<Instant>,
    used: u32,
    /// When clients learn that they must wait, and when the wait ends.
    closed: Option<(Instant, Instant)>,
    served: u32,
    rejected: u32,
    early: u32,
}

const LATENCY: Duration = Duration::from_millis(5);

impl Limited {
    fn new(requests: u32, window: Duration, says: Says) -> Self {
        Self {
            requests,
            window,
            says,
            state: Arc::default(),
        }
    }

    fn client(&self, budget: &Arc<RetryBudget>) -> Client {
        let service = self.clone();
        let service = tower::service_fn(move |request: Request<reqwest::Body>| {
            let service = service.clone();
            async move {
                sleep(LATENCY).await;
                let answer = service.answer(&request);
                sleep(LATENCY).await;
                Ok::<_, Infallible>(answer)
            }
        });
        let client = Client::builder().api_key(KEY).service(service);
        client.retry_budget(Arc::clone(budget)).build().unwrap()
    }

    fn answer(&self, request: &Request<reqwest::Body>) -> Response<Body> {
        let now = Instant::now();
        let mut state = self.state.lock().unwrap();
        if state.ends.is_none_or(|ends| ends <= now) {
            state.ends = Some(now + self.window);
            state.used = 0;
        }
        if let Some((known, until)) = state.closed {
            state.early += u32::from((known..until).contains(&now));
        }
        let left = state.ends.unwrap() - now;
        let stated = seconds(left.as_millis().div_ceil(1000).max(1) as u64);
        let is_rejected = state.used >= self.requests;
        if is_rejected {
            state.rejected += 1;
            if self.says != Says::Nothing && state.closed.is_none_or(|(_, until)| until <= now) {
                // Allows for the latency in both directions.
                state.closed = Some((now + 2 * LATENCY, now + stated));
            }
        } else {
            state.used += 1;
            state.served += 1;
        }
        let rest = self.requests - state.used;
        let mut answer = Response::builder().status(if is_rejected { 429 } else { 200 });
        if is_rejected && matches!(self.says, Says::RetryAfter | Says::Policy) {
            answer = answer.header("Retry-After", stated.as_secs());
        }
        if matches!(self.says, Says::Rest | Says::Policy) {
            let rest = format!(r#""default";r={rest};t={}"#, stated.as_secs());
            answer = answer.header("RateLimit", rest);
        }
        if self.says == Says::Policy {
            let policy = format!(r#""default";q={};w={}"#, self.requests, self.window.as_secs());
            answer = answer.header("RateLimit-Policy", policy);
        }
        let body = match is_rejected {
            true => String::new(),
            false if request.uri().path().ends_with("/items") => page_of(request, 2000),
            false => body_of(ready()),
        };
        answer.body(Body::from(body)).unwrap()
    }
}

fn body_of(step: Step) -> String {
    match step {
        Step::Answer(_, _, body) => body,
        _ => unreachable!("not an answer"),
    }
}

#[tokio::test(start_paused = true)]
async fn quota_serves_a_hundred_calls_at_once_and_all_succeed() {
    for says in [Says::RetryAfter, Says::Policy, Says::Rest] {
        let service = Limited::new(5, seconds(2), says);
        let budget = Arc::new(RetryBudget::default());
        // Each call is rejected once in the first window. Later rejections must not use up attempts.
        let client = service.client(&budget);
        let client = client.with_retry_policy(RetryPolicy::default().max_attempts(2));
        let began = Instant::now();
        let calls = join_all((0..100).map(|_| status(&client))).await;
        let failed: Vec<String> = calls
            .iter()
            .filter_map(|call| call.as_ref().err().map(ToString::to_string))
            .collect();
        assert_eq!(failed, [""; 0], "{says:?}");

        let state = service.state.lock().unwrap();
        assert_eq!(state.served, 100);
        assert_eq!(state.early, 0, "{says:?}");
        // The gate is open for the first burst. 100 calls need at least 20 windows of 2 seconds.
        assert!(state.rejected <= 95 + 40, "{says:?}: {}", state.rejected);
        assert!(began.elapsed() < seconds(80), "{says:?}: {:?}", began.elapsed());
        assert_eq!(budget.tokens(), 500, "{says:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn rate_limit_without_a_time_counts_unless_others_are_served() {
    let service = Limited::new(5, Duration::from_millis(100), Says::Nothing);
    let budget = Arc::new(RetryBudget::unlimited());
    let client = service.client(&budget);
    let calls = join_all((0..30).map(|_| status(&client))).await;
    assert!(calls.iter().all(Result::is_ok));

    let script = Script::new([Step::status(429)]);
    let budget = Arc::new(RetryBudget::default());
    let client = script.builder().retry_budget(Arc::clone(&budget));
    let error = status(&client.build().unwrap()).await.unwrap_err();
    assert_eq!(error.attempts().len(), 4);
    assert_eq!(budget.tokens(), 500 - 3 * 5);
}

#[tokio::test(start_paused = true)]
async fn calls_end_after_their_attempts_if_none_is_served() {
    let script = Script::new([Step::status(429).with("Retry-After", "1")]);
    let budget = Arc::new(RetryBudget::default());
    let client = script.builder().retry_budget(Arc::clone(&budget));
    let client = client.build().unwrap();
    for call in join_all((0..20).map(|_| status(&client))).await {
        let error = call.unwrap_err();
        assert!(error.is_rate_limited());
        assert_eq!(error.attempts().len(), 4);
    }
    assert_eq!(budget.tokens(), 500);
}

#[tokio::test(start_paused = true)]
async fn outrun_call_keeps_waiting() {
    // Alternates success and rejection, so that a rejected call sees other calls succeed.
    let rejected = || Step::status(429).with("Retry-After", "1");
    let mut steps = vec![rejected()];
    for _ in 0..20 {
        steps.extend([rejected(), ready()]);
    }
    let script = Script::new(steps);
    let client = script.client();
    let calls = join_all((0..20).map(|_| status(&client))).await;
    assert!(calls.iter().all(Result::is_ok));
}

#[tokio::test(start_paused = true)]
async fn starved_call_ends_while_others_are_served() {
    let service = tower::service_fn(|request: Request<reqwest::Body>| async move {
        let answer = Response::builder();
        let answer = match request.uri().path().ends_with("/status") {
            true => answer.body(Body::from(body_of(ready()))),
            false => answer.status(429).header("Retry-After", "1").body(Body::empty()),
        };
        Ok::<_, Infallible>(answer.unwrap())
    });
    let client = Client::builder().api_key(KEY).service(service);
    let client = client.build().unwrap();
    let others = async {
        loop {
            status(&client).await.unwrap();
            sleep(Duration::from_millis(300)).await;
        }
    };
    let add = client.add_organization().pipeline_id(6).organization_id(1001);
    let error = tokio::select! {
        never = others => never,
        added = add.send() => added.unwrap_err(),
    };
    assert!(error.is_rate_limited());
    assert_eq!(error.outcome(), Outcome::Rejected);
    assert!((4..40).contains(&error.attempts().len()), "{error}");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_before_the_server_accepts_requests_again() {
    for waits in ["7", "Mon, 02 Mar 2026 12:00:07 GMT", "6.9, 7"] {
        let rejection = Step::status(429)
            .with("Retry-After", waits)
            .with("Date", "Mon, 02 Mar 2026 12:00:00 GMT");
        let script = Script::new([rejection, ready(), added(), ready()]);
        let client = script.client();
        let began = Instant::now();
        let error = status(&client.with_retry_policy(RetryPolicy::never())).await;
        assert!(error.unwrap_err().is_rate_limited());
        // Clones share the gate, even if they override other options.
        let clone = client.with_attempt_timeout(seconds(1));
        status(&clone).await.unwrap();
        let first = began.elapsed();
        assert!(first >= seconds(7) && first < seconds(9), "{first:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn clients_limited_together_return_at_different_times() {
    let mut waits = Vec::new();
    for _ in 0..60 {
        let script = Script::new([Step::status(429).with("Retry-After", "10"), ready()]);
        let began = Instant::now();
        status(&script.client()).await.unwrap();
        waits.push(began.elapsed());
    }
    waits.sort_unstable();
    assert!(waits[0] >= seconds(10) && waits[59] <= Duration::from_millis(12_010));
    assert!(waits[50] - waits[9] > Duration::from_millis(600), "{waits:?}");
}

#[tokio::test(start_paused = true)]
async fn call_held_back_beyond_its_deadline_is_not_sent() {
    let script = Script::new([Step::status(429).with("Retry-After", "30"), ready()]);
    let client = script.client();
    let rejected = status(&client.with_deadline(seconds(5))).await;
    assert_eq!(rejected.unwrap_err().attempts().len(), 1);

    let began = Instant::now();
    let hurried = client.with_deadline(seconds(20));
    let error = status(&hurried).await.unwrap_err();
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert!(error.is_rate_limited() && error.is_timeout());
    assert_eq!(error.outcome(), Outcome::NotSent);
    assert!(error.retry_after().is_some_and(|wait| wait >= seconds(30)));
    assert!(error.attempts().is_empty() && error.status().is_none());
    let shown = error.to_string();
    assert!(
        shown.starts_with("get_item_status: the rate limit allows no request for another 3"),
        "{shown}"
    );
    assert_eq!(script.count(), 1);

    let wait = client.wait_until_ready().pipeline_id(2).pipeline_item_id(200_001);
    let error = wait.timeout(seconds(10)).send().await.unwrap_err();
    assert!(error.not_ready().is_some());

    // A call with enough time waits.
    status(&client).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn wait_too_long_for_one_call_does_not_delay_others() {
    let script = Script::new([Step::status(429).with("Retry-After", "3600"), ready()]);
    let client = script.client();
    let began = Instant::now();
    assert!(status(&client).await.unwrap_err().is_rate_limited());
    status(&client).await.unwrap();
    assert_eq!(began.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn calls_are_unpaced_after_the_quota_recovered() {
    let script = Script::new([Step::status(429).with("Retry-After", "2"), ready()]);
    let client = script.client();
    status(&client).await.unwrap();
    sleep(seconds(10)).await;
    let began = Instant::now();
    join_all((0..100).map(|_| status(&client))).await;
    assert_eq!(began.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn walks_and_calls_share_the_quota() {
    let service = Limited::new(5, seconds(2), Says::RetryAfter);
    let client = service.client(&Arc::default());
    let walk = || {
        let items = client.list_items().pipeline_id(1);
        items.walk().page_size(101).prefetch(8).collect()
    };
    let calls = join_all((0..20).map(|_| status(&client)));
    let (one, other, calls) = tokio::join!(walk(), walk(), calls);
    assert_eq!((one.unwrap().len(), other.unwrap().len()), (2000, 2000));
    for call in calls {
        call.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn calls_dropped_before_their_retry_return_their_tokens() {
    let script = Script::new([Step::status(503).with("Retry-After", "20")]);
    let budget = Arc::new(RetryBudget::default());
    let client = script.builder().retry_budget(Arc::clone(&budget));
    let client = client.build().unwrap();
    let dropped = (0..120).map(|_| timeout(seconds(1), status(&client)));
    let ended = join_all(dropped).await;
    // The budget ends the calls after the hundredth.
    let waiting = ended.iter().filter(|call| call.is_err()).count();
    assert_eq!((waiting, script.count()), (100, 120));
    assert_eq!(budget.tokens(), 500);

    let error = timeout(seconds(30), status(&client)).await;
    assert!(error.is_err());
    // One more attempt is sent; the next is not.
    assert_eq!((script.count(), budget.tokens()), (122, 495));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn quota_of_the_reference_server_serves_a_hundred_tasks() {
    let key = json!({
        "key": KEY, "name": "limited", "policies": [{"effect": "allow", "actions": ["READ"]}],
        "rate_limit": {"requests": 25, "window_seconds": 1},
    });
    let mut data = Data::built_in();
    data.api_keys = Some(vec![serde_json::from_value(key).unwrap()]);
    let data = Arc::new(Dataset::new(data).unwrap());
    let server = Reference::serve(Server::new(Platform::in_memory(data, Arc::new(SystemClock)))).await;
    let client = server.client(KEY);
    let tasks: Vec<_> = (0..100)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { status(&client).await })
        })
        .collect();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
}
