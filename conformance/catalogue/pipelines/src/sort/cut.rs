//! One page of a sorted list, which must have the items that a walk through the whole list has there.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use engine::session::Probe;
use engine::session::observed::{Listing, item_id, items};
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};

use crate::column_values::{comparable, sole_value};
use crate::ties::assert_same_order;

/// The length of a page at either end of a sorted list, or in its middle.
pub(super) const END: usize = 50;

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
        let page = self.read(probe).await?;
        let expected = whole.items.iter().skip(self.skip).take(self.limit);
        let (column, order) = (self.sort_by, self.sort_order.unwrap_or("without sort_order"));
        let what = format!("the items by {column} {order} from {} on", self.skip);
        let evidence: Vec<_> = std::iter::once(&page).chain(whole.first_page()).collect();
        assert_same_order(probe, &what, column, expected, items(&page), &evidence);
        Ok(())
    }

    async fn read(&self, probe: &Probe) -> Result<HttpResponse, Stop> {
        let call = probe
            .call("list_items")
            .path("pipeline_id", self.pipeline_id)
            .query("sort_by", self.sort_by)
            .query_some("sort_order", self.sort_order)
            .query("skip", self.skip)
            .query("limit", self.limit);
        probe.ok(call.send().await?)
    }
}

/// Asserts that a page in descending order is cut from the whole list if one in ascending order is. The source leaves
/// open whether each page is sorted by itself, but `desc` is the other order of the same list.
pub(super) async fn assert_cut_alike(
    probe: &Probe,
    (pipeline_id, sort_by): (u64, &str),
    ascending: &Listing,
    descending: &Listing,
) -> Outcome {
    let by_id = probe.listing(pipeline_id, None, None).await?;
    let are_complete = [&by_id, ascending, descending].iter().all(|listing| listing.complete);
    let length = END.min(ascending.items.len() / 2);
    if !are_complete || length == 0 {
        return Ok(());
    }
    let ids = |items: &[Value]| items.iter().take(length).map(item_id).collect::<BTreeSet<_>>();
    // Ties may be in another order in each response.
    let numbers = |items: &[Value]| {
        let values = items.iter().take(length).map(|item| sole_value(item, sort_by));
        let numbers = values.map(|value| value.filter(|value| value.is_number()).map(comparable));
        numbers.collect::<Vec<_>>()
    };
    let first = |sort_order| Cut {
        pipeline_id,
        sort_by,
        sort_order: Some(sort_order),
        skip: 0,
        limit: length,
    };
    let page = first("asc").read(probe).await?;
    let is_of_whole = numbers(items(&page)) == numbers(&ascending.items) && ids(items(&page)) != ids(&by_id.items);
    let expected = numbers(&descending.items);
    if is_of_whole && expected.iter().any(Option::is_some) {
        let page = first("desc").read(probe).await?;
        let (expected, seen) = (json!(expected), json!(numbers(items(&page))));
        let evidence: Vec<_> = std::iter::once(&page).chain(descending.first_page()).collect();
        probe.assert_same(
            &format!("the first {length} numbers by {sort_by} desc"),
            &expected,
            &seen,
            &evidence,
        );
    }
    Ok(())
}
