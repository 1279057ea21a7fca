//! The operations of the contract, by kind.

use std::sync::Arc;

use platform_contract::{Contract, Operation};

/// The operations on pipelines.
pub(crate) fn of_pipelines(contract: &Contract) -> impl Iterator<Item = &Arc<Operation>> {
    let operations = contract.operations().iter();
    operations.filter(|operation| !is_search(operation))
}

/// Whether an operation is a search.
pub(crate) fn is_search(operation: &Operation) -> bool {
    operation.path.starts_with("/search/")
}
