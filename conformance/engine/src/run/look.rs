//! One look at a case: its check, in a separate task, and its result.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::case::{Ask, Case};
use crate::finding::Findings;
use crate::session::collection::Collection;
use crate::session::{Probe, Shared};
use crate::transport::budget::RequestBudget;
use crate::verdict::{Outcome, Stop};

/// The result of a check, without its outcome.
#[derive(Default)]
pub(crate) struct CaseRun {
    pub(crate) findings: Findings,
    pub(crate) duration: Duration,
    pub(crate) requests: u64,
    /// The collections that the responses depended on.
    pub(crate) looked_at: BTreeSet<Collection>,
}

/// Whether a look at a case may send non-read requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Adding {
    /// As much as the case announces.
    AsAnnounced,
    /// None: a second check repeats no addition.
    No,
}

/// Runs one check. Also returns whether it may have changed anything.
pub(crate) async fn look(
    case: &Case,
    check: &Ask,
    shared: &Arc<Shared>,
    budget: Arc<RequestBudget>,
    adding: Adding,
) -> (CaseRun, Outcome, bool) {
    let start = Instant::now();
    let probe = Probe::new(Arc::clone(shared), Arc::clone(&budget)).of_case(&case.id);
    let probe = match adding {
        Adding::AsAnnounced => probe.with_adds(case.adds, case.write_limit(shared.property_runs)),
        Adding::No => probe,
    };
    // A separate task, so that a panic in the check does not affect anything else.
    let outcome = tokio::spawn(check(probe.clone())).await;
    let panicked = |_| Err(Stop::Errored("a bug in the case: its check panicked".to_owned()));
    let looked = CaseRun {
        findings: probe.take_findings(),
        duration: start.elapsed(),
        requests: budget.used(),
        looked_at: probe.looked_at(),
    };
    (looked, outcome.unwrap_or_else(panicked), probe.may_have_changed())
}
