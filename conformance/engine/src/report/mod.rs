//! What a run leaves behind, and what it tells while it goes.
//!
//! A run speaks in [`Event`]s; a [`Reporter`] makes of them what its reader wants, while it goes. What is
//! left is a [`Report`], and a [`Format`] writes it for those who come later. No report holds a key.

pub mod coverage;
mod format;
pub mod html;
pub mod json;
pub mod junit;
mod known_failure;
pub mod markdown;
mod plan;
pub mod sarif;
pub mod shown;
pub mod terminal;

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::format::{Format, UnknownFormat};
pub use self::known_failure::{KnownFailureReport, KnownFailureState};
pub use self::plan::{PlannedAdds, PlannedRequests, PlannedSkip, RunPlan};
pub use self::shown::visible_lines;
use crate::chapter::Chapter;
use crate::finding::{Finding, Steadiness};
pub use crate::transport::trouble::Trouble;
use crate::verdict::{Level, Verdict};

/// The file that clauses stand in, as reports name it.
pub const CONTRACT_FILE: &str = "openapi.yaml";

/// The version of the JSON report. It rises when a field changes its meaning or goes away.
pub const REPORT_VERSION: u32 = 2;

/// What happens in a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// What the run will do at the most: nothing was sent yet.
    Planned {
        /// The plan.
        plan: &'a RunPlan,
    },
    /// The target was looked at; so many cases are to run. Nothing is started when it cannot be judged:
    /// [`Report::obstacle`] says why.
    Started {
        /// The deployment.
        target: &'a TargetReport,
        /// How many cases.
        cases: usize,
    },
    /// A case begins.
    CaseStarted {
        /// Its id.
        id: &'a str,
    },
    /// Nothing has happened for a moment: cases are waiting for answers.
    Waiting {
        /// How many requests were sent until now.
        requests: u64,
    },
    /// A case has its verdict.
    CaseFinished {
        /// The verdict, and what led to it.
        case: &'a CaseReport,
    },
    /// Everything has its verdict.
    Finished {
        /// The whole report.
        report: &'a Report,
    },
}

/// Makes something of what happens in a run.
pub trait Reporter: Send {
    /// Takes notice of an event.
    fn event(&mut self, event: &Event<'_>);
}

/// Reports nothing: for those who read the [`Report`].
#[derive(Debug, Default, Clone, Copy)]
pub struct Silent;

impl Reporter for Silent {
    fn event(&mut self, _: &Event<'_>) {}
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// The version of this format.
    pub version: u32,
    /// The version of the kit.
    pub kit_version: String,
    /// The version of the contract, `info.version` of `openapi.yaml`.
    pub contract_version: String,
    /// The deployment.
    pub target: TargetReport,
    /// When the run began.
    pub started_at: DateTime<Utc>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// What the deployment was held to.
    pub level: Level,
    /// What the random walks were made from: the same seed makes the same requests.
    pub seed: u64,
    /// How many requests were sent, those that looked for data included.
    pub requests: u64,
    /// How many requests the run had announced at the most.
    pub most_requests: u64,
    /// What stood in the way of answers. It is never counted as a failure.
    pub trouble: Trouble,
    /// How many cases have which verdict.
    pub summary: Summary,
    /// What became of each line of the list of known failures.
    pub known_failures: Vec<KnownFailureReport>,
    /// The chapters of the cases, in the order of the catalogue.
    #[serde(default)]
    pub chapters: Vec<Chapter>,
    /// Every case of the run, in the order of the catalogue.
    pub cases: Vec<CaseReport>,
}

/// A deployment, as far as a report may show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TargetReport {
    /// Where it answers.
    pub base_url: String,
    /// The roles that there was a key for.
    pub keys: Vec<String>,
    /// The pipelines by their roles, named or found.
    pub pipelines: std::collections::BTreeMap<String, u64>,
    /// Whether the run was allowed to add.
    pub writes_allowed: bool,
}

/// How many cases have which verdict, and what else decides over the run as a whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Cases that passed.
    pub passed: usize,
    /// Cases that failed.
    pub failed: usize,
    /// Cases that failed as the list of known failures says.
    pub known: usize,
    /// Cases that differ at a point that the run does not hold the deployment to.
    pub informed: usize,
    /// Cases that need something that was not there.
    pub skipped: usize,
    /// Cases that the data could not tell.
    pub inconclusive: usize,
    /// Cases that could not run.
    pub errored: usize,
    /// Lines of the list of known failures that fail the run: what they say is not so, or not any more.
    pub stale: usize,
    /// Whether the run was interrupted before it had looked at everything.
    pub interrupted: bool,
}

/// The verdict on one case, and what led to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaseReport {
    /// Its id.
    pub id: String,
    /// What is expected, as a sentence.
    pub title: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether all of it is stated by the source, or some of it decided by the contract.
    pub basis: BasisReport,
    /// The decisions that it rests on.
    pub decisions: BTreeSet<String>,
    /// The clauses of the contract, the one that says it first.
    pub clauses: Vec<ClauseReport>,
    /// Why it was skipped, could not tell or could not run; why a failure is known or only informs.
    pub reason: Option<String>,
    /// Every mismatch.
    pub findings: Vec<Finding>,
    /// Whether a second look found a mismatch again; nothing when there is none.
    pub steadiness: Option<Steadiness>,
    /// How many requests were sent for it alone.
    pub requests: u64,
    /// How many assertions were made.
    pub assertions: u64,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

/// What a case rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BasisReport {
    /// The source description of the service.
    Stated,
    /// Decisions of the contract where the source is silent. A deployment that decided differently is not
    /// broken, only different.
    Decided,
}

/// A place in the contract, and what it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClauseReport {
    /// Where it stands in `openapi.yaml`, a JSON Pointer (RFC 6901).
    pub pointer: String,
    /// The way to it through its operation, where that passes a `$ref`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
    /// What stands there.
    pub sentence: String,
    /// The line of `openapi.yaml` on which it stands, counted from 1.
    pub line: Option<u64>,
}

impl ClauseReport {
    /// The way to it through the operation that it was cited for.
    pub(crate) fn way(&self) -> &str {
        self.through.as_deref().unwrap_or(&self.pointer)
    }
}

impl Summary {
    /// Counts the verdicts of cases.
    pub fn of(cases: &[CaseReport]) -> Self {
        let count = |verdict| cases.iter().filter(|case| case.verdict == verdict).count();
        Self {
            passed: count(Verdict::Passed),
            failed: count(Verdict::Failed),
            known: count(Verdict::Known),
            informed: count(Verdict::Informed),
            skipped: count(Verdict::Skipped),
            inconclusive: count(Verdict::Inconclusive),
            errored: count(Verdict::Errored),
            ..Self::default()
        }
    }

    /// The verdicts with their counts, in the order of a report.
    pub fn counts(&self) -> [(Verdict, usize); Verdict::ALL.len()] {
        Verdict::ALL.map(|verdict| {
            let count = match verdict {
                Verdict::Passed => self.passed,
                Verdict::Failed => self.failed,
                Verdict::Known => self.known,
                Verdict::Informed => self.informed,
                Verdict::Skipped => self.skipped,
                Verdict::Inconclusive => self.inconclusive,
                Verdict::Errored => self.errored,
            };
            (verdict, count)
        })
    }

    /// What the run says of the deployment as a whole, in a few words.
    pub const fn outcome(&self) -> &'static str {
        match self {
            Self { failed: 1.., .. } => "the contract is broken",
            Self {
                interrupted: true, ..
            } => "interrupted",
            Self { stale: 1.., .. } => "the list of known failures is wrong",
            Self { errored: 1.., .. } | Self { passed: 0, .. } => "could not run",
            Self { known: 1.., .. } => "nothing fails but what is known to",
            Self { informed: 1.., .. } => "what is stated holds",
            _ => "the contract holds",
        }
    }
}

impl CaseReport {
    /// The first part of its id.
    pub fn group(&self) -> &str {
        self.id.split('/').next().unwrap_or_default()
    }

    /// What it rests on, in a few words: `stated`, or the decisions.
    pub fn rests_on(&self) -> String {
        match self.basis {
            BasisReport::Stated => "stated".to_owned(),
            BasisReport::Decided => {
                let decisions: Vec<_> = self.decisions.iter().map(String::as_str).collect();
                format!("decided: {}", decisions.join(", "))
            }
        }
    }
}

impl fmt::Display for CaseReport {
    /// What is expected, why, and everything that was found, as plain text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)?;
        if let Some(clause) = self.clauses.first() {
            write!(
                f,
                "\n{} ({})\n{}",
                clause.place(),
                self.rests_on(),
                clause.sentence
            )?;
        }
        if let Some(reason) = &self.reason {
            write!(f, "\n\n{reason}")?;
        }
        for finding in &self.findings {
            write!(f, "\n\n{finding}")?;
        }
        Ok(())
    }
}

impl ClauseReport {
    /// Where it stands, as editors and terminals read it: `openapi.yaml:120`.
    pub fn place(&self) -> String {
        match self.line {
            Some(line) => format!("{CONTRACT_FILE}:{line}"),
            None => format!("{CONTRACT_FILE}#{}", self.pointer),
        }
    }
}

impl Report {
    /// What the run says of the deployment as a whole, in a few words.
    pub fn outcome(&self) -> String {
        let outcome = self.summary.outcome();
        match self.summary.interrupted && self.summary.failed > 0 {
            true => format!("{outcome}, and the run was interrupted"),
            false => outcome.to_owned(),
        }
    }

    /// Why no case was run, when the deployment could not be judged at all: it was not reached, does not accept
    /// the key, or is another service. A sentence that says what to do about it.
    pub fn obstacle(&self) -> Option<&str> {
        let reason = self.cases.first()?.reason.as_deref()?;
        let is_stopped = |case: &CaseReport| {
            let is_same = case.reason.as_deref() == Some(reason);
            case.verdict == Verdict::Errored && case.requests == 0 && is_same
        };
        self.cases.iter().all(is_stopped).then_some(reason)
    }

    /// The lines of the list of known failures that fail the run.
    pub fn stale(&self) -> impl Iterator<Item = &KnownFailureReport> {
        self.known_failures
            .iter()
            .filter(|known| known.state.fails())
    }

    /// The case of this id.
    pub fn case(&self, id: &str) -> Option<&CaseReport> {
        self.cases.iter().find(|case| case.id == id)
    }

    /// The cases by their chapters, in the order of the catalogue.
    pub fn groups(&self) -> impl Iterator<Item = (&Chapter, Vec<&CaseReport>)> {
        self.chapters.iter().map(|chapter| {
            let cases = self.cases.iter();
            let cases = cases.filter(|case| case.group() == chapter.name);
            (chapter, cases.collect())
        })
    }

    /// How long it took, for a person.
    pub fn seconds(&self) -> String {
        format!(
            "{:.1} s",
            Duration::from_millis(self.duration_ms).as_secs_f64()
        )
    }

    /// The ids of the cases with this verdict.
    pub fn with(&self, verdict: Verdict) -> Vec<&str> {
        self.cases
            .iter()
            .filter(|case| case.verdict == verdict)
            .map(|case| case.id.as_str())
            .collect()
    }
}
