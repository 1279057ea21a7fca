//! Builder of a walk.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::cursor::{self, Cursor};
use super::drift::Mark;
use super::prefetch::{Prefetch, Range};
use super::reaction::Reaction;
use super::source::{Identified, Paged, Source};
use super::streams::{Events, Items, Pages};
use super::walker::Walker;
use crate::Error;
use crate::error::Kind;

type BuildRequest = Arc<dyn Fn() -> Result<reqwest::Request, Error> + Send + Sync>;

/// Default number of pages held at once.
const PREFETCH: usize = 4;

/// A walk over all items of a request, across its pages. Created by the `walk` method of a request, and
/// turned into a stream of [items](Self::items), [pages](Self::pages) or [events](Self::events).
///
/// The parameters of the request apply: the walk starts at `skip` and yields at most `limit` items in
/// total, which can be far more than one page holds.
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// let request = client.list_items().pipeline_id(1).sort_by("question.101");
/// let mut items = request.walk().items()?;
/// while let Some(item) = items.next().await {
///     println!("{}", item?.pipeline_item_id);
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "a walk does nothing until it is made a stream"]
pub struct Walk<T> {
    operation: &'static str,
    source: Source<T>,
    id: fn(&T) -> i64,
    reach: Option<u64>,
    skip: Option<i64>,
    limit: Option<i64>,
    /// Builds the first request of the walk, or fails with the reason.
    request: BuildRequest,
    in_order_of_ids: fn(&reqwest::Request) -> bool,
    base_url: Arc<str>,
    page_size: u64,
    prefetch: usize,
    resume: Option<Cursor>,
    on_drift: Option<Reaction>,
    on_unreadable: Option<Reaction>,
}

impl<T: Send + 'static> Walk<T> {
    /// Creates a walk over the items of `request`.
    pub(crate) fn over<R: Paged<Item = T>>(mut request: R) -> Self
    where
        T: Identified,
    {
        let base_url = Arc::clone(&request.core().base_url);
        let written = request.clone();
        Self {
            operation: R::OPERATION,
            id: T::id,
            reach: R::REACH,
            skip: request.start(),
            limit: request.most(),
            in_order_of_ids: T::in_order_of_ids,
            request: Arc::new(move || written.clone().write_down()),
            base_url,
            source: Source::of(request),
            page_size: R::MAX_LIMIT,
            prefetch: PREFETCH,
            resume: None,
            on_drift: None,
            on_unreadable: None,
        }
    }

    /// Sets the number of rows per request: its `limit`, at least 2. Each page after the first repeats
    /// the last row of the page before, to check that it is still there.
    ///
    /// Defaults to the contract's maximum (1000 items of a pipeline, 100 results of a search), because
    /// fewer round trips make a walk faster. Use a smaller size if items are so large that a page times
    /// out, or that the pages of a [prefetch](Self::prefetch) use too much memory. The server rejects
    /// larger sizes.
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let request = client.list_items().pipeline_id(1);
    /// let pages = request.walk().page_size(200).pages()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn page_size(mut self, rows: u32) -> Self {
        self.page_size = rows.into();
        self
    }

    /// Sets the maximum number of pages held at once, whether requested, waiting or being handed out.
    /// Must be at least 1. With 1, a page is requested only when the one before is used up. Defaults to
    /// 4.
    ///
    /// The first page is fetched by itself, because it reports how many pages there are. Items keep the
    /// order of the collection, whichever page arrives first. The maximum halves on a 429 response and
    /// grows back page by page as long as no further one follows.
    ///
    /// If a consumer does not poll the stream for longer than a page may take, the pages in flight time
    /// out. They are requested once more, so nothing is lost except the requests. A value of 1 avoids
    /// this.
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let request = client.list_items().pipeline_id(1);
    /// let everything = request.walk().prefetch(8).collect().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn prefetch(mut self, pages: usize) -> Self {
        self.prefetch = pages;
        self
    }

    /// Continues where another walk over the same request stopped. All parameters must be the same,
    /// including `skip` and `limit`, which still describe the whole walk. The page size and the
    /// prefetch may differ.
    ///
    /// Resuming from the cursor of a completed walk yields the items added since, if the walk is over a
    /// pipeline in ascending order of ids. A walk that ended with an error can be resumed too: after a
    /// [drift](super::Drift) it continues with the collection as it is now, and fails again only if the
    /// cause is still there.
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let walk = client.list_items().pipeline_id(1).walk();
    /// let walk = match std::fs::read_to_string("cursor") {
    ///     Ok(stored) => walk.resume(stored.parse()?),
    ///     Err(_) => walk,
    /// };
    /// let mut pages = walk.pages()?;
    /// while let Some(page) = pages.next().await {
    ///     let page = page?;
    ///     // … use page.items, then note that they are done.
    ///     std::fs::write("cursor", page.cursor.to_string())?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The cursor of a completed walk keeps a copy of a pipeline up to date:
    ///
    /// ```
    /// # use platform_sdk::Client;
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), platform_sdk::Error> {
    /// # let server = platform_server_stub::Server::built_in();
    /// # let client = Client::builder().service(server.router()).api_key("dev-full-access").build()?;
    /// let pipeline = client.list_items().pipeline_id(6);
    /// let mut copy = Vec::new();
    /// let mut items = pipeline.clone().walk().items()?;
    /// while let Some(item) = items.next().await {
    ///     copy.push(item?);
    /// }
    /// let end = items.cursor(); // kept as text: `end.to_string()`
    ///
    /// client.ensure_organization().pipeline_id(6).organization_id(1001).send().await?;
    ///
    /// let added = pipeline.walk().resume(end).collect().await?;
    /// assert_eq!(added.len(), 1);
    /// copy.extend(added);
    /// # Ok(())
    /// # }
    /// ```
    pub fn resume(mut self, cursor: Cursor) -> Self {
        self.resume = Some(cursor);
        self
    }

    /// Sets the reaction to a [change](super::Drift) of the collection during the walk, other than
    /// growth at its end. By default, [`items`](Self::items) and [`pages`](Self::pages) fail, and
    /// [`events`](Self::events) reports it.
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// use platform_sdk::paging::Reaction;
    ///
    /// let walk = client.list_items().pipeline_id(1).sort_by("question.101").walk();
    /// let items = walk.on_drift(Reaction::Ignore).collect().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_drift(mut self, reaction: Reaction) -> Self {
        self.on_drift = Some(reaction);
        self
    }

    /// Sets the reaction to an item that [cannot be read](super::Unreadable). By default,
    /// [`items`](Self::items) and [`pages`](Self::pages) fail after the items before it, with a cursor
    /// past it, and [`events`](Self::events) reports it.
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// use platform_sdk::paging::Reaction;
    ///
    /// let walk = client.list_items().pipeline_id(1).walk();
    /// let mut pages = walk.on_unreadable(Reaction::Report).pages()?;
    /// while let Some(page) = pages.next().await {
    ///     for item in page?.unreadable {
    ///         eprintln!("{item}: {}", item.raw());
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_unreadable(mut self, reaction: Reaction) -> Self {
        self.on_unreadable = Some(reaction);
        self
    }

    /// Returns a stream of items. [Drift](super::Drift) is an error, except for items added to a
    /// pipeline that is walked in ascending order of ids: they come at the end.
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let mut items = client.list_items().pipeline_id(1).walk().items()?;
    /// while let Some(item) = items.next().await {
    ///     println!("{}", item?.pipeline_item_id);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Fails if the request cannot be built from its arguments; if `skip`, `limit`, the page size or
    /// the prefetch is too small; or if the cursor belongs to another request. For all of these errors,
    /// [`is_invalid`](Error::is_invalid) returns `true`, and nothing was sent.
    pub fn items(self) -> Result<Items<T>, Error> {
        Ok(Items::new(self.begin(Reaction::Fail)?))
    }

    /// Returns a stream of pages. [Drift](super::Drift) is an error, as for [`items`](Self::items).
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let mut pages = client.list_items().pipeline_id(1).walk().pages()?;
    /// while let Some(page) = pages.next().await {
    ///     println!("{} items", page?.items.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Same as for [`items`](Self::items).
    pub fn pages(self) -> Result<Pages<T>, Error> {
        Ok(Pages::new(self.begin(Reaction::Fail)?))
    }

    /// Returns a stream of items and of each [drift](super::Drift) that is detected, for callers that
    /// would rather know what changed than start again.
    ///
    /// An item known to be a repetition is left out; an item at an unexpected place is yielded. If the
    /// collection grew, the walk continues to its new end.
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// use platform_sdk::paging::Event;
    ///
    /// let mut events = client.list_items().pipeline_id(1).walk().events()?;
    /// while let Some(event) = events.next().await {
    ///     match event? {
    ///         Event::Item(item) => println!("{}", item.pipeline_item_id),
    ///         Event::Drift(drift) => eprintln!("the pipeline changed: {drift}"),
    ///         Event::Unreadable(item) => eprintln!("{item}"),
    ///         _ => {}
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Same as for [`items`](Self::items).
    pub fn events(self) -> Result<Events<T>, Error> {
        Ok(Events::new(self.begin(Reaction::Report)?))
    }

    /// Collects all items, for collections that fit into memory.
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let nearest = client
    ///     .search_organizations_by_description()
    ///     .description("keeps fresh fish cold on its way to the shops")
    ///     .limit(250)
    ///     .walk()
    ///     .collect()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Same as for [`items`](Self::items), and the first error of the walk.
    pub async fn collect(self) -> Result<Vec<T>, Error> {
        let mut pages = self.pages()?;
        let mut items = Vec::new();
        while let Some(page) = pages.next().await {
            items.append(&mut page?.items);
        }
        Ok(items)
    }

    #[cfg(feature = "blocking")]
    pub(crate) fn operation(&self) -> &'static str {
        self.operation
    }

    /// Starts the walk with the default reaction of its stream.
    fn begin(self, usual: Reaction) -> Result<Walker<T>, Error> {
        let operation = self.operation;
        self.walker(usual).map_err(|error| error.of(operation))
    }

    fn walker(self, usual: Reaction) -> Result<Walker<T>, Error> {
        let reactions = (self.on_drift.unwrap_or(usual), self.on_unreadable.unwrap_or(usual));
        let request = (self.request)()?;
        let in_order_of_ids = (self.in_order_of_ids)(&request);
        let request = hash_of(&request, &self.base_url);
        let skip = at_least(0, self.skip.unwrap_or(0), "skip")?;
        let limit = self.limit.map(|limit| at_least(1, limit, "limit"));
        let limit = limit.transpose()?.unwrap_or(u64::MAX);
        let reach = self.reach.unwrap_or(u64::MAX);
        let bound = skip.saturating_add(limit).min(reach);
        at_least(2, self.page_size, "page_size")?;
        at_least(1, self.prefetch, "prefetch")?;

        let start = Cursor {
            operation: Cow::Borrowed(self.operation),
            request,
            mark: Mark {
                position: skip,
                total: None,
                last: None,
            },
        };
        let start = match self.resume {
            Some(cursor) => resumed(cursor, start)?,
            None => start,
        };
        let range = Range {
            start: start.mark.position,
            overlaps: start.mark.last.is_some(),
            bound,
            known: start.mark.total.unwrap_or_default(),
        };
        let mut prefetch = Prefetch::new(self.source, range, self.page_size, self.prefetch);
        if start.mark.total.is_some() && start.mark.position >= bound {
            // No rows are left within the bounds.
            prefetch.stop();
        }
        Ok(Walker::new(
            self.operation,
            prefetch,
            start,
            self.id,
            reach,
            in_order_of_ids,
            reactions,
        ))
    }
}

impl<T> Clone for Walk<T> {
    fn clone(&self) -> Self {
        Self {
            operation: self.operation,
            source: self.source.clone(),
            id: self.id,
            reach: self.reach,
            skip: self.skip,
            limit: self.limit,
            request: Arc::clone(&self.request),
            in_order_of_ids: self.in_order_of_ids,
            base_url: Arc::clone(&self.base_url),
            page_size: self.page_size,
            prefetch: self.prefetch,
            resume: self.resume.clone(),
            on_drift: self.on_drift,
            on_unreadable: self.on_unreadable,
        }
    }
}

impl<T> fmt::Debug for Walk<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walk")
            .field("operation", &self.operation)
            .field("page_size", &self.page_size)
            .field("prefetch", &self.prefetch)
            .field("resume", &self.resume)
            .finish_non_exhaustive()
    }
}

fn at_least<N>(least: u64, number: N, name: &str) -> Result<u64, Error>
where
    N: TryInto<u64> + Copy + fmt::Display,
{
    match number.try_into() {
        Ok(number) if number >= least => Ok(number),
        _ => Err(rejected(format!(
            "`{name}` is {number}, and a walk needs at least {least}"
        ))),
    }
}

/// Returns the place of `cursor` if it belongs to the same request as `start`.
fn resumed(cursor: Cursor, start: Cursor) -> Result<Cursor, Error> {
    if cursor.operation != start.operation {
        return Err(rejected(format!("the cursor belongs to {}", cursor.operation)));
    }
    if cursor.request != start.request {
        let why = "the cursor belongs to a request with other parameters";
        return Err(rejected(why.to_owned()));
    }
    Ok(Cursor {
        mark: cursor.mark,
        ..start
    })
}

fn rejected(why: String) -> Error {
    Error::new(Kind::Argument(why))
}

fn hash_of(request: &reqwest::Request, base_url: &str) -> u64 {
    let url = request.url();
    let (whole, query) = (url.as_str(), url.query_pairs().into_owned());
    let path = whole.split('?').next().unwrap_or(whole);
    cursor::hash(path.strip_prefix(base_url).unwrap_or(path), query)
}
