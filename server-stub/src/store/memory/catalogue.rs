//! Records in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;

use super::index::{Entry, Index, Sought};
use crate::model::filter::Filters;
use crate::model::ids::{OrganizationId, PipelineId, ProductId};
use crate::model::pipeline::Pipeline;
use crate::model::search::{
    Found, IndexedOrganization, IndexedProduct, Meaning, OrganizationHit, OrganizationQuery, Page,
    ProductHit, ProductQuery, Query,
};
use crate::model::store_error::StoreError;
use crate::store::catalogue::Catalogue;
use crate::store::pool::Pool;

/// Keeps records in memory. A clone shares them, and has threads of its own to search them with.
#[derive(Debug, Clone)]
pub struct MemoryCatalogue {
    records: Arc<Records>,
    pool: Pool,
}

#[derive(Debug)]
struct Records {
    organizations: Table<OrganizationId, IndexedOrganization>,
    products: Table<ProductId, IndexedProduct>,
    pipelines: BTreeMap<PipelineId, Arc<Pipeline>>,
}

/// Records by the number of their row, which ascends with their ids.
#[derive(Debug)]
struct Table<Id, T> {
    ids: Vec<Id>,
    records: Vec<Arc<T>>,
    index: Index,
}

impl<Id: Ord + Copy, T> Table<Id, T> {
    fn of(records: BTreeMap<Id, T>, entry: impl Fn(&mut T) -> Entry<'_>) -> Self {
        let (ids, mut records): (Vec<_>, Vec<_>) = records.into_iter().unzip();
        let index = Index::of(records.iter_mut().map(entry));
        Self {
            ids,
            records: records.into_iter().map(Arc::new).collect(),
            index,
        }
    }

    fn row(&self, id: Id) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }

    fn find(&self, id: Id) -> Option<&Arc<T>> {
        Some(&self.records[self.row(id)?])
    }

    /// What was found; none when the query names a record that does not exist.
    fn search<'a>(
        &'a self,
        query: &Query<Id>,
        meaning: impl Fn(&T) -> &Meaning,
        filters: &Filters,
        page: Page,
    ) -> Option<Found<(f64, &'a T)>> {
        let sought = match query {
            Query::Offer(vector) => Sought::Offer(vector),
            Query::Customers(vector) => Sought::Customers(vector),
            Query::Known(id) => {
                let row = self.row(*id)?;
                Sought::Known(u32::try_from(row).ok()?, meaning(&self.records[row]))
            }
        };
        let found = self.index.search(&sought, filters, page);
        let record = |(distance, row): (f64, u32)| (distance, &*self.records[row as usize]);
        Some(Found {
            total_count: found.total_count,
            results: found.results.into_iter().map(record).collect(),
        })
    }
}

impl MemoryCatalogue {
    /// A catalogue of these records. Of two with the same id the later counts.
    pub fn new(
        organizations: impl IntoIterator<Item = IndexedOrganization>,
        products: impl IntoIterator<Item = IndexedProduct>,
        pipelines: impl IntoIterator<Item = Arc<Pipeline>>,
    ) -> Self {
        let organizations = organizations.into_iter();
        let products = products.into_iter();
        let pipelines = pipelines.into_iter();
        let organizations = organizations.map(|it| (it.organization.organization_id, it));
        let products = products.map(|it| (it.product.product_id, it));
        Self {
            records: Arc::new(Records {
                organizations: Table::of(organizations.collect(), |it| Entry {
                    meaning: &mut it.meaning,
                    organization: &it.organization,
                    categories: &it.categories,
                }),
                products: Table::of(products.collect(), |it| Entry {
                    meaning: &mut it.meaning,
                    organization: &it.organization,
                    categories: &it.categories,
                }),
                pipelines: pipelines.map(|it| (it.pipeline_id, it)).collect(),
            }),
            pool: Pool::new(),
        }
    }

    /// All organizations, by ascending id.
    pub fn organizations(&self) -> impl ExactSizeIterator<Item = &Arc<IndexedOrganization>> {
        self.records.organizations.records.iter()
    }

    /// All products, by ascending id.
    pub fn products(&self) -> impl ExactSizeIterator<Item = &Arc<IndexedProduct>> {
        self.records.products.records.iter()
    }

    /// All pipelines, by ascending id.
    pub fn pipelines(&self) -> impl ExactSizeIterator<Item = &Arc<Pipeline>> {
        self.records.pipelines.values()
    }

    /// The organization with this id, if there is one.
    pub fn find_organization(&self, id: OrganizationId) -> Option<&Arc<IndexedOrganization>> {
        self.records.organizations.find(id)
    }

    /// The product with this id, if there is one.
    pub fn find_product(&self, id: ProductId) -> Option<&Arc<IndexedProduct>> {
        self.records.products.find(id)
    }

    /// The pipeline with this id, if there is one.
    pub fn find_pipeline(&self, id: PipelineId) -> Option<&Arc<Pipeline>> {
        self.records.pipelines.get(&id)
    }
}

#[async_trait]
impl Catalogue for MemoryCatalogue {
    async fn organization(
        &self,
        id: OrganizationId,
    ) -> Result<Option<Arc<IndexedOrganization>>, StoreError> {
        Ok(self.find_organization(id).cloned())
    }

    async fn pipeline(&self, id: PipelineId) -> Result<Option<Arc<Pipeline>>, StoreError> {
        Ok(self.find_pipeline(id).cloned())
    }

    async fn search_organizations(
        &self,
        query: &OrganizationQuery,
        filters: &Filters,
        page: Page,
    ) -> Result<Option<Found<OrganizationHit>>, StoreError> {
        let (records, query) = (Arc::clone(&self.records), query.clone());
        let filters = filters.clone();
        let scan = move || {
            let table = &records.organizations;
            let found = table.search(&query, |it| &it.meaning, &filters, page)?;
            Some(found.map(|(cosine_distance, known)| OrganizationHit {
                organization: Arc::clone(&known.organization),
                cosine_distance,
            }))
        };
        self.pool.scan(self.organizations().len(), scan).await
    }

    async fn search_products(
        &self,
        query: &ProductQuery,
        filters: &Filters,
        page: Page,
    ) -> Result<Option<Found<ProductHit>>, StoreError> {
        let (records, query) = (Arc::clone(&self.records), query.clone());
        let filters = filters.clone();
        let scan = move || {
            let table = &records.products;
            let found = table.search(&query, |it| &it.meaning, &filters, page)?;
            Some(found.map(|(cosine_distance, known)| ProductHit {
                product: Arc::clone(&known.product),
                organization: Arc::clone(&known.organization),
                cosine_distance,
            }))
        };
        self.pool.scan(self.products().len(), scan).await
    }
}
