// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! `Funding`.
use super::*;
/// External funding; all null for an organization that is not known to have raised any.
///
/// ```
/// use platform_sdk::types::Funding;
///
/// let read: Funding = serde_json::from_str(
///     r#"{
///   "last_round_on": "2021-05-20",
///   "last_round_stage": "series_a",
///   "last_round_usd": 8000000,
///   "total_usd": 9200000
/// }"#,
/// )?;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
#[derive(Eq, Hash)]
pub struct Funding {
    /// Date of the latest round.
    #[serde(default)]
    pub last_round_on: ::std::option::Option<::chrono::naive::NaiveDate>,
    /// Stage of the latest round: one of `FundingStage`. The list is open in responses.
    #[serde(default)]
    pub last_round_stage: ::std::option::Option<crate::types::open_enums::FundingStage>,
    /// Amount of the latest round, in whole US dollars.
    #[serde(default)]
    #[serde(deserialize_with = "crate::types::whole::read_optional")]
    #[cfg_attr(feature = "schemars", schemars(extend("minimum" = 0)))]
    pub last_round_usd: ::std::option::Option<i64>,
    /// Sum of all rounds, in whole US dollars.
    #[serde(default)]
    #[serde(deserialize_with = "crate::types::whole::read_optional")]
    #[cfg_attr(feature = "schemars", schemars(extend("minimum" = 0)))]
    pub total_usd: ::std::option::Option<i64>,
    /// Fields that this version of the SDK does not know, unchanged.
    #[serde(flatten)]
    pub unknown_fields: crate::types::unknown_fields::UnknownFields,
}
impl crate::types::unknown::Scan for Funding {
    fn scan(&self, at: &crate::types::unknown::At<'_>) {
        at.field("last_round_on", &self.last_round_on);
        at.field("last_round_stage", &self.last_round_stage);
        at.field("last_round_usd", &self.last_round_usd);
        at.field("total_usd", &self.total_usd);
        at.unknown_fields("Funding", &self.unknown_fields);
    }
}
