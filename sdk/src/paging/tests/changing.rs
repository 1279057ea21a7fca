//! Tests of walks over a collection that changes.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;

use super::super::source::Identified;
use super::{ENDLESS, Things, block_on, delays, events, fail, ids, numbers};
use crate::paging::Reaction;
use crate::paging::{Drift, Event};

#[derive(Debug, Clone, Copy)]
enum Change {
    Insert { at: usize },
    Remove { at: usize },
    Move { from: usize, to: usize },
}

/// Larger than any existing item.
const NEW: i64 = 1000;

impl Change {
    fn apply(self, mut all: Vec<i64>) -> Vec<i64> {
        let count = all.len();
        match self {
            Self::Insert { at } => all.insert(at % (count + 1), NEW + count as i64),
            Self::Remove { at } => {
                all.remove(at % count);
            }
            Self::Move { from, to } => {
                let item = all.remove(from % count);
                all.insert(to % count, item);
            }
        }
        all
    }
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        any::<usize>().prop_map(|at| Change::Insert { at }),
        any::<usize>().prop_map(|at| Change::Remove { at }),
        any::<(usize, usize)>().prop_map(|(from, to)| Change::Move { from, to }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_change_loses_or_repeats_an_item_unnoticed(
        count in 2_u64..40,
        changes in proptest::collection::vec(change(), 1..=2),
        after in 0_usize..8,
        page_size in 2_u32..10,
        prefetch in 1_usize..5,
        delays in delays(),
    ) {
        let before = numbers(count);
        let now = changes.iter().fold(before.clone(), |all, change| change.apply(all));
        let throughout: HashSet<i64> =
            before.iter().copied().filter(|id| now.contains(id)).collect();
        let request = Things::<ENDLESS>::answering(move |number| {
            Ok(if number < after { before.clone() } else { now.clone() })
        });
        let request = request.delayed(delays);
        let walk = || request.walk().page_size(page_size).prefetch(prefetch);
        block_on(async {
            let (seen, error) = events(walk()).await;
            prop_assert!(error.is_none());
            let noticed = seen.iter().any(|event| matches!(event, Event::Drift(_)));
            let items: Vec<i64> = seen
                .iter()
                .filter_map(|event| match event {
                    Event::Item(item) => Some(item.id()),
                    _ => None,
                })
                .collect();
            let different: HashSet<i64> = items.iter().copied().collect();
            prop_assert_eq!(items.len(), different.len(), "an item was given twice");
            prop_assert!(
                noticed || throughout.is_subset(&different),
                "of {:?} there are {:?}", throughout, items
            );
            Ok(())
        })?;
    }

    #[test]
    fn items_that_are_added_in_order_of_ids_are_no_error_and_none_is_lost(
        count in 1_u64..40,
        added in proptest::collection::vec(0_u64..4, 1..12),
        page_size in 2_u32..10,
        prefetch in 1_usize..5,
        skip in 0_i64..5,
        delays in delays(),
    ) {
        // The collection grows with each response, and responses are not in the order of requests.
        let answers = AtomicUsize::new(0);
        let so_far = move |answers: usize| added.iter().take(answers).sum::<u64>();
        let request = Things::<ENDLESS>::answering(move |_| {
            Ok(numbers(count + so_far(answers.fetch_add(1, Ordering::SeqCst))))
        });
        let request = request.delayed(delays).skip(skip).in_order_of_ids();
        let walk = || request.walk().page_size(page_size).prefetch(prefetch);
        block_on(async {
            let mut stream = walk().items().unwrap();
            let mut items = Vec::new();
            while let Some(item) = stream.next().await {
                items.push(item.map_err(fail)?.id());
            }
            let mut cursor = stream.cursor();
            // Items may have been added since the end was reached.
            for _ in 0..3 {
                let mut pages = walk().resume(cursor).pages().unwrap();
                while let Some(page) = pages.next().await {
                    items.extend(ids(&page.map_err(fail)?.items));
                }
                cursor = pages.cursor();
            }
            let rest = walk().resume(cursor).collect().await.map_err(fail)?;
            items.extend(ids(&rest));
            let last = *items.last().unwrap_or(&skip);
            prop_assert_eq!(items, (skip + 1..=last).collect::<Vec<_>>());
            prop_assert!(last >= count as i64 || skip >= count as i64);
            Ok(())
        })?;
    }

    #[test]
    fn walk_that_ended_with_drift_can_always_go_on(
        count in 2_u64..40,
        change in change(),
        after in 1_usize..8,
        page_size in 2_u32..10,
        prefetch in 1_usize..5,
        in_order in any::<bool>(),
    ) {
        let before = numbers(count);
        let now = change.apply(before.clone());
        let request = Things::<ENDLESS>::answering(move |number| {
            Ok(if number < after { before.clone() } else { now.clone() })
        });
        let request = if in_order { request.in_order_of_ids() } else { request };
        let walk = || request.walk().page_size(page_size).prefetch(prefetch);
        block_on(async {
            let mut stream = walk().pages().unwrap();
            let mut failed = false;
            while let Some(page) = stream.next().await {
                failed |= page.is_err();
            }
            if failed {
                // Nothing changes any more, so nothing can fail.
                let mut rest = walk().resume(stream.cursor()).pages().unwrap();
                while let Some(page) = rest.next().await {
                    page.map_err(fail)?;
                }
            }
            Ok::<(), TestCaseError>(())
        })?;
    }

    #[test]
    fn rows_that_shift_behind_the_walk_are_noticed_under_the_same_total(
        page_size in 3_usize..10,
        pages_before in 1_usize..4,
        shift in 1_usize..10,
        towards_the_end: bool,
    ) {
        let behind = 1 + pages_before * (page_size - 1);
        let before = numbers(behind as u64 + 20);
        let shift = shift.min(behind - 1);
        let mut now = before.clone();
        match towards_the_end {
            true => now.rotate_right(shift),
            false => {
                now.drain(..shift);
                now.extend((NEW..).take(shift));
            }
        }
        let request = Things::<ENDLESS>::answering(move |number| {
            Ok(if number < pages_before { before.clone() } else { now.clone() })
        });
        let walk = request.walk().page_size(page_size as u32).prefetch(1);
        let (seen, _) = block_on(events(walk));
        let drift = seen.iter().find_map(|event| match event {
            Event::Drift(drift) => Some(drift),
            _ => None,
        });
        prop_assert!(matches!(drift, Some(Drift::Shifted { .. })), "{drift:?}");
    }
}

/// Returns ten items to the first request, and `changed` from then on.
fn changing(changed: Vec<i64>) -> Things<ENDLESS> {
    Things::answering(move |number| {
        Ok(match number {
            0 => numbers(10),
            _ => changed.clone(),
        })
    })
}

#[tokio::test]
async fn drift_is_an_error_that_ends_the_walk_and_keeps_the_place() {
    let request = changing(numbers(11));
    let mut items = request.walk().page_size(4).items().unwrap();
    let mut given = Vec::new();
    let error = loop {
        match items.next().await.unwrap() {
            Ok(item) => given.push(item.id()),
            Err(error) => break error,
        }
    };
    assert_eq!(given, [1, 2, 3, 4]);
    assert!(error.is_drift());
    let drift = Drift::TotalChanged { before: 10, now: 11 };
    assert_eq!(error.drift(), Some(&drift));
    assert_eq!(
        error.to_string(),
        "list_things: the collection changed during the walk: total_count changed from 10 to 11"
    );
    assert!(items.next().await.is_none());
    assert_eq!(request.server.in_flight(), 0);
    assert_eq!(items.cursor().position(), 4);
}

#[tokio::test]
async fn pages_end_with_drift_too() {
    let request = changing(vec![2, 1, 3, 5, 4, 6, 7, 8, 9, 10]);
    let mut pages = request.walk().page_size(4).pages().unwrap();
    assert_eq!(ids(&pages.next().await.unwrap().unwrap().items), [1, 2, 3, 4]);
    let error = pages.next().await.unwrap().unwrap_err();
    let drift = Drift::Shifted {
        row: 3,
        before: 4,
        now: Some(5),
    };
    assert_eq!(error.drift(), Some(&drift));
    assert!(pages.next().await.is_none());
}

#[tokio::test]
async fn events_go_on_through_drift_to_the_new_end() {
    let request = changing(numbers(13));
    let (events, error) = events(request.walk().page_size(4)).await;
    assert!(error.is_none());
    let drift = Drift::TotalChanged { before: 10, now: 13 };
    assert_eq!(events[4], Event::Drift(drift));
    assert_eq!(events.len(), 13 + 1);
}

#[tokio::test]
async fn change_while_the_walk_was_interrupted_is_noticed() {
    for changed in [numbers(11), numbers(9), vec![2, 3, 4, 5, 1, 6, 7, 8, 9, 10]] {
        let request = changing(changed.clone());
        let mut items = request.walk().page_size(4).prefetch(1).items().unwrap();
        for _ in 0..4 {
            items.next().await.unwrap().unwrap();
        }
        let resumed = request.walk().resume(items.cursor()).collect().await;
        assert!(resumed.unwrap_err().is_drift(), "{changed:?}");
    }
}

#[tokio::test]
async fn server_that_does_not_skip_is_noticed() {
    let request = changing(numbers(10));
    let mut stuck = request.clone();
    stuck.server = Things::<ENDLESS>::answering(|number| {
        let mut all = numbers(10);
        all.rotate_right(3 * number);
        Ok(all)
    })
    .server;
    let error = stuck.walk().page_size(4).collect().await.unwrap_err();
    assert!(error.is_drift());
}

#[tokio::test]
async fn error_of_a_walk_leaves_a_cursor_that_passes_its_cause() {
    // The collection after a change, and the items yielded after the four of the first page.
    for (changed, rest) in [
        (numbers(12), vec![5, 6, 7, 8, 9, 10, 11, 12]),
        (numbers(8), vec![5, 6, 7, 8]),
        // Newest first: added items come before the position of the walk, and nothing is yielded twice.
        (vec![1, 1002, 1001, 2, 3, 4, 5, 6, 7, 8, 9, 10], vec![5, 6, 7, 8, 9, 10]),
        // The second item is gone, and the fifth is now in the row of the fourth.
        (vec![1, 3, 4, 5, 6, 7, 8, 9, 10], vec![5, 6, 7, 8, 9, 10]),
        // The fourth item is gone too.
        (vec![1, 2, 3, 5, 6, 7, 8, 9, 10], vec![5, 6, 7, 8, 9, 10]),
        (vec![1], vec![]),
    ] {
        let request = changing(changed.clone());
        let mut items = request.walk().page_size(4).prefetch(1).items().unwrap();
        let mut given = Vec::new();
        let error = loop {
            match items.next().await.unwrap() {
                Ok(item) => given.push(item.id()),
                Err(error) => break error,
            }
        };
        assert!(error.is_drift() && given == [1, 2, 3, 4]);
        let resumed = request.walk().page_size(4).resume(items.cursor());
        assert_eq!(ids(&resumed.collect().await.unwrap()), rest, "{changed:?}");
    }
}

#[tokio::test]
async fn items_that_stay_missing_are_met_again() {
    // The total counts items that are not listed.
    let request = Things::<ENDLESS>::still(10).limit(4);
    let short = request.walk().page_size(20).collect().await;
    assert_eq!(ids(&short.unwrap()), numbers(4));
    let mut lagging = Things::<ENDLESS>::still(10);
    Arc::get_mut(&mut lagging.server).unwrap().unlisted = 3;
    let mut pages = lagging.walk().page_size(20).pages().unwrap();
    for _ in 0..2 {
        let error = pages.next().await.unwrap().unwrap_err();
        let missing = Drift::Missing { row: 7, count: 3 };
        assert_eq!(error.drift(), Some(&missing));
        pages = lagging.walk().resume(pages.cursor()).pages().unwrap();
    }
}

#[tokio::test]
async fn events_tell_of_items_that_are_added_in_order_of_ids() {
    let request = changing(numbers(13)).in_order_of_ids();
    let (events, error) = events(request.walk().page_size(4)).await;
    assert!(error.is_none());
    let drift = Drift::TotalChanged { before: 10, now: 13 };
    assert_eq!(events[4], Event::Drift(drift));
    assert_eq!(events.len(), 13 + 1);
}

#[tokio::test]
async fn walk_goes_on_through_changes_where_that_is_wanted() {
    // Row 3 becomes another item during the walk.
    let request = changing(vec![2, 1, 3, 5, 4, 6, 7, 8, 9, 10]);
    let walk = || request.walk().page_size(4);
    assert!(walk().collect().await.unwrap_err().is_drift());

    let request = changing(vec![2, 1, 3, 5, 4, 6, 7, 8, 9, 10]);
    let walk = request.walk().page_size(4);
    let given = walk.on_drift(Reaction::Ignore).collect().await.unwrap();
    assert_eq!(ids(&given), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);

    let request = changing(vec![2, 1, 3, 5, 4, 6, 7, 8, 9, 10]);
    let walk = request.walk().page_size(4);
    let mut pages = walk.on_drift(Reaction::Report).pages().unwrap();
    let mut drifts = Vec::new();
    while let Some(page) = pages.next().await {
        drifts.extend(page.unwrap().drifts);
    }
    assert!(matches!(drifts[0], Drift::Shifted { row: 3, .. }), "{drifts:?}");

    let request = changing(vec![2, 1, 3, 5, 4, 6, 7, 8, 9, 10]);
    let walk = request.walk().page_size(4).on_drift(Reaction::Fail);
    let (seen, error) = events(walk).await;
    assert_eq!(seen.len(), 4);
    assert!(error.unwrap().is_drift());
}
