//! Every reason for which the model rejects a request.
//!
//! A reason says what is wrong, independent of HTTP: codes and problem documents belong to `wire`.

use super::action::{Action, Resource};
use super::ids::{OrganizationId, PipelineId, PipelineItemId, ProductId};
use super::pipeline::EntityType;
use super::store_error::StoreError;

/// Why a request was rejected. A rejected request has changed nothing.
#[derive(Debug, thiserror::Error)]
pub enum Rejection {
    /// The caller sends no API key.
    #[error("the request carries no API key")]
    KeyMissing,
    /// The caller sends an unknown API key.
    #[error("the API key is not known")]
    KeyUnknown,
    /// The policy chain of the caller's key denies the request.
    #[error("the policy chain denies {action} on {resource}")]
    NotAuthorized {
        /// The requested action.
        action: Action,
        /// The resource that the action applies to.
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
    /// The item exists, but not in the requested pipeline.
    #[error("item {pipeline_item_id} does not belong to pipeline {pipeline_id}")]
    ItemInOtherPipeline {
        /// The pipeline that was named.
        pipeline_id: PipelineId,
        /// The item that was named.
        pipeline_item_id: PipelineItemId,
    },
    /// The column to sort by does not have the form `question.<question_id>`.
    #[error("sort_by must have the form question.<question_id>")]
    SortByMalformed,
    /// The pipeline does not have this question.
    #[error("pipeline {pipeline_id} has no column {column}")]
    SortColumnNotFound {
        /// The pipeline that was named.
        pipeline_id: PipelineId,
        /// The column that was named, `question.<question_id>`.
        column: String,
    },
    /// Only an organization pipeline accepts organizations.
    #[error("pipeline {pipeline_id} holds items of the type {entity_type}, not organizations")]
    NotAnOrganizationPipeline {
        /// The pipeline that was named.
        pipeline_id: PipelineId,
        /// The type of its items.
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
    /// The store failed; the caller is not at fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}
