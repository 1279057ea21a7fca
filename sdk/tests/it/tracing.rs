//! The spans of calls and attempts, as a subscriber sees them.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use platform_sdk::{Client, Error, ResponseValue, RetryPolicy, types};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::subscriber::DefaultGuard;
use tracing::{Dispatch, Event, Subscriber, span};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

use crate::canned::{KEY, client_of_bytes};
use crate::script::{Script, Step};

mod propagation;

/// A span or an event, and the id of its parent span.
#[derive(Clone, Debug, Default)]
struct Record {
    id: u64,
    parent: Option<u64>,
    name: &'static str,
    fields: BTreeMap<&'static str, String>,
}

impl Record {
    fn field(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(String::as_str)
    }
}

impl Visit for Record {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.fields.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }
}

/// Records all spans and events of the SDK, including the level `TRACE`.
#[derive(Clone, Default)]
struct Recorder {
    spans: Arc<Mutex<Vec<Record>>>,
    events: Arc<Mutex<Vec<Record>>>,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Recorder {
    fn on_new_span(&self, attributes: &span::Attributes<'_>, id: &span::Id, context: Context<'_, S>) {
        let mut record = Record {
            id: id.into_u64(),
            parent: context.current_span().id().map(span::Id::into_u64),
            name: attributes.metadata().name(),
            ..Record::default()
        };
        attributes.record(&mut record);
        self.spans.lock().unwrap().push(record);
    }

    fn on_record(&self, id: &span::Id, values: &span::Record<'_>, _: Context<'_, S>) {
        let mut spans = self.spans.lock().unwrap();
        // Ids of closed spans are reused.
        let span = spans.iter_mut().rfind(|span| span.id == id.into_u64());
        values.record(span.unwrap());
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut record = Record {
            parent: context.current_span().id().map(span::Id::into_u64),
            ..Record::default()
        };
        event.record(&mut record);
        self.events.lock().unwrap().push(record);
    }
}

impl Recorder {
    /// Records the spans and events of this thread until the guard is dropped.
    fn start() -> (Self, DefaultGuard) {
        let recorder = Self::default();
        let only_the_sdk = tracing_subscriber::filter::Targets::new()
            .with_target("platform_sdk", tracing::Level::TRACE)
            .with_target("it", tracing::Level::TRACE);
        let layer = recorder.clone().with_filter(only_the_sdk);
        let subscriber = tracing_subscriber::registry().with(layer);
        (recorder, subscribe(subscriber))
    }

    fn spans(&self, name: &str) -> Vec<Record> {
        let spans = self.spans.lock().unwrap();
        spans.iter().filter(|span| span.name == name).cloned().collect()
    }

    /// Returns the only span with this name.
    fn span(&self, name: &str) -> Record {
        let mut spans = self.spans(name);
        assert_eq!(spans.len(), 1, "{spans:?}");
        spans.remove(0)
    }

    fn events(&self) -> Vec<Record> {
        self.events.lock().unwrap().clone()
    }
}

/// Sends the spans and events of this thread to a subscriber until the guard is dropped.
fn subscribe(subscriber: impl Subscriber + Send + Sync) -> DefaultGuard {
    // While there is only one subscriber, a span that a thread without it enters first stays disabled everywhere.
    static ANOTHER: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(tracing_subscriber::registry()));
    LazyLock::force(&ANOTHER);
    tracing::subscriber::set_default(subscriber)
}

fn fields<'a>(of: impl IntoIterator<Item = (&'a str, &'a str)>) -> BTreeMap<&'a str, String> {
    of.into_iter().map(|(name, value)| (name, value.to_owned())).collect()
}

fn page() -> Step {
    Step::json(200, &json!({"pipeline_id": 7, "total_count": 0, "items": []}))
}

async fn list(client: &Client) -> Result<ResponseValue<types::ItemPage>, Error> {
    client.list_items().pipeline_id(7).limit(3).send().await
}

#[tokio::test(start_paused = true)]
async fn call_has_a_span_and_each_of_its_attempts_one_within() {
    let script = Script::new([
        Step::status(503).with("X-Request-Id", "r-1"),
        Step::status(429).with("Retry-After", "2").with("X-Request-Id", "r-2"),
        page().with("X-Request-Id", "r-3"),
    ]);
    let client = script.builder().base_url("http://[::1]:8080/platform").build().unwrap();
    let (recorder, _guard) = Recorder::start();
    list(&client).await.unwrap();

    let call = recorder.span("call");
    assert_eq!(call.parent, None);
    assert_eq!(
        call.fields,
        fields([("otel.name", "list_items"), ("otel.kind", "internal")])
    );

    let attempts = recorder.spans("attempt");
    assert!(attempts.iter().all(|attempt| attempt.parent == Some(call.id)));
    let always = [
        ("otel.name", "GET /api/v1/pipelines/{pipeline_id}/items"),
        ("otel.kind", "client"),
        ("http.request.method", "GET"),
        ("server.address", "::1"),
        ("server.port", "8080"),
        ("url.full", "http://[::1]:8080/platform/api/v1/pipelines/7/items"),
        ("url.template", "/api/v1/pipelines/{pipeline_id}/items"),
    ];
    let own: [&[_]; 3] = [
        &[
            ("http.response.status_code", "503"),
            ("http.response.header.x-request-id", "r-1"),
            ("error.type", "503"),
            ("otel.status_code", "ERROR"),
        ],
        &[
            ("http.request.resend_count", "1"),
            ("http.response.status_code", "429"),
            ("http.response.header.x-request-id", "r-2"),
            ("error.type", "429"),
            ("otel.status_code", "ERROR"),
        ],
        &[
            ("http.request.resend_count", "2"),
            ("http.response.status_code", "200"),
            ("http.response.header.x-request-id", "r-3"),
        ],
    ];
    let expected = own.map(|own| fields(always.into_iter().chain(own.iter().copied())));
    let found: Vec<_> = attempts.into_iter().map(|attempt| attempt.fields).collect();
    assert_eq!(found, expected);
}

#[tokio::test(start_paused = true)]
async fn wait_between_attempts_is_an_event_of_the_call() {
    let script = Script::new([Step::status(429).with("Retry-After", "2"), Step::Reset, page()]);
    let (recorder, _guard) = Recorder::start();
    list(&script.client()).await.unwrap();

    let [first, second] = &recorder.events()[..] else {
        panic!("{:?}", recorder.events())
    };
    let call = recorder.span("call");
    assert_eq!(first.parent, Some(call.id));
    // Up to 20% longer than the server asks for.
    let delay = first.field("delay_seconds").unwrap_or_default();
    let seconds: f64 = delay.parse().unwrap();
    assert!((2.0..=2.4).contains(&seconds), "{delay}");
    assert_eq!(
        first.fields,
        fields([
            ("message", "waiting to try again"),
            ("error.type", "429"),
            ("delay_seconds", delay)
        ])
    );
    assert_eq!(second.field("error.type"), Some("broken"));
    let delay: f64 = second.field("delay_seconds").unwrap().parse().unwrap();
    assert!((0.0..=0.4).contains(&delay), "{delay}");
}

#[tokio::test(start_paused = true)]
async fn failure_is_labelled_by_its_type() {
    for (step, error_type, status) in [
        (Step::status(404), "404", Some("404")),
        (Step::status(307), "307", Some("307")),
        (Step::status(200), "undecodable", Some("200")),
        (Step::BreakOff, "broken", Some("200")),
        (Step::Reset, "broken", None),
        (Step::Stall, "timeout", None),
    ] {
        let client = Script::new([step]).client().with_retry_policy(RetryPolicy::never());
        let (recorder, _guard) = Recorder::start();
        list(&client).await.unwrap_err();
        for span in [recorder.span("call"), recorder.span("attempt")] {
            assert_eq!(span.field("error.type"), Some(error_type));
            assert_eq!(span.field("otel.status_code"), Some("ERROR"));
        }
        assert_eq!(recorder.span("attempt").field("http.response.status_code"), status);
    }
}

#[tokio::test]
async fn failure_to_connect_has_no_status() {
    let (recorder, _guard) = Recorder::start();
    list(&crate::canned::client("http://127.0.0.1:1")).await.unwrap_err();
    let attempt = recorder.span("attempt");
    assert_eq!(attempt.field("error.type"), Some("connect"));
    assert_eq!(attempt.field("http.response.status_code"), None);
}

#[tokio::test]
async fn unsent_call_has_no_attempt() {
    let client = Script::new([page()]).client();
    let (recorder, _guard) = Recorder::start();
    let invalid = client.list_items().pipeline_id(1).limit(u64::MAX);
    invalid.send().await.unwrap_err();
    list(&client.with_deadline(Duration::ZERO)).await.unwrap_err();
    let calls = recorder.spans("call");
    let types: Vec<_> = calls.iter().map(|call| call.field("error.type")).collect();
    assert_eq!(types, [Some("invalid_request"), Some("deadline")]);
    assert!(recorder.spans("attempt").is_empty());
}

#[tokio::test(start_paused = true)]
async fn dropped_call_is_recorded_as_cancelled() {
    let client = Script::new([Step::Stall]).client();
    let (recorder, _guard) = Recorder::start();
    let impatient = tokio::time::timeout(Duration::from_millis(1), list(&client));
    assert!(impatient.await.is_err());
    for span in [recorder.span("call"), recorder.span("attempt")] {
        assert_eq!(span.field("error.type"), Some("cancelled"));
        assert_eq!(span.field("otel.status_code"), Some("ERROR"));
    }
}

#[tokio::test]
async fn call_span_is_within_the_span_of_the_app() {
    let client = Script::new([page()]).client();
    let (recorder, _guard) = Recorder::start();
    let import = tracing::info_span!("import");
    tracing::Instrument::instrument(list(&client), import).await.unwrap();
    assert_eq!(recorder.span("call").parent, Some(recorder.span("import").id));
}

#[tokio::test]
async fn nothing_that_an_app_or_a_server_writes_is_recorded() {
    const SECRETS: [&str; 4] = [KEY, "our-secret-plan", "tenant-of-ours", "said-by-the-server"];
    let rejection = Step::json(
        422,
        &json!({"detail": "said-by-the-server: our-secret-plan", "code": "said-by-the-server"}),
    );
    let steps = [
        Step::status(503).with("X-Debug", "said-by-the-server"),
        Step::BreakOff,
        Step::json(200, &json!({"total_count": "said-by-the-server"})),
        rejection,
    ];
    let at_once = RetryPolicy::default().initial_backoff(Duration::ZERO);
    let client = Script::new(steps).builder().retry_policy(at_once).build().unwrap();
    let client = client.with_header("X-Tenant", "tenant-of-ours").unwrap();
    let broken = client_of_bytes("said-by-the-server", Duration::ZERO).await;
    let (recorder, _guard) = Recorder::start();
    for client in [&client, &client, &broken] {
        let search = client.search_organizations_by_description();
        let error = search.description("our-secret-plan").send().await.unwrap_err();
        drop(error);
    }
    assert_eq!(recorder.spans("attempt").len(), 5);
    let recorded = format!("{:?} {:?}", recorder.spans.lock().unwrap(), recorder.events());
    for secret in SECRETS {
        assert!(!recorded.contains(secret), "{recorded}");
    }
}
