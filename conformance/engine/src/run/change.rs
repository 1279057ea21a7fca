//! Data that grows or shrinks during a run: others use the deployment, too.
//!
//! A law compares responses, and an item added or removed between them makes it fail. A failed case is therefore run
//! again when its data has changed: a look with unchanged data before and after it decides. If no look had unchanged
//! data, only findings that are the same in every look count as failures.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::finding::{Finding, Findings};
use crate::run::look::CaseRun;
use crate::run::second_look::{Again, is_same, kind_of_response};
use crate::session::collection::Collection;
use crate::session::discover::discover;
use crate::session::observed::Known;
use crate::session::snapshot::Snapshot;
use crate::session::{Probe, Shared};
use crate::transport::budget::RequestBudget;
use crate::verdict::{Outcome, Stop};

/// How often a case is run again.
const LOOKS: usize = 3;

/// The contents of collections at one moment.
type Snapshots = BTreeMap<Collection, Snapshot>;

/// Gives a case with findings its verdict when its data has changed since the run began. Returns whether it has.
pub(crate) async fn settle(again: &Again<'_>, looked: &mut CaseRun, outcome: &mut Outcome) -> bool {
    let budget = Arc::new(RequestBudget::within(Arc::clone(again.second_looks), u64::MAX));
    let fresh = again.fresh(again.shared.known.clone(), Arc::clone(&budget));
    let probe = Probe::new(Arc::new(fresh), Arc::clone(&budget));
    let changed = changed(&probe, again, looked).await;
    let has_changed = changed.is_some();
    if let Some(before) = changed {
        again.shared.client.note_change(&change_of(again, &before));
        look_until_still(&probe, again, before, looked, outcome).await;
    }
    looked.requests += budget.used();
    has_changed
}

/// Runs the case until its data does not change meanwhile, and takes the verdict of that look.
async fn look_until_still(
    probe: &Probe,
    again: &Again<'_>,
    mut before: Snapshots,
    looked: &mut CaseRun,
    outcome: &mut Outcome,
) {
    let mut findings: Vec<_> = looked.findings.as_slice().to_vec();
    let mut found_again = Some(true);
    for _ in 0..LOOKS {
        let Some(known) = known_now(probe, again, &before).await else {
            findings.clear();
            break;
        };
        let (next, ended) = again.look(known).await;
        looked.requests += next.requests;
        // A look that did not finish proves nothing about findings that are absent.
        if matches!(ended, Err(Stop::Errored(_))) {
            findings.retain(shows_in_one_answer);
            found_again = None;
            break;
        }
        let after = snapshots(probe, again, before.keys()).await;
        if after.as_ref() == Some(&before) {
            decide(looked, next, &findings);
            *outcome = ended;
            return;
        }
        findings.retain(|finding| {
            let mut found = next.findings.as_slice().iter();
            found.any(|other| is_the_same_in_spite_of_changes(other, finding))
        });
        before = after.unwrap_or(before);
    }
    let assertions = looked.findings.assertions();
    looked.findings = Findings::of(assertions, findings);
    looked.findings.mark(|_| found_again);
    if looked.findings.is_empty() {
        let reason = format!("the data changed during every check: {}", change_of(again, &before));
        *outcome = Err(Stop::Inconclusive(reason));
    }
}

/// Replaces the findings of the case with those of a look at unchanged data.
fn decide(looked: &mut CaseRun, next: CaseRun, first: &[Finding]) {
    looked.findings = next.findings;
    looked
        .findings
        .mark(|finding| first.iter().any(|other| is_same(other, finding)).then_some(true));
}

/// Whether two equal findings cannot be explained by changes of the data: each shows in one response, in the same way.
fn is_the_same_in_spite_of_changes(one: &Finding, other: &Finding) -> bool {
    let texts = |finding: &Finding| (finding.expected.clone(), finding.seen.clone());
    let is_of_status = !kind_of_response(&one.seen).is_empty();
    shows_in_one_answer(one) && is_same(one, other) && (is_of_status || texts(one) == texts(other))
}

/// Whether a finding compares no responses.
fn shows_in_one_answer(finding: &Finding) -> bool {
    finding.requests.len() == 1
}

/// The collections of a look that have changed since the run began, with their present contents.
async fn changed(probe: &Probe, again: &Again<'_>, looked: &CaseRun) -> Option<Snapshots> {
    let now = snapshots(probe, again, &looked.looked_at).await?;
    let totals = &again.shared.known.totals;
    let others = now.iter();
    let others: Vec<_> = others
        .filter(|(collection, snapshot)| snapshot.total != totals[*collection])
        .map(|(collection, _)| *collection)
        .collect();
    let later = snapshots(probe, again, &others).await?;
    let changed: Snapshots = later
        .into_iter()
        .filter(|(collection, later)| now[collection].shows_change(totals[collection], later))
        .collect();
    (!changed.is_empty()).then_some(changed)
}

/// The contents of these collections, if their totals are known. `None` when they cannot be read.
async fn snapshots(
    probe: &Probe,
    again: &Again<'_>,
    collections: impl IntoIterator<Item = &Collection>,
) -> Option<Snapshots> {
    let mut all = Snapshots::new();
    for collection in collections {
        if let Some(total) = again.shared.known.totals.get(collection) {
            let snapshot = probe.snapshot(*collection, *total).await.ok()??;
            all.insert(*collection, snapshot);
        }
    }
    Some(all)
}

/// The known data of the deployment, with these totals. If something was removed, it is explored again: what was known
/// may be gone. `None` when it cannot be explored.
async fn known_now(probe: &Probe, again: &Again<'_>, now: &Snapshots) -> Option<Known> {
    let totals = &again.shared.known.totals;
    let mut known = match now.iter().all(|(collection, now)| now.total >= totals[collection]) {
        true => again.shared.known.clone(),
        false => explored(probe, again.shared, now).await?,
    };
    for pipeline in &mut known.pipelines {
        if let Some(snapshot) = now.get(&Collection::Items(pipeline.pipeline_id)) {
            pipeline.total_count = snapshot.total;
        }
    }
    Some(known)
}

/// The data of a deployment that was explored when it had these totals.
async fn explored(probe: &Probe, shared: &Shared, now: &Snapshots) -> Option<Known> {
    let mut explored = shared.explored.lock().await;
    let has_these_totals = |known: &&Known| {
        let mut now = now.iter();
        now.all(|(collection, now)| known.totals.get(collection) == Some(&now.total))
    };
    if let Some(known) = explored.as_ref().filter(has_these_totals) {
        return Some(known.clone());
    }
    let known = Known {
        missing: shared.known.missing.clone(),
        ..discover(probe, shared.target.as_deref()?).await.ok()?
    };
    Some(explored.insert(known).clone())
}

/// How the collections have changed, for a person.
fn change_of(again: &Again<'_>, now: &Snapshots) -> String {
    let totals = &again.shared.known.totals;
    let changes = now.iter().map(|(collection, snapshot)| {
        let (before, now) = (totals[collection], snapshot.total);
        format!("{collection} were {before} at the start and are {now} now")
    });
    changes.collect::<Vec<_>>().join(", ")
}
