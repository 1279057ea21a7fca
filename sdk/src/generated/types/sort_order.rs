// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! `SortOrder`.
use super::*;
/// Ascending or descending.
///
/// ```
/// use platform_sdk::types::SortOrder;
///
/// assert!(matches!(SortOrder::try_from("desc"), Ok(SortOrder::Desc)));
/// ```
#[derive(
    ::serde::Deserialize,
    ::serde::Serialize,
    Clone,
    Copy,
    Debug,
    Eq,
    Hash,
    Ord,
    PartialEq,
    PartialOrd
)]
#[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
pub enum SortOrder {
    /// Ascending.
    #[serde(rename = "asc")]
    Asc,
    /// Descending.
    #[serde(rename = "desc")]
    Desc,
}
impl ::std::fmt::Display for SortOrder {
    fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
        match *self {
            Self::Asc => f.write_str("asc"),
            Self::Desc => f.write_str("desc"),
        }
    }
}
impl ::std::str::FromStr for SortOrder {
    type Err = self::error::ConversionError;
    fn from_str(
        value: &str,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        match value {
            "asc" => Ok(Self::Asc),
            "desc" => Ok(Self::Desc),
            _ => Err("expected `asc` or `desc`".into()),
        }
    }
}
impl ::std::convert::TryFrom<&str> for SortOrder {
    type Error = self::error::ConversionError;
    fn try_from(
        value: &str,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for SortOrder {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::default::Default for SortOrder {
    fn default() -> Self {
        SortOrder::Asc
    }
}
impl crate::types::unknown::Scan for SortOrder {
    fn scan(&self, _: &crate::types::unknown::At<'_>) {}
}
