//! The items of pipelines: listing and reading them, and adding an organization.

pub(super) mod add_organization;
pub(super) mod item;
pub(super) mod items;
mod received;
