//! What a run leaves behind, and what it tells while it goes.
//!
//! A run speaks in [`Event`]s; a [`Reporter`] makes of them what its reader wants. No report holds a key.

pub mod json;
pub mod terminal;

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::findings::Finding;
use crate::verdict::Verdict;

/// The version of the JSON report. It rises when a field changes its meaning or goes away.
pub const REPORT_VERSION: u32 = 1;

/// What happens in a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// The target was looked at; so many cases are to run.
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
#[derive(Debug, Clone, Serialize, JsonSchema)]
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
    /// How many requests were sent, those that looked for data included.
    pub requests: u64,
    /// How many cases have which verdict.
    pub summary: Summary,
    /// Every case of the run, in the order of the catalogue.
    pub cases: Vec<CaseReport>,
}

/// A deployment, as far as a report may show it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
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

/// How many cases have which verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Summary {
    /// Cases that passed.
    pub passed: usize,
    /// Cases that failed.
    pub failed: usize,
    /// Cases that need something that was not there.
    pub skipped: usize,
    /// Cases that the data could not tell.
    pub inconclusive: usize,
    /// Cases that could not run.
    pub errored: usize,
}

/// The verdict on one case, and what led to it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
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
    /// Why it was skipped, could not tell or could not run.
    pub reason: Option<String>,
    /// Every mismatch.
    pub findings: Vec<Finding>,
    /// How many assertions were made.
    pub assertions: u64,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

/// What a case rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BasisReport {
    /// The source description of the service.
    Stated,
    /// Decisions of the contract where the source is silent. A deployment that decided differently is not
    /// broken, only different.
    Decided,
}

/// A place in the contract, and what it says.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ClauseReport {
    /// A JSON pointer into `openapi.yaml`; a `$ref` on the way is followed.
    pub pointer: String,
    /// What stands there.
    pub sentence: String,
}

impl Summary {
    /// Counts the verdicts of cases.
    pub fn of(cases: &[CaseReport]) -> Self {
        let mut summary = Self::default();
        for case in cases {
            let count = match case.verdict {
                Verdict::Passed => &mut summary.passed,
                Verdict::Failed => &mut summary.failed,
                Verdict::Skipped => &mut summary.skipped,
                Verdict::Inconclusive => &mut summary.inconclusive,
                Verdict::Errored => &mut summary.errored,
            };
            *count += 1;
        }
        summary
    }
}

impl CaseReport {
    /// The first part of its id.
    pub fn group(&self) -> &str {
        self.id.split('/').next().unwrap_or_default()
    }
}

impl Report {
    /// The case of this id.
    pub fn case(&self, id: &str) -> Option<&CaseReport> {
        self.cases.iter().find(|case| case.id == id)
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
