//! Records in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;

use super::categories::Categories;
use super::facts::Indexed;
use super::shelf::{Packed, Unpacked};
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
    categories: Categories,
    products: Table<ProductId, Product>,
    pipelines: BTreeMap<PipelineId, Arc<Pipeline>>,
}

/// Builds a catalogue record by record.
///
/// Adding records in ascending order of ids is fastest. Of two records with the same id, the later one is kept.
#[derive(Debug)]
pub struct CatalogueBuilder {
    records: Records,
    /// Where the organization of the last product lies.
    unpacked: Unpacked,
}

impl Default for CatalogueBuilder {
    fn default() -> Self {
        Self {
            records: Records {
                organizations: Table::new(),
                categories: Categories::default(),
                products: Table::new(),
                pipelines: BTreeMap::new(),
            },
            unpacked: Unpacked::default(),
        }
    }
}

impl CatalogueBuilder {
    /// A builder with the organizations and products of a catalogue that [`to_program`](MemoryCatalogue::to_program)
    /// wrote. Gets the meaning of each organization in turn, then of each product, given whether it states whom it
    /// serves.
    pub(crate) fn of_program(
        stored: &'static [u8],
        organization: impl FnMut(bool) -> Meaning,
        product: impl FnMut(bool) -> Meaning,
    ) -> Result<Self, postcard::Error> {
        let (organizations, categories, products): (&[u8], _, &[u8]) = postcard::from_bytes(stored)?;
        Ok(Self {
            records: Records {
                organizations: Table::of_program(organizations, organization)?,
                categories,
                products: Table::of_program(products, product)?,
                pipelines: BTreeMap::new(),
            },
            ..Self::default()
        })
    }

    /// Adds an organization.
    pub fn add_organization(&mut self, organization: &Packed<Organization>, meaning: &Meaning) {
        let facts = &organization.facts;
        self.records
            .organizations
            .push(facts.organization_id, organization, meaning, facts, &[]);
        // It may move the others, among them the one that was read last.
        self.unpacked = Unpacked::default();
    }

    /// Adds kinds of business to an organization.
    pub fn categorize<'a>(
        &mut self,
        organization_id: OrganizationId,
        categories: impl IntoIterator<Item = &'a String>,
    ) {
        for category in categories {
            self.records.categories.push(organization_id, category);
        }
    }

    /// Adds a product, and its categories to its organization. A product is left out if its organization has not been
    /// added.
    pub fn add_product(&mut self, product: &Packed<Product>, meaning: &Meaning) {
        let facts = &product.facts;
        let organizations = &mut self.records.organizations;
        organizations.sort(|organization| Some((organization.into_facts(), Vec::new())));
        let Some(row) = organizations.row(facts.organization_id) else {
            return;
        };
        let organization = organizations.record(row, &mut self.unpacked).into_facts();
        let products = &mut self.records.products;
        products.push(facts.product_id, product, meaning, &organization, &facts.categories);
        self.categorize(facts.organization_id, &facts.categories);
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
        organizations.sort(|organization| Some((organization.into_facts(), Vec::new())));
        categories.sort();
        for (id, name) in categories.iter() {
            organizations.categorize(id, name);
        }
        let unpacked = &mut Unpacked::default();
        products.sort(|product| {
            let row = organizations.row(product.organization_id)?;
            Some((organizations.record(row, unpacked).into_facts(), product.categories))
        });
        organizations.shrink();
        products.shrink();
        MemoryCatalogue {
            records: Arc::new(self.records),
            pool: Pool::new(),
        }
    }
}

impl Records {
    fn organization(&self, row: usize, unpacked: &mut Unpacked) -> IndexedOrganization {
        let organization = self.organizations.record(row, unpacked);
        IndexedOrganization {
            categories: self.categories.of(organization.organization_id),
            organization: Arc::new(organization),
            meaning: self.organizations.meaning(row),
        }
    }

    /// A product with its organization, which exists for every product.
    fn product(&self, row: usize, unpacked: &mut UnpackedPair) -> Option<(Product, Organization)> {
        let product = self.products.record(row, &mut unpacked.products);
        let organization = self.organizations.row(product.organization_id)?;
        Some((
            product,
            self.organizations.record(organization, &mut unpacked.organizations),
        ))
    }

    fn indexed_product(&self, row: usize, unpacked: &mut UnpackedPair) -> Option<IndexedProduct> {
        let (product, organization) = self.product(row, unpacked)?;
        Some(IndexedProduct {
            categories: product.categories.iter().cloned().collect(),
            product: Arc::new(product),
            organization: Arc::new(organization),
            meaning: self.products.meaning(row),
        })
    }
}

/// What was unpacked last of either table.
#[derive(Default)]
struct UnpackedPair {
    organizations: Unpacked,
    products: Unpacked,
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
            builder.categorize(packed.facts.organization_id, &known.categories);
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
        let mut unpacked = Unpacked::default();
        rows.map(move |row| Arc::new(self.records.organization(row, &mut unpacked)))
    }

    /// All products, by ascending id.
    pub fn products(&self) -> impl Iterator<Item = Arc<IndexedProduct>> {
        let rows = 0..self.count_products();
        let mut unpacked = UnpackedPair::default();
        rows.filter_map(move |row| self.records.indexed_product(row, &mut unpacked).map(Arc::new))
    }

    /// All pipelines, by ascending id.
    pub fn pipelines(&self) -> impl ExactSizeIterator<Item = &Arc<Pipeline>> {
        self.records.pipelines.values()
    }

    /// The organization with this id, if there is one.
    pub fn find_organization(&self, id: OrganizationId) -> Option<Arc<IndexedOrganization>> {
        let row = self.records.organizations.row(id)?;
        Some(Arc::new(self.records.organization(row, &mut Unpacked::default())))
    }

    /// The product with this id, if there is one.
    pub fn find_product(&self, id: ProductId) -> Option<Arc<IndexedProduct>> {
        let row = self.records.products.row(id)?;
        let product = self.records.indexed_product(row, &mut UnpackedPair::default())?;
        Some(Arc::new(product))
    }

    /// The organizations and products as a part of a program, without their vectors.
    #[cfg(test)]
    pub(crate) fn to_program(&self) -> Vec<u8> {
        let Records {
            organizations,
            categories,
            products,
            ..
        } = &*self.records;
        let stored = (&*organizations.to_program(), categories, &*products.to_program());
        postcard::to_stdvec(&stored).unwrap()
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
            let unpacked = &mut Unpacked::default();
            Some(found.map(|(cosine_distance, row)| OrganizationHit {
                organization: Arc::new(table.record(row, unpacked)),
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
            let unpacked = &mut UnpackedPair::default();
            let hit = |(cosine_distance, row)| {
                let (product, organization) = records.product(row, unpacked)?;
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
