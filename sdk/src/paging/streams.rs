//! Streams of a walk.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use futures_util::StreamExt;

use super::cursor::Cursor;
use super::event::{Event, Page};
use super::walker::Walker;
use crate::Error;

macro_rules! stream {
    ($(#[$doc:meta])* $name:ident of $output:ty, by $method:ident) => {
        $(#[$doc])*
        ///
        /// An error ends the stream; [`cursor`](Self::cursor) still returns the place. The stream sends
        /// requests and reads responses only while it is polled, and spawns no task. Dropping it
        /// cancels its requests.
        #[must_use = "a stream does nothing until it is polled"]
        pub struct $name<T>(Walker<T>);

        impl<T: Send + 'static> $name<T> {
            pub(super) fn new(walker: Walker<T>) -> Self {
                Self(walker)
            }

            /// Returns the next element, like [`StreamExt::next`] but without its import; `None` at the
            /// end and after an error.
            ///
            /// # Errors
            /// Returns the [`Error`] of a page that could not be fetched.
            pub async fn next(&mut self) -> Option<Result<$output, Error>> {
                StreamExt::next(self).await
            }
        }

        impl<T> $name<T> {
            /// Returns the place after the last yielded element. A walk over the same request that
            /// [resumes](super::Walk::resume) there yields the rest.
            pub fn cursor(&self) -> Cursor {
                self.0.cursor()
            }

            /// Returns the number of items in the whole collection, regardless of the range walked;
            /// `None` before the first page.
            pub fn total_count(&self) -> Option<u64> {
                self.0.total_count()
            }

            /// Returns whether there are more items than the service provides: only the first 1000
            /// results of a search can be reached. Use narrower filters to reach others. `false` before
            /// the first page.
            ///
            /// ```no_run
            /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
            /// # let search = client.search_organizations_by_organization().organization_id(1001);
            #[doc = concat!("let mut found = search.walk().", stringify!($method), "()?;")]
            /// while let Some(next) = found.next().await {
            ///     next?;
            /// }
            /// if found.is_truncated() {
            ///     println!("only the first of {:?}: search with narrower filters", found.total_count());
            /// }
            /// # Ok(())
            /// # }
            /// ```
            pub fn is_truncated(&self) -> bool {
                self.0.is_truncated()
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name))
                    .field("cursor", &self.cursor())
                    .finish_non_exhaustive()
            }
        }
    };
}

stream! {
    /// Stream of the items of a walk, returned by [`Walk::items`](super::Walk::items).
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// use futures::TryStreamExt;
    ///
    /// let items = client.list_items().pipeline_id(1).walk().items()?;
    /// let with_document = items.try_filter(|item| std::future::ready(item.document_id.is_some()));
    /// let with_document: Vec<_> = with_document.try_collect().await?;
    /// # Ok(())
    /// # }
    /// ```
    Items of T, by items
}
stream! {
    /// Stream of the pages of a walk, returned by [`Walk::pages`](super::Walk::pages).
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let mut pages = client.list_items().pipeline_id(1).walk().pages()?;
    /// while let Some(page) = pages.next().await {
    ///     let page = page?;
    ///     println!("{} of {}", page.cursor.position(), page.total_count);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    Pages of Page<T>, by pages
}
stream! {
    /// Stream of the items of a walk and the changes it detected, returned by
    /// [`Walk::events`](super::Walk::events).
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// use platform_sdk::paging::Event;
    ///
    /// let mut events = client.search_products_by_product().product_id(5001).walk().events()?;
    /// let mut names = Vec::new();
    /// while let Some(event) = events.next().await {
    ///     if let Event::Item(product) = event? {
    ///         names.push(product.name);
    ///     }
    /// }
    /// if events.is_truncated() {
    ///     println!("there are {:?}, of which these are the nearest", events.total_count());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    Events of Event<T>, by events
}

impl<T: Send + 'static> Stream for Events<T> {
    type Item = Result<Event<T>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_event(cx)
    }
}

impl<T: Send + 'static> Stream for Items<T> {
    type Item = Result<T, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            return Poll::Ready(match ready!(self.0.poll_event(cx)) {
                None => None,
                Some(Err(error)) => Some(Err(error)),
                Some(Ok(Event::Item(item))) => Some(Ok(item)),
                Some(Ok(Event::Drift(drift))) => {
                    // Growth at the end of the walk is not worth reporting.
                    if !self.0.is_harmless(&drift) {
                        self.0.note(&drift);
                    }
                    continue;
                }
                Some(Ok(Event::Unreadable(item))) => {
                    self.0.note(&item);
                    continue;
                }
            });
        }
    }
}

impl<T: Send + 'static> Stream for Pages<T> {
    type Item = Result<Page<T>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_still_page(cx)
    }
}
