//! What a run reports about a case, and why a check ends early.

use std::collections::BTreeSet;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumCount, IntoStaticStr, VariantArray};

use crate::finding::Finding;
use crate::variants::variants;

/// The verdict on one case.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    EnumCount,
    IntoStaticStr,
    VariantArray,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Verdict {
    /// The deployment did what the clause requires, in at least one observation.
    Passed,
    /// The deployment did something else; the findings show it.
    Failed,
    /// It failed and is on the list of known failures. It does not fail the run.
    Known,
    /// The deployment did something else where the source leaves it open, and the run checks only what is stated. It
    /// does not fail the run.
    Informed,
    /// The case needs something that the target does not name or the run does not allow, or the run was
    /// interrupted before its turn.
    Skipped,
    /// The deployment's data does not decide it: nothing was seen that the clause is about.
    Inconclusive,
    /// The case got no usable response: the deployment was not reached, or did not respond in time.
    Errored,
}

impl Verdict {
    /// All verdicts, in the order of a report.
    pub const ALL: [Self; Self::COUNT] = variants();

    /// Returns the one of these that matters most to a reader.
    pub fn worst<'a>(verdicts: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let rank = |verdict: &Self| match verdict {
            Self::Failed => 6,
            Self::Errored => 5,
            Self::Known => 4,
            Self::Informed => 3,
            Self::Inconclusive => 2,
            Self::Skipped => 1,
            Self::Passed => 0,
        };
        verdicts.into_iter().copied().max_by_key(rank)
    }

    /// The combined verdict of these verdicts. It is passed when one passed and the deployment differs nowhere: skipped
    /// or inconclusive verdicts do not change that.
    pub fn overall<'a>(verdicts: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let rank = |verdict: &Self| match verdict {
            Self::Failed => 6,
            Self::Errored => 5,
            Self::Known => 4,
            Self::Informed => 3,
            Self::Passed => 2,
            Self::Inconclusive => 1,
            Self::Skipped => 0,
        };
        verdicts.into_iter().copied().max_by_key(rank)
    }

    /// Whether the deployment violated the clause, whether or not that fails the run.
    pub const fn differs(self) -> bool {
        matches!(self, Self::Failed | Self::Known | Self::Informed)
    }

    /// Returns its name in the JSON report.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What a deployment is checked against.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The whole contract.
    #[default]
    Contract,
    /// Only what the source of the contract states. Decided rules are checked too, but only inform.
    Stated,
}

impl Level {
    /// Returns its name on the command line.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Why a check ends early. A check returns it with `?`; earlier findings count.
#[derive(Debug, Clone)]
pub enum Stop {
    /// A precondition of the check did not hold: the finding is recorded, and the case has failed.
    Failed(Box<Finding>),
    /// The target lacks something; the text names it, and how to provide it.
    Skipped(String),
    /// The data does not decide it; the text names what was missing.
    Inconclusive(String),
    /// The check got no usable response; the text names the reason.
    Errored(String),
}

impl Stop {
    /// Returns the end of a check that did not see what it needs, such as `an item with a question`.
    pub fn not_seen(looked_for: impl fmt::Display) -> Self {
        Self::Inconclusive(format!("not seen: {looked_for}"))
    }

    /// Returns the same end, with its finding resting on what the source states, whatever its case rests on.
    #[must_use]
    pub fn of_stated(self) -> Self {
        match self {
            Self::Failed(finding) => Self::Failed(Box::new(finding.resting_on(Some(BTreeSet::new())))),
            other => other,
        }
    }
}

/// What a check returns.
pub type Outcome = Result<(), Stop>;
