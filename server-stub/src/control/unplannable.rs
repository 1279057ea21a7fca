//! Why an outcome cannot be planned.

use crate::model::column::ColumnId;
use crate::model::ids::{OrganizationId, PipelineId};
use crate::model::value::ValueFault;

/// An outcome cannot be planned, because it could never happen.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unplannable {
    /// The data has no such pipeline.
    #[error("there is no pipeline {0}")]
    PipelineNotFound(PipelineId),
    /// The data has no such organization.
    #[error("there is no organization {0}")]
    OrganizationNotFound(OrganizationId),
    /// No pipeline that it is for has the column.
    #[error("no pipeline that it is for has the column {0}")]
    ColumnNotFound(ColumnId),
    /// No pipeline that it is for and that has the column syncs values to a CRM.
    #[error("no pipeline that it is for syncs the column {0} to a CRM")]
    NoSync(ColumnId),
    /// The answer breaks a rule of values.
    #[error("{0}")]
    Unsound(ValueFault),
}
