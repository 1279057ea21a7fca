//! What a report shows of the list of known failures.

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumCount, IntoStaticStr, VariantArray};

use crate::variants::variants;

/// What became of one line of the list of known failures in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KnownFailureReport {
    /// The ids that it is about; `*` stands for anything.
    pub id: String,
    /// Why they fail.
    pub reason: String,
    /// The last day on which they may, in UTC.
    pub expires: NaiveDate,
    /// The line of the file, counted from 1.
    pub line: usize,
    /// What became of it.
    pub state: KnownFailureState,
    /// The cases that it is about and that failed.
    pub failing: Vec<String>,
    /// The cases that it is about and that passed.
    pub passing: Vec<String>,
}

/// What became of a line of the list of known failures.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, EnumCount, IntoStaticStr, VariantArray, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum KnownFailureState {
    /// What it says still fails.
    Failing,
    /// No case that it is about passed or failed in this run.
    #[strum(serialize = "not seen")]
    NotSeen,
    /// A case that it is about passed. It fails the run: the line has to go.
    #[strum(serialize = "unexpected pass")]
    UnexpectedPass,
    /// Its day has passed. It fails the run: what it is about counts as any other case.
    Expired,
    /// No case of the catalogue has such an id. It fails the run.
    #[strum(serialize = "matches nothing")]
    MatchesNothing,
}

impl KnownFailureState {
    /// All states.
    pub const ALL: [Self; Self::COUNT] = variants();

    /// Returns the words for it.
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
                format!("{passing} passed: take the line out")
            }
            KnownFailureState::UnexpectedPass => {
                format!("{passing} passed: write lines for those that still fail")
            }
            KnownFailureState::Expired => format!(
                "it held until {}: mend the deployment, or find a new reason and a new day ({})",
                self.expires, self.reason
            ),
            KnownFailureState::MatchesNothing => {
                "no case has such an id: `platform-conformance list --ids` shows them all".to_owned()
            }
        }
    }
}
