//! Tests of walks with 429 responses, slow pages and failed pages.

use std::time::Duration;

use proptest::prelude::*;

use super::super::source::Identified;
use super::{ENDLESS, Things, block_on, delays, ids, numbers, rejection};
use crate::error::Kind;
use crate::paging::source::Paged;
use crate::{Error, StatusCode};

const TOO_MANY: StatusCode = StatusCode::TOO_MANY_REQUESTS;

proptest! {
    #[test]
    fn walk_with_a_429_ahead_of_its_turn_is_whole(
        count in 0_u64..80,
        rejected in proptest::collection::hash_set(1_usize..30, 0..6),
        page_size in 2_u32..10,
        prefetch in 2_usize..7,
        delays in delays(),
    ) {
        // Two consecutive rejections could hit the same page ahead of its turn and again in its turn.
        let rejected: Vec<usize> = rejected.into_iter().map(|number| 7 * number).collect();
        let request = Things::<ENDLESS>::answering(move |number| match rejected.contains(&number) {
            true => Err(rejection(TOO_MANY)),
            false => Ok(numbers(count)),
        });
        let request = request.delayed(delays);
        block_on(async {
            let mut items = Vec::new();
            let mut stream = request.walk().page_size(page_size).prefetch(prefetch).items().unwrap();
            let mut error = None;
            while let Some(item) = stream.next().await {
                match item {
                    Ok(item) => items.push(item.id()),
                    Err(found) => error = Some(found),
                }
            }
            // A page rejected in its turn is an error; resuming continues after the yielded items.
            if error.is_some_and(|error| error.is_rate_limited()) {
                let rest = request.walk().prefetch(1).resume(stream.cursor()).collect().await;
                match rest {
                    Ok(rest) => items.extend(ids(&rest)),
                    Err(error) => {
                        prop_assert!(error.is_rate_limited());
                        return Ok(());
                    }
                }
            }
            prop_assert_eq!(items, numbers(count));
            Ok(())
        })?;
    }
}

/// Returns the number of requests in flight as each item is yielded.
async fn widths(request: &Things<ENDLESS>, prefetch: usize) -> Vec<usize> {
    let mut items = request.walk().prefetch(prefetch).items().unwrap();
    let mut widths = Vec::new();
    while let Some(item) = items.next().await {
        item.unwrap();
        widths.push(request.server.in_flight());
    }
    widths
}

#[tokio::test]
async fn window_halves_after_429_and_grows_back() {
    let request = Things::<ENDLESS>::answering(|number| match number {
        3 => Err(rejection(TOO_MANY)),
        _ => Ok(numbers(1000)),
    });
    let request = request.delayed(vec![20]);
    let widths = widths(&request, 8).await;
    // One page is held, the others are in flight.
    assert_eq!(widths.iter().max(), Some(&7));
    let narrowest = widths[50..].iter().position(|width| *width <= 3);
    let narrowest = 50 + narrowest.unwrap();
    assert!(widths[narrowest..].contains(&7), "{widths:?}");
}

#[tokio::test]
async fn answer_that_needed_a_429_halves_the_window_too() {
    #[derive(Clone)]
    struct Throttled(Things<ENDLESS>);
    impl Paged for Throttled {
        type Item = <Things<ENDLESS> as Paged>::Item;
        const OPERATION: &'static str = "list_things";
        const MAX_LIMIT: u64 = 10;
        const REACH: Option<u64> = None;
        fn core(&mut self) -> &mut crate::call::core::ClientCore {
            self.0.core()
        }
        fn write_down(self) -> Result<reqwest::Request, Error> {
            self.0.write_down()
        }
        fn start(&self) -> Option<i64> {
            None
        }
        fn most(&self) -> Option<i64> {
            None
        }
        async fn fetch(self, skip: u64, limit: u64) -> Result<crate::paging::rows::Fetched<Self::Item>, Error> {
            self.0.core.options.note_rate_limit();
            self.0.fetch(skip, limit).await
        }
    }
    let request = Things::<ENDLESS>::still(200).delayed(vec![100]);
    let walk = crate::paging::Walk::over(Throttled(request.clone()));
    let mut items = walk.prefetch(8).items().unwrap();
    for _ in 0..100 {
        items.next().await.unwrap().unwrap();
    }
    assert_eq!(request.server.in_flight(), 0);
}

#[tokio::test]
async fn page_that_took_too_long_ahead_of_its_turn_is_asked_for_again() {
    let request = Things::<ENDLESS>::answering(|number| match number {
        2 => Err(Error::new(Kind::TimedOut {
            after: Duration::from_secs(15),
        })),
        _ => Ok(numbers(60)),
    });
    let items = request.walk().collect().await.unwrap();
    assert_eq!(ids(&items), numbers(60));
}

#[tokio::test]
async fn error_comes_once_after_all_that_could_be_had_and_the_walk_can_go_on() {
    for (number, status) in [(3, StatusCode::BAD_GATEWAY), (3, StatusCode::FORBIDDEN)] {
        let request = Things::<ENDLESS>::answering(move |asked| match asked {
            asked if asked == number => Err(rejection(status)),
            _ => Ok(numbers(60)),
        });
        let request = request.delayed(vec![4, 3, 2, 1]);
        let mut items = request.walk().page_size(10).items().unwrap();
        let mut given = Vec::new();
        let error = loop {
            match items.next().await.unwrap() {
                Ok(item) => given.push(item.id()),
                Err(error) => break error,
            }
        };
        assert_eq!(error.status(), Some(status));
        assert_eq!(given, numbers(28));
        assert!(items.next().await.is_none());
        let rest = request.walk().resume(items.cursor()).collect().await.unwrap();
        given.extend(ids(&rest));
        assert_eq!(given, numbers(60));
    }
}

#[tokio::test]
async fn server_that_always_says_429_is_an_error_after_one_more_request() {
    let request = Things::<ENDLESS>::answering(|number| match number {
        0 => Ok(numbers(60)),
        _ => Err(rejection(TOO_MANY)),
    });
    let error = request.walk().prefetch(2).collect().await.unwrap_err();
    assert!(error.is_rate_limited());
    assert_eq!(request.server.requests(), 3);
}
