// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! The requests: one type for each operation, with a method for each parameter.
//!
//! The type parameters of a request show which of its required parameters are set ([`Given`]) or [`missing`], and how it
//! is sent ([`Async`], or `Blocking` of the blocking client). All have defaults: the name alone is the type of a
//! request with all required parameters.
pub use crate::call::state::{Async, Given, IsGiven};
pub mod missing;
mod add_organization;
pub use self::add_organization::AddOrganization;
mod get_item_status;
pub use self::get_item_status::GetItemStatus;
mod get_item_values;
pub use self::get_item_values::GetItemValues;
mod list_items;
pub use self::list_items::ListItems;
mod search_organizations_by_customer;
pub use self::search_organizations_by_customer::SearchOrganizationsByCustomer;
mod search_organizations_by_description;
pub use self::search_organizations_by_description::SearchOrganizationsByDescription;
mod search_organizations_by_organization;
pub use self::search_organizations_by_organization::SearchOrganizationsByOrganization;
mod search_products_by_customer;
pub use self::search_products_by_customer::SearchProductsByCustomer;
mod search_products_by_description;
pub use self::search_products_by_description::SearchProductsByDescription;
mod search_products_by_product;
pub use self::search_products_by_product::SearchProductsByProduct;
