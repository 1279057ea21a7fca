//! The differences between two runs, or between two deployments: two JSON reports, or two profiles.
//!
//! Values that change between runs by themselves are ignored: times, request ids, and which of many records a finding
//! shows. Two findings are the same if they are about the same thing and expect the same.

mod markdown;
mod terminal;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use strum::{IntoStaticStr, VariantArray};

pub use self::markdown::render as markdown;
pub use self::terminal::render as terminal;
use catalogue::profile::{Observed, Profile, ProfileError};
use engine::finding::Finding;
use engine::report::json::ReadError;
use engine::report::{CaseReport, Report, counted_subjects, json, shown};
use engine::verdict::Verdict;

/// A file that can be compared with another of its kind, recognized by its content.
#[derive(Debug, Clone)]
pub enum Compared {
    /// A JSON report: it has cases.
    Report(Box<Report>),
    /// A profile: it has points.
    Profile(Box<Profile>),
}

/// The differences, and what was compared.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Diff {
    /// The base URL of the first deployment.
    pub before: String,
    /// The base URL of the second deployment.
    pub after: String,
    /// The differences between two reports, in the order of the second and then of the first; empty for profiles.
    pub cases: Vec<CaseChange>,
    /// The differences between two profiles, ordered by id; empty for reports.
    pub points: Vec<PointChange>,
    /// Points whose behaviour only one of two profiles knows, for example because the other had no permission to
    /// write.
    pub not_compared: Vec<String>,
}

/// The change of a case.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CaseChange {
    /// Its id.
    pub id: String,
    /// The rule that it checks: its id without the subject.
    pub rule: String,
    /// The subject of the rule; null for the only case of a rule.
    pub subject: Option<String>,
    /// The count of cases that its rule has in the second report, or in the first when it is gone.
    pub rule_cases: usize,
    /// The expectation, as a sentence.
    pub title: String,
    /// The kind of change.
    pub change: Change,
    /// The verdict in the first report; null if the case is not in it.
    pub before: Option<Verdict>,
    /// The verdict in the second report; null if the case is not in it.
    pub after: Option<Verdict>,
    /// Findings that only the second report has.
    pub found: Vec<Finding>,
    /// Findings that only the first report has.
    pub gone: Vec<Finding>,
}

/// The cases of one rule that changed in the same way.
#[derive(Debug, Clone)]
pub struct RuleChange<'a> {
    /// The id of the rule.
    pub rule: &'a str,
    /// The verdict of each case in the first report; null if the cases are not in it.
    pub before: Option<Verdict>,
    /// The verdict of each case in the second report; null if the cases are not in it.
    pub after: Option<Verdict>,
    /// The cases, at least one.
    pub cases: Vec<&'a CaseChange>,
}

/// The kinds of changes of a case, in reading order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantArray, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The case fails and did not fail before.
    #[strum(serialize = "Newly failing")]
    NewlyFailing,
    /// The case fails as before, with other findings.
    #[strum(serialize = "Failing in another way")]
    OtherFindings,
    /// The verdict of the case changed in another way.
    #[strum(serialize = "Other verdicts")]
    OtherVerdict,
    /// The case failed before and passes now.
    #[strum(serialize = "Newly passing")]
    NewlyPassing,
    /// Only the second report has the case.
    New,
    /// Only the first report has the case.
    Gone,
}

impl Change {
    /// All kinds of change.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// Returns the heading of this kind.
    pub fn heading(self) -> &'static str {
        self.into()
    }
}

/// The change of a point.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PointChange {
    /// Its id.
    pub point: String,
    /// Its question.
    pub question: String,
    /// The behaviour of the first deployment; null if the first profile does not have the point.
    pub before: Option<Behaved>,
    /// The behaviour of the second deployment; null if the second profile does not have the point.
    pub after: Option<Behaved>,
}

/// The behaviour of a deployment at a point, as far as it is compared.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Behaved {
    /// The name of the behaviour; null if it is unknown.
    pub behaviour: Option<String>,
    /// The value of the behaviour.
    pub value: Value,
    /// Whether the behaviour is the contract's own; null if it is unknown.
    pub as_the_contract: Option<bool>,
    /// The requests that show the behaviour.
    pub requests: Vec<String>,
}

/// The reason why two files cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum DiffError {
    /// A file could not be read.
    #[error("{0} could not be read")]
    Unreadable(String, #[source] std::io::Error),
    /// A file is neither a report nor a profile.
    #[error("{0} is neither a JSON report (`run --report json=FILE`) nor a profile (`probe --out FILE`)")]
    Neither(String),
    /// A report cannot be parsed.
    #[error("{0}")]
    Report(String, #[source] ReadError),
    /// A profile cannot be parsed.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// One file is a report, the other a profile.
    #[error("a report and a profile cannot be compared: give two reports or two profiles")]
    Kinds,
}

impl Compared {
    /// Reads a file.
    ///
    /// # Errors
    /// When the file cannot be read, or is neither a JSON report nor a profile that this kit supports.
    pub fn read(path: &Path) -> Result<Self, DiffError> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| DiffError::Unreadable(file.clone(), error))?;
        Self::parse(&file, &text)
    }

    /// Parses the text of a file; `file` names it in errors.
    ///
    /// # Errors
    /// When the text is neither a JSON report nor a profile that this kit supports.
    pub fn parse(file: &str, text: &str) -> Result<Self, DiffError> {
        let json: Value = serde_json::from_str(text).unwrap_or_default();
        if json["points"].is_object() {
            return Ok(Self::Profile(Box::new(Profile::parse(file, text)?)));
        }
        if json["cases"].is_array() {
            let report = json::read(text);
            let report = report.map_err(|error| DiffError::Report(file.to_owned(), error))?;
            return Ok(Self::Report(Box::new(report)));
        }
        Err(DiffError::Neither(file.to_owned()))
    }
}

impl Diff {
    /// Compares two files of the same kind.
    ///
    /// # Errors
    /// [`DiffError::Kinds`] when one is a report and the other a profile.
    pub fn between(before: &Compared, after: &Compared) -> Result<Self, DiffError> {
        match (before, after) {
            (Compared::Report(before), Compared::Report(after)) => Ok(Self::of_reports(before, after)),
            (Compared::Profile(before), Compared::Profile(after)) => Ok(Self::of_profiles(before, after)),
            _ => Err(DiffError::Kinds),
        }
    }

    /// Compares two reports.
    pub fn of_reports(before: &Report, after: &Report) -> Self {
        let mut cases: Vec<_> = after
            .cases
            .iter()
            .filter_map(|case| changed(before.case(&case.id), Some(case)))
            .collect();
        let gone = before.cases.iter().filter(|case| after.case(&case.id).is_none());
        cases.extend(gone.filter_map(|case| changed(Some(case), None)));
        let (earlier, later) = (counts_of_rules(before), counts_of_rules(after));
        for case in &mut cases {
            let counts = match case.change {
                Change::Gone => &earlier,
                _ => &later,
            };
            case.rule_cases = counts.get(&*case.rule).copied().unwrap_or_default();
        }
        Self {
            before: before.target.base_url.clone(),
            after: after.target.base_url.clone(),
            cases,
            points: Vec::new(),
            not_compared: Vec::new(),
        }
    }

    /// Compares two profiles.
    pub fn of_profiles(before: &Profile, after: &Profile) -> Self {
        let ids: BTreeSet<_> = before.points.keys().chain(after.points.keys()).collect();
        let points = ids.into_iter().filter_map(|id| {
            let (one, other) = (before.points.get(id), after.points.get(id));
            let same = one
                .zip(other)
                .is_some_and(|(one, other)| one.same_as(other) || one.behaviour.is_none() || other.behaviour.is_none());
            let known = other.or(one)?;
            (!same).then(|| PointChange {
                point: id.clone(),
                question: known.question.clone(),
                before: one.map(Behaved::of),
                after: other.map(Behaved::of),
            })
        });
        let points = points.collect();
        let known_once = before.points.iter().filter(|(id, one)| {
            let other = after.points.get(*id);
            other.is_some_and(|other| one.behaviour.is_some() != other.behaviour.is_some())
        });
        Self {
            before: before.base_url.clone(),
            after: after.base_url.clone(),
            cases: Vec::new(),
            points,
            not_compared: known_once.map(|(id, _)| id.clone()).collect(),
        }
    }

    /// Whether there is no difference.
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty() && self.points.is_empty()
    }

    /// The cases with this kind of change.
    pub fn with(&self, change: Change) -> impl Iterator<Item = &CaseChange> {
        self.cases.iter().filter(move |case| case.change == change)
    }

    /// The cases with this kind of change, by rule and verdicts.
    pub fn rules_with(&self, change: Change) -> Vec<RuleChange<'_>> {
        let mut rules: Vec<RuleChange<'_>> = Vec::new();
        for case in self.with(change) {
            let is_its = |known: &&mut RuleChange<'_>| {
                known.rule == case.rule && (known.before, known.after) == (case.before, case.after)
            };
            match rules.iter_mut().find(is_its) {
                Some(known) => known.cases.push(case),
                None => rules.push(RuleChange {
                    rule: &case.rule,
                    before: case.before,
                    after: case.after,
                    cases: vec![case],
                }),
            }
        }
        rules
    }

    /// Returns the difference as indented JSON.
    pub fn to_json(&self) -> String {
        json::pretty_text(self)
    }

    /// Returns the difference with unprintable characters escaped: a file may contain anything.
    fn fit_to_show(&self) -> Self {
        let all = |names: &[String]| names.iter().map(|name| line(name)).collect();
        Self {
            before: line(&self.before),
            after: line(&self.after),
            cases: self.cases.iter().map(CaseChange::fit_to_show).collect(),
            points: self.points.iter().map(PointChange::fit_to_show).collect(),
            not_compared: all(&self.not_compared),
        }
    }

    /// The number of changes of each kind, in short form.
    pub fn summary(&self) -> String {
        if self.is_empty() {
            return "no difference".to_owned();
        }
        let mut parts: Vec<_> = Change::ALL
            .iter()
            .map(|&change| (self.rules_with(change), change.heading().to_lowercase()))
            .filter(|(rules, _)| !rules.is_empty())
            .map(|(rules, what)| format!("{} {what}", counted(&rules)))
            .collect();
        match self.points.len() {
            0 => {}
            1 => parts.push("1 point differs".to_owned()),
            count => parts.push(format!("{count} points differ")),
        }
        parts.join(", ")
    }
}

/// The number of changed rules, and of their cases if those are more.
fn counted(rules: &[RuleChange<'_>]) -> String {
    let cases: usize = rules.iter().map(|rule| rule.cases.len()).sum();
    match (rules.len(), cases) {
        (rules, cases) if rules == cases => rules.to_string(),
        (1, cases) => format!("1 rule with {cases} cases"),
        (rules, cases) => format!("{rules} rules with {cases} cases"),
    }
}

impl RuleChange<'_> {
    /// The id of the only case, or of the rule.
    fn id(&self) -> &str {
        match self.cases[..] {
            [case] => &case.id,
            _ => self.rule,
        }
    }

    /// The verdicts before and after, such as `passed → failed`.
    fn verdicts(&self) -> String {
        match (self.before, self.after) {
            (Some(before), Some(after)) if before != after => {
                format!("{} → {}", before.as_str(), after.as_str())
            }
            (before, after) => after.or(before).map_or("", Verdict::as_str).to_owned(),
        }
    }

    /// The subjects of the rule in short form; empty for an only case, whose id names it.
    fn subjects(&self) -> Option<String> {
        if self.cases.len() == 1 {
            return None;
        }
        let subjects: Vec<_> = self.cases.iter().map(|case| case.subject()).collect();
        let is_whole = self.cases[0].rule_cases == subjects.len();
        Some(match is_whole {
            true => counted_subjects(&subjects),
            false => subjects.join(", "),
        })
    }

    /// The findings of the cases without duplicates, with their subjects unless all cases have them.
    fn findings<'a>(&'a self, of: impl Fn(&'a CaseChange) -> &'a [Finding]) -> Vec<Alike<'a>> {
        let mut alike: Vec<Alike<'_>> = Vec::new();
        for case in &self.cases {
            for finding in of(case) {
                let is_it = |known: &&mut Alike<'_>| {
                    (&known.finding.what, &known.finding.expected) == (&finding.what, &finding.expected)
                };
                let subject = case.subject();
                match alike.iter_mut().find(is_it) {
                    Some(known) => known.subjects.push(subject),
                    None => alike.push(Alike {
                        finding,
                        subjects: vec![subject],
                    }),
                }
            }
        }
        alike
    }
}

/// A finding, and the subjects of a rule that have it.
struct Alike<'a> {
    finding: &'a Finding,
    subjects: Vec<&'a str>,
}

impl Alike<'_> {
    /// The subjects in parentheses, unless they are all of this count.
    fn subjects(&self, all: usize) -> String {
        match self.subjects.len() == all {
            true => String::new(),
            false => format!(" ({})", self.subjects.join(", ")),
        }
    }
}

impl CaseChange {
    /// The name of a case within its rule: its subject, or its id if it has none.
    fn subject(&self) -> &str {
        self.subject.as_deref().unwrap_or(&self.id)
    }

    fn fit_to_show(&self) -> Self {
        let all = |findings: &[Finding]| {
            let findings = findings.iter();
            findings.map(|one| shown::finding(one, shown::SHORT)).collect()
        };
        Self {
            id: line(&self.id),
            rule: line(&self.rule),
            subject: self.subject.as_deref().map(line),
            title: line(&self.title),
            found: all(&self.found),
            gone: all(&self.gone),
            ..*self
        }
    }
}

impl PointChange {
    fn fit_to_show(&self) -> Self {
        Self {
            point: line(&self.point),
            question: line(&self.question),
            before: self.before.as_ref().map(Behaved::fit_to_show),
            after: self.after.as_ref().map(Behaved::fit_to_show),
        }
    }
}

impl Behaved {
    fn fit_to_show(&self) -> Self {
        let requests = self.requests.iter();
        Self {
            requests: requests.map(|request| line(request)).collect(),
            ..self.clone()
        }
    }

    fn of(observed: &Observed) -> Self {
        Self {
            behaviour: observed.behaviour.clone(),
            value: observed.value.clone(),
            as_the_contract: observed.as_the_contract,
            requests: observed.requests.clone(),
        }
    }

    /// The behaviour in short form.
    pub fn shown(&self) -> String {
        match &self.behaviour {
            Some(name) => catalogue::profile::shown(name, &self.value),
            None => "unknown".to_owned(),
        }
    }
}

/// A text with unprintable characters escaped, cut to a maximum length.
fn line(text: &str) -> String {
    shown::cut(shown::visible(text), shown::SHORT)
}

/// Returns the change of a case, if there is one.
fn changed(before: Option<&CaseReport>, after: Option<&CaseReport>) -> Option<CaseChange> {
    let case = after.or(before)?;
    let (one, other) = (before.map(|case| case.verdict), after.map(|case| case.verdict));
    let (found, gone) = (only_in(after, before), only_in(before, after));
    let change = match (one, other) {
        (None, _) => Change::New,
        (_, None) => Change::Gone,
        (Some(one), Some(Verdict::Failed)) if one != Verdict::Failed => Change::NewlyFailing,
        (Some(Verdict::Failed), Some(Verdict::Passed)) => Change::NewlyPassing,
        (Some(one), Some(other)) if one != other => Change::OtherVerdict,
        _ if !found.is_empty() || !gone.is_empty() => Change::OtherFindings,
        _ => return None,
    };
    Some(CaseChange {
        id: case.id.clone(),
        rule: case.rule.clone(),
        subject: case.subject.clone(),
        rule_cases: 0,
        title: case.title.clone(),
        change,
        before: one,
        after: other,
        found,
        gone,
    })
}

/// The number of cases of each rule of a report.
fn counts_of_rules(report: &Report) -> BTreeMap<&str, usize> {
    let rules = report.rules().into_iter();
    rules.map(|rule| (rule.id(), rule.cases().len())).collect()
}

/// The findings that only one of two reports of a case has.
fn only_in(one: Option<&CaseReport>, other: Option<&CaseReport>) -> Vec<Finding> {
    let key = |finding: &Finding| (finding.what.clone(), finding.expected.clone());
    let findings =
        |case: Option<&CaseReport>| -> Vec<Finding> { case.map(|case| case.findings.clone()).unwrap_or_default() };
    let known: BTreeSet<_> = findings(other).iter().map(key).collect();
    let mine = findings(one).into_iter().map(|finding| (key(&finding), finding));
    // Equal findings are reported once.
    let mut unknown = BTreeMap::new();
    for (key, finding) in mine.filter(|(key, _)| !known.contains(key)) {
        unknown.entry(key).or_insert(finding);
    }
    unknown.into_values().collect()
}
