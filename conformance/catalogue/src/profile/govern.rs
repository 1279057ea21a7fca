//! `run --profile`: the cases of a run, as a profile governs them. Where the deployment decided otherwise,
//! the cases of the contract give way to one that holds it to what its profile says.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Observed, Profile};
use crate::catalogue_of;
use crate::points::{Point, Sight, points};
use engine::case::{Case, Need};
use engine::session::Probe;
use engine::verdict::Outcome;

/// The most requests of the walks that a point begins, and the organizations that it adds when it may.
const WALKED: u64 = 1_000;
const ADDS: u64 = 1;

/// The id of the case that holds a deployment to what its profile says of a point.
pub(super) fn case_id(point: &str) -> String {
    format!("profile/{point}")
}

/// A case of a point, which cites what the contract decided; it needs a check.
pub(super) fn case(point: &Point, title: String) -> Case {
    let case = Case::resting_on(case_id(point.id), title, point.clauses.clone());
    let case = case.in_chapter("What the deployment decided otherwise, held to its profile");
    let adds = u64::from(point.needs.contains(&Need::Writes)) * ADDS;
    case.needs(point.needs.iter().copied())
        .sends(point.sends)
        .walks(WALKED)
        .adds(adds)
        .writes(point.writes)
}

impl Profile {
    /// The cases of the catalogue for this deployment: with its bounds, without the cases of each point at which it
    /// decided otherwise, and with a case `profile/POINT` instead that checks what the profile says.
    pub fn cases(&self) -> Vec<Case> {
        let mut cases = catalogue_of(self.contract());
        let points = points();
        let differing = self.differing().filter_map(|(id, observed)| {
            let point = points.iter().find(|point| point.id == id)?;
            Some((point, observed))
        });
        let mut own = Vec::new();
        for (point, observed) in differing {
            own.push(held(point, observed));
            let governed = cases.iter().filter(|case| point.governs(&case.id));
            let operations = governed
                .flat_map(Case::operations)
                .map(str::to_owned)
                .collect();
            let touched = cases
                .iter_mut()
                .filter(|case| bears_on(point, case, &operations));
            for case in touched {
                *case = give_way(case, point, observed);
            }
        }
        cases.extend(own);
        cases
    }
}

/// Whether this case would hold against a deployment what it decided otherwise at a point: one that the
/// point governs, or a random walk through an operation that it governs a case of.
fn bears_on(point: &Point, case: &Case, operations: &BTreeSet<String>) -> bool {
    let walks_there = || {
        let foreseen = case.decisions_foreseen();
        let differs = point.decisions().into_iter();
        case.is_walk()
            && case
                .operations()
                .iter()
                .any(|operation| operations.contains(*operation))
            && differs
                .into_iter()
                .any(|decision| foreseen.contains(decision))
    };
    point.governs(&case.id) || walks_there()
}

/// A case that holds the deployment to what its profile says.
fn held(point: &Point, observed: &Observed) -> Case {
    let said = observed.shown().unwrap_or_default();
    let title = format!(
        "{} It still does what its profile says: {said}",
        point.question
    );
    let (point_of_case, observed) = (point.clone(), observed.clone());
    case(point, title).check(move |probe| still(probe, point_of_case.clone(), observed.clone()))
}

async fn still(probe: Probe, point: Point, observed: Observed) -> Outcome {
    let sight = point.observe(probe.clone()).await?.redacted(&probe);
    let now = Observed::of(&point, Some((sight.behaviour, sight.value)));
    let shown = |observed: &Observed| observed.shown().unwrap_or_default();
    probe.assert_shown(
        now.same_as(&observed),
        point.question,
        format!("{}, as its profile says", shown(&observed)),
        shown(&now),
        sight.requests.iter().map(|line| line.to_string()),
    );
    Ok(())
}

/// A case that is not held against a deployment that decided otherwise.
fn give_way(case: &Case, point: &Point, observed: &Observed) -> Case {
    let reason = format!(
        "the profile says {}: {}, and {} holds the deployment to that",
        point.id,
        observed.shown().unwrap_or_default(),
        case_id(point.id)
    );
    case.clone().skipped(reason)
}

impl Sight {
    /// Without any key that the deployment may have repeated.
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
        Value::Array(entries) => entries
            .into_iter()
            .map(|entry| redact(entry, probe))
            .collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| (probe.redact_said(&name), redact(value, probe)))
            .collect(),
        value => value,
    }
}
