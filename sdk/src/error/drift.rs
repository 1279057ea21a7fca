//! How a collection changed while it was walked.

use std::fmt;

use serde::Serialize;

/// A change of the collection that a walk has noticed.
///
/// Pages are asked for by their place in the order, so a collection that changes in between can move items
/// past the walk, or into its way a second time. Ids are plain numbers here, those of the walk's items;
/// rows count from 0, the beginning of the collection.
///
/// # What is noticed
/// - Every change of `total_count` from one page to the next. In a walk over the items of a pipeline in
///   ascending order of ids (no `sort_by`, not descending), growth ends nothing: new items come at the end.
/// - Every shift of the rows behind the walk, however far behind: each page begins with the last row of the
///   page before, and it must be the same item.
/// - An item that comes again within 10,000 rows, which is anywhere in a search.
/// - A page that is shorter than its own `total_count` says.
///
/// # What cannot be
/// - Changes that leave the number of items behind the walk as it was: one was taken away and another put
///   in between two pages. One item is missed then, and if the other comes again more than 10,000 rows
///   later, that is not seen either.
/// - Changes of the items themselves.
/// - Of what changed while a walk was interrupted, repetitions of items from before the
///   [cursor](crate::paging::Cursor).
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// use platform_sdk::paging::{Drift, Event};
///
/// let mut events = client.list_items().pipeline_id(1).walk().events()?;
/// while let Some(event) = events.next().await {
///     match event? {
///         Event::Item(item) => println!("{}", item.pipeline_item_id),
///         // What was added comes at the end, where the walk will be.
///         Event::Drift(Drift::TotalChanged { before, now }) if now > before => {}
///         Event::Drift(drift) => println!("begin anew: {drift}"),
///         _ => {}
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Drift {
    /// `total_count` differs from the page before. An item that is added to a pipeline shows as just that, a
    /// larger total, where the walk is in ascending order of ids: it comes at the end of the walk. There it is
    /// not an error; only [`events`](crate::paging::Walk::events) reports it.
    TotalChanged {
        /// What it was.
        before: u64,
        /// What it is.
        now: u64,
    },
    /// The rows behind the walk have shifted. Towards the beginning, and items were missed; towards the
    /// end, and items come again.
    Shifted {
        /// The row that is part of two pages.
        row: u64,
        /// The item that stood there.
        before: i64,
        /// The item that stands there; `None` when the collection ends before.
        now: Option<i64>,
    },
    /// An item that has been there comes again.
    Repeated {
        /// The row in which it came again.
        row: u64,
        /// The item.
        id: i64,
    },
    /// A page has fewer items than there are by its `total_count`.
    Missing {
        /// The first row that is missing.
        row: u64,
        /// How many are.
        count: u64,
    },
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TotalChanged { before, now } => {
                write!(f, "total_count was {before} and is {now}")
            }
            Self::Shifted {
                row,
                before,
                now: Some(now),
            } => write!(f, "row {row} was item {before} and is item {now}"),
            Self::Shifted {
                row,
                before,
                now: None,
            } => write!(f, "row {row} was item {before} and is gone"),
            Self::Repeated { row, id } => write!(f, "item {id} came again in row {row}"),
            Self::Missing { row, count } => {
                write!(f, "{count} items are missing from row {row} on")
            }
        }
    }
}
