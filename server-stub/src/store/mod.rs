//! Where the platform keeps its records and items.
//!
//! [`Store`] is what the model asks of a keeper, in terms that a database can meet: look-ups by id, one
//! page of a ranked or sorted list, one atomic insertion, one replacement. No decision about what may be
//! done is taken here, and no background work is started.

mod memory;
mod pool;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

pub use self::memory::MemoryStore;
use crate::model::filter::Filters;
use crate::model::ids::{OrganizationId, PipelineId, PipelineItemId, ProductId};
use crate::model::item::{Item, ItemList, NewItem};
use crate::model::pipeline::Pipeline;
use crate::model::search::{
    Found, IndexedOrganization, IndexedProduct, OrganizationHit, OrganizationProbe, Page,
    ProductHit, ProductProbe,
};
use crate::model::sort::ItemOrder;
pub use crate::model::store_error::StoreError;

/// Keeps organizations, products and pipelines, which do not change, and items, which do.
///
/// Every method may fail with a [`StoreError`] and has then changed nothing.
#[async_trait]
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// The organization with this id, if there is one.
    async fn organization(
        &self,
        id: OrganizationId,
    ) -> Result<Option<Arc<IndexedOrganization>>, StoreError>;

    /// The product with this id, if there is one.
    async fn product(&self, id: ProductId) -> Result<Option<Arc<IndexedProduct>>, StoreError>;

    /// The organizations that pass the filters and are candidates of the probe, by ascending distance,
    /// ties by ascending id: one page, and how many there are.
    async fn search_organizations(
        &self,
        probe: &OrganizationProbe,
        filters: &Filters,
        page: Page,
    ) -> Result<Found<OrganizationHit>, StoreError>;

    /// The products that pass the filters and are candidates of the probe, in the same way.
    async fn search_products(
        &self,
        probe: &ProductProbe,
        filters: &Filters,
        page: Page,
    ) -> Result<Found<ProductHit>, StoreError>;

    /// The pipeline with this id, if there is one.
    async fn pipeline(&self, id: PipelineId) -> Result<Option<Arc<Pipeline>>, StoreError>;

    /// The items of a pipeline in an order: one page, and how many there are; none of an unknown pipeline.
    async fn items(
        &self,
        pipeline: PipelineId,
        order: ItemOrder,
        page: Page,
    ) -> Result<ItemList, StoreError>;

    /// The item with this id, in whichever pipeline it is.
    async fn item(&self, id: PipelineItemId) -> Result<Option<Arc<Item>>, StoreError>;

    /// Inserts an organization into a pipeline that does not hold it yet, under a new item id; none when
    /// the pipeline holds it. Of any number of such calls at once exactly one inserts.
    async fn insert_organization(&self, new: NewItem) -> Result<Option<Arc<Item>>, StoreError>;

    /// Puts an item in the place of the one with the same id; nothing happens when there is none.
    async fn replace_item(&self, item: Item) -> Result<(), StoreError>;
}
