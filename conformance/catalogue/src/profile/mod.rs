//! The behaviour profile: a file with what a deployment does at every point that the source leaves open.
//!
//! A deployment that decided otherwise than the contract is not wrong, only different. Its profile records the
//! differences, so that a run can check the deployment against its own decisions, and so that two deployments, or two
//! dates, can be compared. A profile contains no key and no time: the same deployment produces the same file.

mod cases;
mod contract;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::table::render;
use crate::points::{Behaviour, MIXED, OTHER, Observation, Point, points};
use engine::case::Case;
use engine::report::shown::{SHORT, cut, visible};
use engine::report::{CaseReport, Report, Reporter, json};
use engine::run::options::{Options, RunError};
use engine::run::run;
use engine::target::Target;
use platform_contract::Contract;

/// The version of the file format. It is incremented when a field is removed or changes its meaning, and when a point
/// is observed in another way.
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
    /// The base URL of the deployment.
    pub base_url: String,
    /// The observation at each point, by the id of the point.
    pub points: BTreeMap<String, Observed>,
}

/// What a deployment does at one point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Observed {
    /// The question.
    pub question: String,
    /// The decisions of the contract that answer the question.
    pub decisions: BTreeSet<String>,
    /// The name of the observed behaviour; null if it is unknown.
    pub behaviour: Option<String>,
    /// The value of the behaviour: a status, a number, a list of names. Null if it has none.
    pub value: Value,
    /// Whether the behaviour is the contract's own; null if it is unknown.
    pub as_the_contract: Option<bool>,
    /// Why the behaviour is unknown, and what to add.
    pub unknown: Option<String>,
    /// The requests that show the behaviour, as shell commands; environment variables replace the keys.
    pub requests: Vec<String>,
}

/// Why this kit cannot use a file as a profile.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// The file could not be read.
    #[error("the profile {0} could not be read")]
    Unreadable(String, #[source] std::io::Error),
    /// The file is not a profile.
    #[error("{0} is not a profile: write one with `platform-conformance probe --out FILE`")]
    Malformed(String, #[source] serde_json::Error),
    /// The profile has another version of the format.
    #[error(
        "the profile {file} has version {found}, and this kit reads version {PROFILE_VERSION}: probe the \
             deployment again"
    )]
    Version {
        /// The file.
        file: String,
        /// The version of the profile.
        found: u64,
    },
    /// The profile was made for another version of the contract.
    #[error("the profile {file} was made for contract {found}, and this kit has {known}: probe the deployment again")]
    Contract {
        /// The file.
        file: String,
        /// The version of the profile's contract.
        found: String,
        /// The version of the kit's contract.
        known: String,
    },
    /// The profile names a point that this kit does not know.
    #[error("the profile {file} has a point {point}, which this kit does not know: probe the deployment again")]
    UnknownPoint {
        /// The file.
        file: String,
        /// The id of the point.
        point: String,
    },
    /// The profile names a behaviour that the point does not have.
    #[error("the profile {file} has the unknown behaviour {behaviour} at {point}: use one of {known}")]
    UnknownBehaviour {
        /// The file.
        file: String,
        /// The id of the point.
        point: String,
        /// The name of the behaviour.
        behaviour: String,
        /// The behaviours of the point.
        known: String,
    },
}

impl Profile {
    /// Reads a file that `platform-conformance probe` has written.
    ///
    /// # Errors
    /// When the file cannot be read, is not a profile, has another version of the format or of the contract, or names
    /// something that this kit does not know.
    pub fn read(path: &Path) -> Result<Self, ProfileError> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| ProfileError::Unreadable(file.clone(), error))?;
        Self::parse(&file, &text)
    }

    /// Reads the text of a profile; `file` names it in errors.
    ///
    /// # Errors
    /// The errors of [`read`](Self::read), except those of reading the file.
    pub fn parse(file: &str, text: &str) -> Result<Self, ProfileError> {
        let malformed = |error| ProfileError::Malformed(file.to_owned(), error);
        let json: Value = serde_json::from_str(text).map_err(malformed)?;
        // A profile of another version may have other fields.
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

    /// Checks that this kit can use the profile.
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

    /// Returns the profile as indented JSON, with the points ordered by id.
    pub fn to_json(&self) -> String {
        json::pretty_text(self)
    }

    /// Returns the points at which the deployment decided otherwise than the contract, by id.
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

    /// Whether two observations of one point show the same behaviour.
    pub fn same_as(&self, other: &Self) -> bool {
        (&self.behaviour, &self.value) == (&other.behaviour, &other.value)
    }

    /// Returns the behaviour and its value in short form; `None` if it is unknown.
    pub fn shown(&self) -> Option<String> {
        self.behaviour.as_deref().map(|name| shown(name, &self.value))
    }
}

impl Behaviour {
    /// Returns the name and the value in short form: `refused 422`.
    pub fn shown(&self) -> String {
        shown(self.name, &self.value)
    }
}

/// A behaviour and its value in short form, safe to print.
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

/// The observations that a run has made so far.
type Observations = Arc<Mutex<BTreeMap<&'static str, Observation>>>;

/// Finds out what a deployment does at every point. Needs a Tokio runtime.
///
/// Each point is a case `profile/POINT` of a run: the reporter receives its events, and every option of a run applies.
/// Nothing is added without permission. `options.only` selects among these ids.
///
/// # Errors
/// The errors of [`run`](engine::run()).
pub async fn take(
    target: &Target,
    options: &Options,
    reporter: &mut dyn Reporter,
) -> Result<(Profile, Report), RunError> {
    let (points, observations) = (points(), Observations::default());
    let cases = points.iter().map(|point| {
        let observations = Arc::clone(&observations);
        let (id, point_of_case) = (point.id, point.clone());
        cases::case(point, point.question.to_owned()).check(move |probe| {
            let (point, observations) = (point_of_case.clone(), Arc::clone(&observations));
            async move {
                let observation = point.observe(probe.clone()).await?;
                let observation = observation.redacted(&probe);
                probe.assert(true, id, "", "", &[]);
                observations.lock().insert(id, observation);
                Ok(())
            }
        })
    });
    let cases: Vec<Case> = cases.collect();
    let report = run(cases, target, options, reporter).await?;
    let mut observations = std::mem::take(&mut *observations.lock());
    // The options select points.
    let asked = points.iter().filter_map(|point| {
        let case = report.case(&cases::case_id(point.id))?;
        Some((point, case))
    });
    let points = asked.map(|(point, case)| {
        (
            point.id.to_owned(),
            observed(point, observations.remove(point.id), case),
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

fn observed(point: &Point, observation: Option<Observation>, case: &CaseReport) -> Observed {
    if let Some(observation) = observation {
        let requests = observation.requests.iter().map(|line| line.to_string());
        return Observed {
            requests: requests.collect(),
            ..Observed::of(point, Some((observation.behaviour, observation.value)))
        };
    }
    // A check that stopped gives a reason, or a finding with the unexpected response.
    let finding = || {
        let first = case.findings.first();
        first.map(|finding| format!("{}: {}", finding.what, finding.seen))
    };
    let reason = case.reason.clone().or_else(finding);
    Observed {
        unknown: Some(reason.unwrap_or_else(|| "the run ended first".to_owned())),
        ..Observed::of(point, None)
    }
}
