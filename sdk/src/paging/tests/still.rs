//! Properties of every walk over a collection that does not change.

use futures_core::Stream;
use proptest::prelude::*;

use super::super::source::Identified;
use super::{ENDLESS, Thing, Things, block_on, delays, events, fail, ids, numbers};
use crate::paging::{Cursor, Event, Events, Items, Page, Pages};

proptest! {
    #[test]
    fn walk_gives_the_collection_in_order(
        count in 0_u64..60,
        page_size in 2_u32..12,
        prefetch in 1_usize..7,
        skip in 0_i64..70,
        limit in proptest::option::of(1_i64..70),
        delays in delays(),
    ) {
        let mut request = Things::<ENDLESS>::still(count).delayed(delays).skip(skip);
        request.limit = limit;
        let walk = || request.walk().page_size(page_size).prefetch(prefetch);
        let wanted: Vec<i64> = numbers(count)
            .into_iter()
            .skip(skip as usize)
            .take(limit.map_or(usize::MAX, |limit| limit as usize))
            .collect();
        block_on(async {
            let (seen, error) = events(walk()).await;
            prop_assert!(error.is_none());
            let items: Vec<Event<Thing>> =
                wanted.iter().map(|id| Event::Item(Thing(*id))).collect();
            prop_assert_eq!(seen, items);
            let all = walk().collect().await.map_err(fail)?;
            prop_assert_eq!(ids(&all), wanted);
            Ok(())
        })?;
    }

    #[test]
    fn walk_resumed_after_any_item_gives_the_rest(
        count in 0_u64..40,
        taken in 0_usize..40,
        skip in 0_i64..10,
        limit in 1_i64..40,
        page_size in 2_u32..12,
        other_page_size in 2_u32..12,
        prefetch in 1_usize..5,
        delays in delays(),
    ) {
        let request = Things::<ENDLESS>::still(count).delayed(delays).skip(skip).limit(limit);
        let whole = numbers(count).into_iter().skip(skip as usize).take(limit as usize);
        block_on(async {
            let mut stream = request.walk().page_size(page_size).prefetch(prefetch).items().map_err(fail)?;
            let mut items = Vec::new();
            for _ in 0..taken {
                if let Some(item) = stream.next().await {
                    items.push(item.map_err(fail)?.id());
                }
            }
            let stored = stream.cursor().to_string();
            let cursor: Cursor = stored.parse().unwrap();
            let rest = request.walk().page_size(other_page_size).resume(cursor).collect().await;
            items.extend(ids(&rest.map_err(fail)?));
            prop_assert_eq!(items, whole.collect::<Vec<_>>());
            Ok(())
        })?;
    }

    #[test]
    fn walk_resumed_after_any_page_gives_the_rest(
        count in 0_u64..60,
        taken in 1_usize..8,
        page_size in 2_u32..12,
        prefetch in 1_usize..5,
    ) {
        let request = Things::<ENDLESS>::still(count);
        block_on(async {
            let mut stream = request.walk().page_size(page_size).prefetch(prefetch).pages().map_err(fail)?;
            let mut items = Vec::new();
            let mut cursor = stream.cursor();
            for _ in 0..taken {
                if let Some(page) = stream.next().await {
                    let page = page.map_err(fail)?;
                    prop_assert_eq!(page.total_count, count);
                    prop_assert_eq!(&page.cursor, &stream.cursor());
                    items.extend(ids(&page.items));
                    cursor = page.cursor;
                }
            }
            let rest = request.walk().resume(cursor).collect().await;
            items.extend(ids(&rest.map_err(fail)?));
            prop_assert_eq!(items, numbers(count));
            Ok(())
        })?;
    }

    #[test]
    fn pages_in_flight_and_in_hand_are_never_more_than_the_prefetch(
        count in 1_u64..80,
        page_size in 2_u32..12,
        prefetch in 1_usize..7,
        delays in delays(),
    ) {
        let request = Things::<ENDLESS>::still(count).delayed(delays);
        let (first, others) = (page_size.min(10_000) as usize, page_size as usize - 1);
        block_on(async {
            let mut stream = request.walk().page_size(page_size).prefetch(prefetch).items().map_err(fail)?;
            let mut given = 0_usize;
            while stream.next().await.is_some() {
                // The page of the item just yielded is still held.
                let used_up = if given < first { 0 } else { 1 + (given - first) / others };
                prop_assert!(request.server.requests() - used_up <= prefetch);
                given += 1;
            }
            Ok(())
        })?;
    }
}

#[tokio::test]
async fn several_pages_are_asked_for_at_once() {
    let request = Things::<ENDLESS>::still(100).delayed(vec![3]);
    let mut items = request.walk().prefetch(4).items().unwrap();
    items.next().await.unwrap().unwrap();
    assert_eq!(request.server.requests(), 4);
    assert_eq!(request.server.in_flight(), 3);
}

#[tokio::test]
async fn dropping_the_stream_cancels_what_was_asked_for() {
    let request = Things::<ENDLESS>::still(100).delayed(vec![3]);
    let mut items = request.walk().items().unwrap();
    items.next().await.unwrap().unwrap();
    drop(items);
    assert_eq!(request.server.in_flight(), 0);
}

#[tokio::test]
async fn pages_overlap_by_a_row() {
    let request = Things::<ENDLESS>::still(25);
    request.walk().page_size(10).prefetch(1).collect().await.unwrap();
    let asked = request.server.asked.lock().unwrap().clone();
    assert_eq!(asked, [(0, 10), (9, 10), (18, 10)]);
}

#[tokio::test]
async fn limit_caps_the_items_and_the_rows_requested() {
    let request = Things::<ENDLESS>::still(100).skip(5).limit(17);
    let items = request.walk().page_size(10).collect().await.unwrap();
    assert_eq!(ids(&items), (6..=22).collect::<Vec<_>>());
    let asked = request.server.asked.lock().unwrap().clone();
    assert_eq!(asked, [(5, 10), (14, 8)]);
}

#[tokio::test]
async fn walk_ends_where_the_service_does() {
    let request = Things::<25>::still(100);
    let mut items = request.walk().page_size(10).items().unwrap();
    assert!(!items.is_truncated());
    let mut given = Vec::new();
    while let Some(item) = items.next().await {
        given.push(item.unwrap().id());
    }
    assert_eq!(given, numbers(25));
    assert!(items.is_truncated());
    assert_eq!(items.total_count(), Some(100));
    let asked = request.server.asked.lock().unwrap().clone();
    assert!(asked.iter().all(|(skip, limit)| skip + limit <= 25), "{asked:?}");

    let nothing_left = request.walk().resume(items.cursor()).collect().await.unwrap();
    assert_eq!(nothing_left, []);
    assert_eq!(request.server.requests(), asked.len());

    let whole = Things::<25>::still(25);
    let mut pages = whole.walk().pages().unwrap();
    while let Some(page) = pages.next().await {
        page.unwrap();
    }
    assert!(!pages.is_truncated());
}

#[tokio::test]
async fn what_is_out_of_reach_is_for_the_server_to_reject() {
    let request = Things::<25>::still(100).skip(30);
    let _ = request.walk().collect().await;
    assert_eq!(*request.server.asked.lock().unwrap(), [(30, 1)]);
}

#[tokio::test]
async fn empty_collection_is_one_empty_page() {
    let request = Things::<ENDLESS>::still(0);
    let mut pages = request.walk().pages().unwrap();
    let page = pages.next().await.unwrap().unwrap();
    assert_eq!((page.items, page.total_count), (vec![], 0));
    assert!(pages.next().await.is_none());
}

#[test]
fn numbers_that_no_walk_can_have_are_rejected_with_their_name() {
    let request = Things::<ENDLESS>::still(10);
    for (walk, message) in [
        (
            request.walk().page_size(1),
            "`page_size` is 1, and a walk needs at least 2",
        ),
        (
            request.walk().prefetch(0),
            "`prefetch` is 0, and a walk needs at least 1",
        ),
        (
            request.clone().limit(0).walk(),
            "`limit` is 0, and a walk needs at least 1",
        ),
        (
            request.clone().skip(-1).walk(),
            "`skip` is -1, and a walk needs at least 0",
        ),
    ] {
        let error = walk.items().unwrap_err();
        assert!(error.is_invalid());
        assert_eq!(error.to_string(), format!("list_things: {message}; nothing was sent"));
    }
}

#[test]
fn cursor_of_another_request_is_rejected() {
    let request = Things::<ENDLESS>::still(10);
    let cursor = request.walk().items().unwrap().cursor();
    let foreign: Cursor = cursor.to_string().replace("things", "items").parse().unwrap();
    let mut other = request.clone();
    other.parameter = "other";
    let parameters = "the cursor belongs to a request with other parameters";
    for (walk, message) in [
        (request.walk().resume(foreign), "the cursor belongs to list_items"),
        (other.walk().resume(cursor.clone()), parameters),
        (request.clone().limit(5).walk().resume(cursor.clone()), parameters),
        (request.clone().skip(5).walk().resume(cursor), parameters),
    ] {
        let error = walk.items().unwrap_err();
        assert!(error.is_invalid());
        assert_eq!(error.to_string(), format!("list_things: {message}; nothing was sent"));
    }
}

#[test]
fn cursor_holds_nothing_that_was_asked_for() {
    let request = Things::<ENDLESS>::still(10);
    let text = request.walk().items().unwrap().cursor().to_string();
    for secret in ["same", "nobody", "127.0.0.1"] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[test]
fn streams_can_be_kept_and_sent_anywhere() {
    fn holds<S: Stream + Send + Unpin + std::fmt::Debug + 'static>() {}
    holds::<Items<Thing>>();
    holds::<Pages<Thing>>();
    holds::<Events<Thing>>();
    fn is_send<T: Send + Sync + 'static>() {}
    is_send::<Page<Thing>>();
    is_send::<Cursor>();
}
