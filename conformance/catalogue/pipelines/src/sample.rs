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
/// The limit on the items with a document in a pipeline.
const DOCUMENTS: usize = 24;
/// The limit on the items of all samples and on all items with a document.
pub(crate) const SAMPLED_WITH_DOCUMENTS: usize = SAMPLED + PIPELINES * DOCUMENTS;

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
    /// The item at a place of a listing; `None` if it or its first page cannot be read.
    fn of(listing: &Listing, place: usize) -> Option<Self> {
        let item = listing.items[place].clone();
        Some(Self {
            pipeline_id: item["pipeline_id"].as_u64()?,
            place,
            page: listing.first_page()?.clone(),
            item,
        })
    }

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
        let longest = ["result", "references"].map(|list| {
            let all = listing.items.iter().enumerate();
            all.max_by_key(|(_, item)| length_of_longest(list, item))
        });
        let mut kinds = BTreeMap::new();
        for (place, item) in listing.items.iter().enumerate() {
            kinds.entry(kind(item)).or_insert(place);
        }
        let places = spread(0..listing.items.len(), SPREAD);
        let places = places.chain(kinds.into_values().take(KINDS));
        let longest = longest.into_iter().flatten().map(|(place, _)| place);
        let places: BTreeSet<_> = places.chain(longest).collect();
        sample.extend(places.into_iter().filter_map(|place| Sampled::of(&listing, place)));
    }
    Ok(sample)
}

/// The sample, and items with a document from all over the list of every known pipeline. A list does not show which of
/// them are indexed.
pub(crate) async fn sample_with_documents(probe: &Probe) -> Result<Vec<Sampled>, Stop> {
    let mut sample = sample(probe).await?;
    let seen: BTreeSet<_> = sample.iter().map(|item| (item.pipeline_id, item.place)).collect();
    for listing in listings(probe).await? {
        let items = listing.items.iter().enumerate();
        let documents = items.filter(|(_, item)| !item["document_id"].is_null());
        let places: Vec<_> = documents.map(|(place, _)| place).collect();
        let items = spread(places.into_iter(), DOCUMENTS).filter_map(|place| Sampled::of(&listing, place));
        sample.extend(items.filter(|item| !seen.contains(&(item.pipeline_id, item.place))));
    }
    Ok(sample)
}

/// At most this many of the places, from all over the list, the first and the last among them.
fn spread(places: impl ExactSizeIterator<Item = usize>, most: usize) -> impl Iterator<Item = usize> {
    let places: Vec<_> = places.collect();
    let chosen = places.len().min(most);
    let last = places.len().saturating_sub(1);
    (0..chosen).map(move |index| places[index * last / (chosen - 1).max(1)])
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

/// The columns of entity data among the values of an item.
pub fn entity_columns(item: &Value) -> BTreeSet<&str> {
    let columns = item["values"].as_object().into_iter().flatten();
    let columns = columns.map(|(column, _)| column.as_str());
    columns.filter(|column| !is_question(column)).collect()
}

/// The number of pending questions of an item.
pub fn pending(item: &Value) -> usize {
    let entries = item["values"].as_object().into_iter().flatten();
    entries.filter(|(_, entry)| entry["status"] == "pending").count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_places_have_both_ends() {
        let places = |length, most| spread(0..length, most).collect::<Vec<_>>();
        assert_eq!(places(60, 8), [0, 8, 16, 25, 33, 42, 50, 59]);
        assert_eq!(places(3, 8), [0, 1, 2]);
        assert_eq!(places(1, 8), [0]);
        assert_eq!(places(0, 8), [0; 0]);
    }
}
