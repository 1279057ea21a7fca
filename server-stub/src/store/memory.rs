//! A store that lives as long as its process.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use async_trait::async_trait;

use super::pool::Pool;
use super::{Store, StoreError};
use crate::data::Dataset;
use crate::model::filter::Filters;
use crate::model::ids::{OrganizationId, PipelineId, PipelineItemId, ProductId};
use crate::model::item::{Item, ItemList, NewItem};
use crate::model::pipeline::Pipeline;
use crate::model::search::{
    Found, IndexedOrganization, IndexedProduct, OrganizationHit, OrganizationProbe, Page,
    ProductHit, ProductProbe, rank,
};
use crate::model::sort::{ItemOrder, SortOrder};

/// From this many records on, a scan takes milliseconds and runs on the [`Pool`]. Below it, the hop to
/// another thread would cost a large share of the time.
const OFFLOAD_FROM: usize = 4096;

/// Keeps everything in memory. Records and first items are shared with the data set that the store was
/// made of, and an item is copied when it first changes, so that a store costs next to nothing to make.
#[derive(Debug)]
pub struct MemoryStore {
    dataset: Arc<Dataset>,
    items: Arc<RwLock<Items>>,
    pool: Pool,
}

#[derive(Debug, Default)]
struct Items {
    pipeline_of: BTreeMap<PipelineItemId, PipelineId>,
    by_pipeline: HashMap<PipelineId, Members>,
}

#[derive(Debug, Default)]
struct Members {
    items: BTreeMap<PipelineItemId, Arc<Item>>,
    organizations: BTreeSet<OrganizationId>,
}

impl MemoryStore {
    /// A store that holds what a data set holds.
    pub fn new(dataset: Arc<Dataset>) -> Self {
        let mut items = Items::default();
        for item in dataset.items() {
            items.insert(Arc::clone(item));
        }
        Self {
            dataset,
            items: Arc::new(RwLock::new(items)),
            pool: Pool::new(),
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Items> {
        read(&self.items)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Items> {
        self.items.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a scan of this many records, on the pool when there are many.
    async fn scan<T: Send + 'static>(
        &self,
        records: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, StoreError> {
        if records < OFFLOAD_FROM {
            return Ok(work());
        }
        self.pool.run(work).await
    }
}

fn read(items: &RwLock<Items>) -> RwLockReadGuard<'_, Items> {
    // Nothing panics between two changes that belong together, so that the items are always whole.
    items.read().unwrap_or_else(PoisonError::into_inner)
}

impl Items {
    fn insert(&mut self, item: Arc<Item>) {
        let members = self.by_pipeline.entry(item.pipeline_id).or_default();
        members.organizations.extend(item.organization_id);
        self.pipeline_of
            .insert(item.pipeline_item_id, item.pipeline_id);
        members.items.insert(item.pipeline_item_id, item);
    }

    /// The id after the pipeline's last, or after the last of all where the pipeline has none; further on
    /// where another pipeline has taken that one.
    fn next_id(&self, pipeline: PipelineId) -> Result<PipelineItemId, StoreError> {
        let last_here = self
            .by_pipeline
            .get(&pipeline)
            .and_then(|members| members.items.keys().next_back());
        let last = last_here.or_else(|| self.pipeline_of.keys().next_back());
        let mut next = last.map_or(1, |id| id.get() + 1);
        loop {
            let id = PipelineItemId::new(next).map_err(|_| StoreError::NoItemIdLeft)?;
            if !self.pipeline_of.contains_key(&id) {
                return Ok(id);
            }
            next += 1;
        }
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn organization(
        &self,
        id: OrganizationId,
    ) -> Result<Option<Arc<IndexedOrganization>>, StoreError> {
        Ok(self.dataset.organization(id).cloned())
    }

    async fn product(&self, id: ProductId) -> Result<Option<Arc<IndexedProduct>>, StoreError> {
        Ok(self.dataset.product(id).cloned())
    }

    async fn search_organizations(
        &self,
        probe: &OrganizationProbe,
        filters: &Filters,
        page: Page,
    ) -> Result<Found<OrganizationHit>, StoreError> {
        let (dataset, probe, filters) = (Arc::clone(&self.dataset), probe.clone(), filters.clone());
        let records = dataset.organizations().len();
        self.scan(records, move || {
            search_organizations(&dataset, &probe, &filters, page)
        })
        .await
    }

    async fn search_products(
        &self,
        probe: &ProductProbe,
        filters: &Filters,
        page: Page,
    ) -> Result<Found<ProductHit>, StoreError> {
        let (dataset, probe, filters) = (Arc::clone(&self.dataset), probe.clone(), filters.clone());
        let records = dataset.products().len();
        self.scan(records, move || {
            search_products(&dataset, &probe, &filters, page)
        })
        .await
    }

    async fn pipeline(&self, id: PipelineId) -> Result<Option<Arc<Pipeline>>, StoreError> {
        Ok(self.dataset.pipeline(id).cloned())
    }

    async fn items(
        &self,
        pipeline: PipelineId,
        order: ItemOrder,
        page: Page,
    ) -> Result<ItemList, StoreError> {
        if order.sort_by.is_none() {
            let items = self.read();
            let members = items.by_pipeline.get(&pipeline);
            return Ok(members.map_or_else(ItemList::default, |members| {
                members.by_id(order.sort_order, page)
            }));
        }
        let members = |items: &Items| items.by_pipeline.get(&pipeline).map(|it| it.items.len());
        let records = members(&self.read()).unwrap_or_default();
        let items = Arc::clone(&self.items);
        self.scan(records, move || sorted(&items, pipeline, order, page))
            .await
    }

    async fn item(&self, id: PipelineItemId) -> Result<Option<Arc<Item>>, StoreError> {
        let items = self.read();
        let pipeline = items.pipeline_of.get(&id);
        let members = pipeline.and_then(|pipeline| items.by_pipeline.get(pipeline));
        Ok(members.and_then(|members| members.items.get(&id)).cloned())
    }

    async fn insert_organization(&self, new: NewItem) -> Result<Option<Arc<Item>>, StoreError> {
        let mut items = self.write();
        let members = items.by_pipeline.get(&new.pipeline_id);
        if members.is_some_and(|members| members.organizations.contains(&new.organization_id)) {
            return Ok(None);
        }
        let id = items.next_id(new.pipeline_id)?;
        let item = Arc::new(new.with_id(id));
        items.insert(Arc::clone(&item));
        Ok(Some(item))
    }

    async fn replace_item(&self, item: Item) -> Result<(), StoreError> {
        let mut items = self.write();
        let members = items.by_pipeline.get_mut(&item.pipeline_id);
        if let Some(place) = members.and_then(|it| it.items.get_mut(&item.pipeline_item_id)) {
            *place = Arc::new(item);
        }
        Ok(())
    }
}

impl Members {
    /// One page in the order of the ids, which is the order that the items are kept in.
    fn by_id(&self, order: SortOrder, page: Page) -> ItemList {
        let items = self.items.values().cloned();
        ItemList {
            total_count: self.items.len(),
            items: match order {
                SortOrder::Ascending => page.of(items),
                SortOrder::Descending => page.of(items.rev()),
            },
        }
    }
}

/// One page of all items of a pipeline, sorted. The lock is held only while the list is copied.
fn sorted(items: &RwLock<Items>, pipeline: PipelineId, order: ItemOrder, page: Page) -> ItemList {
    let mut all: Vec<_> = {
        let items = read(items);
        let members = items.by_pipeline.get(&pipeline).into_iter();
        members.flat_map(|it| it.items.values().cloned()).collect()
    };
    order.sort(&mut all);
    ItemList {
        total_count: all.len(),
        items: page.of(all),
    }
}

fn search_organizations(
    dataset: &Dataset,
    probe: &OrganizationProbe,
    filters: &Filters,
    page: Page,
) -> Found<OrganizationHit> {
    let admitted = dataset
        .organizations()
        .filter(|known| filters.admit_organization(known));
    let candidates = admitted.filter_map(|known| {
        let id = known.organization.organization_id;
        Some((probe.distance(&id, &known.meaning)?, id, known))
    });
    let found = rank(candidates.collect(), page);
    let hit = |(cosine_distance, known): (f64, &Arc<IndexedOrganization>)| OrganizationHit {
        organization: Arc::clone(&known.organization),
        cosine_distance,
    };
    Found {
        total_count: found.total_count,
        results: found.results.into_iter().map(hit).collect(),
    }
}

fn search_products(
    dataset: &Dataset,
    probe: &ProductProbe,
    filters: &Filters,
    page: Page,
) -> Found<ProductHit> {
    let admitted = dataset
        .products()
        .filter(|known| filters.admit_product(known));
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
    Found {
        total_count: found.total_count,
        results: found.results.into_iter().map(hit).collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn store(items_of_2: Value, items_of_3: Value) -> MemoryStore {
        let organizations: Vec<_> = (1..=9)
            .map(|id| json!({"organization_id": id, "name": "Weaver", "description": "Weaves."}))
            .collect();
        let document = json!({"organizations": organizations, "pipelines": [
            {"pipeline_id": 2, "name": "two", "items": items_of_2},
            {"pipeline_id": 3, "name": "three", "items": items_of_3},
        ]});
        MemoryStore::new(Arc::new(Dataset::from_json(&document.to_string()).unwrap()))
    }

    async fn insert(
        store: &MemoryStore,
        pipeline: i64,
        organization: i64,
    ) -> Result<Option<i64>, StoreError> {
        let new = NewItem {
            pipeline_id: PipelineId::new(pipeline).unwrap(),
            organization_id: OrganizationId::new(organization).unwrap(),
            values: BTreeMap::new(),
            platform_entity_data_ready: true,
        };
        let item = store.insert_organization(new).await?;
        Ok(item.map(|item| item.pipeline_item_id.get()))
    }

    fn item(id: i64, organization: i64) -> Value {
        json!({"pipeline_item_id": id, "organization_id": organization})
    }

    #[tokio::test]
    async fn a_new_item_gets_the_next_id_of_its_pipeline_that_no_other_pipeline_uses() {
        let store = store(json!([item(10, 1), item(7, 2)]), json!([item(11, 1)]));
        assert_eq!(insert(&store, 2, 3).await.unwrap(), Some(12));
        assert_eq!(insert(&store, 3, 3).await.unwrap(), Some(13));
        assert_eq!(insert(&store, 2, 4).await.unwrap(), Some(14));
    }

    #[tokio::test]
    async fn the_first_item_of_a_pipeline_comes_after_all_there_are() {
        let store = store(json!([]), json!([]));
        assert_eq!(insert(&store, 2, 1).await.unwrap(), Some(1));
        assert_eq!(insert(&store, 3, 1).await.unwrap(), Some(2));
    }

    #[tokio::test]
    async fn an_organization_is_in_a_pipeline_once() {
        let store = store(json!([item(1, 1)]), json!([]));
        assert_eq!(insert(&store, 2, 1).await.unwrap(), None);
        assert_eq!(insert(&store, 3, 1).await.unwrap(), Some(2));
        assert_eq!(insert(&store, 3, 1).await.unwrap(), None);
    }

    #[tokio::test]
    async fn when_the_ids_run_out_nothing_is_inserted() {
        let store = store(json!([item(crate::model::ids::MAX_ID, 1)]), json!([]));
        assert!(matches!(
            insert(&store, 2, 2).await,
            Err(StoreError::NoItemIdLeft)
        ));
        let all = Page { skip: 0, limit: 10 };
        let items = store
            .items(PipelineId::new(2).unwrap(), ItemOrder::default(), all)
            .await
            .unwrap();
        assert_eq!(items.total_count, 1);
    }
}
