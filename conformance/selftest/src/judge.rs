//! Runs the kit on every fault and every variant, with a few more runs at a time than there are processors.
//!
//! Each deployment has its own port, state and clock. Waiting moves the clock, so no run waits for a quota or for an
//! item. Unless the whole matrix is requested, the run of a fault begins with the cases that check the clause which it
//! breaks, and ends with the first case that detects it. The case that detected it last goes before them, first on a
//! part of the data, where most faults show in less time.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::stream;
use platform_server_stub::data::Dataset;
use tokio::sync::OnceCell;

use super::deployment::{ReferenceServer, Served};
use super::fault::{EVERY_OPERATION, Fault, fault};
use super::judgement::{Judgement, OnFault, OnVariant};
use super::part::part_of_the_data;
use super::plan::Plan;
use super::variants::Variant;
use super::variants::together::{combined, grouped};
use catalogue::catalogue;
use engine::case::{Case, Need};
use engine::pattern::Pattern;
use engine::report::{Report, Silent};
use engine::run::options::{Options, RunError};
use engine::run::plan::select;
use engine::run::{Pace, Setting, known_of, run_cases};
use engine::session::observed::Known;
use engine::verdict::Level;
use platform_contract::Contract;

/// How long an item of a faulty reference server may take to become ready.
const PATIENCE: Duration = Duration::from_secs(60);

/// The property runs of each case on a deployment with legal differences.
const PROPERTY_RUNS: u64 = 2;

/// How many runs there are at a time beyond one for each processor: some wait for a connection that stays silent.
const WAITING: usize = 5;

/// The reason why there is no judgement.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// A pattern matches nothing.
    #[error("no {kind} matches {pattern}: list them with `platform-conformance selftest --list`")]
    NoSuch {
        /// `fault` or `variant`.
        kind: &'static str,
        /// The pattern.
        pattern: Pattern,
    },
    /// No port is free.
    #[error("a test deployment could not be started: check that a local port is free")]
    Serve(#[from] io::Error),
    /// The kit could not run.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// The progress of a self-test.
#[derive(Debug)]
pub enum Progress<'a> {
    /// The self-test begins.
    Started {
        /// The number of faults.
        faults: usize,
        /// The number of legal variants.
        variants: usize,
    },
    /// A fault is finished.
    Fault(&'a OnFault),
    /// A legal variant is finished, or the sound server failed.
    Variant(&'a OnVariant),
}

/// Judges the kit. Needs a multi-threaded Tokio runtime.
///
/// # Errors
/// [`JudgeError`] when a pattern matches nothing, or no port is free.
pub async fn judge(plan: &Plan, mut progress: impl FnMut(Progress<'_>)) -> Result<Judgement, JudgeError> {
    let start = Instant::now();
    let all = super::faults::all();
    let faults = chosen("fault", all, &plan.faults, |fault| &fault.name)?;
    let variants = super::variants::all();
    let variants = chosen("variant", variants, &plan.variants, |variant| variant.name)?;
    progress(Progress::Started {
        faults: faults.len(),
        variants: variants.len(),
    });
    let groups = match plan.alone {
        true => variants.into_iter().map(|variant| vec![variant]).collect(),
        false => grouped(variants),
    };
    // Variants take longest and go first, so that no single run is left at the end while the other processors are
    // idle.
    let variants = groups.into_iter().map(Subject::Variants);
    let control = plan.has_control().then_some(Subject::Control);
    let faults = spread_out(faults).into_iter().map(Subject::Fault);
    let subjects = variants.chain(control).chain(faults);
    let plan = Arc::new(plan.clone());
    let mut looks = stream::iter(subjects)
        .map(|subject| {
            let looked = tokio::spawn(look(subject, Arc::clone(&plan)));
            async { looked.await.map_err(io::Error::other)? }
        })
        .buffer_unordered(thread::available_parallelism().map_or(2, usize::from) + WAITING);
    let (mut on_faults, mut on_variants, mut control) = (Vec::new(), Vec::new(), None);
    while let Some(looked) = looks.next().await {
        match looked? {
            Looked::Fault(on) => {
                progress(Progress::Fault(&on));
                on_faults.push(on);
            }
            Looked::Variants(on) => {
                on.iter().for_each(|on| progress(Progress::Variant(on)));
                on_variants.extend(on);
            }
            Looked::Control(on) => {
                // It is not one of the announced variants.
                if !on.alarms.is_empty() {
                    progress(Progress::Variant(&on));
                }
                control = Some(on);
            }
        }
    }
    on_faults.sort_by(|one, other| one.name.cmp(&other.name));
    on_variants.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(Judgement::new(&plan, on_faults, on_variants, control, start.elapsed()))
}

/// Spreads the faults of each family over the whole: those of one family often wait for the same thing, and then no
/// processor has anything to do.
fn spread_out(faults: Vec<Fault>) -> Vec<Fault> {
    let mut places = BTreeMap::new();
    let mut placed: Vec<_> = faults
        .into_iter()
        .map(|fault| {
            let place: &mut usize = places.entry(fault.family().to_owned()).or_default();
            *place += 1;
            (*place, fault)
        })
        .collect();
    // The place in thousandths of its family.
    placed.sort_by_key(|(place, fault)| 1000 * place / places[fault.family()]);
    placed.into_iter().map(|(_, fault)| fault).collect()
}

enum Subject {
    Fault(Fault),
    /// Those that one deployment has together.
    Variants(Vec<Variant>),
    Control,
}

enum Looked {
    Fault(OnFault),
    Variants(Vec<OnVariant>),
    Control(OnVariant),
}

async fn look(subject: Subject, plan: Arc<Plan>) -> Result<Looked, JudgeError> {
    Ok(match subject {
        Subject::Fault(fault) => Looked::Fault(on_fault(&fault, &plan).await?),
        Subject::Variants(group) => Looked::Variants(judge_together(&group, &plan).await?),
        Subject::Control => Looked::Control(control(&plan).await?),
    })
}

/// Runs the cases as for a fault on the sound reference server. A case that fails there would detect every fault.
async fn control(plan: &Plan) -> Result<OnVariant, JudgeError> {
    let nothing = fault(
        "reference-server",
        EVERY_OPERATION,
        "Nothing: this is the sound reference server.",
    );
    let mut cases = catalogue();
    in_order_for(&nothing, plan.seed, &mut cases);
    let report = run_on(&nothing, plan, Amount::All, cases, Pace::UntilFailure).await?;
    Ok(OnVariant::control(&nothing, &report))
}

async fn on_fault(fault: &Fault, plan: &Plan) -> Result<OnFault, JudgeError> {
    if plan.matrix {
        let cases = select(catalogue(), &plan.only)?;
        let report = run_on(fault, plan, Amount::All, cases, Pace::SideBySide).await?;
        return Ok(OnFault::new(fault, &report));
    }
    let mut requests = 0;
    let last = LAST_NOTICED.get(fault.name.as_str()).filter(|_| plan.only.is_empty());
    let tries = last
        .into_iter()
        .flat_map(|case| [(case, Amount::Part), (case, Amount::All)]);
    for (case, amount) in tries {
        let report = run_on(fault, plan, amount, with_watchers(case), Pace::UntilFailure).await?;
        requests += report.requests;
        if report.summary.failed > 0 {
            return Ok(OnFault {
                requests,
                ..OnFault::new(fault, &report)
            });
        }
    }
    let mut cases = select(catalogue(), &plan.only)?;
    in_order_for(fault, plan.seed, &mut cases);
    let report = run_on(fault, plan, Amount::All, cases, Pace::UntilFailure).await?;
    requests += report.requests;
    Ok(OnFault {
        requests,
        ..OnFault::new(fault, &report)
    })
}

/// The case that detected each fault in the last recorded run. It only saves time: a wrong or missing line does not
/// change a verdict. `UPDATE_EXPECT=1 cargo test -p platform-conformance --test it faults_are_noticed` writes the
/// file.
static LAST_NOTICED: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
    let lines = include_str!("../last_noticed.txt").lines();
    lines.filter_map(|line| line.split_once(' ')).collect()
});

/// One case, and those that check its responses.
fn with_watchers(id: &str) -> Vec<Case> {
    let watches = |case: &Case| case.id == id || case.is_watching();
    catalogue().into_iter().filter(watches).collect()
}

async fn run_on(
    fault: &Fault,
    plan: &Plan,
    amount: Amount,
    cases: Vec<Case>,
    pace: Pace,
) -> Result<Report, JudgeError> {
    let server = ReferenceServer::of(amount.dataset());
    let served = Served::start(fault.around(server.router(), plan.seed), fault.relay()).await?;
    let setting = Setting {
        pace,
        clock: server.clock(),
        known: match fault.is_foreign() {
            true => None,
            false => Some(amount.known().await?),
        },
        second_looks: false,
    };
    let target = fault.target(&served.target);
    let options = Options {
        // The reference server takes seconds. Other deployments may take any time.
        ready_within: (!fault.is_foreign()).then_some(PATIENCE),
        ..options(plan, fault.level())
    };
    let report = run_cases(cases, setting, &target, &options, &mut Silent).await;
    server.stop().await;
    Ok(report?)
}

/// How much of the built-in data a faulty deployment has.
#[derive(Debug, Clone, Copy)]
enum Amount {
    Part,
    All,
}

impl Amount {
    fn dataset(self) -> Arc<Dataset> {
        match self {
            Self::Part => part_of_the_data(),
            Self::All => Dataset::built_in(),
        }
    }

    /// The known records of the data: the same for every fault, so they are looked up once.
    async fn known(self) -> Result<Known, JudgeError> {
        static OF_A_PART: OnceCell<Known> = OnceCell::const_new();
        static OF_ALL: OnceCell<Known> = OnceCell::const_new();
        let known = match self {
            Self::Part => &OF_A_PART,
            Self::All => &OF_ALL,
        };
        let find = || async {
            let server = ReferenceServer::of(self.dataset());
            let served = Served::start(server.router(), None).await?;
            let known = known_of(&served.target, server.clock()).await;
            known.map_err(|stop| JudgeError::Serve(io::Error::other(format!("{stop:?}"))))
        };
        known.get_or_try_init(find).await.cloned()
    }
}

/// Judges variants that one deployment has together. If a case fails, each is judged alone; if none of them fails
/// alone, the failure is that of all. Needs a multi-threaded Tokio runtime.
///
/// # Errors
/// [`JudgeError`] when the deployment cannot be served, or the kit cannot run.
pub async fn judge_together(group: &[Variant], plan: &Plan) -> Result<Vec<OnVariant>, JudgeError> {
    let mut together = None;
    if let Some(whole) = combined(group) {
        let report = run_on_variant(&whole, seed_of(group, plan), plan).await?;
        let judged = group.iter().map(|variant| OnVariant::new(variant, group, &report));
        let judged: Vec<_> = judged.collect();
        if group.len() == 1 || judged.iter().all(|on| on.alarms.is_empty()) {
            return Ok(judged);
        }
        together = Some(judged);
    }
    let mut alone = Vec::new();
    for variant in group {
        let one = std::slice::from_ref(variant);
        let report = run_on_variant(variant, seed_of(one, plan), plan).await?;
        alone.push(OnVariant::new(variant, one, &report));
    }
    let none_alone = alone.iter().all(|on| on.alarms.is_empty());
    Ok(together.filter(|_| none_alone).unwrap_or(alone))
}

async fn run_on_variant(variant: &Variant, seed: u64, plan: &Plan) -> Result<Report, JudgeError> {
    let server = ReferenceServer::of(variant.dataset());
    let served = Served::start(variant.around(server.router(), plan.seed), variant.relay()).await?;
    let cases = select(catalogue(), &plan.only)?;
    let setting = Setting {
        pace: Pace::SideBySide,
        clock: server.clock(),
        known: None,
        second_looks: variant.grows,
    };
    let target = variant.target(&served.target);
    let options = Options {
        // Each deployment has its own property runs: together they are many more than those of one `run`.
        seed,
        property_runs: PROPERTY_RUNS,
        ..options(plan, variant.level)
    };
    let report = run_cases(cases, setting, &target, &options, &mut Silent).await;
    server.stop().await;
    Ok(report?)
}

/// The seed for a group, the same whatever others are judged.
fn seed_of(group: &[Variant], plan: &Plan) -> u64 {
    let bytes = group.iter().flat_map(|variant| variant.name.bytes());
    bytes.fold(plan.seed, |seed, byte| {
        seed.wrapping_mul(31).wrapping_add(u64::from(byte))
    })
}

fn options(plan: &Plan, level: Level) -> Options {
    Options {
        allow_writes: true,
        seed: plan.seed,
        level,
        ..Options::default()
    }
}

/// Orders the cases: those that check the clause of the fault first, then those of its operations, and the rest in an
/// order that depends on the seed. Additions come after all reads, as in any run: the questions of a new item are
/// answered while others are compared.
fn in_order_for(fault: &Fault, seed: u64, cases: &mut [Case]) {
    fastrand::Rng::with_seed(seed).shuffle(cases);
    let operations = operations_of(&fault.clause);
    cases.sort_by_key(|case| {
        let pointers = case.clauses.iter().map(|clause| clause.pointer.as_str());
        let nearness = pointers.map(|pointer| match pointer {
            pointer if pointer == fault.clause => 0,
            pointer if pointer.starts_with(&fault.clause) => 1,
            pointer if fault.clause.starts_with(pointer) => 2,
            pointer if operations.iter().any(|operation| pointer.starts_with(operation)) => 3,
            _ => 4,
        });
        let adds = case.needs.contains(&Need::Writes);
        (adds, nearness.min(), case.is_watching())
    });
}

/// The operations that contain a clause; empty if it applies to all.
fn operations_of(clause: &str) -> Vec<&'static str> {
    let operations = Contract::bundled().operations().iter();
    operations
        .map(|operation| operation.pointer.as_str())
        .filter(|pointer| clause.starts_with(pointer))
        .collect()
}

fn chosen<T>(
    kind: &'static str,
    all: Vec<T>,
    patterns: &[Pattern],
    name: impl Fn(&T) -> &str,
) -> Result<Vec<T>, JudgeError> {
    let unmatched = |pattern: &&Pattern| !all.iter().any(|one| pattern.matches(name(one)));
    if let Some(pattern) = patterns.iter().find(unmatched) {
        return Err(JudgeError::NoSuch {
            kind,
            pattern: pattern.clone(),
        });
    }
    let wanted = |one: &T| patterns.iter().any(|pattern| pattern.matches(name(one)));
    Ok(all.into_iter().filter(wanted).collect())
}
