//! What the groups of several operations share.

pub(crate) mod any_operation;
pub(crate) mod column_values;
