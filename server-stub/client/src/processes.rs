//! The outcomes of questions and syncs that tests plan.

use std::time::Duration;

use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::client::EmulatorClient;
use crate::error::Error;

/// How a question or a sync ends for organizations that are added from now on.
///
/// ```
/// use std::time::Duration;
///
/// use platform_emulator_client::PlannedOutcome;
///
/// let yes = PlannedOutcome::answer("question.601", [true]).with_certainty(80).takes(Duration::from_secs(5));
/// let broken = PlannedOutcome::failure("question.601").in_pipeline(6).for_organization(1001);
/// let rejected = PlannedOutcome::sync_error("question.501", "The field is read-only.");
/// # let _ = (yes, broken, rejected);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedOutcome {
    /// The pipeline that it applies to; all when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pipeline_id: Option<i64>,
    /// The organization that it is for; all when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub organization_id: Option<i64>,
    /// The column of the value, such as `question.601` or `organization.name`.
    pub column: String,
    /// How the question ends. One of `answer` and `sync` is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// How the sync to the CRM ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync: Option<Sync>,
    /// Seconds from the addition to the end of the question, or from the start of the sync to its end, from 0 to 3600;
    /// as in the data when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub takes_seconds: Option<f64>,
}

/// How a question ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Its final status.
    pub status: EndStatus,
    /// Strings, numbers and booleans; only for `completed`.
    pub result: Vec<Value>,
    /// From 0 to 100; only for `completed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certainty_score: Option<u8>,
    /// Addresses of the sources.
    pub references: Vec<String>,
}

/// The final status of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the contract documents the statuses")]
pub enum EndStatus {
    Completed,
    NoAnswer,
    Failed,
    Skipped,
}

/// How a sync ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sync {
    /// The error of the CRM; `None` if it accepts the value.
    pub error: Option<String>,
}

impl PlannedOutcome {
    /// The question is completed with this result. Its certainty is 100 unless set.
    pub fn answer<T: Into<Value>>(column: impl Into<String>, result: impl IntoIterator<Item = T>) -> Self {
        let result = result.into_iter().map(Into::into).collect();
        let mut planned = Self::ends(column, EndStatus::Completed, result);
        planned.set_certainty(Some(100));
        planned
    }

    /// The question ends without an answer.
    pub fn no_answer(column: impl Into<String>) -> Self {
        Self::ends(column, EndStatus::NoAnswer, Vec::new())
    }

    /// Answering the question fails.
    pub fn failure(column: impl Into<String>) -> Self {
        Self::ends(column, EndStatus::Failed, Vec::new())
    }

    /// The question is skipped.
    pub fn skipped(column: impl Into<String>) -> Self {
        Self::ends(column, EndStatus::Skipped, Vec::new())
    }

    /// The CRM accepts the value.
    pub fn sync_success(column: impl Into<String>) -> Self {
        Self::syncs(column, None)
    }

    /// The CRM rejects the value with this error.
    pub fn sync_error(column: impl Into<String>, error: impl Into<String>) -> Self {
        Self::syncs(column, Some(error.into()))
    }

    /// Limits the plan to a pipeline.
    #[must_use]
    pub fn in_pipeline(mut self, id: i64) -> Self {
        self.pipeline_id = Some(id);
        self
    }

    /// Limits the plan to an organization.
    #[must_use]
    pub fn for_organization(mut self, id: i64) -> Self {
        self.organization_id = Some(id);
        self
    }

    /// Sets the certainty of an answer, from 0 to 100. It has no effect on a sync.
    #[must_use]
    pub fn with_certainty(mut self, score: u8) -> Self {
        self.set_certainty(Some(score));
        self
    }

    /// Sets the time from the addition to the end of a question, or from the start to the end of a sync, at most an
    /// hour.
    #[must_use]
    pub fn takes(mut self, duration: Duration) -> Self {
        self.takes_seconds = Some(duration.as_secs_f64());
        self
    }

    fn set_certainty(&mut self, score: Option<u8>) {
        if let Some(answer) = &mut self.answer {
            answer.certainty_score = score;
        }
    }

    fn ends(column: impl Into<String>, status: EndStatus, result: Vec<Value>) -> Self {
        let answer = Answer {
            status,
            result,
            certainty_score: None,
            references: Vec::new(),
        };
        Self::of(column.into(), Some(answer), None)
    }

    fn syncs(column: impl Into<String>, error: Option<String>) -> Self {
        Self::of(column.into(), None, Some(Sync { error }))
    }

    fn of(column: String, answer: Option<Answer>, sync: Option<Sync>) -> Self {
        Self {
            pipeline_id: None,
            organization_id: None,
            column,
            answer,
            sync,
            takes_seconds: None,
        }
    }
}

#[derive(Deserialize)]
struct List {
    processes: Vec<PlannedOutcome>,
}

impl EmulatorClient {
    /// The planned outcomes, in the order in which they were planned. Of two for the same, the later one counts.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn list_processes(&self) -> Result<Vec<PlannedOutcome>, Error> {
        let list: List = self.get("/processes").await?;
        Ok(list.processes)
    }

    /// Plans how a question or a sync ends for organizations that are added from now on.
    ///
    /// # Errors
    /// [`Error::Rejected`] when it could never happen.
    pub async fn plan_process(&self, process: &PlannedOutcome) -> Result<PlannedOutcome, Error> {
        self.post_json("/processes", process).await
    }

    /// Removes all planned outcomes.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn clear_processes(&self) -> Result<(), Error> {
        self.done(self.request(Method::DELETE, "/processes")).await
    }
}
