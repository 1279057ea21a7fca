// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! How each operation is called, from the extensions of the contract.
use crate::call::operation::Operation;
pub(crate) static LIST_ITEMS: Operation = Operation {
    id: "list_items",
    method: "GET",
    path: "/api/v1/pipelines/{pipeline_id}/items",
    is_idempotent: true,
    retryable_statuses: &[429u16, 500u16, 502u16, 503u16, 504u16],
    timeout: ::std::time::Duration::from_secs(15u64),
    has_content: true,
};
pub(crate) static GET_ITEM_STATUS: Operation = Operation {
    id: "get_item_status",
    method: "GET",
    path: "/api/v1/pipelines/{pipeline_id}/items/{pipeline_item_id}/status",
    is_idempotent: true,
    retryable_statuses: &[429u16, 500u16, 502u16, 503u16, 504u16],
    timeout: ::std::time::Duration::from_secs(10u64),
    has_content: true,
};
pub(crate) static GET_ITEM_VALUES: Operation = Operation {
    id: "get_item_values",
    method: "GET",
    path: "/api/v1/pipelines/{pipeline_id}/items/{pipeline_item_id}/values",
    is_idempotent: true,
    retryable_statuses: &[429u16, 500u16, 502u16, 503u16, 504u16],
    timeout: ::std::time::Duration::from_secs(10u64),
    has_content: true,
};
pub(crate) static ADD_ORGANIZATION: Operation = Operation {
    id: "add_organization",
    method: "POST",
    path: "/api/v1/pipelines/{pipeline_id}/organizations",
    is_idempotent: false,
    retryable_statuses: &[429u16],
    timeout: ::std::time::Duration::from_secs(15u64),
    has_content: true,
};
pub(crate) static SEARCH_ORGANIZATIONS_BY_DESCRIPTION: Operation = Operation {
    id: "search_organizations_by_description",
    method: "GET",
    path: "/search/organizations/similar",
    is_idempotent: true,
    retryable_statuses: &[429u16, 500u16, 502u16, 503u16, 504u16],
    timeout: ::std::time::Duration::from_secs(10u64),
    has_content: true,
};
pub(crate) static SEARCH_ORGANIZATIONS_BY_CUSTOMER: Operation = Operation {
    id: "search_organizations_by_customer",
    method: "GET",
    path: "/search/organizations/similar-customers",
    is_idempotent: true,
    retryable_statuses: &[429u16, 500u16, 502u16, 503u16, 504u16],
    timeout: ::std::time::Duration::from_secs(10u64),
    has_content: true,
};
pub(crate) static SEARCH_ORGANIZATIONS_BY_ORGANIZATION: Operation = Operation {
    id: "search_organizations_by_organization",
    method: "GET",
    path: "/search/organizations/{organization_id}/similar",
    is_idempotent: true,
    retryable_statuses: &[429u16, 500u16, 502u16, 503u16, 504u16],
    timeout: ::std::time::Duration::from_secs(10u64),
    has_content: true,
};
pub(crate) static SEARCH_PRODUCTS_BY_DESCRIPTION: Operation = Operation {
    id: "search_products_by_description",
    method: "GET",
    path: "/search/products/similar",
    is_idempotent: true,
    retryable_statuses: &[429u16, 500u16, 502u16, 503u16, 504u16],
    timeout: ::std::time::Duration::from_secs(10u64),
    has_content: true,
};
pub(crate) static SEARCH_PRODUCTS_BY_CUSTOMER: Operation = Operation {
    id: "search_products_by_customer",
    method: "GET",
    path: "/search/products/similar-customers",
    is_idempotent: true,
    retryable_statuses: &[429u16, 500u16, 502u16, 503u16, 504u16],
    timeout: ::std::time::Duration::from_secs(10u64),
    has_content: true,
};
pub(crate) static SEARCH_PRODUCTS_BY_PRODUCT: Operation = Operation {
    id: "search_products_by_product",
    method: "GET",
    path: "/search/products/{product_id}/similar",
    is_idempotent: true,
    retryable_statuses: &[429u16, 500u16, 502u16, 503u16, 504u16],
    timeout: ::std::time::Duration::from_secs(10u64),
    has_content: true,
};
/// The parameters that hold a text which the user wrote.
pub(crate) static FREE_TEXTS: &[&str] = &[
    "description",
    "organization_customer",
    "product_customer",
];
#[cfg(test)]
pub(crate) static ALL: &[&Operation] = &[
    &LIST_ITEMS,
    &GET_ITEM_STATUS,
    &GET_ITEM_VALUES,
    &ADD_ORGANIZATION,
    &SEARCH_ORGANIZATIONS_BY_DESCRIPTION,
    &SEARCH_ORGANIZATIONS_BY_CUSTOMER,
    &SEARCH_ORGANIZATIONS_BY_ORGANIZATION,
    &SEARCH_PRODUCTS_BY_DESCRIPTION,
    &SEARCH_PRODUCTS_BY_CUSTOMER,
    &SEARCH_PRODUCTS_BY_PRODUCT,
];
