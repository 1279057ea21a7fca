//! Adding organizations, and the background processes that this starts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use platform_server_stub::data::Dataset;
use platform_server_stub::model::item::Item;
use platform_server_stub::model::pipeline::EntityType;
use platform_server_stub::model::rejection::Rejection;
use platform_server_stub::model::sort::SortOrder;
use platform_server_stub::model::value::{ExecutionStatus, SyncStatus};
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::{Clock, ManualClock};

use super::{ALL, built_in_with_clock, item_id, organization_id, pipeline_id};

const CRM: i64 = 5;
const INBOX: i64 = 6;

/// An organization of the built-in data that is not in this pipeline yet.
async fn newcomer(platform: &Platform, pipeline: i64) -> i64 {
    let list = platform
        .list_items(pipeline_id(pipeline), None, SortOrder::Ascending, ALL)
        .await
        .unwrap();
    let is_new = |id| !list.items.iter().any(|item| item.organization_id == Some(id));
    let data = Dataset::built_in();
    let mut known = data.organizations().map(|known| known.organization.organization_id);
    known.find(|id| is_new(*id)).unwrap().get()
}

async fn add(platform: &Platform, pipeline: i64, organization: i64) -> Result<Arc<Item>, Rejection> {
    platform
        .add_organization(pipeline_id(pipeline), organization_id(organization))
        .await
}

async fn read(platform: &Platform, item: &Item) -> Arc<Item> {
    platform
        .get_item_values(item.pipeline_id, item.pipeline_item_id)
        .await
        .unwrap()
}

/// Advances the clock to the next moment at which something happens; false when nothing is left.
async fn step(clock: &ManualClock) -> bool {
    clock.settle().await;
    let Some(due) = clock.next_due() else {
        return false;
    };
    clock.advance((due - clock.now()).to_std().unwrap()).await;
    true
}

#[tokio::test]
async fn new_item_is_an_organization_with_every_question_pending() {
    let (platform, _clock) = built_in_with_clock();
    let organization = newcomer(&platform, INBOX).await;
    let item = add(&platform, INBOX, organization).await.unwrap();
    assert_eq!(item.entity_type, EntityType::Organization);
    assert_eq!(item.organization_id, Some(organization_id(organization)));
    assert_eq!((item.person_id, item.document_id), (None, None));
    assert_eq!(item.pipeline_item_id, item_id(600_002));
    let is_pending = |value: &_| {
        let value: &platform_server_stub::model::value::ColumnValue = value;
        value.result.is_empty() && value.status.is_none_or(|status| status == ExecutionStatus::Pending)
    };
    assert!(item.values.values().all(is_pending));
    assert_eq!(read(&platform, &item).await, item);
    assert!(!item.status().is_ready());
}

#[tokio::test]
async fn rejections_follow_the_order_of_checks_and_change_nothing() {
    let (platform, clock) = built_in_with_clock();
    let before = platform
        .list_items(pipeline_id(2), None, SortOrder::Ascending, ALL)
        .await
        .unwrap();
    assert!(matches!(
        add(&platform, 99, 1).await,
        Err(Rejection::PipelineNotFound(_))
    ));
    assert!(matches!(
        add(&platform, 3, 1).await,
        Err(Rejection::NotAnOrganizationPipeline { .. })
    ));
    assert!(matches!(
        add(&platform, 4, 1001).await,
        Err(Rejection::NotAnOrganizationPipeline { .. })
    ));
    assert!(matches!(
        add(&platform, 2, 1).await,
        Err(Rejection::OrganizationNotFound(_))
    ));
    assert!(matches!(
        add(&platform, 2, 1001).await,
        Err(Rejection::OrganizationAlreadyInPipeline { .. })
    ));
    let after = platform
        .list_items(pipeline_id(2), None, SortOrder::Ascending, ALL)
        .await
        .unwrap();
    assert_eq!(before, after);
    assert_eq!(clock.next_due(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn exactly_one_of_many_concurrent_identical_additions_succeeds() {
    let (platform, _clock) = built_in_with_clock();
    let organization = newcomer(&platform, INBOX).await;
    let adds: Vec<_> = (0..64)
        .map(|_| {
            let platform = platform.clone();
            tokio::spawn(async move { add(&platform, INBOX, organization).await })
        })
        .collect();
    let mut successes = 0;
    for outcome in adds {
        match outcome.await.unwrap() {
            Ok(_) => successes += 1,
            Err(rejection) => assert!(matches!(rejection, Rejection::OrganizationAlreadyInPipeline { .. })),
        }
    }
    assert_eq!(successes, 1);
    let list = platform
        .list_items(pipeline_id(INBOX), None, SortOrder::Ascending, ALL)
        .await
        .unwrap();
    assert_eq!(list.total_count, 2);
}

#[tokio::test]
async fn every_observed_state_follows_the_rules_of_transitions() {
    for pipeline in [CRM, INBOX] {
        let (platform, clock) = built_in_with_clock();
        let organization = newcomer(&platform, pipeline).await;
        let item = add(&platform, pipeline, organization).await.unwrap();
        let mut before = Arc::clone(&item);
        let mut ends = BTreeMap::new();
        while step(&clock).await {
            let now = read(&platform, &item).await;
            for (column, value) in &now.values {
                assert_eq!(value.faults(), [], "{column}");
                if let Some(end) = ends.get(column) {
                    assert_eq!(&(value.status, value.result.clone()), end, "{column} stays as it ended");
                } else if value.status.is_some_and(ExecutionStatus::is_terminal) {
                    ends.insert(*column, (value.status, value.result.clone()));
                }
                assert!(value.last_synced_at.is_none_or(|at| at <= clock.now()), "{column}");
                assert!(value.last_synced_at >= before.values[column].last_synced_at, "{column}");
            }
            assert!(
                now.status().is_ready() || !before.status().is_ready(),
                "readiness is not lost"
            );
            before = now;
        }
        assert!(before.status().is_ready());
        assert!(
            before
                .values
                .values()
                .all(|value| value.sync_status != Some(SyncStatus::Pending))
        );
    }
}

#[tokio::test]
async fn questions_are_answered_each_after_its_own_time() {
    let (platform, clock) = built_in_with_clock();
    let organization = newcomer(&platform, INBOX).await;
    let item = add(&platform, INBOX, organization).await.unwrap();
    let answered = async || {
        let now = read(&platform, &item).await;
        let is_answered = |status: ExecutionStatus| status.is_terminal();
        let count = now
            .values
            .values()
            .filter(|value| value.status.is_some_and(is_answered))
            .count();
        (now.status().platform_entity_data_ready, count)
    };
    assert_eq!(answered().await, (false, 0));
    clock.advance(Duration::from_millis(500)).await;
    assert_eq!(answered().await, (true, 0));
    clock.advance(Duration::from_millis(500)).await;
    assert_eq!(answered().await, (true, 1));
    clock.advance(Duration::from_millis(500)).await;
    assert_eq!(answered().await, (true, 2));
    clock.advance(Duration::from_secs(1)).await;
    assert_eq!(answered().await, (true, 4));
    assert!(read(&platform, &item).await.status().is_ready());
}

#[tokio::test]
async fn added_organization_ends_like_the_built_in_data() {
    let (platform, clock) = built_in_with_clock();
    let list = platform
        .list_items(pipeline_id(1), None, SortOrder::Ascending, ALL)
        .await
        .unwrap();
    let organization = newcomer(&platform, 1).await;
    let added = add(&platform, 1, organization).await.unwrap();
    assert_eq!(
        added.pipeline_item_id.get(),
        list.items.last().unwrap().pipeline_item_id.get() + 1
    );
    clock.advance(Duration::from_secs(60)).await;
    let done = read(&platform, &added).await;
    let pipeline = Dataset::built_in().pipeline(pipeline_id(1)).unwrap().clone();
    let data = Dataset::built_in();
    let known = data.organization(organization_id(organization)).unwrap();
    for question in &pipeline.questions {
        let answer = question.answer_of(Some(&known));
        let value = &done.values[&platform_server_stub::model::column::ColumnId::Question(question.question_id)];
        assert_eq!(
            (value.status, &value.result),
            (Some(answer.status), &answer.result),
            "{}",
            question.text
        );
    }
}

#[tokio::test]
async fn platform_that_is_shut_down_does_no_more_work() {
    let (platform, clock) = built_in_with_clock();
    let organization = newcomer(&platform, INBOX).await;
    let item = add(&platform, INBOX, organization).await.unwrap();
    platform.shut_down().await;
    clock.advance(Duration::from_secs(60)).await;
    assert_eq!(read(&platform, &item).await, item);
    assert_eq!(clock.next_due(), None);
}

#[tokio::test]
async fn processes_end_with_the_last_handle_on_the_platform() {
    let (platform, clock) = built_in_with_clock();
    let organization = newcomer(&platform, INBOX).await;
    add(&platform, INBOX, organization).await.unwrap();
    clock.settle().await;
    assert!(clock.next_due().is_some());
    drop(platform);
    clock.advance(Duration::from_secs(60)).await;
    assert_eq!(clock.next_due(), None);
}

#[tokio::test]
async fn platforms_do_not_see_each_others_items() {
    let (one, _clock) = built_in_with_clock();
    let (other, _clock) = built_in_with_clock();
    let organization = newcomer(&one, INBOX).await;
    let added = add(&one, INBOX, organization).await.unwrap();
    let read = other.get_item_values(pipeline_id(INBOX), added.pipeline_item_id).await;
    assert!(matches!(read, Err(Rejection::ItemNotFound(_))));
    assert!(add(&other, INBOX, organization).await.is_ok());
}
