//! The catalogue as tests of your own service: one test per case, for `cargo test` and cargo-nextest, on a deployment
//! or on an axum router in the same process.
//!
//! It judges nothing itself: [`run`] does, once for all selected tests, and every test waits for the verdict on its
//! case. As in any other run, cases run side by side, cases that write run alone, and the schemas are checked last.
//!
//! A service has a file `tests/conformance.rs` with its own `main`:
//!
//! ```toml
//! [dev-dependencies]
//! platform-conformance = { path = "../platform/conformance", default-features = false, features = ["harness"] }
//!
//! [[test]]
//! name = "conformance"
//! harness = false
//! ```
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! # mod platform_conformance {
//! #     pub use platform_conformance_engine::*;
//! #     pub fn catalogue() -> Vec<Case> { Vec::new() }
//! # }
//! use platform_conformance::harness::Harness;
//! use platform_conformance::{ApiKey, Role, Target, catalogue};
//! # use axum::Router;
//! # mod my_service { pub async fn router() -> axum::Router { axum::Router::new() } }
//!
//! fn main() -> ExitCode {
//!     let key = ApiKey::new("key-of-the-test-data", "TEST_KEY").unwrap();
//!     let target = Target::in_process().with_key(Role::FullAccess, key);
//!     Harness::on_router(catalogue(), my_service::router(), target).main()
//! }
//! ```
//!
//! `cargo test --test conformance -- limit/` runs some of them, `-- --list` shows them all, `-- --exact ID` runs one.
//! How verdicts map to tests:
//!
//! | verdict | test |
//! |---|---|
//! | passed | ok |
//! | failed, errored | failed, with what was expected, what was seen and a line for `curl` |
//! | any other | ignored, with the reason: nothing was observed to hold or to be violated |
//!
//! When no test of a whole run is ok or failed, the run itself fails: running nothing is never green.
//!
//! cargo-nextest starts a process for each test. Each process examines the target again (two dozen requests), and
//! serves its own router with its own state. Cases for which the target has no key, or which write without permission,
//! are listed as ignored. On a deployment, cases that write must not run in several processes at once: put them into a
//! [test group] with `max-threads = 1`.
//!
//! [test group]: https://nexte.st/docs/configuration/test-groups/

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::future::Future;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use axum::Router;
use futures::FutureExt;
use futures::future::BoxFuture;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use parking_lot::{Condvar, Mutex, MutexGuard};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::case::{Case, Check, Need};
use crate::exit_code;
use crate::pattern::Pattern;
use crate::report::{CaseReport, Event, Reporter};
use crate::rules::ANY;
use crate::run::options::Options;
use crate::run::plan::{chosen, lacking};
use crate::run::run;
use crate::target::Target;
use crate::verdict::Verdict;

/// What libtest returns when a test has failed.
const TEST_FAILED: u8 = 101;

/// The tests of one target.
#[must_use = "nothing is tested before main"]
pub struct Harness {
    cases: Vec<Case>,
    target: Target,
    router: Option<BoxFuture<'static, Router>>,
    options: Options,
}

impl Harness {
    /// Tests a deployment.
    ///
    /// ```no_run
    /// use std::error::Error;
    /// use std::path::Path;
    /// use std::process::ExitCode;
    ///
    /// # mod platform_conformance {
    /// #     pub use platform_conformance_engine::*;
    /// #     pub fn catalogue() -> Vec<Case> { Vec::new() }
    /// # }
    /// use platform_conformance::{Target, catalogue};
    /// use platform_conformance::harness::Harness;
    ///
    /// fn main() -> Result<ExitCode, Box<dyn Error>> {
    ///     let variable = |name: &str| std::env::var(name).ok();
    ///     let target = Target::read(Path::new("tests/staging.toml"), None, variable)?;
    ///     Ok(Harness::on_deployment(catalogue(), target).main())
    /// }
    /// ```
    pub fn on_deployment(cases: Vec<Case>, target: Target) -> Self {
        Self {
            cases,
            target,
            router: None,
            options: Options::default(),
        }
    }

    /// Tests a router, which is served on a free port of this machine while the tests run. The target specifies
    /// everything except the port: the keys, the pipelines, a path prefix.
    ///
    /// The router is created when it is needed, inside a Tokio runtime, and not when tests are listed.
    pub fn on_router(cases: Vec<Case>, router: impl Future<Output = Router> + Send + 'static, target: Target) -> Self {
        let own = |case: Case| match case.is_byte_for_byte() {
            true => case.skipped("checks connections, and a router in the same process has none of its own"),
            false => case,
        };
        Self {
            cases: cases.into_iter().map(own).collect(),
            target,
            router: Some(router.boxed()),
            options: Options::default(),
        }
    }

    /// Lets cases add organizations to the pipeline that the target names as writable.
    pub fn allow_writes(mut self) -> Self {
        self.options.allow_writes = true;
        self
    }

    /// Runs with these options; `only` leaves out all tests except those of the matching cases.
    pub fn with_options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Runs the tests that the command line selects, and returns the exit code for `main`.
    pub fn main(self) -> ExitCode {
        self.main_with(std::env::args()).into()
    }

    /// Runs the tests that these arguments select; the first is the name of the program. Returns the exit code: 0, 101
    /// when a test failed, or the code of [`exit_code`] when tests errored.
    pub fn main_with(self, arguments: impl IntoIterator<Item = String>) -> u8 {
        let arguments = Arguments::from_iter(arguments);
        let cases = match chosen(self.cases.clone(), &self.options) {
            Ok(cases) => cases,
            Err(error) => {
                complain(&error.to_string());
                return exit_code::USAGE;
            }
        };
        let board = Arc::new(Board::default());
        let trials: Vec<_> = cases.iter().map(|case| self.trial(case, &board, &arguments)).collect();
        let asked_for: BTreeSet<_> = trials
            .iter()
            .filter(|trial| !arguments.is_filtered_out(trial) && !arguments.is_ignored(trial))
            .map(|trial| trial.name().to_owned())
            .collect();
        let whole = arguments.filter.is_none() && !arguments.list && !arguments.ignored;
        let running = (!arguments.list && !asked_for.is_empty()).then(|| {
            let only = with_those_to_watch(&cases, &asked_for);
            let concurrency = arguments.test_threads;
            let board = Arc::clone(&board);
            thread::spawn(move || self.judge(only, concurrency, &board))
        });
        let conclusion = libtest_mimic::run(&arguments, trials);
        if let Some(running) = running {
            // The board already has the reason for a failure.
            let _ = running.join();
        }
        if conclusion.has_failed() {
            return TEST_FAILED;
        }
        if whole && conclusion.num_passed == 0 {
            complain("no case reached a verdict, so the deployment was not checked");
            return exit_code::COULD_NOT_RUN;
        }
        exit_code::PASSED
    }

    /// The test of a case. A listing of the ignored tests shows what the target is known to lack; a run shows the
    /// reason.
    fn trial(&self, case: &Case, board: &Arc<Board>, arguments: &Arguments) -> Trial {
        let (id, board) = (case.id.clone(), Arc::clone(board));
        let lacking = |need: &Need| lacking(need, &self.target, &self.options).is_some();
        let lacks = case.needs.iter().any(lacking);
        Trial::ignorable_test(case.id.clone(), move || board.wait_for(&id))
            .with_ignored_flag(lacks && (arguments.list || arguments.ignored))
    }

    /// Runs the cases with these ids, and writes their verdicts on the board.
    fn judge(self, only: BTreeSet<String>, concurrency: Option<usize>, board: &Arc<Board>) {
        // However this ends, the waiting tests are released.
        let mut end = End {
            board: Arc::clone(board),
            reason: "the run of the cases panicked".to_owned(),
        };
        let options = Options {
            only: only.iter().map(|id| Pattern::from(id.as_str())).collect(),
            concurrency: concurrency.unwrap_or(self.options.concurrency),
            ..self.options
        };
        let mut reporter = Notes(Arc::clone(board));
        let judged = Runtime::new().and_then(|runtime| {
            runtime.block_on(async {
                let target = match self.router {
                    Some(router) => serve(router.await, self.target).await?,
                    None => self.target,
                };
                run(self.cases, &target, &options, &mut reporter)
                    .await
                    .map_err(io::Error::other)
            })
        });
        end.reason = match judged {
            Ok(_) => "the run reached no verdict on it".to_owned(),
            Err(error) => error.to_string(),
        };
    }
}

/// Serves a router as long as the runtime lives.
async fn serve(router: Router, mut target: Target) -> io::Result<Target> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    target.move_to(listener.local_addr()?);
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(target)
}

/// The selected cases; if some of them only watch the responses of an operation, also the cases that send requests to
/// it.
fn with_those_to_watch(cases: &[Case], asked_for: &BTreeSet<String>) -> BTreeSet<String> {
    let watched: BTreeSet<_> = cases
        .iter()
        .filter(|case| asked_for.contains(&case.id))
        .filter_map(|case| match &case.check {
            Check::Watches { operation, .. } => Some(operation.as_str()),
            Check::Asks(_) => None,
        })
        .collect();
    let asks_one = |case: &&Case| {
        let asks = matches!(case.check, Check::Asks(_)) && !case.needs.contains(&Need::Writes);
        asks && watched.iter().any(|operation| looks_at(case, operation))
    };
    let besides = cases.iter().filter(asks_one).map(|case| case.id.clone());
    asked_for.iter().cloned().chain(besides).collect()
}

/// Whether a case sends requests whose responses are checked for this operation.
fn looks_at(case: &Case, operation: &str) -> bool {
    operation == ANY || case.operations().contains(operation)
}

/// Where the run writes its verdicts, and the tests read them.
#[derive(Default)]
struct Board {
    notes: Mutex<BoardNotes>,
    changed: Condvar,
}

#[derive(Default)]
struct BoardNotes {
    verdicts: BTreeMap<String, Result<Completion, String>>,
    /// Why there will be no further verdicts.
    ended: Option<String>,
}

impl Board {
    fn notes(&self) -> MutexGuard<'_, BoardNotes> {
        self.notes.lock()
    }

    fn wait_for(&self, id: &str) -> Result<Completion, Failed> {
        let mut notes = self.notes();
        loop {
            if let Some(verdict) = notes.verdicts.remove(id) {
                return verdict.map_err(Failed::from);
            }
            if let Some(reason) = &notes.ended {
                return Err(Failed::from(reason));
            }
            self.changed.wait(&mut notes);
        }
    }
}

/// Records the verdicts of a run.
struct Notes(Arc<Board>);

impl Reporter for Notes {
    fn event(&mut self, event: &Event<'_>) {
        if let Event::CaseFinished { case } = event {
            let mut notes = self.0.notes();
            notes.verdicts.insert(case.id.clone(), completion(case));
            self.0.changed.notify_all();
        }
    }
}

/// Notifies all waiting tests that no more verdicts will come.
struct End {
    board: Arc<Board>,
    reason: String,
}

impl Drop for End {
    fn drop(&mut self) {
        self.board.notes().ended = Some(std::mem::take(&mut self.reason));
        self.board.changed.notify_all();
    }
}

fn completion(case: &CaseReport) -> Result<Completion, String> {
    let reason = case.reason.as_deref().unwrap_or_default();
    match case.verdict {
        Verdict::Passed => Ok(Completion::Completed),
        Verdict::Failed => Err(failure(case)),
        Verdict::Errored => Err(format!("{}\n  errored: {reason}", case.title)),
        verdict => Ok(Completion::ignored_with(format!("{}: {reason}", verdict.as_str()))),
    }
}

/// A failed case for a person: the expected behaviour and its basis, what was seen, and how to reproduce it.
fn failure(case: &CaseReport) -> String {
    let mut text = case.title.clone();
    for clause in &case.clauses {
        let _ = write!(text, "\n  {}: {}", clause.place(), clause.sentence);
    }
    for finding in &case.findings {
        let _ = write!(text, "\n\n{finding}");
    }
    text
}

fn complain(text: &str) {
    // An error is ignored: there may be no standard error.
    let _ = writeln!(anstream::stderr(), "error: {text}");
}
