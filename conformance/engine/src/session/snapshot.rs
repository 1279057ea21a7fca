//! The contents of a collection at one moment: two snapshots show whether it has changed.

use std::cmp::Ordering;

use serde_json::Value;

use crate::session::Probe;
use crate::session::collection::Collection;
use crate::session::observed::{item_id, items};
use crate::verdict::Stop;

/// How many of the original items are checked again.
const KNOWN_ITEMS: u64 = 20;

/// The contents of a collection at one moment: its total, and the last items of a pipeline. Searches rank all their
/// results, so new results have no known position.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Snapshot {
    collection: Collection,
    pub(crate) total: u64,
    /// How many items come before the last ones.
    skipped: u64,
    last: Vec<Value>,
}

impl Snapshot {
    /// Whether this and a later snapshot show that a collection of `before` entries grew or shrank. A total alone
    /// may be wrong: in a pipeline, new items must exist, and still exist later, and removed items must be missing.
    pub(crate) fn shows_change(&self, before: u64, later: &Self) -> bool {
        let ids = |snapshot: &Self| -> Vec<i64> { snapshot.last.iter().map(item_id).collect() };
        let shown = u64::try_from(self.last.len()).unwrap_or(u64::MAX);
        let is_listed = matches!(self.collection, Collection::Items(_));
        match self.total.cmp(&before) {
            Ordering::Equal => false,
            Ordering::Greater if is_listed => self.skipped + shown > before && ids(later).starts_with(&ids(self)),
            Ordering::Greater => later.total >= self.total,
            Ordering::Less if is_listed => {
                shown == self.total.saturating_sub(self.skipped) && later.total <= self.total
            }
            Ordering::Less => later.total <= self.total,
        }
    }
}

impl Probe {
    /// Takes a snapshot of a collection that had `before` entries when the run began. `None` when the response does not
    /// show its contents.
    ///
    /// # Errors
    /// When the deployment is not reached.
    pub(crate) async fn snapshot(&self, collection: Collection, before: u64) -> Result<Option<Snapshot>, Stop> {
        let (operation, skipped) = match collection {
            Collection::Items(_) => ("list_items", before.saturating_sub(KNOWN_ITEMS)),
            Collection::Organizations => ("search_organizations_by_description", 0),
            Collection::Products => ("search_products_by_description", 0),
        };
        let call = self.call(operation).unobserved();
        let call = match collection {
            Collection::Items(pipeline_id) => {
                let maximum = self.contract().operation(operation).parameter("limit");
                call.path("pipeline_id", pipeline_id)
                    .query("limit", maximum.number("maximum"))
                    .query("skip", skipped)
            }
            _ => {
                let text = self.known().wide_text(operation);
                call.query("description", text).query("limit", 1)
            }
        };
        let page = call.send().await?;
        let total = page.at("/total_count").as_u64();
        Ok(total.filter(|_| page.status == 200).map(|total| Snapshot {
            collection,
            total,
            skipped,
            last: items(&page).to_vec(),
        }))
    }
}
