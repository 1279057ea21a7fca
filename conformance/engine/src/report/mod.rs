//! Events of a run, and its report.
//!
//! A [`Reporter`] receives [`Event`]s during the run. The run ends with a [`Report`], which a [`Format`] writes. No
//! report contains a key.

mod cause;
mod cited;
pub mod coverage;
mod estimate;
mod format;
pub mod har;
pub mod html;
pub mod json;
pub mod junit;
mod known_failure;
pub mod markdown;
mod plan;
mod requirement;
mod rule;
pub mod sarif;
pub mod shown;
pub mod terminal;
pub mod totals;

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::EnumCount;

pub(crate) use self::cause::attribute_to_fewest_parameters;
pub use self::cause::{Cause, CauseReport};
pub use self::estimate::Estimate;
pub use self::format::{Format, UnknownFormat};
pub use self::known_failure::{KnownFailureReport, KnownFailureState};
pub use self::plan::{PlannedAdds, PlannedRequests, PlannedSkip, RunPlan, Shortage};
pub use self::requirement::{InvalidRequirement, Requirement, RequirementReport};
pub use self::rule::{FoundAlike, Rule, RuleSummary, counted_subjects, title_of};
pub use self::shown::visible_lines;
pub use self::totals::Totals;
use crate::chapter::Chapter;
use crate::finding::{Finding, Steadiness};
pub use crate::transport::durations::{AnswerTimes, SlowAnswer};
pub use crate::transport::trouble::Trouble;
use crate::verdict::{Level, Verdict};

/// The file of the clauses, as reports name it.
pub const CONTRACT_FILE: &str = "openapi.yaml";

/// The version of the JSON report. It increases when a field changes its meaning or is removed.
pub const REPORT_VERSION: u32 = 2;

/// What happens in a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// The limits of the run. Nothing has been sent yet.
    Planned {
        /// The plan.
        plan: &'a RunPlan,
    },
    /// The target was examined, and the cases begin. This event does not occur when the target cannot be checked:
    /// [`Report::obstacle`] returns the reason.
    Started {
        /// The deployment.
        target: &'a TargetReport,
        /// The number of cases.
        cases: usize,
    },
    /// How long the run will take, estimated from the first responses. This event follows [`Event::Started`], unless
    /// there were no responses.
    Estimated {
        /// The estimate.
        estimate: &'a Estimate,
    },
    /// A case begins.
    CaseStarted {
        /// Its id.
        id: &'a str,
    },
    /// Nothing has happened for a moment: cases are waiting for responses.
    Waiting {
        /// How many requests have been sent.
        requests: u64,
    },
    /// A case has its verdict.
    CaseFinished {
        /// The verdict, and what led to it.
        case: &'a CaseReport,
    },
    /// All cases have verdicts.
    Finished {
        /// The whole report.
        report: &'a Report,
    },
}

/// Handles the events of a run.
pub trait Reporter: Send {
    /// Handles an event.
    fn event(&mut self, event: &Event<'_>);
}

/// Reports nothing: for callers that read the [`Report`].
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
    /// The level that the deployment was checked at.
    pub level: Level,
    /// The seed of the property runs: the same seed generates the same requests.
    pub seed: u64,
    /// How many requests were sent, those that looked for data included.
    pub requests: u64,
    /// The limit on requests that the run announced.
    pub most_requests: u64,
    /// What prevented responses. It is never counted as a failure.
    pub trouble: Trouble,
    /// How long responses took, and which took longest.
    #[serde(default)]
    pub answer_times: AnswerTimes,
    /// How many cases have which verdict.
    pub summary: Summary,
    /// The state of each entry of the list of known failures.
    pub known_failures: Vec<KnownFailureReport>,
    /// How much of the contract was checked.
    #[serde(default)]
    pub covered: Totals,
    /// The result of each requirement.
    #[serde(default)]
    pub requirements: Vec<RequirementReport>,
    /// The causes of the failures: those that break what is stated first, then one of each group, then the
    /// others, and among equals those of the most cases first.
    #[serde(default)]
    pub causes: Vec<CauseReport>,
    /// The chapters of the cases, in the order of the catalogue.
    #[serde(default)]
    pub chapters: Vec<Chapter>,
    /// Every case of the run, in the order of the catalogue.
    pub cases: Vec<CaseReport>,
}

/// A deployment, as far as a report may show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TargetReport {
    /// Its base URL.
    pub base_url: String,
    /// The roles with a key.
    pub keys: Vec<String>,
    /// The pipelines by role, named by the target or discovered.
    pub pipelines: std::collections::BTreeMap<String, u64>,
    /// Whether the run was allowed to add.
    pub writes_allowed: bool,
    /// What a reader needs to know about the connection, such as an unverified certificate.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// The number of cases by verdict, and what else decides the outcome of the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Cases that passed.
    pub passed: usize,
    /// Cases that failed.
    pub failed: usize,
    /// Cases that failed and are on the list of known failures.
    pub known: usize,
    /// Cases that found a difference which does not fail the run: at the level `stated`, a decided rule.
    pub informed: usize,
    /// Cases that need something that the target lacks.
    pub skipped: usize,
    /// Cases that the data of the deployment could not decide.
    pub inconclusive: usize,
    /// Cases that got no usable response.
    pub errored: usize,
    /// Entries of the list of known failures that fail the run because they are out of date.
    pub stale: usize,
    /// Cases of the catalogue that the run left out.
    #[serde(default)]
    pub left_out: usize,
    /// Requirements that are not met.
    #[serde(default)]
    pub unmet: usize,
    /// Whether the run was interrupted before it had checked everything.
    pub interrupted: bool,
    /// The counts of rules. A rule may have several cases.
    #[serde(default)]
    pub rules: RuleSummary,
}

/// The verdict on one case, and what led to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaseReport {
    /// Its id.
    pub id: String,
    /// The rule that it checks: its id without the subject. The cases of one rule differ only in their subjects.
    #[serde(default)]
    pub rule: String,
    /// What the rule is checked for, such as an operation or a status; null for the only case of a rule.
    #[serde(default)]
    pub subject: Option<String>,
    /// What is expected, as a sentence.
    pub title: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether the source states all of it, or the contract decided some of it.
    pub basis: BasisReport,
    /// The decisions that it rests on.
    pub decisions: BTreeSet<String>,
    /// The clauses of the contract; the first one is the most specific.
    pub clauses: Vec<ClauseReport>,
    /// Why it was skipped, was inconclusive or errored; why a failure is known or only informs.
    pub reason: Option<String>,
    /// Every mismatch.
    pub findings: Vec<Finding>,
    /// Whether a second check found a mismatch again; null without a mismatch.
    pub steadiness: Option<Steadiness>,
    /// How many requests were sent for it alone.
    pub requests: u64,
    /// How many assertions were made.
    pub assertions: u64,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

/// The basis of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BasisReport {
    /// The source description of the service.
    Stated,
    /// Decisions of the contract where the source is silent. A deployment that decided differently is not
    /// broken, only different.
    Decided,
}

/// A clause of the contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClauseReport {
    /// Its place in `openapi.yaml`, a JSON Pointer (RFC 6901).
    pub pointer: String,
    /// The path to it from its operation, if that passes a `$ref`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
    /// Its text.
    pub sentence: String,
    /// Its line in `openapi.yaml`, counted from 1.
    pub line: Option<u64>,
}

impl ClauseReport {
    /// The path to it through the operation that it was cited for.
    pub(crate) fn way(&self) -> &str {
        self.through.as_deref().unwrap_or(&self.pointer)
    }

    /// Whether it is the same sentence at the same place, whatever operation it was cited for.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (&self.pointer, &self.sentence) == (&other.pointer, &other.sentence)
    }
}

impl Summary {
    /// Counts the verdicts of cases.
    pub fn of(cases: &[CaseReport]) -> Self {
        let mut summary = Self {
            rules: RuleSummary::of(cases),
            ..Self::default()
        };
        for case in cases {
            *summary.count(case.verdict) += 1;
        }
        summary
    }

    /// Returns the verdicts with their counts, in the order of a report.
    pub fn counts(&self) -> [(Verdict, usize); Verdict::COUNT] {
        let mut summary = *self;
        Verdict::ALL.map(|verdict| (verdict, *summary.count(verdict)))
    }

    fn count(&mut self, verdict: Verdict) -> &mut usize {
        match verdict {
            Verdict::Passed => &mut self.passed,
            Verdict::Failed => &mut self.failed,
            Verdict::Known => &mut self.known,
            Verdict::Informed => &mut self.informed,
            Verdict::Skipped => &mut self.skipped,
            Verdict::Inconclusive => &mut self.inconclusive,
            Verdict::Errored => &mut self.errored,
        }
    }

    /// Whether the run left out rules of the catalogue.
    pub const fn is_partial(&self) -> bool {
        self.left_out > 0 || self.rules.checked < self.rules.total
    }

    /// The verdict on the deployment as a whole, in a few words.
    pub const fn outcome(&self) -> &'static str {
        match self {
            Self {
                failed: 1..,
                informed: 1..,
                ..
            } => "departs from what is stated",
            Self { failed: 1.., .. } => "departs from the contract",
            Self { interrupted: true, .. } => "interrupted",
            Self { stale: 1.., .. } => "the list of known failures is out of date",
            Self { errored: 1.., .. } | Self { passed: 0, .. } => "could not run",
            Self { known: 1.., .. } => "departs only in known failures",
            _ => match (self.informed > 0, self.is_partial()) {
                (false, false) => "conforms",
                (false, true) => "conforms in part",
                (true, false) => "conforms to what is stated",
                (true, true) => "conforms in part to what is stated",
            },
        }
    }
}

impl CaseReport {
    /// The first part of its id.
    pub fn group(&self) -> &str {
        self.id.split('/').next().unwrap_or_default()
    }

    /// Its name among the cases of its rule: its subject, or its id if it has none.
    pub fn subject(&self) -> &str {
        self.subject.as_deref().unwrap_or(&self.id)
    }

    /// Its title without the subject: the sentence that all cases of its rule share.
    pub fn rule_title(&self) -> &str {
        let title = self.title.as_str();
        let of_subject = |subject: &str| title.strip_prefix(subject)?.strip_prefix(": ");
        self.subject.as_deref().and_then(of_subject).unwrap_or(title)
    }

    /// The causes of its findings, each once.
    pub fn causes(&self) -> BTreeSet<&str> {
        let causes = self.findings.iter().map(|finding| finding.cause.as_str());
        causes.collect()
    }

    /// Its basis, in a few words: `stated`, or the decisions.
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
    /// The expectation, its basis, and everything that was found, as plain text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)?;
        let broken = self.findings.first().and_then(|finding| self.clause_of(finding));
        if let Some(clause) = broken.or(self.clauses.first()) {
            write!(f, "\n{} ({})\n{}", clause.place(), self.rests_on(), clause.sentence)?;
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
    /// Its place, in the form that editors and terminals read: `openapi.yaml:120`.
    pub fn place(&self) -> String {
        match self.line {
            Some(line) => format!("{CONTRACT_FILE}:{line}"),
            None => format!("{CONTRACT_FILE}#{}", self.pointer),
        }
    }
}

impl Report {
    /// The verdict on the deployment as a whole, in a few words.
    pub fn outcome(&self) -> String {
        let outcome = self.summary.outcome();
        match self.summary.interrupted && self.summary.failed > 0 {
            true => format!("{outcome}, and the run was interrupted"),
            false => outcome.to_owned(),
        }
    }

    /// Why no case was run, when the deployment could not be judged: it was not reached, does not accept the key, or is
    /// another service. A sentence that also says how to fix it.
    pub fn obstacle(&self) -> Option<&str> {
        let reason = self.cases.first()?.reason.as_deref()?;
        let is_stopped = |case: &CaseReport| {
            let is_same = case.reason.as_deref() == Some(reason);
            case.verdict == Verdict::Errored && case.requests == 0 && is_same
        };
        self.cases.iter().all(is_stopped).then_some(reason)
    }

    /// The entries of the list of known failures that fail the run.
    pub fn stale(&self) -> impl Iterator<Item = &KnownFailureReport> {
        self.known_failures.iter().filter(|known| known.state.fails())
    }

    /// The case with this id.
    pub fn case(&self, id: &str) -> Option<&CaseReport> {
        self.cases.iter().find(|case| case.id == id)
    }

    /// The rules, each with its cases, in the order of the catalogue.
    pub fn rules(&self) -> Vec<Rule<'_>> {
        Rule::fold(&self.cases)
    }

    /// The cases by their chapters, in the order of the catalogue.
    pub fn groups(&self) -> impl Iterator<Item = (&Chapter, Vec<&CaseReport>)> {
        self.chapters.iter().map(|chapter| {
            let cases = self.cases.iter();
            let cases = cases.filter(|case| case.group() == chapter.name);
            (chapter, cases.collect())
        })
    }

    /// The duration of the run, for a person.
    pub fn seconds(&self) -> String {
        format!("{:.1} s", Duration::from_millis(self.duration_ms).as_secs_f64())
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

/// A failed case with one finding, for tests.
#[cfg(test)]
fn failed_case(id: &str, basis: &str) -> CaseReport {
    let finding = serde_json::json!({
        "what": "response",
        "expected": "422",
        "seen": "200",
        "requests": [],
        "request_ids": [],
        "times": 1,
        "steadiness": "steady",
    });
    let case = serde_json::json!({
        "id": id,
        "rule": id,
        "subject": null,
        "title": id,
        "basis": basis,
        "decisions": [],
        "clauses": [],
        "verdict": "failed",
        "reason": null,
        "findings": [finding],
        "steadiness": "steady",
        "assertions": 1,
        "requests": 1,
        "duration_ms": 1,
    });
    serde_json::from_value(case).unwrap()
}
