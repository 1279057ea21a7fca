// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! `Address`.
use super::*;
/// A location, as precisely as it is known.
///
/// ```
/// use platform_sdk::types::Address;
///
/// let read: Address = serde_json::from_str(
///     r#"{
///   "city": "Bergen",
///   "country": "NO",
///   "country_name": "Norway",
///   "postal_code": "5035",
///   "region": "NO-46",
///   "region_name": "Vestland",
///   "street": "Sandviksboder 12"
/// }"#,
/// )?;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
#[derive(Eq, Hash)]
pub struct Address {
    /// City or town.
    #[serde(default)]
    pub city: ::std::option::Option<::std::string::String>,
    /// Country, ISO 3166-1 alpha-2.
    #[serde(default)]
    #[cfg_attr(feature = "schemars", schemars(extend("pattern" = "^[A-Z]{2}$")))]
    pub country: ::std::option::Option<::std::string::String>,
    /// Name of the country, in English.
    #[serde(default)]
    pub country_name: ::std::option::Option<::std::string::String>,
    /// Postal code, as it is written in that country.
    #[serde(default)]
    pub postal_code: ::std::option::Option<::std::string::String>,
    /// Subdivision of the country, ISO 3166-2.
    #[serde(default)]
    #[cfg_attr(
        feature = "schemars",
        schemars(extend("pattern" = "^[A-Z]{2}-[A-Z0-9]{1,3}$"))
    )]
    pub region: ::std::option::Option<::std::string::String>,
    /// Name of the subdivision.
    #[serde(default)]
    pub region_name: ::std::option::Option<::std::string::String>,
    /// Street and number.
    #[serde(default)]
    pub street: ::std::option::Option<::std::string::String>,
    /// Fields that this version of the SDK does not know, unchanged.
    #[serde(flatten)]
    pub unknown_fields: crate::types::unknown_fields::UnknownFields,
}
impl crate::types::unknown::Scan for Address {
    fn scan(&self, at: &crate::types::unknown::At<'_>) {
        at.field("city", &self.city);
        at.field("country", &self.country);
        at.field("country_name", &self.country_name);
        at.field("postal_code", &self.postal_code);
        at.field("region", &self.region);
        at.field("region_name", &self.region_name);
        at.field("street", &self.street);
        at.unknown_fields("Address", &self.unknown_fields);
    }
}
