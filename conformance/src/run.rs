//! A run: looks at the target, gives every case its verdict, and tells the reporter.
//!
//! Cases that only read run side by side. Those that use up a quota run one after the other beside them,
//! and those that write run alone, at the end.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::Utc;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::case::{Ask, Case, Check, Need};
use crate::catalogue::{catalogue, catalogue_of};
use crate::client::Client;
use crate::clock::{Clock, SystemClock};
use crate::contract::Contract;
use crate::discover::discover;
use crate::findings::{Finding, Findings};
use crate::observed::Known;
use crate::pattern::Pattern;
use crate::probe::{Probe, Shared};
use crate::profile::Profile;
use crate::report::{
    BasisReport, CaseReport, ClauseReport, Event, REPORT_VERSION, Report, Reporter, Summary,
    TargetReport,
};
use crate::schema_check::SchemaCheck;
use crate::target::{PipelineRole, Role, Target};
use crate::verdict::{Outcome, Stop, Verdict};

/// How long nothing may happen before the reporter is told that the run still goes on.
const BEAT: Duration = Duration::from_millis(250);

/// What a run may do.
#[derive(Debug, Clone)]
pub struct Options {
    /// Whether cases may add organizations to the writable pipeline. What was added cannot be taken out.
    pub allow_writes: bool,
    /// The cases to run; all when empty.
    pub only: Vec<Pattern>,
    /// How long one answer may take.
    pub timeout: Duration,
    /// How many cases run side by side, at least 1.
    pub concurrency: usize,
    /// What the random walks are made from: the same seed makes the same requests.
    pub seed: u64,
    /// How many random walks each case of the group `law` takes.
    pub walks: u64,
    /// What the deployment decided otherwise than the contract: it is held to that instead.
    pub profile: Option<Arc<Profile>>,
}

impl Options {
    /// The contract that the deployment is held to.
    fn contract(&self) -> &'static Contract {
        let profile = self.profile.as_deref();
        profile.map_or_else(Contract::bundled, Profile::contract)
    }
}

impl Default for Options {
    /// All cases that change nothing, four at a time, 30 seconds an answer; eight random walks, always the
    /// same, so that two runs can be compared.
    fn default() -> Self {
        Self {
            allow_writes: false,
            only: Vec::new(),
            timeout: Duration::from_secs(30),
            concurrency: 4,
            seed: 0,
            walks: 8,
            profile: None,
        }
    }
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A pattern that no case matches is a mistake, not a wish to run nothing.
    #[error("no case matches {0}: `platform-conformance list` shows them all")]
    NoSuchCase(Pattern),
    /// There is no key with full access.
    #[error(
        "no API key: set PLATFORM_API_KEY, or name a variable for full_access in the target file"
    )]
    NoKey,
    /// The HTTP client could not be set up.
    #[error("the HTTP client could not be set up")]
    Client(#[source] reqwest::Error),
}

/// What a worker says of its case.
enum Message {
    Started(usize),
    Finished(usize, Box<Verdicted>),
}

struct Verdicted {
    findings: Findings,
    outcome: Outcome,
    duration: Duration,
}

/// Holds a deployment to the contract. Needs a Tokio runtime around it.
///
/// # Errors
/// When there is nothing to run: no key, or a pattern without a case. A deployment that is not reached
/// is no error: every case is [`Verdict::Errored`] then.
pub async fn run(
    target: &Target,
    options: &Options,
    reporter: &mut dyn Reporter,
) -> Result<Report, RunError> {
    let cases = match &options.profile {
        Some(profile) => profile.govern(catalogue_of(profile.contract())),
        None => catalogue(),
    };
    let cases = select(cases, &options.only)?;
    let setting = Setting {
        pace: Pace::SideBySide,
        clock: Arc::new(SystemClock::default()),
        known: None,
    };
    run_cases(cases, setting, target, options, reporter).await
}

/// What the one who judges the kit may choose, and nobody else needs to.
pub(crate) struct Setting {
    pub(crate) pace: Pace,
    pub(crate) clock: Arc<dyn Clock>,
    /// What is known of the deployment; it is looked for when nothing is.
    pub(crate) known: Option<Known>,
}

/// In which order a run goes through its cases, and how far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// All cases, as many side by side as the options say.
    SideBySide,
    /// One case after the other as they are given, until the first fails: the rest has no verdict.
    UntilFailure,
}

/// Runs these cases, whatever `options.only` says.
pub(crate) async fn run_cases(
    cases: Vec<Case>,
    setting: Setting,
    target: &Target,
    options: &Options,
    reporter: &mut dyn Reporter,
) -> Result<Report, RunError> {
    if !target.has_key(Role::FullAccess) {
        return Err(RunError::NoKey);
    }
    let (started_at, start) = (Utc::now(), Instant::now());
    let client =
        Arc::new(Client::new(target, options.timeout, setting.clock).map_err(RunError::Client)?);
    let watching = cases
        .iter()
        .any(|case| matches!(case.check, Check::Watches { .. }));
    let schema_check = Arc::new(SchemaCheck::new(options.contract(), watching));
    let shared = |known| {
        Arc::new(Shared::new(
            Arc::clone(&client),
            Arc::clone(&schema_check),
            known,
            (options.seed, options.walks),
        ))
    };
    let discovered = match setting.known {
        Some(known) => Ok(known),
        None => discover(&Probe::new(shared(Known::default())), target).await,
    };
    let known = discovered.as_ref().ok().cloned().unwrap_or_default();
    let target_report = report_target(target, &known, options);
    reporter.event(&Event::Started {
        target: &target_report,
        cases: cases.len(),
    });
    let mut runner = Runner {
        verdicts: vec![None; cases.len()],
        unreached: discovered.err(),
        shared: shared(known),
        cases: Arc::new(cases),
        target,
        options,
        reporter,
    };
    match setting.pace {
        Pace::SideBySide => runner.ask().await,
        Pace::UntilFailure => runner.ask_until_failure().await,
    }
    runner.watch();
    let cases: Vec<_> = runner.verdicts.into_iter().flatten().collect();
    let duration_ms = millis(start.elapsed());
    let report = Report {
        version: REPORT_VERSION,
        kit_version: env!("CARGO_PKG_VERSION").to_owned(),
        contract_version: Contract::bundled().document()["info"]["version"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        target: target_report,
        started_at,
        duration_ms,
        requests: client.sent(),
        seed: options.seed,
        summary: Summary::of(&cases),
        cases,
    };
    reporter.event(&Event::Finished { report: &report });
    Ok(report)
}

struct Runner<'a> {
    cases: Arc<Vec<Case>>,
    verdicts: Vec<Option<CaseReport>>,
    shared: Arc<Shared>,
    /// Why the target was not reached, if it was not.
    unreached: Option<Stop>,
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
                self.finish(position, Findings::default(), Err(stop), Duration::ZERO);
            } else if case.needs.contains(&Need::Writes) {
                writes.push_back(position);
            } else if case.needs.contains(&Need::Key(Role::RateLimited)) {
                quota.push_back(position);
            } else {
                reads.push_back(position);
            }
        }
        self.work(vec![(reads, self.options.concurrency.max(1)), (quota, 1)])
            .await;
        self.work(vec![(writes, 1)]).await;
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
                self.finish(position, Findings::default(), Err(stop), Duration::ZERO);
                continue;
            }
            let looked = look(check, &self.shared).await;
            self.finish(position, looked.findings, looked.outcome, looked.duration);
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
                Message::Finished(position, case) => {
                    self.finish(position, case.findings, case.outcome, case.duration)
                }
            }
        }
        workers.join_all().await;
    }

    /// Judges the cases that watched what the others were answered.
    fn watch(&mut self) {
        let cases = Arc::clone(&self.cases);
        for (position, case) in cases.iter().enumerate() {
            let Check::Watches { operation, status } = &case.check else {
                continue;
            };
            let findings = self.shared.schema_check.findings(operation, status);
            let outcome = match (&self.unreached, findings.assertions()) {
                (Some(stop), _) => Err(stop.clone()),
                (None, 0) => Err(Stop::Inconclusive(
                    "no such response was received by any case of this run".to_owned(),
                )),
                _ => Ok(()),
            };
            self.finish(position, findings, outcome, Duration::ZERO);
        }
    }

    fn finish(
        &mut self,
        position: usize,
        mut findings: Findings,
        outcome: Outcome,
        duration: Duration,
    ) {
        let case = &self.cases[position];
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
        let verdict = if findings.is_empty() {
            verdict
        } else {
            Verdict::Failed
        };
        let client = &self.shared.client;
        let redact = |text: String| client.redact(&text);
        let findings = findings.into_findings().into_iter().map(|finding| Finding {
            what: redact(finding.what),
            expected: redact(finding.expected),
            seen: redact(finding.seen),
            requests: finding.requests.into_iter().map(redact).collect(),
            request_ids: finding.request_ids.into_iter().map(redact).collect(),
            times: finding.times,
        });
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
            clauses: clauses
                .map(|clause| ClauseReport {
                    pointer: clause.pointer.clone(),
                    sentence: clause.sentence.clone(),
                    line: Contract::bundled().line(&clause.pointer),
                })
                .collect(),
            reason: reason.map(redact),
            findings: findings.collect(),
            assertions,
            duration_ms: millis(duration),
        };
        self.reporter.event(&Event::CaseFinished { case: &report });
        self.verdicts[position] = Some(report);
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
    match need {
        Need::Key(role) if target.has_key(role) => None,
        Need::Key(role) => Some(format!("needs a key: name its environment variable as {} under [keys]", role.as_str())),
        Need::Pipeline(role) if known.roles.contains_key(&role) => None,
        Need::Pipeline(role) => {
            let role = role.as_str();
            Some(format!("needs a pipeline, and none such was found: name one as {role} under [pipelines]"))
        }
        Need::Organization if known.organizations.is_empty() => Some("needs an organization, and no search found one".to_owned()),
        Need::Product if known.products.is_empty() => Some("needs a product, and no search found one".to_owned()),
        Need::Organization | Need::Product => None,
        Need::Writes if !options.allow_writes => Some("adds to a pipeline: run with --allow-writes".to_owned()),
        Need::Writes if !known.roles.contains_key(&PipelineRole::Writable) => {
            Some("adds to a pipeline: name one as writable under [pipelines]".to_owned())
        }
        Need::Writes if known.to_add.is_empty() => {
            Some("needs an organization that is not in the writable pipeline: name some as organizations under [add]".to_owned())
        }
        Need::Writes => None,
    }
}

async fn worker(
    queue: Arc<Mutex<VecDeque<usize>>>,
    cases: Arc<Vec<Case>>,
    shared: Arc<Shared>,
    sender: mpsc::UnboundedSender<Message>,
) {
    loop {
        let next = queue
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front();
        let Some(position) = next else { return };
        let Check::Asks(check) = &cases[position].check else {
            continue;
        };
        // The receiver outlives the workers.
        let _ = sender.send(Message::Started(position));
        let case = look(check, &shared).await;
        let _ = sender.send(Message::Finished(position, Box::new(case)));
    }
}

/// What can be found out of a deployment before any case is run.
#[cfg(feature = "stub")]
pub(crate) async fn known_of(target: &Target, clock: Arc<dyn Clock>) -> Result<Known, Stop> {
    let (_, known) = look_around(target, Options::default().timeout, clock).await?;
    Ok(known)
}

/// What can be found out of a deployment, and a hold on it to ask for more.
pub(crate) async fn look_around(
    target: &Target,
    timeout: Duration,
    clock: Arc<dyn Clock>,
) -> Result<(Probe, Known), Stop> {
    let client =
        Client::new(target, timeout, clock).map_err(|error| Stop::Errored(error.to_string()))?;
    let schema_check = Arc::new(SchemaCheck::new(Contract::bundled(), false));
    let shared = Shared::new(Arc::new(client), schema_check, Known::default(), (0, 0));
    let probe = Probe::new(Arc::new(shared));
    let known = discover(&probe, target).await?;
    Ok((probe, known))
}

/// Runs one check.
async fn look(check: &Ask, shared: &Arc<Shared>) -> Verdicted {
    let (probe, start) = (Probe::new(Arc::clone(shared)), Instant::now());
    // A task of its own, so that a check which panics takes nothing else down.
    let outcome = tokio::spawn(check(probe.clone())).await;
    let panicked = |_| {
        Err(Stop::Errored(
            "a fault of the case: its check panicked".to_owned(),
        ))
    };
    Verdicted {
        outcome: outcome.unwrap_or_else(panicked),
        findings: probe.take_findings(),
        duration: start.elapsed(),
    }
}

pub(crate) fn select(cases: Vec<Case>, only: &[Pattern]) -> Result<Vec<Case>, RunError> {
    let matches = |pattern: &Pattern| cases.iter().any(|case| pattern.matches(&case.id));
    if let Some(pattern) = only.iter().find(|pattern| !matches(pattern)) {
        return Err(RunError::NoSuchCase(pattern.clone()));
    }
    let wanted =
        |case: &Case| only.is_empty() || only.iter().any(|pattern| pattern.matches(&case.id));
    Ok(cases.into_iter().filter(wanted).collect())
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
