//! `run --profile`: the cases of a run, as a profile governs them. Where the deployment decided otherwise,
//! the cases of the contract give way to one that holds it to what its profile says.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::FutureExt;
use serde_json::Value;

use super::{Observed, Profile};
use crate::case::{Case, Check, Clause, Need};
use crate::catalogue::points::{Point, Sight, points};
use crate::contract::{Basis, Contract};
use crate::pattern::Pattern;
use crate::probe::Probe;
use crate::verdict::{Outcome, Stop};

/// The random walks, each with the decisions that what it foresees rests on, cited or not.
const WALKS: [(&str, &[&str]); 3] = [
    (
        "law/hostile-input-is-answered-as-foreseen/*",
        &[
            "D05", "D06", "D07", "D08", "D09", "D10", "D11", "D13", "D14", "D17", "D18", "D20",
            "D21",
        ],
    ),
    (
        "law/random-searches-agree/*",
        &["D03", "D04", "D05", "D06", "D07", "D08", "D09", "D10"],
    ),
    ("law/random-pages-agree", &["D15", "D16"]),
];

/// The most requests of the walks that a point begins, and the organizations that it adds when it may.
const WALKED: u64 = 1_000;
const ADDS: u64 = 1;

/// The id of the case that holds a deployment to what its profile says of a point.
pub(super) fn case_id(point: &str) -> String {
    format!("profile/{point}")
}

/// A case of a point, which cites what the contract decided; it needs a check.
pub(super) fn case(point: &Point, catalogue: &[Case], title: String) -> Case {
    let governed = catalogue.iter().filter(|case| point.governs(&case.id));
    let decided = |basis: &Basis| matches!(basis, Basis::Decided(id) if point.decisions.contains(&id.as_str()));
    let mut clauses = governed.flat_map(|case| &case.clauses);
    let clause = clauses.find(|clause| decided(&clause.basis));
    // A decision that no case rests on is cited as a row of the contract's own table.
    let clause = clause.cloned().unwrap_or_else(|| Clause {
        pointer: "/x-decisions".to_owned(),
        sentence: point.of_the_contract().means.to_owned(),
        basis: Basis::Decided(point.decisions[0].to_owned()),
    });
    let case = Case::resting_on(case_id(point.id), title, clause);
    let adds = u64::from(point.needs.contains(&Need::Writes)) * ADDS;
    case.needs(point.needs.iter().copied())
        .sends(point.sends)
        .walks(WALKED)
        .adds(adds)
        .writes(point.writes)
}

impl Profile {
    /// The cases of a run on the deployment that it is of: those of a point at which it decided otherwise
    /// are skipped, and a case `profile/POINT` each sees to it that it still does what the profile says.
    pub(crate) fn govern(&self, mut cases: Vec<Case>) -> Vec<Case> {
        let points = points();
        let differing = self.differing().filter_map(|(id, observed)| {
            let point = points.iter().find(|point| point.id == id)?;
            Some((point, observed))
        });
        let mut own = Vec::new();
        for (point, observed) in differing {
            own.push(held(point, observed, &cases));
            let governed = cases.iter().filter(|case| point.governs(&case.id));
            let operations = governed.map(|case| operation_of(&case.id)).collect();
            let touched = cases
                .iter_mut()
                .filter(|case| bears_on(point, case, &operations));
            for case in touched {
                give_way(case, point, observed);
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
        let walk = WALKS
            .iter()
            .find(|(walk, _)| Pattern::from(*walk).matches(&case.id));
        let foresees = walk.is_some_and(|(_, decisions)| {
            point
                .decisions
                .iter()
                .any(|decision| decisions.contains(decision))
        });
        foresees && operations.contains(&operation_of(&case.id))
    };
    point.governs(&case.id) || walks_there()
}

/// The operation that a case looks at: most ids name it.
fn operation_of(id: &str) -> String {
    let operations = Contract::bundled().operations().iter();
    let named = operations
        .map(|operation| operation.id.as_str())
        .find(|operation| id.split('/').any(|segment| segment == *operation));
    let by_group = || match id.split('/').next() {
        Some("add") => "add_organization",
        _ => "list_items",
    };
    named.unwrap_or_else(by_group).to_owned()
}

/// A case that holds the deployment to what its profile says.
fn held(point: &Point, observed: &Observed, catalogue: &[Case]) -> Case {
    let said = observed.shown().unwrap_or_default();
    let title = format!(
        "{} It still does what its profile says: {said}",
        point.question
    );
    let (point_of_case, observed) = (point.clone(), observed.clone());
    case(point, catalogue, title)
        .check(move |probe| still(probe, point_of_case.clone(), observed.clone()))
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
fn give_way(case: &mut Case, point: &Point, observed: &Observed) {
    let reason = format!(
        "the profile says {}: {}, and {} holds the deployment to that",
        point.id,
        observed.shown().unwrap_or_default(),
        case_id(point.id)
    );
    case.needs.clear();
    (case.sends, case.per_walk, case.walks, case.adds) = (0, 0, 0, 0);
    (case.writes, case.writes_per_walk) = (0, 0);
    case.check = Check::Asks(Arc::new(move |_| {
        let stop = Stop::Skipped(reason.clone());
        async move { Err(stop) }.boxed()
    }));
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
