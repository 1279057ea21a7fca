//! What a walk gives: its pages, and its items between changes of the collection.

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
///     println!("there are more than the service gives");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Page<T> {
    /// Its items, without the one that it has in common with the page before. It is empty only where there
    /// is nothing at all, or nothing more after a cursor.
    pub items: Vec<T>,
    /// How many items there are in all.
    pub total_count: u64,
    /// The changes of the collection that the page has shown. Growth in ascending order of ids is always among them,
    /// others only with [`Reaction::Report`](super::Reaction).
    pub drifts: Vec<Drift>,
    /// The items of the page that cannot be read, only with [`Reaction::Report`](super::Reaction).
    pub unreadable: Vec<Unreadable>,
    /// Identifies the request of the page in the logs of the platform; `None` if the response did not say.
    pub request_id: Option<String>,
    /// Goes on after this page.
    pub cursor: Cursor,
}

/// What comes of a walk that goes on though the collection changes.
///
/// [`Walk::events`](super::Walk::events) gives them.
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
    /// The collection has changed. The items of the page that shows it follow.
    Drift(Drift),
    /// An item that cannot be read, at its place among the others.
    Unreadable(Unreadable),
}
