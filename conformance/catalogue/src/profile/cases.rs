//! `run --profile`: the cases of a run, as a profile governs them. Where the deployment decided otherwise, a case that
//! checks the profile replaces the cases of the contract.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Observed, Profile};
use crate::catalogue_of;
use crate::points::{Observation, Point, points};
use engine::case::{Case, Need};
use engine::session::Probe;
use engine::verdict::Outcome;

/// Limits on the requests of the walks that a point starts, and on the organizations that it adds if it may.
const WALKED: u64 = 1_000;
const ADDS: u64 = 1;

/// The id of the case that checks the profile's entry for a point.
pub(super) fn case_id(point: &str) -> String {
    format!("profile/{point}")
}

/// A case of a point, which cites the contract's decision; it still needs a check.
pub(super) fn case(point: &Point, title: String) -> Case {
    let case = Case::resting_on(case_id(point.id), title, point.clauses.clone());
    let case = case.in_chapter("Decided otherwise, checked against the profile");
    let adds = u64::from(point.needs.contains(&Need::Writes)) * ADDS;
    case.needs(point.needs.iter().cloned())
        .sends(point.sends)
        .walks(WALKED)
        .adds(adds)
        .writes(point.writes)
}

impl Profile {
    /// Returns the cases of the catalogue for this deployment: with its bounds, without the cases of each point at
    /// which it decided otherwise, and with a case `profile/POINT` instead that checks the deployment against its
    /// profile.
    pub fn cases(&self) -> Vec<Case> {
        let mut cases = catalogue_of(&self.contract());
        let points = points();
        let differing = self.differing().filter_map(|(id, observed)| {
            let point = points.iter().find(|point| point.id == id)?;
            Some((point, observed))
        });
        let mut own = Vec::new();
        for (point, observed) in differing {
            own.push(profile_case(point, observed));
            let governed = cases.iter().filter(|case| point.governs(&case.id));
            let operations = governed.flat_map(Case::operations).map(str::to_owned).collect();
            let touched = cases.iter_mut().filter(|case| concerns(point, case, &operations));
            for case in touched {
                *case = replaced_by_point(case, point, observed);
            }
        }
        cases.extend(own);
        cases
    }
}

/// Whether this case would fail the deployment for deciding otherwise at a point: a case that the point governs, or a
/// property test of an operation that has such a case.
fn concerns(point: &Point, case: &Case, operations: &BTreeSet<String>) -> bool {
    let walks_there = || {
        let foreseen = case.decisions_foreseen();
        let differs = point.decisions().into_iter();
        case.has_property_runs()
            && case
                .operations()
                .iter()
                .any(|operation| operations.contains(*operation))
            && differs.into_iter().any(|decision| foreseen.contains(decision))
    };
    point.governs(&case.id) || walks_there()
}

/// A case that checks the deployment against its profile.
fn profile_case(point: &Point, observed: &Observed) -> Case {
    let said = observed.shown().unwrap_or_default();
    let title = format!(
        "{} The deployment still behaves as in its profile: {said}",
        point.question
    );
    let (point_of_case, observed) = (point.clone(), observed.clone());
    case(point, title).check(move |probe| behaves_as_observed(probe, point_of_case.clone(), observed.clone()))
}

async fn behaves_as_observed(probe: Probe, point: Point, observed: Observed) -> Outcome {
    let observation = point.observe(probe.clone()).await?.redacted(&probe);
    let now = Observed::of(&point, Some((observation.behaviour, observation.value)));
    let shown = |observed: &Observed| observed.shown().unwrap_or_default();
    probe.assert_shown(
        now.same_as(&observed),
        point.question,
        &format!("{}, as in its profile", shown(&observed)),
        &shown(&now),
        observation.requests.iter().map(|line| line.to_string()),
    );
    Ok(())
}

/// Skips a case that does not apply to a deployment that decided otherwise.
fn replaced_by_point(case: &Case, point: &Point, observed: &Observed) -> Case {
    let reason = format!(
        "the profile has {}: {}, which {} checks instead",
        point.id,
        observed.shown().unwrap_or_default(),
        case_id(point.id)
    );
    case.clone().skipped(reason)
}

impl Observation {
    /// Removes any key that the deployment may have repeated.
    pub(super) fn redacted(self, probe: &Probe) -> Self {
        let requests = self.requests.iter().map(|line| probe.redact(line).into());
        Self {
            behaviour: self.behaviour,
            requests: requests.collect(),
            value: redact(self.value, probe),
        }
    }
}

fn redact(value: Value, probe: &Probe) -> Value {
    match value {
        Value::String(text) => probe.redact_said(&text).into(),
        Value::Array(entries) => entries.into_iter().map(|entry| redact(entry, probe)).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| (probe.redact_said(&name), redact(value, probe)))
            .collect(),
        value => value,
    }
}
