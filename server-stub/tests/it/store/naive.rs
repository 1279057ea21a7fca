//! The reference store, without an index, a cache or an optimization. It follows the definitions of the model
//! literally.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use platform_server_stub::data::Dataset;
use platform_server_stub::model::filter::Filters;
use platform_server_stub::model::ids::{MAX_ID, OrganizationId, PipelineId, PipelineItemId};
use platform_server_stub::model::item::{Item, ItemList, NewItem};
use platform_server_stub::model::pipeline::Pipeline;
use platform_server_stub::model::process::Step;
use platform_server_stub::model::search::{
    Found, IndexedOrganization, IndexedProduct, OrganizationHit, OrganizationQuery, Page, ProductHit, ProductQuery,
    rank,
};
use platform_server_stub::model::sort::ItemOrder;
use platform_server_stub::model::store_error::StoreError;
use platform_server_stub::store::{Added, Catalogue, Claim, Completed, DueChange, Ledger, Record};

#[derive(Debug)]
pub(super) struct NaiveStore {
    organizations: Vec<Arc<IndexedOrganization>>,
    products: Vec<Arc<IndexedProduct>>,
    pipelines: Vec<Arc<Pipeline>>,
    entries: Mutex<Vec<Entry>>,
}

/// An item and its remaining work.
#[derive(Debug)]
struct Entry {
    item: Arc<Item>,
    work: Vec<DueChange>,
    held_until: Option<DateTime<Utc>>,
    ticket: u64,
}

impl NaiveStore {
    pub(super) fn new(data: &Dataset) -> Self {
        let records = data.records();
        Self {
            organizations: data.organizations().collect(),
            products: data.products().collect(),
            pipelines: data.pipelines().cloned().collect(),
            entries: Mutex::new(records.map(Entry::of).collect()),
        }
    }
}

impl NaiveStore {
    /// A store of organizations alone.
    pub(super) fn of_organizations(organizations: impl Iterator<Item = Arc<IndexedOrganization>>) -> Self {
        Self {
            organizations: organizations.collect(),
            products: Vec::new(),
            pipelines: Vec::new(),
            entries: Mutex::default(),
        }
    }
}

impl Entry {
    fn of(record: Record) -> Self {
        Self {
            item: record.item,
            work: record.work,
            held_until: None,
            ticket: 0,
        }
    }

    fn id(&self) -> PipelineItemId {
        self.item.pipeline_item_id
    }

    /// The time from which its next change can be claimed.
    fn free_from(&self) -> Option<DateTime<Utc>> {
        let first = self.work.first()?;
        Some(self.held_until.unwrap_or(first.due))
    }
}

#[async_trait]
impl Catalogue for NaiveStore {
    async fn organization(&self, id: OrganizationId) -> Result<Option<Arc<IndexedOrganization>>, StoreError> {
        let mut all = self.organizations.iter();
        let found = all.find(|known| known.organization.organization_id == id);
        Ok(found.cloned())
    }

    async fn pipeline(&self, id: PipelineId) -> Result<Option<Arc<Pipeline>>, StoreError> {
        let mut all = self.pipelines.iter();
        Ok(all.find(|pipeline| pipeline.pipeline_id == id).cloned())
    }

    async fn search_organizations(
        &self,
        query: &OrganizationQuery,
        filters: &Filters,
        page: Page,
    ) -> Result<Option<Found<OrganizationHit>>, StoreError> {
        let meaning = |id| {
            let mut all = self.organizations.iter();
            let known = all.find(|known| known.organization.organization_id == id)?;
            Some(known.meaning.clone())
        };
        let Some(probe) = query.clone().resolve(meaning) else {
            return Ok(None);
        };
        let all = self.organizations.iter();
        let admitted = all.filter(|known| filters.admit_organization(known));
        let candidates = admitted.filter_map(|known| {
            let id = known.organization.organization_id;
            Some((probe.distance(&id, &known.meaning)?, id, known))
        });
        let found = rank(candidates.collect(), page);
        let hit = |(cosine_distance, known): (f64, &Arc<IndexedOrganization>)| OrganizationHit {
            organization: Arc::clone(&known.organization),
            cosine_distance,
        };
        Ok(Some(Found {
            total_count: found.total_count,
            results: found.results.into_iter().map(hit).collect(),
        }))
    }

    async fn search_products(
        &self,
        query: &ProductQuery,
        filters: &Filters,
        page: Page,
    ) -> Result<Option<Found<ProductHit>>, StoreError> {
        let meaning = |id| {
            let mut all = self.products.iter();
            let known = all.find(|known| known.product.product_id == id)?;
            Some(known.meaning.clone())
        };
        let Some(probe) = query.clone().resolve(meaning) else {
            return Ok(None);
        };
        let all = self.products.iter();
        let admitted = all.filter(|known| filters.admit_product(known));
        let candidates = admitted.filter_map(|known| {
            let id = known.product.product_id;
            Some((probe.distance(&id, &known.meaning)?, id, known))
        });
        let found = rank(candidates.collect(), page);
        let hit = |(cosine_distance, known): (f64, &Arc<IndexedProduct>)| ProductHit {
            product: Arc::clone(&known.product),
            organization: Arc::clone(&known.organization),
            cosine_distance,
        };
        Ok(Some(Found {
            total_count: found.total_count,
            results: found.results.into_iter().map(hit).collect(),
        }))
    }
}

#[async_trait]
impl Ledger for NaiveStore {
    async fn item(&self, id: PipelineItemId) -> Result<Option<Arc<Item>>, StoreError> {
        let entries = self.entries.lock().unwrap();
        let found = entries.iter().find(|entry| entry.id() == id);
        Ok(found.map(|entry| Arc::clone(&entry.item)))
    }

    async fn items(&self, pipeline: PipelineId, order: ItemOrder, page: Page) -> Result<ItemList, StoreError> {
        let entries = self.entries.lock().unwrap();
        let members = entries.iter().map(|entry| &entry.item);
        let members = members.filter(|item| item.pipeline_id == pipeline);
        let mut items: Vec<_> = members.cloned().collect();
        order.sort(&mut items);
        Ok(ItemList {
            total_count: items.len(),
            items: page.of(items),
        })
    }

    async fn add(&self, new: NewItem, plan: Vec<Step>, now: DateTime<Utc>) -> Result<Added, StoreError> {
        let mut entries = self.entries.lock().unwrap();
        let in_pipeline = |entry: &&Entry| entry.item.pipeline_id == new.pipeline_id;
        let mut members = entries.iter().filter(in_pipeline);
        if let Some(entry) = members.find(|entry| entry.item.organization_id == Some(new.organization_id)) {
            return Ok(Added::Already(entry.id()));
        }
        let last_here = entries.iter().filter(in_pipeline).map(Entry::id).max();
        let last = last_here.or_else(|| entries.iter().map(Entry::id).max());
        let mut next = last.map_or(1, |id| id.get() + 1);
        while entries.iter().any(|entry| entry.id().get() == next) {
            next += 1;
        }
        if next > MAX_ID {
            next = 1;
            while entries.iter().any(|entry| entry.id().get() == next) {
                next += 1;
            }
        }
        let id = PipelineItemId::new(next).map_err(|_| StoreError::NoItemIdLeft)?;
        let item = Arc::new(new.with_id(id));
        let work = plan.into_iter().map(|step| DueChange::of(step, now));
        entries.push(Entry::of(Record {
            item: Arc::clone(&item),
            work: work.collect(),
        }));
        Ok(Added::New(item))
    }

    async fn claim(&self, now: DateTime<Utc>, lease: Duration, limit: usize) -> Result<Vec<Claim>, StoreError> {
        let mut entries = self.entries.lock().unwrap();
        let mut last = entries.iter().map(|entry| entry.ticket).max();
        let mut free: Vec<_> = entries
            .iter_mut()
            .filter(|entry| entry.free_from().is_some_and(|from| from <= now))
            .collect();
        free.sort_by_key(|entry| (entry.free_from(), entry.id()));
        let claim = |entry: &mut Entry| {
            entry.ticket = last.unwrap_or_default() + 1;
            last = Some(entry.ticket);
            entry.held_until = Some(now + lease);
            Claim {
                item: Arc::clone(&entry.item),
                change: entry.work[0].change.clone(),
                ticket: entry.ticket,
            }
        };
        Ok(free.into_iter().take(limit).map(claim).collect())
    }

    async fn complete(&self, claim: &Claim, after: Item) -> Result<Completed, StoreError> {
        let mut entries = self.entries.lock().unwrap();
        let held = entries.iter_mut().find(|entry| {
            entry.id() == after.pipeline_item_id && entry.held_until.is_some() && entry.ticket == claim.ticket
        });
        let Some(entry) = held else {
            return Ok(Completed::LeaseLost);
        };
        entry.work.remove(0);
        entry.held_until = None;
        entry.item = Arc::new(after);
        Ok(Completed::Done)
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        let entries = self.entries.lock().unwrap();
        Ok(entries.iter().filter_map(Entry::free_from).min())
    }

    async fn reset(&self, records: Vec<Record>) -> Result<(), StoreError> {
        let mut entries = self.entries.lock().unwrap();
        let last = entries.iter().map(|entry| entry.ticket).max();
        *entries = records.into_iter().map(Entry::of).collect();
        // No ticket is given out twice.
        for entry in entries.iter_mut() {
            entry.ticket = last.unwrap_or_default();
        }
        Ok(())
    }

    fn export(&self) -> BoxStream<'_, Result<Record, StoreError>> {
        let entries = self.entries.lock().unwrap();
        let mut records: Vec<_> = entries
            .iter()
            .map(|entry| Record {
                item: Arc::clone(&entry.item),
                work: entry.work.clone(),
            })
            .collect();
        records.sort_by_key(|record| record.item.pipeline_item_id);
        stream::iter(records.into_iter().map(Ok)).boxed()
    }

    async fn ready(&self) -> Result<(), StoreError> {
        Ok(())
    }
}
