//! Metrics of calls, as the app's recorder receives them.

use std::collections::BTreeMap;
use std::time::Duration;

use metrics_util::MetricKind;
use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};
use platform_sdk::{Client, Error, types::ItemStatus};

use crate::canned::KEY;
use crate::script::{Script, Step, ready};

/// Recorded values, by kind, name and labels.
type Figures = BTreeMap<String, DebugValue>;

fn figures(snapshotter: &Snapshotter) -> Figures {
    let entries = snapshotter.snapshot().into_vec().into_iter();
    entries
        .map(|(key, unit, description, value)| {
            assert!(unit.is_some() && description.is_some(), "{key:?}");
            let kind = match key.kind() {
                MetricKind::Counter => "counter",
                MetricKind::Gauge => "gauge",
                MetricKind::Histogram => "histogram",
            };
            let labels = key.key().labels();
            let labels: BTreeMap<_, _> = labels.map(|label| (label.key(), label.value())).collect();
            let labels: Vec<String> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
            let name = key.key().name();
            (format!("{kind} {name} {}", labels.join(" ")), value)
        })
        .collect()
}

/// Runs `call` on a paused clock. Returns its output and the recorded metrics.
fn recorded<T>(script: &Script, call: impl AsyncFnOnce(Client) -> T) -> (T, Figures) {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().start_paused(true).build().unwrap();
    let output = metrics::with_local_recorder(&recorder, || runtime.block_on(async { call(script.client()).await }));
    (output, figures(&snapshotter))
}

async fn status(client: Client) -> Result<ItemStatus, Error> {
    let request = client.get_item_status().pipeline_id(2);
    Ok(request.pipeline_item_id(200_001).send().await?.into_inner())
}

fn count(value: &DebugValue) -> usize {
    match value {
        DebugValue::Histogram(values) => values.len(),
        other => panic!("{other:?}"),
    }
}

const ATTEMPT: &str = "http.request.method=GET";
const OF_STATUS: &str = "operation=get_item_status server.address=localhost server.port=80 \
    url.template=/api/v1/pipelines/{pipeline_id}/items/{pipeline_item_id}/status";

#[test]
fn call_is_counted_with_its_attempts_and_retries() {
    let script = Script::new([Step::status(503), Step::Reset, ready()]);
    let (answered, figures) = recorded(&script, status);
    answered.unwrap();
    let names: Vec<&str> = figures.keys().map(String::as_str).collect();
    let attempt = |outcome: &str| format!("histogram http.client.request.duration {outcome}");
    assert_eq!(
        names,
        [
            "counter platform_sdk.call.retries error.type=503 operation=get_item_status".to_owned(),
            "counter platform_sdk.call.retries error.type=broken operation=get_item_status".to_owned(),
            format!("gauge http.client.active_requests {ATTEMPT} {OF_STATUS}"),
            attempt(&format!(
                "error.type=503 {ATTEMPT} http.response.status_code=503 {OF_STATUS}"
            )),
            attempt(&format!("error.type=broken {ATTEMPT} {OF_STATUS}")),
            attempt(&format!("{ATTEMPT} http.response.status_code=200 {OF_STATUS}")),
            "histogram platform_sdk.call.duration http.response.status_code=200 operation=get_item_status".to_owned(),
        ]
    );
    for (name, value) in &figures {
        match value {
            DebugValue::Counter(retries) => assert_eq!(*retries, 1, "{name}"),
            DebugValue::Gauge(under_way) => assert_eq!(under_way.into_inner(), 0.0, "{name}"),
            DebugValue::Histogram(durations) => assert_eq!(durations.len(), 1, "{name}"),
        }
    }
}

#[test]
fn wait_for_the_quota_is_measured() {
    let turned_away = Step::status(429).with("Retry-After", "10");
    let script = Script::new([turned_away, ready()]);
    let (answered, figures) = recorded(&script, status);
    answered.unwrap();
    let waits = &figures["histogram platform_sdk.gate.wait.duration operation=get_item_status"];
    let DebugValue::Histogram(waits) = waits else {
        panic!("{waits:?}");
    };
    let [wait] = waits[..] else {
        panic!("{waits:?}");
    };
    assert!((10.0..=12.1).contains(&wait.into_inner()), "{wait}");
    let call = "histogram platform_sdk.call.duration http.response.status_code=200 operation=get_item_status";
    let DebugValue::Histogram(calls) = &figures[call] else {
        panic!("{call} is missing");
    };
    assert!(calls[0] >= wait);
}

#[test]
fn dropped_call_is_cancelled_and_no_longer_active() {
    let script = Script::new([Step::Stall]);
    let (impatient, figures) = recorded(&script, async |client: Client| {
        tokio::time::timeout(Duration::from_millis(100), status(client)).await
    });
    assert!(impatient.is_err());
    let attempt = format!("histogram http.client.request.duration error.type=cancelled {ATTEMPT} {OF_STATUS}");
    assert_eq!(count(&figures[&attempt]), 1);
    let call = "histogram platform_sdk.call.duration error.type=cancelled operation=get_item_status";
    assert_eq!(count(&figures[call]), 1);
    let under_way = &figures[&format!("gauge http.client.active_requests {ATTEMPT} {OF_STATUS}")];
    assert_eq!(*under_way, DebugValue::Gauge(0.0.into()));
}

#[test]
fn labels_hold_nothing_confidential() {
    let script = Script::new([Step::status(400)]);
    let (_, figures) = recorded(&script, async |client: Client| {
        let search = client.search_organizations_by_description();
        search.description("takeover of Fjordfrost").send().await
    });
    assert!(!figures.is_empty());
    for name in figures.keys() {
        assert!(!name.contains("Fjordfrost") && !name.contains(KEY), "{name}");
    }
}
