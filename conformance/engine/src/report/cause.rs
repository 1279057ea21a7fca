//! The causes of a report: findings that probably share one fix, across rules and operations.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shown::counted;
use super::{BasisReport, CaseReport};
use crate::cause;
use crate::finding::{Finding, Steadiness};
use crate::verdict::Verdict;
use platform_contract::Contract;

/// A cause, and the failed cases that show it.
#[derive(Debug, Clone)]
pub struct Cause<'a> {
    /// What is wrong.
    pub text: &'a str,
    /// The clearest finding for it: preferably one that breaks what is stated, then a steady one, then one of a schema
    /// check, then the shortest.
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
    /// Returns the causes of the failed cases: first those that break what is stated, then one of each group, then the
    /// others. Among equals, causes with more cases come first.
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
        causes.sort_by_key(|cause| (!cause.is_stated(), Reverse(cause.cases.len())));
        let mut groups = BTreeSet::new();
        causes.sort_by_cached_key(|cause| {
            let is_first = groups.insert(cause.case.group());
            (!cause.is_stated(), !is_first)
        });
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
            (!is_stated(case, finding), finding.steadiness, follows, length)
        };
        if difficulty(case, finding) < difficulty(self.case, self.finding) {
            (self.finding, self.case) = (finding, case);
        }
    }

    /// Whether it breaks what is stated: one of its findings does.
    pub fn is_stated(&self) -> bool {
        is_stated(self.case, self.finding)
    }

    /// The ids of the rules that show it, in the order of the report.
    pub fn rules(&self) -> Vec<&'a str> {
        let mut known = BTreeSet::new();
        let rules = self.cases.iter().map(|case| case.rule.as_str());
        rules.filter(|rule| known.insert(*rule)).collect()
    }

    /// The operations that it was seen on, in the order of the contract, where each of its cases is about one
    /// operation.
    pub fn operations(&self) -> Vec<&'static str> {
        let subjects: BTreeSet<_> = self.cases.iter().filter_map(|case| case.subject.as_deref()).collect();
        let operations = Contract::bundled().operations().iter();
        let operations = operations.map(|operation| operation.id.as_str());
        operations.filter(|id| subjects.contains(id)).collect()
    }

    /// How many cases of how many rules show it, whether it breaks what is stated, and whether it was seen again:
    /// `6 cases of 2 rules, stated, steady`.
    pub fn extent(&self) -> String {
        let cases = match (self.cases.len(), self.rules().len()) {
            (1, 1) => counted(1, "case"),
            (cases, rules) => format!("{} of {}", counted(cases, "case"), counted(rules, "rule")),
        };
        let stated = if self.is_stated() { ", stated" } else { "" };
        format!("{cases}{stated}, {}", self.steadiness().as_str())
    }

    /// The title of the rule of its case. `None` if the text of the cause contains it.
    pub fn rule_title(&self) -> Option<&'a str> {
        (!cause::is_of_rule(self.text)).then(|| self.case.rule_title())
    }

    /// Whether a second check found it again.
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

/// Whether a finding of a case breaks what is stated.
fn is_stated(case: &CaseReport, finding: &Finding) -> bool {
    match &finding.decisions {
        Some(decisions) => decisions.is_empty(),
        None => case.basis == BasisReport::Stated,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::failed_case;

    fn case(id: &str, basis: &str, cause: &str) -> CaseReport {
        let mut case = failed_case(id, basis);
        cause.clone_into(&mut case.findings[0].cause);
        case
    }

    #[test]
    fn what_is_stated_comes_first_and_then_one_cause_of_each_group() {
        let decided = [
            ("limit/one", "large"),
            ("limit/two", "large"),
            ("limit/three", "large"),
            ("limit/one", "second of its group"),
            ("limit/two", "second of its group"),
            ("sort/one", "small"),
        ];
        let mut cases: Vec<_> = decided.map(|(id, cause)| case(id, "decided", cause)).into();
        cases.push(case("skip/one", "stated", "stated"));
        let causes = Cause::among(&cases);
        let texts: Vec<_> = causes.iter().map(|cause| cause.text).collect();
        assert_eq!(texts, ["stated", "large", "small", "second of its group"]);
        assert_eq!(causes[0].extent(), "1 case, stated, steady");
        assert_eq!(causes[1].extent(), "3 cases of 3 rules, steady");
    }

    #[test]
    fn finding_that_breaks_what_is_stated_shows_its_cause() {
        let one = case("limit/one", "decided", "same");
        let mut other = case("limit/two", "decided", "same");
        other.findings[0].decisions = Some(BTreeSet::new());
        other.findings[0].steadiness = Steadiness::Unconfirmed;
        let cases = [one, other];
        let causes = Cause::among(&cases);
        assert!(causes[0].is_stated());
        assert_eq!(causes[0].case.id, "limit/two");
    }
}
