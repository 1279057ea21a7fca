//! Pipelines: lists of items of one kind, with the columns that are filled for each.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::column::ColumnId;
use super::condition::Condition;
use super::field::FieldPath;
use super::ids::{PipelineId, QuestionId};
use super::question::Question;
use super::seconds::Seconds;

/// The type of a pipeline's items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntityType {
    /// Organizations.
    #[default]
    Organization,
    /// Persons, each with or without an organization.
    Person,
    /// Submitted documents, each with or without an organization.
    Document,
}

impl fmt::Display for EntityType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Organization => "organization",
            Self::Person => "person",
            Self::Document => "document",
        })
    }
}

/// A pipeline without its items.
#[derive(Debug, Clone, Serialize)]
pub struct Pipeline {
    /// Unique among pipelines.
    pub pipeline_id: PipelineId,
    /// Its display name.
    pub name: String,
    /// The type of its items.
    pub entity_type: EntityType,
    /// The fields of the entity's record that it shows as columns.
    pub entity_data: Vec<FieldPath>,
    /// How long it takes to fetch these fields for a new item; if zero, they are present from the start.
    pub entity_data_takes: Duration,
    /// The questions that it asks about every item.
    pub questions: Vec<Question>,
    /// The CRM that values are synced to; `None` if none is configured.
    pub crm_sync: Option<CrmSync>,
}

impl Pipeline {
    /// The question with this id; `None` if the pipeline does not ask it.
    pub fn question(&self, id: QuestionId) -> Option<&Question> {
        self.questions.iter().find(|question| question.question_id == id)
    }

    /// Whether its items have this column.
    pub fn has_column(&self, column: ColumnId) -> bool {
        match column {
            ColumnId::Field(field) => self.entity_data.contains(&field),
            ColumnId::Question(id) => self.question(id).is_some(),
        }
    }

    /// Name of the CRM provider; `None` if CRM sync is not configured.
    pub fn sync_provider(&self) -> Option<&str> {
        self.crm_sync.as_ref().map(|sync| sync.provider.as_str())
    }
}

/// The CRM that values are synced to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CrmSync {
    /// Name of the CRM provider, such as `hubspot`.
    pub provider: String,
    /// Seconds that the sync of one value takes; one when left out.
    #[serde(default = "Seconds::one")]
    pub takes_seconds: Seconds,
    /// What the CRM rejects; the first entry that applies to a value decides.
    #[serde(default)]
    pub rejects: Vec<CrmRejection>,
}

/// A value that a CRM rejects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CrmRejection {
    /// The column of the value.
    pub column: ColumnId,
    /// The organizations whose values are rejected; all when left out.
    #[serde(default)]
    pub when: Option<Condition>,
    /// The error message of the CRM.
    pub error: String,
}
