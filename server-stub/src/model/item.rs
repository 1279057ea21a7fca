//! Pipeline items with their values and their processing status.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::column::ColumnId;
use super::ids::{DocumentId, OrganizationId, PersonId, PipelineId, PipelineItemId};
use super::pipeline::EntityType;
use super::rendering::Rendering;
use super::value::ColumnValue;
use super::values::Values;

/// A submitted document or an entity, with the values of its columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// The pipeline of the item.
    pub pipeline_id: PipelineId,
    /// Unique among the items of all pipelines.
    pub pipeline_item_id: PipelineItemId,
    /// The kind of entity that it is.
    pub entity_type: EntityType,
    /// The organization that the item is, or that belongs to its person or document.
    pub organization_id: Option<OrganizationId>,
    /// The person that the item is.
    pub person_id: Option<PersonId>,
    /// The document that the item is.
    pub document_id: Option<DocumentId>,
    /// The values of its columns. Every column of the pipeline is present from the beginning.
    pub values: Values,
    /// Whether its document is fully indexed; true where there is no document.
    pub document_indexed: bool,
    /// Whether the entity data for the pipeline's columns has been fetched.
    pub platform_entity_data_ready: bool,
    /// Its serialized form.
    #[serde(skip)]
    pub rendering: Rendering,
}

impl Item {
    /// The processing status of the item.
    pub fn status(&self) -> ItemStatus {
        let is_answered = |value: &ColumnValue| value.status.is_none_or(|status| status.is_terminal());
        ItemStatus {
            pipeline_id: self.pipeline_id,
            pipeline_item_id: self.pipeline_item_id,
            document_indexed: self.document_indexed,
            custom_questions_answered: self.values.values().all(is_answered),
            platform_entity_data_ready: self.platform_entity_data_ready,
        }
    }
}

/// An organization that is to become an item and has no item id yet.
#[derive(Debug, Clone, PartialEq)]
pub struct NewItem {
    /// The organization pipeline that it is added to.
    pub pipeline_id: PipelineId,
    /// The organization.
    pub organization_id: OrganizationId,
    /// The initial values of its columns.
    pub values: BTreeMap<ColumnId, ColumnValue>,
    /// Whether its entity data is already present.
    pub platform_entity_data_ready: bool,
}

impl NewItem {
    /// The item with this id.
    pub fn with_id(self, pipeline_item_id: PipelineItemId) -> Item {
        Item {
            pipeline_id: self.pipeline_id,
            pipeline_item_id,
            entity_type: EntityType::Organization,
            organization_id: Some(self.organization_id),
            person_id: None,
            document_id: None,
            values: self.values.into(),
            document_indexed: true,
            platform_entity_data_ready: self.platform_entity_data_ready,
            rendering: Rendering::default(),
        }
    }
}

/// The processing status of an item, with one fact for each stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemStatus {
    /// The pipeline of the item.
    pub pipeline_id: PipelineId,
    /// The item.
    pub pipeline_item_id: PipelineItemId,
    /// The submitted document is fully indexed; true where there is no document.
    pub document_indexed: bool,
    /// All questions have ended; true where no question is asked.
    pub custom_questions_answered: bool,
    /// The entity data for the pipeline's columns has been fetched.
    pub platform_entity_data_ready: bool,
}

impl ItemStatus {
    /// True exactly when every stage is done.
    pub fn is_ready(&self) -> bool {
        self.document_indexed && self.custom_questions_answered && self.platform_entity_data_ready
    }
}

/// One page of a pipeline's items.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ItemList {
    /// Number of items in the pipeline, on all pages.
    pub total_count: usize,
    /// The page.
    pub items: Vec<Arc<Item>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn item_is_ready_exactly_when_every_stage_is_done() {
        for stages in 0..8 {
            let status = ItemStatus {
                pipeline_id: PipelineId::new(1).unwrap(),
                pipeline_item_id: PipelineItemId::new(1).unwrap(),
                document_indexed: stages & 1 != 0,
                custom_questions_answered: stages & 2 != 0,
                platform_entity_data_ready: stages & 4 != 0,
            };
            assert_eq!(status.is_ready(), stages == 7, "{status:?}");
        }
    }
}
