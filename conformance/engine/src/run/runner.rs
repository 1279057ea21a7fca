//! Gives the cases of a run their verdicts: which cases run side by side, which get a second check, what a failure
//! means at the level of the run.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use chrono::NaiveDate;
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::case::{Case, Check, Clause, Need};
use crate::cause;
use crate::finding::Findings;
use crate::report::{BasisReport, CaseReport, ClauseReport, Event, Reporter};
use crate::rules::looked_for;
use crate::run::change;
use crate::run::look::{Adding, CaseRun, look};
use crate::run::options::Options;
use crate::run::plan::{lacking as lacking_before, tried_before};
use crate::run::second_look::{Again, ask_again, keep_finding};
use crate::session::observed::Known;
use crate::session::presence;
use crate::session::{Probe, Shared};
use crate::target::{PipelineRole, Role, Target};
use crate::transport::budget::RequestBudget;
use crate::transport::client::INTERRUPTED;
use crate::verdict::{Level, Outcome, Stop, Verdict};
use platform_contract::Contract;

/// How long nothing may happen before the reporter receives [`Event::Waiting`].
const BEAT: Duration = Duration::from_millis(250);

/// The part of the budget for second checks that findings which only inform may use: one in this number.
const INFORMING: u64 = 4;

/// A message of a worker about its case.
enum Message {
    Started(usize),
    Finished(usize, Box<CaseRun>, Outcome),
}

/// The budgets for second checks of findings.
#[derive(Clone)]
pub(super) struct SecondLooks {
    level: Level,
    all: Arc<RequestBudget>,
    /// That part of it for findings that only inform: they leave the rest to those that fail the run.
    informing: Arc<RequestBudget>,
}

impl SecondLooks {
    pub(super) fn new(level: Level, all: Arc<RequestBudget>) -> Self {
        let informing = RequestBudget::within(Arc::clone(&all), all.limit() / INFORMING);
        Self {
            level,
            all,
            informing: Arc::new(informing),
        }
    }

    /// The budget for these findings of a case.
    fn of(&self, case: &Case, findings: &Findings) -> &Arc<RequestBudget> {
        match self.level == Level::Stated && decided_only(case, findings).is_some() {
            true => &self.informing,
            false => &self.all,
        }
    }
}

/// The cases of a run, and their verdicts.
pub(super) struct Runner<'a> {
    pub(super) cases: Arc<Vec<Case>>,
    pub(super) verdicts: Vec<Option<CaseReport>>,
    /// The number of cases that have failed.
    pub(super) failed: usize,
    pub(super) shared: Arc<Shared>,
    /// Why the target was not reached, if it was not.
    pub(super) unreached: Option<Stop>,
    /// The budgets for second checks.
    pub(super) second_looks: SecondLooks,
    pub(super) today: NaiveDate,
    pub(super) target: &'a Target,
    pub(super) options: &'a Options,
    pub(super) reporter: &'a mut dyn Reporter,
}

impl Runner<'_> {
    /// Runs all cases that send their own requests.
    pub(super) async fn ask(&mut self) {
        // Whether an operation exists is found out before anything else about it.
        let (mut first, mut reads) = (VecDeque::new(), VecDeque::new());
        let (mut quota, mut writes, mut last) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
        let cases = Arc::clone(&self.cases);
        let closed = match self.unreached {
            None => closed_pipelines(&self.shared, tried_before(&cases, self.target, self.options)).await,
            Some(_) => Vec::new(),
        };
        for (position, case) in cases.iter().enumerate() {
            if matches!(case.check, Check::Watches { .. }) {
                continue;
            }
            let lacks = || self.lacks(case).or_else(|| adds_to_closed(case, &closed));
            if let Some(stop) = self.unreached.clone().or_else(lacks) {
                self.finish(position, CaseRun::default(), Err(stop));
            } else if case.rule() == presence::RULE {
                first.push_back(position);
            } else if case.runs_last {
                last.push_back(position);
            } else if case.needs.contains(&Need::Writes) {
                writes.push_back(position);
            } else if case.needs.contains(&Need::Key(Role::RateLimited)) {
                quota.push_back(position);
            } else {
                reads.push_back(position);
            }
        }
        spread_out(&cases, reads.make_contiguous());
        let concurrency = self.options.concurrency.max(1);
        self.work(vec![(first, concurrency)]).await;
        self.work(vec![(reads, concurrency), (quota, 1)]).await;
        self.work(vec![(writes, 1)]).await;
        self.work(vec![(last, 1)]).await;
        let reason = match self.options.max_failures {
            Some(most) if self.has_failed_enough() => {
                format!("not started: the limit of {most} failed cases was reached")
            }
            _ => INTERRUPTED.to_owned(),
        };
        for position in 0..cases.len() {
            let asks = matches!(cases[position].check, Check::Asks(_));
            if asks && self.verdicts[position].is_none() {
                let left = Err(Stop::Skipped(reason.clone()));
                self.finish(position, CaseRun::default(), left);
            }
        }
    }

    /// Runs the cases one after the other, and stops after the first that fails or that received a response for which
    /// another case will fail.
    pub(super) async fn ask_until_failure(&mut self) {
        let cases = Arc::clone(&self.cases);
        for (position, case) in cases.iter().enumerate() {
            let Check::Asks(check) = &case.check else {
                continue;
            };
            if let Some(stop) = self.unreached.clone().or_else(|| self.lacks(case)) {
                self.finish(position, CaseRun::default(), Err(stop));
                continue;
            }
            let budget = Arc::new(RequestBudget::of(case.request_limit(self.shared.property_runs)));
            let (looked, outcome, _) = look(case, check, &self.shared, budget, Adding::AsAnnounced).await;
            self.finish(position, looked, outcome);
            let verdict = self.verdicts[position].as_ref().map(|case| case.verdict);
            if verdict == Some(Verdict::Failed) || self.shared.schema_check.has_findings(self.options.level) {
                return;
            }
        }
    }

    /// Runs queues of cases, each with its number of workers, until all are done.
    async fn work(&mut self, queues: Vec<(VecDeque<usize>, usize)>) {
        let (sender, mut messages) = mpsc::unbounded_channel();
        let mut workers = JoinSet::new();
        let queues = queues.into_iter();
        let queues: Vec<_> = queues
            .map(|(queue, count)| (Arc::new(Mutex::new(queue)), count))
            .collect();
        if self.has_failed_enough() {
            return;
        }
        for (queue, count) in &queues {
            for _ in 0..*count {
                workers.spawn(worker(
                    Arc::clone(queue),
                    Arc::clone(&self.cases),
                    Arc::clone(&self.shared),
                    self.second_looks.clone(),
                    sender.clone(),
                ));
            }
        }
        drop(sender);
        loop {
            let Ok(message) = tokio::time::timeout(BEAT, messages.recv()).await else {
                let requests = self.shared.client.sent();
                self.reporter.event(&Event::Waiting { requests });
                continue;
            };
            let Some(message) = message else { break };
            match message {
                Message::Started(position) => {
                    let cases = Arc::clone(&self.cases);
                    self.reporter.event(&Event::CaseStarted {
                        id: &cases[position].id,
                    });
                }
                Message::Finished(position, case, outcome) => {
                    self.finish(position, *case, outcome);
                    if self.has_failed_enough() {
                        queues.iter().for_each(|(queue, _)| queue.lock().clear());
                    }
                }
            }
        }
        workers.join_all().await;
    }

    /// Whether the limit on failed cases is reached.
    fn has_failed_enough(&self) -> bool {
        let most = self.options.max_failures;
        most.is_some_and(|most| self.failed >= most.get())
    }

    /// Judges the cases that watched the responses to the others.
    pub(super) async fn watch(&mut self) {
        let cases = Arc::clone(&self.cases);
        for (position, case) in cases.iter().enumerate() {
            let Check::Watches { operation, status } = &case.check else {
                continue;
            };
            if let Some(stop) = self.unreached.clone().or_else(|| self.lacks(case)) {
                self.finish(position, CaseRun::default(), Err(stop));
                continue;
            }
            let mut seen = self.shared.schema_check.seen(operation, status);
            let outcome = match seen.findings.assertions() {
                0 => Err(Stop::not_seen(looked_for(status))),
                _ => Ok(()),
            };
            let client = &self.shared.client;
            let second_looks = self.second_looks.of(case, &seen.findings);
            let requests = ask_again(
                &self.options.contract,
                Arc::clone(client),
                Arc::clone(second_looks),
                &case.id,
                &mut seen,
            )
            .await;
            let watched = CaseRun {
                findings: seen.findings,
                requests,
                ..CaseRun::default()
            };
            self.finish(position, watched, outcome);
        }
    }

    fn finish(&mut self, position: usize, looked: CaseRun, outcome: Outcome) {
        let case = &self.cases[position];
        let mut findings = looked.findings;
        let assertions = findings.assertions();
        let (verdict, reason) = match outcome {
            Err(Stop::Failed(finding)) => {
                findings.record(*finding);
                (Verdict::Failed, None)
            }
            // Findings from before the end of a check count, however it ended.
            Err(Stop::Skipped(reason)) => (Verdict::Skipped, Some(reason)),
            Err(Stop::Inconclusive(reason)) => (Verdict::Inconclusive, Some(reason)),
            Err(Stop::Errored(reason)) => (Verdict::Errored, Some(reason)),
            Ok(()) if assertions == 0 => (
                Verdict::Inconclusive,
                Some("the deployment's data does not exercise it".to_owned()),
            ),
            Ok(()) => (Verdict::Passed, None),
        };
        let (verdict, reason) = if findings.is_empty() {
            (verdict, reason)
        } else {
            self.differing(case, &findings, reason)
        };
        let steadiness = findings.steadiness();
        let client = &self.shared.client;
        let redact = |text: String| client.redact(&text);
        let findings = findings.into_findings().into_iter();
        let findings = findings.map(|finding| {
            // The titles of rules are not redacted: a key may end like one.
            let finding = finding.with_texts(redact);
            let of_rule = || cause::of_rule(case.rule_title(), &finding.what);
            let of_rule = finding.cause.is_empty().then(of_rule);
            finding.because(of_rule)
        });
        let clauses = case.clauses.iter();
        let decisions = case.decisions();
        let report = CaseReport {
            id: case.id.clone(),
            rule: case.rule().to_owned(),
            subject: case.subject().map(str::to_owned),
            title: case.title.clone(),
            verdict,
            basis: if decisions.is_empty() {
                BasisReport::Stated
            } else {
                BasisReport::Decided
            },
            decisions,
            clauses: clauses
                .map(|clause| clause_report(&self.options.contract, clause))
                .collect(),
            reason: reason.map(redact),
            findings: findings.collect(),
            steadiness,
            requests: looked.requests,
            assertions,
            duration_ms: millis(looked.duration),
        };
        self.failed += usize::from(verdict == Verdict::Failed);
        self.reporter.event(&Event::CaseFinished { case: &report });
        self.verdicts[position] = Some(report);
    }

    /// The verdict on a case that found a mismatch. At the level `stated`, a mismatch with decisions only informs.
    fn differing(&self, case: &Case, findings: &Findings, reason: Option<String>) -> (Verdict, Option<String>) {
        if self.options.level == Level::Stated
            && let Some(decisions) = decided_only(case, findings)
        {
            let decisions: Vec<_> = decisions.into_iter().collect();
            let reason = format!(
                "the deployment decided differently where the source is silent: {}",
                decisions.join(", ")
            );
            return (Verdict::Informed, Some(reason));
        }
        match self.options.known_failures.reason(&case.id, self.today) {
            Some(known) => (Verdict::Known, Some(known)),
            None => (Verdict::Failed, reason),
        }
    }

    /// Why a case cannot run here, if it cannot: the first unmet need, and how to meet it.
    fn lacks(&self, case: &Case) -> Option<Stop> {
        let needs = || {
            let mut needs = case.needs.iter();
            needs.find_map(|need| lacking(need, self.target, self.options, &self.shared.known))
        };
        missing_operation(case, &self.shared).or_else(|| needs().map(Stop::Skipped))
    }
}

/// Why nothing can be checked, if the deployment does not have an operation that a case is about.
fn missing_operation(case: &Case, shared: &Shared) -> Option<Stop> {
    let mut operations = case.operations().into_iter();
    let missing = operations.find_map(|operation| shared.lacks(operation));
    missing.filter(|_| case.rule() != presence::RULE)
}

/// Those of these pipelines that the key with full access may not add to. A key of least privilege is no departure.
/// Policies come before all that a body may get wrong, so an empty object shows whether they allow it. It adds nothing.
async fn closed_pipelines(shared: &Arc<Shared>, pipelines: Vec<(PipelineRole, u64)>) -> Vec<(PipelineRole, u64)> {
    let mut closed = Vec::new();
    for (role, pipeline_id) in pipelines {
        let probe = Probe::new(Arc::clone(shared), Arc::new(RequestBudget::of(1))).with_adds(0, 1);
        let call = probe.call("add_organization").path("pipeline_id", pipeline_id);
        // A response that cannot be had shows nothing.
        let response = call.json(&serde_json::json!({})).unobserved().send().await;
        if response.is_ok_and(|response| response.status == 403) {
            closed.push((role, pipeline_id));
        }
    }
    closed
}

/// Why a case cannot run that would try to add to one of these pipelines with full access.
fn adds_to_closed(case: &Case, closed: &[(PipelineRole, u64)]) -> Option<Stop> {
    // These add with their own key.
    let own = [Role::CreateOnly, Role::WritableOnly, Role::SomePipelines].map(Need::Key);
    if own.iter().any(|key| case.needs.contains(key)) {
        return None;
    }
    let mut closed = closed.iter();
    let (role, pipeline_id) = closed.find(|(role, _)| case.needs.contains(&Need::Named(*role)))?;
    Some(Stop::Skipped(format!(
        "the key full_access may not add to pipeline {pipeline_id}: name a pipeline that it may add to as {} under \
         [pipelines]",
        role.as_str()
    )))
}

fn lacking(need: &Need, target: &Target, options: &Options, known: &Known) -> Option<String> {
    if let Some(reason) = lacking_before(need, target, options) {
        return Some(reason);
    }
    if let Some(reason) = &known.not_writable
        && matches!(need, Need::Writes | Need::Pipeline(PipelineRole::Writable))
    {
        return Some(format!("needs the writable pipeline: {reason}"));
    }
    match need {
        Need::Pipeline(role) if !known.roles.contains_key(role) => {
            let role = role.as_str();
            Some(format!(
                "needs a pipeline for the role {role}, but none was found: name one under [pipelines]"
            ))
        }
        Need::Organization if known.organizations.is_empty() => {
            Some("needs an organization, and no search found one".to_owned())
        }
        Need::Product if known.products.is_empty() => Some("needs a product, and no search found one".to_owned()),
        Need::Writes if known.to_add.is_empty() => Some(
            "needs an organization that is not in the writable pipeline: name some as organizations under [add]"
                .to_owned(),
        ),
        _ => None,
    }
}

/// The decisions behind the findings of a case; `None` when one of them has a stated basis.
fn decided_only(case: &Case, findings: &Findings) -> Option<BTreeSet<String>> {
    let of_case = case.decisions();
    let mut all = BTreeSet::new();
    for finding in findings.as_slice() {
        let decisions = finding.decisions.as_ref().unwrap_or(&of_case);
        if decisions.is_empty() {
            return None;
        }
        all.extend(decisions.iter().cloned());
    }
    Some(all)
}

/// Spreads the cases of each group over the whole run: cases of one group often wait for the same walk, and nothing
/// would run alongside it.
fn spread_out(cases: &[Case], positions: &mut [usize]) {
    let mut sizes = BTreeMap::new();
    let ranks: BTreeMap<usize, usize> = positions
        .iter()
        .map(|position| {
            let size: &mut usize = sizes.entry(cases[*position].group()).or_default();
            *size += 1;
            (*position, *size)
        })
        .collect();
    // The position in thousandths of its group.
    positions.sort_by_key(|position| 1000 * ranks[position] / sizes[cases[*position].group()]);
}

async fn worker(
    queue: Arc<Mutex<VecDeque<usize>>>,
    cases: Arc<Vec<Case>>,
    shared: Arc<Shared>,
    second_looks: SecondLooks,
    sender: mpsc::UnboundedSender<Message>,
) {
    while !shared.client.is_interrupted() {
        let next = queue.lock().pop_front();
        let Some(position) = next else { return };
        let case = &cases[position];
        let Check::Asks(check) = &case.check else {
            continue;
        };
        // The receiver outlives the workers.
        let _ = sender.send(Message::Started(position));
        // An earlier case may have found it out.
        if let Some(stop) = missing_operation(case, &shared) {
            let _ = sender.send(Message::Finished(position, Box::default(), Err(stop)));
            continue;
        }
        let budget = Arc::new(RequestBudget::of(case.request_limit(shared.property_runs)));
        let (mut looked, mut outcome, changed) = look(case, check, &shared, budget, Adding::AsAnnounced).await;
        if !changed && !case.needs.contains(&Need::Writes) {
            keep_finding(&mut looked, &mut outcome);
            let again = Again {
                case,
                check,
                shared: &shared,
                second_looks: second_looks.of(case, &looked.findings),
            };
            if !looked.findings.is_empty() && !change::settle(&again, &mut looked, &mut outcome).await {
                again.confirm(&mut looked, &mut outcome).await;
            }
        }
        let _ = sender.send(Message::Finished(position, Box::new(looked), outcome));
    }
}

/// A duration in the unit of reports.
pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// A clause, with its actual place.
fn clause_report(contract: &Contract, clause: &Clause) -> ClauseReport {
    let way = clause.pointer.clone();
    let pointer = contract.locate(&way).unwrap_or_else(|| way.clone());
    ClauseReport {
        line: contract.line_of(&way, &clause.sentence),
        sentence: clause.sentence.clone(),
        through: (way != pointer).then_some(way),
        pointer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Finding, Steadiness};

    #[test]
    fn findings_that_only_inform_leave_second_looks_to_the_others() {
        let finding = |decisions: &[&str]| Finding {
            what: String::new(),
            expected: String::new(),
            seen: String::new(),
            requests: Vec::new(),
            request_ids: Vec::new(),
            decisions: Some(decisions.iter().map(|id| (*id).to_owned()).collect()),
            cause: String::new(),
            times: 1,
            steadiness: Steadiness::Unconfirmed,
        };
        let case = Case::new("limit/any", "Any", "/info");
        let budget = |level, decisions: &[&str]| {
            let second_looks = SecondLooks::new(level, Arc::new(RequestBudget::of(2_000)));
            second_looks
                .of(&case, &Findings::of(1, vec![finding(decisions)]))
                .limit()
        };
        assert_eq!(budget(Level::Stated, &["a decision"]), 500);
        assert_eq!(budget(Level::Stated, &[]), 2_000);
        assert_eq!(budget(Level::Contract, &["a decision"]), 2_000);
    }
}
