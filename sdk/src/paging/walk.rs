//! A walk: what there is to say before it begins.

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

type WriteDown = Arc<dyn Fn() -> Result<reqwest::Request, Error> + Send + Sync>;

/// How many pages there are at once, unless told otherwise.
const PREFETCH: usize = 4;

/// All items that a request asks for, however many pages that is. It is begun by the `walk` of a request,
/// and ends in a stream of [items](Self::items), [pages](Self::pages) or [events](Self::events).
///
/// The parameters of the request hold as they are: `skip` is where the walk begins, and `limit` the most
/// items that it gives in all, which can be far more than a page has.
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
    /// The first request of the walk, or why there is none.
    request: WriteDown,
    in_order_of_ids: fn(&reqwest::Request) -> bool,
    base_url: Arc<str>,
    page_size: u64,
    prefetch: usize,
    resume: Option<Cursor>,
    on_drift: Option<Reaction>,
    on_unreadable: Option<Reaction>,
}

impl<T: Send + 'static> Walk<T> {
    /// The walk over what `request` asks for.
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

    /// How many rows to ask for at once, from 2: the `limit` of each request. One of them is the last row
    /// of the page before, to see that it is still there.
    ///
    /// Unless told otherwise it is the most that the contract allows (1000 items of a pipeline, 100 results
    /// of a search), because a walk is as fast as its round trips are few. Ask for fewer where items are so
    /// large that a page does not come within its time-out, or that the pages of a
    /// [prefetch](Self::prefetch) take more memory than there is. More is for the server to refuse.
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

    /// How many pages there may be at once, from 1: asked for, waiting, or being handed out. 4 unless told
    /// otherwise; 1 asks for a page when the one before is used up.
    ///
    /// The first page comes alone, because it says how many there are. Order is that of the collection,
    /// whichever page comes first. When the server says 429, the number halves, and it grows back page by
    /// page while it does not.
    ///
    /// A consumer that leaves the stream alone for longer than a page may take lets those on their way
    /// time out. They are asked for once more, so nothing is lost but the requests; 1 spares them.
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

    /// Goes on where another walk over the same request was. All parameters must be the same, `skip` and
    /// `limit` too; they still mean the whole walk, of which this is the rest. The size of pages and their
    /// number may differ.
    ///
    /// The cursor of a walk that came to its end gives what was added since, in a pipeline that is walked in
    /// ascending order of ids. The cursor of a walk that ended with an error can be resumed too: after a
    /// [drift](super::Drift) it goes on with the collection as it is now, and fails again only if the cause
    /// is still there.
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
    /// A copy of a pipeline is kept up to date by the cursor of its end:
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

    /// What to do when the collection [changes](super::Drift) during the walk, other than by growth at its end.
    /// Unless set, [`items`](Self::items) and [`pages`](Self::pages) fail, and [`events`](Self::events) report it.
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

    /// What to do about an item that [cannot be read](super::Unreadable). Unless set, [`items`](Self::items) and
    /// [`pages`](Self::pages) fail after the items before it, with a cursor past it, and [`events`](Self::events)
    /// report it.
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

    /// The items, one by one. [Drift](super::Drift) is an error, except for items that are added to a pipeline
    /// which is walked in ascending order of ids: they come at the end.
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
    /// The request cannot be made of its arguments; `skip`, `limit`, the size of pages or their number is
    /// too small; or the cursor belongs to another request. All of them
    /// [are invalid](Error::is_invalid), and nothing was sent.
    pub fn items(self) -> Result<Items<T>, Error> {
        Ok(Items::new(self.begin(Reaction::Fail)?))
    }

    /// The items, a page at a time. [Drift](super::Drift) is an error, as for [`items`](Self::items).
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
    /// As for [`items`](Self::items).
    pub fn pages(self) -> Result<Pages<T>, Error> {
        Ok(Pages::new(self.begin(Reaction::Fail)?))
    }

    /// The items, one by one, and among them each [drift](super::Drift) that is noticed: for who would
    /// rather know what changed than begin anew.
    ///
    /// An item that is known to come again is left out, and one that stands where it was not expected is
    /// given. Where the collection grew, the walk goes on to its new end.
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
    /// As for [`items`](Self::items).
    pub fn events(self) -> Result<Events<T>, Error> {
        Ok(Events::new(self.begin(Reaction::Report)?))
    }

    /// All items at once, for collections that fit into memory.
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
    /// As for [`items`](Self::items), and the first error of the walk.
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

    /// Begins the walk of a stream with its usual reaction.
    fn begin(self, usual: Reaction) -> Result<Walker<T>, Error> {
        let operation = self.operation;
        self.walker(usual).map_err(|error| error.of(operation))
    }

    fn walker(self, usual: Reaction) -> Result<Walker<T>, Error> {
        let reactions = (
            self.on_drift.unwrap_or(usual),
            self.on_unreadable.unwrap_or(usual),
        );
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
            // Nothing is left of what may be asked for.
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
        _ => Err(refused(format!(
            "`{name}` is {number}, and a walk needs at least {least}"
        ))),
    }
}

/// The place of `cursor`, if it is one of the request that begins at `start`.
fn resumed(cursor: Cursor, start: Cursor) -> Result<Cursor, Error> {
    if cursor.operation != start.operation {
        return Err(refused(format!(
            "the cursor is one of {}",
            cursor.operation
        )));
    }
    if cursor.request != start.request {
        let why = "the cursor belongs to a request with other parameters";
        return Err(refused(why.to_owned()));
    }
    Ok(Cursor {
        mark: cursor.mark,
        ..start
    })
}

fn refused(why: String) -> Error {
    Error::new(Kind::Argument(why))
}

fn hash_of(request: &reqwest::Request, base_url: &str) -> u64 {
    let url = request.url();
    let (whole, query) = (url.as_str(), url.query_pairs().into_owned());
    let path = whole.split('?').next().unwrap_or(whole);
    cursor::hash(path.strip_prefix(base_url).unwrap_or(path), query)
}
