//! What a pipeline is: a list of items of one kind, and the columns that it fills for each.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::column::ColumnId;
use super::condition::Condition;
use super::field::{AnswerType, FieldPath};
use super::ids::{PipelineId, QuestionId};
use super::rule::Rule;
use super::value::ValueCategory;

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
#[derive(Debug, Clone)]
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

/// A qualifying question, and how it is answered.
///
/// It is skipped unless `asked_if` holds, fails where `fails_if` holds, and is otherwise answered by
/// its rule; where the rule finds nothing, or there is no rule, the end is no answer.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Unique within the pipeline; the column is `question.<question_id>`.
    pub question_id: QuestionId,
    /// The question as a person would ask it.
    pub text: String,
    /// What kind of answer it wants.
    #[serde(default)]
    pub answer_type: AnswerType,
    /// What answers it; anything but `platform_data`.
    #[serde(default)]
    pub category: ValueCategory,
    /// Of which organizations it is asked; of all when left out.
    #[serde(default)]
    pub asked_if: Option<Condition>,
    /// Where the attempt to answer breaks off; nowhere when left out.
    #[serde(default)]
    pub fails_if: Option<Condition>,
    /// How the answer is found; there is never one when left out.
    #[serde(default)]
    pub answer: Option<Rule>,
    /// Seconds from the adding of an item to the answer; one when left out.
    #[serde(default = "Seconds::one")]
    pub takes_seconds: Seconds,
}

/// Where values are handed over to.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
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

/// A time span in seconds, from 0 to 3600; fractions are allowed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
pub struct Seconds(f64);

impl Seconds {
    /// One second.
    pub fn one() -> Self {
        Self(1.0)
    }

    /// The same span in the terms of the standard library.
    pub fn duration(self) -> Duration {
        Duration::from_secs_f64(self.0)
    }
}

impl TryFrom<f64> for Seconds {
    type Error = SecondsOutOfRange;

    fn try_from(seconds: f64) -> Result<Self, SecondsOutOfRange> {
        if (0.0..=3600.0).contains(&seconds) {
            Ok(Self(seconds))
        } else {
            Err(SecondsOutOfRange)
        }
    }
}

impl JsonSchema for Seconds {
    fn schema_name() -> Cow<'static, str> {
        "Seconds".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number", "minimum": 0, "maximum": 3600})
    }
}

/// Says that a number is no time span that a process may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a process takes from 0 to 3600 seconds")]
pub struct SecondsOutOfRange;
