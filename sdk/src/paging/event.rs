//! Pages and events of a walk.

use super::cursor::Cursor;
use crate::error::Unreadable;
use crate::error::drift::Drift;

/// A page of a walk.
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// use platform_sdk::paging::Page;
///
/// let mut pages = client.list_items().pipeline_id(1).walk().pages()?;
/// while let Some(page) = pages.next().await {
///     let Page { items, total_count, cursor, .. } = page?;
///     println!("{} of {total_count}, {} rows in", items.len(), cursor.position());
/// }
/// if pages.is_truncated() {
///     println!("there are more than the service returns");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Page<T> {
    /// Items of the page, without the one shared with the page before. Empty only if there is nothing
    /// at all, or nothing more after a cursor.
    pub items: Vec<T>,
    /// Number of items in the whole collection.
    pub total_count: u64,
    /// Changes of the collection that the page revealed. Growth of a pipeline that is walked in
    /// ascending order of ids is included unless the walk [ignores](super::Reaction::Ignore) changes;
    /// other changes only with [`Reaction::Report`](super::Reaction).
    pub drifts: Vec<Drift>,
    /// Items of the page that cannot be read. Included only with [`Reaction::Report`](super::Reaction).
    pub unreadable: Vec<Unreadable>,
    /// Identifies the request of the page in the platform's logs; `None` if the response had no id.
    pub request_id: Option<String>,
    /// Place after this page.
    pub cursor: Cursor,
}

/// An event of a walk that continues when the collection changes.
///
/// Yielded by [`Walk::events`](super::Walk::events).
///
/// ```
/// use platform_sdk::paging::Event;
///
/// fn item<T>(event: Event<T>) -> Option<T> {
///     match event {
///         Event::Item(item) => Some(item),
///         _ => None,
///     }
/// }
/// assert_eq!(item(Event::Item(7)), Some(7));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event<T> {
    /// The next item.
    Item(T),
    /// The collection has changed. The items of the page that revealed it follow.
    Drift(Drift),
    /// An item that cannot be read, at its place among the others.
    Unreadable(Unreadable),
}
