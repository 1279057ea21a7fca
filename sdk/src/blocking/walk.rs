//! Walks that block.

use std::fmt;

use super::iter::{Events, Items, Pages};
use super::runtime::Blocking;
use crate::error::Error;
use crate::paging::{self, Cursor, Reaction};
use crate::rows::Rows;
use crate::types::PipelineItem;

/// All items that a request asks for, as an iterator of [items](Self::items), [pages](Self::pages) or
/// [events](Self::events). It is the [`Walk`](paging::Walk) of the asynchronous client, whose methods say more.
///
/// ```no_run
/// # fn example(client: &platform_sdk::blocking::Client) -> Result<(), Box<dyn std::error::Error>> {
/// use platform_sdk::paging::Reaction;
///
/// let walk = client.list_items().pipeline_id(1).sort_by("question.101").walk();
/// let walk = walk.page_size(200).prefetch(2);
/// let walk = walk.on_drift(Reaction::Report).on_unreadable(Reaction::Report);
/// let walk = match std::fs::read_to_string("cursor") {
///     Ok(stored) => walk.resume(stored.parse()?),
///     Err(_) => walk,
/// };
/// for page in walk.pages()? {
///     let page = page?;
///     println!("{} items", page.items.len());
///     std::fs::write("cursor", page.cursor.to_string())?;
/// }
///
/// let items = client.list_items().pipeline_id(2).walk().items()?;
/// let events = client.list_items().pipeline_id(2).walk().events()?;
/// let nearest = client
///     .search_products_by_description()
///     .description("packing robots")
///     .limit(250)
///     .walk()
///     .collect()?;
/// let rows = client.list_items().pipeline_id(2).walk().rows()?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a walk does nothing until it is made an iterator"]
pub struct Walk<T> {
    walk: paging::Walk<T>,
    mode: Blocking,
}

impl<T: Send + 'static> Walk<T> {
    pub(crate) fn new(walk: paging::Walk<T>, mode: Blocking) -> Self {
        Self { walk, mode }
    }

    fn with(self, change: impl FnOnce(paging::Walk<T>) -> paging::Walk<T>) -> Self {
        Self {
            walk: change(self.walk),
            mode: self.mode,
        }
    }

    /// How many rows to ask for at once: see [`page_size`](paging::Walk::page_size).
    pub fn page_size(self, rows: u32) -> Self {
        self.with(|walk| walk.page_size(rows))
    }

    /// How many pages there may be at once: see [`prefetch`](paging::Walk::prefetch).
    pub fn prefetch(self, pages: usize) -> Self {
        self.with(|walk| walk.prefetch(pages))
    }

    /// Goes on where another walk over the same request was: see [`resume`](paging::Walk::resume).
    pub fn resume(self, cursor: Cursor) -> Self {
        self.with(|walk| walk.resume(cursor))
    }

    /// What to do when the collection changes: see [`on_drift`](paging::Walk::on_drift).
    pub fn on_drift(self, reaction: Reaction) -> Self {
        self.with(|walk| walk.on_drift(reaction))
    }

    /// What to do about an item that cannot be read: see [`on_unreadable`](paging::Walk::on_unreadable).
    pub fn on_unreadable(self, reaction: Reaction) -> Self {
        self.with(|walk| walk.on_unreadable(reaction))
    }

    /// The items, one by one.
    ///
    /// # Errors
    /// Those of [`paging::Walk::items`].
    pub fn items(self) -> Result<Items<T>, Error> {
        let operation = self.walk.operation();
        Ok(Items::new(self.walk.items()?, self.mode, operation))
    }

    /// The items, a page at a time.
    ///
    /// # Errors
    /// As for [`items`](Self::items).
    pub fn pages(self) -> Result<Pages<T>, Error> {
        let operation = self.walk.operation();
        Ok(Pages::new(self.walk.pages()?, self.mode, operation))
    }

    /// The items, and among them each change that is noticed: see [`events`](paging::Walk::events).
    ///
    /// # Errors
    /// As for [`items`](Self::items).
    pub fn events(self) -> Result<Events<T>, Error> {
        let operation = self.walk.operation();
        Ok(Events::new(self.walk.events()?, self.mode, operation))
    }

    /// All items at once, for collections that fit into memory.
    ///
    /// # Errors
    /// As for [`items`](Self::items), and the first error of the walk.
    pub fn collect(self) -> Result<Vec<T>, Error> {
        self.mode.may_block(self.walk.operation())?;
        self.mode.wait_for(self.walk.collect())
    }
}

impl Walk<PipelineItem> {
    /// All items as rows: see [`rows`](paging::Walk::rows).
    ///
    /// # Errors
    /// As for [`collect`](Self::collect).
    pub fn rows(self) -> Result<Rows<'static>, Error> {
        Ok(self.collect()?.into())
    }
}

impl<T> Clone for Walk<T> {
    fn clone(&self) -> Self {
        Self {
            walk: self.walk.clone(),
            mode: self.mode.clone(),
        }
    }
}

impl<T> fmt::Debug for Walk<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.walk.fmt(f)
    }
}
