//! Blocking iterators over the streams of walks, waits and imports.

use std::fmt;
use std::pin::Pin;

use futures_core::Stream;
use futures_util::StreamExt;

use super::runtime::Blocking;
use crate::error::Error;
use crate::generated::operations::GET_ITEM_STATUS;
use crate::paging::{self, Cursor, Event, Page};
use crate::types::ItemStatus;
use crate::types::ids::OrganizationId;
use crate::{Presence, ResponseValue, wait};

macro_rules! walked {
    ($(#[$doc:meta])* $name:ident of $output:ty, by $method:ident) => {
        $(#[$doc])*
        ///
        /// An error ends the iterator; [`cursor`](Self::cursor) still returns the last position. Prefetched
        /// pages arrive while the app is busy, unless the app is busy for longer than their timeout: then
        /// they are requested again.
        #[must_use = "an iterator does nothing until it is used"]
        pub struct $name<T> {
            stream: paging::$name<T>,
            mode: Blocking,
            operation: &'static str,
            is_over: bool,
        }

        impl<T> $name<T> {
            pub(super) fn new(
                stream: paging::$name<T>,
                mode: Blocking,
                operation: &'static str,
            ) -> Self {
                Self {
                    stream,
                    mode,
                    operation,
                    is_over: false,
                }
            }

            /// Returns the position after the last returned value. A walk over the same request that
            /// [resumes](super::Walk::resume) there returns the rest.
            pub fn cursor(&self) -> Cursor {
                self.stream.cursor()
            }

            /// Returns the total number of items, or `None` before the first page.
            pub fn total_count(&self) -> Option<u64> {
                self.stream.total_count()
            }

            /// Returns whether there are more items than the service returns: a search returns at most the
            /// first 1000. Returns `false` before the first page.
            ///
            /// ```no_run
            /// # fn example(client: &platform_sdk::blocking::Client) -> Result<(), platform_sdk::Error> {
            /// # let search = client.search_organizations_by_organization().organization_id(1001);
            #[doc = concat!("let mut found = search.walk().", stringify!($method), "()?;")]
            /// for next in &mut found {
            ///     next?;
            /// }
            /// if found.is_truncated() {
            ///     println!("only the first of {:?}: search with narrower filters", found.total_count());
            /// }
            /// # Ok(())
            /// # }
            /// ```
            pub fn is_truncated(&self) -> bool {
                self.stream.is_truncated()
            }
        }

        impl<T: Send + 'static> Iterator for $name<T> {
            type Item = Result<$output, Error>;

            fn next(&mut self) -> Option<Self::Item> {
                if self.is_over {
                    return None;
                }
                if let Err(rejected) = self.mode.may_block(self.operation) {
                    // Otherwise a loop over the errors would not end.
                    self.is_over = true;
                    return Some(Err(rejected));
                }
                self.mode.wait_for(self.stream.next())
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.stream.fmt(f)
            }
        }
    };
}

walked! {
    /// Iterator over the items of a walk, returned by [`Walk::items`](super::Walk::items).
    ///
    /// ```no_run
    /// # fn example(client: &platform_sdk::blocking::Client) -> Result<(), platform_sdk::Error> {
    /// let items = client.list_items().pipeline_id(1).walk().items()?;
    /// let items: Vec<_> = items.take(10).collect::<Result<_, _>>()?;
    /// # Ok(())
    /// # }
    /// ```
    Items of T, by items
}
walked! {
    /// Iterator over the pages of a walk, returned by [`Walk::pages`](super::Walk::pages).
    ///
    /// ```no_run
    /// # fn example(client: &platform_sdk::blocking::Client) -> Result<(), platform_sdk::Error> {
    /// for page in client.list_items().pipeline_id(1).walk().pages()? {
    ///     let page = page?;
    ///     println!("{} of {}", page.cursor.position(), page.total_count);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    Pages of Page<T>, by pages
}
walked! {
    /// Iterator over the items of a walk and the changes it notices, returned by
    /// [`Walk::events`](super::Walk::events).
    ///
    /// ```no_run
    /// # fn example(client: &platform_sdk::blocking::Client) -> Result<(), platform_sdk::Error> {
    /// use platform_sdk::paging::Event;
    ///
    /// for event in client.list_items().pipeline_id(1).walk().events()? {
    ///     match event? {
    ///         Event::Item(item) => println!("{}", item.pipeline_item_id),
    ///         other => eprintln!("{other:?}"),
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    Events of Event<T>, by events
}

/// Iterator over the status of an item at each poll. It ends after a ready status or an error.
///
/// ```no_run
/// # fn example(client: &platform_sdk::blocking::Client) -> Result<(), platform_sdk::Error> {
/// for status in client.wait_until_ready().pipeline_id(2).pipeline_item_id(200_013).progress()? {
///     println!("questions answered: {}", status?.custom_questions_answered);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "an iterator does nothing until it is used"]
pub struct Progress {
    pub(super) stream: Option<wait::Progress>,
    pub(super) mode: Blocking,
}

impl Iterator for Progress {
    type Item = Result<ResponseValue<ItemStatus>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Err(rejected) = self.mode.may_block(GET_ITEM_STATUS.id) {
            // Otherwise a loop over the errors would not end.
            return self.stream.take().map(|_| Err(rejected));
        }
        self.mode.wait_for(self.stream.as_mut()?.next())
    }
}

pub(super) type Ensuring = Pin<Box<dyn Stream<Item = (OrganizationId, Result<Presence, Error>)> + Send>>;

/// Iterator over the organizations of an import and their results, in order of completion. Requests are sent
/// while `next` blocks. In async code `next` blocks the thread, because it cannot return an error without an
/// organization.
///
/// ```no_run
/// # fn example(client: &platform_sdk::blocking::Client) -> Result<(), platform_sdk::Error> {
/// let ensured = client.ensure_organizations().pipeline_id(6).send([1001, 1002, 1003])?;
/// let failed = ensured.filter(|(_, presence)| presence.is_err());
/// println!("{} were not added", failed.count());
/// # Ok(())
/// # }
/// ```
#[must_use = "an iterator does nothing until it is used"]
pub struct EnsuredOrganizations {
    pub(super) stream: Ensuring,
    pub(super) mode: Blocking,
}

impl Iterator for EnsuredOrganizations {
    type Item = (OrganizationId, Result<Presence, Error>);

    fn next(&mut self) -> Option<Self::Item> {
        self.mode.wait_for(self.stream.next())
    }
}

impl fmt::Debug for EnsuredOrganizations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnsuredOrganizations").finish_non_exhaustive()
    }
}
