//! What happens in the background when an organization has been added to a pipeline.
//!
//! A process is a plan, worked out beforehand from data: which change comes how long after the adding.
//! One task a new item walks through its plan on the platform's clock and stores the item after each
//! change, so that whoever asks sees the truth at any moment.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::task::JoinSet;

use super::clock::{Clock, Timer};
use super::column::ColumnId;
use super::field::FieldPath;
use super::ids::QuestionId;
use super::item::Item;
use super::pipeline::{CrmSync, Pipeline};
use super::rule::Answer;
use super::search::IndexedOrganization;
use super::value::{ColumnValue, Scalar, SyncStatus};
use crate::store::Store;

/// The values of an item of which nothing is known yet: every question pending, entity data empty.
pub(crate) fn initial_values(pipeline: &Pipeline) -> BTreeMap<ColumnId, ColumnValue> {
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

/// The values of an item whose entity data has been fetched and whose questions have come to their end,
/// while nothing has been handed over to the CRM.
pub(crate) fn final_values(
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

/// One change in the course of a process.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    /// Time since the item was created.
    pub(crate) after: Duration,
    /// What changes.
    pub(crate) change: Change,
}

/// What changes about an item.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change {
    /// The entity data has been fetched.
    EntityDataFetched(Vec<(FieldPath, Vec<Scalar>)>),
    /// A question has come to its end.
    QuestionEnded(QuestionId, Answer),
    /// A value is on its way to the CRM.
    SyncStarted(ColumnId),
    /// The CRM has taken a value, or said why not.
    SyncEnded(ColumnId, Result<(), String>),
}

/// All that will happen to an organization that is added to a pipeline, in the order of time.
///
/// A value is handed over to the CRM as soon as there is something to hand over: what is missing or
/// has no answer never is.
pub(crate) fn plan(pipeline: &Pipeline, organization: &IndexedOrganization) -> Vec<Step> {
    let mut steps = Vec::new();
    let add_sync = |steps: &mut Vec<Step>, column: ColumnId, after: Duration, sync: &CrmSync| {
        let outcome = sync.outcome(column, organization);
        steps.push(Step { after, change: Change::SyncStarted(column) });
        let after = after + sync.takes_seconds.duration();
        steps.push(Step { after, change: Change::SyncEnded(column, outcome) });
    };

    if !pipeline.entity_data.is_empty() {
        let after = pipeline.entity_data_takes;
        let data: Vec<_> = pipeline.entity_data.iter().map(|field| (*field, field.read(organization))).collect();
        let present: Vec<_> = data.iter().filter(|(_, result)| !result.is_empty()).map(|(field, _)| *field).collect();
        steps.push(Step { after, change: Change::EntityDataFetched(data) });
        for (field, sync) in present.into_iter().zip(std::iter::repeat(&pipeline.crm_sync)) {
            if let Some(sync) = sync {
                add_sync(&mut steps, ColumnId::Field(field), after, sync);
            }
        }
    }
    for question in &pipeline.questions {
        let after = question.takes_seconds.duration();
        let answer = question.answer_of(Some(organization));
        let has_result = !answer.result.is_empty();
        steps.push(Step { after, change: Change::QuestionEnded(question.question_id, answer) });
        if let Some(sync) = pipeline.crm_sync.as_ref().filter(|_| has_result) {
            add_sync(&mut steps, ColumnId::Question(question.question_id), after, sync);
        }
    }
    // The sort is stable: what is due at the same moment stays in the order of cause and effect.
    steps.sort_by_key(|step| step.after);
    steps
}

impl CrmSync {
    /// Whether the CRM takes a value of this column, and what it says when it does not.
    fn outcome(&self, column: ColumnId, organization: &IndexedOrganization) -> Result<(), String> {
        let applies = |condition: &_| super::rule::Condition::holds(condition, organization) == Some(true);
        let rejection = self
            .rejects
            .iter()
            .find(|rejection| rejection.column == column && rejection.when.as_ref().is_none_or(applies));
        rejection.map_or(Ok(()), |rejection| Err(rejection.error.clone()))
    }
}

impl Change {
    /// Makes the change, as of `now`.
    pub(crate) fn apply(self, item: &mut Item, now: DateTime<Utc>) {
        match self {
            Self::EntityDataFetched(data) => {
                for (field, result) in data {
                    if let Some(value) = item.values.get_mut(&ColumnId::Field(field)) {
                        value.result = result;
                    }
                }
                item.platform_entity_data_ready = true;
            }
            Self::QuestionEnded(id, answer) => {
                if let Some(value) = item.values.get_mut(&ColumnId::Question(id)) {
                    answer.fill(value);
                }
            }
            Self::SyncStarted(column) => {
                if let Some(value) = item.values.get_mut(&column) {
                    value.sync_status = Some(SyncStatus::Pending);
                    value.sync_error = None;
                }
            }
            Self::SyncEnded(column, outcome) => {
                if let Some(value) = item.values.get_mut(&column) {
                    value.end_sync(outcome, now);
                }
            }
        }
    }
}

impl ColumnValue {
    fn end_sync(&mut self, outcome: Result<(), String>, now: DateTime<Utc>) {
        match outcome {
            Ok(()) => {
                self.sync_status = Some(SyncStatus::Success);
                self.last_synced_at = Some(now);
            }
            Err(error) => {
                self.sync_status = Some(SyncStatus::Error);
                self.sync_error = Some(error);
            }
        }
    }
}

/// The processes under way. They stop when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Processes {
    tasks: Mutex<JoinSet<()>>,
}

impl Processes {
    /// Starts to walk through a plan; `item` is as it stands in the store.
    pub(crate) fn start(&self, item: Item, plan: Vec<Step>, store: Arc<dyn Store>, clock: Arc<dyn Clock>) {
        // Made here and not in the task, so that a clock that settles knows of it from now on.
        let timer = clock.timer();
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {
            // What has ended need not be kept.
        }
        tasks.spawn(run(item, plan, store, clock, timer));
    }

    /// Stops all processes and returns when the last has stopped. Items stay as they are.
    pub(crate) async fn stop(&self) {
        let mut tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        tasks.shutdown().await;
    }
}

async fn run(
    mut item: Item,
    plan: Vec<Step>,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    mut timer: Box<dyn Timer>,
) {
    let mut passed = Duration::ZERO;
    for step in plan {
        timer.sleep(step.after - passed).await;
        passed = step.after;
        step.change.apply(&mut item, clock.now());
        if let Err(error) = store.replace_item(item.clone()).await {
            tracing::error!(item = %item.pipeline_item_id, %error, "a background process stops halfway");
            return;
        }
    }
}
