//! What a report shows of the list of known failures.

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumCount, IntoStaticStr, VariantArray};

use crate::variants::variants;

/// The state of one entry of the list of known failures in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KnownFailureReport {
    /// The ids that it covers; `*` matches anything.
    pub id: String,
    /// Why they fail.
    pub reason: String,
    /// The last day on which they may fail, in UTC.
    pub expires: NaiveDate,
    /// Its line in the file, counted from 1.
    pub line: usize,
    /// Its state.
    pub state: KnownFailureState,
    /// The cases that it covers and that failed.
    pub failing: Vec<String>,
    /// The cases that it covers and that passed.
    pub passing: Vec<String>,
}

/// The state of an entry of the list of known failures.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, EnumCount, IntoStaticStr, VariantArray, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum KnownFailureState {
    /// All cases that it covers and that ran still fail.
    Failing,
    /// No case that it covers passed or failed in this run.
    #[strum(serialize = "not seen")]
    NotSeen,
    /// A case that it covers passed. This fails the run: the entry has to be removed.
    #[strum(serialize = "unexpected pass")]
    UnexpectedPass,
    /// It has expired. This fails the run: the cases that it covers count like any other.
    Expired,
    /// It matches no case of the catalogue. This fails the run.
    #[strum(serialize = "matches nothing")]
    MatchesNothing,
}

impl KnownFailureState {
    /// All states.
    pub const ALL: [Self; Self::COUNT] = variants();

    /// Returns its name in reports.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether it fails the run.
    pub const fn fails(self) -> bool {
        matches!(self, Self::UnexpectedPass | Self::Expired | Self::MatchesNothing)
    }
}

impl KnownFailureReport {
    /// What is wrong with the entry and what to do about it, or what it states.
    pub fn advice(&self) -> String {
        let passing = self.passing.join(", ");
        match self.state {
            KnownFailureState::Failing | KnownFailureState::NotSeen => self.reason.clone(),
            KnownFailureState::UnexpectedPass if self.failing.is_empty() => {
                format!("{passing} passed: remove the entry")
            }
            KnownFailureState::UnexpectedPass => {
                format!("{passing} passed: replace the entry with one for each case that still fails")
            }
            KnownFailureState::Expired => format!(
                "it expired after {}: fix the deployment, or update the reason and the day ({})",
                self.expires, self.reason
            ),
            KnownFailureState::MatchesNothing => {
                "no case matches this id: `platform-conformance list --ids` lists all ids".to_owned()
            }
        }
    }
}
