//! Walks against a slow or busy in-process service, on a clock that skips waits.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Response};
use platform_sdk::paging::Walk;
use platform_sdk::types::PipelineItem;
use platform_sdk::{Client, RetryBudget, RetryPolicy, reqwest};
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::canned::KEY;

/// A service whose pipelines all have the items 1 to `items`.
#[derive(Clone)]
struct Busy {
    items: u64,
    latency: Duration,
    /// Maximum number of concurrent requests; others get a 429 response.
    at_once: usize,
    /// `Retry-After` of the 429 responses, in seconds.
    retry_after: u32,
    now: Arc<AtomicUsize>,
    rejected: Arc<AtomicUsize>,
}

impl Busy {
    fn new(items: u64, latency: Duration) -> Self {
        Self {
            items,
            latency,
            at_once: usize::MAX,
            retry_after: 1,
            now: Arc::default(),
            rejected: Arc::default(),
        }
    }

    fn client(&self) -> Client {
        let busy = self.clone();
        let service = tower::service_fn(move |request: Request<reqwest::Body>| {
            let busy = busy.clone();
            async move { Ok::<_, Infallible>(busy.answer(request).await) }
        });
        Client::builder()
            .api_key(KEY)
            .retry_policy(RetryPolicy::default())
            .retry_budget(Arc::new(RetryBudget::unlimited()))
            .service(service)
            .build()
            .unwrap()
    }

    async fn answer(&self, request: Request<reqwest::Body>) -> Response<Body> {
        if self.now.fetch_add(1, Ordering::SeqCst) >= self.at_once {
            self.now.fetch_sub(1, Ordering::SeqCst);
            self.rejected.fetch_add(1, Ordering::SeqCst);
            let rejection = Response::builder().status(429);
            let rejection = rejection.header("Retry-After", self.retry_after);
            return rejection.body(Body::empty()).unwrap();
        }
        // Two sleeps, because a response from a network also takes more than one poll.
        sleep(self.latency / 2).await;
        sleep(self.latency / 2).await;
        self.now.fetch_sub(1, Ordering::SeqCst);
        Response::new(page_of(&request, self.items).into())
    }
}

/// Returns the requested page of a pipeline with the items 1 to `count`.
pub(crate) fn page_of(request: &Request<reqwest::Body>, count: u64) -> String {
    let query = request.uri().query().unwrap_or_default();
    let number = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let (_, value) = pairs.find(|(key, _)| *key == name).unwrap();
        value.parse::<u64>().unwrap()
    };
    let (skip, limit) = (number("skip"), number("limit"));
    let items: Vec<_> = (skip + 1..=count.min(skip + limit)).map(item).collect();
    json!({"pipeline_id": 1, "total_count": count, "items": items}).to_string()
}

fn item(id: u64) -> serde_json::Value {
    json!({
        "pipeline_id": 1, "pipeline_item_id": id, "entity_type": "document", "organization_id": null,
        "person_id": null, "document_id": id, "values": {},
    })
}

fn walk(client: &Client) -> Walk<PipelineItem> {
    client.list_items().pipeline_id(1).walk()
}

fn are_whole(items: &[PipelineItem], count: i64) -> bool {
    let ids = items.iter().map(|item| item.pipeline_item_id.get());
    ids.eq(1..=count)
}

#[tokio::test(start_paused = true)]
async fn eight_pages_at_once_take_an_eighth_of_the_time() {
    let client = Busy::new(10_000, Duration::from_millis(5)).client();
    let mut times = Vec::new();
    for prefetch in [1, 8] {
        let begun = Instant::now();
        let items = walk(&client).page_size(101).prefetch(prefetch).collect().await.unwrap();
        assert!(are_whole(&items, 10_000));
        times.push(begun.elapsed());
    }
    assert!(times[0] >= 7 * times[1], "{times:?}");
}

#[tokio::test(start_paused = true)]
async fn walk_narrows_after_429_and_stays_complete() {
    let mut busy = Busy::new(10_000, Duration::from_millis(5));
    busy.at_once = 2;
    let items = walk(&busy.client()).page_size(101).prefetch(8).collect().await.unwrap();
    assert!(are_whole(&items, 10_000));
    let rejected = busy.rejected.load(Ordering::SeqCst);
    // Without narrowing, six of every eight requests would be rejected: 75 for the hundred pages.
    assert!((1..75).contains(&rejected), "{rejected}");
}

#[tokio::test(start_paused = true)]
async fn rate_limited_page_is_not_requested_early() {
    for (retry_after, is_whole) in [(59, true), (61, false)] {
        let mut busy = Busy::new(1000, Duration::from_millis(5));
        busy.at_once = 2;
        busy.retry_after = retry_after;
        // Few attempts per call, so that the walk itself retries.
        let client = busy.client();
        let client = client.with_retry_policy(RetryPolicy::default().max_attempts(2));
        let begun = Instant::now();
        let walked = walk(&client).page_size(101).prefetch(8).collect().await;
        match walked {
            Ok(items) => assert!(is_whole && are_whole(&items, 1000)),
            // If the server asks for a longer wait than the policy allows, the app decides.
            Err(error) => assert!(!is_whole && error.is_rate_limited(), "{error}"),
        }
        let is_patient = begun.elapsed() >= Duration::from_secs(u64::from(retry_after));
        assert_eq!(is_patient, is_whole, "{:?}", begun.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn consumer_slower_than_the_timeout_gets_all_items() {
    let busy = Busy::new(100, Duration::from_millis(5));
    let client = busy.client();
    for policy in [RetryPolicy::default(), RetryPolicy::never()] {
        let client = client.with_retry_policy(policy);
        let mut stream = walk(&client).page_size(11).items().unwrap();
        let mut items = Vec::new();
        while let Some(item) = stream.next().await {
            items.push(item.unwrap());
            if items.len() % 10 == 0 {
                sleep(Duration::from_secs(60)).await;
            }
        }
        assert!(are_whole(&items, 100));
    }
}

#[tokio::test(start_paused = true)]
async fn deadline_spans_the_walk_and_leaves_a_cursor() {
    let client = Busy::new(1000, Duration::from_millis(100)).client();
    let hurried = client.with_deadline(Duration::from_millis(450));
    let mut stream = walk(&hurried).page_size(101).prefetch(1).items().unwrap();
    let mut items = Vec::new();
    let error = loop {
        match stream.next().await.unwrap() {
            Ok(item) => items.push(item),
            Err(error) => break error,
        }
    };
    assert!(error.is_timeout(), "{error}");
    assert_eq!(items.len(), 401);
    let rest = walk(&client).resume(stream.cursor()).collect().await.unwrap();
    items.extend(rest);
    assert!(are_whole(&items, 1000));
}
