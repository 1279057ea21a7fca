//! Walks of all seven paged operations, against the reference server.

use std::fmt::Debug;

use platform_sdk::paging::{Cursor, Drift, Event, Walk};
use platform_sdk::types::{PipelineItem, SortOrder};
use platform_sdk::{Client, Error, PipelineItemId};

use super::reference_server::{COLD_FISH, Reference};

/// Asserts that the walk yields the same items for any page size and when resumed. Returns the items.
async fn walked<T>(walk: impl Fn() -> Walk<T>) -> Vec<T>
where
    T: Debug + PartialEq + Send + 'static,
{
    let whole = walk().collect().await.unwrap();
    assert!(whole.len() > 20, "too few for several pages");
    for (page_size, prefetch) in [(2, 4), (7, 1), (19, 3), (100, 2)] {
        let other = walk().page_size(page_size).prefetch(prefetch);
        assert_eq!(other.collect().await.unwrap(), whole);
    }
    let mut items = walk().page_size(8).items().unwrap();
    let mut beginning = Vec::new();
    for _ in 0..11 {
        beginning.push(items.next().await.unwrap().unwrap());
    }
    let stored = serde_json::to_string(&items.cursor()).unwrap();
    let cursor: Cursor = serde_json::from_str(&stored).unwrap();
    beginning.extend(walk().resume(cursor).collect().await.unwrap());
    assert_eq!(beginning, whole);
    whole
}

#[tokio::test]
async fn every_search_for_organizations_is_walked() {
    let server = Reference::start().await;
    let client = server.client("dev-read-only");
    let by_description = || {
        let search = client.search_organizations_by_description();
        search.description(COLD_FISH).limit(50).walk()
    };
    let by_customer = || {
        let search = client.search_organizations_by_customer();
        search.organization_customer("seafood exporters").limit(50).walk()
    };
    let by_organization = || {
        let search = client.search_organizations_by_organization();
        search.organization_id(1001).limit(50).walk()
    };
    for results in [
        walked(by_description).await,
        walked(by_customer).await,
        walked(by_organization).await,
    ] {
        let distances = results.iter().map(|result| result.similarity.cosine_distance);
        assert!(distances.is_sorted());
        assert_eq!(results.len(), 50);
    }
}

#[tokio::test]
async fn every_search_for_products_is_walked() {
    let server = Reference::start().await;
    let client = server.client("dev-read-only");
    let by_description = || {
        let search = client.search_products_by_description();
        search.description(COLD_FISH).skip(10).limit(50).walk()
    };
    let by_customer = || {
        let search = client.search_products_by_customer();
        search.product_customer("hospital pharmacies").limit(50).walk()
    };
    let by_product = || {
        let search = client.search_products_by_product();
        search.product_id(5001).limit(50).walk()
    };
    for results in [
        walked(by_description).await,
        walked(by_customer).await,
        walked(by_product).await,
    ] {
        let distances = results.iter().map(|result| result.similarity.cosine_distance);
        assert!(distances.is_sorted());
        assert_eq!(results.len(), 50);
    }
}

#[tokio::test]
async fn pipeline_is_walked_by_id_and_by_a_question() {
    let server = Reference::start().await;
    let client = server.client("dev-read-only");
    let request = client.list_items().pipeline_id(1).skip(1000);
    let id = |item: &platform_sdk::types::PipelineItem| item.pipeline_item_id;
    let by_id: Vec<PipelineItemId> = walked(|| request.clone().walk()).await.iter().map(id).collect();
    assert!(by_id.is_sorted());

    let sorted = client.list_items().pipeline_id(1).sort_by("question.101");
    let sorted = sorted.sort_order(SortOrder::Desc);
    let walk = || sorted.clone().walk().page_size(90);
    let pages = walk().collect().await.unwrap();
    let page = sorted.clone().limit(1000).send().await.unwrap().into_inner();
    assert_eq!(pages[..1000], page.items);
    assert_eq!(pages.len() as i64, page.total_count);
    let mut ids: Vec<PipelineItemId> = pages.iter().map(id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), pages.len());
}

#[tokio::test]
async fn search_is_walked_to_the_maximum_and_reports_truncation() {
    let server = Reference::start().await;
    let client = server.client("dev-read-only");
    let search = client.search_organizations_by_description().description(COLD_FISH);
    let mut results = search.clone().walk().items().unwrap();
    let mut count = 0;
    while let Some(result) = results.next().await {
        result.unwrap();
        count += 1;
    }
    assert_eq!(count, 1000);
    assert!(results.is_truncated());
    assert!(results.total_count().is_some_and(|total| total > 1000));

    let narrower = search.countries(["NO", "DK"]).walk();
    let mut pages = narrower.page_size(20).pages().unwrap();
    let mut count = 0;
    while let Some(page) = pages.next().await {
        count += page.unwrap().items.len() as u64;
    }
    assert!(!pages.is_truncated());
    assert_eq!(pages.total_count(), Some(count));
}

#[tokio::test]
async fn skip_beyond_the_maximum_of_a_search_is_rejected_by_the_server() {
    let server = Reference::start().await;
    let client = server.client("dev-read-only");
    let search = client.search_organizations_by_description().description(COLD_FISH);
    let error = search.skip(1000).walk().collect().await.unwrap_err();
    assert!(error.is_invalid());
    assert!(error.to_string().contains("query.skip: "), "{error}");
}

/// Starts a server and adds four items to pipeline 6, so that a walk takes several pages of three.
async fn growing() -> (Reference, Client) {
    let server = Reference::start().await;
    let client = server.client("dev-full-access");
    for organization in 1002..=1005 {
        add(&client, organization).await;
    }
    (server, client)
}

async fn add(client: &Client, organization: i64) {
    let request = client.add_organization().pipeline_id(6);
    request.organization_id(organization).send().await.unwrap();
}

#[tokio::test]
async fn item_added_during_a_walk_by_id_comes_at_its_end() {
    let (_server, client) = growing().await;
    for prefetch in [1, 4] {
        let walk = || {
            let items = client.list_items().pipeline_id(6).sort_order(SortOrder::Asc);
            items.walk().page_size(3).prefetch(prefetch)
        };
        let before = ids(&walk().collect().await.unwrap());
        let newcomer = 1006 + prefetch as i64;

        let mut items = walk().items().unwrap();
        let mut pages = walk().pages().unwrap();
        let mut given = vec![items.next().await.unwrap().unwrap()];
        let mut paged = pages.next().await.unwrap().unwrap().items;
        let kept = pages.cursor();
        add(&client, newcomer).await;

        while let Some(item) = items.next().await {
            given.push(item.unwrap());
        }
        while let Some(page) = pages.next().await {
            paged.extend(page.unwrap().items);
        }
        // With prefetch, the walk may have reached its end before the new item was added.
        given.extend(walk().resume(items.cursor()).collect().await.unwrap());
        paged.extend(walk().resume(pages.cursor()).collect().await.unwrap());
        let all = ids(&walk().collect().await.unwrap());
        assert_eq!(all.len(), before.len() + 1);
        assert_eq!(ids(&given), all);
        assert_eq!(ids(&paged), all);

        // Resumes from a cursor taken before the addition, then from one at the end, which yields new items.
        for _ in 0..2 {
            let rest = walk().resume(kept.clone()).collect().await.unwrap();
            assert_eq!(ids(&rest), all[3..]);
        }
        let mut rest = walk().resume(kept).items().unwrap();
        while let Some(item) = rest.next().await {
            item.unwrap();
        }
        add(&client, newcomer + 100).await;
        let new = walk().resume(rest.cursor()).collect().await.unwrap();
        assert_eq!(new.len(), 1);
        assert_eq!(new[0].organization_id, Some((newcomer + 100).into()));
    }
}

#[tokio::test]
async fn cursor_passes_the_error_of_an_item_added_during_a_walk_newest_first() {
    let (_server, client) = growing().await;
    let newest_first = client.list_items().pipeline_id(6);
    let newest_first = newest_first.sort_order(SortOrder::Desc);
    let walk = || newest_first.clone().walk().page_size(3).prefetch(1);
    let before = ids(&walk().collect().await.unwrap());
    let mut pages = walk().pages().unwrap();
    let mut given = ids(&pages.next().await.unwrap().unwrap().items);
    add(&client, 1006).await;
    assert!(pages.next().await.unwrap().unwrap_err().is_drift());
    let rest = walk().resume(pages.cursor()).collect().await.unwrap();
    given.extend(ids(&rest));
    assert_eq!(given, before);
}

fn ids(items: &[PipelineItem]) -> Vec<PipelineItemId> {
    items.iter().map(|item| item.pipeline_item_id).collect()
}

#[tokio::test]
async fn item_added_during_a_sorted_walk_is_an_error_by_default() {
    let (_server, client) = growing().await;
    let walk = || {
        let items = client.list_items().pipeline_id(6).sort_by("question.601");
        items.walk().page_size(3).prefetch(1)
    };

    let mut items = walk().items().unwrap();
    let mut events = walk().events().unwrap();
    let mut pages = walk().pages().unwrap();
    items.next().await.unwrap().unwrap();
    events.next().await.unwrap().unwrap();
    let before = pages.next().await.unwrap().unwrap().total_count;
    let now = before + 1;
    add(&client, 1006).await;

    let drift = Drift::TotalChanged { before, now };
    let error = loop {
        if let Err(error) = items.next().await.unwrap() {
            break error;
        }
    };
    assert!(is_this(&error, &drift));
    assert!(is_this(&pages.next().await.unwrap().unwrap_err(), &drift));

    let mut drifts = Vec::new();
    let mut last = None;
    while let Some(event) = events.next().await {
        match event.unwrap() {
            Event::Item(item) => last = item.organization_id,
            Event::Drift(drift) => drifts.push(drift),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(drifts, [drift]);
    assert_eq!(last, Some(1006.into()));

    let rest = walk().resume(items.cursor()).collect().await.unwrap();
    assert_eq!(rest.last().and_then(|item| item.organization_id), last);
}

fn is_this(error: &Error, drift: &Drift) -> bool {
    error.is_drift() && error.drift() == Some(drift)
}

#[tokio::test]
async fn cursor_of_another_request_is_rejected_with_the_reason() {
    let server = Reference::start().await;
    let client = server.client("dev-read-only");
    let search = |text: &str| client.search_products_by_description().description(text).limit(5);
    let cursor = search("vaccines").walk().items().unwrap().cursor();
    assert!(!cursor.to_string().contains("vaccines"));
    let error = search("fish").walk().resume(cursor.clone()).items().unwrap_err();
    assert_eq!(
        error.to_string(),
        "search_products_by_description: the cursor belongs to a request with other parameters; \
         nothing was sent"
    );
    let elsewhere = client.list_items().pipeline_id(1).walk().resume(cursor.clone());
    let error = elsewhere.items().unwrap_err();
    assert_eq!(
        error.to_string(),
        "list_items: the cursor belongs to search_products_by_description; nothing was sent"
    );
    // The cursor does not depend on the base URL.
    let other = Reference::start().await;
    let same = other.client("dev-read-only").search_products_by_description();
    let rest = same.description("vaccines").limit(5).walk().resume(cursor);
    assert_eq!(rest.collect().await.unwrap().len(), 5);
}

#[tokio::test]
async fn unfit_argument_is_rejected_before_the_walk() {
    let server = Reference::start().await;
    let client = server.client("dev-read-only");
    let request = client.list_items().pipeline_id(1).limit(u64::MAX);
    let error = request.walk().items().unwrap_err();
    assert_eq!(
        error.to_string(),
        "list_items: `limit` does not fit `i32`: out of range integral type conversion attempted; nothing was sent"
    );
}

#[tokio::test]
async fn page_names_its_request() {
    let server = Reference::start().await;
    let client = server.client("dev-read-only");
    let walk = client.list_items().pipeline_id(1).walk().page_size(500);
    let mut pages = walk.pages().unwrap();
    let mut requests = std::collections::HashSet::new();
    while let Some(page) = pages.next().await {
        requests.extend(page.unwrap().request_id);
    }
    assert_eq!(requests.len(), 3);
}
