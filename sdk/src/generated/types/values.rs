// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! `Values`.
use super::*;
/// Column values keyed by column id: `question.<question_id>` for a qualifying question, else a
/// platform entity-data field path such as `organization.metrics.employee_count`, which never begins with
/// `question.`. Every question of the pipeline has its entry, from the moment the item exists. All items of a
/// pipeline have the same columns of entity data; where a field is not known, `result` is empty.
///
/// ```
/// use platform_sdk::types::Values;
///
/// let read: Values = serde_json::from_str(
///     r#"{
///   "organization.headquarters.city": {
///     "category": "platform_data",
///     "certainty_score": null,
///     "last_synced_at": null,
///     "references": [],
///     "result": [
///       "Bergen"
///     ],
///     "status": null,
///     "sync_error": null,
///     "sync_provider": null,
///     "sync_status": null
///   },
///   "question.201": {
///     "category": "llm",
///     "certainty_score": 88,
///     "last_synced_at": null,
///     "references": [
///       "https://fjordfrost.example"
///     ],
///     "result": [
///       true
///     ],
///     "status": "completed",
///     "sync_error": null,
///     "sync_provider": null,
///     "sync_status": null
///   },
///   "question.202": {
///     "category": "llm_webbrowsing",
///     "certainty_score": null,
///     "last_synced_at": null,
///     "references": [],
///     "result": [],
///     "status": "no_answer",
///     "sync_error": null,
///     "sync_provider": null,
///     "sync_status": null
///   }
/// }"#,
/// )?;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
#[serde(transparent)]
#[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
#[derive(Eq, Hash)]
pub struct Values(pub ::std::collections::BTreeMap<::std::string::String, ColumnValue>);
impl ::std::ops::Deref for Values {
    type Target = ::std::collections::BTreeMap<::std::string::String, ColumnValue>;
    fn deref(
        &self,
    ) -> &::std::collections::BTreeMap<::std::string::String, ColumnValue> {
        &self.0
    }
}
impl ::std::convert::From<Values>
for ::std::collections::BTreeMap<::std::string::String, ColumnValue> {
    fn from(value: Values) -> Self {
        value.0
    }
}
impl ::std::convert::From<
    ::std::collections::BTreeMap<::std::string::String, ColumnValue>,
> for Values {
    fn from(
        value: ::std::collections::BTreeMap<::std::string::String, ColumnValue>,
    ) -> Self {
        Self(value)
    }
}
impl crate::types::unknown::Scan for Values {
    fn scan(&self, at: &crate::types::unknown::At<'_>) {
        self.0.scan(at)
    }
}
