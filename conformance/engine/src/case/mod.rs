//! A case: the clauses of the contract behind it, its needs, and a check.
//!
//! Acceptance and rejection are data: [`Case::accepts`] and [`Case::rejects`] take the requests and the expected
//! responses. The needs and the limit on requests follow from them. Anything else is a function ([`Case::check`]).

mod clause;
mod exchange;
mod need;
mod request;
pub mod values;

use std::collections::BTreeSet;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;

pub use self::clause::{Citation, CitationError, Clause};
pub use self::exchange::{Exchange, Expectation, QueryFault, Rejection};
pub use self::need::Need;
pub use self::request::{Binding, RequestTemplate};
use crate::chapter::Chapter;
use crate::session::Probe;
use crate::target::PipelineRole;
use crate::verdict::{Outcome, Stop};
use platform_contract::{Contract, is_at_or_below};

/// One requirement of the contract, and how to check that a deployment meets it.
#[derive(Clone)]
pub struct Case {
    /// `group/what-is-expected`, or `group/what-is-expected/subject`. Permanent: reports and lists of known failures
    /// name it.
    pub id: String,
    /// What is expected, as a sentence.
    pub title: String,
    /// The title of its chapter; the name of its group by default.
    pub chapter_title: String,
    /// The clauses behind it, the most important first. Empty until they are [resolved](Self::resolve).
    pub clauses: Vec<Clause>,
    /// What a target must name, or a run must allow, beyond a key with full access.
    pub needs: BTreeSet<Need>,
    /// The limit on its requests that it sets, excluding walks that all cases share.
    sends: Option<u64>,
    /// The requests it took when it was measured, and the property runs of that measurement.
    measured: Option<(u64, u64)>,
    /// The limit on the requests of each of its property runs, beyond `sends`.
    pub requests_per_run: u64,
    /// The limit on the requests of the shared walks that it starts. The first case that starts one pays for it.
    pub walks: u64,
    /// The limit on organizations that it adds to a deployment that conforms to the contract.
    pub adds: u64,
    /// The limit on its non-read requests. A deployment that accepts what it should reject adds at most this many.
    pub writes: u64,
    /// The limit on non-read requests of each property run.
    pub writes_per_run: u64,
    /// The point of the behaviour profile that governs it; `None` when all of it is stated.
    pub point: Option<String>,
    /// Whether it sends requests byte for byte.
    byte_for_byte: bool,
    /// Whether it looks back at what the other cases did.
    pub(crate) runs_last: bool,
    citations: Vec<Citation>,
    operations: BTreeSet<String>,
    foresees: Vec<String>,
    foreseen: BTreeSet<String>,
    exchanges: Arc<[Exchange]>,
    pub(crate) check: Check,
}

/// The default limit on the requests of a case that sets none and was not measured.
const SENDS: u64 = 12;
/// The margin of a measured case for deployments with more data: a factor on its requests, and a number added to them.
const MARGIN: (u64, u64) = (2, 4);
/// The default limit on the requests of the shared walks of a case: two of the longest.
const WALKS: u64 = 40;

/// How a case reaches its verdict.
#[derive(Clone)]
pub(crate) enum Check {
    /// It sends its own requests.
    Asks(Ask),
    /// It judges the responses of this operation and status that other cases received.
    Watches { operation: String, status: String },
}

/// A check that sends requests.
pub(crate) type Ask = Arc<dyn Fn(Probe) -> BoxFuture<'static, Outcome> + Send + Sync>;

impl Case {
    /// A case whose clause is the node at a JSON Pointer of the contract: the first sentence of its description, or the
    /// keyword as written, such as a bound or a default.
    pub fn new(id: impl Into<String>, title: impl Into<String>, pointer: impl AsRef<str>) -> Self {
        let node = Citation::Node(pointer.as_ref().to_owned());
        Self::citing(id.into(), title.into(), vec![node])
    }

    /// A case whose clause is a sentence of the contract, word for word.
    pub fn quoting(id: impl Into<String>, title: impl Into<String>, pointer: &str, sentence: &str) -> Self {
        let quote = Citation::Quote(pointer.to_owned(), sentence.to_owned());
        Self::citing(id.into(), title.into(), vec![quote])
    }

    /// A case with these clauses, the most important first. For a custom rule that the contract does not have, use a
    /// [`Clause`] with the place it concerns, the rule as its sentence and your own name as its basis.
    pub fn resting_on(id: impl Into<String>, title: impl Into<String>, clauses: Vec<Clause>) -> Self {
        let citations = clauses.into_iter().map(Citation::Own).collect();
        Self::citing(id.into(), title.into(), citations)
    }

    fn citing(id: String, title: String, citations: Vec<Citation>) -> Self {
        Self {
            chapter_title: group_of(&id).to_owned(),
            id,
            title,
            clauses: Vec::new(),
            needs: BTreeSet::new(),
            sends: None,
            measured: None,
            requests_per_run: 0,
            walks: WALKS,
            adds: 0,
            writes: 0,
            writes_per_run: 0,
            point: None,
            byte_for_byte: false,
            runs_last: false,
            citations,
            operations: BTreeSet::new(),
            foresees: Vec::new(),
            foreseen: BTreeSet::new(),
            exchanges: Arc::new([]),
            check: Check::Asks(Arc::new(|_| async { Ok(()) }.boxed())),
        }
    }

    /// Quotes a sentence of the node of its first clause.
    #[must_use]
    pub fn quote(mut self, sentence: &str) -> Self {
        if let Some(first) = self.citations.first_mut() {
            *first = Citation::Quote(first.pointer().to_owned(), sentence.to_owned());
        }
        self
    }

    /// Cites another node of the contract.
    #[must_use]
    pub fn and(mut self, pointer: impl AsRef<str>) -> Self {
        let node = Citation::Node(pointer.as_ref().to_owned());
        self.citations.push(node);
        self
    }

    /// Quotes a sentence of the contract as the most important clause, where the sentence is not on the case's own
    /// node: a rule for every operation, for example.
    #[must_use]
    pub fn primary_quote(mut self, pointer: &str, sentence: &str) -> Self {
        let quote = Citation::Quote(pointer.to_owned(), sentence.to_owned());
        self.citations.insert(0, quote);
        self
    }

    /// Quotes another sentence of the contract.
    #[must_use]
    pub fn and_quote(mut self, pointer: &str, sentence: &str) -> Self {
        let quote = Citation::Quote(pointer.to_owned(), sentence.to_owned());
        self.citations.push(quote);
        self
    }

    /// Names the operations that it checks, where neither its clauses nor its requests name them.
    #[must_use]
    pub fn on<'a>(mut self, operations: impl IntoIterator<Item = &'a str>) -> Self {
        self.operations = operations.into_iter().map(str::to_owned).collect();
        self
    }

    /// Names the point of the behaviour profile that governs its decided parts. A fully stated case loses the point
    /// when it is resolved: no profile excuses a deployment from what the source states.
    #[must_use]
    pub fn point(mut self, id: impl Into<String>) -> Self {
        self.point = Some(id.into());
        self
    }

    /// Runs it after all others: it looks back at what they did.
    #[must_use]
    pub fn runs_last(mut self) -> Self {
        self.runs_last = true;
        self
    }

    /// Marks it as sending its requests byte for byte and checking connections: see [`Probe::talk`].
    #[must_use]
    pub fn byte_for_byte(mut self) -> Self {
        self.byte_for_byte = true;
        self
    }

    /// Names places of the contract, besides those it cites, that it expects responses from. Decisions at or below
    /// these places are part of its expectations.
    #[must_use]
    pub fn may_respond_from(mut self, pointers: impl IntoIterator<Item = String>) -> Self {
        self.foresees.extend(pointers);
        self
    }

    /// Adds a need of the case.
    #[must_use]
    pub fn needs(mut self, needs: impl IntoIterator<Item = Need>) -> Self {
        self.needs.extend(needs);
        self
    }

    /// Sets the limit on its requests, where a measurement does not bound them: it waits for something, or the number
    /// of its requests depends on the deployment. A request beyond the limit is not sent, and the case has no verdict.
    #[must_use]
    pub fn sends(mut self, most: u64) -> Self {
        self.sends = Some(most);
        self
    }

    /// Sets the number of requests it took when it was measured with a number of property runs. The limit on its
    /// requests follows from it, with a margin, unless the case sets one.
    #[must_use]
    pub fn measured(mut self, requests: u64, runs: u64) -> Self {
        self.measured = Some((requests, runs));
        self
    }

    /// Sets the limit on the requests of each of its property runs.
    #[must_use]
    pub fn requests_per_run(mut self, most: u64) -> Self {
        self.requests_per_run = most;
        self
    }

    /// The limit on its requests for a number of property runs, excluding walks that all cases share.
    pub fn request_limit(&self, runs: u64) -> u64 {
        let (times, more) = MARGIN;
        let margin = |(measured, _): (u64, u64)| measured.saturating_mul(times).saturating_add(more);
        let sends = self.sends.or_else(|| self.measured.map(margin));
        sends
            .unwrap_or(SENDS)
            .saturating_add(self.requests_per_run.saturating_mul(runs))
    }

    /// The requests it usually takes for a number of property runs: the measured number, or the limit if it was not
    /// measured.
    pub fn expected_requests(&self, runs: u64) -> u64 {
        match self.measured {
            None => self.request_limit(runs),
            Some((measured, with)) if self.has_property_runs() => measured.saturating_mul(runs).div_ceil(with.max(1)),
            Some((measured, _)) => measured,
        }
    }

    /// Sets the limit on the requests of the shared walks that it starts, and of its walks through all current items.
    #[must_use]
    pub fn walks(mut self, most: u64) -> Self {
        self.walks = most;
        self
    }

    /// Sets the limit on its non-read requests.
    #[must_use]
    pub fn writes(mut self, most: u64) -> Self {
        self.writes = most;
        self
    }

    /// Sets the limit on non-read requests of each property run.
    #[must_use]
    pub fn writes_per_run(mut self, most: u64) -> Self {
        self.writes_per_run = most;
        self
    }

    /// The limit on its non-read requests for a number of property runs.
    pub fn write_limit(&self, runs: u64) -> u64 {
        self.writes.saturating_add(self.writes_per_run.saturating_mul(runs))
    }

    /// Sets the limit on organizations that it adds.
    #[must_use]
    pub fn adds(mut self, most: u64) -> Self {
        self.adds = most;
        self
    }

    /// Expects 200 for each of these requests.
    #[must_use]
    pub fn accepts(self, requests: impl IntoIterator<Item = RequestTemplate>) -> Self {
        let accepted = |request| Exchange::One(request, Expectation::Status(200));
        self.exchanges(requests.into_iter().map(accepted).collect())
    }

    /// Expects the same problem in response to each of these requests.
    #[must_use]
    pub fn rejects(self, rejection: Rejection, requests: impl IntoIterator<Item = RequestTemplate>) -> Self {
        let rejected = |request| Exchange::One(request, rejection.clone().into());
        self.exchanges(requests.into_iter().map(rejected).collect())
    }

    /// Expects that each of several errors in the query of a valid request is rejected and named. One request carries
    /// all of them; an error that is not named is sent again, alone.
    #[must_use]
    pub fn rejects_each(self, valid: RequestTemplate, faults: impl IntoIterator<Item = QueryFault>) -> Self {
        let faults = faults.into_iter().collect();
        self.exchanges(vec![Exchange::Together(valid, faults)])
    }

    /// Expects a separate response for each of these requests.
    #[must_use]
    pub fn expects(self, exchanges: impl IntoIterator<Item = (RequestTemplate, Expectation)>) -> Self {
        let exchanges = exchanges.into_iter();
        self.exchanges(
            exchanges
                .map(|(request, expectation)| Exchange::One(request, expectation))
                .collect(),
        )
    }

    /// Adds exchanges to the existing ones: a case may accept some requests and reject others.
    fn exchanges(mut self, exchanges: Vec<Exchange>) -> Self {
        let before = self.exchanges.iter().cloned();
        let exchanges: Vec<_> = before.chain(exchanges).collect();
        let requests = || exchanges.iter().map(Exchange::request);
        self.needs.extend(requests().flat_map(RequestTemplate::needs));
        self.sends = Some(exchanges.iter().map(Exchange::requests).sum());
        self.writes = exchanges.iter().map(Exchange::writes).sum();
        self.exchanges = exchanges.into();
        let exchanges = Arc::clone(&self.exchanges);
        self.check(move |probe| check(probe, Arc::clone(&exchanges)))
    }

    /// Also expects that the requests, which name the pipeline of a role, add nothing to it. Call it after setting the
    /// requests.
    #[must_use]
    pub fn leaves_unchanged(mut self, role: PipelineRole) -> Self {
        let Check::Asks(ask) = self.check.clone() else {
            return self;
        };
        // The third is sent when others may have added to the pipeline.
        self.sends = self.sends.map(|sends| sends + 3);
        self.check(move |probe| unchanged(probe, Arc::clone(&ask), role))
    }

    /// The requests of a case of acceptance or rejection, each with its expected response. Empty for a case whose check
    /// is a function.
    pub fn requests(&self) -> &[Exchange] {
        &self.exchanges
    }

    /// Sets a check that is a function.
    #[must_use]
    pub fn check<F, Checked>(mut self, check: F) -> Self
    where
        F: Fn(Probe) -> Checked + Send + Sync + 'static,
        Checked: Future<Output = Outcome> + Send + 'static,
    {
        self.check = Check::Asks(Arc::new(move |probe| check(probe).boxed()));
        self
    }

    /// Sets a check that is a function of the probe and a value, such as an operation or a parameter's name.
    #[must_use]
    pub fn check_with<T, F, Checked>(self, value: T, check: F) -> Self
    where
        T: Clone + Send + Sync + 'static,
        F: Fn(Probe, T) -> Checked + Send + Sync + 'static,
        Checked: Future<Output = Outcome> + Send + 'static,
    {
        self.check(move |probe| check(probe, value.clone()))
    }

    /// Makes it judge the responses of an operation and status that the other cases received.
    #[must_use]
    pub fn watches(mut self, operation: &str, status: &str) -> Self {
        self.check = Check::Watches {
            operation: operation.to_owned(),
            status: status.to_owned(),
        };
        self.sends = Some(0);
        self.walks = 0;
        self.on([operation])
    }

    /// Returns the same case, skipped for this reason: a run sends nothing for it.
    #[must_use]
    pub fn skipped(mut self, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        self.needs.clear();
        (self.sends, self.measured) = (Some(0), None);
        (self.requests_per_run, self.walks, self.adds) = (0, 0, 0);
        (self.writes, self.writes_per_run) = (0, 0);
        self.check(move |_| {
            let stop = Stop::Skipped(reason.clone());
            async move { Err(stop) }
        })
    }

    /// Whether it judges what the other cases received, without sending anything.
    pub fn is_watching(&self) -> bool {
        matches!(self.check, Check::Watches { .. })
    }

    /// Whether it sends its requests byte for byte, and so also checks the server in front of the routes.
    pub fn is_byte_for_byte(&self) -> bool {
        self.byte_for_byte
    }

    /// Whether it has property runs.
    pub fn has_property_runs(&self) -> bool {
        self.requests_per_run > 0
    }

    /// Sets the title of its chapter.
    #[must_use]
    pub fn in_chapter(mut self, title: impl Into<String>) -> Self {
        self.chapter_title = title.into();
        self
    }

    /// Resolves its clauses, its operations and its expectations in a contract. A run resolves the cases that are not
    /// yet resolved.
    ///
    /// # Errors
    /// When it cites something that the contract does not have.
    pub fn resolve(mut self, contract: &Contract) -> Result<Self, CitationError> {
        for citation in std::mem::take(&mut self.citations) {
            self.clauses.push(citation.read_in(contract)?);
        }
        if self.decisions().is_empty() {
            self.point = None;
        }
        if self.operations.is_empty() {
            let requests = self.exchanges.iter().map(Exchange::request);
            self.operations = requests.map(|request| request.operation().to_owned()).collect();
        }
        if self.operations.is_empty() {
            let operations = contract.operations().iter();
            let cited = operations.filter(|operation| {
                let mut clauses = self.clauses.iter();
                clauses.any(|clause| is_at_or_below(&clause.pointer, &operation.pointer))
            });
            self.operations = cited.map(|operation| operation.id.clone()).collect();
        }
        for place in std::mem::take(&mut self.foresees) {
            self.foreseen.extend(contract.decisions_at(&place));
        }
        Ok(self)
    }

    /// The operations that it checks: those it names, those of its requests, or those that contain its clauses.
    pub fn operations(&self) -> BTreeSet<&str> {
        self.operations.iter().map(String::as_str).collect()
    }

    /// The first part of its id.
    pub fn group(&self) -> &str {
        group_of(&self.id)
    }

    /// The rule that it checks: its id without the subject.
    pub fn rule(&self) -> &str {
        split_id(&self.id).0
    }

    /// The subject, where one rule is checked for several: the third part of its id, such as an operation.
    pub fn subject(&self) -> Option<&str> {
        split_id(&self.id).1
    }

    /// Its title without the subject: the sentence that all cases of the rule share.
    pub fn rule_title(&self) -> &str {
        let title = self.title.as_str();
        let of_subject = |subject: &str| title.strip_prefix(subject)?.strip_prefix(": ");
        self.subject().and_then(of_subject).unwrap_or(title)
    }

    /// Its chapter.
    pub fn chapter(&self) -> Chapter {
        Chapter {
            name: self.group().to_owned(),
            title: self.chapter_title.clone(),
        }
    }

    /// The decisions behind it; empty when the source states all of it.
    pub fn decisions(&self) -> BTreeSet<String> {
        let clauses = self.clauses.iter();
        let decisions = clauses.filter_map(|clause| clause.basis.decision());
        decisions.map(str::to_owned).collect()
    }

    /// The decisions that its expectations depend on: those behind its clauses, and those of the places it expects
    /// responses from.
    pub fn decisions_foreseen(&self) -> BTreeSet<String> {
        let foreseen = self.foreseen.iter().cloned();
        self.decisions().into_iter().chain(foreseen).collect()
    }
}

/// Sends the requests of a case of acceptance or rejection, in order.
async fn check(probe: Probe, exchanges: Arc<[Exchange]>) -> Outcome {
    for exchange in exchanges.iter() {
        exchange.check(&probe).await?;
    }
    Ok(())
}

/// Runs a check, and asserts that it added nothing to the pipeline of a role.
async fn unchanged(probe: Probe, ask: Ask, role: PipelineRole) -> Outcome {
    let before = probe.count_items(role).await?;
    ask(probe.clone()).await?;
    probe.assert_items_added(role, &before, 0, None).await
}

/// Splits an id of the form `group/rule` or `group/rule/subject` into its rule and its subject, if any.
pub(crate) fn split_id(id: &str) -> (&str, Option<&str>) {
    match id.match_indices('/').nth(1) {
        Some((end, _)) => (&id[..end], Some(&id[end + 1..])),
        None => (id, None),
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
