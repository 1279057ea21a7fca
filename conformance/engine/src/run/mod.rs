//! A run: looks at the target, gives every case its verdict, and sends events to the reporter.
//!
//! Cases that only read run side by side. Cases that use up a quota run one after the other alongside them, and cases
//! that write run alone, at the end; those that look back at the others come last. A failed case is run a second time,
//! with nothing remembered of the first, unless that could change something.

mod change;
pub mod known_failures;
pub mod look;
pub mod options;
pub mod plan;
mod progress;
mod runner;
pub mod second_look;

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{NaiveDate, Utc};

use crate::case::{Case, Check, split_id};
use crate::chapter::Chapter;
use crate::clock::{Clock, SystemClock};
use crate::pattern::Pattern;
use crate::report::coverage::Coverage;
use crate::report::{
    CaseReport, CauseReport, Estimate, Event, KnownFailureReport, REPORT_VERSION, Report, Reporter, Rule, RunPlan,
    Summary, TargetReport, Totals, attribute_to_fewest_parameters,
};
use crate::rules::SchemaCheck;
use crate::run::known_failures::KnownFailures;
use crate::run::options::{Options, RunError};
use crate::run::plan::chosen;
use crate::run::runner::{Runner, SecondLooks, millis};
use crate::session::discover::discover;
use crate::session::observed::Known;
use crate::session::preflight;
use crate::session::presence;
use crate::session::search_form::SearchForms;
use crate::session::up;
use crate::session::{Probe, Shared};
use crate::target::{Role, Target};
use crate::transport::budget::RequestBudget;
use crate::transport::client::Client;
use crate::transport::limits::Limits;
use crate::verdict::Stop;

/// The limit on requests that explore a deployment outside a run, including the first few.
const EXPLORATION: u64 = 500 + preflight::SENDS;

/// Judges a deployment by the contract. Needs a Tokio runtime.
///
/// # Errors
/// When there is nothing to run: no key, or a pattern without a case. A deployment that is not reached, does not accept
/// the key or is another service is not an error: no case is run then, every case is
/// [`Verdict::Errored`](crate::Verdict::Errored) with that reason, and [`Report::obstacle`] returns it.
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

/// The settings of a run that the self-test chooses.
pub struct Setting {
    /// The order of the cases, and when to stop.
    pub pace: Pace,
    /// The clock of the run.
    pub clock: Arc<dyn Clock>,
    /// The known data of the deployment; discovered when `None`.
    pub known: Option<Known>,
    /// Whether failures get a second check.
    pub second_looks: bool,
}

/// The order in which a run goes through its cases, and when it stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// All cases, with the concurrency of the options.
    SideBySide,
    /// One case after the other in the given order, until the first fails: the rest have no verdict.
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
    let catalogue = || ids.iter().map(|id| (id.as_str(), split_id(id).0));
    for requirement in &options.require {
        if requirement.judge(catalogue(), &[]).total == 0 {
            return Err(RunError::NoSuchRequirement(requirement.clone()));
        }
    }
    let cases = chosen(cases, options)?.into_iter();
    let cases = cases.map(|case| case.resolve(&options.contract));
    let cases: Vec<_> = cases.collect::<Result<_, _>>().map_err(RunError::Citation)?;
    if !target.has_key(Role::FullAccess) {
        return Err(RunError::NoKey);
    }
    let (started_at, start) = (Utc::now(), Instant::now());
    let plan = RunPlan::of(&cases, target, options);
    reporter.event(&Event::Planned { plan: &plan });
    let limits = Limits::of(&plan, options);
    let client = Arc::new(Client::new(target, limits, setting.clock).map_err(RunError::Client)?);
    let watching = cases.iter().any(|case| matches!(case.check, Check::Watches { .. }));
    let schema_check = Arc::new(SchemaCheck::new(Arc::clone(&options.contract), watching));
    let search_forms = SearchForms::at(options.level, &target.search_names).map(Arc::new);
    let for_all = Arc::new(RequestBudget::of(plan.requests.walks));
    let second_looks = Arc::new(RequestBudget::of(match setting.second_looks {
        true => plan.requests.second_looks,
        false => 0,
    }));
    let shared = |known| {
        let (client, schema_check) = (Arc::clone(&client), Arc::clone(&schema_check));
        let budgets = (Arc::clone(&for_all), Arc::clone(&second_looks));
        let random = (options.seed, options.property_runs);
        let shared = Shared::new(client, schema_check, known, budgets, random);
        let shared = shared.with_target(target).with_search_forms(search_forms.clone());
        let shared = shared.finding_to_add(plan.adds.is_some());
        Arc::new(shared.with_ready_within(options.ready_within))
    };
    let discovered = match setting.known {
        Some(known) => Ok(known),
        None => {
            let budget = Arc::new(RequestBudget::of(plan.requests.discovery));
            let probe = |known| Probe::new(shared(known), Arc::clone(&budget));
            match look_at(&client, &probe(Known::default()), target, options).await {
                Ok(known) => {
                    let missing = presence::missing(&probe(known.clone())).await;
                    Ok(Known { missing, ..known })
                }
                stopped => stopped,
            }
        }
    };
    let known = discovered.as_ref().ok().cloned().unwrap_or_default();
    let target_report = report_target(target, &known, options);
    if !matches!(discovered, Err(Stop::Errored(_))) {
        reporter.event(&Event::Started {
            target: &target_report,
            cases: cases.len(),
        });
        if let Some(response) = client.mean_answer() {
            let estimate = &Estimate::of(&plan, response, options);
            reporter.event(&Event::Estimated { estimate });
        }
    }
    let mut runner = Runner {
        verdicts: vec![None; cases.len()],
        failed: 0,
        unreached: discovered.err(),
        shared: shared(known),
        second_looks: SecondLooks::new(options.level, second_looks),
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
    let mut cases: Vec<_> = runner.verdicts.into_iter().flatten().collect();
    attribute_to_fewest_parameters(&mut cases);
    let mut known_failures = judge(&options.known_failures, &ids, &cases, started_at.date_naive());
    for known in &mut known_failures {
        // The author of the list may have pasted a secret.
        known.id = client.redact(&known.id);
        known.reason = client.redact(&known.reason);
    }
    let stale = known_failures.iter().filter(|known| known.state.fails());
    let requirements: Vec<_> = {
        let rules = Rule::fold(&cases);
        let required = options.require.iter();
        required
            .map(|requirement| requirement.judge(catalogue(), &rules))
            .collect()
    };
    let unmet = requirements.iter().filter(|requirement| !requirement.met);
    let mut report = Report {
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
        answer_times: client.answer_times(),
        summary: Summary {
            stale: stale.count(),
            interrupted: client.is_interrupted(),
            left_out: ids.len() - cases.len(),
            unmet: unmet.count(),
            ..Summary::of(&cases)
        },
        covered: Totals::default(),
        requirements,
        known_failures,
        causes: CauseReport::among(&cases),
        chapters,
        cases,
    };
    report.covered = Coverage::of(&report, &options.contract).totals;
    reporter.event(&Event::Finished { report: &report });
    Ok(report)
}

impl Estimate {
    fn of(plan: &RunPlan, response: Duration, options: &Options) -> Self {
        Self {
            requests: plan.requests.usual.min(plan.requests.most()),
            response,
            concurrency: options.concurrency,
            rate: options.rate,
        }
    }
}

impl Limits {
    fn of(plan: &RunPlan, options: &Options) -> Self {
        Self {
            timeout: options.timeout,
            in_flight: options.concurrency,
            rate: options.rate,
            total: plan.requests.most(),
            retries: plan.requests.retries,
            additions: plan.adds.as_ref().map_or(0, |adds| adds.at_most),
            max_body_bytes: options.max_body_bytes,
            recorder: options.recorder.clone(),
            interrupt: options.interrupt.clone(),
            abandon: options.abandon.clone(),
        }
    }
}

/// Returns the states of the entries of the list of known failures.
fn judge(known: &KnownFailures, ids: &[String], cases: &[CaseReport], today: NaiveDate) -> Vec<KnownFailureReport> {
    let exists = |pattern: &Pattern| ids.iter().any(|id| pattern.matches(id));
    known.judge(cases, exists, today)
}

/// Discovers the data of a deployment before any case is run.
pub async fn known_of(target: &Target, clock: Arc<dyn Clock>) -> Result<Known, Stop> {
    let (_, known) = explore(target, &Options::default(), clock).await?;
    Ok(known)
}

/// Discovers the data of a deployment, and returns it with a probe for more requests.
pub async fn explore(target: &Target, options: &Options, clock: Arc<dyn Clock>) -> Result<(Probe, Known), Stop> {
    let plan = RunPlan::of(&[], target, options);
    let limits = Limits {
        total: EXPLORATION + plan.requests.waiting,
        ..Limits::of(&plan, options)
    };
    let client = Client::new(target, limits, clock);
    let client = Arc::new(client.map_err(|error| Stop::Errored(error.to_string()))?);
    let schema_check = Arc::new(SchemaCheck::new(Arc::clone(&options.contract), false));
    let budget = Arc::new(RequestBudget::of(EXPLORATION));
    let shared = Shared::new(
        Arc::clone(&client),
        schema_check,
        Known::default(),
        (Arc::clone(&budget), Arc::clone(&budget)),
        (0, 0),
    );
    // Data is found in whatever form searches are written.
    let shared = shared.with_search_forms(Some(Arc::default()));
    let probe = Probe::new(Arc::new(shared), budget);
    let known = look_at(&client, &probe, target, options).await?;
    Ok((probe, known))
}

/// Checks whether a deployment can be judged, and explores its data.
async fn look_at(client: &Client, probe: &Probe, target: &Target, options: &Options) -> Result<Known, Stop> {
    if let Some(most) = options.wait_for {
        let up = up::wait(client, target, probe.contract(), most).await;
        up.map_err(Stop::Errored)?;
    }
    let judged = preflight::look(client, target, probe.contract()).await;
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
        warnings: target.connection.warnings(),
    }
}
