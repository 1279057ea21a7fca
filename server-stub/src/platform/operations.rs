//! The operations of the contract.

use std::sync::Arc;

use super::Platform;
use crate::model::column::{is_question_column, parse_question_column};
use crate::model::filter::Filters;
use crate::model::ids::{OrganizationId, PipelineId, PipelineItemId, ProductId};
use crate::model::item::{Item, ItemList, ItemStatus, NewItem};
use crate::model::pipeline::{EntityType, Pipeline};
use crate::model::planned::Planned;
use crate::model::process::{Beginning, begin};
use crate::model::rejection::Rejection;
use crate::model::search::{Found, OrganizationHit, OrganizationQuery, Page, ProductHit, ProductQuery, Query};
use crate::model::sort::{ItemOrder, SortOrder};
use crate::model::store_error::StoreError;
use crate::store::Added;
use platform_embedding::Aspect;

impl Platform {
    /// Organizations that are similar to a known one in business and in customers, nearest first.
    ///
    /// # Errors
    /// [`Rejection::OrganizationNotFound`].
    pub async fn search_organizations_by_organization(
        &self,
        organization_id: OrganizationId,
        filters: &Filters,
        page: Page,
    ) -> Result<Found<OrganizationHit>, Rejection> {
        let query = Query::Known(organization_id);
        let found = self.find_organizations(&query, filters, page).await?;
        found.ok_or(Rejection::OrganizationNotFound(organization_id))
    }

    /// Organizations that do what a text describes, nearest first.
    ///
    /// # Errors
    /// The errors of the store.
    pub async fn search_organizations_by_description(
        &self,
        description: &str,
        filters: &Filters,
        page: Page,
    ) -> Result<Found<OrganizationHit>, Rejection> {
        let query = Query::Offer(self.queries.vector(description, Aspect::Offer).await?);
        let found = self.find_organizations(&query, filters, page).await?;
        Ok(found.unwrap_or_default())
    }

    /// Organizations that serve the customers a text describes, nearest first. Organizations that do not state their
    /// customers are neither found nor counted.
    ///
    /// # Errors
    /// The errors of the store.
    pub async fn search_organizations_by_customer(
        &self,
        organization_customer: &str,
        filters: &Filters,
        page: Page,
    ) -> Result<Found<OrganizationHit>, Rejection> {
        let query = Query::Customers(self.queries.vector(organization_customer, Aspect::Customers).await?);
        let found = self.find_organizations(&query, filters, page).await?;
        Ok(found.unwrap_or_default())
    }

    /// Products that are similar to a known one in business and in customers, nearest first.
    ///
    /// # Errors
    /// [`Rejection::ProductNotFound`].
    pub async fn search_products_by_product(
        &self,
        product_id: ProductId,
        filters: &Filters,
        page: Page,
    ) -> Result<Found<ProductHit>, Rejection> {
        let query = Query::Known(product_id);
        let found = self.find_products(&query, filters, page).await?;
        found.ok_or(Rejection::ProductNotFound(product_id))
    }

    /// Products that are what a text describes, nearest first.
    ///
    /// # Errors
    /// The errors of the store.
    pub async fn search_products_by_description(
        &self,
        description: &str,
        filters: &Filters,
        page: Page,
    ) -> Result<Found<ProductHit>, Rejection> {
        let query = Query::Offer(self.queries.vector(description, Aspect::Offer).await?);
        let found = self.find_products(&query, filters, page).await?;
        Ok(found.unwrap_or_default())
    }

    /// Products for the customers a text describes, nearest first. Products that do not state their customers are
    /// neither found nor counted.
    ///
    /// # Errors
    /// The errors of the store.
    pub async fn search_products_by_customer(
        &self,
        product_customer: &str,
        filters: &Filters,
        page: Page,
    ) -> Result<Found<ProductHit>, Rejection> {
        let query = Query::Customers(self.queries.vector(product_customer, Aspect::Customers).await?);
        let found = self.find_products(&query, filters, page).await?;
        Ok(found.unwrap_or_default())
    }

    /// One page of a pipeline's items. `sort_by` is a column id as the caller wrote it; without it, items are in the
    /// order of their ids.
    ///
    /// # Errors
    /// [`Rejection::PipelineNotFound`], [`Rejection::SortByMalformed`], [`Rejection::SortColumnNotFound`].
    pub async fn list_items(
        &self,
        pipeline_id: PipelineId,
        sort_by: Option<&str>,
        sort_order: SortOrder,
        page: Page,
    ) -> Result<ItemList, Rejection> {
        let pipeline = self.pipeline(pipeline_id).await?;
        let sort_by = match sort_by {
            None => None,
            Some(column) => {
                if !is_question_column(column) {
                    return Err(Rejection::SortByMalformed);
                }
                let question = parse_question_column(column).and_then(|id| pipeline.question(id));
                let question = question.ok_or_else(|| Rejection::SortColumnNotFound {
                    pipeline_id,
                    column: column.to_owned(),
                })?;
                Some(question.question_id)
            }
        };
        let order = ItemOrder { sort_by, sort_order };
        Ok(self.shared.ledger.items(pipeline_id, order, page).await?)
    }

    /// One item with its values.
    ///
    /// # Errors
    /// [`Rejection::PipelineNotFound`], [`Rejection::ItemNotFound`], [`Rejection::ItemInOtherPipeline`].
    pub async fn get_item_values(
        &self,
        pipeline_id: PipelineId,
        pipeline_item_id: PipelineItemId,
    ) -> Result<Arc<Item>, Rejection> {
        self.pipeline(pipeline_id).await?;
        let item = self.shared.ledger.item(pipeline_item_id).await?;
        let item = item.ok_or(Rejection::ItemNotFound(pipeline_item_id))?;
        if item.pipeline_id != pipeline_id {
            return Err(Rejection::ItemInOtherPipeline {
                pipeline_id,
                pipeline_item_id,
            });
        }
        Ok(item)
    }

    /// The processing status of one item.
    ///
    /// # Errors
    /// The errors of [`get_item_values`](Self::get_item_values).
    pub async fn get_item_status(
        &self,
        pipeline_id: PipelineId,
        pipeline_item_id: PipelineItemId,
    ) -> Result<ItemStatus, Rejection> {
        Ok(self.get_item_values(pipeline_id, pipeline_item_id).await?.status())
    }

    /// Adds an organization to a pipeline, starts the processes of the new item, and returns the item in its initial
    /// state. Of any number of simultaneous calls for the same organization and pipeline, exactly one succeeds. Must be
    /// called within a tokio runtime.
    ///
    /// # Errors
    /// In this order: [`Rejection::PipelineNotFound`], [`Rejection::NotAnOrganizationPipeline`],
    /// [`Rejection::OrganizationNotFound`], [`Rejection::OrganizationAlreadyInPipeline`].
    pub async fn add_organization(
        &self,
        pipeline_id: PipelineId,
        organization_id: OrganizationId,
    ) -> Result<Arc<Item>, Rejection> {
        let pipeline = self.pipeline(pipeline_id).await?;
        if pipeline.entity_type != EntityType::Organization {
            return Err(Rejection::NotAnOrganizationPipeline {
                pipeline_id,
                entity_type: pipeline.entity_type,
            });
        }
        let organization = self.catalogue().organization(organization_id).await?;
        let organization = organization.ok_or(Rejection::OrganizationNotFound(organization_id))?;
        let Beginning {
            values,
            platform_entity_data_ready,
            plan,
        } = {
            let plans = self.shared.plans.read();
            let planned = Planned::of(&plans, pipeline_id, organization_id);
            begin(&pipeline, &organization, &planned)
        };
        let new = NewItem {
            pipeline_id,
            organization_id,
            values,
            platform_entity_data_ready,
        };
        let now = self.shared.clock.now();
        match self.shared.ledger.add(new, plan, now).await? {
            Added::New(item) => {
                self.resume();
                Ok(item)
            }
            Added::Already(_) => Err(Rejection::OrganizationAlreadyInPipeline {
                pipeline_id,
                organization_id,
            }),
        }
    }

    async fn find_organizations(
        &self,
        query: &OrganizationQuery,
        filters: &Filters,
        page: Page,
    ) -> Result<Option<Found<OrganizationHit>>, StoreError> {
        let catalogue = self.catalogue();
        catalogue.search_organizations(query, filters, page).await
    }

    async fn find_products(
        &self,
        query: &ProductQuery,
        filters: &Filters,
        page: Page,
    ) -> Result<Option<Found<ProductHit>>, StoreError> {
        let catalogue = self.catalogue();
        catalogue.search_products(query, filters, page).await
    }

    async fn pipeline(&self, id: PipelineId) -> Result<Arc<Pipeline>, Rejection> {
        let pipeline = self.catalogue().pipeline(id).await?;
        pipeline.ok_or(Rejection::PipelineNotFound(id))
    }
}
