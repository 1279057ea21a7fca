// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! `ColumnValue`.
use super::*;
/// The value of one column of an item. A question goes from `pending` to `completed`, `no_answer`,
/// `failed` or `skipped`, and stays there. CRM sync goes from null to `pending` and on to `success` or
/// `error`; from `success` and from `error` it may go back to `pending`.
///
/// ```
/// use platform_sdk::types::ColumnValue;
///
/// let read: ColumnValue = serde_json::from_str(
///     r#"{
///   "category": "platform_data",
///   "certainty_score": null,
///   "last_synced_at": null,
///   "references": [],
///   "result": [
///     "Bergen"
///   ],
///   "status": null,
///   "sync_error": null,
///   "sync_provider": null,
///   "sync_status": null
/// }"#,
/// )?;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
#[derive(Eq, Hash)]
pub struct ColumnValue {
    /// Value source. A deployment of this version sends no other value. A later version may add one, so a client
    /// keeps a value that it does not know.
    pub category: crate::types::open_enums::ValueCategory,
    /// Confidence 0 to 100; null for entity data fields, and for a question without an answer. Every answer has one.
    #[serde(default)]
    #[serde(deserialize_with = "crate::types::whole::read_optional")]
    #[cfg_attr(feature = "schemars", schemars(extend("maximum" = 100, "minimum" = 0)))]
    pub certainty_score: ::std::option::Option<i32>,
    /// Time of last successful sync, ISO 8601; null if never synced. Its form is RFC 3339 with an offset;
    /// a client also reads a time without one, as UTC. A later failure leaves it as it is. It is null as long
    /// as `sync_status` is null.
    #[serde(default)]
    #[serde(deserialize_with = "crate::types::time::read")]
    pub last_synced_at: ::std::option::Option<::chrono::DateTime<::chrono::offset::Utc>>,
    /// Source reference URLs.
    #[cfg_attr(
        feature = "schemars",
        schemars(extend("items" = {"format":"uri", "type":"string"}))
    )]
    pub references: ::std::vec::Vec<::std::string::String>,
    /// Extracted values (strings, numbers, etc.). Empty unless the question is `completed`; for entity
    /// data, empty unless the field is present.
    pub result: ::std::vec::Vec<crate::types::result_value::ResultValue>,
    /// Execution status of a question column; null for entity data fields. The difference between `no_answer`
    /// and `skipped` is not defined. A deployment of this version sends no other value. A later version may add one,
    /// so a client keeps a value that it does not know.
    #[serde(default)]
    pub status: ::std::option::Option<crate::types::open_enums::ExecutionStatus>,
    /// Error message if the last sync attempt failed; null in any other case. It is set exactly when
    /// `sync_status` is `error`.
    #[serde(default)]
    pub sync_error: ::std::option::Option<::std::string::String>,
    /// CRM provider name; null when CRM sync is not configured.
    #[serde(default)]
    pub sync_provider: ::std::option::Option<::std::string::String>,
    /// CRM sync status; null when CRM sync is not configured, and until the first sync begins. A deployment of this
    /// version sends no other value. A later version may add one, so a client keeps a value that it does not know.
    #[serde(default)]
    pub sync_status: ::std::option::Option<crate::types::open_enums::SyncStatus>,
    /// Fields that this version of the SDK does not know, unchanged.
    #[serde(flatten)]
    pub unknown_fields: crate::types::unknown_fields::UnknownFields,
}
impl crate::types::unknown::Scan for ColumnValue {
    fn scan(&self, at: &crate::types::unknown::At<'_>) {
        at.field("category", &self.category);
        at.field("certainty_score", &self.certainty_score);
        at.field("last_synced_at", &self.last_synced_at);
        at.field("references", &self.references);
        at.field("result", &self.result);
        at.field("status", &self.status);
        at.field("sync_error", &self.sync_error);
        at.field("sync_provider", &self.sync_provider);
        at.field("sync_status", &self.sync_status);
        at.unknown_fields("ColumnValue", &self.unknown_fields);
    }
}
