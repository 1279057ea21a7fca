//! Waiting until an item is ready.

use std::collections::BTreeSet;
use std::error::Error as _;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{self, StreamExt};
use futures::{FutureExt, Stream};
use platform_sdk::chrono::{DateTime, Utc};
use platform_sdk::types::ItemStatus;
use platform_sdk::wait::{NotReady, Progress, Stage, WaitUntilReady};
use platform_sdk::{
    Client, Clock, Error, ExecutionStatus, Outcome, PipelineItemId, Presence, RequestId, ResponseValue, RetryPolicy,
};
use platform_server_stub::Server;
use platform_server_stub::data::Dataset;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::{Clock as _, ManualClock};
use serde_json::json;
use tokio::time::Instant;

use crate::script::{Script, Step, ready};

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A status response, by what is done: the document, the questions and the entity data.
fn status(done: [bool; 3]) -> Step {
    let [document, questions, data] = done;
    Step::json(
        200,
        &json!({
            "pipeline_id": 2, "pipeline_item_id": 200_001, "is_ready": done == [true; 3],
            "document_indexed": document, "custom_questions_answered": questions,
            "platform_entity_data_ready": data,
        }),
    )
}

fn pending() -> Step {
    status([true, false, true])
}

fn wait(client: &Client) -> WaitUntilReady {
    let wait = client.wait_until_ready();
    wait.pipeline_id(2).pipeline_item_id(200_001)
}

/// The times between consecutive polls.
fn pauses(script: &Script) -> Vec<Duration> {
    let seen = script.seen();
    seen.windows(2).map(|pair| pair[1].at - pair[0].at).collect()
}

fn not_ready(error: &Error) -> &NotReady {
    assert!(error.is_timeout());
    error.not_ready().unwrap()
}

#[tokio::test(start_paused = true)]
async fn ready_item_is_polled_once_and_immediately() {
    let script = Script::new([ready()]);
    let started = Instant::now();
    assert!(wait(&script.client()).send().await.unwrap().is_ready);
    assert_eq!(script.count(), 1);
    assert_eq!(started.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn pauses_grow_by_half_up_to_a_maximum_and_vary() {
    let polls = [vec![pending(); 12], vec![ready()]].concat();
    let script = Script::new(polls);
    wait(&script.client()).send().await.unwrap();
    let pauses = pauses(&script);
    assert_eq!(pauses.len(), 12);
    let mut limit = 0.5_f64;
    for pause in &pauses {
        // Tokio timers have millisecond resolution.
        let from_half = limit * 0.5..=limit + 0.002;
        assert!(from_half.contains(&pause.as_secs_f64()), "{pause:?} of {limit}");
        limit = (limit * 1.5).min(10.0);
    }
    let parts: Vec<f64> = pauses[8..].iter().map(Duration::as_secs_f64).collect();
    assert!(parts.iter().any(|part| part != &parts[0]), "{parts:?}");
}

#[tokio::test(start_paused = true)]
async fn pauses_follow_the_settings_and_are_never_zero() {
    let polls = [vec![pending(); 4], vec![ready()]].concat();
    for (first, longest, least, most) in [(2_000, 2_000, 1_000, 2_002), (0, 0, 5, 12)] {
        let script = Script::new(polls.clone());
        let millis = Duration::from_millis;
        let wait = wait(&script.client()).poll_every(millis(first), millis(longest));
        wait.send().await.unwrap();
        let range = millis(least)..=millis(most);
        let pauses = pauses(&script);
        assert!(pauses.iter().all(|pause| range.contains(pause)), "{pauses:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn wait_ends_with_a_last_poll_and_reports_what_is_missing() {
    let script = Script::new([status([false; 3]), pending()]);
    let started = Instant::now();
    let wait = wait(&script.client()).timeout(seconds(300));
    let error = wait.send().await.unwrap_err();

    let last = script.seen().last().unwrap().at - started;
    assert_eq!(last.as_millis(), 299_500);
    let took = started.elapsed();
    assert!(took <= seconds(300), "{took:?}");

    let not_ready = not_ready(&error);
    assert_eq!(not_ready.pipeline_item_id(), PipelineItemId::from(200_001));
    assert!(not_ready.last_status().unwrap().document_indexed);
    let missing: Vec<Stage> = not_ready.missing().collect();
    assert_eq!(missing, [Stage::CustomQuestionsAnswered]);
    assert_eq!(not_ready.polls() as usize, script.count());
    // Pauses of 5 to 10 seconds.
    assert!((30..70).contains(&not_ready.polls()), "{not_ready:?}");
    assert_eq!(not_ready.waited(), took);
    assert_eq!(
        error.to_string(),
        "get_item_status: item 200001 of pipeline 2 is not ready after 299.5s: \
         custom_questions_answered is missing"
    );
    assert!(error.source().is_none());
}

#[tokio::test(start_paused = true)]
async fn item_ready_at_the_last_poll_is_ready() {
    for timeout in [1, 2, 10, 60, 300] {
        // The last poll is 500 ms before the deadline, or a tenth of the timeout if that is shorter.
        let before_the_end = Duration::from_millis(500).min(seconds(timeout) / 10);
        let ready_at = Instant::now() + seconds(timeout) - before_the_end;
        let service = tower::service_fn(move |_request| async move {
            let step = if Instant::now() < ready_at { pending() } else { ready() };
            step.play().await
        });
        let client = Client::builder().service(service).api_key("dev").build();
        let wait = wait(&client.unwrap()).poll_every(seconds(100), seconds(100));
        let wait = wait.timeout(seconds(timeout));
        assert!(wait.send().await.is_ok(), "{timeout} s");
    }
}

#[tokio::test(start_paused = true)]
async fn earlier_deadline_of_the_client_ends_the_wait() {
    for (deadline, timeout) in [(20, 300), (300, 20)] {
        let script = Script::new([pending()]);
        let client = script.client().with_deadline(seconds(deadline));
        let started = Instant::now();
        let error = wait(&client).timeout(seconds(timeout)).send().await.unwrap_err();
        let last = script.seen().last().unwrap().at - started;
        assert_eq!(last.as_millis(), 19_500);
        assert_eq!(not_ready(&error).waited(), started.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn wait_without_time_does_not_poll() {
    let script = Script::new([ready()]);
    let error = wait(&script.client()).timeout(Duration::ZERO).send().await.unwrap_err();
    assert_eq!(not_ready(&error).polls(), 0);
    assert_eq!(script.count(), 0);
    assert_eq!(
        error.to_string(),
        "get_item_status: item 200001 of pipeline 2 returned no status within 0ns"
    );
}

#[tokio::test(start_paused = true)]
async fn temporary_failures_do_not_end_the_wait() {
    for trouble in [
        Step::Reset,
        Step::Stall,
        Step::BreakOff,
        Step::status(429),
        Step::status(500),
        Step::status(503),
    ] {
        let polls = [vec![pending()], vec![trouble; 9], vec![pending(), ready()]].concat();
        let script = Script::new(polls);
        assert!(wait(&script.client()).send().await.is_ok());
        assert_eq!(script.count(), 12);
    }
}

#[tokio::test(start_paused = true)]
async fn last_failure_is_the_source_of_the_timeout() {
    let script = Script::new([Step::status(503)]);
    let started = Instant::now();
    let error = wait(&script.client()).timeout(seconds(60)).send().await.unwrap_err();
    assert!(started.elapsed() <= seconds(60));
    let last = script.seen().last().unwrap().at - started;
    assert!(last >= Duration::from_millis(59_500), "{last:?}");
    assert!(not_ready(&error).last_status().is_none());
    assert_eq!(not_ready(&error).missing().count(), 0);
    let source = error.source().unwrap().downcast_ref::<Error>().unwrap();
    assert_eq!(source.status().unwrap(), 503);
}

#[tokio::test(start_paused = true)]
async fn last_status_survives_failures_at_the_end() {
    let script = Script::new([pending(), Step::Stall]);
    let started = Instant::now();
    let error = wait(&script.client()).timeout(seconds(60)).send().await.unwrap_err();
    assert!(started.elapsed() <= seconds(61), "{:?}", started.elapsed());
    assert_eq!(not_ready(&error).missing().count(), 1);
    let source = error.source().unwrap().downcast_ref::<Error>().unwrap();
    assert!(source.is_timeout());
}

#[tokio::test(start_paused = true)]
async fn lasting_failure_ends_the_wait_immediately() {
    let rejections = [400, 401, 403, 404, 410, 422].map(Step::status);
    let not_json = Step::Answer(200, Vec::new(), "<html>".to_owned());
    let off_contract = Step::json(200, &json!({"is_ready": "soon"}));
    for answer in rejections.into_iter().chain([not_json, off_contract]) {
        let script = Script::new([pending(), answer]);
        let error = wait(&script.client()).send().await.unwrap_err();
        assert!(error.not_ready().is_none() && !error.is_timeout(), "{error}");
        assert!(error.status().is_some());
        assert_eq!(script.count(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_honoured() {
    let come_back = Step::status(429).with("Retry-After", "100");
    let script = Script::new([come_back, ready()]);
    wait(&script.client()).send().await.unwrap();
    // The retry policy waits at most 60 seconds, but the wait has more time.
    assert!(pauses(&script)[0] >= seconds(100));
}

#[tokio::test(start_paused = true)]
async fn progress_is_the_status_at_each_poll() {
    let statuses = [[false; 3], [true, false, false], [true, false, true], [true; 3]];
    let script = Script::new(statuses.map(status));
    let progress = wait(&script.client()).progress().unwrap();
    let seen: Vec<[bool; 3]> = progress
        .map(|status| {
            let status = status.unwrap();
            [0, 1, 2].map(|stage| Stage::ALL[stage].is_done(&status))
        })
        .collect()
        .await;
    assert_eq!(seen, statuses);
    assert_eq!(script.count(), 4);
}

#[tokio::test(start_paused = true)]
async fn progress_ends_after_an_error() {
    let script = Script::new([pending(), Step::status(404), ready()]);
    let mut progress = wait(&script.client()).progress().unwrap();
    assert!(!progress.next().await.unwrap().unwrap().is_ready);
    assert!(progress.next().await.unwrap().unwrap_err().is_not_found());
    assert!(progress.next().await.is_none());

    let script = Script::new([pending()]);
    let progress = wait(&script.client()).timeout(seconds(30)).progress();
    let mut seen: Vec<_> = progress.unwrap().collect().await;
    let error = seen.pop().unwrap().unwrap_err();
    // The error contains the last poll.
    assert_eq!(not_ready(&error).polls() as usize, seen.len() + 1);
}

#[tokio::test(start_paused = true)]
async fn progress_polls_only_while_it_is_polled() {
    let script = Script::new([pending()]);
    let mut progress = wait(&script.client()).progress().unwrap();
    tokio::time::sleep(seconds(100)).await;
    assert_eq!(script.count(), 0);
    progress.next().await.unwrap().unwrap();
    assert!(progress.next().now_or_never().is_none());
    drop(progress);
    tokio::time::sleep(seconds(100)).await;
    assert_eq!(script.count(), 1);
}

#[test]
fn waits_can_be_sent_to_other_tasks() {
    fn is_free<T: Send + 'static>(_: T) {}
    fn is_stream<T: Stream<Item = Result<ResponseValue<ItemStatus>, Error>> + Unpin + Send + 'static>(_: T) {}
    let client = Script::new([]).client();
    is_stream::<Progress>(wait(&client).progress().unwrap());
    is_free(wait(&client).send());
    is_free(wait(&client).values());
    let ensure = client.ensure_organization().pipeline_id(6);
    is_free(ensure.organization_id(1).send());
    let add = client.add_organization_and_wait().pipeline_id(6);
    is_free(add.organization_id(1).send());
}

/// A client of the reference server on tokio's clock, which the tests pause.
fn reference_server() -> Client {
    let server = Server::built_in();
    let client = Client::builder().service(server.router());
    client.api_key("dev-full-access").build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn organization_is_added_and_waited_for_until_its_questions_are_answered() {
    let client = reference_server();
    let call = client.add_organization_and_wait().pipeline_id(6).organization_id(1002);
    let started = Instant::now();
    let added = call.clone().send().await.unwrap();
    assert!(started.elapsed() >= seconds(2));
    assert_eq!(added.presence, Presence::Created);
    let pending = |status: &Option<ExecutionStatus>| *status == Some(ExecutionStatus::Pending);
    assert!(added.item.values.values().all(|value| !pending(&value.status)));

    let started = Instant::now();
    let again = call.send().await.unwrap();
    assert_eq!(started.elapsed(), Duration::ZERO);
    assert_eq!(again.presence, Presence::AlreadyThere);
    assert_eq!(again.item, added.item);
}

#[tokio::test(start_paused = true)]
async fn organization_with_an_unready_item_is_still_added() {
    let client = reference_server();
    let call = client.add_organization_and_wait().pipeline_id(6).organization_id(1002);
    let error = call.timeout(seconds(1)).send().await.unwrap_err();
    assert_eq!(error.outcome(), Outcome::MayHaveHappened);
    let item = not_ready(&error).pipeline_item_id();
    let shown = error.to_string();
    let end = format!(" missing; the organization is there as item {item}");
    assert!(shown.ends_with(&end), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn rate_limit_during_a_wait_keeps_the_outcome() {
    let script = Script::new([crate::script::added(), Step::status(403)]);
    let call = script.client().add_organization_and_wait();
    let error = call.pipeline_id(6).organization_id(1001).send().await.unwrap_err();
    assert!(error.is_denied());
    assert_eq!(error.outcome(), Outcome::MayHaveHappened);
    assert!(
        error
            .to_string()
            .ends_with("; the organization is there as item 600002")
    );
}

#[tokio::test(start_paused = true)]
async fn many_items_are_waited_for_at_once() {
    let client = reference_server();
    let adding = (1001..1021).map(|organization| {
        let request = client.ensure_organization().pipeline_id(6);
        request.organization_id(organization).send()
    });
    let added: Vec<_> = stream::iter(adding).buffer_unordered(5).collect().await;
    let started = Instant::now();
    let waits = added.iter().map(|added| {
        let item = &added.as_ref().unwrap().item;
        client.wait_until_ready().item(item).values()
    });
    let ready: Vec<_> = stream::iter(waits).buffer_unordered(20).collect().await;
    assert_eq!(ready.iter().filter(|item| item.is_ok()).count(), 20);
    assert!(started.elapsed() < seconds(10), "{:?}", started.elapsed());
}

#[tokio::test(start_paused = true)]
async fn wait_result_names_its_request() {
    let client = reference_server();
    let wait = || {
        let wait = client.wait_until_ready();
        wait.pipeline_id(2).pipeline_item_id(200_001)
    };
    let status = wait().send().await.unwrap();
    let values = wait().values().await.unwrap();
    let polled = wait().progress().unwrap().next().await.unwrap().unwrap();
    let ids = [status.request_id(), values.request_id(), polled.request_id()];
    let different: BTreeSet<_> = ids.into_iter().flatten().collect();
    assert_eq!(different.len(), 3, "{ids:?}");
    assert!(status.into_inner().is_ready);
}

/// The clock of a reference server as a client clock. Sleeping advances it.
struct ServersClock {
    clock: ManualClock,
    zero: (std::time::Instant, DateTime<Utc>),
}

impl Clock for ServersClock {
    fn now(&self) -> std::time::Instant {
        let (zero, start) = self.zero;
        zero + (self.clock.now() - start).to_std().unwrap()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let clock = self.clock.clone();
        Box::pin(async move { clock.advance(duration).await })
    }
}

#[tokio::test]
async fn client_waits_by_its_clock() {
    let start = DateTime::UNIX_EPOCH;
    let clock = ManualClock::new(start);
    let platform = Platform::in_memory(Dataset::built_in(), Arc::new(clock.clone()));
    let client = Client::builder()
        .service(Server::new(platform).router())
        .api_key("dev-full-access")
        .retry_policy(RetryPolicy::never())
        .clock(ServersClock {
            clock: clock.clone(),
            zero: (std::time::Instant::now(), start),
        })
        .build()
        .unwrap();
    let started = std::time::Instant::now();
    let call = client.add_organization_and_wait().pipeline_id(6).organization_id(1002);
    let slow = call.poll_every(seconds(60), seconds(600)).timeout(seconds(3600));
    assert_eq!(slow.send().await.unwrap().presence, Presence::Created);
    assert!((clock.now() - start).to_std().unwrap() >= seconds(30));
    assert!(started.elapsed() < seconds(30));
}
