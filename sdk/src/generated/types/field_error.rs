// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! `FieldError`.
use super::*;
/// One error of a request.
///
/// ```
/// use platform_sdk::types::FieldError;
///
/// let read: FieldError = serde_json::from_str(
///     r#"{
///   "loc": [
///     "query",
///     "limit"
///   ],
///   "msg": "must be an integer from 1 to 1000",
///   "type": "greater_than_maximum"
/// }"#,
/// )?;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
#[derive(Eq, Hash)]
pub struct FieldError {
    /// Where the error is: `path`, `query` or `body`, then the name, then the position in a list,
    /// counted from 0.
    #[cfg_attr(feature = "schemars", schemars(extend("minItems" = 1)))]
    pub loc: ::std::vec::Vec<LocationSegment>,
    /// What is wrong with it, and what would be valid.
    pub msg: ::std::string::String,
    /// The kind of error, for programs: one of `x-known-values`. The list is open in responses. A listed kind
    /// always has its listed meaning.
    #[serde(rename = "type")]
    pub type_: ::std::string::String,
    /// Fields that this version of the SDK does not know, unchanged.
    #[serde(flatten)]
    pub unknown_fields: crate::types::unknown_fields::UnknownFields,
}
impl crate::types::unknown::Scan for FieldError {
    fn scan(&self, at: &crate::types::unknown::At<'_>) {
        at.field("loc", &self.loc);
        at.field("msg", &self.msg);
        at.field("type", &self.type_);
        at.unknown_fields("FieldError", &self.unknown_fields);
    }
}
