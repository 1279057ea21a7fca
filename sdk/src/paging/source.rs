//! What is walked: a request that the contract answers in pages, whatever its items are.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_core::future::BoxFuture;

use crate::types::{OrganizationSearchResult, PipelineItem, ProductSearchResult};
use crate::{Client, Error};

/// A request with `skip` and `limit`. The generator implements it for each operation that has them.
pub(crate) trait Paged: Clone + Send + Sync + Sized + 'static {
    type Item: Row;

    /// The `operationId`.
    const OPERATION: &'static str;
    /// The largest `limit`.
    const MAX_LIMIT: u64;
    /// The most that `skip + limit` may be; `None` when every row can be reached.
    const REACH: Option<u64>;

    fn client(&mut self) -> &mut Client;

    /// The request as it would be sent.
    fn write_down(self) -> Result<reqwest::Request, Error>;

    /// The `skip` that the caller set.
    fn start(&self) -> Option<i64>;

    /// The `limit` that the caller set.
    fn most(&self) -> Option<i64>;

    /// The items in these rows, and how many there are in all.
    fn fetch(
        self,
        skip: u64,
        limit: u64,
    ) -> impl Future<Output = Result<(Vec<Self::Item>, i64), Error>> + Send;
}

/// An item of a page.
pub(crate) trait Row: Send + 'static {
    /// What no other item of its collection has.
    fn id(&self) -> i64;
}

impl Row for PipelineItem {
    fn id(&self) -> i64 {
        self.pipeline_item_id.get()
    }
}

impl Row for OrganizationSearchResult {
    fn id(&self) -> i64 {
        self.organization_id.get()
    }
}

impl Row for ProductSearchResult {
    fn id(&self) -> i64 {
        self.product_id.get()
    }
}

/// The rows that one request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ask {
    pub(super) from: u64,
    pub(super) limit: u64,
    /// Whether its first row is the last one of the page before.
    pub(super) overlaps: bool,
}

/// What was answered.
pub(super) struct Answer<T> {
    pub(super) rows: Vec<T>,
    pub(super) total: u64,
    /// Whether there was a 429 on the way to it.
    pub(super) was_rate_limited: bool,
}

pub(super) type Fetch<T> =
    Arc<dyn Fn(Ask) -> BoxFuture<'static, Result<Answer<T>, Error>> + Send + Sync>;

/// Fetches pages of a request.
pub(super) fn fetch_from<R: Paged>(request: R) -> Fetch<R::Item> {
    Arc::new(move |ask| {
        let mut request = request.clone();
        let rate_limits = Arc::new(AtomicU64::new(0));
        let client = request.client();
        *client = client.with_rate_limit_count(Arc::clone(&rate_limits));
        Box::pin(async move {
            let (rows, total) = request.fetch(ask.from, ask.limit).await?;
            Ok(Answer {
                rows,
                // A negative count would be a fault of the server's; there are no fewer rows than none.
                total: u64::try_from(total).unwrap_or(0),
                was_rate_limited: rate_limits.load(Ordering::Relaxed) > 0,
            })
        })
    })
}
