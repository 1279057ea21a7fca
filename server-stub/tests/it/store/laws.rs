//! Promises of every ledger, checked on each.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures::TryStreamExt;
use futures::future::join_all;
use platform_server_stub::data::Dataset;
use platform_server_stub::model::column::ColumnId;
use platform_server_stub::model::ids::{MAX_ID, OrganizationId, PipelineId, PipelineItemId, QuestionId};
use platform_server_stub::model::item::{Item, NewItem};
use platform_server_stub::model::process::{Change, Step};
use platform_server_stub::model::search::Page;
use platform_server_stub::model::sort::ItemOrder;
use platform_server_stub::model::store_error::StoreError;
use platform_server_stub::model::value::{ColumnValue, Scalar, ValueCategory};
use platform_server_stub::store::{Added, Completed, Ledger, Record};
use serde_json::{Value, json};

use super::{Kind, NAIVE, Store, kinds};

const SECOND: Duration = Duration::from_secs(1);
pub(super) const LEASE: Duration = Duration::from_secs(30);
pub(super) const ALL: usize = 100;

/// Ledgers of every kind, each with these items in the pipelines 2 and 3.
async fn ledgers(items_of_2: Value, items_of_3: Value) -> Vec<(&'static str, Store)> {
    let data = data(items_of_2, items_of_3);
    let mut ledgers = Vec::new();
    for Kind { name, make } in kinds().into_iter().chain([NAIVE]) {
        ledgers.push((name, make(&data).await));
    }
    ledgers
}

pub(super) fn data(items_of_2: Value, items_of_3: Value) -> Dataset {
    let organizations: Vec<_> = (1..=9)
        .map(|id| json!({"organization_id": id, "name": "Weaver", "description": "Weaves."}))
        .collect();
    let document = json!({"organizations": organizations, "pipelines": [
        {"pipeline_id": 2, "name": "two", "items": items_of_2},
        {"pipeline_id": 3, "name": "three", "items": items_of_3},
    ]});
    Dataset::from_json(&document.to_string()).unwrap()
}

pub(super) fn item(id: i64, organization: i64) -> Value {
    json!({"pipeline_item_id": id, "organization_id": organization})
}

pub(super) fn at(seconds: u64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + Duration::from_secs(seconds)
}

/// Steps that change nothing, each due the given number of seconds after the addition of the item.
pub(super) fn plan(seconds: &[u64]) -> Vec<Step> {
    let step = |after: &u64| Step {
        after: Duration::from_secs(*after),
        change: Change::EntityDataFetched {
            fields: BTreeMap::new(),
        },
    };
    seconds.iter().map(step).collect()
}

pub(super) async fn add(
    ledger: &dyn Ledger,
    pipeline: i64,
    organization: i64,
    plan: Vec<Step>,
) -> Result<Added, StoreError> {
    let new = NewItem {
        pipeline_id: PipelineId::new(pipeline).unwrap(),
        organization_id: OrganizationId::new(organization).unwrap(),
        values: BTreeMap::new(),
        platform_entity_data_ready: false,
    };
    ledger.add(new, plan, at(0)).await
}

/// The id under which an organization was added.
async fn id(ledger: &dyn Ledger, pipeline: i64, organization: i64) -> i64 {
    match add(ledger, pipeline, organization, Vec::new()).await.unwrap() {
        Added::New(item) => item.pipeline_item_id.get(),
        Added::Already(id) => panic!("is there already, as {id}"),
    }
}

pub(super) async fn exported(ledger: &dyn Ledger) -> Vec<Record> {
    ledger.export().try_collect().await.unwrap()
}

#[tokio::test]
async fn new_item_gets_the_next_id_of_its_pipeline_that_no_other_pipeline_uses() {
    for (name, ledger) in ledgers(json!([item(10, 1), item(7, 2)]), json!([item(11, 1)])).await {
        assert_eq!(id(&*ledger, 2, 3).await, 12, "{name}");
        assert_eq!(id(&*ledger, 3, 3).await, 13, "{name}");
        assert_eq!(id(&*ledger, 2, 4).await, 14, "{name}");
    }
}

#[tokio::test]
async fn first_item_of_a_pipeline_gets_an_id_after_all_others() {
    for (name, ledger) in ledgers(json!([]), json!([])).await {
        assert_eq!(id(&*ledger, 2, 1).await, 1, "{name}");
        assert_eq!(id(&*ledger, 3, 1).await, 2, "{name}");
    }
}

#[tokio::test]
async fn organization_is_in_a_pipeline_once() {
    for (name, ledger) in ledgers(json!([item(1, 1)]), json!([])).await {
        let there = Added::Already(PipelineItemId::new(1).unwrap());
        assert_eq!(add(&*ledger, 2, 1, plan(&[1])).await.unwrap(), there, "{name}");
        assert_eq!(id(&*ledger, 3, 1).await, 2, "{name}");
        assert_eq!(ledger.next_due().await.unwrap(), None, "{name}: nothing was done");
        let adds = (0..20).map(|_| add(&*ledger, 2, 2, Vec::new()));
        let new = join_all(adds).await.into_iter();
        let new = new.filter(|added| matches!(added, Ok(Added::New(_))));
        assert_eq!(new.count(), 1, "{name}");
    }
}

#[tokio::test]
async fn smallest_free_id_follows_the_largest_id() {
    let last = json!([item(MAX_ID - 1, 1), item(1, 2), item(2, 3), item(4, 4)]);
    for (name, ledger) in ledgers(last, json!([])).await {
        assert_eq!(id(&*ledger, 2, 5).await, MAX_ID, "{name}");
        assert_eq!(id(&*ledger, 2, 6).await, 3, "{name}");
        assert_eq!(id(&*ledger, 3, 6).await, 5, "{name}");
        let all = Page { skip: 0, limit: 10 };
        let pipeline = PipelineId::new(2).unwrap();
        let items = ledger.items(pipeline, ItemOrder::default(), all).await;
        let items = items.unwrap().items;
        let ids: Vec<_> = items.iter().map(|item| item.pipeline_item_id.get()).collect();
        assert_eq!(ids, [1, 2, 3, 4, MAX_ID - 1, MAX_ID], "{name}");
    }
}

#[tokio::test]
async fn due_changes_are_claimed_once_each_and_one_per_item() {
    for (name, ledger) in ledgers(json!([]), json!([])).await {
        add(&*ledger, 2, 1, plan(&[2, 2])).await.unwrap();
        add(&*ledger, 2, 2, plan(&[1])).await.unwrap();
        assert_eq!(ledger.next_due().await.unwrap(), Some(at(1)), "{name}");
        assert_eq!(ledger.claim(at(0), LEASE, ALL).await.unwrap(), [], "{name}");
        let due = ledger.claim(at(2), LEASE, ALL).await.unwrap();
        let ids: Vec<_> = due.iter().map(|it| it.item.pipeline_item_id.get()).collect();
        assert_eq!(ids, [2, 1], "{name}: the earlier first");
        assert_eq!(ledger.claim(at(2), LEASE, ALL).await.unwrap(), [], "{name}");
        for claim in &due {
            let after = Item {
                platform_entity_data_ready: true,
                ..Item::clone(&claim.item)
            };
            let completed = ledger.complete(claim, after.clone()).await.unwrap();
            assert_eq!(completed, Completed::Done, "{name}");
            let stored = ledger.item(after.pipeline_item_id).await.unwrap();
            assert_eq!(*stored.unwrap(), after, "{name}");
            let again = ledger.complete(claim, Item::clone(&claim.item)).await;
            assert_eq!(again.unwrap(), Completed::LeaseLost, "{name}");
            let stored = ledger.item(after.pipeline_item_id).await.unwrap();
            assert_eq!(*stored.unwrap(), after, "{name}: done once");
        }
        let rest = ledger.claim(at(2), LEASE, ALL).await.unwrap();
        assert_eq!(rest.len(), 1, "{name}: the second change of the first item");
        let after = Item::clone(&rest[0].item);
        ledger.complete(&rest[0], after).await.unwrap();
        assert_eq!(ledger.next_due().await.unwrap(), None, "{name}");
    }
}

#[tokio::test]
async fn at_most_the_requested_number_is_claimed() {
    for (name, ledger) in ledgers(json!([]), json!([])).await {
        for organization in 1..=5 {
            add(&*ledger, 2, organization, plan(&[1])).await.unwrap();
        }
        let mut claimed = Vec::new();
        for expected in [2, 2, 1, 0] {
            let some = ledger.claim(at(1), LEASE, 2).await.unwrap();
            assert_eq!(some.len(), expected, "{name}");
            claimed.extend(some.iter().map(|it| it.item.pipeline_item_id.get()));
        }
        assert_eq!(claimed, [1, 2, 3, 4, 5], "{name}");
    }
}

#[tokio::test]
async fn expired_lease_can_be_claimed_by_another_and_is_lost_to_the_first() {
    for (name, ledger) in ledgers(json!([]), json!([])).await {
        add(&*ledger, 2, 1, plan(&[1])).await.unwrap();
        let first = ledger.claim(at(1), LEASE, ALL).await.unwrap().remove(0);
        let end = at(1) + LEASE;
        assert_eq!(ledger.next_due().await.unwrap(), Some(end), "{name}");
        let early = ledger.claim(end - SECOND, LEASE, ALL).await.unwrap();
        assert_eq!(early, [], "{name}");
        let second = ledger.claim(end, LEASE, ALL).await.unwrap().remove(0);
        let late = ledger.complete(&first, Item::clone(&first.item)).await;
        assert_eq!(late.unwrap(), Completed::LeaseLost, "{name}");
        let done = ledger.complete(&second, Item::clone(&second.item)).await;
        assert_eq!(done.unwrap(), Completed::Done, "{name}");
        assert_eq!(ledger.next_due().await.unwrap(), None, "{name}");
    }
}

#[tokio::test]
async fn ledger_that_is_reset_with_an_export_has_the_same_contents() {
    let begun = ledgers(json!([item(5, 1)]), json!([item(3, 2)])).await;
    let others = ledgers(json!([item(9, 9)]), json!([])).await;
    for ((name, ledger), (_, other)) in begun.into_iter().zip(others) {
        add(&*ledger, 2, 2, plan(&[1, 2, 3])).await.unwrap();
        add(&*other, 3, 3, plan(&[1])).await.unwrap();
        let lost = other.claim(at(1), LEASE, ALL).await.unwrap().remove(0);
        let claim = ledger.claim(at(1), LEASE, ALL).await.unwrap().remove(0);
        let after = Item::clone(&claim.item);
        ledger.complete(&claim, after).await.unwrap();
        let records = exported(&*ledger).await;
        let left: Vec<_> = records.iter().map(|record| record.work.len()).collect();
        assert_eq!(left, [0, 0, 2], "{name}");
        other.reset(records.clone()).await.unwrap();
        assert_eq!(exported(&*other).await, records, "{name}");
        assert_eq!(other.next_due().await.unwrap(), Some(at(2)), "{name}");
        let late = other.complete(&lost, Item::clone(&lost.item)).await;
        assert_eq!(late.unwrap(), Completed::LeaseLost, "{name}");
        for organization in 3..=5 {
            let (here, there) = (id(&*ledger, 3, organization).await, id(&*other, 3, organization).await);
            assert_eq!(here, there, "{name}");
        }
    }
}

#[tokio::test]
async fn sorted_list_follows_the_answers_as_they_change() {
    let question = QuestionId::new(1).unwrap();
    let order = ItemOrder {
        sort_by: Some(question),
        ..ItemOrder::default()
    };
    for (name, ledger) in ledgers(json!([]), json!([])).await {
        add(&*ledger, 2, 1, plan(&[1, 1, 1, 1])).await.unwrap();
        add(&*ledger, 2, 2, plan(&[1, 1, 1, 1])).await.unwrap();
        for (answers, expected) in [
            ([Some("b"), Some("a")], [2, 1]),
            ([Some("b"), Some("c")], [1, 2]),
            ([None, Some("c")], [2, 1]),
            ([Some("c"), Some("c")], [1, 2]),
        ] {
            let claims = ledger.claim(at(1), LEASE, ALL).await.unwrap();
            for claim in &claims {
                let answer = answers[usize::try_from(claim.item.pipeline_item_id.get() - 1).unwrap()];
                let value = ColumnValue {
                    result: answer.into_iter().map(Scalar::from).collect(),
                    ..ColumnValue::pending_question(ValueCategory::Llm, None)
                };
                let mut after = Item::clone(&claim.item);
                after.values.insert(ColumnId::Question(question), value);
                ledger.complete(claim, after).await.unwrap();
            }
            let all = Page { skip: 0, limit: 10 };
            let items = ledger
                .items(PipelineId::new(2).unwrap(), order, all)
                .await
                .unwrap()
                .items;
            let ids: Vec<_> = items.iter().map(|item| item.pipeline_item_id.get()).collect();
            assert_eq!(ids, expected, "{name}, {answers:?}");
        }
    }
}

#[tokio::test]
async fn opened_store_can_serve() {
    for (name, ledger) in ledgers(json!([]), json!([])).await {
        assert!(ledger.ready().await.is_ok(), "{name}");
    }
}

#[tokio::test]
async fn ledger_stays_whole_if_a_caller_gives_up() {
    for (name, ledger) in ledgers(json!([]), json!([])).await {
        for organization in 1..=9 {
            let mut adding = Box::pin(add(&*ledger, 2, organization, plan(&[1])));
            let _ = futures::poll!(&mut adding);
        }
        // The change requested last is made last.
        add(&*ledger, 3, 1, plan(&[1])).await.unwrap();
        for record in exported(&*ledger).await {
            assert_eq!(record.work.len(), 1, "{name}: {record:?}");
        }
    }
}
