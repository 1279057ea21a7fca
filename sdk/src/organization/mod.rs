//! Adds organizations to a pipeline.

mod add;
pub(crate) mod ensure;
pub(crate) mod many;
