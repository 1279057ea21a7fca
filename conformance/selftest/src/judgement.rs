//! The result of a self-test: how many faults the kit detected, which legal variants it failed, and which of its cases
//! detected nothing.

use std::collections::BTreeSet;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::fault::Fault;
use super::plan::Plan;
use super::variants::Variant;
use catalogue::catalogue;
use engine::finding::Finding;
use engine::report::Report;
use engine::verdict::Verdict;

/// The result of a self-test.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Judgement {
    /// The seed to repeat it with.
    pub seed: u64,
    /// Whether each fault met every case; otherwise `killed_by` contains only the first case.
    pub matrix: bool,
    /// The result for each fault.
    pub faults: Vec<OnFault>,
    /// The result for each legal variant.
    pub variants: Vec<OnVariant>,
    /// The result for the sound reference server, whose cases run as for a fault; `None` unless all faults were tested.
    pub control: Option<OnVariant>,
    /// With the matrix, the cases that detected no fault.
    pub idle_cases: Vec<String>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

/// A fault, and the kit's result for it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct OnFault {
    /// Its name.
    pub name: String,
    /// The clause that it breaks.
    pub clause: String,
    /// The behaviour of the deployment.
    pub wrong: String,
    /// The cases that detected it.
    pub killed_by: Vec<String>,
    /// The case whose requests showed the fault, up to the first detection: another case may have checked their
    /// responses.
    pub noticed_in: Option<String>,
    /// The number of requests: up to the first detection unless the whole matrix was requested.
    pub requests: u64,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

/// A legal variant, and the kit's result for it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct OnVariant {
    /// Its name.
    pub name: String,
    /// The difference from the reference server.
    pub differs: String,
    /// The other variants that its deployment had; empty if it was judged alone.
    pub together_with: Vec<String>,
    /// The cases that failed or errored on the variant.
    pub alarms: Vec<Alarm>,
    /// How many cases passed on its deployment.
    pub passed: usize,
    /// How many requests its deployment received.
    pub requests: u64,
    /// How long the run on its deployment took, in milliseconds.
    pub duration_ms: u64,
}

/// A case that failed a deployment for something that the contract permits.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Alarm {
    /// Its id.
    pub case: String,
    /// Why it could not run, if that is so.
    pub reason: Option<String>,
    /// Its findings.
    pub findings: Vec<Finding>,
}

impl Judgement {
    pub(super) fn new(
        plan: &Plan,
        faults: Vec<OnFault>,
        variants: Vec<OnVariant>,
        control: Option<OnVariant>,
        duration: Duration,
    ) -> Self {
        let noticed: BTreeSet<_> = faults.iter().flat_map(|on| &on.killed_by).collect();
        let cases = catalogue().into_iter().map(|case| case.id);
        let wanted = |id: &String| plan.only.is_empty() || plan.only.iter().any(|pattern| pattern.matches(id));
        // Without a fault there is nothing to detect.
        let matrix = plan.matrix && !faults.is_empty();
        let idle = cases.filter(|id| matrix && wanted(id) && !noticed.contains(id));
        Self {
            seed: plan.seed,
            matrix,
            idle_cases: idle.collect(),
            faults,
            variants,
            control,
            duration_ms: duration.as_millis().try_into().unwrap_or(u64::MAX),
        }
    }

    /// The number of detected faults.
    pub fn killed(&self) -> usize {
        self.faults.len() - self.survivors().len()
    }

    /// The faults that no case detected.
    pub fn survivors(&self) -> Vec<&OnFault> {
        let survives = |on: &&OnFault| on.killed_by.is_empty();
        self.faults.iter().filter(survives).collect()
    }

    /// The legal variants that failed.
    pub fn alarmed(&self) -> Vec<&OnVariant> {
        let alarmed = |on: &&OnVariant| !on.alarms.is_empty();
        self.variants.iter().filter(alarmed).collect()
    }

    /// Whether every fault was detected, and neither a legal variant nor the sound server failed.
    pub fn is_flawless(&self) -> bool {
        let is_sound = self.control.as_ref().is_none_or(|control| control.alarms.is_empty());
        is_sound && self.survivors().is_empty() && self.alarmed().is_empty()
    }

    /// The requests needed for the detected faults: the median and the maximum.
    pub fn requests_to_kill(&self) -> Option<(u64, u64)> {
        let killed = self.faults.iter().filter(|on| !on.killed_by.is_empty());
        let mut requests: Vec<_> = killed.map(|on| on.requests).collect();
        requests.sort_unstable();
        let half = requests.len().div_ceil(2).checked_sub(1)?;
        Some((requests[half], *requests.last()?))
    }
}

impl OnFault {
    /// The first part of its name.
    pub fn family(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }

    pub(super) fn new(fault: &Fault, report: &Report) -> Self {
        Self {
            name: fault.name.clone(),
            clause: fault.clause.clone(),
            wrong: fault.wrong.to_owned(),
            killed_by: failed(report),
            noticed_in: last_asked(report).filter(|_| report.summary.failed > 0),
            requests: report.requests,
            duration_ms: report.duration_ms,
        }
    }
}

/// The last case that sent requests, in a run without concurrency.
fn last_asked(report: &Report) -> Option<String> {
    let mut asked = report.cases.iter().filter(|case| case.group() != "schema");
    asked.next_back().map(|case| case.id.clone())
}

impl OnVariant {
    pub(super) fn new(variant: &Variant, group: &[Variant], report: &Report) -> Self {
        let others = group.iter().filter(|other| other.name != variant.name);
        let others = others.map(|other| other.name.to_owned()).collect();
        Self::of(variant.name, variant.differs, others, report)
    }

    pub(super) fn control(nothing: &Fault, report: &Report) -> Self {
        Self::of(&nothing.name, nothing.wrong, Vec::new(), report)
    }

    fn of(name: &str, differs: &str, together_with: Vec<String>, report: &Report) -> Self {
        let alarms_on = |verdict| matches!(verdict, Verdict::Failed | Verdict::Errored);
        let alarms = report.cases.iter().filter(|case| alarms_on(case.verdict));
        Self {
            name: name.to_owned(),
            differs: differs.to_owned(),
            together_with,
            alarms: alarms
                .map(|case| Alarm {
                    case: case.id.clone(),
                    reason: case.reason.clone(),
                    findings: case.findings.clone(),
                })
                .collect(),
            passed: report.summary.passed,
            requests: report.requests,
            duration_ms: report.duration_ms,
        }
    }
}

/// The ids of the cases that failed.
pub(super) fn failed(report: &Report) -> Vec<String> {
    let failed = report.with(Verdict::Failed).into_iter();
    failed.map(str::to_owned).collect()
}
