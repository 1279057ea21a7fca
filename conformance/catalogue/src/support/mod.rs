//! What several groups share.

pub(crate) mod column_values;
pub(crate) mod encoding;
pub(crate) mod known_part;
pub(crate) mod operations;
pub(crate) mod values;
