// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! Required parameters that a request may lack. Each is a type, which the type of the request contains until
//! the parameter is [set](super::Given).
//!
//! ```no_run
//! use platform_sdk::Client;
//! use platform_sdk::builder::{ListItems, missing};
//!
//! /// The pipeline is chosen later.
//! fn newest_first(client: &Client) -> ListItems<missing::pipeline_id> {
//!     client.list_items().sort_order("desc")
//! }
//! ```
/// The parameter `description` is missing.
///
/// ```
/// use platform_sdk::builder::{SearchOrganizationsByDescription, missing};
///
/// // The request that a method of the client returns.
/// type Begun = SearchOrganizationsByDescription<missing::description>;
/// ```
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub enum description {}
/// The parameter `organization_customer` is missing.
///
/// ```
/// use platform_sdk::builder::{SearchOrganizationsByCustomer, missing};
///
/// // The request that a method of the client returns.
/// type Begun = SearchOrganizationsByCustomer<missing::organization_customer>;
/// ```
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub enum organization_customer {}
/// The parameter `organization_id` is missing.
///
/// ```
/// use platform_sdk::builder::{SearchOrganizationsByOrganization, missing};
///
/// // The request that a method of the client returns.
/// type Begun = SearchOrganizationsByOrganization<missing::organization_id>;
/// ```
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub enum organization_id {}
/// The parameter `pipeline_id` is missing.
///
/// ```
/// use platform_sdk::builder::{ListItems, missing};
///
/// // The request that a method of the client returns.
/// type Begun = ListItems<missing::pipeline_id>;
/// ```
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub enum pipeline_id {}
/// The parameter `pipeline_item_id` is missing.
///
/// ```
/// use platform_sdk::builder::{GetItemStatus, missing};
///
/// // The request that a method of the client returns.
/// type Begun = GetItemStatus<missing::pipeline_id, missing::pipeline_item_id>;
/// ```
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub enum pipeline_item_id {}
/// The parameter `product_customer` is missing.
///
/// ```
/// use platform_sdk::builder::{SearchProductsByCustomer, missing};
///
/// // The request that a method of the client returns.
/// type Begun = SearchProductsByCustomer<missing::product_customer>;
/// ```
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub enum product_customer {}
/// The parameter `product_id` is missing.
///
/// ```
/// use platform_sdk::builder::{SearchProductsByProduct, missing};
///
/// // The request that a method of the client returns.
/// type Begun = SearchProductsByProduct<missing::product_id>;
/// ```
#[derive(Debug, Clone, Copy)]
#[allow(non_camel_case_types)]
pub enum product_id {}
