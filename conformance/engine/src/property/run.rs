//! Property runs: proptest generates them from a seed, the deployment answers them, and the first that violates a law
//! is shrunk.
//!
//! A proptest value tree cannot be sent between threads, and a deployment answers asynchronously. So the tree lives on
//! its own thread: it returns the next simpler run, and receives whether that still shows the failure.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::future::Future;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use tokio::sync::mpsc;

use crate::session::Probe;
use crate::transport::response::HttpResponse;
use crate::verdict::{Outcome, Stop};

/// The approximate number of requests used to shrink one run.
const CUT_DOWN_WITH: usize = 200;
/// The limit on requests of a case beyond its runs: shrinking a run, the last attempt at it, and lookups before the
/// first run.
pub const CUT_DOWN: u64 = CUT_DOWN_WITH as u64 + 20 + 12;

/// The responses to a property run, and whether it kept the laws.
#[derive(Debug, Default)]
pub struct RunResult {
    /// The responses, in the order of the requests.
    pub responses: Vec<HttpResponse>,
    /// How often a law was checked.
    pub checked: u64,
    /// The first violation.
    pub violation: Option<Violation>,
}

/// A violation of a law.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The law; a shrunk run still violates the same one.
    pub law: &'static str,
    /// What the law requires.
    pub expected: String,
    /// What was seen.
    pub seen: String,
    /// The cause, if it is not the law.
    pub(super) cause: Option<String>,
    /// The decisions behind the law; `None` when the law has the basis of its case.
    pub decisions: Option<BTreeSet<String>>,
}

impl Violation {
    /// Whether the law rests on decisions only: the source is silent.
    fn is_decided(&self) -> bool {
        let decisions = self.decisions.as_ref();
        decisions.is_some_and(|decisions| !decisions.is_empty())
    }
}

impl RunResult {
    fn departs_from(&self, law: &str) -> bool {
        let violation = self.violation.as_ref();
        violation.is_some_and(|violation| violation.law == law)
    }

    /// Whether it violates a law with the basis of its case: the rest of the run shows nothing more.
    pub fn has_decisive_violation(&self) -> bool {
        let violation = self.violation.as_ref();
        violation.is_some_and(|violation| !violation.is_decided())
    }

    /// Checks a law. The first violation is kept.
    pub fn check(
        &mut self,
        holds: bool,
        law: &'static str,
        expected: impl FnOnce() -> String,
        seen: impl FnOnce() -> String,
    ) {
        self.check_as(|| None, holds, law, expected, seen);
    }

    /// Checks a law that rests on these decisions. A violation of a law with the basis of its case takes precedence
    /// over one of a decided law.
    pub fn check_as(
        &mut self,
        decisions: impl FnOnce() -> Option<BTreeSet<String>>,
        holds: bool,
        law: &'static str,
        expected: impl FnOnce() -> String,
        seen: impl FnOnce() -> String,
    ) {
        self.checked += 1;
        if holds || self.has_decisive_violation() {
            return;
        }
        let violation = Violation {
            law,
            expected: expected(),
            seen: seen(),
            cause: None,
            decisions: decisions(),
        };
        if self.violation.is_none() || !violation.is_decided() {
            self.violation = Some(violation);
        }
    }
}

/// Performs the property runs of a case, the same for the same seed, one after the other until one violates a law: that
/// one is shrunk and recorded.
///
/// `name` separates the runs of different cases; `strategy` generates them; `perform` performs one.
///
/// # Errors
/// The errors of the runs.
pub async fn random<Made, Way, Performing>(
    probe: &Probe,
    name: &str,
    strategy: impl Fn() -> Way + Send + Sync + Clone + 'static,
    perform: impl Fn(Made) -> Performing,
) -> Outcome
where
    Made: Clone + Debug + PartialEq + Send + 'static,
    Way: Strategy<Value = Made>,
    Performing: Future<Output = Result<RunResult, Stop>>,
{
    let (mut before, mut departed) = (None, None);
    for number in 0..probe.property_runs() {
        let seed = seed(probe.seed(), name, number);
        let first = make(&strategy(), seed)?;
        let run = perform(first.clone()).await?;
        probe.count(run.checked);
        let has_decisive_violation = run.has_decisive_violation();
        // A violation of a decided law is reported only if no other is found.
        if has_decisive_violation || (run.violation.is_some() && departed.is_none()) {
            departed = Some((number, seed, before.clone(), first.clone(), run));
        }
        if has_decisive_violation {
            break;
        }
        before = Some(first);
    }
    if let Some((number, seed, before, first, run)) = departed {
        let sent = run.responses.len();
        let shortest = if probe.can_look_again() {
            probe.look_again();
            let shows = |law, made| shows(law, before.clone(), made, &perform);
            cut_down(first, run, strategy, seed, shows).await
        } else {
            run
        };
        record(probe, number, sent, &shortest);
    }
    Ok(())
}

fn record(probe: &Probe, number: u64, sent: usize, shortest: &RunResult) {
    let Some(violation) = &shortest.violation else {
        return;
    };
    let evidence: Vec<_> = shortest.responses.iter().collect();
    let requests = match evidence.len() {
        1 => "1 request".to_owned(),
        count => format!("{count} requests in this order"),
    };
    let what = format!(
        "{} (property run {number} of seed {}, shrunk from {sent} to {requests})",
        violation.law,
        probe.seed()
    );
    probe.judge(false, || {
        let finding = probe.finding(&what, &violation.expected, &violation.seen, &evidence);
        let of_law = finding.cause.is_empty().then(|| violation.law.to_owned());
        finding
            .because(violation.cause.clone().or(of_law))
            .resting_on(violation.decisions.clone())
    });
}

/// The seed of one run, in the form that proptest takes.
fn seed(seed: u64, name: &str, number: u64) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&number.to_le_bytes());
    for (position, byte) in name.bytes().enumerate() {
        let place = &mut bytes[16 + position % 16];
        *place = place.rotate_left(3) ^ byte;
    }
    bytes
}

fn runner(seed: [u8; 32]) -> TestRunner {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    TestRunner::new_with_rng(Config::default(), rng)
}

fn make<Way: Strategy>(strategy: &Way, seed: [u8; 32]) -> Result<Way::Value, Stop> {
    let tree = strategy.new_tree(&mut runner(seed));
    let current = tree.map(|tree| tree.current());
    current.map_err(|reason| Stop::Errored(format!("a bug in the case: nothing generated: {reason}")))
}

/// Performs a simpler run: returns its responses if it violates this law, and the number of requests used.
async fn shows<Made, Performing>(
    law: &'static str,
    before: Option<Made>,
    made: Made,
    perform: &impl Fn(Made) -> Performing,
) -> (Option<RunResult>, usize)
where
    Made: Clone,
    Performing: Future<Output = Result<RunResult, Stop>>,
{
    // A run that cannot be performed shows nothing.
    let mut run = perform(made.clone()).await.unwrap_or_default();
    let mut sent = run.responses.len();
    if let Some(before) = before.filter(|_| run.departs_from(law)) {
        sent += perform(before).await.unwrap_or_default().responses.len();
        run = perform(made).await.unwrap_or_default();
        sent += run.responses.len();
    }
    (run.departs_from(law).then_some(run), sent)
}

/// Shrinks a run: returns the simplest one found that violates the same law, and its responses.
async fn cut_down<Made, Way, Showing>(
    first: Made,
    run: RunResult,
    strategy: impl Fn() -> Way + Send + 'static,
    seed: [u8; 32],
    shows: impl Fn(&'static str, Made) -> Showing,
) -> RunResult
where
    Made: Clone + Debug + PartialEq + Send + 'static,
    Way: Strategy<Value = Made>,
    Showing: Future<Output = (Option<RunResult>, usize)>,
{
    let Some(law) = run.violation.as_ref().map(|violation| violation.law) else {
        return run;
    };
    let (sender, mut simpler) = mpsc::channel(1);
    let (judge, verdicts) = mpsc::channel(1);
    let simplifying = tokio::task::spawn_blocking(move || simplify(&strategy(), seed, &sender, verdicts));
    let (mut shown_by, mut shortest, mut sent) = (first, run, 0);
    while let Some(next) = simpler.recv().await {
        if next == shown_by {
            // proptest went back to a run that is known to fail.
            if judge.send(true).await.is_err() {
                break;
            }
            continue;
        }
        if sent >= CUT_DOWN_WITH {
            break;
        }
        let (run, took) = shows(law, next.clone()).await;
        // A run that could not be sent counts too, so that the attempts end.
        sent += took.max(1);
        let does_show = run.is_some();
        if let Some(run) = run {
            (shown_by, shortest) = (next, run);
        }
        if judge.send(does_show).await.is_err() {
            break;
        }
    }
    drop((simpler, judge));
    // It ends when its channels are closed, and returns nothing.
    let _ = simplifying.await;
    shortest
}

/// Offers simpler and simpler runs for a verdict until none is left or the channel is closed, as proptest does.
fn simplify<Way: Strategy>(
    strategy: &Way,
    seed: [u8; 32],
    sender: &mpsc::Sender<Way::Value>,
    mut verdicts: mpsc::Receiver<bool>,
) {
    let Ok(mut tree) = strategy.new_tree(&mut runner(seed)) else {
        return;
    };
    let mut goes_on = tree.simplify();
    while goes_on && sender.blocking_send(tree.current()).is_ok() {
        goes_on = match verdicts.blocking_recv() {
            Some(true) => tree.simplify(),
            Some(false) => tree.complicate(),
            None => false,
        };
    }
}
