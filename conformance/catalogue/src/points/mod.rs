//! The points that the source leaves open: for each a question, the ways in which deployments may answer
//! it, and how to find out which way this one went. The contract's own way comes first.
//!
//! What the source states is no point: no profile excuses a deployment from it. So a point governs cases
//! that rest on decisions, never one that is stated as a whole, and each such case is governed by one point.

mod adding;
mod bound;
mod contents;
mod errors;
mod filters;
mod headers;
mod items;
mod limits;
mod listing;
mod parameters;
mod places;
mod precedence;
mod ranking;
mod records;
mod sight;
mod transport;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

pub(crate) use self::sight::{Seen, Sight};
use crate::catalogue;
use engine::case::{Case, Clause, Need};
use engine::pattern::Pattern;
use engine::session::Probe;

/// What a deployment does that no behaviour of the point describes; the value says what it was.
pub const OTHER: &str = "other";
/// Operations that the question is asked of behave differently; the value says which does what.
pub const MIXED: &str = "mixed";

/// The most requests of a point that does not say otherwise: several of each operation.
const SENDS: u64 = 100;

/// A question that the source leaves open, and that a client can find the answer to.
///
/// ```
/// # use platform_conformance_catalogue as platform_conformance;
/// use platform_conformance::points;
///
/// let point = points().into_iter().find(|point| point.id == "list-limit-above-maximum").unwrap();
/// assert_eq!(point.behaviours[0].name, "refused");
/// assert_eq!(point.behaviours[0].value, 422);
/// assert!(point.governs("limit/over-maximum-is-rejected"));
/// ```
#[derive(Clone)]
pub struct Point {
    /// Its name: permanent, since profiles hold it.
    pub id: &'static str,
    /// The clauses of the contract that answer it.
    pub clauses: Vec<Clause>,
    /// The question, as a sentence.
    pub question: &'static str,
    /// What deployments may do, the contract's own way first. Any of them may also do something that no
    /// behaviour describes, or one thing here and another there: [`OTHER`] and [`MIXED`].
    pub behaviours: Vec<Behaviour>,
    /// How it is found out, as a sentence.
    pub found_out: &'static str,
    /// What a target must name, or a run must allow, for it to be found out.
    pub needs: BTreeSet<Need>,
    /// The most requests that it is found out with, without the walks that all points share.
    pub sends: u64,
    /// The most requests that it is found out with which do not only read.
    pub writes: u64,
    governs: Vec<Pattern>,
    observe: Observe,
}

/// Finds out what a deployment does.
pub(crate) type Observe = Arc<dyn Fn(Probe) -> BoxFuture<'static, Seen> + Send + Sync>;

/// One way to answer the question of a point.
#[derive(Debug, Clone, PartialEq)]
pub struct Behaviour {
    /// Its name, in a profile.
    pub name: &'static str,
    /// What stands beside the name in a profile, where the contract gives it: a status, a number, a list of
    /// names. Null when there is none, or when it differs from deployment to deployment.
    pub value: Value,
    /// What a deployment does that behaves so.
    pub means: &'static str,
}

impl Point {
    /// Whether the point governs the case of this id: it holds a deployment to the contract's behaviour.
    pub fn governs(&self, case: &str) -> bool {
        self.governs.iter().any(|pattern| pattern.matches(case))
    }

    /// The decisions of the contract that answer it.
    pub fn decisions(&self) -> BTreeSet<&str> {
        let clauses = self.clauses.iter();
        clauses
            .filter_map(|clause| clause.basis.decision())
            .collect()
    }

    /// The patterns of the cases that it governs. None governs what the contract leaves free as well.
    pub fn patterns(&self) -> &[Pattern] {
        &self.governs
    }

    /// The contract's own behaviour.
    pub fn of_the_contract(&self) -> &Behaviour {
        &self.behaviours[0]
    }

    /// The behaviour of this name.
    pub fn behaviour(&self, name: &str) -> Option<&Behaviour> {
        self.behaviours.iter().find(|known| known.name == name)
    }

    /// Finds out what the deployment does.
    pub(crate) fn observe(&self, probe: Probe) -> BoxFuture<'static, Seen> {
        (self.observe)(probe)
    }

    /// Names the node of the contract that answers it, where the cases that it governs begin with other nodes.
    fn answered_at(mut self, pointer: &str) -> Self {
        self.clauses.push(Clause::of(pointer));
        self
    }

    /// Names the sentence of the contract that answers it, where the cases that it governs begin with other ones.
    fn answered_by(mut self, pointer: &str, sentence: &str) -> Self {
        self.clauses.push(Clause::quoted(pointer, sentence));
        self
    }

    /// Takes what is decided first in each case that it governs, unless it names the clauses itself.
    fn answered_as_governed(mut self, catalogue: &[Case]) -> Self {
        if self.clauses.is_empty() {
            let is_decided = |clause: &&Clause| clause.basis.decision().is_some();
            let governed = catalogue.iter().filter(|case| self.governs(&case.id));
            let first = governed.filter_map(|case| case.clauses.iter().find(is_decided));
            for clause in first.cloned().collect::<Vec<_>>() {
                if !self.clauses.contains(&clause) {
                    self.clauses.push(clause);
                }
            }
        }
        self
    }

    fn or(mut self, name: &'static str, means: &'static str) -> Self {
        self.behaviours.push(Behaviour {
            name,
            value: Value::Null,
            means,
        });
        self
    }

    fn sends(mut self, most: u64) -> Self {
        self.sends = most;
        self
    }

    fn writes(mut self, most: u64) -> Self {
        self.writes = most;
        self
    }

    fn found_out(mut self, how: &'static str) -> Self {
        self.found_out = how;
        self
    }

    fn needs(mut self, needs: impl IntoIterator<Item = Need>) -> Self {
        self.needs.extend(needs);
        self
    }

    fn governing<const N: usize>(mut self, patterns: [&str; N]) -> Self {
        self.governs.extend(patterns.map(Pattern::from));
        self
    }

    fn by<F, Answered>(self, observe: F) -> Self
    where
        F: Fn(Probe) -> Answered + Send + Sync + 'static,
        Answered: Future<Output = Seen> + Send + 'static,
    {
        self.observed_by(Arc::new(move |probe| observe(probe).boxed()))
    }

    fn observed_by(mut self, observe: Observe) -> Self {
        self.observe = observe;
        self
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Point")
            .field("id", &self.id)
            .field("clauses", &self.clauses)
            .finish_non_exhaustive()
    }
}

/// A point, with the contract's own behaviour: its name, its value, what it means.
fn point(
    id: &'static str,
    question: &'static str,
    (name, value, means): (&'static str, Value, &'static str),
) -> Point {
    let unseen = |_: Probe| async { sight::untold("a way to find it out") };
    Point {
        id,
        clauses: Vec::new(),
        question,
        behaviours: vec![Behaviour { name, value, means }],
        found_out: "",
        needs: BTreeSet::new(),
        sends: SENDS,
        writes: 0,
        governs: Vec::new(),
        observe: Arc::new(move |probe| unseen(probe).boxed()),
    }
}

/// Every point, by subject: lists first, then items, adding, errors and headers, then the searches.
pub fn points() -> Vec<Point> {
    let catalogue = catalogue();
    let points = [
        limits::of_lists(),
        parameters::points(),
        listing::points(),
        items::points(),
        adding::points(),
        errors::points(),
        contents::points(),
        precedence::points(),
        headers::points(),
        transport::points(),
        limits::of_searches(),
        ranking::points(),
        filters::points(),
        places::points(),
        records::points(),
    ];
    let points = points.into_iter().flatten();
    points
        .map(|point| point.answered_as_governed(&catalogue))
        .collect()
}
