//! What a check found: every mismatch, with what was expected, what was seen, and the request that shows it.

use std::collections::BTreeSet;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// One mismatch between the contract and what the deployment did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// What is wrong.
    pub what: String,
    /// What the contract requires.
    pub expected: String,
    /// What the deployment did.
    pub seen: String,
    /// The requests that show it, as shell lines. They name the environment variable of the key instead of the key.
    pub requests: Vec<String>,
    /// The `X-Request-Id` of the responses that had one, to find them in the deployment's logs.
    pub request_ids: Vec<String>,
    /// The decisions of the contract that this expectation rests on; empty if it is stated, null if its basis is that
    /// of its case. In a case whose status is stated, for example, the code of the error is decided.
    #[serde(default)]
    pub decisions: Option<BTreeSet<String>>,
    /// What is wrong, in the same words for every rule and operation: findings with the same cause probably share one
    /// fix. For example `error code bad_request` or `status 500`.
    #[serde(default)]
    pub cause: String,
    /// How often it was seen.
    pub times: u64,
    /// Whether a second check found it again.
    pub steadiness: Steadiness,
}

impl Finding {
    /// Its basis, for a person; `None` when it is the basis of its case.
    pub fn rests_on(&self) -> Option<String> {
        let decisions: Vec<_> = self.decisions.as_ref()?.iter().map(String::as_str).collect();
        Some(match decisions.is_empty() {
            true => "stated".to_owned(),
            false => format!("decided: {}", decisions.join(", ")),
        })
    }

    /// What does not hold, what was expected and what was seen, on one line: for viewers that show only one.
    pub fn in_one_line(&self) -> String {
        format!("{}: expected {}, seen {}", self.what, self.expected, self.seen)
    }

    /// Returns the finding resting on these decisions; `None` means the basis of its case.
    pub(crate) fn resting_on(self, decisions: Option<BTreeSet<String>>) -> Self {
        Self { decisions, ..self }
    }

    /// Returns the finding with this cause, if one is known.
    pub(crate) fn because(self, cause: Option<String>) -> Self {
        Self {
            cause: cause.unwrap_or(self.cause),
            ..self
        }
    }

    /// Returns the finding with every text changed the same way.
    pub(crate) fn with_texts(self, change: impl Fn(String) -> String) -> Self {
        let all = |texts: Vec<String>| texts.into_iter().map(&change).collect();
        Self {
            requests: all(self.requests),
            request_ids: all(self.request_ids),
            what: change(self.what),
            expected: change(self.expected),
            seen: change(self.seen),
            cause: change(self.cause),
            decisions: self.decisions,
            times: self.times,
            steadiness: self.steadiness,
        }
    }
}

/// Whether a second check found a mismatch again, with nothing cached from the first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Steadiness {
    /// It was found again, so it can be reproduced.
    Steady,
    /// It was not found again: the deployment does not always do it. It fails the run all the same.
    Flaky,
    /// There was no second check: it would have changed something, or was no longer possible.
    #[default]
    Unconfirmed,
}

impl Steadiness {
    /// Returns its name in the JSON report.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl fmt::Display for Finding {
    /// The mismatch as plain text, a line each for what was expected, what was seen and every request.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match self.times {
            0 | 1 => write!(f, " ({})", self.steadiness.as_str())?,
            times => write!(f, " ({times} times, {})", self.steadiness.as_str())?,
        }
        write!(f, "\n  expected  {}\n  seen      {}", self.expected, self.seen)?;
        if let Some(basis) = self.rests_on() {
            write!(f, "\n  basis     {basis}")?;
        }
        for request in &self.requests {
            write!(f, "\n  request   {request}")?;
        }
        for id in &self.request_ids {
            write!(f, "\n  id        {id}")?;
        }
        Ok(())
    }
}

/// The limit on mismatches kept for one case: a deployment can cause any number.
const MOST: usize = 200;

/// The findings of one case, and the number of assertions made.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    findings: Vec<Finding>,
    assertions: u64,
}

impl Findings {
    /// Findings, and the number of assertions made for them.
    pub(crate) fn of(assertions: u64, findings: Vec<Finding>) -> Self {
        Self { findings, assertions }
    }

    /// Keeps the findings that pass.
    pub(crate) fn keep(&mut self, keep: impl Fn(&Finding) -> bool) {
        self.findings.retain(keep);
    }

    /// Counts one assertion that was made, whether it held or not.
    pub fn count(&mut self) {
        self.assertions += 1;
    }

    /// Records a mismatch. Beyond the limit, mismatches are only counted.
    pub fn record(&mut self, finding: Finding) {
        if self.findings.len() < MOST {
            self.findings.push(finding);
            return;
        }
        let others = Finding {
            what: format!("more than {MOST} mismatches; this is the first beyond them"),
            ..finding
        };
        match self.findings.get_mut(MOST) {
            Some(known) => known.times += others.times,
            None => self.findings.push(others),
        }
    }

    /// Records a mismatch, or counts it again if one with the same `what` was already recorded.
    pub fn record_or_count(&mut self, finding: Finding) {
        if !self.count_again(&finding.what, finding.times) {
            self.record(finding);
        }
    }

    /// Counts a mismatch again; returns whether one with this `what` was already recorded.
    pub(crate) fn count_again(&mut self, what: &str, times: u64) -> bool {
        let known = self.findings.iter_mut().find(|known| known.what == what);
        let is_known = known.is_some();
        if let Some(known) = known {
            known.times += times;
        }
        is_known
    }

    /// How many assertions were made.
    pub fn assertions(&self) -> u64 {
        self.assertions
    }

    /// Whether no mismatch was seen.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// Marks each mismatch by the result of a second check, if there is one.
    pub(crate) fn mark(&mut self, look: impl Fn(&Finding) -> Option<bool>) {
        for finding in &mut self.findings {
            finding.steadiness = match look(finding) {
                Some(true) => Steadiness::Steady,
                Some(false) => Steadiness::Flaky,
                None => finding.steadiness,
            };
        }
    }

    /// The mismatches, in the order in which they were first seen.
    pub(crate) fn as_slice(&self) -> &[Finding] {
        &self.findings
    }

    /// Whether it can be reproduced: one mismatch that was seen again is enough. `None` without any.
    pub(crate) fn steadiness(&self) -> Option<Steadiness> {
        // The best known steadiness is the least in the order.
        self.findings.iter().map(|finding| finding.steadiness).min()
    }

    /// The mismatches, in the order in which they were first seen.
    pub fn into_findings(self) -> Vec<Finding> {
        self.findings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mismatches_beyond_the_limit_are_counted() {
        let mut findings = Findings::default();
        for number in 0..1_000 {
            findings.record_or_count(Finding {
                what: format!("mismatch {number}"),
                expected: String::new(),
                seen: String::new(),
                requests: Vec::new(),
                request_ids: Vec::new(),
                decisions: None,
                cause: String::new(),
                times: 1,
                steadiness: Steadiness::Unconfirmed,
            });
        }
        let findings = findings.into_findings();
        assert_eq!(findings.len(), MOST + 1);
        let times: u64 = findings.iter().map(|finding| finding.times).sum();
        assert_eq!(times, 1_000);
    }
}
