//! Every way in which the model declines what it is asked for.
//!
//! A refusal says what is wrong, never how that is told over HTTP: codes and problem documents are
//! the wire's.

use super::action::{Action, Resource};
use super::ids::{OrganizationId, PipelineId, PipelineItemId, ProductId};
use super::pipeline::EntityType;
use super::store_error::StoreError;

/// Why something was not done. Nothing has changed when one of these is returned.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The caller shows no API key.
    #[error("the request carries no API key")]
    KeyMissing,
    /// The caller shows an API key that nobody issued.
    #[error("the API key is not known")]
    KeyUnknown,
    /// The policy chain of the caller's key denies it.
    #[error("the policy chain denies {action} on {resource}")]
    NotAuthorized {
        /// What the caller wanted to do.
        action: Action,
        /// What the caller wanted to do it to.
        resource: Resource,
    },
    /// No organization has this id.
    #[error("there is no organization {0}")]
    OrganizationNotFound(OrganizationId),
    /// No product has this id.
    #[error("there is no product {0}")]
    ProductNotFound(ProductId),
    /// No pipeline has this id.
    #[error("there is no pipeline {0}")]
    PipelineNotFound(PipelineId),
    /// No item of any pipeline has this id.
    #[error("there is no item {0}")]
    ItemNotFound(PipelineItemId),
    /// The item exists, in another pipeline than the one it was asked for in.
    #[error("item {pipeline_item_id} does not belong to pipeline {pipeline_id}")]
    ItemInOtherPipeline {
        /// The pipeline that was named.
        pipeline_id: PipelineId,
        /// The item that was named.
        pipeline_item_id: PipelineItemId,
    },
    /// The column to sort by is not written `question.<question_id>`.
    #[error("sort_by must have the form question.<question_id>")]
    SortByMalformed,
    /// The pipeline asks no such question.
    #[error("pipeline {pipeline_id} has no column {column}")]
    SortColumnNotFound {
        /// The pipeline that was named.
        pipeline_id: PipelineId,
        /// The column that was named, `question.<question_id>`.
        column: String,
    },
    /// Only an organization pipeline takes organizations.
    #[error("pipeline {pipeline_id} holds items of the type {entity_type}, not organizations")]
    NotAnOrganizationPipeline {
        /// The pipeline that was named.
        pipeline_id: PipelineId,
        /// What its items are.
        entity_type: EntityType,
    },
    /// An organization can be in a pipeline once.
    #[error("organization {organization_id} is already in pipeline {pipeline_id}")]
    OrganizationAlreadyInPipeline {
        /// The pipeline that was named.
        pipeline_id: PipelineId,
        /// The organization that was named.
        organization_id: OrganizationId,
    },
    /// The store did not do its work; no fault of the caller's.
    #[error(transparent)]
    Store(#[from] StoreError),
}
