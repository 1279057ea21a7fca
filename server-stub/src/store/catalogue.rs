//! Data that is searched and does not change while a server runs: organizations, products and pipelines.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use crate::model::filter::Filters;
use crate::model::ids::{OrganizationId, PipelineId};
use crate::model::pipeline::Pipeline;
use crate::model::search::{
    Found, IndexedOrganization, OrganizationHit, OrganizationQuery, Page, ProductHit, ProductQuery,
};
use crate::model::store_error::StoreError;

/// Organizations, products and pipelines. None of them changes during the lifetime of the catalogue.
///
/// A search takes every record that passes the filters and is a candidate of the query, and ranks them by exact
/// distance, nearest first, ties by ascending id. Two catalogues of the same records return the same results, to the
/// bit.
#[async_trait]
pub trait Catalogue: fmt::Debug + Send + Sync + 'static {
    /// The organization with this id, if there is one.
    async fn organization(&self, id: OrganizationId) -> Result<Option<Arc<IndexedOrganization>>, StoreError>;

    /// The pipeline with this id, if there is one.
    async fn pipeline(&self, id: PipelineId) -> Result<Option<Arc<Pipeline>>, StoreError>;

    /// One page of the organizations that were found, and how many there are; `None` if the query names an organization
    /// that does not exist.
    async fn search_organizations(
        &self,
        query: &OrganizationQuery,
        filters: &Filters,
        page: Page,
    ) -> Result<Option<Found<OrganizationHit>>, StoreError>;

    /// One page of the products that were found, and how many there are; `None` if the query names a product that does
    /// not exist.
    async fn search_products(
        &self,
        query: &ProductQuery,
        filters: &Filters,
        page: Page,
    ) -> Result<Option<Found<ProductHit>>, StoreError>;
}
