//! The options of a run: permissions, speed, and what the deployment is checked against.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use bytesize::ByteSize;
use clap::{Args, ValueEnum};
use platform_conformance::{KnownFailures, KnownFailuresError, Level, Options, Pattern, Rate, Requirement};

/// The options that choose what is checked, and how.
pub(super) const CASES: &str = "Cases";
/// The options that decide over the exit code.
pub(super) const VERDICT: &str = "Verdict";
/// The options that limit what a run sends.
pub(super) const LIMITS: &str = "Permissions and limits";
/// The options for files that a command writes.
pub(super) const OUTPUT: &str = "Output";

/// The options of a run.
#[derive(Debug, Args)]
pub(super) struct OptionArgs {
    /// Allow cases to add organizations to the pipeline that the target names as writable, and to send requests that
    /// should be rejected. Additions cannot be removed. Without this flag, only GET, HEAD and OPTIONS are sent.
    #[arg(long, help_heading = LIMITS)]
    allow_writes: bool,
    /// Run only the cases whose ids match; * matches anything. Can be repeated.
    #[arg(long, value_name = "PATTERN", help_heading = CASES)]
    only: Vec<Pattern>,
    /// Leave out the cases whose ids match. Can be repeated.
    #[arg(long, value_name = "PATTERN", help_heading = CASES)]
    exclude: Vec<Pattern>,
    /// Rules that must be checked: all, a share such as 90%, or a pattern such as 'add/*'. Exit code 4 if they are not.
    /// Can be repeated.
    #[arg(long, value_name = "WHAT", help_heading = VERDICT)]
    require: Vec<Requirement>,
    /// What the deployment is checked against: the whole contract, or only what the source states. With stated,
    /// violations of decisions are reported and do not fail the run.
    #[arg(long, value_name = "LEVEL", default_value = "contract", help_heading = CASES)]
    level: LevelName,
    /// Known failures: a TOML file with an id, a reason and a last day for each. They do not fail the run. An entry
    /// fails the run if its case passes, if it has expired, or if it matches no case.
    #[arg(long, value_name = "FILE", help_heading = VERDICT)]
    known_failures: Option<PathBuf>,
    /// The seed of the property runs: the same seed generates the same requests.
    #[arg(long, value_name = "NUMBER", default_value_t = 0, help_heading = CASES)]
    seed: u64,
    /// The number of property runs for each case of the group law.
    #[arg(
        long,
        value_name = "COUNT",
        default_value_t = 8,
        value_parser = clap::value_parser!(u64).range(1..=100_000),
        help_heading = CASES
    )]
    property_runs: u64,
    /// Limit on the time that an added item takes to become ready, in seconds. An item that takes longer fails
    /// add/becomes-ready and add/all-become-ready, at either level; a CRM sync that has not begun by then fails
    /// add/crm-sync-begins and add/other-pipelines-sync-it. Without this option these cases are inconclusive, because
    /// the contract does not promise a time.
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = clap::value_parser!(u64).range(1..=86_400),
        help_heading = CASES
    )]
    ready_within: Option<u64>,
    /// Time limit for one response, in seconds.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 30,
        value_parser = clap::value_parser!(u64).range(1..=3600),
        help_heading = LIMITS
    )]
    timeout: u64,
    /// The number of concurrent cases, and the limit on concurrent requests.
    #[arg(
        long,
        value_name = "COUNT",
        default_value_t = 4,
        value_parser = clap::value_parser!(u16).range(1..=64),
        help_heading = LIMITS
    )]
    concurrency: u16,
    /// Limit on the requests per second, minute or hour: 20, 0.5/s, 100/m, 2/h. A number alone is per second. Default:
    /// no limit.
    #[arg(long, value_name = "RATE", help_heading = LIMITS)]
    rate: Option<Rate>,
    /// Send at most this many requests. Cases beyond that are reported as not run.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..), help_heading = LIMITS)]
    max_requests: Option<u64>,
    /// Stop the run after this number of failed cases. Cases that are already running finish; the rest are skipped.
    #[arg(long, value_name = "COUNT", help_heading = LIMITS)]
    max_failures: Option<NonZeroUsize>,
    /// Limit on the body of a response, as a number of bytes or a size such as 64MB. A case that receives a longer body
    /// is reported as errored. A run may need ten times as much memory for each concurrent request.
    #[arg(long, value_name = "SIZE", default_value = "64MB", value_parser = size, help_heading = LIMITS)]
    max_body_bytes: u64,
}

/// A size in bytes, at least 1.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let size: Option<ByteSize> = text.parse().ok();
    let size = size.map(|size| size.as_u64()).filter(|size| *size > 0);
    size.ok_or_else(|| "not a size: use a number of bytes, or a size such as 500kB, 64MB or 1GiB".to_owned())
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LevelName {
    Contract,
    Stated,
}

impl OptionArgs {
    /// Returns the options of the run. Writes are allowed if the command line or the caller allows them.
    pub(super) fn options(&self, allow_writes: bool) -> Result<Options, KnownFailuresError> {
        let known_failures = match &self.known_failures {
            Some(file) => KnownFailures::read(file)?,
            None => KnownFailures::default(),
        };
        Ok(Options {
            allow_writes: allow_writes || self.allow_writes,
            only: self.only.clone(),
            exclude: self.exclude.clone(),
            timeout: Duration::from_secs(self.timeout),
            concurrency: self.concurrency.into(),
            rate: self.rate,
            max_requests: self.max_requests,
            max_failures: self.max_failures,
            max_body_bytes: self.max_body_bytes,
            level: match self.level {
                LevelName::Contract => Level::Contract,
                LevelName::Stated => Level::Stated,
            },
            seed: self.seed,
            property_runs: self.property_runs,
            ready_within: self.ready_within.map(Duration::from_secs),
            known_failures,
            require: self.require.clone(),
            ..Options::default()
        })
    }
}
