// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! `ItemStatus`.
use super::*;
/// Processing readiness of one item, with one boolean for each stage.
///
/// ```
/// use platform_sdk::types::ItemStatus;
///
/// let read: ItemStatus = serde_json::from_str(
///     r#"{
///   "custom_questions_answered": false,
///   "document_indexed": true,
///   "is_ready": false,
///   "pipeline_id": 2,
///   "pipeline_item_id": 200013,
///   "platform_entity_data_ready": true
/// }"#,
/// )?;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
#[derive(Eq, Hash)]
pub struct ItemStatus {
    /// All configured qualifying questions have reached a terminal state. True when none is
    /// configured.
    pub custom_questions_answered: bool,
    /// The submitted document is fully indexed. True for an item without a document.
    pub document_indexed: bool,
    /// True exactly when `document_indexed`, `custom_questions_answered` and `platform_entity_data_ready` are all
    /// true. Once true, it stays true unless a new question is asked.
    pub is_ready: bool,
    /// Identifies a pipeline.
    pub pipeline_id: crate::types::ids::PipelineId,
    /// Unique identifier of the item, among the items of all pipelines.
    pub pipeline_item_id: crate::types::ids::PipelineItemId,
    /// All required platform entity data for configured columns is available.
    pub platform_entity_data_ready: bool,
    /// Fields that this version of the SDK does not know, unchanged.
    #[serde(flatten)]
    pub unknown_fields: crate::types::unknown_fields::UnknownFields,
}
impl crate::types::unknown::Scan for ItemStatus {
    fn scan(&self, at: &crate::types::unknown::At<'_>) {
        at.field("custom_questions_answered", &self.custom_questions_answered);
        at.field("document_indexed", &self.document_indexed);
        at.field("is_ready", &self.is_ready);
        at.field("pipeline_id", &self.pipeline_id);
        at.field("pipeline_item_id", &self.pipeline_item_id);
        at.field("platform_entity_data_ready", &self.platform_entity_data_ready);
        at.unknown_fields("ItemStatus", &self.unknown_fields);
    }
}
