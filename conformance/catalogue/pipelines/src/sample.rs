//! A sample of the items of all known pipelines, for the cases that read items one by one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use engine::rules::entry::is_question;
use engine::session::Probe;
use engine::session::observed::{Listing, PIPELINES, item_id};
use engine::transport::response::HttpResponse;
use engine::verdict::Stop;

/// The number of items that are spread over the list of a pipeline.
const SPREAD: usize = 8;
/// The number of items of different kinds in a pipeline.
const KINDS: usize = 6;
/// The limit on the items of all samples.
pub(crate) const SAMPLED: usize = PIPELINES * (SPREAD + KINDS + 2);

/// Returns the listings of all known pipelines.
pub(crate) async fn listings(probe: &Probe) -> Result<Vec<Arc<Listing>>, Stop> {
    let mut listings = Vec::new();
    for pipeline in &probe.known().pipelines {
        listings.push(probe.listing(pipeline.pipeline_id, None, None).await?);
    }
    Ok(listings)
}

/// An item as a list showed it.
pub(crate) struct Sampled {
    pub(crate) pipeline_id: u64,
    /// Its position in the list.
    pub(crate) place: usize,
    pub(crate) item: Value,
    /// The first page of the list.
    pub(crate) page: HttpResponse,
}

impl Sampled {
    pub(crate) fn id(&self) -> i64 {
        item_id(&self.item)
    }

    pub(crate) async fn read(&self, probe: &Probe, operation: &str) -> Result<HttpResponse, Stop> {
        let call = probe
            .call(operation)
            .path("pipeline_id", self.pipeline_id)
            .path("pipeline_item_id", self.id());
        probe.ok(call.send().await?)
    }
}

/// A sample of the items of every known pipeline: some from all over the list, some of different kinds, and those with
/// the most values and the most references, which are truncated first.
pub(crate) async fn sample(probe: &Probe) -> Result<Vec<Sampled>, Stop> {
    let mut sample = Vec::new();
    for listing in listings(probe).await? {
        let step = listing.items.len().div_ceil(SPREAD).max(1);
        let page = listing.first_page().cloned();
        let longest = ["result", "references"].map(|list| {
            let all = listing.items.iter().enumerate();
            all.max_by_key(|(_, item)| length_of_longest(list, item))
        });
        let mut kinds = BTreeMap::new();
        for (place, item) in listing.items.iter().enumerate() {
            kinds.entry(kind(item)).or_insert(place);
        }
        let places = (0..listing.items.len()).step_by(step);
        let places = places.chain(kinds.into_values().take(KINDS));
        let longest = longest.into_iter().flatten().map(|(place, _)| place);
        let places: BTreeSet<_> = places.chain(longest).collect();
        for place in places {
            let item = listing.items[place].clone();
            if let (Some(pipeline_id), Some(page)) = (item["pipeline_id"].as_u64(), &page) {
                let page = page.clone();
                sample.push(Sampled {
                    pipeline_id,
                    place,
                    item,
                    page,
                });
            }
        }
    }
    Ok(sample)
}

/// What tells an item from others on its way to readiness: pending questions first, then data that is missing. An item
/// may be waiting for either, for both or for none.
fn kind(item: &Value) -> (bool, bool, Vec<bool>) {
    let entries = item["values"].as_object().into_iter().flatten();
    let mut data = entries.filter(|(column, _)| !is_question(column));
    let is_complete = data.all(|(_, entry)| entry["result"] != json!([]));
    let ids = ["organization_id", "person_id", "document_id"].map(|id| item[id].is_null());
    (pending(item) == 0, is_complete, ids.to_vec())
}

/// The length of the longest list of this name in the entries of an item.
fn length_of_longest(list: &str, item: &Value) -> usize {
    let entries = item["values"].as_object().into_iter().flatten();
    let lengths = entries.map(|(_, entry)| entry[list].as_array().map_or(0, Vec::len));
    lengths.max().unwrap_or_default()
}

/// The number of pending questions of an item.
pub fn pending(item: &Value) -> usize {
    let entries = item["values"].as_object().into_iter().flatten();
    entries.filter(|(_, entry)| entry["status"] == "pending").count()
}
