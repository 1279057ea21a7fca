// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! `LocationSegment`.
use super::*;
/// A name, or a position in a list.
///
/// ```
/// use platform_sdk::types::LocationSegment;
///
/// let read: LocationSegment = serde_json::from_str(
///     r#""query""#,
/// )?;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
#[serde(untagged)]
#[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
#[derive(Eq, Hash)]
pub enum LocationSegment {
    /// Name.
    Name(::std::string::String),
    /// Position.
    #[cfg_attr(feature = "schemars", schemars(extend("minimum" = 0)))]
    Position(i64),
}
impl ::std::fmt::Display for LocationSegment {
    fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
        match self {
            Self::Name(x) => x.fmt(f),
            Self::Position(x) => x.fmt(f),
        }
    }
}
impl ::std::convert::From<i64> for LocationSegment {
    fn from(value: i64) -> Self {
        Self::Position(value)
    }
}
impl crate::types::unknown::Scan for LocationSegment {
    fn scan(&self, _: &crate::types::unknown::At<'_>) {}
}
