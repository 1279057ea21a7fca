//! What a pipeline is: a list of items of one kind, and the columns that it fills for each.

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

/// What the items of a pipeline are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntityType {
    /// Organizations.
    #[default]
    Organization,
    /// Persons, each perhaps with an organization.
    Person,
    /// Submitted documents, each perhaps with an organization.
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
    /// What people call it.
    pub name: String,
    /// What its items are.
    pub entity_type: EntityType,
    /// The fields of the entity's record that it shows as columns.
    pub entity_data: Vec<FieldPath>,
    /// How long it takes to fetch these fields for a new item; at zero they are there from the start.
    pub entity_data_takes: Duration,
    /// The questions that it asks of every item.
    pub questions: Vec<Question>,
    /// The CRM that values are handed over to; none when none is configured.
    pub crm_sync: Option<CrmSync>,
}

impl Pipeline {
    /// The question with this id; none when the pipeline does not ask it.
    pub fn question(&self, id: QuestionId) -> Option<&Question> {
        self.questions
            .iter()
            .find(|question| question.question_id == id)
    }

    /// Name of the CRM provider; none when CRM sync is not configured.
    pub fn sync_provider(&self) -> Option<&str> {
        self.crm_sync.as_ref().map(|sync| sync.provider.as_str())
    }
}

/// Where values are handed over to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CrmSync {
    /// Name of the CRM provider, such as `hubspot`.
    pub provider: String,
    /// Seconds that the handing over of one value takes; one when left out.
    #[serde(default = "Seconds::one")]
    pub takes_seconds: Seconds,
    /// What the CRM will not take; the first that speaks of a value decides.
    #[serde(default)]
    pub rejects: Vec<CrmRejection>,
}

/// Something that a CRM will not take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CrmRejection {
    /// The column that it will not take.
    pub column: ColumnId,
    /// Of which organizations; of all when left out.
    #[serde(default)]
    pub when: Option<Condition>,
    /// What it says.
    pub error: String,
}
