//! What is noticed of a collection that changes under a walk.

use std::collections::HashSet;

use proptest::prelude::*;

use super::{ENDLESS, Row, Things, block_on, delays, events, ids, numbers};
use crate::paging::{Drift, Event};

#[derive(Debug, Clone, Copy)]
enum Change {
    Insert { at: usize },
    Remove { at: usize },
    Move { from: usize, to: usize },
}

/// Larger than any item that was there before.
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
                    Event::Drift(_) => None,
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
            Event::Item(_) => None,
        });
        prop_assert!(matches!(drift, Some(Drift::Shifted { .. })), "{drift:?}");
    }
}

/// Ten items behind the first page, and then as `changed` has them.
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
    let drift = Drift::TotalChanged {
        before: 10,
        now: 11,
    };
    assert_eq!(error.drift(), Some(&drift));
    assert_eq!(
        error.to_string(),
        "list_things: the collection changed during the walk: total_count was 10 and is 11"
    );
    assert!(items.next().await.is_none());
    assert_eq!(request.server.in_flight(), 0);
    assert_eq!(items.cursor().position(), 4);
}

#[tokio::test]
async fn pages_end_with_drift_too() {
    let request = changing(vec![2, 1, 3, 5, 4, 6, 7, 8, 9, 10]);
    let mut pages = request.walk().page_size(4).pages().unwrap();
    assert_eq!(
        ids(&pages.next().await.unwrap().unwrap().items),
        [1, 2, 3, 4]
    );
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
    let drift = Drift::TotalChanged {
        before: 10,
        now: 13,
    };
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
