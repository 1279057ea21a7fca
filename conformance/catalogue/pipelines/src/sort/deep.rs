//! A case about short pages deep in a sorted list: they are cut from the same order as long ones, ties included.

use engine::session::Probe;
use engine::session::observed::Listing;
use engine::target::PipelineRole::ManyItems;
use engine::verdict::Outcome;

use crate::column_values::{columns, first_value};
use crate::sort::cut::Cut;
use crate::ties::are_tied;

/// The number of columns to look at, and the length of a page.
const COLUMNS: usize = 3;
const LENGTH: usize = 6;

pub(super) async fn deep_pages(probe: Probe) -> Outcome {
    let pipeline_id = probe.pipeline(ManyItems)?;
    let mut compared = false;
    let mine = columns(&probe)?.into_iter();
    for (_, column) in mine.filter(|(id, _)| *id == pipeline_id).take(COLUMNS) {
        for order in ["asc", "desc"] {
            let whole = probe.listing(pipeline_id, Some(&column), Some(order)).await?;
            for skip in places(&whole, &column) {
                let page = Cut {
                    pipeline_id,
                    sort_by: &column,
                    sort_order: Some(order),
                    skip,
                    limit: LENGTH,
                };
                page.check(&probe, &whole).await?;
                compared = true;
            }
        }
    }
    match compared {
        true => Ok(()),
        false => probe.inconclusive("a pipeline of more than a dozen items with a question"),
    }
}

/// Where pages begin: in the middle of the last tie that is as long as a page, and at the end of the list.
fn places(whole: &Listing, column: &str) -> Vec<usize> {
    let Some(last) = whole.items.len().checked_sub(LENGTH) else {
        return Vec::new();
    };
    let tied = (1..last).rev().find(|start| {
        let page = &whole.items[*start..*start + LENGTH];
        let has_value = first_value(&page[0], column).is_some();
        has_value && page.windows(2).all(|pair| are_tied(&pair[0], &pair[1], column))
    });
    tied.into_iter().chain([last]).collect()
}
