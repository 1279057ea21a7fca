//! The data that grows in a live deployment: the items of its pipelines, and what its searches can find.

use std::fmt;

use platform_contract::Operation;

/// A collection that others may add to during a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Collection {
    /// The items of the pipeline with this id.
    Items(u64),
    /// The organizations that searches find.
    Organizations,
    /// The products that searches find.
    Products,
}

impl Collection {
    /// The collections that a response of an operation depends on; `pipeline_id` is the one in the request.
    pub(crate) fn of(operation: &Operation, pipeline_id: Option<u64>) -> Vec<Self> {
        match pipeline_id {
            Some(id) => vec![Self::Items(id)],
            None if operation.is_search() => vec![Self::Organizations, Self::Products],
            None => Vec::new(),
        }
    }
}

impl fmt::Display for Collection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Items(pipeline_id) => write!(f, "the items of pipeline {pipeline_id}"),
            Self::Organizations => f.write_str("the organizations that searches find"),
            Self::Products => f.write_str("the products that searches find"),
        }
    }
}
