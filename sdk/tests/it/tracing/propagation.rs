//! OpenTelemetry context propagation, as seen by a server.

use opentelemetry::global;
use opentelemetry::trace::{SpanKind, Status, TracerProvider};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use tracing::Instrument;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;

use super::{list, page, subscribe};
use crate::script::{Script, Step};

/// Exports the spans of this thread that match the filter, until the guard is dropped.
fn export(filter: Targets) -> (InMemorySpanExporter, DefaultGuard) {
    global::set_text_map_propagator(TraceContextPropagator::new());
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder()
        .with_simple_exporter(exporter.clone())
        .build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
    let subscriber = tracing_subscriber::registry().with(layer.with_filter(filter));
    (exporter, subscribe(subscriber))
}

fn everything() -> Targets {
    Targets::new().with_default(tracing::Level::TRACE)
}

/// The W3C Trace Context header of a request in this span.
fn traceparent(span: &SpanData) -> String {
    let context = &span.span_context;
    format!("00-{}-{}-01", context.trace_id(), context.span_id())
}

/// The `traceparent` of each request.
fn seen(script: &Script) -> Vec<String> {
    let header = |seen: crate::script::Seen| {
        let value = seen.request.headers.get("traceparent");
        value.map_or("", |value| value.to_str().unwrap()).to_owned()
    };
    script.seen().into_iter().map(header).collect()
}

#[tokio::test(start_paused = true)]
async fn each_request_names_the_span_of_its_attempt() {
    let script = Script::new([Step::status(503), page()]);
    let (exporter, _guard) = export(everything());
    list(&script.client()).await.unwrap();

    let spans = exporter.get_finished_spans().unwrap();
    let [first, second, call] = &spans[..] else {
        panic!("{spans:?}")
    };
    assert_eq!(seen(&script), [traceparent(first), traceparent(second)]);
    for attempt in [first, second] {
        assert_eq!(attempt.name, "GET /api/v1/pipelines/{pipeline_id}/items");
        assert_eq!(attempt.span_kind, SpanKind::Client);
        assert_eq!(attempt.parent_span_id, call.span_context.span_id());
        assert_eq!(attempt.span_context.trace_id(), call.span_context.trace_id());
    }
    assert_ne!(first.span_context.span_id(), second.span_context.span_id());
    assert!(matches!(first.status, Status::Error { .. }), "{first:?}");
    assert_eq!(second.status, Status::Unset);
    assert_eq!(
        (call.name.as_ref(), &call.span_kind),
        ("list_items", &SpanKind::Internal)
    );
    assert_eq!(call.status, Status::Unset);
    assert_eq!(call.events.len(), 1);
}

#[tokio::test]
async fn request_names_the_span_of_the_app_where_those_of_the_sdk_are_filtered_out() {
    let script = Script::new([page()]);
    let (exporter, _guard) = export(Targets::new().with_target("it", tracing::Level::INFO));
    let import = tracing::info_span!("import");
    list(&script.client()).instrument(import).await.unwrap();
    let spans = exporter.get_finished_spans().unwrap();
    assert_eq!(spans.len(), 1, "{spans:?}");
    assert_eq!(seen(&script), [traceparent(&spans[0])]);
}

#[tokio::test]
async fn app_header_is_kept_without_a_trace_context() {
    const OWN: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let script = Script::new([page()]);
    let client = script.client().with_header("traceparent", OWN).unwrap();
    list(&client).await.unwrap();
    let (exporter, _guard) = export(everything());
    list(&client).await.unwrap();
    let attempt = &exporter.get_finished_spans().unwrap()[0];
    assert_eq!(seen(&script), [OWN.to_owned(), traceparent(attempt)]);
}
