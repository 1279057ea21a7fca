//! The command line: what can be asked for, and what comes out as text and exit code.
//!
//! This is the one place of the crate that reads the environment and prints.

mod diff;
mod file;
mod init;
mod interrupt;
mod options;
mod output;
mod probe;
#[cfg(feature = "stub")]
mod selftest;
mod target;

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use self::file::Place;
use self::options::OptionArgs;
use self::output::Output;
use self::target::{TargetArgs, TargetArgsError};
use clap::{Args, Parser, Subcommand};
use platform_conformance::diff::DiffError;
use platform_conformance::profile;
use platform_conformance::report::{self, terminal::Terminal, visible_lines};
use platform_conformance::{
    Case, GROUPS, KnownFailuresError, Options, Profile, ProfileError, RunError, Target, catalogue,
    exit_code, plan, run,
};
use terminal_size::{Height, Width, terminal_size_of};

/// Holds a deployment to openapi.yaml, over raw HTTP.
///
/// Exit codes: 0 passed, 1 a case failed or a known failure is not so, 2 wrong usage, 3 a case could not run or
/// none passed, 130 interrupted.
#[derive(Debug, Parser)]
#[command(name = "platform-conformance", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the cases on a deployment, or on the reference server.
    Run(Box<RunArgs>),
    /// Find out what a deployment does at every point that the source leaves open, and write its profile.
    Probe(Box<probe::ProbeArgs>),
    /// Show what is different between two JSON reports, or between two profiles. Exit codes: 0 nothing, 1 something,
    /// 2 the files cannot be compared.
    Diff(diff::DiffArgs),
    /// Print the JSON Schema of a profile.
    ProfileSchema,
    /// Write the first target file of a deployment, with what can be found out by asking it.
    Init(Box<init::InitArgs>),
    /// Show every case: its id, what it rests on, what it expects.
    List,
    /// Print the JSON Schema of the JSON report.
    ReportSchema,
    /// Judge the kit: it has to notice every planted fault, and must not blame a legal variant.
    #[cfg(feature = "stub")]
    Selftest(selftest::SelftestArgs),
}

#[derive(Debug, Args)]
struct RunArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Run on the reference server, in this process, with its built-in data. Writes are allowed.
    #[cfg(feature = "stub")]
    #[arg(long, conflicts_with_all = ["base_url", "api_key", "target", "ca_file", "proxy", "header"])]
    stub: bool,
    /// Write a report, whatever the verdict: json, junit, markdown, sarif or html. May be given more than once.
    /// - in place of one file is the standard output; what a person reads then goes to the standard error.
    #[arg(long, value_name = "FORMAT=FILE")]
    report: Vec<Output>,
    /// Say what the run would do at the most, and stop there: nothing is sent. Ends with 3, since nothing ran.
    #[arg(long)]
    dry_run: bool,
    /// Hold the deployment to its own profile where it decided otherwise than the contract: a file that
    /// `probe --out` has written.
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    #[command(flatten)]
    options: OptionArgs,
}

/// Why nothing was run, and the exit code for it.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Target(#[from] TargetArgsError),
    #[error(transparent)]
    Init(#[from] init::InitFailure),
    #[error(transparent)]
    KnownFailures(#[from] KnownFailuresError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Profile(#[from] ProfileError),
    #[error(transparent)]
    Diff(#[from] DiffError),
    #[error(transparent)]
    Probe(#[from] probe::ProbeError),
    #[error("the reference server did not start")]
    #[cfg_attr(
        not(feature = "stub"),
        expect(dead_code, reason = "there is no other server to start")
    )]
    Stub(#[source] std::io::Error),
    #[error("{0}")]
    NotRun(String),
    #[error("only one report can go to the standard output")]
    Stdout,
    #[error("the reports {0} and {1} are one file")]
    SameFile(Output, Output),
    #[error("the report {0} cannot be written")]
    Prepare(Output, #[source] std::io::Error),
    #[error("the report {0} could not be written")]
    Report(Output, #[source] std::io::Error),
    #[cfg(feature = "stub")]
    #[error(transparent)]
    Selftest(#[from] selftest::SelftestError),
}

impl Failure {
    fn exit_code(&self) -> u8 {
        match self {
            Self::Target(_)
            | Self::Profile(_)
            | Self::Diff(_)
            | Self::KnownFailures(_)
            | Self::Stdout
            | Self::SameFile(..)
            | Self::Prepare(..)
            | Self::Run(RunError::NoSuchCase(_) | RunError::NoKey) => exit_code::USAGE,
            Self::Run(_) | Self::Stub(_) | Self::NotRun(_) | Self::Report(..) => {
                exit_code::COULD_NOT_RUN
            }
            Self::Probe(error) => error.exit_code(),
            Self::Init(error) => error.exit_code(),
            #[cfg(feature = "stub")]
            Self::Selftest(error) => error.exit_code(),
        }
    }
}

/// Does what the command line asks for.
pub(crate) async fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Run(args) => args.run().await,
        Command::Probe(args) => args.run().await.map_err(Failure::from),
        Command::Diff(args) => args.run().map_err(Failure::from),
        Command::ProfileSchema => {
            print(&format!("{:#}\n", profile::schema()));
            Ok(exit_code::PASSED)
        }
        Command::Init(args) => args.run().await.map_err(Failure::from),
        Command::List => {
            print(&list());
            Ok(exit_code::PASSED)
        }
        Command::ReportSchema => {
            print(&format!("{:#}\n", report::json::schema()));
            Ok(exit_code::PASSED)
        }
        #[cfg(feature = "stub")]
        Command::Selftest(args) => args.run().await.map_err(Failure::from),
    };
    done.unwrap_or_else(|failure| {
        complain(&failure);
        failure.exit_code()
    })
    .into()
}

impl RunArgs {
    async fn run(self: Box<Self>) -> Result<u8, Failure> {
        #[cfg(feature = "stub")]
        if self.stub {
            let (cases, options) = self.wanted(true)?;
            let stub = platform_conformance::stub::Stub::start()
                .await
                .map_err(Failure::Stub)?;
            let code = self.run_on(cases, &stub.target(), &options).await?;
            stub.stop().await.map_err(Failure::Stub)?;
            return Ok(code);
        }
        let (cases, options) = self.wanted(false)?;
        self.run_on(cases, &self.target.target()?, &options).await
    }

    async fn run_on(
        &self,
        cases: Vec<Case>,
        target: &Target,
        options: &Options,
    ) -> Result<u8, Failure> {
        if self.dry_run {
            let plan = plan(cases, target, options)?;
            print(&format!("{}\n{plan}", plan.base_url));
            return Ok(exit_code::COULD_NOT_RUN);
        }
        interrupt::listen(options);
        let places = self.prepare_reports()?;
        let report = if self.report.iter().any(Output::is_stdout) {
            let columns = columns(terminal_size_of(std::io::stderr()));
            run(
                cases,
                target,
                options,
                &mut Terminal::new(anstream::stderr(), columns),
            )
            .await?
        } else {
            let columns = columns(terminal_size_of(std::io::stdout()));
            run(
                cases,
                target,
                options,
                &mut Terminal::new(anstream::stdout(), columns),
            )
            .await?
        };
        // One report that cannot be written is no reason to lose the others.
        let write = |(output, place): (&Output, &Option<Place>)| {
            let written = output.write(&report, place.as_ref());
            written.map_err(|error| Failure::Report(output.clone(), error))
        };
        let written: Vec<_> = self.report.iter().zip(&places).map(write).collect();
        written.into_iter().collect::<Result<(), _>>()?;
        match report.obstacle() {
            Some(reason) => Err(Failure::NotRun(reason.to_owned())),
            None => Ok(exit_code::of(&report.summary)),
        }
    }

    /// What is run, and how; writes are allowed when the command line or the caller says so.
    fn wanted(&self, allow_writes: bool) -> Result<(Vec<Case>, Options), Failure> {
        let mut options = self.options.options(allow_writes)?;
        let Some(file) = &self.profile else {
            return Ok((catalogue(), options));
        };
        let profile = Profile::read(file)?;
        options.contract = profile.contract();
        Ok((profile.cases(), options))
    }

    /// Finds out what is wrong with the reports before anything is sent, and where each of them goes.
    fn prepare_reports(&self) -> Result<Vec<Option<Place>>, Failure> {
        if self
            .report
            .iter()
            .filter(|output| output.is_stdout())
            .count()
            > 1
        {
            return Err(Failure::Stdout);
        }
        let mut places: Vec<Option<Place>> = Vec::new();
        for output in &self.report {
            let place = output.prepare();
            let place = place.map_err(|error| Failure::Prepare(output.clone(), error))?;
            let same = |known: &Option<Place>| {
                let both = known.as_ref().zip(place.as_ref());
                both.is_some_and(|(known, place)| known.is_same_file(place))
            };
            if let Some(first) = places.iter().position(same) {
                return Err(Failure::SameFile(
                    self.report[first].clone(),
                    output.clone(),
                ));
            }
            places.push(place);
        }
        Ok(places)
    }
}

/// The catalogue as a table of contents.
fn list() -> String {
    let cases = catalogue();
    let mut text = String::new();
    for group in GROUPS {
        let mut mine = cases
            .iter()
            .filter(|case| case.group() == group.name)
            .peekable();
        if mine.peek().is_none() {
            continue;
        }
        text.push_str(&format!("{}\n", group.title));
        for case in mine {
            let decisions: Vec<_> = case.decisions().into_iter().collect();
            let basis = if decisions.is_empty() {
                "stated".to_owned()
            } else {
                decisions.join(",")
            };
            text.push_str(&format!("  {:<58} {basis:<12} {}\n", case.id, case.title));
        }
        text.push('\n');
    }
    text.push_str(&format!("{} cases\n", cases.len()));
    text
}

fn columns(size: Option<(Width, Height)>) -> Option<usize> {
    size.map(|(Width(columns), _)| columns.into())
}

fn print(text: &str) {
    // A reader that went away has seen enough.
    let _ = anstream::stdout().write_all(text.as_bytes());
}

fn complain(failure: &Failure) {
    let mut text = format!("error: {failure}");
    let mut source = failure.source();
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    // It may repeat what a deployment or a file says.
    let _ = writeln!(anstream::stderr(), "{}", visible_lines(&text));
}
