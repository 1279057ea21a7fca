use std::time::Duration;

use platform_server_stub::Emulator;
use platform_server_stub::control::{Fault, Snapshot, SnapshotError};
use platform_server_stub::data::Dataset;
use platform_server_stub::platform::clock::Clock;
use platform_server_stub::wire::ProblemCode;
use serde_json::{Value, json};

use super::admin::{admin, with_admin};
use super::{INBOX, add, frozen, get, items, noon};

/// Everything that the inbox shows.
async fn inbox(emulator: &Emulator) -> String {
    get(emulator, INBOX).await.text
}

#[tokio::test]
async fn snapshot_restores_items_work_and_time_in_another_emulator() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("state.json");
    let emulator = frozen().await;
    add(&emulator, 1001).await;
    emulator.clock().advance(Duration::from_millis(600)).await;
    let (then, now) = (inbox(&emulator).await, emulator.clock().now());
    assert!(then.contains(r#""status":"pending""#), "{then}");
    emulator.snapshot().await.unwrap().write(&file).unwrap();
    emulator.clock().run_to_idle().await;
    add(&emulator, 1002).await;
    let end = inbox(&emulator).await;
    assert_ne!(end, then);

    let other = Emulator::start().await.unwrap();
    other
        .add_fault(Fault::problem(ProblemCode::Unavailable).times(0))
        .await
        .unwrap();
    for restored in [&emulator, &other] {
        let snapshot = Snapshot::read(&file).unwrap();
        assert_eq!(snapshot.now(), now);
        restored.restore(&snapshot).await.unwrap();
        assert_eq!(inbox(restored).await, then);
        assert_eq!((restored.clock().now(), restored.clock().is_frozen()), (now, true));
        restored.clock().run_to_idle().await;
        add(restored, 1002).await;
        assert_eq!(inbox(restored).await, end, "the work goes on as it did");
    }
    assert_eq!(other.active_faults().len(), 1, "faults are not part of it");
    let names: Vec<_> = std::fs::read_dir(directory.path()).unwrap().collect();
    assert_eq!(names.len(), 1, "only the file is left: {names:?}");
}

#[tokio::test]
async fn snapshot_that_does_not_fit_changes_nothing() {
    let emulator = frozen().await;
    add(&emulator, 1001).await;
    let taken = emulator.snapshot().await.unwrap().to_json();
    let taken: Value = serde_json::from_slice(&taken).unwrap();
    let changed = |pointer: &str, value: Value| {
        let mut changed = taken.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        changed.to_string()
    };
    let last = taken["items"].as_array().unwrap().len() - 1;
    let unknown = taken.to_string().replace(r#""is_frozen":"#, r#""frozen":"#);
    for (json, expected) in [
        ("{".to_owned(), "this is not a snapshot: EOF"),
        ("{}".to_owned(), "this is not a snapshot: missing field `format`"),
        (
            changed("/format", json!("platform-data")),
            "format is `platform-data` instead of",
        ),
        (
            changed("/version", json!(2)),
            "version 2 of snapshots is not supported; this server reads 1",
        ),
        (
            changed("/data", json!("0")),
            "taken with other data; start the server with the same data",
        ),
        (unknown, "unknown field `frozen`, expected one of `format`"),
        (
            changed("/items/0/pipeline_id", json!(99)),
            "items[0].pipeline_id: there is no pipeline 99",
        ),
        (
            changed("/items/1", taken["items"][0].clone()),
            "items[1].record.pipeline_item_id: ",
        ),
        (
            changed(&format!("/items/{last}/record/organization_id"), json!(999_999)),
            "there is no organization 999999",
        ),
    ] {
        let outcome = match Snapshot::from_json(json.as_bytes()) {
            Ok(snapshot) => emulator.restore(&snapshot).await,
            Err(error) => Err(error),
        };
        let error = outcome.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(items(&emulator).await, 2);
    }
    let small = Dataset::from_json("{}").unwrap();
    let other = Emulator::builder().data(small).start().await.unwrap();
    let snapshot = emulator.snapshot().await.unwrap();
    let outcome = other.restore(&snapshot).await;
    assert!(matches!(outcome, Err(SnapshotError::OtherData)), "{outcome:?}");
    let nowhere = snapshot.write("/nowhere/state.json".as_ref()).unwrap_err();
    assert!(
        nowhere.to_string().starts_with("the file cannot be used: "),
        "{nowhere}"
    );
}

#[tokio::test]
async fn snapshots_are_taken_and_restored_over_http() {
    let emulator = with_admin().await;
    add(&emulator, 1001).await;
    let then = inbox(&emulator).await;
    let taken = admin(&emulator, "GET /snapshot", &Value::Null).await;
    assert_eq!(
        (&taken.body["format"], &taken.body["version"]),
        (&json!("platform-snapshot"), &json!(1))
    );
    emulator.clock().run_to_idle().await;
    add(&emulator, 1002).await;
    assert_eq!(admin(&emulator, "PUT /snapshot", &taken.body).await.status, 204);
    assert_eq!((inbox(&emulator).await, emulator.clock().now()), (then, noon()));
    let mut other = taken.body.clone();
    other["data"] = json!("0");
    let rejected = admin(&emulator, "PUT /snapshot", &other).await;
    assert_eq!(rejected.status, 409, "{}", rejected.text);
    let rejected = admin(&emulator, "PUT /snapshot", &json!({})).await;
    assert_eq!(rejected.status, 422, "{}", rejected.text);
}
