//! When a call is retried, how long it waits, and what its final error reports.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use platform_sdk::{Client, Error, Outcome, RetryBudget, RetryPolicy};
use tokio::time::Instant;

use crate::script::{Script, Step, added, ready};

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

async fn status(client: &Client) -> Result<(), Error> {
    let request = client.get_item_status();
    let request = request.pipeline_id(2).pipeline_item_id(200_001);
    request.send().await.map(drop)
}

async fn add(client: &Client) -> Result<(), Error> {
    let request = client.add_organization();
    let request = request.pipeline_id(6).organization_id(1001);
    request.send().await.map(drop)
}

/// Calls an operation and discards its response.
fn call(client: &Client, operation: &str) -> BoxFuture<'static, Result<(), Error>> {
    macro_rules! calls {
        ($($operation:ident($($parameter:ident = $value:expr),+),)+) => {
            match operation {
                $(stringify!($operation) => {
                    let request = client.$operation()$(.$parameter($value))+;
                    Box::pin(async { request.send().await.map(drop) })
                })+
                other => panic!("{other} has no call here"),
            }
        };
    }
    calls! {
        search_organizations_by_organization(organization_id = 1001),
        search_organizations_by_description(description = "cold fish"),
        search_organizations_by_customer(organization_customer = "fishmongers"),
        search_products_by_product(product_id = 5001),
        search_products_by_description(description = "cold fish"),
        search_products_by_customer(product_customer = "fishmongers"),
        list_items(pipeline_id = 2),
        get_item_values(pipeline_id = 2, pipeline_item_id = 200_001),
        get_item_status(pipeline_id = 2, pipeline_item_id = 200_001),
        add_organization(pipeline_id = 6, organization_id = 1001),
    }
}

#[tokio::test(start_paused = true)]
async fn retried_statuses_are_those_of_the_contract() {
    let contract = crate::contract();
    let paths = contract["paths"].as_object().unwrap();
    let mut operations = 0;
    for operation in paths.values().flat_map(|path| path.as_object().unwrap().values()) {
        operations += 1;
        let id = operation["operationId"].as_str().unwrap();
        let retryable = operation["x-retryable-statuses"].as_array().unwrap();
        for status in (300..=599).filter(|status| *status != 304) {
            let script = Script::new([Step::status(status)]);
            let error = call(&script.client(), id).await.unwrap_err();
            let attempts = if retryable.contains(&status.into()) { 4 } else { 1 };
            assert_eq!(script.count(), attempts, "{id} after {status}");
            assert_eq!(error.attempts().len(), attempts);
            assert_eq!(error.status().map(|status| status.as_u16()), Some(status));
        }
    }
    assert_eq!(operations, 10);
}

#[tokio::test(start_paused = true)]
async fn read_is_retried_after_a_network_error() {
    for trouble in [Step::Reset, Step::BreakOff, Step::Stall] {
        let script = Script::new([trouble.clone(), trouble, ready()]);
        status(&script.client()).await.unwrap();
        assert_eq!(script.count(), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn read_is_retried_after_truncated_json() {
    let half = Step::Answer(200, Vec::new(), r#"{"pipeline_id": 2, "#.to_owned());
    let script = Script::new([half, ready()]);
    status(&script.client()).await.unwrap();
    assert_eq!(script.count(), 2);
}

#[tokio::test(start_paused = true)]
async fn lasting_failure_is_not_retried() {
    for body in ["", "<html>", "{}", r#"{"pipeline_id": "two"}"#] {
        let script = Script::new([Step::Answer(200, Vec::new(), body.to_owned())]);
        assert!(status(&script.client()).await.unwrap_err().is_undecodable());
        assert_eq!(script.count(), 1, "{body}");
    }
}

#[tokio::test(start_paused = true)]
async fn write_is_not_retried_once_it_may_have_happened() {
    let half = Step::Answer(201, Vec::new(), r#"{"pipeline_id": 6, "#.to_owned());
    let statuses = [408, 500, 502, 503, 504, 599].map(Step::status);
    let troubles = [Step::Reset, Step::BreakOff, Step::Stall, half];
    for trouble in statuses.into_iter().chain(troubles) {
        let script = Script::new([trouble, added()]);
        let error = add(&script.client()).await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::MayHaveHappened, "{error}");
        assert_eq!(script.count(), 1, "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn rate_limited_write_is_retried() {
    let script = Script::new([Step::status(429), Step::status(429), added()]);
    add(&script.client()).await.unwrap();
    assert_eq!(script.count(), 3);
}

#[tokio::test(start_paused = true)]
async fn unsent_write_is_retried() {
    let client = Client::builder().base_url("http://127.0.0.1:1");
    let client = client.api_key(crate::canned::KEY).build().unwrap();
    let error = add(&client).await.unwrap_err();
    assert_eq!(error.attempts().len(), 4);
    assert_eq!(error.outcome(), Outcome::NotSent);
    assert_eq!(
        error.to_string(),
        "add_organization: no connection to 127.0.0.1:1 (attempt 4)"
    );
}

#[tokio::test(start_paused = true)]
async fn rejection_is_certain_unless_an_earlier_attempt_is_not() {
    for status_code in [301, 400, 401, 403, 404, 409, 415, 422, 429] {
        let script = Script::new([Step::status(status_code)]);
        let error = add(&script.client()).await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::Rejected, "{status_code}");
    }
    let script = Script::new([Step::status(503), Step::status(404)]);
    let error = status(&script.client()).await.unwrap_err();
    assert!(error.is_not_found());
    assert_eq!(error.outcome(), Outcome::MayHaveHappened);
}

#[tokio::test(start_paused = true)]
async fn waits_grow_and_stay_below_their_limits() {
    let policy = RetryPolicy::default()
        .max_attempts(7)
        .initial_backoff(seconds(1))
        .max_backoff(seconds(5));
    let limits = [1, 2, 4, 5, 5, 5].map(seconds);
    let mut sums = [Duration::ZERO; 6];
    for _ in 0..50 {
        let script = Script::new([Step::status(503)]);
        let client = script.client().with_retry_policy(policy.clone());
        let error = status(&client).await.unwrap_err();
        let delays = error.attempts().iter().map(platform_sdk::Attempt::delay);
        let seen = script.seen();
        let gaps = seen.windows(2).map(|pair| pair[1].at - pair[0].at);
        for (number, (delay, gap)) in delays.skip(1).zip(gaps).enumerate() {
            assert!(delay <= limits[number], "{delay:?} before attempt {}", number + 2);
            // Tokio timers have millisecond resolution.
            assert!(gap >= delay && gap <= delay + Duration::from_millis(2));
            sums[number] += delay;
        }
        assert!(error.attempts()[0].delay().is_zero());
    }
    for (sum, limit) in sums.iter().zip(limits) {
        let mean = *sum / 50;
        assert!(mean > limit / 4 && mean < limit * 3 / 4, "{mean:?} of {limit:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn calls_wait_as_long_as_the_server_asks() {
    for asked in ["7", "Mon, 02 Mar 2026 12:00:07 GMT"] {
        let busy = Step::status(429)
            .with("Retry-After", asked)
            .with("Date", "Mon, 02 Mar 2026 12:00:00 GMT");
        let script = Script::new([busy, ready()]);
        let began = Instant::now();
        status(&script.client()).await.unwrap();
        // Up to 20% of jitter keeps clients from returning at the same time.
        let waited = began.elapsed();
        assert!(waited >= seconds(7) && waited < seconds(9), "{asked}: {waited:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn too_long_a_retry_after_is_not_waited_for() {
    let script = Script::new([Step::status(503).with("Retry-After", "61"), ready()]);
    let began = Instant::now();
    let error = status(&script.client()).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(seconds(61)));
    assert_eq!((script.count(), began.elapsed()), (1, Duration::ZERO));

    let patient = RetryPolicy::default().max_retry_after(seconds(120));
    let script = Script::new([Step::status(503).with("Retry-After", "61"), ready()]);
    status(&script.client().with_retry_policy(patient)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn error_lists_every_attempt() {
    let script = Script::new([
        Step::status(503).with("X-Request-Id", "r-1"),
        Step::Reset,
        Step::status(429).with("X-Request-Id", "r-3"),
        Step::status(500).with("X-Request-Id", "r-4"),
    ]);
    let error = status(&script.client()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "get_item_status: 500 Internal Server Error (request r-4, attempt 4)"
    );
    let failures: Vec<_> = error
        .attempts()
        .iter()
        .map(|attempt| (attempt.status().map(|s| s.as_u16()), attempt.request_id()))
        .collect();
    assert_eq!(
        failures,
        [
            (Some(503), Some("r-1")),
            (None, None),
            (Some(429), Some("r-3")),
            (Some(500), Some("r-4"))
        ]
    );
    let [first, second, third, _] = error.attempts() else {
        panic!("{error:?}")
    };
    assert_eq!(first.to_string(), "503 Service Unavailable (request r-1)");
    assert_eq!(first.outcome(), Outcome::MayHaveHappened);
    assert!(
        second
            .to_string()
            .starts_with("the connection ended before the response was complete, after waiting ")
    );
    assert_eq!(third.outcome(), Outcome::Rejected);
}

#[tokio::test(start_paused = true)]
async fn call_ends_within_its_total_timeout() {
    for steps in [
        vec![Step::Stall],
        vec![Step::status(503)],
        vec![Step::Reset, Step::Stall],
    ] {
        let script = Script::new(steps);
        let many = RetryPolicy::default().max_attempts(1000);
        let client = script
            .builder()
            .total_timeout(seconds(25))
            .retry_policy(many)
            .build()
            .unwrap();
        let began = Instant::now();
        let error = status(&client).await.unwrap_err();
        assert!(began.elapsed() <= seconds(25) + Duration::from_millis(2), "{error}");
        assert!(error.attempts().len() > 1);
        // The limit applies to each call, not to the client.
        assert!(status(&client).await.unwrap_err().attempts().len() > 1);
    }
}

#[tokio::test(start_paused = true)]
async fn deadline_is_one_over_all_calls_of_a_clone() {
    let script = Script::new([Step::Stall]);
    let client = script.client();
    let hurried = client.with_deadline(seconds(12));
    let began = Instant::now();
    let error = status(&hurried).await.unwrap_err();
    assert!(error.is_timeout());
    assert_eq!(began.elapsed().as_secs(), 12);

    let sent = script.count();
    let error = status(&hurried.with_deadline(seconds(60))).await.unwrap_err();
    assert_eq!(script.count(), sent);
    assert!(error.is_timeout() && error.attempts().is_empty());
    assert_eq!(error.outcome(), Outcome::NotSent);
    assert_eq!(
        error.to_string(),
        "get_item_status: the deadline has passed; nothing was sent"
    );

    assert!(status(&client).await.unwrap_err().attempts().len() == 4);
}

#[tokio::test(start_paused = true)]
async fn wait_beyond_the_deadline_is_not_started() {
    let script = Script::new([Step::status(429).with("Retry-After", "30")]);
    let began = Instant::now();
    let error = status(&script.client().with_deadline(seconds(20))).await.unwrap_err();
    assert!(error.is_rate_limited());
    assert_eq!(began.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn attempt_has_the_timeout_of_the_contract() {
    let script = Script::new([Step::Stall]);
    let client = script.client().with_retry_policy(RetryPolicy::never());
    let contract = crate::contract();
    let paths = contract["paths"].as_object().unwrap();
    for operation in paths.values().flat_map(|path| path.as_object().unwrap().values()) {
        let id = operation["operationId"].as_str().unwrap();
        let began = Instant::now();
        assert!(call(&client, id).await.unwrap_err().is_timeout());
        assert_eq!(
            Some(began.elapsed().as_secs()),
            operation["x-timeout-seconds"].as_u64(),
            "{id}"
        );
    }
    let began = Instant::now();
    let hurried = client.with_attempt_timeout(seconds(2));
    assert!(status(&hurried).await.unwrap_err().is_timeout());
    assert_eq!(began.elapsed().as_secs(), 2);
}

#[tokio::test(start_paused = true)]
async fn clones_spend_one_budget() {
    let script = Script::new([Step::status(503)]);
    let budget = Arc::new(RetryBudget::new(22));
    let client = script.builder().retry_budget(Arc::clone(&budget)).build().unwrap();
    assert_eq!(status(&client).await.unwrap_err().attempts().len(), 4);
    let clone = client.with_deadline(seconds(600));
    assert_eq!(status(&clone).await.unwrap_err().attempts().len(), 2);
    assert_eq!(status(&client).await.unwrap_err().attempts().len(), 1);
    assert_eq!(budget.tokens(), 2);

    let well = Script::new([ready()]);
    let client = well.builder().retry_budget(Arc::clone(&budget)).build().unwrap();
    status(&client).await.unwrap();
    assert_eq!(budget.tokens(), 3);
}
