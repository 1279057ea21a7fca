// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! `PipelineItem`.
use super::*;
/// A submitted document or an entity (organization, person, document) in a pipeline. The id that `entity_type`
/// names is present; the others may be. Persons and documents have no other fields.
///
/// ```
/// use platform_sdk::types::PipelineItem;
///
/// let read: PipelineItem = serde_json::from_str(
///     r#"{
///   "document_id": null,
///   "entity_type": "organization",
///   "organization_id": 1001,
///   "person_id": null,
///   "pipeline_id": 2,
///   "pipeline_item_id": 200001,
///   "values": {
///     "organization.headquarters.city": {
///       "category": "platform_data",
///       "certainty_score": null,
///       "last_synced_at": null,
///       "references": [],
///       "result": [
///         "Bergen"
///       ],
///       "status": null,
///       "sync_error": null,
///       "sync_provider": null,
///       "sync_status": null
///     },
///     "question.201": {
///       "category": "llm",
///       "certainty_score": 88,
///       "last_synced_at": null,
///       "references": [
///         "https://fjordfrost.example"
///       ],
///       "result": [
///         true
///       ],
///       "status": "completed",
///       "sync_error": null,
///       "sync_provider": null,
///       "sync_status": null
///     },
///     "question.202": {
///       "category": "llm_webbrowsing",
///       "certainty_score": null,
///       "last_synced_at": null,
///       "references": [],
///       "result": [],
///       "status": "no_answer",
///       "sync_error": null,
///       "sync_provider": null,
///       "sync_status": null
///     }
///   }
/// }"#,
/// )?;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
#[derive(Eq, Hash)]
pub struct PipelineItem {
    /// Associated document, if applicable.
    #[serde(default)]
    pub document_id: ::std::option::Option<crate::types::ids::DocumentId>,
    /// What an item is. A deployment of this version sends no other value. A later version may add one, so a client
    /// keeps a value that it does not know.
    pub entity_type: crate::types::open_enums::EntityType,
    /// Associated organization, if applicable.
    #[serde(default)]
    pub organization_id: ::std::option::Option<crate::types::ids::OrganizationId>,
    /// Associated person, if applicable.
    #[serde(default)]
    pub person_id: ::std::option::Option<crate::types::ids::PersonId>,
    /// Identifies a pipeline.
    pub pipeline_id: crate::types::ids::PipelineId,
    /// Unique identifier of the item, among the items of all pipelines.
    pub pipeline_item_id: crate::types::ids::PipelineItemId,
    /// Column values keyed by column id: `question.<question_id>` for a qualifying question, else a
    /// platform entity-data field path such as `organization.metrics.employee_count`, which never begins with
    /// `question.`. Every question of the pipeline has its entry, from the moment the item exists. All items of a
    /// pipeline have the same columns of entity data; where a field is not known, `result` is empty.
    pub values: Values,
    /// Fields that this version of the SDK does not know, unchanged.
    #[serde(flatten)]
    pub unknown_fields: crate::types::unknown_fields::UnknownFields,
}
impl crate::types::unknown::Scan for PipelineItem {
    fn scan(&self, at: &crate::types::unknown::At<'_>) {
        at.field("document_id", &self.document_id);
        at.field("entity_type", &self.entity_type);
        at.field("organization_id", &self.organization_id);
        at.field("person_id", &self.person_id);
        at.field("pipeline_id", &self.pipeline_id);
        at.field("pipeline_item_id", &self.pipeline_item_id);
        at.field("values", &self.values);
        at.unknown_fields("PipelineItem", &self.unknown_fields);
    }
}
