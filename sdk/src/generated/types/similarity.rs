// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! `Similarity`.
use super::*;
/// How close a result is to what was searched for.
///
/// ```
/// use platform_sdk::types::Similarity;
///
/// let read: Similarity = serde_json::from_str(
///     r#"{
///   "cosine_distance": 0.3127
/// }"#,
/// )?;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
pub struct Similarity {
    /// 0 for the same meaning, 1 for none in common, 2 for the opposite.
    #[cfg_attr(feature = "schemars", schemars(extend("maximum" = 2, "minimum" = 0)))]
    pub cosine_distance: f64,
    /// Fields that this version of the SDK does not know, unchanged.
    #[serde(flatten)]
    pub unknown_fields: crate::types::unknown_fields::UnknownFields,
}
impl crate::types::unknown::Scan for Similarity {
    fn scan(&self, at: &crate::types::unknown::At<'_>) {
        at.field("cosine_distance", &self.cosine_distance);
        at.unknown_fields("Similarity", &self.unknown_fields);
    }
}
