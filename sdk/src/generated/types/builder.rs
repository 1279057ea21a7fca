// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! Builders of request bodies.
/// Builder of [`AddOrganizationRequest`](super::AddOrganizationRequest).
///
/// ```
/// use platform_sdk::types::AddOrganizationRequest;
///
/// let body: AddOrganizationRequest = AddOrganizationRequest::builder()
///     .organization_id(1008)
///     .try_into()?;
/// # Ok::<(), platform_sdk::types::error::ConversionError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct AddOrganizationRequest {
    pub(crate) organization_id: crate::call::argument::Argument<
        crate::types::ids::OrganizationId,
    >,
}
impl AddOrganizationRequest {
    /// Identifies an organization.
    pub fn organization_id<V>(mut self, value: V) -> Self
    where
        V: ::std::convert::TryInto<crate::types::ids::OrganizationId>,
        V::Error: ::std::fmt::Display,
    {
        self.organization_id = crate::call::argument::Argument::of(value);
        self
    }
}
impl ::std::convert::TryFrom<AddOrganizationRequest> for super::AddOrganizationRequest {
    type Error = super::error::ConversionError;
    fn try_from(value: AddOrganizationRequest) -> Result<Self, Self::Error> {
        Ok(Self {
            organization_id: value.organization_id.required("organization_id")?.clone(),
        })
    }
}
impl ::std::convert::From<super::AddOrganizationRequest> for AddOrganizationRequest {
    fn from(value: super::AddOrganizationRequest) -> Self {
        Self {
            organization_id: crate::call::argument::Argument::Given(
                value.organization_id,
            ),
        }
    }
}
