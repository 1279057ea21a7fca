// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! `AddOrganizationRequest`.
use super::*;
/// A JSON object with the single key `organization_id`.
///
/// ```
/// use platform_sdk::types::AddOrganizationRequest;
///
/// let read: AddOrganizationRequest = serde_json::from_str(
///     r#"{
///   "organization_id": 1008
/// }"#,
/// )?;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
#[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
#[derive(Eq, Hash)]
pub struct AddOrganizationRequest {
    /// Identifies an organization.
    pub organization_id: crate::types::ids::OrganizationId,
}
impl AddOrganizationRequest {
    /// Returns a builder.
    pub fn builder() -> builder::AddOrganizationRequest {
        Default::default()
    }
}
