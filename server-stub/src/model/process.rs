//! Background processing after an organization has been added to a pipeline.
//!
//! A process is a plan, computed in advance from data: which change comes how long after the addition. The platform
//! carries the plan out and stores the item after each change, so a reader sees the current state at any moment.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::column::ColumnId;
use super::condition::Condition;
use super::field::FieldPath;
use super::ids::QuestionId;
use super::item::Item;
use super::pipeline::{CrmSync, Pipeline};
use super::planned::Planned;
use super::question::Answer;
use super::search::IndexedOrganization;
use super::value::{ColumnValue, Scalar, SyncStatus};

/// The initial values of an item: every question pending, entity data empty.
fn initial_values(pipeline: &Pipeline) -> BTreeMap<ColumnId, ColumnValue> {
    let provider = pipeline.sync_provider();
    let fields = pipeline
        .entity_data
        .iter()
        .map(|field| (ColumnId::Field(*field), ColumnValue::entity_data(Vec::new(), provider)));
    let questions = pipeline.questions.iter().map(|question| {
        let column = ColumnId::Question(question.question_id);
        (column, ColumnValue::pending_question(question.category, provider))
    });
    fields.chain(questions).collect()
}

/// The values of an item whose entity data has been fetched and whose questions have ended, before any sync to the CRM.
pub fn final_values(
    pipeline: &Pipeline,
    organization: Option<&IndexedOrganization>,
) -> BTreeMap<ColumnId, ColumnValue> {
    let mut values = initial_values(pipeline);
    for (column, value) in &mut values {
        match column {
            ColumnId::Field(field) => value.result = organization.map_or_else(Vec::new, |known| field.read(known)),
            ColumnId::Question(id) => {
                if let Some(question) = pipeline.question(*id) {
                    question.answer_of(organization).fill(value);
                }
            }
        }
    }
    values
}

/// One change in a process.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Time since the item was created.
    pub after: Duration,
    /// The change.
    pub change: Change,
}

/// A change to an item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    /// The entity data has been fetched.
    EntityDataFetched {
        /// The values of each field; empty where the record has none.
        fields: BTreeMap<FieldPath, Vec<Scalar>>,
    },
    /// A question has ended.
    QuestionEnded {
        /// The question.
        question_id: QuestionId,
        /// How it ended.
        answer: Answer,
    },
    /// The sync of a value to the CRM has started.
    SyncStarted {
        /// The column of the value.
        column: ColumnId,
    },
    /// The CRM has accepted or rejected a value.
    SyncEnded {
        /// The column of the value.
        column: ColumnId,
        /// The CRM's error; `None` if it accepted the value.
        error: Option<String>,
    },
}

/// The initial state of an added organization's item, and its plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Beginning {
    /// The initial values of the columns: questions are pending, entity data is present unless fetching it takes time.
    pub values: BTreeMap<ColumnId, ColumnValue>,
    /// Whether entity data is present.
    pub platform_entity_data_ready: bool,
    /// All changes, in order of time.
    pub plan: Vec<Step>,
}

/// Plans the process that follows the addition of an organization to a pipeline.
///
/// A value is synced to the CRM as soon as it exists. A missing value or a question without an answer is never synced.
/// Outcomes in `planned` replace those that follow from the data.
pub fn begin(pipeline: &Pipeline, organization: &IndexedOrganization, planned: &Planned<'_>) -> Beginning {
    let mut values = initial_values(pipeline);
    let mut plan = Vec::new();

    let fetched = pipeline.entity_data_takes;
    let fields = pipeline.entity_data.iter();
    let data: BTreeMap<_, _> = fields.map(|field| (*field, field.read(organization))).collect();
    let present: Vec<_> = data
        .iter()
        .filter(|(_, result)| !result.is_empty())
        .map(|(field, _)| *field)
        .collect();
    let platform_entity_data_ready = data.is_empty() || fetched.is_zero();
    if platform_entity_data_ready {
        fill_entity_data(&mut values, data);
    } else {
        plan.push(Step {
            after: fetched,
            change: Change::EntityDataFetched { fields: data },
        });
    }
    for field in present {
        let column = ColumnId::Field(field);
        plan.extend(sync_steps(pipeline, organization, planned, column, fetched));
    }

    for question in &pipeline.questions {
        let (id, takes) = (question.question_id, question.takes_seconds.duration());
        let (answer, after) = match planned.answer(id) {
            Some((answer, planned)) => (answer.clone(), planned.unwrap_or(takes)),
            None => (question.answer_of(Some(organization)), takes),
        };
        let has_result = !answer.result.is_empty();
        plan.push(Step {
            after,
            change: Change::QuestionEnded {
                question_id: id,
                answer,
            },
        });
        if has_result {
            let column = ColumnId::Question(id);
            plan.extend(sync_steps(pipeline, organization, planned, column, after));
        }
    }
    // The sort is stable: changes due at the same moment stay in the order of cause and effect.
    plan.sort_by_key(|step| step.after);
    Beginning {
        values,
        platform_entity_data_ready,
        plan,
    }
}

/// The sync of a value to the CRM, starting at a moment; empty without a CRM.
fn sync_steps(
    pipeline: &Pipeline,
    organization: &IndexedOrganization,
    planned: &Planned<'_>,
    column: ColumnId,
    from: Duration,
) -> Vec<Step> {
    let Some(sync) = &pipeline.crm_sync else {
        return Vec::new();
    };
    let takes = sync.takes_seconds.duration();
    let (error, takes) = match planned.sync(column) {
        Some((error, planned)) => (error.clone(), planned.unwrap_or(takes)),
        None => (sync.rejection(column, organization), takes),
    };
    let ended = Change::SyncEnded { column, error };
    vec![
        Step {
            after: from,
            change: Change::SyncStarted { column },
        },
        Step {
            after: from + takes,
            change: ended,
        },
    ]
}

fn fill_entity_data(values: &mut BTreeMap<ColumnId, ColumnValue>, data: BTreeMap<FieldPath, Vec<Scalar>>) {
    for (field, result) in data {
        if let Some(value) = values.get_mut(&ColumnId::Field(field)) {
            value.result = result;
        }
    }
}

impl CrmSync {
    /// The CRM's error for a value of this column; `None` if it accepts the value.
    fn rejection(&self, column: ColumnId, organization: &IndexedOrganization) -> Option<String> {
        let applies = |condition: &Condition| condition.holds(organization) == Some(true);
        let rejection = self
            .rejects
            .iter()
            .find(|rejection| rejection.column == column && rejection.when.as_ref().is_none_or(applies));
        rejection.map(|rejection| rejection.error.clone())
    }
}

impl Change {
    /// The columns that it changes.
    pub fn columns(&self) -> Vec<ColumnId> {
        match self {
            Self::EntityDataFetched { fields } => fields.keys().copied().map(ColumnId::Field).collect(),
            Self::QuestionEnded { question_id, .. } => vec![ColumnId::Question(*question_id)],
            Self::SyncStarted { column } | Self::SyncEnded { column, .. } => vec![*column],
        }
    }

    /// Makes the change at the time `now`.
    pub fn apply(self, item: &mut Item, now: DateTime<Utc>) {
        match self {
            Self::EntityDataFetched { fields } => {
                fill_entity_data(&mut item.values, fields);
                item.platform_entity_data_ready = true;
            }
            Self::QuestionEnded { question_id, answer } => {
                if let Some(value) = item.values.get_mut(&ColumnId::Question(question_id)) {
                    answer.fill(value);
                }
            }
            Self::SyncStarted { column } => {
                if let Some(value) = item.values.get_mut(&column) {
                    value.sync_status = Some(SyncStatus::Pending);
                    value.sync_error = None;
                }
            }
            Self::SyncEnded { column, error } => {
                if let Some(value) = item.values.get_mut(&column) {
                    value.end_sync(error, now);
                }
            }
        }
    }
}

impl ColumnValue {
    fn end_sync(&mut self, error: Option<String>, now: DateTime<Utc>) {
        match error {
            None => {
                self.sync_status = Some(SyncStatus::Success);
                self.last_synced_at = Some(now);
            }
            Some(error) => {
                self.sync_status = Some(SyncStatus::Error);
                self.sync_error = Some(error);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::model::ids::PipelineItemId;
    use crate::model::item::NewItem;
    use crate::model::pipeline::Pipeline;
    use crate::model::value::ExecutionStatus;
    use crate::sample::{organization, pipeline, well_known};

    /// Columns of all kinds: a question that is answered, one without an answer, one that is skipped, one that fails,
    /// entity data that is present, entity data that is missing, and a CRM that rejects some values.
    fn busy_pipeline() -> Pipeline {
        pipeline(json!({
            "entity_data": ["organization.name", "organization.domain"],
            "entity_data_takes_seconds": 0.5,
            "crm_sync": {
                "provider": "hubspot",
                "takes_seconds": 1,
                "rejects": [{"column": "question.2", "error": "too long"}],
            },
            "questions": [
                {"question_id": 1, "text": "City?", "answer": {"field": "organization.headquarters.city"}},
                {"question_id": 2, "text": "Name?", "answer": {"field": "organization.name"}, "takes_seconds": 2},
                {"question_id": 3, "text": "Chief?", "takes_seconds": 1.5},
                {"question_id": 4, "text": "Seen?", "asked_if": {"known": "organization.domain"}},
                {"question_id": 5, "text": "Read?", "fails_if": {"known": "organization.name"}},
            ],
        }))
    }

    fn first_item(beginning: &Beginning) -> Item {
        let new = NewItem {
            pipeline_id: busy_pipeline().pipeline_id,
            organization_id: well_known().organization.organization_id,
            values: beginning.values.clone(),
            platform_entity_data_ready: beginning.platform_entity_data_ready,
        };
        new.with_id(PipelineItemId::new(1).unwrap())
    }

    fn may_follow(before: &ColumnValue, after: &ColumnValue) -> bool {
        use SyncStatus::{Error, Pending, Success};
        let question = match before.status {
            Some(ExecutionStatus::Pending) => true,
            _ => before.status == after.status && before.certainty_score == after.certainty_score,
        };
        let is_sync_step = matches!(
            (before.sync_status, after.sync_status),
            (None | Some(Error | Success), Some(Pending)) | (Some(Pending), Some(Success | Error))
        );
        let keeps_success = after.last_synced_at >= before.last_synced_at;
        question && keeps_success && (before.sync_status == after.sync_status || is_sync_step)
    }

    #[test]
    fn every_step_of_a_process_is_an_allowed_transition_between_sound_states() {
        let beginning = begin(&busy_pipeline(), &well_known(), &Planned::default());
        let mut item = first_item(&beginning);
        let mut was_ready = false;
        for step in beginning.plan {
            let before = item.clone();
            step.change.clone().apply(&mut item, DateTime::UNIX_EPOCH + step.after);
            assert_ne!(item, before, "{step:?} changes something");
            for (column, value) in &item.values {
                assert_eq!(value.faults(), [], "{column} after {step:?}");
                assert!(may_follow(&before.values[column], value), "{column} after {step:?}");
            }
            let is_ready = item.status().is_ready();
            assert!(is_ready || !was_ready, "readiness was lost by {step:?}");
            was_ready = is_ready;
        }
        assert!(was_ready);
    }

    #[test]
    fn process_ends_as_the_rules_and_the_crm_decide() {
        let beginning = begin(&busy_pipeline(), &well_known(), &Planned::default());
        let mut item = first_item(&beginning);
        for step in beginning.plan {
            step.change.apply(&mut item, DateTime::UNIX_EPOCH + step.after);
        }
        let expected = final_values(&busy_pipeline(), Some(&well_known()));
        let ends = |text: &str| {
            let column = text.parse().unwrap();
            let (value, expected): (&ColumnValue, &ColumnValue) = (&item.values[&column], &expected[&column]);
            assert_eq!(
                (&value.result, value.status),
                (&expected.result, expected.status),
                "{text}"
            );
            let at = value.last_synced_at.map(|at| at.timestamp_millis());
            (value.status, value.sync_status, at, value.sync_error.as_deref())
        };
        use ExecutionStatus::{Completed, Failed, NoAnswer, Skipped};
        use SyncStatus::{Error, Success};
        assert_eq!(ends("organization.name"), (None, Some(Success), Some(1500), None));
        assert_eq!(ends("organization.domain"), (None, None, None, None));
        assert_eq!(ends("question.1"), (Some(Completed), Some(Success), Some(2000), None));
        assert_eq!(
            ends("question.2"),
            (Some(Completed), Some(Error), None, Some("too long"))
        );
        assert_eq!(ends("question.3"), (Some(NoAnswer), None, None, None));
        assert_eq!(ends("question.4"), (Some(Skipped), None, None, None));
        assert_eq!(ends("question.5"), (Some(Failed), None, None, None));
    }

    #[test]
    fn entity_data_without_a_delay_is_present_from_the_start() {
        let quick = pipeline(json!({"entity_data": ["organization.name"]}));
        let beginning = begin(&quick, &well_known(), &Planned::default());
        assert!(beginning.platform_entity_data_ready);
        assert_eq!(beginning.values, final_values(&quick, Some(&well_known())));
        assert_eq!(beginning.plan, []);
        let slow = begin(&busy_pipeline(), &well_known(), &Planned::default());
        assert!(!slow.platform_entity_data_ready);
        assert!(slow.values.values().all(|value| value.result.is_empty()));
    }

    #[test]
    fn rejection_may_depend_on_the_record() {
        let rejecting = |when: Value| {
            let pipeline = pipeline(json!({"crm_sync": {"provider": "hubspot", "rejects": [
                {"column": "question.1", "when": when, "error": "no"},
            ]}}));
            let sync = pipeline.crm_sync.unwrap();
            sync.rejection("question.1".parse().unwrap(), &organization(json!({})))
                .is_some()
        };
        assert!(rejecting(json!({"not": {"known": "organization.domain"}})));
        assert!(!rejecting(json!({"known": "organization.domain"})));
    }
}
