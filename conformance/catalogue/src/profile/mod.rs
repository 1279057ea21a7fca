//! The behaviour profile: what a deployment does at every point that the source leaves open, in a file.
//!
//! A deployment that decided otherwise than the contract is not broken, only different. Its profile says
//! where, so that a run can hold it to its own word, and so that two deployments, or two days, can be
//! compared. A profile holds no key and no time: the same deployment makes the same file.

mod amend;
mod govern;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::table::render;
use crate::points::{Behaviour, MIXED, OTHER, Point, Sight, points};
use engine::case::Case;
use engine::report::shown::{SHORT, cut, visible};
use engine::report::{CaseReport, Report, Reporter, json};
use engine::run::options::{Options, RunError};
use engine::run::run;
use engine::target::Target;
use platform_contract::Contract;

/// The version of the file. It rises when a field changes its meaning or goes away, and when a point is
/// observed in another way.
pub const PROFILE_VERSION: u32 = 1;

/// What a deployment does at every point that the source leaves open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The version of this format.
    pub version: u32,
    /// The version of the kit.
    pub kit_version: String,
    /// The version of the contract, `info.version` of `openapi.yaml`.
    pub contract_version: String,
    /// Where the deployment answers.
    pub base_url: String,
    /// What it does, by the names of the points.
    pub points: BTreeMap<String, Observed>,
}

/// What a deployment does at one point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Observed {
    /// The question.
    pub question: String,
    /// The decisions of the contract that answer it.
    pub decisions: BTreeSet<String>,
    /// The name of what the deployment does; null when it was not found out.
    pub behaviour: Option<String>,
    /// What goes with it: a status, a number, a list of names. Null when there is nothing.
    pub value: Value,
    /// Whether that is what the contract decided; null when it was not found out.
    pub as_the_contract: Option<bool>,
    /// Why it was not found out, and what to add.
    pub unknown: Option<String>,
    /// The requests that show it, as lines for a shell; keys stand as environment variables.
    pub requests: Vec<String>,
}

/// Why a file is no profile of this kit.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// The file could not be read.
    #[error("the profile {0} could not be read")]
    Unreadable(String, #[source] std::io::Error),
    /// The file is not a profile.
    #[error("{0} is no profile: `platform-conformance probe --out FILE` writes one")]
    Malformed(String, #[source] serde_json::Error),
    /// It is of another version.
    #[error(
        "the profile {file} is of version {found}, and this kit reads version {PROFILE_VERSION}: probe the deployment again"
    )]
    Version {
        /// The file.
        file: String,
        /// Its version.
        found: u64,
    },
    /// It is of another version of the contract.
    #[error(
        "the profile {file} is of contract {found}, and this kit has {known}: probe the deployment again"
    )]
    Contract {
        /// The file.
        file: String,
        /// The version of its contract.
        found: String,
        /// The version that the kit has.
        known: String,
    },
    /// It names a point that this kit does not know.
    #[error(
        "the profile {file} has a point {point}, which this kit does not know: probe the deployment again"
    )]
    UnknownPoint {
        /// The file.
        file: String,
        /// The name.
        point: String,
    },
    /// It names a behaviour that the point does not have.
    #[error("the profile {file} says {point}: {behaviour}; that point has {known}")]
    UnknownBehaviour {
        /// The file.
        file: String,
        /// The name of the point.
        point: String,
        /// The name of the behaviour.
        behaviour: String,
        /// The names that there are.
        known: String,
    },
}

impl Profile {
    /// Reads a file that `platform-conformance probe` has written.
    ///
    /// # Errors
    /// When it cannot be read, is no profile, is of another version of the format or of the contract, or
    /// names what this kit does not know.
    pub fn read(path: &Path) -> Result<Self, ProfileError> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| ProfileError::Unreadable(file.clone(), error))?;
        Self::parse(&file, &text)
    }

    /// Reads the text of such a file; `file` names it in errors.
    ///
    /// # Errors
    /// As [`read`](Self::read), but for reading.
    pub fn parse(file: &str, text: &str) -> Result<Self, ProfileError> {
        let malformed = |error| ProfileError::Malformed(file.to_owned(), error);
        let json: Value = serde_json::from_str(text).map_err(malformed)?;
        // What is of another version may have other fields.
        if let Some(found) = json["version"].as_u64()
            && found != u64::from(PROFILE_VERSION)
        {
            let file = file.to_owned();
            return Err(ProfileError::Version { file, found });
        }
        let profile: Self = serde_json::from_value(json).map_err(malformed)?;
        profile.check(file)?;
        Ok(profile)
    }

    /// Whether this kit can hold a deployment to it.
    fn check(&self, file: &str) -> Result<(), ProfileError> {
        let (file, known) = (file.to_owned(), contract_version());
        if self.contract_version != known {
            let found = self.contract_version.clone();
            return Err(ProfileError::Contract { file, found, known });
        }
        let points = points();
        for (id, observed) in &self.points {
            let Some(point) = points.iter().find(|point| point.id == id) else {
                let point = id.clone();
                return Err(ProfileError::UnknownPoint { file, point });
            };
            let Some(behaviour) = &observed.behaviour else {
                continue;
            };
            let names: Vec<_> = point.names().collect();
            if !names.contains(&behaviour.as_str()) {
                return Err(ProfileError::UnknownBehaviour {
                    file,
                    point: id.clone(),
                    behaviour: behaviour.clone(),
                    known: names.join(", "),
                });
            }
        }
        Ok(())
    }

    /// Writes it as JSON, indented, the points in order of their names.
    pub fn to_json(&self) -> String {
        json::pretty_text(self)
    }

    /// The points at which the deployment decided otherwise than the contract, by their names.
    pub fn differing(&self) -> impl Iterator<Item = (&str, &Observed)> {
        let points = self.points.iter();
        let differing = points.filter(|(_, observed)| observed.as_the_contract == Some(false));
        differing.map(|(id, observed)| (id.as_str(), observed))
    }
}

impl Point {
    /// The names of all behaviours that a deployment may show.
    fn names(&self) -> impl Iterator<Item = &str> {
        let named = self.behaviours.iter().map(|behaviour| behaviour.name);
        named.chain([OTHER, MIXED])
    }
}

impl Observed {
    fn of(point: &Point, behaviour: Option<(&str, Value)>) -> Self {
        let contract = point.of_the_contract();
        let as_the_contract = behaviour
            .as_ref()
            .map(|(name, value)| *name == contract.name && *value == contract.value);
        let (behaviour, value) = match behaviour {
            Some((name, value)) => (Some(name.to_owned()), value),
            None => (None, Value::Null),
        };
        Self {
            question: point.question.to_owned(),
            decisions: point.decisions().into_iter().map(str::to_owned).collect(),
            behaviour,
            value,
            as_the_contract,
            unknown: None,
            requests: Vec::new(),
        }
    }

    /// Whether two observations of one point are of the same behaviour.
    pub fn same_as(&self, other: &Self) -> bool {
        (&self.behaviour, &self.value) == (&other.behaviour, &other.value)
    }

    /// The behaviour and its value, in a few words; none when it was not found out.
    pub fn shown(&self) -> Option<String> {
        self.behaviour
            .as_deref()
            .map(|name| shown(name, &self.value))
    }
}

impl Behaviour {
    /// Its name and its value, in a few words: `refused 422`.
    pub fn shown(&self) -> String {
        shown(self.name, &self.value)
    }
}

/// A behaviour and its value, in a few words, fit to be shown.
pub fn shown(name: &str, value: &Value) -> String {
    let shown = match value {
        Value::Null => name.to_owned(),
        Value::String(text) => format!("{name}: {text}"),
        Value::Array(entries) => {
            let entries: Vec<_> = entries.iter().map(entry).collect();
            format!("{name} [{}]", entries.join(", "))
        }
        value => format!("{name} {value}"),
    };
    cut(visible(&shown), SHORT)
}

/// An entry of a list.
fn entry(entry: &Value) -> String {
    let text = entry.as_str().map(visible);
    text.unwrap_or_else(|| visible(&entry.to_string()))
}

/// The JSON Schema of the file, published beside the crate as `profile.schema.json`.
pub fn schema() -> Value {
    schemars::schema_for!(Profile).to_value()
}

fn contract_version() -> String {
    let version = Contract::bundled().document()["info"]["version"].as_str();
    version.unwrap_or_default().to_owned()
}

/// What the points showed while a run went on.
type Sights = Arc<Mutex<BTreeMap<&'static str, Sight>>>;

/// Finds out what a deployment does at every point. Needs a Tokio runtime around it.
///
/// Each point is a case `profile/POINT` of a run, so that the reporter is told of them, and everything that
/// the options say of a run holds: nothing is added without leave. `options.only` chooses among these ids.
///
/// # Errors
/// Those of [`run`](engine::run()).
pub async fn take(
    target: &Target,
    options: &Options,
    reporter: &mut dyn Reporter,
) -> Result<(Profile, Report), RunError> {
    let (points, sights) = (points(), Sights::default());
    let cases = points.iter().map(|point| {
        let sights = Arc::clone(&sights);
        let (id, point_of_case) = (point.id, point.clone());
        govern::case(point, point.question.to_owned()).check(move |probe| {
            let (point, sights) = (point_of_case.clone(), Arc::clone(&sights));
            async move {
                let sight = point.observe(probe.clone()).await?;
                let sight = sight.redacted(&probe);
                probe.assert(true, id, "", "", &[]);
                sights.lock().insert(id, sight);
                Ok(())
            }
        })
    });
    let cases: Vec<Case> = cases.collect();
    let report = run(cases, target, options, reporter).await?;
    let mut sights = std::mem::take(&mut *sights.lock());
    // The options choose among the points.
    let asked = points.iter().filter_map(|point| {
        let case = report.case(&govern::case_id(point.id))?;
        Some((point, case))
    });
    let points = asked.map(|(point, case)| {
        (
            point.id.to_owned(),
            observed(point, sights.remove(point.id), case),
        )
    });
    let profile = Profile {
        version: PROFILE_VERSION,
        kit_version: env!("CARGO_PKG_VERSION").to_owned(),
        contract_version: contract_version(),
        base_url: report.target.base_url.clone(),
        points: points.collect(),
    };
    Ok((profile, report))
}

fn observed(point: &Point, sight: Option<Sight>, case: &CaseReport) -> Observed {
    if let Some(sight) = sight {
        let requests = sight.requests.iter().map(|line| line.to_string());
        return Observed {
            requests: requests.collect(),
            ..Observed::of(point, Some((sight.behaviour, sight.value)))
        };
    }
    // A check that could not go on says why, or shows the answer that it could not go on with.
    let finding = || {
        let first = case.findings.first();
        first.map(|finding| format!("{}: {}", finding.what, finding.seen))
    };
    let reason = case.reason.clone().or_else(finding);
    Observed {
        unknown: Some(reason.unwrap_or_else(|| "the run ended before".to_owned())),
        ..Observed::of(point, None)
    }
}
