//! The values of an item: the result of each column, its certainty and its CRM sync.

use std::fmt;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;

/// One extracted value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a number, a string or a boolean")]
pub enum Scalar {
    /// A finite number.
    Number(Number),
    /// A text.
    Text(String),
    /// Yes (`true`) or no (`false`).
    Boolean(bool),
}

impl From<&str> for Scalar {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<u64> for Scalar {
    fn from(number: u64) -> Self {
        Self::Number(number.into())
    }
}

impl From<bool> for Scalar {
    fn from(yes: bool) -> Self {
        Self::Boolean(yes)
    }
}

/// The source of a value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ValueCategory {
    /// The platform's record of the entity.
    PlatformData,
    /// A language model that read the platform's data.
    #[default]
    Llm,
    /// A language model that read the web.
    LlmWebbrowsing,
    /// A language model that read pictures and page layouts.
    LlmVisualEngine,
    /// A calculation over other data.
    Formula,
}

/// The execution status of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExecutionStatus {
    /// Asked, and not yet answered.
    Pending,
    /// Answered: `result` holds the answer.
    Completed,
    /// Asked without success: the answer is not known.
    NoAnswer,
    /// The attempt to answer failed.
    Failed,
    /// Not asked, because it does not apply to this item.
    Skipped,
}

impl ExecutionStatus {
    /// Whether the status is final: every status except pending.
    pub const fn is_terminal(self) -> bool {
        !matches!(self, Self::Pending)
    }
}

/// The status of the last sync of a value to the CRM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SyncStatus {
    /// The CRM accepted it.
    Success,
    /// On its way.
    Pending,
    /// The CRM rejected it, or could not be reached.
    Error,
}

/// The value of one column of an item.
///
/// Every value that the model returns obeys the rules that [`faults`](Self::faults) checks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnValue {
    /// The extracted values; empty unless there is an answer, or the entity has the field.
    pub result: Vec<Scalar>,
    /// The source of the result.
    pub category: ValueCategory,
    /// Confidence from 0 to 100; `None` for entity data, and for a question without an answer.
    pub certainty_score: Option<u8>,
    /// The status of the question; `None` for entity data.
    pub status: Option<ExecutionStatus>,
    /// Addresses of the sources that support the result.
    pub references: Vec<String>,
    /// The status of the last sync to the CRM; `None` before the first sync, or without a CRM.
    pub sync_status: Option<SyncStatus>,
    /// Name of the CRM provider; `None` if CRM sync is not configured.
    pub sync_provider: Option<String>,
    /// When the CRM last accepted the value.
    pub last_synced_at: Option<DateTime<Utc>>,
    /// Why the last sync failed; present exactly while `sync_status` is an error.
    pub sync_error: Option<String>,
}

impl ColumnValue {
    /// The value of a question that has been asked and not yet answered.
    pub fn pending_question(category: ValueCategory, sync_provider: Option<&str>) -> Self {
        Self {
            result: Vec::new(),
            category,
            certainty_score: None,
            status: Some(ExecutionStatus::Pending),
            references: Vec::new(),
            sync_status: None,
            sync_provider: sync_provider.map(str::to_owned),
            last_synced_at: None,
            sync_error: None,
        }
    }

    /// A value of entity data; an empty `result` means that it is missing, or not yet fetched.
    pub fn entity_data(result: Vec<Scalar>, sync_provider: Option<&str>) -> Self {
        Self {
            result,
            status: None,
            ..Self::pending_question(ValueCategory::PlatformData, sync_provider)
        }
    }

    /// The rules that this value breaks, each as a sentence; empty for a valid value.
    pub fn faults(&self) -> Vec<ValueFault> {
        let is_entity_data = self.category == ValueCategory::PlatformData;
        let has_answer = self.status == Some(ExecutionStatus::Completed);
        let was_synced = self.sync_status.is_some() || self.last_synced_at.is_some();
        [
            (is_entity_data != self.status.is_none(), ValueFault::StatusOfEntityData),
            (
                is_entity_data && self.certainty_score.is_some(),
                ValueFault::CertaintyOfEntityData,
            ),
            (
                !is_entity_data && !has_answer && !self.result.is_empty(),
                ValueFault::ResultWithoutAnswer,
            ),
            (
                !is_entity_data && !has_answer && self.certainty_score.is_some(),
                ValueFault::CertaintyWithoutAnswer,
            ),
            (has_answer && self.result.is_empty(), ValueFault::AnswerWithoutResult),
            (
                self.certainty_score.is_some_and(|score| score > 100),
                ValueFault::CertaintyOutOfRange,
            ),
            (
                was_synced && self.sync_provider.is_none(),
                ValueFault::SyncWithoutProvider,
            ),
            (
                self.sync_error.is_some() != (self.sync_status == Some(SyncStatus::Error)),
                ValueFault::SyncErrorWithoutFailure,
            ),
            (
                self.sync_status == Some(SyncStatus::Success) && self.last_synced_at.is_none(),
                ValueFault::SuccessWithoutTime,
            ),
            (
                self.sync_status.is_none() && self.last_synced_at.is_some(),
                ValueFault::TimeWithoutStatus,
            ),
        ]
        .into_iter()
        .filter_map(|(broken, fault)| broken.then_some(fault))
        .collect()
    }
}

/// A rule of [`ColumnValue`] that does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueFault {
    /// Entity data has a status, or a question has none.
    StatusOfEntityData,
    /// Entity data has a certainty score.
    CertaintyOfEntityData,
    /// A question has a result and is not completed.
    ResultWithoutAnswer,
    /// A question has a certainty score and is not completed.
    CertaintyWithoutAnswer,
    /// A question is completed and has no result.
    AnswerWithoutResult,
    /// A certainty score is above 100.
    CertaintyOutOfRange,
    /// A value has CRM sync data where no CRM is configured.
    SyncWithoutProvider,
    /// An error text without a failed sync, or a failed sync without one.
    SyncErrorWithoutFailure,
    /// A sync succeeded without a time.
    SuccessWithoutTime,
    /// A value has the time of a successful sync, but no sync status.
    TimeWithoutStatus,
}

impl fmt::Display for ValueFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::StatusOfEntityData => "a question has a status, and entity data has none",
            Self::CertaintyOfEntityData => "entity data has no certainty_score",
            Self::ResultWithoutAnswer => "result is empty unless status is completed",
            Self::CertaintyWithoutAnswer => "certainty_score is for completed questions",
            Self::AnswerWithoutResult => "a completed question has a result",
            Self::CertaintyOutOfRange => "certainty_score is at most 100",
            Self::SyncWithoutProvider => "the pipeline has no crm_sync, so nothing is synced",
            Self::SyncErrorWithoutFailure => "sync_error is there exactly when sync_status is error",
            Self::SuccessWithoutTime => "sync_status success needs last_synced_at",
            Self::TimeWithoutStatus => "last_synced_at needs a sync_status",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered() -> ColumnValue {
        ColumnValue {
            result: vec![true.into()],
            certainty_score: Some(80),
            status: Some(ExecutionStatus::Completed),
            ..ColumnValue::pending_question(ValueCategory::Llm, Some("hubspot"))
        }
    }

    #[test]
    fn sound_values_have_no_faults() {
        let synced = ColumnValue {
            sync_status: Some(SyncStatus::Success),
            last_synced_at: Some(DateTime::UNIX_EPOCH),
            ..answered()
        };
        let failed_later = ColumnValue {
            sync_status: Some(SyncStatus::Error),
            sync_error: Some("gone".to_owned()),
            ..synced.clone()
        };
        for sound in [
            answered(),
            synced,
            failed_later,
            ColumnValue::pending_question(ValueCategory::Formula, None),
            ColumnValue::entity_data(vec![7u64.into()], None),
            ColumnValue::entity_data(vec![], Some("hubspot")),
        ] {
            assert_eq!(sound.faults(), []);
        }
    }

    #[test]
    fn every_fault_is_found() {
        let base = answered();
        let entity = ColumnValue::entity_data(vec![], None);
        let faulty = [
            (
                ValueFault::StatusOfEntityData,
                ColumnValue {
                    status: base.status,
                    ..entity.clone()
                },
            ),
            (
                ValueFault::CertaintyOfEntityData,
                ColumnValue {
                    certainty_score: Some(1),
                    ..entity
                },
            ),
            (
                ValueFault::ResultWithoutAnswer,
                ColumnValue {
                    status: Some(ExecutionStatus::Failed),
                    ..base.clone()
                },
            ),
            (
                ValueFault::CertaintyWithoutAnswer,
                ColumnValue {
                    status: Some(ExecutionStatus::NoAnswer),
                    ..base.clone()
                },
            ),
            (
                ValueFault::AnswerWithoutResult,
                ColumnValue {
                    result: vec![],
                    ..base.clone()
                },
            ),
            (
                ValueFault::CertaintyOutOfRange,
                ColumnValue {
                    certainty_score: Some(101),
                    ..base.clone()
                },
            ),
            (
                ValueFault::SyncWithoutProvider,
                ColumnValue {
                    sync_provider: None,
                    sync_status: Some(SyncStatus::Pending),
                    ..base.clone()
                },
            ),
            (
                ValueFault::SyncErrorWithoutFailure,
                ColumnValue {
                    sync_error: Some("x".into()),
                    ..base.clone()
                },
            ),
            (
                ValueFault::SyncErrorWithoutFailure,
                ColumnValue {
                    sync_status: Some(SyncStatus::Error),
                    ..base.clone()
                },
            ),
            (
                ValueFault::SuccessWithoutTime,
                ColumnValue {
                    sync_status: Some(SyncStatus::Success),
                    ..base.clone()
                },
            ),
            (
                ValueFault::TimeWithoutStatus,
                ColumnValue {
                    last_synced_at: Some(DateTime::UNIX_EPOCH),
                    ..base
                },
            ),
        ];
        for (fault, value) in faulty {
            assert!(value.faults().contains(&fault), "{fault:?} in {value:?}");
        }
    }
}
