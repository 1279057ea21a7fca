//! Why an outcome cannot be planned.

use crate::model::column::ColumnId;
use crate::model::ids::{OrganizationId, PipelineId};
use crate::model::value::ValueFault;

/// An outcome cannot be planned, because it could never happen.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The data has no such pipeline.
    #[error("there is no pipeline {0}")]
    PipelineNotFound(PipelineId),
    /// The data has no such organization.
    #[error("there is no organization {0}")]
    OrganizationNotFound(OrganizationId),
    /// None of its pipelines has the column.
    #[error("none of its pipelines has the column {0}")]
    ColumnNotFound(ColumnId),
    /// None of its pipelines that has the column syncs values to a CRM.
    #[error("none of its pipelines syncs the column {0} to a CRM")]
    NoSync(ColumnId),
    /// The answer breaks a rule of values.
    #[error("{0}")]
    InvalidValue(ValueFault),
}
