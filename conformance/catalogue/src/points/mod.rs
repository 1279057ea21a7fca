//! The points that the source leaves open: for each a question, the ways in which deployments may answer it, and how
//! to find out which way a deployment took. The contract's own way comes first.
//!
//! What the source states is not a point: no profile excuses a deployment from it. So a point governs only cases that
//! rest on decisions, and each such case is governed by one point.

mod adding;
mod bound;
mod connections;
mod contents;
mod errors;
mod filters;
mod headers;
mod items;
mod limits;
mod listing;
mod observation;
mod parameters;
mod places;
mod precedence;
mod ranking;
mod records;
mod transport;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, LazyLock};

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

pub(crate) use self::observation::{Observation, ObservationResult};
use crate::catalogue;
use engine::case::{Case, Citation, Clause, Need};
use engine::pattern::Pattern;
use engine::session::Probe;
use platform_contract::Contract;

/// The behaviour of a deployment that no behaviour of the point describes; the value says what was seen.
pub const OTHER: &str = "other";
/// The behaviour of a deployment whose operations differ; the value lists the behaviour of each operation.
pub const MIXED: &str = "mixed";

/// The default limit on the requests of a point: several to each operation.
const SENDS: u64 = 100;

/// A question that the source leaves open and that a client can find the answer to.
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
    /// The permanent id: profiles contain it.
    pub id: &'static str,
    /// The clauses of the contract that answer the question.
    pub clauses: Vec<Clause>,
    /// The question, as a sentence.
    pub question: &'static str,
    /// The possible behaviours, the contract's own first. Any deployment may also show behaviour that none of them
    /// describes, or different behaviour in different operations: [`OTHER`] and [`MIXED`].
    pub behaviours: Vec<Behaviour>,
    /// How the answer is found out, as a sentence.
    pub found_out: &'static str,
    /// What the target must name, or the run must allow.
    pub needs: BTreeSet<Need>,
    /// The greatest number of requests sent, without the walks that all points share.
    pub sends: u64,
    /// The greatest number of those requests that do not only read.
    pub writes: u64,
    citations: Vec<Citation>,
    governs: Vec<Pattern>,
    governed: BTreeSet<String>,
    observe: Observe,
}

/// The function that observes a deployment.
pub(crate) type Observe = Arc<dyn Fn(Probe) -> BoxFuture<'static, ObservationResult> + Send + Sync>;

/// One way to answer the question of a point.
#[derive(Debug, Clone, PartialEq)]
pub struct Behaviour {
    /// The name, as a profile contains it.
    pub name: &'static str,
    /// The value that a profile gives beside the name, where the contract defines it: a status, a number, a list of
    /// names. Null if there is none, or if it differs between deployments.
    pub value: Value,
    /// What a deployment with this behaviour does.
    pub means: &'static str,
}

impl Point {
    /// Whether the point governs the case with this id: the case expects the contract's behaviour.
    pub fn governs(&self, case: &str) -> bool {
        self.governed.contains(case)
    }

    /// The decisions of the contract that answer the question.
    pub fn decisions(&self) -> BTreeSet<&str> {
        let clauses = self.clauses.iter();
        clauses.filter_map(|clause| clause.basis.decision()).collect()
    }

    /// The patterns of the cases that the point governs; empty for a point that the contract leaves free.
    pub fn patterns(&self) -> &[Pattern] {
        &self.governs
    }

    /// The contract's own behaviour.
    pub fn of_the_contract(&self) -> &Behaviour {
        &self.behaviours[0]
    }

    /// The behaviour with this name.
    pub fn behaviour(&self, name: &str) -> Option<&Behaviour> {
        self.behaviours.iter().find(|known| known.name == name)
    }

    /// Observes what the deployment does.
    pub(crate) fn observe(&self, probe: Probe) -> BoxFuture<'static, ObservationResult> {
        (self.observe)(probe)
    }

    /// Names the node of the contract that answers the question, where the cases that it governs begin with other
    /// nodes.
    fn answered_at(mut self, pointer: &str) -> Self {
        self.citations.push(Citation::Node(pointer.to_owned()));
        self
    }

    /// Names the sentence of the contract that answers the question, where the cases that it governs begin with other
    /// sentences.
    fn answered_by(mut self, pointer: &str, sentence: &str) -> Self {
        let (pointer, sentence) = (pointer.to_owned(), sentence.to_owned());
        self.citations.push(Citation::Quote(pointer, sentence));
        self
    }

    /// Reads the clauses that answer the question from a contract. A point that cites none takes the first decision of
    /// each case that it governs.
    fn read_in(mut self, contract: &Contract, catalogue: &[Case]) -> Self {
        let citations = std::mem::take(&mut self.citations).into_iter();
        let read = citations.map(|citation| citation.read_in(contract));
        self.clauses = read
            .collect::<Result<_, _>>()
            .unwrap_or_else(|error| panic!("{}: {error}", self.id));
        let governs = |case: &&Case| case.point.as_deref() == Some(self.id);
        let governed = catalogue.iter().filter(governs);
        self.governed = governed.map(|case| case.id.clone()).collect();
        self.name_the_governed(catalogue);
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

    /// Adds the patterns of the cases that name the point: one pattern for a rule if all its cases do.
    fn name_the_governed(&mut self, catalogue: &[Case]) {
        for id in &self.governed {
            if self.governs.iter().any(|known| known.matches(id)) {
                continue;
            }
            let rule = catalogue.iter().find(|case| case.id == *id).map(Case::rule);
            let mut of_rule = catalogue.iter().filter(|case| Some(case.rule()) == rule);
            let all = of_rule.all(|case| self.governed.contains(&case.id));
            self.governs.push(match rule {
                Some(rule) if all && rule != id => Pattern::from(&*format!("{rule}/*")),
                _ => Pattern::from(id.as_str()),
            });
        }
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

    fn by<F, Answered>(self, observe: F) -> Self
    where
        F: Fn(Probe) -> Answered + Send + Sync + 'static,
        Answered: Future<Output = ObservationResult> + Send + 'static,
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

/// Creates a point with the name, the value and the meaning of the contract's own behaviour.
fn point(id: &'static str, question: &'static str, (name, value, means): (&'static str, Value, &'static str)) -> Point {
    let unseen = |_: Probe| async { observation::unknown_without("a way to find it out") };
    Point {
        id,
        clauses: Vec::new(),
        question,
        behaviours: vec![Behaviour { name, value, means }],
        found_out: "",
        needs: BTreeSet::new(),
        sends: SENDS,
        writes: 0,
        citations: Vec::new(),
        governs: Vec::new(),
        governed: BTreeSet::new(),
        observe: Arc::new(move |probe| unseen(probe).boxed()),
    }
}

/// Every point, by subject: lists first, then items, adding, errors and headers, then searches. Which cases each
/// governs takes time to find, so it is done once.
pub fn points() -> Vec<Point> {
    static POINTS: LazyLock<Vec<Point>> = LazyLock::new(read);
    POINTS.clone()
}

fn read() -> Vec<Point> {
    let (contract, catalogue) = (Contract::bundled(), catalogue());
    let points = [
        limits::of_lists(contract),
        parameters::points(contract),
        listing::points(),
        items::points(),
        adding::points(),
        errors::points(contract),
        contents::points(contract),
        precedence::points(contract),
        headers::points(),
        transport::points(),
        connections::points(),
        limits::of_searches(contract),
        ranking::points(contract),
        filters::points(contract),
        places::points(contract),
        records::points(contract),
    ];
    let points = points.into_iter().flatten();
    points.map(|point| point.read_in(contract, &catalogue)).collect()
}
