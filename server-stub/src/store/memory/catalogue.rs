//! Records in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;

use super::shelf::Packed;
use super::table::Table;
use crate::model::filter::Filters;
use crate::model::ids::{OrganizationId, PipelineId, ProductId};
use crate::model::organization::Organization;
use crate::model::pipeline::Pipeline;
use crate::model::product::Product;
use crate::model::search::{
    Found, IndexedOrganization, IndexedProduct, Meaning, OrganizationHit, OrganizationQuery, Page, ProductHit,
    ProductQuery,
};
use crate::model::store_error::StoreError;
use crate::store::catalogue::Catalogue;
use crate::store::pool::Pool;

/// Keeps records in memory. A clone shares them, and has separate threads to search them.
#[derive(Debug, Clone)]
pub struct MemoryCatalogue {
    records: Arc<Records>,
    pool: Pool,
}

#[derive(Debug)]
struct Records {
    organizations: Table<OrganizationId, Organization>,
    /// The categories of organizations, taken from their products. Organizations without categories have no entry.
    categories: BTreeMap<OrganizationId, Vec<Arc<str>>>,
    products: Table<ProductId, Product>,
    pipelines: BTreeMap<PipelineId, Arc<Pipeline>>,
}

/// Builds a catalogue record by record.
///
/// Adding records in ascending order of ids is fastest. Of two records with the same id, the later one is kept.
#[derive(Debug)]
pub struct CatalogueBuilder {
    records: Records,
    /// Each category once.
    names: BTreeSet<Arc<str>>,
}

impl Default for CatalogueBuilder {
    fn default() -> Self {
        Self {
            records: Records {
                organizations: Table::new(),
                categories: BTreeMap::new(),
                products: Table::new(),
                pipelines: BTreeMap::new(),
            },
            names: BTreeSet::new(),
        }
    }
}

impl CatalogueBuilder {
    /// Adds an organization.
    pub fn add_organization(&mut self, organization: &Packed<Organization>, meaning: &Meaning) {
        let record = organization.record();
        self.records
            .organizations
            .push(record.organization_id, organization, meaning, record);
    }

    /// Adds kinds of business to an organization.
    pub fn categorize<'a>(
        &mut self,
        organization_id: OrganizationId,
        categories: impl IntoIterator<Item = &'a String>,
    ) {
        for category in categories {
            let name = match self.names.get(category.as_str()) {
                Some(name) => Arc::clone(name),
                None => {
                    let name: Arc<str> = category.as_str().into();
                    self.names.insert(Arc::clone(&name));
                    name
                }
            };
            let names = self.records.categories.entry(organization_id);
            let names = names.or_default();
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }

    /// Adds a product, and its categories to its organization. A product is left out if its organization has not been
    /// added.
    pub fn add_product(&mut self, product: &Packed<Product>, meaning: &Meaning) {
        let record = product.record();
        let organizations = &mut self.records.organizations;
        organizations.sort(Some);
        let Some(row) = organizations.row(record.organization_id) else {
            return;
        };
        let organization = organizations.record(row);
        let products = &mut self.records.products;
        products.push(record.product_id, product, meaning, &organization);
        self.categorize(record.organization_id, &record.categories);
    }

    /// Adds a pipeline.
    pub fn add_pipeline(&mut self, pipeline: Arc<Pipeline>) {
        let pipelines = &mut self.records.pipelines;
        pipelines.insert(pipeline.pipeline_id, pipeline);
    }

    /// The catalogue.
    pub fn build(mut self) -> MemoryCatalogue {
        let Records {
            organizations,
            categories,
            products,
            ..
        } = &mut self.records;
        organizations.sort(Some);
        for (id, names) in categories {
            for name in names.iter() {
                organizations.categorize(*id, name);
            }
        }
        products.sort(|product| {
            let row = organizations.row(product.organization_id)?;
            Some(organizations.record(row))
        });
        for row in 0..products.len() {
            let product = products.record(row);
            for category in &product.categories {
                products.categorize(product.product_id, category);
            }
        }
        organizations.shrink();
        products.shrink();
        MemoryCatalogue {
            records: Arc::new(self.records),
            pool: Pool::new(),
        }
    }
}

impl Records {
    fn organization(&self, row: usize) -> IndexedOrganization {
        let organization = self.organizations.record(row);
        let categories = self.categories.get(&organization.organization_id);
        IndexedOrganization {
            categories: categories
                .into_iter()
                .flatten()
                .map(|name| String::from(&**name))
                .collect(),
            organization: Arc::new(organization),
            meaning: self.organizations.meaning(row),
        }
    }

    /// A product with its organization, which exists for every product.
    fn product(&self, row: usize) -> Option<(Product, Organization)> {
        let product = self.products.record(row);
        let organization = self.organizations.row(product.organization_id)?;
        Some((product, self.organizations.record(organization)))
    }

    fn indexed_product(&self, row: usize) -> Option<IndexedProduct> {
        let (product, organization) = self.product(row)?;
        Some(IndexedProduct {
            categories: product.categories.iter().cloned().collect(),
            product: Arc::new(product),
            organization: Arc::new(organization),
            meaning: self.products.meaning(row),
        })
    }
}

impl MemoryCatalogue {
    /// A catalogue of these records. A product whose organization is not among them is left out. Of two records with
    /// the same id, the later one is kept.
    pub fn new(
        organizations: impl IntoIterator<Item = IndexedOrganization>,
        products: impl IntoIterator<Item = IndexedProduct>,
        pipelines: impl IntoIterator<Item = Arc<Pipeline>>,
    ) -> Self {
        let mut builder = CatalogueBuilder::default();
        for known in organizations {
            let packed = Packed::new(Arc::unwrap_or_clone(known.organization));
            builder.add_organization(&packed, &known.meaning);
            builder.categorize(packed.record().organization_id, &known.categories);
        }
        for known in products {
            let packed = Packed::new(Arc::unwrap_or_clone(known.product));
            builder.add_product(&packed, &known.meaning);
        }
        for pipeline in pipelines {
            builder.add_pipeline(pipeline);
        }
        builder.build()
    }

    /// The threads that search.
    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Number of organizations.
    pub fn count_organizations(&self) -> usize {
        self.records.organizations.len()
    }

    /// Number of products.
    pub fn count_products(&self) -> usize {
        self.records.products.len()
    }

    /// All organizations, by ascending id.
    pub fn organizations(&self) -> impl Iterator<Item = Arc<IndexedOrganization>> {
        let rows = 0..self.count_organizations();
        rows.map(|row| Arc::new(self.records.organization(row)))
    }

    /// All products, by ascending id.
    pub fn products(&self) -> impl Iterator<Item = Arc<IndexedProduct>> {
        let rows = 0..self.count_products();
        rows.filter_map(|row| self.records.indexed_product(row).map(Arc::new))
    }

    /// All pipelines, by ascending id.
    pub fn pipelines(&self) -> impl ExactSizeIterator<Item = &Arc<Pipeline>> {
        self.records.pipelines.values()
    }

    /// The organization with this id, if there is one.
    pub fn find_organization(&self, id: OrganizationId) -> Option<Arc<IndexedOrganization>> {
        let row = self.records.organizations.row(id)?;
        Some(Arc::new(self.records.organization(row)))
    }

    /// The product with this id, if there is one.
    pub fn find_product(&self, id: ProductId) -> Option<Arc<IndexedProduct>> {
        let row = self.records.products.row(id)?;
        self.records.indexed_product(row).map(Arc::new)
    }

    /// The pipeline with this id, if there is one.
    pub fn find_pipeline(&self, id: PipelineId) -> Option<&Arc<Pipeline>> {
        self.records.pipelines.get(&id)
    }
}

#[async_trait]
impl Catalogue for MemoryCatalogue {
    async fn organization(&self, id: OrganizationId) -> Result<Option<Arc<IndexedOrganization>>, StoreError> {
        Ok(self.find_organization(id))
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
            let found = table.search(&query, &filters, page)?;
            Some(found.map(|(cosine_distance, row)| OrganizationHit {
                organization: Arc::new(table.record(row)),
                cosine_distance,
            }))
        };
        self.pool.scan(self.count_organizations(), scan).await
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
            let Found { total_count, results } = records.products.search(&query, &filters, page)?;
            let hit = |(cosine_distance, row)| {
                let (product, organization) = records.product(row)?;
                Some(ProductHit {
                    product: Arc::new(product),
                    organization: Arc::new(organization),
                    cosine_distance,
                })
            };
            Some(Found {
                total_count,
                results: results.into_iter().filter_map(hit).collect(),
            })
        };
        self.pool.scan(self.count_products(), scan).await
    }
}
