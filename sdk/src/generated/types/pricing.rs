// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! `Pricing`.
use super::*;
/// What it costs; all null if unknown.
///
/// ```
/// use platform_sdk::types::Pricing;
///
/// let read: Pricing = serde_json::from_str(
///     r#"{
///   "billing_period": "unit",
///   "currency": "EUR",
///   "model": "per_unit",
///   "starts_at": 19.5
/// }"#,
/// )?;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
pub struct Pricing {
    /// What the price is for, for example `month`, `year` or `unit`. The list is open.
    #[serde(default)]
    pub billing_period: ::std::option::Option<::std::string::String>,
    /// Currency of the price, ISO 4217.
    #[serde(default)]
    #[cfg_attr(feature = "schemars", schemars(extend("pattern" = "^[A-Z]{3}$")))]
    pub currency: ::std::option::Option<::std::string::String>,
    /// How it is charged for, for example `subscription`, `usage_based` or `quote`. The list is open.
    #[serde(default)]
    pub model: ::std::option::Option<::std::string::String>,
    /// The lowest price, in `currency`.
    #[serde(default)]
    #[cfg_attr(feature = "schemars", schemars(extend("minimum" = 0)))]
    pub starts_at: ::std::option::Option<f64>,
    /// Fields that this version of the SDK does not know, unchanged.
    #[serde(flatten)]
    pub unknown_fields: crate::types::unknown_fields::UnknownFields,
}
impl crate::types::unknown::Scan for Pricing {
    fn scan(&self, at: &crate::types::unknown::At<'_>) {
        at.field("billing_period", &self.billing_period);
        at.field("currency", &self.currency);
        at.field("model", &self.model);
        at.field("starts_at", &self.starts_at);
        at.unknown_fields("Pricing", &self.unknown_fields);
    }
}
