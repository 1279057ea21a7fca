// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! Error of a conversion.
/// Error of a conversion; `Display` prints one line.
///
/// ```
/// use platform_sdk::types::AddOrganizationRequest;
///
/// let body = AddOrganizationRequest::try_from(AddOrganizationRequest::builder());
/// assert!(body.is_err_and(|error| error.to_string().contains("organization_id")));
/// ```
pub struct ConversionError(::std::borrow::Cow<'static, str>);
impl ::std::error::Error for ConversionError {}
impl ::std::fmt::Display for ConversionError {
    fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> Result<(), ::std::fmt::Error> {
        ::std::fmt::Display::fmt(&self.0, f)
    }
}
impl ::std::fmt::Debug for ConversionError {
    fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> Result<(), ::std::fmt::Error> {
        ::std::fmt::Debug::fmt(&self.0, f)
    }
}
impl From<&'static str> for ConversionError {
    fn from(value: &'static str) -> Self {
        Self(value.into())
    }
}
impl From<String> for ConversionError {
    fn from(value: String) -> Self {
        Self(value.into())
    }
}
