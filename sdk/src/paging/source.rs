//! Paginated requests, regardless of their item type.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_core::future::BoxFuture;

use super::rows::{Fetched, Row};
use crate::call::core::ClientCore;
use crate::call::retry_decision::PlannedRetry;
use crate::error::Error;
use crate::types::{OrganizationSearchResult, PipelineItem, ProductSearchResult, SortOrder};

/// A request with `skip` and `limit`. Implemented by the generator for each operation that has them.
pub(crate) trait Paged: Clone + Send + Sync + Sized + 'static {
    type Item: Identified;

    /// The `operationId`.
    const OPERATION: &'static str;
    /// Maximum `limit`.
    const MAX_LIMIT: u64;
    /// Maximum of `skip + limit`; `None` if every row can be reached.
    const REACH: Option<u64>;

    fn core(&mut self) -> &mut ClientCore;

    /// Builds the request as it would be sent.
    fn write_down(self) -> Result<reqwest::Request, Error>;

    /// Returns the `skip` set by the caller.
    fn start(&self) -> Option<i64>;

    /// Returns the `limit` set by the caller.
    fn most(&self) -> Option<i64>;

    /// Fetches the items in these rows, and the number of items in the whole collection.
    fn fetch(self, skip: u64, limit: u64) -> impl Future<Output = Result<Fetched<Self::Item>, Error>> + Send;
}

/// An item of a page.
pub(crate) trait Identified: Send + 'static {
    /// Returns an id that is unique in the collection.
    fn id(&self) -> i64;

    /// Returns whether the collection of `request` is in ascending order of ids, so that new items come
    /// at its end and no item ever moves.
    fn in_order_of_ids(_request: &reqwest::Request) -> bool {
        false
    }
}

impl Identified for PipelineItem {
    fn id(&self) -> i64 {
        self.pipeline_item_id.get()
    }

    fn in_order_of_ids(request: &reqwest::Request) -> bool {
        let mut parameters = request.url().query_pairs();
        parameters.all(|(name, value)| match &*name {
            "sort_by" => false,
            "sort_order" => value == SortOrder::Asc.to_string(),
            _ => true,
        })
    }
}

impl Identified for OrganizationSearchResult {
    fn id(&self) -> i64 {
        self.organization_id.get()
    }
}

impl Identified for ProductSearchResult {
    fn id(&self) -> i64 {
        self.product_id.get()
    }
}

/// The rows of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ask {
    pub(super) from: u64,
    pub(super) limit: u64,
    /// Whether the first row is the last row of the page before.
    pub(super) overlaps: bool,
    /// Last known number of rows in the collection when it was requested.
    pub(super) known: u64,
}

/// Response to an `Ask`.
pub(super) struct Answer<T> {
    pub(super) rows: Vec<Row<T>>,
    pub(super) total: u64,
    pub(super) request_id: Option<String>,
    /// Whether an earlier attempt got a 429 response.
    pub(super) was_rate_limited: bool,
}

/// Fetches the pages of a request.
pub(super) struct Source<T> {
    fetch: Arc<dyn Fn(Ask) -> Answered<T> + Send + Sync>,
    core: ClientCore,
}

type Answered<T> = BoxFuture<'static, Result<Answer<T>, Error>>;

impl<T> Clone for Source<T> {
    fn clone(&self) -> Self {
        Self {
            fetch: Arc::clone(&self.fetch),
            core: self.core.clone(),
        }
    }
}

impl<T> Source<T> {
    pub(super) fn of<R: Paged<Item = T>>(mut request: R) -> Self {
        Self {
            core: request.core().clone(),
            fetch: Arc::new(move |ask| Box::pin(fetch(request.clone(), ask))),
        }
    }

    /// Requests a page, after a pause.
    pub(super) fn ask(&self, ask: Ask, mut retry: PlannedRetry) -> Answered<T>
    where
        T: 'static,
    {
        let page = (self.fetch)(ask);
        if retry.delay.is_zero() {
            retry.spend();
            return page;
        }
        let pause = self.core.sleep(retry.delay);
        Box::pin(async move {
            pause.await;
            retry.spend();
            page.await
        })
    }

    /// Returns how to retry a page that got a 429 response, after at least the pause the server asked
    /// for; `None` if it is not retried.
    pub(super) fn again_after(&self, rejection: &Error) -> Option<PlannedRetry> {
        let deadline = self.core.deadline_of_a_call();
        self.core.retry(1, rejection, deadline)
    }
}

async fn fetch<R: Paged>(mut request: R, ask: Ask) -> Result<Answer<R::Item>, Error> {
    let rate_limits = Arc::new(AtomicU64::new(0));
    let core = request.core();
    *core = core.with_rate_limit_count(Arc::clone(&rate_limits));
    let fetched = request.fetch(ask.from, ask.limit).await?;
    Ok(Answer {
        rows: fetched.rows,
        request_id: fetched.request_id,
        // A negative count is a server bug; treat it as zero.
        total: u64::try_from(fetched.total).unwrap_or(0),
        was_rate_limited: rate_limits.load(Ordering::Relaxed) > 0,
    })
}
