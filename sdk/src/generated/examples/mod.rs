// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! The contract's examples of responses, as a start for tests.

/// Examples of [`ItemPage`](crate::types::ItemPage).
///
/// ```
/// use platform_sdk::mock::examples::item_page;
///
/// let all = [
///     item_page::first_page(),
///     item_page::past_the_end(),
/// ];
/// ```
pub mod item_page;

/// Examples of [`ItemStatus`](crate::types::ItemStatus).
///
/// ```
/// use platform_sdk::mock::examples::item_status;
///
/// let all = [
///     item_status::in_progress(),
///     item_status::ready(),
/// ];
/// ```
pub mod item_status;

/// Examples of [`OrganizationSearchPage`](crate::types::OrganizationSearchPage).
///
/// ```
/// use platform_sdk::mock::examples::organization_search_page;
///
/// let all = [
///     organization_search_page::found(),
///     organization_search_page::nothing_passes_the_filters(),
/// ];
/// ```
pub mod organization_search_page;

/// Examples of [`PipelineItem`](crate::types::PipelineItem).
///
/// ```
/// use platform_sdk::mock::examples::pipeline_item;
///
/// let all = [
///     pipeline_item::added(),
///     pipeline_item::answered(),
///     pipeline_item::synced(),
/// ];
/// ```
pub mod pipeline_item;

/// Examples of [`Problem`](crate::types::Problem).
///
/// ```
/// use platform_sdk::mock::examples::problem;
///
/// let all = [
///     problem::authentication_required(),
///     problem::authorization_denied(),
///     problem::body_too_large(),
///     problem::internal_error(),
///     problem::invalid_api_key(),
///     problem::invalid_body(),
///     problem::invalid_parameters(),
///     problem::invalid_search_parameters(),
///     problem::invalid_sort_by(),
///     problem::item_not_found(),
///     problem::item_not_in_pipeline(),
///     problem::malformed_json(),
///     problem::malformed_request(),
///     problem::not_an_organization_pipeline(),
///     problem::organization_already_in_pipeline(),
///     problem::organization_not_found(),
///     problem::organization_to_add_not_found(),
///     problem::pipeline_not_found(),
///     problem::pipeline_of_item_not_found(),
///     problem::pipeline_to_add_to_not_found(),
///     problem::product_not_found(),
///     problem::rate_limited(),
///     problem::read_authorization_denied(),
///     problem::search_authentication_required(),
///     problem::search_authorization_denied(),
///     problem::search_invalid_api_key(),
///     problem::search_rate_limited(),
///     problem::unavailable(),
///     problem::unknown_sort_column(),
///     problem::unsupported_media_type(),
/// ];
/// ```
pub mod problem;

/// Examples of [`ProductSearchPage`](crate::types::ProductSearchPage).
///
/// ```
/// use platform_sdk::mock::examples::product_search_page;
///
/// let all = [
///     product_search_page::found(),
///     product_search_page::nothing_passes_the_filters(),
/// ];
/// ```
pub mod product_search_page;
