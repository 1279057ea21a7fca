// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! `ItemPage`.
use super::*;
/// One page of the items of a pipeline.
///
/// ```
/// use platform_sdk::types::ItemPage;
///
/// let read: ItemPage = serde_json::from_str(
///     r#"{
///   "items": [
///     {
///       "document_id": null,
///       "entity_type": "organization",
///       "organization_id": 1001,
///       "person_id": null,
///       "pipeline_id": 2,
///       "pipeline_item_id": 200001,
///       "values": {
///         "organization.headquarters.city": {
///           "category": "platform_data",
///           "certainty_score": null,
///           "last_synced_at": null,
///           "references": [],
///           "result": [
///             "Bergen"
///           ],
///           "status": null,
///           "sync_error": null,
///           "sync_provider": null,
///           "sync_status": null
///         },
///         "question.201": {
///           "category": "llm",
///           "certainty_score": 88,
///           "last_synced_at": null,
///           "references": [
///             "https://fjordfrost.example"
///           ],
///           "result": [
///             true
///           ],
///           "status": "completed",
///           "sync_error": null,
///           "sync_provider": null,
///           "sync_status": null
///         },
///         "question.202": {
///           "category": "llm_webbrowsing",
///           "certainty_score": null,
///           "last_synced_at": null,
///           "references": [],
///           "result": [],
///           "status": "no_answer",
///           "sync_error": null,
///           "sync_provider": null,
///           "sync_status": null
///         }
///       }
///     }
///   ],
///   "pipeline_id": 2,
///   "total_count": 12
/// }"#,
/// )?;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
#[derive(Eq, Hash)]
pub struct ItemPage {
    /// The page, in the requested order.
    #[cfg_attr(feature = "schemars", schemars(extend("maxItems" = 1000)))]
    pub items: ::std::vec::Vec<PipelineItem>,
    /// Identifies a pipeline.
    pub pipeline_id: crate::types::ids::PipelineId,
    /// Total items in the pipeline.
    #[serde(deserialize_with = "crate::types::whole::read")]
    #[cfg_attr(feature = "schemars", schemars(extend("minimum" = 0)))]
    pub total_count: i64,
    /// Fields that this version of the SDK does not know, unchanged.
    #[serde(flatten)]
    pub unknown_fields: crate::types::unknown_fields::UnknownFields,
}
impl crate::types::unknown::Scan for ItemPage {
    fn scan(&self, at: &crate::types::unknown::At<'_>) {
        at.field("items", &self.items);
        at.field("pipeline_id", &self.pipeline_id);
        at.field("total_count", &self.total_count);
        at.unknown_fields("ItemPage", &self.unknown_fields);
    }
}
impl crate::paging::rows::PageBody for ItemPage {
    type Item = PipelineItem;
    const LIST: &'static str = "items";
    const ID: &'static str = "pipeline_item_id";
    fn into_items(self) -> (Vec<Self::Item>, i64) {
        (self.items, self.total_count)
    }
}
