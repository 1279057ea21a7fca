// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! `CompanyMetrics`.
use super::*;
/// Size, age and funding.
///
/// ```
/// use platform_sdk::types::CompanyMetrics;
///
/// let read: CompanyMetrics = serde_json::from_str(
///     r#"{
///   "employee_count": 64,
///   "founded_on": "2016-03-14",
///   "funding": {
///     "last_round_on": "2021-05-20",
///     "last_round_stage": "series_a",
///     "last_round_usd": 8000000,
///     "total_usd": 9200000
///   }
/// }"#,
/// )?;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
#[derive(Eq, Hash)]
pub struct CompanyMetrics {
    /// Number of employees.
    #[serde(default)]
    #[serde(deserialize_with = "crate::types::whole::read_optional")]
    #[cfg_attr(feature = "schemars", schemars(extend("minimum" = 0)))]
    pub employee_count: ::std::option::Option<i64>,
    /// The date when it was founded.
    #[serde(default)]
    pub founded_on: ::std::option::Option<::chrono::naive::NaiveDate>,
    /// External funding; all null for an organization that is not known to have raised any.
    pub funding: Funding,
    /// Fields that this version of the SDK does not know, unchanged.
    #[serde(flatten)]
    pub unknown_fields: crate::types::unknown_fields::UnknownFields,
}
impl crate::types::unknown::Scan for CompanyMetrics {
    fn scan(&self, at: &crate::types::unknown::At<'_>) {
        at.field("employee_count", &self.employee_count);
        at.field("founded_on", &self.founded_on);
        at.field("funding", &self.funding);
        at.unknown_fields("CompanyMetrics", &self.unknown_fields);
    }
}
