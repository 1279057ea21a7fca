//! Records in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;

use super::pool::Pool;
use crate::model::filter::Filters;
use crate::model::ids::{OrganizationId, PipelineId, ProductId};
use crate::model::pipeline::Pipeline;
use crate::model::search::{
    Found, IndexedOrganization, IndexedProduct, OrganizationHit, OrganizationProbe,
    OrganizationQuery, Page, ProductHit, ProductProbe, ProductQuery, rank,
};
use crate::model::store_error::StoreError;
use crate::store::catalogue::Catalogue;

/// Keeps records in memory. A clone shares them, and has threads of its own to search them with.
#[derive(Debug, Clone)]
pub struct MemoryCatalogue {
    records: Arc<Records>,
    pool: Pool,
}

#[derive(Debug)]
struct Records {
    organizations: BTreeMap<OrganizationId, Arc<IndexedOrganization>>,
    products: BTreeMap<ProductId, Arc<IndexedProduct>>,
    pipelines: BTreeMap<PipelineId, Arc<Pipeline>>,
}

impl MemoryCatalogue {
    /// A catalogue of these records. Of two with the same id the later counts.
    pub fn new(
        organizations: impl IntoIterator<Item = Arc<IndexedOrganization>>,
        products: impl IntoIterator<Item = Arc<IndexedProduct>>,
        pipelines: impl IntoIterator<Item = Arc<Pipeline>>,
    ) -> Self {
        let organizations = organizations.into_iter();
        let products = products.into_iter();
        let pipelines = pipelines.into_iter();
        Self {
            records: Arc::new(Records {
                organizations: organizations
                    .map(|known| (known.organization.organization_id, known))
                    .collect(),
                products: products
                    .map(|known| (known.product.product_id, known))
                    .collect(),
                pipelines: pipelines.map(|it| (it.pipeline_id, it)).collect(),
            }),
            pool: Pool::new(),
        }
    }

    /// All organizations, by ascending id.
    pub fn organizations(&self) -> impl ExactSizeIterator<Item = &Arc<IndexedOrganization>> {
        self.records.organizations.values()
    }

    /// All products, by ascending id.
    pub fn products(&self) -> impl ExactSizeIterator<Item = &Arc<IndexedProduct>> {
        self.records.products.values()
    }

    /// All pipelines, by ascending id.
    pub fn pipelines(&self) -> impl ExactSizeIterator<Item = &Arc<Pipeline>> {
        self.records.pipelines.values()
    }

    /// The organization with this id, if there is one.
    pub fn find_organization(&self, id: OrganizationId) -> Option<&Arc<IndexedOrganization>> {
        self.records.organizations.get(&id)
    }

    /// The product with this id, if there is one.
    pub fn find_product(&self, id: ProductId) -> Option<&Arc<IndexedProduct>> {
        self.records.products.get(&id)
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
        let meaning = |id| self.find_organization(id).map(|it| it.meaning.clone());
        let Some(probe) = query.clone().resolve(meaning) else {
            return Ok(None);
        };
        let (records, filters) = (Arc::clone(&self.records), filters.clone());
        let scan = move || search_organizations(&records, &probe, &filters, page);
        let found = self.pool.scan(self.records.organizations.len(), scan).await;
        found.map(Some)
    }

    async fn search_products(
        &self,
        query: &ProductQuery,
        filters: &Filters,
        page: Page,
    ) -> Result<Option<Found<ProductHit>>, StoreError> {
        let meaning = |id| self.find_product(id).map(|it| it.meaning.clone());
        let Some(probe) = query.clone().resolve(meaning) else {
            return Ok(None);
        };
        let (records, filters) = (Arc::clone(&self.records), filters.clone());
        let scan = move || search_products(&records, &probe, &filters, page);
        let found = self.pool.scan(self.records.products.len(), scan).await;
        found.map(Some)
    }
}
fn search_organizations(
    records: &Records,
    probe: &OrganizationProbe,
    filters: &Filters,
    page: Page,
) -> Found<OrganizationHit> {
    let admitted = records
        .organizations
        .values()
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
    records: &Records,
    probe: &ProductProbe,
    filters: &Filters,
    page: Page,
) -> Found<ProductHit> {
    let admitted = records
        .products
        .values()
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
