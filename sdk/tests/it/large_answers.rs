//! Responses that are too large: memory and time are bounded.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{Request, Response};
use futures::StreamExt;
use platform_sdk::{Client, ClientBuilder, Error, Outcome, RetryPolicy, reqwest};
use serde_json::json;
use tokio::time::Instant;

use crate::canned::{KEY, client_of_bytes};
use crate::script::{Script, Step};

async fn list(client: &Client) -> Result<i64, Error> {
    let page = client.list_items().pipeline_id(1).send().await?;
    Ok(page.total_count)
}

/// Returns a page, padded with spaces to `bytes` bytes.
fn page(bytes: usize) -> String {
    let page = json!({"pipeline_id": 1, "total_count": 7, "items": []}).to_string();
    format!("{page}{}", " ".repeat(bytes.saturating_sub(page.len())))
}

fn script(bytes: usize) -> Script {
    Script::new([Step::Answer(200, Vec::new(), page(bytes))])
}

/// Returns a client of a service whose responses never end.
fn endless(status: u16) -> ClientBuilder {
    let service = tower::service_fn(move |_: Request<reqwest::Body>| async move {
        let chunk = Bytes::from_static(&[b' '; 16 * 1024]);
        let chunks = futures::stream::repeat(Ok::<_, Infallible>(chunk));
        let body = Body::from_stream(chunks.fuse());
        Ok::<_, Infallible>(Response::builder().status(status).body(body).unwrap())
    });
    Client::builder().api_key(KEY).service(service)
}

#[tokio::test]
async fn body_of_exactly_the_limit_is_accepted() {
    for limit in [1000, 600_000] {
        let script = script(limit);
        let client = |limit| {
            let builder = script.builder().max_response_bytes(limit as u64);
            builder.build().unwrap()
        };
        assert_eq!(list(&client(limit)).await.unwrap(), 7);
        let error = list(&client(limit - 1)).await.unwrap_err();
        assert!(error.is_response_too_large() && !error.is_undecodable());
        assert_eq!(error.attempts().len(), 1);
        let least = limit - 1;
        assert_eq!(
            error.to_string(),
            format!(
                "list_items: 200 OK, but the body is larger than {least} bytes; request less at once, or \
                 raise `max_response_bytes`"
            )
        );
    }
}

#[tokio::test]
async fn endless_body_is_abandoned() {
    let client = endless(200).max_response_bytes(100_000).build().unwrap();
    let error = list(&client).await.unwrap_err();
    assert!(error.is_response_too_large());
    let add = client.add_organization().pipeline_id(6).organization_id(1001);
    let error = add.send().await.unwrap_err();
    assert!(error.is_response_too_large());
    assert_eq!(error.outcome(), Outcome::MayHaveHappened);
    assert_eq!(error.attempts().len(), 1);

    // The limit defaults to 64 MiB.
    let error = list(&endless(200).build().unwrap()).await.unwrap_err();
    assert!(error.to_string().contains("67108864 bytes"), "{error}");
}

#[tokio::test]
async fn body_announced_as_too_large_is_not_read() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 2000000000\r\n\r\n{";
    let client = client_of_bytes(head, Duration::from_secs(60)).await;
    // Reading the body would block until the timeout.
    let client = client.with_attempt_timeout(Duration::from_secs(60));
    let began = Instant::now();
    let error = list(&client).await.unwrap_err();
    assert!(error.is_response_too_large(), "{error}");
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[tokio::test]
async fn announced_length_is_not_trusted() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000000\r\n\r\n";
    // Large enough to arrive in several chunks, which the client joins.
    let answer = format!("{head}{}", " ".repeat(500_000)).leak();
    let client = client_of_bytes(answer, Duration::ZERO).await;
    let base_url = client.base_url();
    let client = Client::builder().base_url(base_url).api_key(KEY);
    let client = client.max_response_bytes(u64::MAX).build().unwrap();
    let client = client.with_retry_policy(RetryPolicy::never());
    assert!(list(&client).await.unwrap_err().is_connection_lost());
}

#[tokio::test]
async fn large_answer_is_read_on_every_kind_of_runtime() {
    let client = script(3_000_000).client();
    assert_eq!(list(&client).await.unwrap(), 7);
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let elsewhere = std::thread::spawn(move || {
        let mut runtime = runtime;
        let runtime = runtime.worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(list(&client))
    });
    assert_eq!(elsewhere.join().unwrap().unwrap(), 7);
}

#[tokio::test(start_paused = true)]
async fn large_answer_is_read_on_a_paused_clock() {
    let began = Instant::now();
    assert_eq!(list(&script(3_000_000).client()).await.unwrap(), 7);
    assert_eq!(began.elapsed(), Duration::ZERO);
}

/// Returns a script with a page that takes long to decode.
fn slow() -> Script {
    let numbers = "0,".repeat(4_000_000);
    let body = format!(r#"{{"pipeline_id": 1, "items": [], "total_count": 7, "other": [{numbers}0]}}"#);
    Script::new([Step::Answer(200, Vec::new(), body)])
}

#[tokio::test]
async fn decoding_does_not_block_other_tasks() {
    let client = slow().client();
    let mut call = std::pin::pin!(list(&client));
    let mut ticks = 0;
    let total = loop {
        tokio::select! {
            answer = &mut call => break answer.unwrap(),
            () = tokio::time::sleep(Duration::from_millis(2)) => ticks += 1,
        }
    };
    assert_eq!(total, 7);
    // Decoding on the caller's thread would allow at most one tick.
    assert!(ticks > 3, "the executor was blocked");
}

#[tokio::test]
async fn decoding_keeps_the_timeout() {
    let hurried = slow().client().with_attempt_timeout(Duration::from_millis(1));
    let hurried = hurried.with_retry_policy(RetryPolicy::never());
    let error = list(&hurried).await.unwrap_err();
    assert!(error.is_timeout(), "{error}");
}
