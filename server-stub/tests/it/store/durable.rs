//! Promises of a durable store alone: nothing is lost when the process ends, and unusable data is rejected.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use platform_server_stub::data::Dataset;
use platform_server_stub::model::ids::{OrganizationId, PipelineId};
use platform_server_stub::model::item::Item;
use platform_server_stub::model::value::{ColumnValue, Scalar, ValueCategory};
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::ManualClock;
use platform_server_stub::store::{Completed, DueChange, Ledger, Record, RedbLedger, StateError};
use proptest::prelude::*;
use redb::{Database, TableDefinition};
use serde_json::{Value, from_value, json};
use tempfile::TempDir;

use super::laws::{ALL, LEASE, add, at, data, exported, item, plan};
use super::{Store, durable, seed, state_file, wait};

const ABOUT: TableDefinition<&str, &str> = TableDefinition::new("platform-server-stub");

fn begun(data: &Dataset) -> Store {
    durable(data, TempDir::new().unwrap())
}

#[tokio::test]
async fn confirmed_changes_survive_a_killed_process() {
    let data = data(json!([item(5, 1)]), json!([item(3, 2)]));
    let mut ledger = begun(&data);
    for organization in 2..=6 {
        add(&*ledger, 2, organization, plan(&[1, 2, 3])).await.unwrap();
        let claimed = ledger.claim(at(organization as u64), LEASE, 2).await.unwrap();
        for claim in &claimed {
            let mut after = Item::clone(&claim.item);
            after.document_indexed = organization % 2 == 0;
            let done = ledger.complete(claim, after).await.unwrap();
            assert_eq!(done, Completed::Done);
        }
        let (before, due) = (exported(&*ledger).await, ledger.next_due().await.unwrap());
        ledger = ledger.killed(&data).await;
        assert_eq!(exported(&*ledger).await, before);
        assert_eq!(ledger.next_due().await.unwrap(), due);
    }
}

#[tokio::test]
async fn claims_of_a_killed_process_are_free_at_once() {
    let data = data(json!([]), json!([]));
    let ledger = begun(&data);
    add(&*ledger, 2, 1, plan(&[1, 1])).await.unwrap();
    assert_eq!(ledger.claim(at(1), LEASE, ALL).await.unwrap().len(), 1);
    let ledger = ledger.killed(&data).await;
    assert_eq!(ledger.next_due().await.unwrap(), Some(at(1)));
    assert_eq!(ledger.claim(at(1), LEASE, ALL).await.unwrap().len(), 1);
}

#[tokio::test]
async fn items_of_the_data_do_not_come_back_after_a_reset() {
    let data = data(json!([item(5, 1)]), json!([item(3, 2)]));
    let ledger = begun(&data);
    add(&*ledger, 3, 3, plan(&[1])).await.unwrap();
    let kept = exported(&*ledger).await.split_off(2);
    ledger.reset(kept.clone()).await.unwrap();
    let ledger = ledger.killed(&data).await;
    assert_eq!(exported(&*ledger).await, kept);
    ledger.reset(Vec::new()).await.unwrap();
    assert_eq!(exported(&*ledger.killed(&data).await).await, []);
}

#[tokio::test]
async fn unfinished_work_of_the_data_is_stored_at_the_start() {
    let data = data(json!([item(5, 1)]), json!([]));
    let work = plan(&[1, 2, 3]).into_iter().map(|step| DueChange::of(step, at(0)));
    let record = Record {
        item: data.items().next().unwrap().clone(),
        work: work.collect(),
    };
    let home = TempDir::new().unwrap();
    let open = || RedbLedger::open(home.path(), "data", [record.clone()]).unwrap();
    let ledger = open();
    let claim = ledger.claim(at(1), LEASE, 1).await.unwrap().remove(0);
    let after = Item::clone(&claim.item);
    ledger.complete(&claim, after).await.unwrap();
    let before = exported(&ledger).await;
    assert_eq!(before[0].work.len(), 2);
    drop(ledger);
    assert_eq!(exported(&open()).await, before);
}

fn any_scalar() -> impl Strategy<Value = Scalar> {
    let float = any::<f64>().prop_filter("JSON has no others", |float| float.is_finite());
    prop_oneof![
        float.prop_map(|float| Scalar::Number(serde_json::Number::from_f64(float).unwrap())),
        any::<i64>().prop_map(|number| Scalar::Number(number.into())),
        any::<u64>().prop_map(Scalar::from),
        any::<String>().prop_map(Scalar::Text),
        any::<bool>().prop_map(Scalar::from),
    ]
}

fn any_moment() -> impl Strategy<Value = DateTime<Utc>> {
    let seconds = -2_000_000_000..9_000_000_000i64;
    (seconds, 0..1_000_000_000u32).prop_map(|(seconds, nanos)| DateTime::from_timestamp(seconds, nanos).unwrap())
}

prop_compose! {
    fn any_record()(
        results in prop::collection::vec(prop::collection::vec(any_scalar(), 0..3), 3),
        references in prop::collection::vec(any::<String>(), 0..2),
        moment in any_moment(),
        error in prop::option::of(any::<String>()),
        due in prop::collection::vec(any_moment(), 4),
        ready in any::<bool>(),
    ) -> Record {
        let data = data(json!([item(5, 1)]), json!([]));
        let mut it = Item::clone(data.items().next().unwrap());
        let names = ["question.1", "question.2", "organization.name"];
        for (name, result) in names.iter().zip(&results) {
            it.values.insert(name.parse().unwrap(), ColumnValue {
                result: result.clone(),
                references: references.clone(),
                last_synced_at: Some(moment),
                sync_error: error.clone(),
                ..ColumnValue::pending_question(ValueCategory::Formula, Some("crm"))
            });
        }
        it.platform_entity_data_ready = ready;
        let changes = [
            json!({"change": "entity_data_fetched", "fields": {"organization.name": results[0]}}),
            json!({"change": "question_ended", "question_id": 1, "answer": {
                "status": "completed", "result": results[1], "certainty_score": 7, "references": references,
            }}),
            json!({"change": "sync_started", "column": "question.1"}),
            json!({"change": "sync_ended", "column": "organization.name", "error": error}),
        ];
        let change = |change: &Value| from_value(change.clone()).unwrap();
        let work = due.iter().zip(&changes).map(|(due, it)| DueChange { due: *due, change: change(it) });
        Record { item: it.into(), work: work.collect() }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn record_survives_a_round_trip(record in any_record()) {
        let home = TempDir::new().unwrap();
        let ledger = RedbLedger::open(home.path(), "data", []).unwrap();
        wait(ledger.reset(vec![record.clone()])).unwrap();
        drop(ledger);
        let ledger = RedbLedger::open(home.path(), "data", []).unwrap();
        prop_assert_eq!(wait(exported(&ledger)), [record]);
    }
}

/// The error for a rejected directory; its file stays as it is.
fn rejected(directory: &Path, data: &Dataset) -> (StateError, String) {
    let file = state_file(directory);
    let before = fs::read(&file).ok();
    let error = RedbLedger::open(directory, &data.fingerprint(), seed(data)).unwrap_err();
    assert!(fs::read(&file).ok() == before, "the file was changed: {error}");
    let text = error.to_string();
    (error, text)
}

#[test]
fn directory_belongs_to_one_server_at_a_time() {
    let data = data(json!([]), json!([]));
    let first = begun(&data);
    let home = first.home.directory().path();
    let second = RedbLedger::open(home, &data.fingerprint(), seed(&data));
    let error = second.unwrap_err();
    assert!(matches!(error, StateError::InUse(_)), "{error}");
    assert!(error.to_string().contains("stop that one"), "{error}");
    let Store { ledger, home, .. } = first;
    drop(ledger);
    durable(&data, home.into_directory());
}

#[test]
fn files_of_other_programs_are_rejected_and_left_alone() {
    let data = data(json!([]), json!([]));
    for contents in ["# Notes\n".repeat(1000).as_bytes(), b"x", &[0; 100_000]] {
        let home = TempDir::new().unwrap();
        fs::write(state_file(home.path()), contents).unwrap();
        let (error, text) = rejected(home.path(), &data);
        assert!(matches!(error, StateError::Foreign(_)), "{text}");
        assert!(text.contains("state.redb is not a state file"), "{text}");
    }
}

#[test]
fn database_of_another_program_is_rejected() {
    let data = data(json!([]), json!([]));
    let home = TempDir::new().unwrap();
    let other = Database::create(state_file(home.path())).unwrap();
    let transaction = other.begin_write().unwrap();
    let table: TableDefinition<u64, u64> = TableDefinition::new("items");
    transaction.open_table(table).unwrap().insert(1, 2).unwrap();
    transaction.commit().unwrap();
    drop(other);
    let error = RedbLedger::open(home.path(), &data.fingerprint(), seed(&data)).unwrap_err();
    assert!(matches!(error, StateError::Foreign(_)), "{error}");
}

#[test]
fn file_of_another_format_is_rejected() {
    let data = data(json!([]), json!([]));
    let Store { ledger, home, .. } = begun(&data);
    drop(ledger);
    let home = home.into_directory();
    let file = Database::open(state_file(home.path())).unwrap();
    let transaction = file.begin_write().unwrap();
    let mut about = transaction.open_table(ABOUT).unwrap();
    about.insert("format", "2").unwrap();
    drop(about);
    transaction.commit().unwrap();
    drop(file);
    let error = RedbLedger::open(home.path(), &data.fingerprint(), seed(&data)).unwrap_err();
    assert!(matches!(error, StateError::OtherFormat { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("format 2") && text.contains("use the version that wrote it"),
        "{text}"
    );
}

#[test]
fn file_of_other_data_is_rejected() {
    let one = data(json!([item(5, 1)]), json!([]));
    let Store { ledger, home, .. } = begun(&one);
    drop(ledger);
    let home = home.into_directory();
    for items in [json!([]), json!([item(5, 2)]), json!([item(6, 1)])] {
        let other = data(items, json!([]));
        let error = RedbLedger::open(home.path(), &other.fingerprint(), seed(&other)).unwrap_err();
        assert!(matches!(error, StateError::OtherData(_)), "{error}");
        assert!(
            error
                .to_string()
                .contains("was created with other data; start with that data")
        );
    }
    durable(&data(json!([item(5, 1)]), json!([])), home);
}

#[test]
fn half_initialized_file_is_initialized_again() {
    let data = data(json!([]), json!([]));
    let home = TempDir::new().unwrap();
    fs::write(home.path().join("state.redb.new"), "half").unwrap();
    durable(&data, home);
}

#[test]
fn place_that_cannot_be_a_directory_is_rejected_with_its_path() {
    let data = data(json!([]), json!([]));
    let home = TempDir::new().unwrap();
    let file = home.path().join("file");
    fs::write(&file, "x").unwrap();
    for place in [&*file, &file.join("below")] {
        let error = RedbLedger::open(place, &data.fingerprint(), seed(&data)).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("cannot create") && text.contains("file"), "{text}");
        assert!(text.ends_with("use a directory"), "{text}");
    }
}

/// No user may create a directory there, not even one who may write everywhere else.
#[cfg(target_os = "linux")]
#[test]
fn place_that_cannot_be_written_is_rejected_with_its_path() {
    let data = data(json!([]), json!([]));
    let place = Path::new("/proc/state-of-the-platform");
    let error = RedbLedger::open(place, &data.fingerprint(), seed(&data)).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("cannot create /proc/state-of-the-platform"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn concurrent_additions_get_distinct_ids_and_survive() {
    let organizations: Vec<_> = (1..=400)
        .map(|id| json!({"organization_id": id, "name": "Weaver", "description": "Weaves."}))
        .collect();
    let document = json!({"organizations": organizations, "pipelines": [{"pipeline_id": 2, "name": "two"}]});
    let data = Dataset::from_json(&document.to_string()).unwrap();
    let ledger = begun(&data);
    let adding = (1..=400).map(|organization| add(&*ledger, 2, organization, plan(&[1])));
    let added = futures::future::try_join_all(adding).await.unwrap();
    assert_eq!(added.len(), 400);
    let before = exported(&*ledger).await;
    let ids: Vec<_> = before.iter().map(|it| it.item.pipeline_item_id.get()).collect();
    assert_eq!(ids, (1..=400).collect::<Vec<_>>());
    let ledger = ledger.killed(&data).await;
    assert_eq!(exported(&*ledger).await, before);
    // Each change is made once, however many requests come at once.
    let claims = ledger.claim(at(1) + Duration::ZERO, LEASE, 1000).await.unwrap();
    let twice = claims.iter().chain(&claims);
    let done = twice.map(|claim| ledger.complete(claim, Item::clone(&claim.item)));
    let done = futures::future::try_join_all(done).await.unwrap();
    let count = done.iter().filter(|it| **it == Completed::Done).count();
    assert_eq!((claims.len(), count, done.len()), (400, 400, 800));
    assert_eq!(ledger.next_due().await.unwrap(), None);
}

/// A change here means that directories of earlier versions are rejected as created with other data.
#[test]
fn fingerprint_is_the_same_in_every_version() {
    let document = json!({
        "organizations": [{"organization_id": 1, "name": "Weaver", "description": "Weaves."}],
        "products": [{"product_id": 1, "organization_id": 1, "name": "Sail", "description": "A sail."}],
        "pipelines": [{"pipeline_id": 1, "name": "one", "questions": [{"question_id": 1, "text": "?", "answer_type": "yes_no", "answer": {
            "resembles": {"of": "description", "text": "linen", "within": 0.5},
        }}], "items": [{"pipeline_item_id": 1, "organization_id": 1}]}],
    });
    let fingerprint = |document: &Value| {
        let data = Dataset::from_json(&document.to_string());
        data.unwrap().fingerprint()
    };
    assert_eq!(fingerprint(&document), "c1508f2f7924b99c");
    let others = [
        ("/organizations/0/description", json!("Dyes.")),
        ("/products/0/product_id", json!(2)),
        ("/pipelines/0/questions/0/answer/resembles/text", json!("hemp")),
        ("/pipelines/0/items/0/pipeline_item_id", json!(2)),
    ];
    for (place, value) in others {
        let mut other = document.clone();
        *other.pointer_mut(place).unwrap() = value;
        assert_ne!(fingerprint(&other), fingerprint(&document), "{place}");
    }
}

/// A server that starts with another server's exported data responds as that server does, then and later.
#[tokio::test]
async fn data_written_from_a_state_is_read_back_with_its_work() {
    let organizations: Vec<_> = (1..=9)
        .map(|id| json!({"organization_id": id, "name": "Weaver", "description": "Weaves."}))
        .collect();
    let document = json!({"organizations": organizations, "pipelines": [{
        "pipeline_id": 2,
        "name": "two",
        "entity_data": ["organization.name", "organization.domain"],
        "entity_data_takes_seconds": 1.5,
        "crm_sync": {"provider": "crm", "rejects": [{"column": "question.2", "error": "too long"}]},
        "questions": [
            {"question_id": 1, "text": "Name?", "answer": {"field": "organization.name"}, "takes_seconds": 2},
            {"question_id": 2, "text": "Text?", "answer": {"field": "organization.description"}},
            {"question_id": 3, "text": "Chief?"},
        ],
        "items": [{"pipeline_item_id": 4, "organization_id": 9}],
    }]});
    let data = Arc::new(Dataset::from_json(&document.to_string()).unwrap());
    let home = TempDir::new().unwrap();
    let clock = ManualClock::new(at(1_800_000_000));
    let one = Platform::with_state(Arc::clone(&data), Arc::new(clock.clone()), home.path()).unwrap();
    for organization in 1..=8 {
        let id = OrganizationId::new(organization).unwrap();
        one.add_organization(PipelineId::new(2).unwrap(), id).await.unwrap();
        clock.advance(Duration::from_millis(400)).await;
    }
    let written = home.path().join("export.jsonl");
    let records = one.export().await.unwrap();
    assert!(records.iter().any(|record| record.work.len() > 5));
    data.write_with(records.clone(), &written).unwrap();
    let again = Arc::new(Dataset::read(&written).unwrap());
    assert_eq!(again.records().collect::<Vec<_>>(), records);

    let other = Platform::in_memory(again, Arc::new(clock.clone()));
    other.resume();
    clock.advance(Duration::from_secs(60)).await;
    let (one, other) = (one.export().await.unwrap(), other.export().await.unwrap());
    assert!(
        one.iter()
            .all(|record| record.work.is_empty() && record.item.status().is_ready())
    );
    assert_eq!(one, other);
}

#[test]
fn invalid_work_is_rejected_with_its_place() {
    let table = [
        (
            json!({"change": "sync_started", "column": "question.7"}),
            "question.7 is not a column",
        ),
        (
            json!({"change": "sync_started", "column": "question.1"}),
            "has no crm_sync",
        ),
        (
            json!({"change": "question_ended", "question_id": 1, "answer": {
                "status": "failed", "result": ["x"], "certainty_score": null, "references": [],
            }}),
            "result is empty unless status is completed",
        ),
    ];
    for (mut change, reason) in table {
        change["due"] = json!("2026-11-20T12:00:00Z");
        let document = json!({
            "organizations": [{"organization_id": 1, "name": "Weaver", "description": "Weaves."}],
            "pipelines": [{
                "pipeline_id": 1,
                "name": "one",
                "questions": [{"question_id": 1, "text": "?"}],
                "items": [{"pipeline_item_id": 1, "organization_id": 1, "work": [change]}],
            }],
        });
        let error = Dataset::from_json(&document.to_string()).unwrap_err().to_string();
        assert!(error.starts_with("pipelines[0].items[0].work[0]"), "{error}");
        assert!(error.contains(reason), "{error}");
    }
}
