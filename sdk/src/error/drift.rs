//! Changes of a collection during a walk.

use std::fmt;

use serde::Serialize;

/// A change of the collection that a walk detected.
///
/// Pages are requested by position, so a collection that changes between two requests can move items
/// past the walk, or into its path a second time. Ids are the plain ids of the walk's items; rows count
/// from 0, the beginning of the collection.
///
/// # Detected changes
/// - Every change of `total_count` from one page to the next. In a walk over the items of a pipeline in
///   ascending order of ids (no `sort_by`, not descending), growth does not end the walk: new items
///   come at the end.
/// - Every shift of the rows behind the walk, however far behind: each page begins with the last row of
///   the page before, which must be the same item.
/// - An item that repeats within 10,000 rows, which is anywhere in a search.
/// - A page that is shorter than its own `total_count` implies.
///
/// # Undetected changes
/// - Changes that leave the number of items behind the walk unchanged, where one was removed and
///   another inserted between two pages. One item is then missed, and if the other repeats more than
///   10,000 rows later, that is not detected either.
/// - Changes of the items themselves.
/// - If the collection changed while a walk was interrupted: repetitions of items from before the
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
///         // Added items come at the end, which the walk will reach.
///         Event::Drift(Drift::TotalChanged { before, now }) if now > before => {}
///         Event::Drift(drift) => println!("start again: {drift}"),
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
    /// `total_count` differs from the page before. In a walk in ascending order of ids, an item added
    /// to a pipeline shows only as a larger total, because it comes at the end of the walk. There it is
    /// not an error; only [`events`](crate::paging::Walk::events) reports it.
    TotalChanged {
        /// The previous value.
        before: u64,
        /// The current value.
        now: u64,
    },
    /// The rows behind the walk have shifted: towards the beginning, so that items were missed, or
    /// towards the end, so that items repeat.
    Shifted {
        /// The row shared by two pages.
        row: u64,
        /// The item that was in this row.
        before: i64,
        /// The item that is in this row now; `None` if the collection ends before it.
        now: Option<i64>,
    },
    /// An item was repeated.
    Repeated {
        /// The row of the repetition.
        row: u64,
        /// The item.
        id: i64,
    },
    /// A page has fewer items than its `total_count` implies.
    Missing {
        /// The first missing row.
        row: u64,
        /// The number of missing rows.
        count: u64,
    },
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TotalChanged { before, now } => {
                write!(f, "total_count changed from {before} to {now}")
            }
            Self::Shifted {
                row,
                before,
                now: Some(now),
            } => write!(f, "row {row} changed from item {before} to item {now}"),
            Self::Shifted { row, before, now: None } => write!(f, "row {row} was item {before} and no longer exists"),
            Self::Repeated { row, id } => write!(f, "item {id} is repeated in row {row}"),
            Self::Missing { row, count } => {
                write!(f, "{count} items are missing from row {row} on")
            }
        }
    }
}
