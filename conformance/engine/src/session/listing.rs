//! Walks through the pages of a pipeline, shared by all checks of a run.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use crate::session::collection::Collection;
use crate::session::observed::{Listing, Walk, memory_of};
use crate::session::probe::Probe;
use crate::session::shared::Once;
use crate::verdict::Stop;

/// The limit on pages of one walk.
const PAGES: usize = 20;
/// The limit on pages of a walk in small pages.
pub const SMALL_PAGES: usize = 50;

/// The approximate limit on the memory of the items of one walk: a walk with more is stopped early. The pages that the
/// contract allows take half of it.
const WALKED: usize = 400_000_000;
/// The approximate limit on the memory of all items that a run keeps.
const KEPT: usize = 1_000_000_000;

impl Probe {
    /// Returns all items of a pipeline, walked once per run for each order. Counts no assertion.
    ///
    /// # Errors
    /// When a page does not have the status 200.
    pub async fn listing(
        &self,
        pipeline_id: u64,
        sort_by: Option<&str>,
        sort_order: Option<&str>,
    ) -> Result<Arc<Listing>, Stop> {
        // Another case may have walked through it.
        self.looks_at([Collection::Items(pipeline_id)]);
        let key = (pipeline_id, sort_by.map(str::to_owned), sort_order.map(str::to_owned));
        let cell = {
            let mut listings = self.shared.listings.lock();
            Arc::clone(listings.entry(key).or_default())
        };
        let walk = || async {
            let all = self.for_all();
            let kept = &self.shared.kept;
            let left = KEPT.saturating_sub(kept.load(Ordering::Relaxed));
            let order = (sort_by, sort_order);
            let walk = all.walk_within(left.min(WALKED), pipeline_id, order, self.longest_page());
            let (listing, memory) = walk.await?;
            kept.fetch_add(memory, Ordering::Relaxed);
            Ok(Arc::new(listing))
        };
        Ok(Arc::clone(cell.get_or_try_init(walk).await?))
    }

    /// Returns all items of a pipeline as they are now. Its requests count as those of a shared walk, because their
    /// number depends on the deployment. Counts no assertion.
    ///
    /// # Errors
    /// When a page does not have the status 200.
    pub async fn listing_now(&self, pipeline_id: u64) -> Result<Listing, Stop> {
        let all = self.for_all();
        all.walk(pipeline_id, None, None, self.longest_page()).await
    }

    /// The greatest length of a page of items.
    fn longest_page(&self) -> i64 {
        let operation = self.contract().operation("list_items");
        operation.parameter("limit").number("maximum")
    }

    /// Where the run keeps the results of a walk through a search without filters.
    pub fn search(&self, operation: &str, wanted: i64) -> Once<Walk> {
        self.looks_at([Collection::Organizations, Collection::Products]);
        let searches = &self.shared.searches;
        let mut searches = searches.lock();
        let key = (operation.to_owned(), wanted);
        Arc::clone(searches.entry(key).or_default())
    }

    /// Walks through the pages of a pipeline. Of the items of a sorted walk, it keeps only the data that their order is
    /// judged by: their ids, and the values that they are sorted by. Counts no assertion.
    ///
    /// # Errors
    /// When a page does not have the status 200.
    pub async fn walk(
        &self,
        pipeline_id: u64,
        sort_by: Option<&str>,
        sort_order: Option<&str>,
        limit: i64,
    ) -> Result<Listing, Stop> {
        let walk = self.walk_within(WALKED, pipeline_id, (sort_by, sort_order), limit);
        Ok(walk.await?.0)
    }

    /// Does the same, until the items reach a memory limit; also returns the memory they take.
    async fn walk_within(
        &self,
        most_memory: usize,
        pipeline_id: u64,
        (sort_by, sort_order): (Option<&str>, Option<&str>),
        limit: i64,
    ) -> Result<(Listing, usize), Stop> {
        let mut memory = 0;
        let mut listing = Listing {
            items: Vec::new(),
            pages: Vec::new(),
            total_count: 0,
            complete: false,
        };
        // Small pages are walked as far as the largest ones reach, within a limit.
        let times = (self.longest_page() / limit.max(1)).max(1);
        let as_far = PAGES * usize::try_from(times).unwrap_or(1);
        let most = as_far.min(SMALL_PAGES);
        while listing.pages.len() < most && !listing.complete {
            let call = self
                .call("list_items")
                .path("pipeline_id", pipeline_id)
                .query("limit", limit);
            let call = call.query("skip", listing.items.len());
            let call = call.query_some("sort_by", sort_by).query_some("sort_order", sort_order);
            let mut page = self.ok(call.send().await?)?;
            if listing.pages.is_empty() {
                listing.total_count = page.at("/total_count").as_i64().unwrap_or(-1);
            }
            let mut items = page.take("items");
            if let Some(column) = sort_by {
                items.iter_mut().for_each(|item| *item = for_order(item, column));
            }
            memory += items.iter().map(memory_of).sum::<usize>();
            let nothing_left = items.is_empty();
            listing.items.extend(items);
            let reached = i64::try_from(listing.items.len()).unwrap_or(i64::MAX);
            // Without a total, the walk goes on to an empty page.
            listing.complete = nothing_left || (listing.total_count >= 0 && reached >= listing.total_count);
            listing.pages.push(page);
            if memory > most_memory {
                break;
            }
        }
        Ok((listing, memory))
    }
}

/// The data that the order of a sorted walk is judged by. A deployment may have many columns, with a walk for each:
/// whole items would take too much memory.
fn for_order(item: &mut Value, column: &str) -> Value {
    let value = item.get_mut("values").and_then(|values| values.get_mut(column));
    let value = value.map(Value::take);
    json!({ "pipeline_item_id": item["pipeline_item_id"], "values": { column: value } })
}
