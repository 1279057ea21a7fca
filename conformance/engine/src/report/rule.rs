//! The rules of a report. A rule that is checked for several subjects, such as six searches, has a case for each of
//! them; a report shows it once.

use std::collections::{BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BasisReport, CaseReport, ClauseReport};
use crate::finding::{Finding, Steadiness};
use crate::verdict::Verdict;

/// A rule and its cases: one case, or one for each of its subjects.
#[derive(Debug, Clone)]
pub struct Rule<'a> {
    id: &'a str,
    cases: Vec<&'a CaseReport>,
}

/// The counts of the rules of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuleSummary {
    /// All rules that the run has cases of.
    pub total: usize,
    /// Rules that were checked: at least one case passed or found a departure. The others were skipped, or the
    /// deployment has no data to check them with.
    #[serde(default)]
    pub checked: usize,
    /// Rules that passed: at least one case passed, and no case found a departure.
    pub passed: usize,
    /// Rules that the source states for all of their subjects.
    pub stated: usize,
    /// Rules that rest on a decision of the contract for at least one subject.
    pub decided: usize,
}

/// A mismatch, and the cases of one rule that show it.
#[derive(Debug, Clone)]
pub struct FoundAlike<'a> {
    /// The mismatch, as the first of the cases shows it.
    pub finding: &'a Finding,
    /// The cases; at least one.
    pub cases: Vec<&'a CaseReport>,
}

impl<'a> Rule<'a> {
    /// Returns the rules of these cases, in order of first occurrence.
    pub fn fold(cases: impl IntoIterator<Item = &'a CaseReport>) -> Vec<Self> {
        let mut rules: Vec<Self> = Vec::new();
        let mut positions = HashMap::new();
        for case in cases {
            let id = case.rule.as_str();
            let position = *positions.entry(id).or_insert_with(|| {
                let cases = Vec::new();
                rules.push(Self { id, cases });
                rules.len() - 1
            });
            rules[position].cases.push(case);
        }
        rules
    }

    /// Its id: the ids of its cases without their subjects.
    pub fn id(&self) -> &'a str {
        self.id
    }

    /// What is expected, as a sentence about any of its subjects.
    pub fn title(&self) -> String {
        title_of(self.cases.iter().map(|case| case.rule_title()))
    }

    /// Its cases, in the order of the catalogue; at least one.
    pub fn cases(&self) -> &[&'a CaseReport] {
        &self.cases
    }

    /// Whether it is shown with its subjects folded below it: it has several cases.
    pub fn is_family(&self) -> bool {
        self.cases.len() > 1
    }

    /// Whether one of its cases passed or found a difference.
    pub fn is_checked(&self) -> bool {
        let mut verdicts = self.cases.iter().map(|case| case.verdict);
        verdicts.any(|verdict| verdict == Verdict::Passed || verdict.differs())
    }

    /// The verdict on all of its cases together.
    pub fn verdict(&self) -> Verdict {
        let verdicts = self.cases.iter().map(|case| &case.verdict);
        Verdict::overall(verdicts).unwrap_or(Verdict::Skipped)
    }

    /// The number of its cases with this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        let mut count = 0;
        for case in &self.cases {
            count += usize::from(case.verdict == verdict);
        }
        count
    }

    /// The verdicts of its cases with their counts, such as `2 failed, 4 passed`; the worst verdict comes first.
    pub fn counts(&self) -> String {
        let mut left: BTreeSet<_> = self.cases.iter().map(|case| case.verdict).collect();
        let mut parts = Vec::new();
        while let Some(worst) = Verdict::worst(&left) {
            left.remove(&worst);
            parts.push(format!("{} {}", self.count(worst), worst.as_str()));
        }
        parts.join(", ")
    }

    /// The clauses that all of its cases rest on.
    pub fn clauses(&self) -> Vec<&'a ClauseReport> {
        let Some((first, others)) = self.cases.split_first() else {
            return Vec::new();
        };
        let cites = |case: &CaseReport, clause: &ClauseReport| case.clauses.iter().any(|cited| cited.is_same(clause));
        let is_shared = |clause: &&ClauseReport| others.iter().all(|case| cites(case, clause));
        first.clauses.iter().filter(is_shared).collect()
    }

    /// The decisions that any of its cases rests on.
    pub fn decisions(&self) -> BTreeSet<&'a str> {
        let decisions = self.cases.iter().flat_map(|case| &case.decisions);
        decisions.map(String::as_str).collect()
    }

    /// Returns stated if the source states it for all of its subjects.
    pub fn basis(&self) -> BasisReport {
        let mut bases = self.cases.iter().map(|case| case.basis);
        match bases.any(|basis| basis == BasisReport::Decided) {
            true => BasisReport::Decided,
            false => BasisReport::Stated,
        }
    }

    /// Its basis, in a few words: `stated`, or the decisions.
    pub fn rests_on(&self) -> String {
        match self.basis() {
            BasisReport::Stated => "stated".to_owned(),
            BasisReport::Decided => {
                let decisions: Vec<_> = self.decisions().into_iter().collect();
                format!("decided: {}", decisions.join(", "))
            }
        }
    }
}

impl RuleSummary {
    /// Counts the rules of these cases.
    pub fn of(cases: &[CaseReport]) -> Self {
        let rules = Rule::fold(cases);
        let passed = rules.iter().filter(|rule| rule.verdict() == Verdict::Passed);
        let stated = rules.iter().filter(|rule| rule.basis() == BasisReport::Stated);
        let checked = rules.iter().filter(|rule| rule.is_checked()).count();
        let (passed, stated) = (passed.count(), stated.count());
        Self {
            total: rules.len(),
            checked,
            passed,
            stated,
            decided: rules.len() - stated,
        }
    }
}

impl<'a> FoundAlike<'a> {
    /// Returns the distinct mismatches of these cases: equal ones have the same `what`, the same expectation and the
    /// same kind of response. Bodies differ between subjects and are not compared.
    pub fn among(cases: impl IntoIterator<Item = &'a CaseReport>) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        let mut positions = HashMap::new();
        for case in cases {
            // The same mismatch twice in one case counts as two mismatches.
            let mut shown: HashMap<_, usize> = HashMap::new();
            for finding in &case.findings {
                let kind = kind(finding);
                let times = shown.entry(kind).or_default();
                *times += 1;
                let position = *positions.entry((kind, *times)).or_insert_with(|| {
                    found.push(Self {
                        finding,
                        cases: Vec::new(),
                    });
                    found.len() - 1
                });
                found[position].cases.push(case);
            }
        }
        found
    }
}

/// The parts in which two equal findings agree.
fn kind(finding: &Finding) -> (&str, &str, &str, Steadiness) {
    let body = finding.seen.find(['{', '[', '"']);
    let seen = &finding.seen[..body.unwrap_or(finding.seen.len())];
    (&finding.what, &finding.expected, seen, finding.steadiness)
}

/// Returns the title of a rule, from the titles of its cases without their subjects. They are usually the same
/// sentence. If there are two, both are kept; if there are more, the first.
pub fn title_of<'a>(sentences: impl IntoIterator<Item = &'a str>) -> String {
    let mut distinct: Vec<&str> = Vec::new();
    for sentence in sentences {
        if !distinct.contains(&sentence) {
            distinct.push(sentence);
        }
    }
    match distinct[..] {
        [] => String::new(),
        [one, other] => format!("{one}; {other}"),
        [first, ..] => first.to_owned(),
    }
}

/// Returns the number and kind of the subjects: `6 searches`, `10 operations`, `8 subjects`.
pub fn counted_subjects(subjects: &[&str]) -> String {
    let kind = match subjects {
        _ if subjects.iter().all(|one| one.starts_with("search_")) => "searches",
        _ if subjects.iter().all(|one| one.contains('_')) => "operations",
        _ => "subjects",
    };
    match subjects {
        [one] => (*one).to_owned(),
        _ => format!("{} {kind}", subjects.len()),
    }
}
