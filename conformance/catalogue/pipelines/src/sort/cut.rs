//! One page of a sorted list, which must have the items that a walk through the whole list has there.

use engine::session::Probe;
use engine::session::observed::{Listing, items};
use engine::verdict::Outcome;

use crate::ties::assert_same_order;

/// A page to ask for.
pub(super) struct Cut<'a> {
    pub(super) pipeline_id: u64,
    pub(super) sort_by: &'a str,
    /// Without one, the default.
    pub(super) sort_order: Option<&'a str>,
    pub(super) skip: usize,
    pub(super) limit: usize,
}

impl Cut<'_> {
    /// Asserts that the page has the items of the walk.
    pub(super) async fn check(&self, probe: &Probe, whole: &Listing) -> Outcome {
        let call = probe
            .call("list_items")
            .path("pipeline_id", self.pipeline_id)
            .query("sort_by", self.sort_by)
            .query_some("sort_order", self.sort_order)
            .query("skip", self.skip)
            .query("limit", self.limit);
        let page = probe.ok(call.send().await?)?;
        let expected = whole.items.iter().skip(self.skip).take(self.limit);
        let (column, order) = (self.sort_by, self.sort_order.unwrap_or("without sort_order"));
        let what = format!("the items by {column} {order} from {} on", self.skip);
        let evidence: Vec<_> = std::iter::once(&page).chain(whole.first_page()).collect();
        assert_same_order(probe, &what, column, expected, items(&page), &evidence);
        Ok(())
    }
}
