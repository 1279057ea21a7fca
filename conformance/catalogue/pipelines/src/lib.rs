//! The cases about pipelines and their items, in files that are named after the groups.

pub mod add;
pub mod column_values;
mod entity;
pub mod entry;
pub mod error;
pub mod item;
pub mod law;
pub mod limit;
pub mod paging;
pub mod parameter;
mod sample;
pub mod skip;
pub mod sort;
pub mod sync;
mod ties;

use std::sync::Arc;

use platform_contract::{Contract, Operation};

/// The operations on pipelines, in the order of the contract.
fn operations(contract: &Contract) -> impl Iterator<Item = &Arc<Operation>> {
    let operations = contract.operations().iter();
    operations.filter(|operation| !operation.is_search())
}
