//! Pipelines with their items, as the document writes them.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::meaning;
use crate::model::column::ColumnId;
use crate::model::field::FieldPath;
use crate::model::ids::{DocumentId, OrganizationId, PersonId, PipelineId, PipelineItemId};
use crate::model::item::Item;
use crate::model::pipeline::{CrmSync, EntityType, Pipeline};
use crate::model::process::final_values;
use crate::model::question::Question;
use crate::model::rendering::Rendering;
use crate::model::search::IndexedOrganization;
use crate::model::seconds::Seconds;
use crate::model::value::{ColumnValue, ExecutionStatus, Scalar, SyncStatus};
use crate::model::values::Values;
use crate::store::{DueChange, Record};

/// A pipeline and its items.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PipelineData {
    /// Unique among pipelines.
    pub pipeline_id: PipelineId,
    /// Its display name.
    pub name: String,
    /// The type of its items.
    #[serde(default)]
    pub entity_type: EntityType,
    /// The fields of the organization's record that it shows as columns.
    #[serde(default)]
    pub entity_data: Vec<FieldPath>,
    /// Seconds that fetching these fields takes for a new item; zero when left out.
    #[serde(default)]
    pub entity_data_takes_seconds: Seconds,
    /// The questions that it asks about every item.
    #[serde(default)]
    pub questions: Vec<Question>,
    /// The CRM that values are synced to; none is configured when left out.
    #[serde(default)]
    pub crm_sync: Option<CrmSync>,
    /// The items.
    #[serde(default)]
    pub items: Vec<StatedItem>,
}

impl PipelineData {
    /// An existing pipeline, without items.
    pub(super) fn of(pipeline: &Pipeline) -> Self {
        Self {
            pipeline_id: pipeline.pipeline_id,
            name: pipeline.name.clone(),
            entity_type: pipeline.entity_type,
            entity_data: pipeline.entity_data.clone(),
            entity_data_takes_seconds: Seconds::of(pipeline.entity_data_takes),
            questions: pipeline.questions.clone(),
            crm_sync: pipeline.crm_sync.clone(),
            items: Vec::new(),
        }
    }

    /// The pipeline without its items.
    pub(crate) fn pipeline(&self) -> Pipeline {
        Pipeline {
            pipeline_id: self.pipeline_id,
            name: self.name.clone(),
            entity_type: self.entity_type,
            entity_data: self.entity_data.clone(),
            entity_data_takes: self.entity_data_takes_seconds.duration(),
            questions: meaning::of_questions(&self.questions),
            crm_sync: self.crm_sync.clone(),
        }
    }
}

/// An item. Its values follow from the questions' rules and the organization's record, except for the values stated
/// here.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatedItem {
    /// Unique among the items of all pipelines.
    pub pipeline_item_id: PipelineItemId,
    /// The organization that the item is, or that belongs to its person or document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organization_id: Option<OrganizationId>,
    /// The person that the item is; required in a pipeline of persons, and not allowed elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person_id: Option<PersonId>,
    /// The document that the item is; required in a pipeline of documents, and not allowed elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document_id: Option<DocumentId>,
    /// Whether its document is fully indexed.
    #[serde(default = "yes")]
    pub document_indexed: bool,
    /// Whether its entity data has been fetched; until then the fields are empty.
    #[serde(default = "yes")]
    pub platform_entity_data_ready: bool,
    /// Values that do not follow from the rules, by column.
    #[serde(default)]
    pub values: BTreeMap<ColumnId, StatedValue>,
    /// The work that is left for it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub work: Vec<DueChange>,
}

fn yes() -> bool {
    true
}

impl StatedItem {
    /// The item of an organization, with the defaults of all other fields.
    pub(super) fn organization(id: PipelineItemId, organization: OrganizationId) -> Self {
        Self {
            pipeline_item_id: id,
            organization_id: Some(organization),
            person_id: None,
            document_id: None,
            document_indexed: true,
            platform_entity_data_ready: true,
            values: BTreeMap::new(),
            work: Vec::new(),
        }
    }

    /// An existing item with every value stated, and the work that is left for it.
    pub fn of(Record { item, work }: &Record) -> Self {
        let values = item.values.iter();
        Self {
            pipeline_item_id: item.pipeline_item_id,
            organization_id: item.organization_id,
            person_id: item.person_id,
            document_id: item.document_id,
            document_indexed: item.document_indexed,
            platform_entity_data_ready: item.platform_entity_data_ready,
            values: values
                .map(|(column, value)| (*column, StatedValue::of(value)))
                .collect(),
            work: work.clone(),
        }
    }

    /// The values of the item, in its pipeline and with its organization's record.
    pub(super) fn values(
        &self,
        pipeline: &Pipeline,
        organization: Option<&IndexedOrganization>,
    ) -> BTreeMap<ColumnId, ColumnValue> {
        let mut values = final_values(pipeline, organization);
        for (column, value) in &mut values {
            if matches!(column, ColumnId::Field(_)) && !self.platform_entity_data_ready {
                value.result.clear();
            }
            if let Some(stated) = self.values.get(column) {
                stated.overrule(value);
            }
        }
        values
    }

    /// The item, in its pipeline and with these values.
    pub(super) fn item(&self, pipeline: &Pipeline, values: Values) -> Item {
        Item {
            pipeline_id: pipeline.pipeline_id,
            pipeline_item_id: self.pipeline_item_id,
            entity_type: pipeline.entity_type,
            organization_id: self.organization_id,
            person_id: self.person_id,
            document_id: self.document_id,
            values,
            document_indexed: self.document_indexed,
            platform_entity_data_ready: self.platform_entity_data_ready,
            rendering: Rendering::default(),
        }
    }
}

/// The stated parts of a value. Parts that are left out follow from the rest: a question with a stated result is
/// completed, and one with another status has no result.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StatedValue {
    /// Execution status of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<ExecutionStatus>,
    /// The values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Vec<Scalar>>,
    /// Confidence from 0 to 100.
    #[schemars(range(max = 100))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certainty_score: Option<u8>,
    /// Addresses of the sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub references: Option<Vec<String>>,
    /// Status of the last sync to the CRM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_status: Option<SyncStatus>,
    /// When the CRM last accepted the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_synced_at: Option<DateTime<Utc>>,
    /// Why the last sync failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_error: Option<String>,
}

impl StatedValue {
    fn of(value: &ColumnValue) -> Self {
        Self {
            status: value.status,
            result: Some(value.result.clone()),
            certainty_score: value.certainty_score,
            references: Some(value.references.clone()),
            sync_status: value.sync_status,
            last_synced_at: value.last_synced_at,
            sync_error: value.sync_error.clone(),
        }
    }

    fn overrule(&self, value: &mut ColumnValue) {
        if value.status.is_some() && self.result.is_some() {
            value.status = Some(ExecutionStatus::Completed);
        }
        value.status = self.status.or(value.status);
        let is_unanswered = self.status.is_some_and(|status| status != ExecutionStatus::Completed);
        if self.result.is_some() || is_unanswered {
            // An overruled answer's certainty and sources no longer apply.
            value.result = self.result.clone().unwrap_or_default();
            value.certainty_score = None;
            value.references.clear();
        }
        value.certainty_score = self.certainty_score.or(value.certainty_score);
        if let Some(references) = &self.references {
            value.references.clone_from(references);
        }
        value.sync_status = self.sync_status;
        value.last_synced_at = self.last_synced_at;
        value.sync_error.clone_from(&self.sync_error);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::sample::{pipeline, well_known};

    /// The value of a question whose rule answers `Lyon`, with this stated for it.
    fn overruled(stated: Value) -> ColumnValue {
        let pipeline = pipeline(json!({
            "crm_sync": {"provider": "hubspot"},
            "questions": [
                {"question_id": 1, "text": "City?", "answer": {"field": "organization.headquarters.city"}},
            ],
        }));
        let item: StatedItem = serde_json::from_value(json!({
            "pipeline_item_id": 1, "organization_id": 1, "values": {"question.1": stated},
        }))
        .unwrap();
        let mut values = item.values(&pipeline, Some(&well_known()));
        let (_, value) = values.pop_first().unwrap();
        assert_eq!(value.faults(), []);
        value
    }

    #[test]
    fn unstated_values_follow_from_the_rules() {
        let value = overruled(json!({"sync_status": "pending"}));
        assert_eq!(value.result, ["Lyon".into()]);
        assert_eq!(value.status, Some(ExecutionStatus::Completed));
        assert!(value.certainty_score.is_some() && !value.references.is_empty());
        assert_eq!(value.sync_status, Some(SyncStatus::Pending));
    }

    #[test]
    fn another_outcome_removes_the_answer_and_its_details() {
        for status in ["pending", "no_answer", "failed", "skipped"] {
            let value = overruled(json!({"status": status}));
            assert_eq!(
                (value.result.len(), value.certainty_score, value.references.len()),
                (0, None, 0)
            );
        }
    }

    #[test]
    fn another_answer_has_its_own_certainty_and_sources_or_none() {
        let value = overruled(json!({"result": ["Paris"]}));
        assert_eq!((value.certainty_score, value.references.len()), (None, 0));
        let value = overruled(json!({"result": ["Paris"], "certainty_score": 7, "references": ["https://a.example"]}));
        assert_eq!(value.result, ["Paris".into()]);
        assert_eq!((value.certainty_score, value.references.len()), (Some(7), 1));
    }

    #[test]
    fn entity_data_that_has_not_been_fetched_is_empty() {
        let pipeline = pipeline(json!({"entity_data": ["organization.name"]}));
        let item = |ready: bool| {
            let item = json!({"pipeline_item_id": 1, "organization_id": 1, "platform_entity_data_ready": ready});
            let item: StatedItem = serde_json::from_value(item).unwrap();
            item.item(&pipeline, item.values(&pipeline, Some(&well_known())).into())
        };
        assert_eq!(item(true).values.first_key_value().unwrap().1.result, ["Weaver".into()]);
        assert_eq!(item(false).values.first_key_value().unwrap().1.result, []);
        assert!(!item(false).status().is_ready());
    }
}
