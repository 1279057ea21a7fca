//! Listing and reading items.

use std::sync::Arc;

use platform_server_stub::model::rejection::Rejection;
use platform_server_stub::model::search::Page;
use platform_server_stub::model::sort::SortOrder;
use platform_server_stub::platform::Platform;

use super::{ALL, built_in, item_id, pipeline_id};

async fn walk(platform: &Platform, sort_by: Option<&str>, order: SortOrder, limit: usize) -> Vec<i64> {
    let mut walked = Vec::new();
    loop {
        let page = Page {
            skip: walked.len(),
            limit,
        };
        let list = platform.list_items(pipeline_id(1), sort_by, order, page).await.unwrap();
        assert!(list.items.len() <= limit);
        if list.items.is_empty() {
            assert_eq!(list.total_count, walked.len());
            return walked;
        }
        walked.extend(list.items.iter().map(|item| item.pipeline_item_id.get()));
    }
}

#[tokio::test]
async fn any_page_size_walks_to_the_same_collection_in_every_order() {
    let platform = built_in();
    let whole = walk(&platform, None, SortOrder::Ascending, usize::MAX).await;
    assert!(whole.is_sorted());
    for sort_by in [
        None,
        Some("question.101"),
        Some("question.102"),
        Some("question.103"),
        Some("question.104"),
    ] {
        for order in [SortOrder::Ascending, SortOrder::Descending] {
            let at_once = walk(&platform, sort_by, order, usize::MAX).await;
            for limit in [97, 100, 1000] {
                assert_eq!(
                    walk(&platform, sort_by, order, limit).await,
                    at_once,
                    "{sort_by:?} {order:?} by {limit}"
                );
            }
            let mut sorted = at_once;
            sorted.sort_unstable();
            assert_eq!(sorted, whole, "{sort_by:?} {order:?}");
        }
    }
}

#[tokio::test]
async fn page_past_the_end_is_empty_and_has_the_same_total() {
    let page = Page { skip: 12, limit: 5 };
    let list = built_in()
        .list_items(pipeline_id(2), None, SortOrder::Ascending, page)
        .await
        .unwrap();
    assert_eq!((list.total_count, list.items.len()), (12, 0));
}

#[tokio::test]
async fn column_to_sort_by_is_a_question_of_the_pipeline() {
    let platform = built_in();
    let list = async |pipeline, column| {
        platform
            .list_items(pipeline_id(pipeline), Some(column), SortOrder::Ascending, ALL)
            .await
    };
    assert!(list(2, "question.201").await.is_ok());
    assert!(matches!(
        list(2, "question.101").await,
        Err(Rejection::SortColumnNotFound { .. })
    ));
    for malformed in [
        "",
        "question.",
        "question.0201",
        "201",
        "organization.metrics.employee_count",
    ] {
        assert!(
            matches!(list(2, malformed).await, Err(Rejection::SortByMalformed)),
            "{malformed}"
        );
    }
    assert!(matches!(list(99, "").await, Err(Rejection::PipelineNotFound(_))));
}

#[tokio::test]
async fn item_is_read_only_in_its_own_pipeline() {
    let platform = built_in();
    let read = async |pipeline, item| platform.get_item_values(pipeline_id(pipeline), item_id(item)).await;
    assert_eq!(read(2, 200_001).await.unwrap().organization_id.unwrap().get(), 1001);
    assert!(matches!(
        read(1, 200_001).await,
        Err(Rejection::ItemInOtherPipeline { .. })
    ));
    assert!(matches!(read(2, 999_999).await, Err(Rejection::ItemNotFound(_))));
    assert!(matches!(read(99, 200_001).await, Err(Rejection::PipelineNotFound(_))));
    assert!(
        platform
            .get_item_status(pipeline_id(2), item_id(200_001))
            .await
            .unwrap()
            .is_ready()
    );
    let status = platform.get_item_status(pipeline_id(1), item_id(200_001)).await;
    assert!(matches!(status, Err(Rejection::ItemInOtherPipeline { .. })));
}

#[tokio::test]
async fn every_item_has_every_column_of_its_pipeline_and_no_other() {
    let platform = built_in();
    for pipeline in platform_server_stub::data::Dataset::built_in().pipelines() {
        let list = platform
            .list_items(pipeline.pipeline_id, None, SortOrder::Ascending, ALL)
            .await
            .unwrap();
        let columns = pipeline.entity_data.len() + pipeline.questions.len();
        for item in list.items {
            let item = Arc::unwrap_or_clone(item);
            assert_eq!(item.values.len(), columns, "{item:?}");
            assert!(item.values.values().all(|value| value.faults().is_empty()), "{item:?}");
        }
    }
}
