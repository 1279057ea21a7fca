//! The outcomes of questions and syncs that tests plan.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::body::{JsonBody, NoBody};
use super::problem::{AdminProblem, ProblemBody};
use crate::control::Control;
use crate::model::column::ColumnId;
use crate::model::ids::{OrganizationId, PipelineId};
use crate::model::planned::{PlannedEvent, PlannedOutcome};
use crate::model::question::Answer;
use crate::model::seconds::Seconds;
use crate::model::value::{ExecutionStatus, Scalar};

/// How a question or a sync ends for organizations that are added from now on. Give one of `answer` and `sync`.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PlannedBody {
    /// The pipeline that it applies to; all when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>)]
    pipeline_id: Option<PipelineId>,
    /// The organization that it is for; all when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>)]
    organization_id: Option<OrganizationId>,
    /// The column of the value, such as `question.601` or `organization.name`.
    #[schema(value_type = String)]
    column: ColumnId,
    /// How the question ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<AnswerBody>,
    /// How the sync to the CRM ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sync: Option<SyncBody>,
    /// Seconds from the addition to the end of the question, or from the start of the sync to its end, from 0 to 3600;
    /// as in the data when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 3600)]
    takes_seconds: Option<Seconds>,
}

/// How a question ends.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct AnswerBody {
    status: EndStatus,
    /// The answer: strings, numbers and booleans; only for `completed`.
    #[serde(default)]
    #[schema(value_type = Vec<serde_json::Value>)]
    result: Vec<Scalar>,
    /// From 0 to 100; only for `completed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 100)]
    certainty_score: Option<u8>,
    /// Addresses of the sources.
    #[serde(default)]
    references: Vec<String>,
}

/// The final status of a question.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum EndStatus {
    Completed,
    NoAnswer,
    Failed,
    Skipped,
}

/// How a sync ends.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct SyncBody {
    /// The error of the CRM; null if it accepts the value.
    #[schema(required)]
    #[serde(deserialize_with = "Option::deserialize")]
    error: Option<String>,
}

/// All planned outcomes.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct PlannedList {
    /// In the order in which they were planned. Of two for the same, the later one counts.
    processes: Vec<PlannedBody>,
}

impl TryFrom<PlannedBody> for PlannedOutcome {
    type Error = AdminProblem;

    fn try_from(body: PlannedBody) -> Result<Self, AdminProblem> {
        let event = match (body.answer, body.sync, body.column) {
            (Some(answer), None, ColumnId::Question(question_id)) => PlannedEvent::Answer {
                question_id,
                answer: answer.into(),
            },
            (Some(_), None, ColumnId::Field(_)) => {
                let detail = "column: only a question has an answer; name one, such as question.601";
                return Err(AdminProblem::invalid(detail));
            }
            (None, Some(SyncBody { error }), column) => PlannedEvent::Sync { column, error },
            _ => return Err(AdminProblem::invalid("give one of answer and sync")),
        };
        Ok(Self {
            pipeline_id: body.pipeline_id,
            organization_id: body.organization_id,
            event,
            takes: body.takes_seconds.map(Seconds::duration),
        })
    }
}

impl From<PlannedOutcome> for PlannedBody {
    fn from(outcome: PlannedOutcome) -> Self {
        let column = outcome.column();
        let (answer, sync) = match outcome.event {
            PlannedEvent::Answer { answer, .. } => (Some(answer.into()), None),
            PlannedEvent::Sync { error, .. } => (None, Some(SyncBody { error })),
        };
        Self {
            pipeline_id: outcome.pipeline_id,
            organization_id: outcome.organization_id,
            column,
            answer,
            sync,
            takes_seconds: outcome.takes.map(Seconds::of),
        }
    }
}

impl From<AnswerBody> for Answer {
    fn from(body: AnswerBody) -> Self {
        Self {
            status: match body.status {
                EndStatus::Completed => ExecutionStatus::Completed,
                EndStatus::NoAnswer => ExecutionStatus::NoAnswer,
                EndStatus::Failed => ExecutionStatus::Failed,
                EndStatus::Skipped => ExecutionStatus::Skipped,
            },
            result: body.result,
            certainty_score: body.certainty_score,
            references: body.references,
        }
    }
}

impl From<Answer> for AnswerBody {
    fn from(answer: Answer) -> Self {
        Self {
            status: match answer.status {
                // A plan never leaves a question pending.
                ExecutionStatus::Completed | ExecutionStatus::Pending => EndStatus::Completed,
                ExecutionStatus::NoAnswer => EndStatus::NoAnswer,
                ExecutionStatus::Failed => EndStatus::Failed,
                ExecutionStatus::Skipped => EndStatus::Skipped,
            },
            result: answer.result,
            certainty_score: answer.certainty_score,
            references: answer.references,
        }
    }
}

/// List the planned outcomes
#[utoipa::path(
    get,
    path = "/processes",
    tag = "processes",
    responses((status = 200, body = PlannedList), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn list_processes(State(control): State<Control>) -> Json<PlannedList> {
    let plans = control.plans();
    Json(PlannedList {
        processes: plans.into_iter().map(PlannedBody::from).collect(),
    })
}

/// Plan how a question or a sync ends for organizations that are added from now on
#[utoipa::path(
    post,
    path = "/processes",
    tag = "processes",
    request_body = PlannedBody,
    responses((status = 201, body = PlannedBody), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn plan_process(
    State(control): State<Control>,
    JsonBody(body): JsonBody<PlannedBody>,
) -> Result<(StatusCode, Json<PlannedBody>), AdminProblem> {
    let outcome = PlannedOutcome::try_from(body)?;
    let planned = control.plan(outcome.clone());
    planned.map_err(|error| AdminProblem::invalid(error.to_string()))?;
    Ok((StatusCode::CREATED, Json(outcome.into())))
}

/// Remove all planned outcomes
#[utoipa::path(
    delete,
    path = "/processes",
    tag = "processes",
    responses((status = 204, description = "Done."), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn clear_processes(State(control): State<Control>, NoBody: NoBody) -> StatusCode {
    control.clear_plans();
    StatusCode::NO_CONTENT
}
