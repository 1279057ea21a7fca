//! Adding organizations to a pipeline.

mod add;
pub(crate) mod ensure;
