//! The command line: commands, printed text and exit codes.
//!
//! This is the only place in the crate that reads the environment and prints.

mod diff;
mod file;
mod init;
mod interrupt;
mod list;
mod options;
mod output;
mod probe;
mod progress;
mod record;
#[cfg(feature = "stub")]
mod selftest;
mod target;
mod wait;

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use self::file::Place;
use self::options::{CASES, LIMITS, OUTPUT, OptionArgs, VERDICT};
use self::output::Output;
use self::progress::{Line, Stream, Watched};
use self::record::Recording;
use self::target::{TargetArgs, TargetArgsError};
use self::wait::WaitArgs;
use clap::{Args, Parser, Subcommand};
use platform_conformance::diff::DiffError;
use platform_conformance::known_failures::{self, UpdateError};
use platform_conformance::profile;
use platform_conformance::report::{self, terminal::Terminal, visible_lines};
use platform_conformance::{
    Case, KnownFailures, KnownFailuresError, Options, Pattern, Profile, ProfileError, Report, RunError, Target,
    Verdict, catalogue, contents, exit_code, plan, run,
};

/// What the exit code of `run` means.
const RUN_EXIT_CODES: &str = "\
Exit codes:
  0    every case that ran passed
  1    a case failed, or the list of known failures is out of date
  2    the command line or a file is wrong; nothing was sent
  3    a case errored, or none passed; always with --dry-run
  4    nothing failed, but what --require names was not checked
  130  interrupted";
/// What the exit code of `diff` means.
const DIFF_EXIT_CODES: &str = "\
Exit codes:
  0  no difference
  1  a difference
  2  the files cannot be compared";

/// Checks a deployment against openapi.yaml, over raw HTTP.
///
/// `run` checks, `list` shows the rules, `probe` shows where a deployment differs by choice.
#[derive(Debug, Parser)]
#[command(name = "platform-conformance", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the cases on a deployment, or on the reference server.
    #[command(after_help = RUN_EXIT_CODES, next_line_help = true)]
    Run(Box<RunArgs>),
    /// Find out how a deployment behaves wherever the source leaves a choice, and write its profile.
    #[command(next_line_help = true)]
    Probe(Box<probe::ProbeArgs>),
    /// Compare two JSON reports, or two profiles.
    #[command(after_help = DIFF_EXIT_CODES)]
    Diff(diff::DiffArgs),
    /// Print the JSON Schema of a profile.
    ProfileSchema,
    /// Write a target file for a deployment, with everything that can be discovered filled in.
    #[command(next_line_help = true)]
    Init(Box<init::InitArgs>),
    /// List every rule: its id, whether the source states it or the contract decided it, what it expects, and its
    /// subjects.
    List(list::ListArgs),
    /// Print the JSON Schema of `list --format json`.
    ListSchema,
    /// Print the JSON Schema of the JSON report.
    ReportSchema,
    /// Test the kit itself: it has to detect every planted fault and must not fail a legal variant.
    #[cfg(feature = "stub")]
    #[command(next_line_help = true)]
    Selftest(selftest::SelftestArgs),
}

#[derive(Debug, Args)]
struct RunArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Run on the reference server, in this process, with its built-in data. Writes are allowed.
    #[cfg(feature = "stub")]
    #[arg(
        long,
        conflicts_with_all = ["base_url", "api_key", "target", "ca_file", "client_cert", "insecure", "proxy", "header"],
        help_heading = "Deployment"
    )]
    stub: bool,
    /// Write a report, whatever the verdict: json, junit, markdown, sarif or html. Can be repeated. Use - as
    /// FILE for standard output; all other text then goes to standard error.
    #[arg(long, value_name = "FORMAT=FILE", help_heading = OUTPUT)]
    report: Vec<Output>,
    /// Record every request with its response, as HAR 1.2 for browsers' developer tools. Secrets are replaced as in the
    /// reports, and bodies are cut after 65,536 characters.
    #[arg(long, value_name = "FILE.har", value_parser = record::file, help_heading = OUTPUT)]
    record: Option<PathBuf>,
    /// Print the limits of the run and exit without sending anything. The exit code is 3, because nothing ran.
    #[arg(long, help_heading = LIMITS)]
    dry_run: bool,
    /// Where the deployment differs by choice, check it against its own profile. FILE is written by `probe --out`.
    #[arg(long, value_name = "FILE", help_heading = CASES)]
    profile: Option<PathBuf>,
    /// Like --known-failures, then update FILE: add failed cases for 30 days, remove entries whose cases passed, keep
    /// everything else. FILE is created if missing. The exit code is that of the run before the update.
    #[arg(long, value_name = "FILE", conflicts_with = "known_failures", help_heading = VERDICT)]
    update_known_failures: Option<PathBuf>,
    /// Run only the cases that failed or errored according to a JSON report of an earlier run.
    #[arg(long, value_name = "REPORT", conflicts_with = "only", help_heading = CASES)]
    rerun: Option<PathBuf>,
    #[command(flatten)]
    wait: WaitArgs,
    #[command(flatten)]
    options: OptionArgs,
}

/// The reason why nothing was run; it determines the exit code.
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
    #[error("the reference server did not start; check that a local port is free")]
    #[cfg_attr(
        not(feature = "stub"),
        expect(dead_code, reason = "only one reference server can be started")
    )]
    Stub(#[source] std::io::Error),
    #[error("{0}")]
    NotRun(String),
    #[error("{} cannot be run again: {reason}", file.display())]
    Rerun { file: PathBuf, reason: String },
    #[error("the known failures {}", .0.display())]
    NotUpdatable(PathBuf, #[source] UpdateError),
    #[error("the known failures {} cannot be read", .0.display())]
    Unreadable(PathBuf, #[source] std::io::Error),
    #[error("the known failures {} cannot be written", .0.display())]
    Unwritable(PathBuf, #[source] std::io::Error),
    #[error("the known failures {} could not be updated", .0.display())]
    NotUpdated(PathBuf, #[source] UpdateError),
    #[error("the known failures {} could not be written", .0.display())]
    Update(PathBuf, #[source] std::io::Error),
    #[error("only one report can go to the standard output: give the others a file")]
    Stdout,
    #[error("the reports {0} and {1} are the same file: give each its own")]
    SameFile(Output, Output),
    #[error("the recording and the report {0} are the same file: give each its own")]
    RecordedToReport(Output),
    #[error("the recording {} cannot be written", .0.display())]
    PrepareRecording(PathBuf, #[source] std::io::Error),
    #[error("the recording {} could not be written", .0.display())]
    Recording(PathBuf, #[source] std::io::Error),
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
            | Self::NotUpdatable(..)
            | Self::Unreadable(..)
            | Self::Unwritable(..)
            | Self::Stdout
            | Self::SameFile(..)
            | Self::RecordedToReport(_)
            | Self::Prepare(..)
            | Self::PrepareRecording(..)
            | Self::Run(RunError::NoSuchCase(_) | RunError::NoSuchRequirement(_) | RunError::NoKey)
            | Self::Rerun { .. } => exit_code::USAGE,
            Self::Run(_)
            | Self::Stub(_)
            | Self::NotRun(_)
            | Self::Report(..)
            | Self::Recording(..)
            | Self::NotUpdated(..)
            | Self::Update(..) => exit_code::COULD_NOT_RUN,
            Self::Probe(error) => error.exit_code(),
            Self::Init(error) => error.exit_code(),
            #[cfg(feature = "stub")]
            Self::Selftest(error) => error.exit_code(),
        }
    }
}

/// Runs the command and returns its exit code.
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
        Command::List(args) => args.run().map_err(Failure::from),
        Command::ListSchema => {
            print(&format!("{:#}\n", contents::schema()));
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
            let stub = platform_conformance::stub::Stub::start().await.map_err(Failure::Stub)?;
            let code = self.run_on(cases, &stub.target(), &options).await?;
            stub.stop().await.map_err(Failure::Stub)?;
            return Ok(code);
        }
        let (cases, options) = self.wanted(false)?;
        self.run_on(cases, &self.target.target()?, &options).await
    }

    async fn run_on(&self, cases: Vec<Case>, target: &Target, options: &Options) -> Result<u8, Failure> {
        if self.dry_run {
            let plan = plan(cases, target, options)?;
            print(&format!("{}\n{plan}", plan.base_url));
            return Ok(exit_code::COULD_NOT_RUN);
        }
        self.wait.announce(target);
        // The standard output is reserved for a report that goes there.
        let stream = match self.report.iter().any(Output::is_stdout) {
            true => Stream::Stderr,
            false => Stream::Stdout,
        };
        let line = Line::new(stream);
        interrupt::listen(options, &line);
        let places = self.prepare_reports()?;
        let recording = self.begin_recording(&places)?;
        let options = &Options {
            recorder: recording.as_ref().map(Recording::recorder),
            ..options.clone()
        };
        let list = self.update_known_failures.as_deref();
        let list = list.map(List::read).transpose()?;
        let terminal = Terminal::new(line.above(), stream.columns());
        let ran = run(cases, target, options, &mut Watched::new(&line, terminal)).await;
        line.clear();
        let report = ran?;
        // The other reports are written even if one cannot be.
        let write = |(output, place): (&Output, &Option<Place>)| {
            let written = output.write(&report, &options.contract, place.as_ref());
            written.map_err(|error| Failure::Report(output.clone(), error))
        };
        let written: Vec<_> = self.report.iter().zip(&places).map(write).collect();
        if let Some(recording) = &recording {
            let recorded = recording.finish();
            let file = recording.file().to_owned();
            recorded.map_err(|error| Failure::Recording(file, error))?;
        }
        written.into_iter().collect::<Result<(), _>>()?;
        if let Some(list) = list {
            // An error is ignored: the reader may have closed the stream.
            let _ = stream.writer().write_all(list.update(&report)?.as_bytes());
        }
        match report.obstacle() {
            Some(reason) => Err(Failure::NotRun(reason.to_owned())),
            None => Ok(exit_code::of(&report.summary)),
        }
    }

    /// Returns the cases and the options of a run. Writes are allowed if the command line or the caller allows them.
    fn wanted(&self, allow_writes: bool) -> Result<(Vec<Case>, Options), Failure> {
        let mut options = self.options.options(allow_writes)?;
        options.wait_for = self.wait.most();
        if let Some(file) = &self.rerun {
            options.only = failed_in(file)?;
        }
        if let Some(file) = &self.update_known_failures {
            let text = List::text_of(file)?;
            options.known_failures = KnownFailures::parse(&file.display().to_string(), &text)?;
        }
        let Some(file) = &self.profile else {
            return Ok((catalogue(), options));
        };
        let profile = Profile::read(file)?;
        options.contract = profile.contract();
        Ok((profile.cases(), options))
    }

    /// Begins the recording, if one is requested.
    fn begin_recording(&self, places: &[Option<Place>]) -> Result<Option<Recording>, Failure> {
        let Some(file) = &self.record else {
            return Ok(None);
        };
        let recording = Recording::begin(file).map_err(|error| Failure::PrepareRecording(file.clone(), error))?;
        let is_same = |place: &Option<Place>| {
            let place = place.as_ref();
            place.is_some_and(|place| place.is_same_file(recording.place()))
        };
        match places.iter().position(is_same) {
            Some(report) => Err(Failure::RecordedToReport(self.report[report].clone())),
            None => Ok(Some(recording)),
        }
    }

    /// Checks the reports and finds their places before anything is sent.
    fn prepare_reports(&self) -> Result<Vec<Option<Place>>, Failure> {
        if self.report.iter().filter(|output| output.is_stdout()).count() > 1 {
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
                return Err(Failure::SameFile(self.report[first].clone(), output.clone()));
            }
            places.push(place);
        }
        Ok(places)
    }
}

/// A list of known failures that the run updates.
struct List {
    file: PathBuf,
    text: String,
    place: Place,
}

impl List {
    /// The text of the file; empty if it does not exist.
    fn text_of(file: &Path) -> Result<String, Failure> {
        match std::fs::read_to_string(file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            read => read.map_err(|error| Failure::Unreadable(file.to_owned(), error)),
        }
    }

    /// Reads the list and checks that it can be updated, before anything is sent.
    fn read(file: &Path) -> Result<Self, Failure> {
        let text = Self::text_of(file)?;
        known_failures::check(&text).map_err(|error| Failure::NotUpdatable(file.to_owned(), error))?;
        let place = Place::find(file);
        Ok(Self {
            text,
            place: place.map_err(|error| Failure::Unwritable(file.to_owned(), error))?,
            file: file.to_owned(),
        })
    }

    /// Writes the updated list after a run. Returns a summary of the changes.
    fn update(&self, report: &Report) -> Result<String, Failure> {
        let name = self.file.display();
        if report.summary.interrupted || report.obstacle().is_some() {
            return Ok(format!("{name}: unchanged, because the run did not finish\n"));
        }
        let not_updated = |error| Failure::NotUpdated(self.file.clone(), error);
        if Self::text_of(&self.file)? != self.text {
            return Err(not_updated(UpdateError::Changed));
        }
        let update = known_failures::update(&self.text, report).map_err(not_updated)?;
        if !update.is_empty() {
            let written = self.place.write(&|out| out.write_all(update.text.as_bytes()));
            written.map_err(|error| Failure::Update(self.file.clone(), error))?;
        }
        Ok(format!("{name}: {update}"))
    }
}

/// The ids of the cases that failed or errored according to a JSON report.
fn failed_in(file: &Path) -> Result<Vec<Pattern>, Failure> {
    let failure = |reason: String| Failure::Rerun {
        file: file.to_owned(),
        reason,
    };
    let text = std::fs::read_to_string(file).map_err(|error| failure(error.to_string()))?;
    let report = report::json::read(&text).map_err(|error| failure(error.to_string()))?;
    let failed = [Verdict::Failed, Verdict::Errored].map(|verdict| report.with(verdict));
    match failed.concat() {
        ids if ids.is_empty() => Err(failure("none of its cases failed".to_owned())),
        ids => Ok(ids.into_iter().map(Pattern::from).collect()),
    }
}

fn print(text: &str) {
    // An error is ignored: the reader may have closed the stream.
    let _ = anstream::stdout().write_all(text.as_bytes());
}

fn complain(failure: &Failure) {
    let mut text = format!("error: {failure}");
    let mut source = failure.source();
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    // The text may contain output of a deployment or of a file.
    let _ = writeln!(anstream::stderr(), "{}", visible_lines(&text));
}
