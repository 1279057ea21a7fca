//! A case about the pages of every pipeline in every order: a pipeline of another size or kind, and a sorted list, have
//! the same pages. Part of the group `paging`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use engine::case::{Case, Need};
use engine::session::observed::{KnownPipeline, Listing, PIPELINES, item_id, items};
use engine::session::{Call, Probe};
use engine::target::PipelineRole::ManyItems;
use engine::verdict::Outcome;
use platform_contract::Contract;

/// The number of pages that are read in each order, and the number of orders.
const PAGES: usize = 5;
const ORDERS: usize = 4;

pub(super) fn case(contract: &Contract) -> Case {
    let list_items = contract.operation("list_items");
    let page = format!("{}/content/application~1json/schema", list_items.response_pointer(200));
    Case::new(
        "paging/pages-of-any-pipeline",
        "A page of any pipeline, in any order, has limit items of it, or all that are left",
        &list_items.parameter("limit").pointer,
    )
    .and(&list_items.parameter("skip").pointer)
    .and_quote(
        &format!("{page}/properties/total_count"),
        "Total items in the pipeline.",
    )
    .needs([Need::Pipeline(ManyItems)])
    .walks(200)
    .sends((PIPELINES * ORDERS * PAGES) as u64)
    .check(pages)
}

async fn pages(probe: Probe) -> Outcome {
    let mut has_items = false;
    for pipeline in &probe.known().pipelines {
        let listing = probe.listing(pipeline.pipeline_id, None, None).await?;
        if !listing.complete {
            continue;
        }
        has_items |= !listing.items.is_empty();
        for order in orders(pipeline) {
            assert_pages(&probe, &listing, pipeline.pipeline_id, &order).await?;
        }
    }
    match has_items {
        true => Ok(()),
        false => probe.inconclusive("a pipeline with items that is small enough to be walked"),
    }
}

/// The parameters of each order; for a column, the last one of the pipeline.
fn orders(pipeline: &KnownPipeline) -> Vec<Vec<(&'static str, &str)>> {
    let column = pipeline.question_columns.last();
    let sorted = column.into_iter().flat_map(|column| {
        let sort_by = ("sort_by", column.as_str());
        [vec![sort_by], vec![sort_by, ("sort_order", "desc")]]
    });
    [vec![], vec![("sort_order", "desc")]]
        .into_iter()
        .chain(sorted)
        .collect()
}

/// Asserts that pages at both ends of a list and in its middle have as many items as there are, each of them
/// once and one of the pipeline; without an order, the items of that position.
async fn assert_pages(probe: &Probe, listing: &Listing, pipeline_id: u64, order: &[(&'static str, &str)]) -> Outcome {
    let (all, count) = (listing.ids(), listing.items.len());
    let known: BTreeSet<_> = all.iter().copied().collect();
    let limits = probe.contract().operation("list_items").parameter("limit");
    let [default, most] =
        ["default", "maximum"].map(|keyword| usize::try_from(limits.number(keyword)).unwrap_or_default());
    // The default of `limit` shows at the beginning, where the most items are left.
    let ends = [
        (None, None),
        (None, Some(3)),
        (Some(count / 2), None),
        (Some(count.saturating_sub(2)), Some(most)),
        (Some(count.saturating_sub(1)), Some(5)),
    ];
    for (skip, limit) in ends {
        let list = probe.call("list_items").path("pipeline_id", pipeline_id);
        let list = list.query_some("skip", skip).query_some("limit", limit);
        let list = order
            .iter()
            .fold(list, |call: Call, (name, value)| call.query(name, value));
        let place = list.path_and_query()?;
        let page = probe.ok(list.send().await?)?;
        let (skip, limit) = (skip.unwrap_or(0), limit.unwrap_or(default));
        let ids: Vec<_> = items(&page).iter().map(item_id).collect();
        let expected = (count - skip.min(count)).min(limit);
        let what = format!("the number of items of {place}");
        let evidence: Vec<_> = [&page].into_iter().chain(listing.first_page()).collect();
        probe.assert(ids.len() == expected, &what, expected, ids.len(), &evidence);
        let what = format!("total_count of {place}");
        let total = page.at("/total_count");
        probe.assert(
            *total == listing.total_count,
            &what,
            listing.total_count,
            total,
            &evidence,
        );
        let distinct: BTreeSet<_> = ids.iter().copied().collect();
        let what = format!("the items of {place}");
        if order.is_empty() {
            let expected: Vec<_> = all.iter().copied().skip(skip).take(limit).collect();
            probe.assert_same(&what, &json!(expected), &json!(ids), &evidence);
        } else {
            let is_part = distinct.len() == ids.len() && distinct.is_subset(&known);
            let expected = "different items of the pipeline";
            probe.assert(is_part, &what, expected, Value::from(ids), &evidence);
        }
    }
    Ok(())
}
