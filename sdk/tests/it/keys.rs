//! Keys from a provider: when it is called, which calls share a key, and calls without a key.

use std::error::Error as _;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Response};
use futures::FutureExt;
use futures::future::join_all;
use platform_sdk::{ApiKey, Client, ClientBuilder, Error, ErrorClass, Outcome, RetryBudget, RetryPolicy, reqwest};
use serde_json::json;
use tokio::time::sleep;

const DELAY: Duration = Duration::from_millis(5);

/// A service that accepts the keys in `valid`, and a provider of `1-from-the-vault`, `2-from-the-vault` and
/// so on. Each key begins differently, because the first characters of a key are redacted everywhere.
#[derive(Clone, Default)]
struct Vault(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    valid: Vec<String>,
    provided: usize,
    sent: Vec<String>,
}

impl Vault {
    fn accepting(key: &str) -> Self {
        let vault = Self::default();
        vault.accept(key);
        vault
    }

    fn accept(&self, key: &str) {
        self.0.lock().unwrap().valid = vec![key.to_owned()];
    }

    /// Returns how often the provider was called.
    fn provided(&self) -> usize {
        self.0.lock().unwrap().provided
    }

    /// Returns the key of each request.
    fn sent(&self) -> Vec<String> {
        self.0.lock().unwrap().sent.clone()
    }

    async fn next_key(self) -> Result<ApiKey, io::Error> {
        let number = {
            let mut state = self.0.lock().unwrap();
            state.provided += 1;
            state.provided
        };
        sleep(DELAY).await;
        ApiKey::new(format!("{number}-from-the-vault")).map_err(io::Error::other)
    }

    /// Delays each 401 response longer than the previous one. Its body contains all keys sent so far.
    async fn answer(self, request: Request<reqwest::Body>) -> Response<Body> {
        let key = request.headers()["api-key"].to_str().unwrap().to_owned();
        let (is_valid, place, sent) = {
            let mut state = self.0.lock().unwrap();
            state.sent.push(key.clone());
            (state.valid.contains(&key), state.sent.len(), state.sent.join(" and "))
        };
        if !is_valid {
            sleep(DELAY * u32::try_from(place).unwrap()).await;
        }
        let is_write = request.method() == "POST";
        let (status, body) = match (is_valid, is_write) {
            (false, _) => (401, json!({"detail": format!("known are none of {sent}")})),
            (true, false) => (200, json!({"pipeline_id": 1, "total_count": 0, "items": []})),
            (true, true) => (
                201,
                json!({
                    "pipeline_id": 6, "pipeline_item_id": 600_002, "entity_type": "organization",
                    "organization_id": 1001, "person_id": null, "document_id": null, "values": {},
                }),
            ),
        };
        let answer = Response::builder().status(status);
        answer.body(body.to_string().into()).unwrap()
    }

    fn service(&self) -> ClientBuilder {
        let vault = self.clone();
        Client::builder().service(tower::service_fn(move |request| {
            vault.clone().answer(request).map(Ok::<_, io::Error>)
        }))
    }

    fn builder(&self) -> ClientBuilder {
        let vault = self.clone();
        self.service().api_key_provider(move || vault.clone().next_key())
    }

    fn client(&self) -> Client {
        self.builder().build().unwrap()
    }
}

async fn list(client: &Client) -> Result<(), Error> {
    client.list_items().pipeline_id(1).send().await.map(drop)
}

async fn twenty(client: &Client) {
    let calls = join_all((0..20).map(|_| {
        let clone = client.with_deadline(Duration::from_secs(60));
        async move { list(&clone).await }
    }));
    for result in calls.await {
        result.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn concurrent_first_calls_share_one_key() {
    let vault = Vault::accepting("1-from-the-vault");
    let client = vault.client();
    assert_eq!(vault.provided(), 0);
    twenty(&client).await;
    twenty(&client).await;
    assert_eq!(vault.provided(), 1);
    assert_eq!(vault.sent(), vec!["1-from-the-vault"; 40]);
}

#[tokio::test(start_paused = true)]
async fn rejected_key_is_replaced_once_for_all_calls_that_sent_it() {
    let vault = Vault::accepting("1-from-the-vault");
    let client = vault.client();
    list(&client).await.unwrap();
    vault.accept("2-from-the-vault");
    twenty(&client).await;
    assert_eq!(vault.provided(), 2);
    let with = |key: &str| vault.sent().iter().filter(|sent| *sent == key).count();
    assert_eq!((with("1-from-the-vault"), with("2-from-the-vault")), (21, 20));
}

#[tokio::test(start_paused = true)]
async fn attempt_with_the_new_key_is_not_a_retry() {
    let vault = Vault::accepting("2-from-the-vault");
    let budget = Arc::new(RetryBudget::new(5));
    let client = vault.builder().retry_budget(Arc::clone(&budget));
    let client = client.retry_policy(RetryPolicy::never()).build().unwrap();
    let item = client.add_organization().pipeline_id(6).organization_id(1001);
    item.send().await.unwrap();
    assert_eq!(vault.sent(), ["1-from-the-vault", "2-from-the-vault"]);
    assert_eq!(budget.tokens(), 5);
}

#[tokio::test(start_paused = true)]
async fn retries_are_as_many_with_a_new_key_as_without() {
    use crate::script::{Script, Step, ready};

    let steps = [401, 503, 503, 503, 401].map(Step::status);
    let script = Script::new(steps.into_iter().chain([ready()]));
    let client = script
        .builder()
        .api_key_provider(|| async { ApiKey::new("2-from-the-vault") })
        .build()
        .unwrap();
    let status = client.get_item_status();
    let status = status.pipeline_id(2).pipeline_item_id(200_001);
    status.send().await.unwrap();
    assert_eq!(script.count(), 6);
}

#[tokio::test(start_paused = true)]
async fn second_rejection_in_a_row_is_the_error() {
    let vault = Vault::accepting("9-from-the-vault");
    let client = vault.client();
    let error = list(&client).await.unwrap_err();
    assert_eq!(error.class(), ErrorClass::Unauthenticated);
    assert_eq!((error.attempts().len(), error.outcome()), (2, Outcome::Rejected));
    assert_eq!(vault.sent(), ["1-from-the-vault", "2-from-the-vault"]);
    // The next call can get a new key too.
    vault.accept("3-from-the-vault");
    list(&client).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn key_of_the_builder_is_used_before_those_of_the_provider() {
    let vault = Vault::accepting("from-the-start");
    let client = vault.builder().api_key("from-the-start").build().unwrap();
    list(&client).await.unwrap();
    assert_eq!(vault.provided(), 0);
    vault.accept("1-from-the-vault");
    list(&client).await.unwrap();
    assert_eq!(vault.provided(), 1);
}

#[tokio::test(start_paused = true)]
async fn key_without_a_provider_is_sent_once() {
    let vault = Vault::accepting("1-from-the-vault");
    let fixed = vault.service().api_key("another-key").build().unwrap();
    let own = vault.client().with_api_key("another-key").unwrap();
    for client in [fixed, own] {
        let error = list(&client).await.unwrap_err();
        assert_eq!((error.attempts().len(), vault.provided()), (1, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn provider_failure_fails_all_waiting_calls() {
    let vault = Vault::accepting("3-from-the-vault");
    let asked = Arc::new(Mutex::new(0));
    let count = Arc::clone(&asked);
    let client = vault.service().api_key_provider(move || {
        let count = Arc::clone(&count);
        async move {
            *count.lock().unwrap() += 1;
            sleep(DELAY).await;
            Err(io::Error::other("the vault is sealed"))
        }
    });
    let client = client.build().unwrap();
    for result in join_all((0..20).map(|_| list(&client))).await {
        let error = result.unwrap_err();
        assert_eq!(error.class(), ErrorClass::KeyUnavailable);
        assert!(error.is_key_unavailable() && !error.is_timeout() && !error.is_transient());
        assert_eq!((error.attempts().len(), error.outcome()), (0, Outcome::NotSent));
        assert_eq!(
            format!("{error:?}"),
            "list_items: no API key: the key provider failed; caused by: the vault is sealed"
        );
        assert!(error.source().unwrap().is::<io::Error>());
    }
    assert_eq!(*asked.lock().unwrap(), 1);
    assert!(list(&client).await.is_err());
    assert_eq!(*asked.lock().unwrap(), 2);
    assert!(vault.sent().is_empty());
}

#[tokio::test(start_paused = true)]
async fn failure_after_a_rejection_keeps_the_rejection() {
    let vault = Vault::accepting("2-from-the-vault");
    let client = vault
        .service()
        .api_key("1-from-the-vault")
        .api_key_provider(|| async { Err(io::Error::other("the vault is sealed")) });
    let error = list(&client.build().unwrap()).await.unwrap_err();
    assert!(error.is_key_unavailable());
    assert_eq!(error.outcome(), Outcome::Rejected);
    let statuses: Vec<_> = error.attempts().iter().map(|it| it.status()).collect();
    assert_eq!(statuses, [Some(reqwest::StatusCode::UNAUTHORIZED)]);
}

#[tokio::test(start_paused = true)]
async fn slow_provider_times_out() {
    let vault = Vault::accepting("1-from-the-vault");
    let client = vault
        .service()
        .attempt_timeout(Duration::from_secs(2))
        .api_key_provider(std::future::pending::<Result<ApiKey, Error>>);
    let client = client.build().unwrap();
    let day = Duration::from_secs(24 * 60 * 60);
    for (deadline, within) in [(day, "2s"), (Duration::from_secs(1), "1s")] {
        let error = list(&client.with_deadline(deadline)).await.unwrap_err();
        assert!(error.is_key_unavailable() && error.is_timeout());
        assert_eq!(error.outcome(), Outcome::NotSent);
        assert_eq!(
            error.to_string(),
            format!("list_items: no API key: the key provider returned none within {within}")
        );
    }
    assert!(vault.sent().is_empty());
}

#[tokio::test(start_paused = true)]
async fn dropped_call_that_waited_for_a_key_delays_no_other() {
    let vault = Vault::accepting("1-from-the-vault");
    let client = vault.client();
    let mut first = Box::pin(list(&client));
    assert!(first.as_mut().now_or_never().is_none());
    let mut second = Box::pin(list(&client));
    assert!(second.as_mut().now_or_never().is_none());
    drop(first);
    second.await.unwrap();
    assert_eq!(vault.provided(), 1);
}

#[tokio::test(start_paused = true)]
async fn request_for_a_key_ends_with_the_calls_that_wait_for_it() {
    let vault = Vault::accepting("2-from-the-vault");
    let client = vault.client();
    let mut dropped = Box::pin(list(&client));
    assert!(dropped.as_mut().now_or_never().is_none());
    drop(dropped);
    list(&client).await.unwrap();
    assert_eq!(vault.provided(), 2);
    assert_eq!(vault.sent(), ["2-from-the-vault"]);
}

#[tokio::test(start_paused = true)]
async fn neither_old_nor_new_keys_show() {
    let vault = Vault::accepting("9-from-the-vault");
    let client = vault.client();
    let error = list(&client).await.unwrap_err();
    let shown = format!("{error} {error:?} {error:#?} {:?} {client:?}", error.body());
    let shown = format!("{shown} {:?}", vault.builder().api_key("1-from-the-vault"));
    let shown = shown.to_lowercase();
    assert!(
        !shown.contains("from-the-vault") && shown.contains("<hidden>"),
        "{shown}"
    );
}

#[tokio::test(start_paused = true)]
async fn walk_continues_with_the_new_key() {
    use platform_server_stub::Server;

    let keys = Arc::new(Mutex::new(vec!["dev-full-access", "expired-key"]));
    let client = Client::builder()
        .service(Server::built_in().router())
        .api_key_provider(move || {
            let key = keys.lock().unwrap().pop().unwrap();
            async move { ApiKey::new(key) }
        })
        .build()
        .unwrap();
    let walk = client.list_items().pipeline_id(1).walk();
    assert_eq!(walk.collect().await.unwrap().len(), 1280);
}
