//! Blocking walks.

use std::fmt;

use super::iter::{Events, Items, Pages};
use super::runtime::Blocking;
use crate::error::Error;
use crate::paging::{self, Cursor, Reaction};
use crate::rows::Rows;
use crate::types::PipelineItem;

/// All results of a request, as an iterator of [items](Self::items), [pages](Self::pages) or
/// [events](Self::events). See the [`Walk`](paging::Walk) of the async client for details of its methods.
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

    /// Sets the number of rows per request: see [`page_size`](paging::Walk::page_size).
    pub fn page_size(self, rows: u32) -> Self {
        self.with(|walk| walk.page_size(rows))
    }

    /// Limits the number of pages held or requested at once: see [`prefetch`](paging::Walk::prefetch).
    pub fn prefetch(self, pages: usize) -> Self {
        self.with(|walk| walk.prefetch(pages))
    }

    /// Continues where another walk over the same request stopped: see [`resume`](paging::Walk::resume).
    pub fn resume(self, cursor: Cursor) -> Self {
        self.with(|walk| walk.resume(cursor))
    }

    /// Sets what to do when the collection changes: see [`on_drift`](paging::Walk::on_drift).
    pub fn on_drift(self, reaction: Reaction) -> Self {
        self.with(|walk| walk.on_drift(reaction))
    }

    /// Sets what to do about an unreadable item: see [`on_unreadable`](paging::Walk::on_unreadable).
    pub fn on_unreadable(self, reaction: Reaction) -> Self {
        self.with(|walk| walk.on_unreadable(reaction))
    }

    /// Returns an iterator over the items.
    ///
    /// # Errors
    /// Returns the errors of [`paging::Walk::items`].
    pub fn items(self) -> Result<Items<T>, Error> {
        let operation = self.walk.operation();
        Ok(Items::new(self.walk.items()?, self.mode, operation))
    }

    /// Returns an iterator over the pages.
    ///
    /// # Errors
    /// Returns the errors of [`items`](Self::items).
    pub fn pages(self) -> Result<Pages<T>, Error> {
        let operation = self.walk.operation();
        Ok(Pages::new(self.walk.pages()?, self.mode, operation))
    }

    /// Returns an iterator over the items and each change that is noticed: see
    /// [`events`](paging::Walk::events).
    ///
    /// # Errors
    /// Returns the errors of [`items`](Self::items).
    pub fn events(self) -> Result<Events<T>, Error> {
        let operation = self.walk.operation();
        Ok(Events::new(self.walk.events()?, self.mode, operation))
    }

    /// Collects all items, for collections that fit into memory.
    ///
    /// # Errors
    /// Returns the errors of [`items`](Self::items), and the first error of the walk.
    pub fn collect(self) -> Result<Vec<T>, Error> {
        self.mode.may_block(self.walk.operation())?;
        self.mode.wait_for(self.walk.collect())
    }
}

impl Walk<PipelineItem> {
    /// Collects all items as rows: see [`rows`](paging::Walk::rows).
    ///
    /// # Errors
    /// Returns the errors of [`collect`](Self::collect).
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
