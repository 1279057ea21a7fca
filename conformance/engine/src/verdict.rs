//! What a run reports about a case, and why a check ends early.

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
    /// The deployment did what the clause says, in at least one observation.
    Passed,
    /// The deployment did something else; the findings show it.
    Failed,
    /// It failed, as a line of the list of known failures says that it does. It does not fail the run.
    Known,
    /// The deployment did something else at a point that the source leaves open, and the run holds it to
    /// what is stated alone. It does not fail the run.
    Informed,
    /// The case needs something that the target does not name or the run does not allow, or the run was
    /// interrupted before its turn.
    Skipped,
    /// The deployment's data cannot tell: nothing was seen that the clause speaks of.
    Inconclusive,
    /// The case could not run: the deployment was not reached, or did not answer in time.
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

    /// Whether the deployment did something other than the clause says, whether or not that fails the run.
    pub const fn differs(self) -> bool {
        matches!(self, Self::Failed | Self::Known | Self::Informed)
    }

    /// Returns the word for it, as in the JSON report.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What a deployment is held to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The whole contract.
    #[default]
    Contract,
    /// What the source of the contract states. What was decided where the source is silent is looked at all
    /// the same, and only informs.
    Stated,
}

impl Level {
    /// Returns the word for it, as on the command line.
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
    /// The data are not sufficient; the text names what was looked for.
    Inconclusive(String),
    /// The check could not run; the text names the reason.
    Errored(String),
}

/// What a check returns.
pub type Outcome = Result<(), Stop>;
