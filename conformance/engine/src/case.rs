//! A case: the clause of the contract, what it needs to be looked at, and a check.

use std::collections::BTreeSet;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::chapter::Chapter;
use crate::session::Probe;
use crate::target::{PipelineRole, Role};
use crate::verdict::{Outcome, Stop};
use platform_contract::{Basis, Contract, is_at_or_below};

/// One thing that the contract says, and how to see whether a deployment keeps it.
#[derive(Clone)]
pub struct Case {
    /// `group/what-is-expected`: permanent, since reports and lists of known failures name it.
    pub id: String,
    /// What is expected, as a sentence.
    pub title: String,
    /// What the cases of its chapter are about, as a heading; the name of the chapter where nobody gave one.
    pub chapter_title: String,
    /// The clauses that it rests on, the one that says it first.
    pub clauses: Vec<Clause>,
    /// What a target must name, or a run must allow, beyond a key with full access.
    pub needs: BTreeSet<Need>,
    /// The most requests that it sends, without the walks that all cases share. It is held to them: a
    /// request beyond is not sent, and the case has no verdict.
    pub sends: u64,
    /// The most requests of each random walk that it takes, which are paid for beyond those.
    pub per_walk: u64,
    /// The most requests of the walks that it begins: all cases share them, and the first pays.
    pub walks: u64,
    /// The most organizations that it adds to a deployment that keeps the contract, when it is allowed to.
    pub adds: u64,
    /// The most requests that it sends which do not only read, when it is allowed to: a deployment that accepts
    /// what it has to refuse adds as many. It is held to them too.
    pub writes: u64,
    /// The most requests of each random walk that do not only read.
    pub writes_per_walk: u64,
    operations: BTreeSet<String>,
    pub(crate) foresees: Vec<String>,
    pub(crate) check: Check,
}

/// The most requests of a case that does not say otherwise.
const SENDS: u64 = 12;
/// The most requests of the walks of a case that does not say otherwise: two of the longest.
const WALKS: u64 = 40;

/// How a case comes to its verdict.
#[derive(Clone)]
pub(crate) enum Check {
    /// It sends requests of its own.
    Asks(Ask),
    /// It judges what all other cases were answered: `(operation, status)` of the responses.
    Watches { operation: String, status: String },
}

/// A check that sends requests.
pub(crate) type Ask = Arc<dyn Fn(Probe) -> BoxFuture<'static, Outcome> + Send + Sync>;

/// A place in the contract, and the sentence that stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// A JSON pointer into `openapi.yaml`; a `$ref` on the way is followed.
    pub pointer: String,
    /// The sentence: quoted from the contract, or put together from the node itself.
    pub sentence: String,
    /// What it rests on.
    pub basis: Basis,
}

/// Something that a case needs beyond a base URL and a key with full access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Need {
    /// A key of this role.
    Key(Role),
    /// A pipeline of this role.
    Pipeline(PipelineRole),
    /// A pipeline of this role that the target names: a deployment that breaks the contract might add to
    /// it, and nothing is added where nobody said so.
    Named(PipelineRole),
    /// A known organization.
    Organization,
    /// A known product.
    Product,
    /// Permission to add organizations to the pipeline of the role [`PipelineRole::Writable`], and
    /// organizations that are not in it.
    Writes,
    /// Permission to send requests of this method, which does not only read, although the deployment has to
    /// refuse them: what could be added goes to the pipeline of the role [`PipelineRole::Writable`].
    Method(&'static str),
}

impl Case {
    /// A case whose clause is the node at a place in the contract. Its sentence is the first of the node's own
    /// description; a node without one is cited as it stands: a bound, a default, a rule.
    ///
    /// # Panics
    /// When the contract has no such node: a fault of the catalogue, which every test builds.
    pub fn new(id: impl Into<String>, title: impl Into<String>, pointer: impl AsRef<str>) -> Self {
        Self::resting_on(id, title, vec![Clause::of(pointer.as_ref())])
    }

    /// A case whose clause is a sentence of the contract, word for word.
    ///
    /// # Panics
    /// When the node at this place does not say so.
    pub fn quoting(
        id: impl Into<String>,
        title: impl Into<String>,
        pointer: &str,
        sentence: &str,
    ) -> Self {
        Self::resting_on(id, title, vec![Clause::quoted(pointer, sentence)])
    }

    /// A case with these clauses, the one that says it first. A rule of one's own, which the contract does not have,
    /// is a [`Clause`] with the place that it is about, the rule as its sentence and a name of one's own as its basis.
    pub fn resting_on(
        id: impl Into<String>,
        title: impl Into<String>,
        clauses: Vec<Clause>,
    ) -> Self {
        let id = id.into();
        Self {
            chapter_title: group_of(&id).to_owned(),
            id,
            title: title.into(),
            clauses,
            needs: BTreeSet::new(),
            sends: SENDS,
            per_walk: 0,
            walks: WALKS,
            adds: 0,
            writes: 0,
            writes_per_walk: 0,
            operations: BTreeSet::new(),
            foresees: Vec::new(),
            check: Check::Asks(Arc::new(|_| async { Ok(()) }.boxed())),
        }
    }

    /// Quotes the node of its first clause, word for word; white space and code marks do not count. What the
    /// sentence rests on is the contract's to say (`x-clauses`).
    ///
    /// # Panics
    /// When the node does not say so.
    #[must_use]
    pub fn quote(mut self, sentence: &str) -> Self {
        let place = std::mem::take(&mut self.clauses[0].pointer);
        self.clauses[0] = Clause::quoted(&place, sentence);
        self
    }

    /// Cites a further node of the contract that the case rests on.
    ///
    /// # Panics
    /// When the contract has no such node.
    #[must_use]
    pub fn and(mut self, pointer: impl AsRef<str>) -> Self {
        self.clauses.push(Clause::of(pointer.as_ref()));
        self
    }

    /// Quotes the sentence that the case rests on before all else, where that stands apart from the node which it
    /// is about: a rule for every operation, say.
    ///
    /// # Panics
    /// When the node does not say so.
    #[must_use]
    pub fn led_by(mut self, pointer: &str, sentence: &str) -> Self {
        self.clauses.insert(0, Clause::quoted(pointer, sentence));
        self
    }

    /// Quotes a further node of the contract, word for word.
    ///
    /// # Panics
    /// When the node does not say so.
    #[must_use]
    pub fn and_quote(mut self, pointer: &str, sentence: &str) -> Self {
        self.clauses.push(Clause::quoted(pointer, sentence));
        self
    }

    /// Names the operations that it looks at, where its clauses do not: they stand elsewhere, or name further ones.
    #[must_use]
    pub fn on<'a>(mut self, operations: impl IntoIterator<Item = &'a str>) -> Self {
        self.operations = operations.into_iter().map(str::to_owned).collect();
        self
    }

    /// The operations that it looks at: those it names, or those that its clauses stand under.
    pub fn operations(&self) -> BTreeSet<&str> {
        if !self.operations.is_empty() {
            return self.operations.iter().map(String::as_str).collect();
        }
        let operations = Contract::bundled().operations().iter();
        let cited = operations.filter(|operation| {
            let mut clauses = self.clauses.iter();
            clauses.any(|clause| is_at_or_below(&clause.pointer, &operation.pointer))
        });
        cited.map(|operation| operation.id.as_str()).collect()
    }

    /// Names the places of the contract that it foresees responses from, beside those it cites: what is decided
    /// there, or below, is part of what it expects.
    #[must_use]
    pub fn foreseeing(mut self, pointers: impl IntoIterator<Item = String>) -> Self {
        self.foresees.extend(pointers);
        self
    }

    /// Names what the case needs.
    #[must_use]
    pub fn needs(mut self, needs: impl IntoIterator<Item = Need>) -> Self {
        self.needs.extend(needs);
        self
    }

    /// Says how many requests it sends at the most, whatever it is answered, where that is more than a few.
    #[must_use]
    pub fn sends(mut self, most: u64) -> Self {
        self.sends = most;
        self
    }

    /// Says how many requests each of its random walks sends at the most.
    #[must_use]
    pub fn per_walk(mut self, most: u64) -> Self {
        self.per_walk = most;
        self
    }

    /// The most requests that it sends on its own when it takes so many random walks.
    pub fn most(&self, walks: u64) -> u64 {
        self.sends
            .saturating_add(self.per_walk.saturating_mul(walks))
    }

    /// Says how many requests there are at the most in the walks that it begins, where that is more than a
    /// few walks.
    #[must_use]
    pub fn walks(mut self, most: u64) -> Self {
        self.walks = most;
        self
    }

    /// Says how many requests it sends at the most that do not only read.
    #[must_use]
    pub fn writes(mut self, most: u64) -> Self {
        self.writes = most;
        self
    }

    /// Says how many such requests each of its random walks sends at the most.
    #[must_use]
    pub fn writes_per_walk(mut self, most: u64) -> Self {
        self.writes_per_walk = most;
        self
    }

    /// The most requests that do not only read, for a number of random walks.
    pub fn most_writes(&self, walks: u64) -> u64 {
        self.writes
            .saturating_add(self.writes_per_walk.saturating_mul(walks))
    }

    /// Says how many organizations it adds at the most.
    #[must_use]
    pub fn adds(mut self, most: u64) -> Self {
        self.adds = most;
        self
    }

    /// Gives it its check.
    #[must_use]
    pub fn check<F, Answered>(self, check: F) -> Self
    where
        F: Fn(Probe) -> Answered + Send + Sync + 'static,
        Answered: Future<Output = Outcome> + Send + 'static,
    {
        self.asks(Arc::new(move |probe| check(probe).boxed()))
    }

    fn asks(mut self, ask: Ask) -> Self {
        self.check = Check::Asks(ask);
        self
    }

    /// Makes it judge what the other cases were answered by an operation with a status.
    pub fn watches(mut self, operation: &str, status: &str) -> Self {
        self.check = Check::Watches {
            operation: operation.to_owned(),
            status: status.to_owned(),
        };
        self.sends = 0;
        self.walks = 0;
        self.on([operation])
    }

    /// The same, looked at by nobody: a run skips it for this reason, and sends nothing for it.
    #[must_use]
    pub fn skipped(mut self, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        self.needs.clear();
        (self.sends, self.per_walk, self.walks, self.adds) = (0, 0, 0, 0);
        (self.writes, self.writes_per_walk) = (0, 0);
        self.asks(Arc::new(move |_| {
            let stop = Stop::Skipped(reason.clone());
            async move { Err(stop) }.boxed()
        }))
    }

    /// Whether it judges what the other cases were answered, and sends nothing itself.
    pub fn is_watching(&self) -> bool {
        matches!(self.check, Check::Watches { .. })
    }

    /// Whether it takes random walks.
    pub fn is_walk(&self) -> bool {
        self.per_walk > 0
    }

    /// Names what the cases of its chapter are about.
    #[must_use]
    pub fn in_chapter(mut self, title: impl Into<String>) -> Self {
        self.chapter_title = title.into();
        self
    }

    /// The first part of its id.
    pub fn group(&self) -> &str {
        group_of(&self.id)
    }

    /// The chapter that it stands in.
    pub fn chapter(&self) -> Chapter {
        Chapter {
            name: self.group().to_owned(),
            title: self.chapter_title.clone(),
        }
    }

    /// The decisions that it rests on; none when all of it is stated by the source.
    pub fn decisions(&self) -> BTreeSet<String> {
        let decision = |clause: &Clause| match &clause.basis {
            Basis::Stated => None,
            Basis::Decided(decision) => Some(decision.clone()),
        };
        self.clauses.iter().filter_map(decision).collect()
    }

    /// The decisions that its expectations depend on: those it rests on, and those of the places it foresees
    /// responses from.
    pub fn decisions_foreseen(&self) -> BTreeSet<String> {
        let contract = Contract::bundled();
        let places = self.foresees.iter();
        let foreseen = places.flat_map(|place| contract.decisions_at(place));
        self.decisions().into_iter().chain(foreseen).collect()
    }
}

/// The first part of the id of a case.
fn group_of(id: &str) -> &str {
    id.split('/').next().unwrap_or_default()
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Case")
            .field("id", &self.id)
            .field("clauses", &self.clauses)
            .finish_non_exhaustive()
    }
}

impl Clause {
    /// The node at a place in the contract: the first sentence of its description, its rule, or the keyword as it
    /// stands.
    ///
    /// # Panics
    /// When the contract has no such node.
    pub fn of(pointer: &str) -> Self {
        let contract = Contract::bundled();
        let Some(node) = contract.get(pointer) else {
            panic!("the contract has nothing at {pointer}");
        };
        let Some(basis) = contract.basis(pointer) else {
            panic!(
                "the contract does not mark {pointer}: quote the sentence that the case rests on"
            );
        };
        Self {
            pointer: pointer.to_owned(),
            sentence: sentence(pointer, node),
            basis,
        }
    }

    /// A sentence of the node at a place in the contract, word for word.
    ///
    /// # Panics
    /// When the node does not say so.
    pub fn quoted(pointer: &str, sentence: &str) -> Self {
        let contract = Contract::bundled();
        assert!(
            contract.says(pointer, sentence),
            "the contract does not say {sentence:?} at {pointer}"
        );
        let Some(basis) = contract.basis_of(pointer, sentence) else {
            panic!(
                "the contract does not mark {sentence:?} at {pointer}: give it an entry in x-clauses"
            );
        };
        Self {
            pointer: pointer.to_owned(),
            sentence: sentence.to_owned(),
            basis,
        }
    }
}

/// What a node says of itself: the first sentence of its description, its rule, or the keyword as it stands.
fn sentence(pointer: &str, node: &Value) -> String {
    if let Some(rule) = node["rule"].as_str() {
        return rule.to_owned();
    }
    match node["description"].as_str() {
        Some(text) => {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            text.split_inclusive(". ")
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned()
        }
        None => format!("{}: {node}", pointer.rsplit('/').next().unwrap_or_default()),
    }
}
