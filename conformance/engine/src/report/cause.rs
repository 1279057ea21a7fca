//! The causes of a report: findings that probably share one fix, across rules and operations.

use std::collections::{BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CaseReport;
use super::shown::counted;
use crate::cause;
use crate::finding::{Finding, Steadiness};
use crate::verdict::Verdict;

/// A cause, and the failed cases that show it.
#[derive(Debug, Clone)]
pub struct Cause<'a> {
    /// What is wrong.
    pub text: &'a str,
    /// The clearest finding for it: the shortest steady one, if possible that of the check of a schema.
    pub finding: &'a Finding,
    /// The case of that finding.
    pub case: &'a CaseReport,
    /// All cases that show it, in the order of the report.
    pub cases: Vec<&'a CaseReport>,
    /// How often it was seen.
    pub times: u64,
}

/// A cause, for programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CauseReport {
    /// What is wrong, as in the findings.
    pub cause: String,
    /// How many failed rules show it.
    pub rules: usize,
    /// How many failed cases show it.
    pub cases: usize,
    /// How often it was seen.
    pub times: u64,
}

impl<'a> Cause<'a> {
    /// Returns the causes of the failed cases, ordered by the number of cases, most first.
    pub fn among(cases: impl IntoIterator<Item = &'a CaseReport>) -> Vec<Self> {
        let mut causes: Vec<Self> = Vec::new();
        let mut positions = HashMap::new();
        for case in cases {
            if case.verdict != Verdict::Failed {
                continue;
            }
            for finding in &case.findings {
                let text = finding.cause.as_str();
                let position = *positions.entry(text).or_insert_with(|| {
                    causes.push(Self {
                        text,
                        finding,
                        case,
                        cases: Vec::new(),
                        times: 0,
                    });
                    causes.len() - 1
                });
                causes[position].add(case, finding);
            }
        }
        causes.sort_by_key(|cause| std::cmp::Reverse(cause.cases.len()));
        causes
    }

    fn add(&mut self, case: &'a CaseReport, finding: &'a Finding) {
        self.times += finding.times;
        if self.cases.last().is_none_or(|last| last.id != case.id) {
            self.cases.push(case);
        }
        let is_of_schema = cause::is_of_schema(self.text);
        let difficulty = |case: &CaseReport, finding: &Finding| {
            let length: usize = finding.requests.iter().map(String::len).sum();
            // The check of the schema shows the departure itself, other cases what follows from it.
            let follows = is_of_schema && !case.id.starts_with("schema/");
            (finding.steadiness, follows, length)
        };
        if difficulty(case, finding) < difficulty(self.case, self.finding) {
            (self.finding, self.case) = (finding, case);
        }
    }

    /// The ids of the rules that show it, in the order of the report.
    pub fn rules(&self) -> Vec<&'a str> {
        let mut known = BTreeSet::new();
        let rules = self.cases.iter().map(|case| case.rule.as_str());
        rules.filter(|rule| known.insert(*rule)).collect()
    }

    /// How many cases of how many rules show it, and whether it was seen again: `6 cases of 2 rules, steady`.
    pub fn extent(&self) -> String {
        let cases = match (self.cases.len(), self.rules().len()) {
            (1, 1) => counted(1, "case"),
            (cases, rules) => format!("{} of {}", counted(cases, "case"), counted(rules, "rule")),
        };
        format!("{cases}, {}", self.steadiness().as_str())
    }

    /// Whether any second look found it again.
    pub fn steadiness(&self) -> Steadiness {
        self.finding.steadiness
    }
}

/// Gives each finding about several parameters the cause of as few of them as fail by themselves in cases of the same
/// subject.
pub(crate) fn attribute_to_fewest_parameters(cases: &mut [CaseReport]) {
    let mut failing = HashMap::<Option<String>, BTreeSet<String>>::new();
    for case in cases.iter().filter(|case| case.verdict == Verdict::Failed) {
        let causes = case.findings.iter().map(|finding| finding.cause.clone());
        let causes = causes.filter(|text| cause::parameters(text).is_some());
        failing.entry(case.subject.clone()).or_default().extend(causes);
    }
    for case in cases {
        let Some(failing) = failing.get(&case.subject) else {
            continue;
        };
        for finding in &mut case.findings {
            let Some(own) = cause::parameters(&finding.cause) else {
                continue;
            };
            let parts = failing.iter().filter_map(|text| Some((cause::parameters(text)?, text)));
            let parts = parts.filter(|(part, _)| part.is_subset(&own));
            if let Some((_, fewest)) = parts.min_by_key(|(part, _)| part.len()) {
                finding.cause.clone_from(fewest);
            }
        }
    }
}

impl CauseReport {
    /// Returns the causes of the failed cases.
    pub(crate) fn among(cases: &[CaseReport]) -> Vec<Self> {
        let causes = Cause::among(cases).into_iter();
        let report = |cause: Cause<'_>| Self {
            cause: cause.text.to_owned(),
            rules: cause.rules().len(),
            cases: cause.cases.len(),
            times: cause.times,
        };
        causes.map(report).collect()
    }
}
