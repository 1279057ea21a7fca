//! What is different between two runs, or between two deployments: two JSON reports, or two profiles.
//!
//! What differs from run to run although nothing has changed does not count: times, request ids, which of
//! many records a finding shows. A finding is the same when it is of the same thing and expects the same.

mod markdown;
mod terminal;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

pub use self::markdown::render as markdown;
pub use self::terminal::render as terminal;
use catalogue::profile::{Observed, Profile, ProfileError};
use engine::finding::Finding;
use engine::report::json::ReadError;
use engine::report::{CaseReport, Report, json, shown};
use engine::verdict::Verdict;

/// A file that can be compared with another of its kind, told by what it holds.
#[derive(Debug, Clone)]
pub enum Compared {
    /// A JSON report: it has cases.
    Report(Box<Report>),
    /// A profile: it has points.
    Profile(Box<Profile>),
}

/// What is different, and of what.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Diff {
    /// Where the deployment of the first file answers.
    pub before: String,
    /// Where that of the second does.
    pub after: String,
    /// What is different between two reports, in the order of the second and then of the first; empty for
    /// profiles.
    pub cases: Vec<CaseChange>,
    /// What is different between two profiles, in the order of the names; empty for reports.
    pub points: Vec<PointChange>,
    /// Points that one of two profiles found out and the other did not, as without leave to write: nobody
    /// can tell whether they are different.
    pub not_compared: Vec<String>,
}

/// How a case is different.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CaseChange {
    /// Its id.
    pub id: String,
    /// What is expected, as a sentence.
    pub title: String,
    /// What kind of difference it is.
    pub change: Change,
    /// The verdict in the first report; null when it is not there.
    pub before: Option<Verdict>,
    /// The verdict in the second report; null when it is not there.
    pub after: Option<Verdict>,
    /// Findings that only the second report has.
    pub found: Vec<Finding>,
    /// Findings that only the first report has.
    pub gone: Vec<Finding>,
}

/// The kinds of differences of a case, in the order in which a reader wants them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It fails, and did not.
    NewlyFailing,
    /// It fails as before, and shows something else.
    OtherFindings,
    /// It has another verdict, and neither fails nor failed and passes.
    OtherVerdict,
    /// It failed, and passes.
    NewlyPassing,
    /// Only the second report has it.
    New,
    /// Only the first report has it.
    Gone,
}

impl Change {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::NewlyFailing,
        Self::OtherFindings,
        Self::OtherVerdict,
        Self::NewlyPassing,
        Self::New,
        Self::Gone,
    ];

    /// It, as a heading.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::NewlyFailing => "Newly failing",
            Self::OtherFindings => "Failing in another way",
            Self::OtherVerdict => "Another verdict",
            Self::NewlyPassing => "Newly passing",
            Self::New => "New",
            Self::Gone => "Gone",
        }
    }
}

/// How a point is different.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PointChange {
    /// Its name.
    pub point: String,
    /// Its question.
    pub question: String,
    /// What the first deployment does; null when the first profile does not have it.
    pub before: Option<Behaved>,
    /// What the second one does; null when the second profile does not have it.
    pub after: Option<Behaved>,
}

/// What a deployment does at a point, as far as it is compared.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Behaved {
    /// The name of the behaviour; null when it was not found out.
    pub behaviour: Option<String>,
    /// What goes with it.
    pub value: Value,
    /// Whether that is what the contract decided; null when it was not found out.
    pub as_the_contract: Option<bool>,
    /// The requests that show it.
    pub requests: Vec<String>,
}

/// Why two files cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum DiffError {
    /// A file could not be read.
    #[error("{0} could not be read")]
    Unreadable(String, #[source] std::io::Error),
    /// A file is neither a report nor a profile.
    #[error(
        "{0} is neither a JSON report (`run --report json=FILE`) nor a profile (`probe --out FILE`)"
    )]
    Neither(String),
    /// A file is a report that cannot be read.
    #[error("{0}")]
    Report(String, #[source] ReadError),
    /// A file is a profile that cannot be read.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// One is a report, the other a profile.
    #[error("a report and a profile cannot be compared: give two of a kind")]
    Kinds,
}

impl Compared {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or is neither a JSON report nor a profile that this kit reads.
    pub fn read(path: &Path) -> Result<Self, DiffError> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| DiffError::Unreadable(file.clone(), error))?;
        Self::parse(&file, &text)
    }

    /// Reads the text of a file; `file` names it in errors.
    ///
    /// # Errors
    /// When it is neither a JSON report nor a profile that this kit reads.
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
    /// What is different between two files of a kind.
    ///
    /// # Errors
    /// [`DiffError::Kinds`] when they are not of a kind.
    pub fn between(before: &Compared, after: &Compared) -> Result<Self, DiffError> {
        match (before, after) {
            (Compared::Report(before), Compared::Report(after)) => {
                Ok(Self::of_reports(before, after))
            }
            (Compared::Profile(before), Compared::Profile(after)) => {
                Ok(Self::of_profiles(before, after))
            }
            _ => Err(DiffError::Kinds),
        }
    }

    /// What is different between two reports.
    pub fn of_reports(before: &Report, after: &Report) -> Self {
        let mut cases: Vec<_> = after
            .cases
            .iter()
            .filter_map(|case| changed(before.case(&case.id), Some(case)))
            .collect();
        let gone = before
            .cases
            .iter()
            .filter(|case| after.case(&case.id).is_none());
        cases.extend(gone.filter_map(|case| changed(Some(case), None)));
        Self {
            before: before.target.base_url.clone(),
            after: after.target.base_url.clone(),
            cases,
            points: Vec::new(),
            not_compared: Vec::new(),
        }
    }

    /// What is different between two profiles.
    pub fn of_profiles(before: &Profile, after: &Profile) -> Self {
        let ids: BTreeSet<_> = before.points.keys().chain(after.points.keys()).collect();
        let points = ids.into_iter().filter_map(|id| {
            let (one, other) = (before.points.get(id), after.points.get(id));
            let same = one.zip(other).is_some_and(|(one, other)| {
                one.same_as(other) || one.behaviour.is_none() || other.behaviour.is_none()
            });
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

    /// Whether nothing is different.
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty() && self.points.is_empty()
    }

    /// The cases that are different in this way.
    pub fn with(&self, change: Change) -> impl Iterator<Item = &CaseChange> {
        self.cases.iter().filter(move |case| case.change == change)
    }

    /// It as JSON, indented.
    pub fn to_json(&self) -> String {
        json::pretty_text(self)
    }

    /// The same, fit to be shown: a file may hold anything.
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

    /// How many there are of each kind, in a few words.
    pub fn summary(&self) -> String {
        if self.is_empty() {
            return "nothing is different".to_owned();
        }
        let mut parts: Vec<_> = Change::ALL
            .into_iter()
            .map(|change| (self.with(change).count(), change.heading().to_lowercase()))
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        match self.points.len() {
            0 => {}
            1 => parts.push("1 point is different".to_owned()),
            count => parts.push(format!("{count} points are different")),
        }
        parts.join(", ")
    }
}

impl CaseChange {
    fn fit_to_show(&self) -> Self {
        let all = |findings: &[Finding]| {
            let findings = findings.iter();
            findings
                .map(|one| shown::finding(one, shown::SHORT))
                .collect()
        };
        Self {
            id: line(&self.id),
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

    /// It, in a few words.
    pub fn shown(&self) -> String {
        match &self.behaviour {
            Some(name) => catalogue::profile::shown(name, &self.value),
            None => "not found out".to_owned(),
        }
    }
}

/// A text in which everything can be seen, and that is not too long.
fn line(text: &str) -> String {
    shown::cut(shown::visible(text), shown::SHORT)
}

/// How a case is different, if it is.
fn changed(before: Option<&CaseReport>, after: Option<&CaseReport>) -> Option<CaseChange> {
    let case = after.or(before)?;
    let (one, other) = (
        before.map(|case| case.verdict),
        after.map(|case| case.verdict),
    );
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
        title: case.title.clone(),
        change,
        before: one,
        after: other,
        found,
        gone,
    })
}

/// The findings that one report of a case has and the other has not.
fn only_in(one: Option<&CaseReport>, other: Option<&CaseReport>) -> Vec<Finding> {
    let key = |finding: &Finding| (finding.what.clone(), finding.expected.clone());
    let findings = |case: Option<&CaseReport>| -> Vec<Finding> {
        case.map(|case| case.findings.clone()).unwrap_or_default()
    };
    let known: BTreeSet<_> = findings(other).iter().map(key).collect();
    let mine = findings(one)
        .into_iter()
        .map(|finding| (key(&finding), finding));
    // The same of many is told once, by the first.
    let mut unknown = BTreeMap::new();
    for (key, finding) in mine.filter(|(key, _)| !known.contains(key)) {
        unknown.entry(key).or_insert(finding);
    }
    unknown.into_values().collect()
}
