//! The six searches: their filters, and records as they go over the wire.

pub(super) mod filters;
pub(super) mod organizations;
pub(super) mod products;
pub(super) mod record;
