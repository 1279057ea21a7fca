//! `probe`: observes what a deployment does where the source leaves it open, prints the profile and writes it to a
//! file.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use platform_conformance::profile::{render, take};
use platform_conformance::report::shown::{counted, grouped};
use platform_conformance::report::{Event, Reporter};
use platform_conformance::{Options, Pattern, Profile, RunError, Target, exit_code};

use super::file::Place;
use super::options::{LIMITS, OUTPUT, size};
use super::print;
use super::progress::{Above, Line, Stream, Watched};
use super::target::{TargetArgs, TargetArgsError};
use super::wait::WaitArgs;

#[derive(Debug, Args)]
pub(super) struct ProbeArgs {
    /// List every point: its question, the possible behaviours, how it is determined, and the cases that rest on it.
    /// Nothing is sent.
    #[arg(long, help_heading = "Points")]
    list: bool,
    #[command(flatten)]
    target: TargetArgs,
    /// Observe the reference server, in this process, with its built-in data. Writes are allowed.
    #[cfg(feature = "stub")]
    #[arg(
        long,
        conflicts_with_all = ["base_url", "api_key", "target", "ca_file", "client_cert", "insecure", "proxy", "header"],
        help_heading = "Deployment"
    )]
    stub: bool,
    /// Write the profile as JSON, for `run --profile` and `diff`. Use - as FILE for standard output; all other text
    /// then goes to standard error.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    out: Option<PathBuf>,
    /// Allow points that need an addition or a request that should be rejected. Three organizations are added to the
    /// pipeline that the target names as writable and cannot be removed. Without this flag, only reads are sent.
    #[arg(long, help_heading = LIMITS)]
    allow_writes: bool,
    /// Observe only the points whose ids match; * matches anything. Can be repeated.
    #[arg(long, value_name = "PATTERN", help_heading = "Points")]
    point: Vec<String>,
    /// Time limit for one response, in seconds.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 30,
        value_parser = clap::value_parser!(u64).range(1..=3600),
        help_heading = LIMITS
    )]
    timeout: u64,
    /// The number of points observed concurrently.
    #[arg(
        long,
        value_name = "COUNT",
        default_value_t = 4,
        value_parser = clap::value_parser!(u16).range(1..=64),
        help_heading = LIMITS
    )]
    concurrency: u16,
    #[command(flatten)]
    wait: WaitArgs,
    /// Limit on the body of a response, as a number of bytes or a size such as 64MB.
    #[arg(long, value_name = "SIZE", default_value = "64MB", value_parser = size, help_heading = LIMITS)]
    max_body_bytes: u64,
}

/// The reason why there is no profile.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProbeError {
    #[error(transparent)]
    Target(#[from] TargetArgsError),
    #[error("no point matches {0}: list the points with `platform-conformance probe --list`")]
    NoSuchPoint(String),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("the reference server did not start; check that a local port is free")]
    #[cfg(feature = "stub")]
    Stub(#[source] io::Error),
    #[error("{0}")]
    NotRun(String),
    #[error("the profile {0} cannot be written")]
    Prepare(String, #[source] io::Error),
    #[error("the profile {0} could not be written")]
    Write(String, #[source] io::Error),
}

impl ProbeError {
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Target(_) | Self::NoSuchPoint(_) | Self::Prepare(..) | Self::Run(RunError::NoKey) => exit_code::USAGE,
            #[cfg(feature = "stub")]
            Self::Stub(_) => exit_code::COULD_NOT_RUN,
            Self::Run(_) | Self::NotRun(_) | Self::Write(..) => exit_code::COULD_NOT_RUN,
        }
    }
}

impl ProbeArgs {
    /// Prints and writes a profile.
    ///
    /// # Errors
    /// When there is no profile, or it cannot be written.
    pub(super) async fn run(self) -> Result<u8, ProbeError> {
        if self.list {
            print(&list());
            return Ok(exit_code::PASSED);
        }
        #[cfg(feature = "stub")]
        if self.stub {
            let stub = platform_conformance::stub::Stub::start()
                .await
                .map_err(ProbeError::Stub)?;
            let code = self.run_on(&stub.target(), true).await?;
            stub.stop().await.map_err(ProbeError::Stub)?;
            return Ok(code);
        }
        self.run_on(&self.target.target()?, self.allow_writes).await
    }

    async fn run_on(&self, target: &Target, allow_writes: bool) -> Result<u8, ProbeError> {
        let known = platform_conformance::points();
        for pattern in &self.point {
            if !known
                .iter()
                .any(|point| Pattern::from(pattern.as_str()).matches(point.id))
            {
                return Err(ProbeError::NoSuchPoint(pattern.clone()));
            }
        }
        let only = self
            .point
            .iter()
            .map(|pattern| Pattern::from(format!("profile/{pattern}").as_str()));
        let options = Options {
            allow_writes,
            only: only.collect(),
            timeout: Duration::from_secs(self.timeout),
            wait_for: self.wait.most(),
            concurrency: self.concurrency.into(),
            max_body_bytes: self.max_body_bytes,
            ..Options::default()
        };
        let file = self.out.as_ref().filter(|file| file.as_os_str() != "-");
        let place = file.map(|file| {
            let found = Place::find(file);
            found.map_err(|error| ProbeError::Prepare(file.display().to_string(), error))
        });
        let place = place.transpose()?;
        self.wait.announce(target);
        let line = Line::new(Stream::Stderr);
        let announced = Announced(line.above());
        let taken = take(target, &options, &mut Watched::new(&line, announced)).await;
        line.clear();
        let (profile, report) = taken?;
        // An existing profile is worth more than one without observations.
        if let Some(reason) = report.obstacle() {
            return Err(ProbeError::NotRun(reason.to_owned()));
        }
        self.show(&profile, report.requests);
        if let (Some(file), Some(place)) = (file, place) {
            let written = place.write(&|out| out.write_all(profile.to_json().as_bytes()));
            written.map_err(|error| ProbeError::Write(file.display().to_string(), error))?;
        }
        // A profile without observations is not a success.
        let found = profile.points.values().any(|observed| observed.behaviour.is_some());
        Ok(if found {
            exit_code::PASSED
        } else {
            exit_code::COULD_NOT_RUN
        })
    }

    fn show(&self, profile: &Profile, requests: u64) {
        let sent = format!("{} requests were sent\n", grouped(requests));
        let to_stdout = self.out.as_ref().is_some_and(|file| file.as_os_str() == "-");
        if to_stdout {
            print(&profile.to_json());
            let columns = Stream::Stderr.columns();
            // An error is ignored: the reader may have closed the stream.
            let _ = write!(anstream::stderr(), "{}{sent}", render(profile, columns));
        } else {
            let columns = Stream::Stdout.columns();
            print(&format!("{}{sent}", render(profile, columns)));
        }
    }
}

/// The points as a table of contents.
fn list() -> String {
    let mut text = String::new();
    let points = platform_conformance::points();
    for point in &points {
        text.push_str(&format!(
            "{}  {}\n  {}\n",
            point.id,
            Vec::from_iter(point.decisions()).join(", "),
            point.question
        ));
        for (position, behaviour) in point.behaviours.iter().enumerate() {
            let by = if position == 0 { "the contract: " } else { "" };
            text.push_str(&format!("    {by}{}. {}\n", behaviour.shown(), behaviour.means));
        }
        text.push_str(&format!("  {}\n", point.found_out));
        let governed: Vec<_> = point.patterns().iter().map(Pattern::to_string).collect();
        if !governed.is_empty() {
            text.push_str(&format!("  Cases: {}\n", governed.join(" ")));
        }
        text.push('\n');
    }
    text.push_str(&format!("{}\n", counted(points.len(), "point")));
    text
}

/// Prints the warnings about the connection and the additions that the run may make, before it makes any.
struct Announced(Above);

impl Reporter for Announced {
    fn event(&mut self, event: &Event<'_>) {
        let Event::Planned { plan } = event else {
            return;
        };
        let warnings = plan.warnings.iter();
        let warnings = warnings.map(|warning| format!("warning: {warning}\n"));
        let adds = plan.adds.iter().map(|adds| format!("{adds}\n"));
        for line in warnings.chain(adds) {
            // An error is ignored: the reader may have closed the stream.
            let _ = self.0.write_all(line.as_bytes());
        }
    }
}
