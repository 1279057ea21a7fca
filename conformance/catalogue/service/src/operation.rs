//! Cases about the operations themselves: the deployment has them. An operation that it does not have fails one case,
//! and the others about it are skipped.

use std::sync::Arc;

use engine::case::{Case, Need};
use engine::session::presence;
use platform_contract::{Contract, Operation};

/// The cases of the group.
pub fn cases(contract: &Contract) -> Vec<Case> {
    contract.operations().iter().map(exists).collect()
}

fn exists(operation: &Arc<Operation>) -> Case {
    let id = &operation.id;
    Case::new(
        format!("{}/{id}", presence::RULE),
        format!("{id}: The operation exists"),
        &operation.pointer,
    )
    .on([id.as_str()])
    .needs((!operation.is_read()).then(|| Need::method(operation.method.clone())))
    .writes(u64::from(!operation.is_read()))
    .check_with(Arc::clone(operation), presence::check)
}
