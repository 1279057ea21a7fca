//! Outcomes that a test plans for the processes of items, instead of those that follow from the data.

use std::time::Duration;

use super::column::ColumnId;
use super::ids::{OrganizationId, PipelineId, QuestionId};
use super::question::Answer;
use super::value::{ColumnValue, ExecutionStatus, Scalar, ValueCategory, ValueFault};

/// How a question or a sync ends for organizations that are added from now on.
///
/// ```
/// use std::time::Duration;
///
/// use platform_server_stub::model::ids::{OrganizationId, PipelineId, QuestionId};
/// use platform_server_stub::model::planned::PlannedOutcome;
///
/// let question = QuestionId::new(601)?;
/// let yes = PlannedOutcome::answer(question, [true]).with_certainty(80).after(Duration::from_secs(5));
/// let broken = PlannedOutcome::failure(question)
///     .in_pipeline(PipelineId::new(6)?)
///     .for_organization(OrganizationId::new(1001)?);
/// let rejected = PlannedOutcome::sync_error("question.501".parse()?, "The field is read-only.");
/// # let _ = (yes, broken, rejected);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedOutcome {
    /// The pipeline that it applies to; all when `None`.
    pub pipeline_id: Option<PipelineId>,
    /// The organization that it is for; all when `None`.
    pub organization_id: Option<OrganizationId>,
    /// What happens.
    pub event: PlannedEvent,
    /// Time from the addition to the end of a question, or from the start of a sync to its end; as in the data when
    /// `None`.
    pub takes: Option<Duration>,
}

/// What happens in a process.
#[derive(Debug, Clone, PartialEq)]
pub enum PlannedEvent {
    /// A question ends.
    Answer {
        /// The question.
        question_id: QuestionId,
        /// How it ends.
        answer: Answer,
    },
    /// The sync of a value ends.
    Sync {
        /// The column of the value.
        column: ColumnId,
        /// The CRM's error; `None` if it accepts the value.
        error: Option<String>,
    },
}

impl PlannedOutcome {
    /// The question is completed with this result. Its certainty is 100 unless set.
    pub fn answer<T: Into<Scalar>>(question_id: QuestionId, result: impl IntoIterator<Item = T>) -> Self {
        Self::of_question(
            question_id,
            Answer {
                result: result.into_iter().map(Into::into).collect(),
                certainty_score: Some(100),
                ..Answer::none(ExecutionStatus::Completed)
            },
        )
    }

    /// The question ends without an answer.
    pub fn no_answer(question_id: QuestionId) -> Self {
        Self::of_question(question_id, Answer::none(ExecutionStatus::NoAnswer))
    }

    /// Answering the question fails.
    pub fn failure(question_id: QuestionId) -> Self {
        Self::of_question(question_id, Answer::none(ExecutionStatus::Failed))
    }

    /// The question is skipped.
    pub fn skipped(question_id: QuestionId) -> Self {
        Self::of_question(question_id, Answer::none(ExecutionStatus::Skipped))
    }

    /// The CRM rejects the value with this error.
    pub fn sync_error(column: ColumnId, error: impl Into<String>) -> Self {
        Self::of(PlannedEvent::Sync {
            column,
            error: Some(error.into()),
        })
    }

    /// The CRM accepts the value.
    pub fn sync_success(column: ColumnId) -> Self {
        Self::of(PlannedEvent::Sync { column, error: None })
    }

    fn of_question(question_id: QuestionId, answer: Answer) -> Self {
        Self::of(PlannedEvent::Answer { question_id, answer })
    }

    /// An outcome for all pipelines and organizations.
    pub fn of(event: PlannedEvent) -> Self {
        Self {
            pipeline_id: None,
            organization_id: None,
            event,
            takes: None,
        }
    }

    /// Limits the outcome to a pipeline.
    #[must_use]
    pub fn in_pipeline(mut self, id: PipelineId) -> Self {
        self.pipeline_id = Some(id);
        self
    }

    /// Limits the outcome to an organization.
    #[must_use]
    pub fn for_organization(mut self, id: OrganizationId) -> Self {
        self.organization_id = Some(id);
        self
    }

    /// Sets how long it takes.
    #[must_use]
    pub fn after(mut self, takes: Duration) -> Self {
        self.takes = Some(takes);
        self
    }

    /// Sets the certainty of an answer, from 0 to 100. It has no effect on other outcomes.
    #[must_use]
    pub fn with_certainty(mut self, certainty: u8) -> Self {
        if let PlannedEvent::Answer { answer, .. } = &mut self.event
            && answer.status == ExecutionStatus::Completed
        {
            answer.certainty_score = Some(certainty);
        }
        self
    }

    /// The column whose value it decides.
    pub fn column(&self) -> ColumnId {
        match &self.event {
            PlannedEvent::Answer { question_id, .. } => ColumnId::Question(*question_id),
            PlannedEvent::Sync { column, .. } => *column,
        }
    }

    /// The first rule of values that its answer breaks; `None` for a valid one.
    pub fn fault(&self) -> Option<ValueFault> {
        let PlannedEvent::Answer { answer, .. } = &self.event else {
            return None;
        };
        let mut value = ColumnValue::pending_question(ValueCategory::Llm, None);
        answer.clone().fill(&mut value);
        value.faults().into_iter().next()
    }
}

/// The outcomes that are planned for one organization in one pipeline.
#[derive(Debug, Default)]
pub struct Planned<'a>(Vec<&'a PlannedOutcome>);

impl<'a> Planned<'a> {
    /// Selects those of `all` that are for this pipeline and organization. Of two for the same, the later one counts.
    pub fn of(all: &'a [PlannedOutcome], pipeline: PipelineId, organization: OrganizationId) -> Self {
        let applies = |it: &&PlannedOutcome| {
            it.pipeline_id.is_none_or(|id| id == pipeline) && it.organization_id.is_none_or(|id| id == organization)
        };
        Self(all.iter().rev().filter(applies).collect())
    }

    /// How a question ends, and how long that takes.
    pub(super) fn answer(&self, id: QuestionId) -> Option<(&'a Answer, Option<Duration>)> {
        self.0.iter().find_map(|planned| match &planned.event {
            PlannedEvent::Answer { question_id, answer } if *question_id == id => Some((answer, planned.takes)),
            _ => None,
        })
    }

    /// The CRM's error for a value, if its sync is planned, and how long the sync takes.
    pub(super) fn sync(&self, of: ColumnId) -> Option<(&'a Option<String>, Option<Duration>)> {
        self.0.iter().find_map(|planned| match &planned.event {
            PlannedEvent::Sync { column, error } if *column == of => Some((error, planned.takes)),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_of_two_outcomes_for_the_same_column_counts() {
        let (pipeline, other) = (PipelineId::new(1).unwrap(), PipelineId::new(2).unwrap());
        let organization = OrganizationId::new(1).unwrap();
        let question = QuestionId::new(7).unwrap();
        let all = [
            PlannedOutcome::failure(question),
            PlannedOutcome::skipped(question).in_pipeline(pipeline),
            PlannedOutcome::no_answer(question).in_pipeline(other),
        ];
        let status = |pipeline| {
            let planned = Planned::of(&all, pipeline, organization);
            planned.answer(question).unwrap().0.status
        };
        assert_eq!(status(pipeline), ExecutionStatus::Skipped);
        assert_eq!(status(other), ExecutionStatus::NoAnswer);
        assert_eq!(status(PipelineId::new(3).unwrap()), ExecutionStatus::Failed);
        let none = Planned::of(&all, pipeline, organization);
        assert!(none.answer(QuestionId::new(8).unwrap()).is_none());
    }

    #[test]
    fn answer_that_breaks_the_rules_of_values_has_a_fault() {
        let question = QuestionId::new(7).unwrap();
        let empty: [bool; 0] = [];
        for (outcome, fault) in [
            (PlannedOutcome::answer(question, [true]), None),
            (PlannedOutcome::failure(question).with_certainty(5), None),
            (
                PlannedOutcome::answer(question, empty),
                Some(ValueFault::AnswerWithoutResult),
            ),
            (
                PlannedOutcome::answer(question, [true]).with_certainty(101),
                Some(ValueFault::CertaintyOutOfRange),
            ),
        ] {
            assert_eq!(outcome.fault(), fault, "{outcome:?}");
        }
    }
}
