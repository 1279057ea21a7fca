//! A run: looks at the target, gives every case its verdict, and tells the reporter.
//!
//! Cases that only read run side by side. Those that use up a quota run one after the other beside them,
//! and those that write run alone, at the end. What fails is looked at a second time, with nothing remembered
//! of the first, unless that could change something.

pub mod known_failures;
pub mod look;
pub mod options;
pub mod plan;
pub mod second_look;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{NaiveDate, Utc};
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::case::{Case, Check, Clause, Need};
use crate::chapter::Chapter;
use crate::clock::{Clock, SystemClock};
use crate::pattern::Pattern;
use crate::report::{
    BasisReport, CaseReport, ClauseReport, Event, KnownFailureReport, REPORT_VERSION, Report,
    Reporter, RunPlan, Summary, TargetReport,
};
use crate::rules::SchemaCheck;
use crate::run::known_failures::KnownFailures;
use crate::run::look::{Adding, Verdicted, look};
use crate::run::options::{Options, RunError};
use crate::run::plan::{lacking as lacking_before, select};
use crate::run::second_look::{ask_again, look_again};
use crate::session::discover::discover;
use crate::session::observed::Known;
use crate::session::preflight;
use crate::session::{Probe, Shared};
use crate::target::{Role, Target};
use crate::transport::account::Account;
use crate::transport::client::{Client, INTERRUPTED, Limits};
use crate::verdict::{Level, Outcome, Stop, Verdict};
use platform_contract::Contract;

/// How long nothing may happen before the reporter is told that the run still goes on.
const BEAT: Duration = Duration::from_millis(250);

/// The most requests that look around in a deployment outside of a run, the first few included.
const LOOKS_AROUND: u64 = 500 + preflight::SENDS;

/// What a worker says of its case.
enum Message {
    Started(usize),
    Finished(usize, Box<Verdicted>, Outcome),
}

/// Holds a deployment to the contract. Needs a Tokio runtime around it.
///
/// # Errors
/// When there is nothing to run: no key, or a pattern without a case. A deployment that is not reached, does
/// not accept the key or is another service is not an error: no case is run then, every one of them is
/// [`Verdict::Errored`] for that reason, and [`Report::obstacle`] returns it.
pub async fn run(
    cases: Vec<Case>,
    target: &Target,
    options: &Options,
    reporter: &mut dyn Reporter,
) -> Result<Report, RunError> {
    let setting = Setting {
        pace: Pace::SideBySide,
        clock: Arc::new(SystemClock::default()),
        known: None,
        second_looks: true,
    };
    run_cases(cases, setting, target, options, reporter).await
}

/// What the one who judges the kit may choose, and nobody else needs to.
pub struct Setting {
    /// In which order, and how far.
    pub pace: Pace,
    /// The time that the run goes by.
    pub clock: Arc<dyn Clock>,
    /// What is known of the deployment; it is looked for when nothing is.
    pub known: Option<Known>,
    /// Whether what fails is looked at a second time.
    pub second_looks: bool,
}

/// In which order a run goes through its cases, and how far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// All cases, as many side by side as the options say.
    SideBySide,
    /// One case after the other as they are given, until the first fails: the rest has no verdict.
    UntilFailure,
}

/// Runs those of these cases that the options choose.
pub async fn run_cases(
    cases: Vec<Case>,
    setting: Setting,
    target: &Target,
    options: &Options,
    reporter: &mut dyn Reporter,
) -> Result<Report, RunError> {
    let ids: Vec<_> = cases.iter().map(|case| case.id.clone()).collect();
    let cases = select(cases, &options.only)?;
    if !target.has_key(Role::FullAccess) {
        return Err(RunError::NoKey);
    }
    let (started_at, start) = (Utc::now(), Instant::now());
    let plan = RunPlan::of(&cases, target, options);
    reporter.event(&Event::Planned { plan: &plan });
    let limits = Limits::of(&plan, options);
    let client = Arc::new(Client::new(target, limits, setting.clock).map_err(RunError::Client)?);
    let watching = cases
        .iter()
        .any(|case| matches!(case.check, Check::Watches { .. }));
    let schema_check = Arc::new(SchemaCheck::new(options.contract, watching));
    let for_all = Arc::new(Account::of(plan.requests.walks));
    let second_looks = Arc::new(Account::of(match setting.second_looks {
        true => plan.requests.second_looks,
        false => 0,
    }));
    let shared = |known| {
        let (client, schema_check) = (Arc::clone(&client), Arc::clone(&schema_check));
        let accounts = (Arc::clone(&for_all), Arc::clone(&second_looks));
        let random = (options.seed, options.walks);
        Arc::new(Shared::new(client, schema_check, known, accounts, random))
    };
    let discovered = match setting.known {
        Some(known) => Ok(known),
        None => {
            let account = Arc::new(Account::of(plan.requests.discovery));
            let probe = Probe::new(shared(Known::default()), account);
            look_at(&client, &probe, target).await
        }
    };
    let known = discovered.as_ref().ok().cloned().unwrap_or_default();
    let target_report = report_target(target, &known, options);
    if !matches!(discovered, Err(Stop::Errored(_))) {
        reporter.event(&Event::Started {
            target: &target_report,
            cases: cases.len(),
        });
    }
    let mut runner = Runner {
        verdicts: vec![None; cases.len()],
        unreached: discovered.err(),
        shared: shared(known),
        second_looks,
        today: started_at.date_naive(),
        cases: Arc::new(cases),
        target,
        options,
        reporter,
    };
    match setting.pace {
        Pace::SideBySide => runner.ask().await,
        Pace::UntilFailure => runner.ask_until_failure().await,
    }
    runner.watch().await;
    let chapters = Chapter::distinct(runner.cases.iter().map(Case::chapter));
    let cases: Vec<_> = runner.verdicts.into_iter().flatten().collect();
    let mut known_failures = judge(
        &options.known_failures,
        &ids,
        &cases,
        started_at.date_naive(),
    );
    for known in &mut known_failures {
        // Whoever wrote the list may have pasted what stands in no report.
        known.id = client.redact(&known.id);
        known.reason = client.redact(&known.reason);
    }
    let stale = known_failures.iter().filter(|known| known.state.fails());
    let report = Report {
        version: REPORT_VERSION,
        kit_version: env!("CARGO_PKG_VERSION").to_owned(),
        contract_version: options.contract.document()["info"]["version"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        target: target_report,
        started_at,
        duration_ms: millis(start.elapsed()),
        level: options.level,
        seed: options.seed,
        requests: client.sent(),
        most_requests: plan.requests.most(),
        trouble: client.troubles(),
        summary: Summary {
            stale: stale.count(),
            interrupted: client.is_interrupted(),
            ..Summary::of(&cases)
        },
        known_failures,
        chapters,
        cases,
    };
    reporter.event(&Event::Finished { report: &report });
    Ok(report)
}

impl Limits {
    fn of(plan: &RunPlan, options: &Options) -> Self {
        Self {
            timeout: options.timeout,
            in_flight: options.concurrency,
            rate: options.rate,
            total: plan.requests.most(),
            retries: plan.requests.retries,
            additions: plan.adds.map_or(0, |adds| adds.at_most),
            max_body_bytes: options.max_body_bytes,
            interrupt: options.interrupt.clone(),
            abandon: options.abandon.clone(),
        }
    }
}

/// What became of the lines of the list of known failures.
fn judge(
    known: &KnownFailures,
    ids: &[String],
    cases: &[CaseReport],
    today: NaiveDate,
) -> Vec<KnownFailureReport> {
    let exists = |pattern: &Pattern| ids.iter().any(|id| pattern.matches(id));
    known.judge(cases, exists, today)
}

struct Runner<'a> {
    cases: Arc<Vec<Case>>,
    verdicts: Vec<Option<CaseReport>>,
    shared: Arc<Shared>,
    /// Why the target was not reached, if it was not.
    unreached: Option<Stop>,
    /// What pays for second looks.
    second_looks: Arc<Account>,
    today: NaiveDate,
    target: &'a Target,
    options: &'a Options,
    reporter: &'a mut dyn Reporter,
}

impl Runner<'_> {
    /// Runs all cases that send requests of their own.
    async fn ask(&mut self) {
        let (mut reads, mut quota, mut writes) =
            (VecDeque::new(), VecDeque::new(), VecDeque::new());
        let cases = Arc::clone(&self.cases);
        for (position, case) in cases.iter().enumerate() {
            if matches!(case.check, Check::Watches { .. }) {
                continue;
            }
            if let Some(stop) = self.unreached.clone().or_else(|| self.lacks(case)) {
                self.finish(position, Verdicted::default(), Err(stop));
            } else if case.needs.contains(&Need::Writes) {
                writes.push_back(position);
            } else if case.needs.contains(&Need::Key(Role::RateLimited)) {
                quota.push_back(position);
            } else {
                reads.push_back(position);
            }
        }
        spread_out(&cases, reads.make_contiguous());
        self.work(vec![(reads, self.options.concurrency.max(1)), (quota, 1)])
            .await;
        self.work(vec![(writes, 1)]).await;
        for position in 0..cases.len() {
            let asks = matches!(cases[position].check, Check::Asks(_));
            if asks && self.verdicts[position].is_none() {
                let interrupted = Err(Stop::Skipped(INTERRUPTED.to_owned()));
                self.finish(position, Verdicted::default(), interrupted);
            }
        }
    }

    /// Runs the cases one after the other, and stops behind the first that fails or that was answered what
    /// another case will fail for.
    async fn ask_until_failure(&mut self) {
        let cases = Arc::clone(&self.cases);
        for (position, case) in cases.iter().enumerate() {
            let Check::Asks(check) = &case.check else {
                continue;
            };
            if let Some(stop) = self.unreached.clone().or_else(|| self.lacks(case)) {
                self.finish(position, Verdicted::default(), Err(stop));
                continue;
            }
            let account = Arc::new(Account::of(case.most(self.shared.walks)));
            let (looked, outcome, _) =
                look(case, check, &self.shared, account, Adding::AsAnnounced).await;
            self.finish(position, looked, outcome);
            let verdict = self.verdicts[position].as_ref().map(|case| case.verdict);
            if verdict == Some(Verdict::Failed) || self.shared.schema_check.has_findings() {
                return;
            }
        }
    }

    /// Runs queues of cases, each with so many workers, until all are done.
    async fn work(&mut self, queues: Vec<(VecDeque<usize>, usize)>) {
        let (sender, mut messages) = mpsc::unbounded_channel();
        let mut workers = JoinSet::new();
        for (queue, count) in queues {
            let queue = Arc::new(Mutex::new(queue));
            for _ in 0..count {
                workers.spawn(worker(
                    Arc::clone(&queue),
                    Arc::clone(&self.cases),
                    Arc::clone(&self.shared),
                    Arc::clone(&self.second_looks),
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
                Message::Finished(position, case, outcome) => self.finish(position, *case, outcome),
            }
        }
        workers.join_all().await;
    }

    /// Judges the cases that watched what the others were answered.
    async fn watch(&mut self) {
        let cases = Arc::clone(&self.cases);
        for (position, case) in cases.iter().enumerate() {
            let Check::Watches { operation, status } = &case.check else {
                continue;
            };
            if let Some(stop) = self.unreached.clone().or_else(|| self.lacks(case)) {
                self.finish(position, Verdicted::default(), Err(stop));
                continue;
            }
            let mut seen = self.shared.schema_check.seen(operation, status);
            let outcome = match seen.findings.assertions() {
                0 => Err(Stop::Inconclusive(
                    "no such response was received by any case of this run".to_owned(),
                )),
                _ => Ok(()),
            };
            let (client, second_looks) = (&self.shared.client, &self.second_looks);
            let requests = ask_again(
                self.options.contract,
                Arc::clone(client),
                Arc::clone(second_looks),
                &mut seen,
            )
            .await;
            let watched = Verdicted {
                findings: seen.findings,
                requests,
                duration: Duration::ZERO,
            };
            self.finish(position, watched, outcome);
        }
    }

    fn finish(&mut self, position: usize, looked: Verdicted, outcome: Outcome) {
        let case = &self.cases[position];
        let mut findings = looked.findings;
        let assertions = findings.assertions();
        let (verdict, reason) = match outcome {
            Err(Stop::Failed(finding)) => {
                findings.record(*finding);
                (Verdict::Failed, None)
            }
            // What was found before a check ended counts, however it ended.
            Err(Stop::Skipped(reason)) => (Verdict::Skipped, Some(reason)),
            Err(Stop::Inconclusive(reason)) => (Verdict::Inconclusive, Some(reason)),
            Err(Stop::Errored(reason)) => (Verdict::Errored, Some(reason)),
            Ok(()) if assertions == 0 => (
                Verdict::Inconclusive,
                Some("the deployment's data shows nothing of it".to_owned()),
            ),
            Ok(()) => (Verdict::Passed, None),
        };
        let (verdict, reason) = if findings.is_empty() {
            (verdict, reason)
        } else {
            self.differing(case, reason)
        };
        let steadiness = findings.steadiness();
        let client = &self.shared.client;
        let redact = |text: String| client.redact(&text);
        let findings = findings.into_findings().into_iter();
        let findings = findings.map(|finding| finding.with_texts(redact));
        let clauses = case.clauses.iter();
        let decisions = case.decisions();
        let report = CaseReport {
            id: case.id.clone(),
            title: case.title.clone(),
            verdict,
            basis: if decisions.is_empty() {
                BasisReport::Stated
            } else {
                BasisReport::Decided
            },
            decisions,
            clauses: clauses.map(clause_report).collect(),
            reason: reason.map(redact),
            findings: findings.collect(),
            steadiness,
            requests: looked.requests,
            assertions,
            duration_ms: millis(looked.duration),
        };
        self.reporter.event(&Event::CaseFinished { case: &report });
        self.verdicts[position] = Some(report);
    }

    /// The verdict on a case that found a mismatch.
    fn differing(&self, case: &Case, reason: Option<String>) -> (Verdict, Option<String>) {
        let decisions = case.decisions();
        if self.options.level == Level::Stated && !decisions.is_empty() {
            let decisions: Vec<_> = decisions.into_iter().collect();
            let reason = format!(
                "decided differently: {}, where the source is silent",
                decisions.join(", ")
            );
            return (Verdict::Informed, Some(reason));
        }
        match self.options.known_failures.reason(&case.id, self.today) {
            Some(known) => (Verdict::Known, Some(known)),
            None => (Verdict::Failed, reason),
        }
    }

    /// Why a case cannot run here, if it cannot: the first of its needs that is not met, and what to add.
    fn lacks(&self, case: &Case) -> Option<Stop> {
        case.needs
            .iter()
            .find_map(|need| lacking(*need, self.target, self.options, &self.shared.known))
            .map(Stop::Skipped)
    }
}

fn lacking(need: Need, target: &Target, options: &Options, known: &Known) -> Option<String> {
    if let Some(told) = lacking_before(need, target, options) {
        return Some(told);
    }
    match need {
        Need::Pipeline(role) if !known.roles.contains_key(&role) => {
            let role = role.as_str();
            Some(format!("needs a pipeline, and none such was found: name one as {role} under [pipelines]"))
        }
        Need::Organization if known.organizations.is_empty() => Some("needs an organization, and no search found one".to_owned()),
        Need::Product if known.products.is_empty() => Some("needs a product, and no search found one".to_owned()),
        Need::Writes if known.to_add.is_empty() => {
            Some("needs an organization that is not in the writable pipeline: name some as organizations under [add]".to_owned())
        }
        _ => None,
    }
}

/// Spreads the cases of each group over all of the run: those of one group often wait for the same walk,
/// and nothing would be under way beside it.
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
    // In thousandths of its group.
    positions.sort_by_key(|position| 1000 * ranks[position] / sizes[cases[*position].group()]);
}

async fn worker(
    queue: Arc<Mutex<VecDeque<usize>>>,
    cases: Arc<Vec<Case>>,
    shared: Arc<Shared>,
    second_looks: Arc<Account>,
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
        let account = Arc::new(Account::of(case.most(shared.walks)));
        let (mut looked, mut outcome, changed) =
            look(case, check, &shared, account, Adding::AsAnnounced).await;
        if !changed && !case.needs.contains(&Need::Writes) {
            look_again(
                case,
                check,
                &shared,
                &second_looks,
                &mut looked,
                &mut outcome,
            )
            .await;
        }
        let _ = sender.send(Message::Finished(position, Box::new(looked), outcome));
    }
}

/// What can be found out of a deployment before any case is run.
pub async fn known_of(target: &Target, clock: Arc<dyn Clock>) -> Result<Known, Stop> {
    let (_, known) = look_around(target, Options::default().timeout, clock).await?;
    Ok(known)
}

/// What can be found out of a deployment, and a hold on it to ask for more.
pub async fn look_around(
    target: &Target,
    timeout: Duration,
    clock: Arc<dyn Clock>,
) -> Result<(Probe, Known), Stop> {
    let options = Options {
        timeout,
        ..Options::default()
    };
    let limits = Limits {
        total: LOOKS_AROUND,
        ..Limits::of(&RunPlan::of(&[], target, &options), &options)
    };
    let client = Client::new(target, limits, clock);
    let client = Arc::new(client.map_err(|error| Stop::Errored(error.to_string()))?);
    let schema_check = Arc::new(SchemaCheck::new(Contract::bundled(), false));
    let account = Arc::new(Account::of(LOOKS_AROUND));
    let shared = Shared::new(
        Arc::clone(&client),
        schema_check,
        Known::default(),
        (Arc::clone(&account), Arc::clone(&account)),
        (0, 0),
    );
    let probe = Probe::new(Arc::new(shared), account);
    let known = look_at(&client, &probe, target).await?;
    Ok((probe, known))
}

/// Looks whether a deployment can be judged, and at what is in it.
async fn look_at(client: &Client, probe: &Probe, target: &Target) -> Result<Known, Stop> {
    let judged = preflight::look(client, target).await;
    judged.map_err(|obstacle| Stop::Errored(obstacle.to_string()))?;
    discover(probe, target).await
}

fn report_target(target: &Target, known: &Known, options: &Options) -> TargetReport {
    let keys = Role::ALL.into_iter().filter(|role| target.has_key(*role));
    TargetReport {
        base_url: target.base_url.to_string(),
        keys: keys.map(|role| role.as_str().to_owned()).collect(),
        pipelines: known
            .roles
            .iter()
            .map(|(role, id)| (role.as_str().to_owned(), *id))
            .collect(),
        writes_allowed: options.allow_writes,
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// A clause, with the place where it really stands.
fn clause_report(clause: &Clause) -> ClauseReport {
    let contract = Contract::bundled();
    let way = clause.pointer.clone();
    let pointer = contract.locate(&way).unwrap_or_else(|| way.clone());
    ClauseReport {
        line: contract.line_of(&way, &clause.sentence),
        sentence: clause.sentence.clone(),
        through: (way != pointer).then_some(way),
        pointer,
    }
}
