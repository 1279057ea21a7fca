//! The options that say how a run goes: what it may do, how fast, and what it is held to.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use bytesize::ByteSize;
use clap::{Args, ValueEnum};
use platform_conformance::{KnownFailures, KnownFailuresError, Level, Options, Pattern};

/// How a run goes.
#[derive(Debug, Args)]
pub(super) struct OptionArgs {
    /// Let cases add organizations to the pipeline that the target names as writable, and send what should be
    /// refused. What is added cannot be taken out again. Without it, only GET, HEAD and OPTIONS are sent.
    #[arg(long)]
    allow_writes: bool,
    /// Run only the cases whose ids match; * stands for anything. May be given more than once.
    #[arg(long, value_name = "PATTERN")]
    only: Vec<Pattern>,
    /// What the deployment is held to: the whole contract, or what its source states. What was decided where
    /// the source is silent only informs then.
    #[arg(long, value_name = "LEVEL", default_value = "contract")]
    level: LevelName,
    /// Failures that are known: a TOML file of id, reason and last day. They do not fail the run; what passes
    /// although it is listed, has run out or matches no case does.
    #[arg(long, value_name = "FILE")]
    known_failures: Option<PathBuf>,
    /// What the random walks are made from: the same seed makes the same requests.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// How many random walks each case of the group law takes.
    #[arg(long, value_name = "COUNT", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    walks: u64,
    /// How long one answer may take, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// How many cases run side by side, and how many requests are on their way at once.
    #[arg(long, value_name = "COUNT", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    concurrency: u16,
    /// The most requests a second; as fast as answers come when it is left out.
    #[arg(long, value_name = "NUMBER")]
    rate: Option<NonZeroU32>,
    /// The most requests of the run, when that is to be less than it announces. Cases that there are none left
    /// for could not run.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    max_requests: Option<u64>,
    /// The longest body of an answer that is read, as a number of bytes or such as 64MB. What is longer is
    /// trouble: its case could not run. A run may need ten times as much memory for each request under way.
    #[arg(long, value_name = "SIZE", default_value = "64MB", value_parser = size)]
    max_body_bytes: u64,
}

/// A size in bytes, at least 1.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let size: Option<ByteSize> = text.parse().ok();
    let size = size.map(|size| size.as_u64()).filter(|size| *size > 0);
    size.ok_or_else(|| "a size is a number of bytes, or such as 500kB, 64MB or 1GiB".to_owned())
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LevelName {
    Contract,
    Stated,
}

impl OptionArgs {
    /// The options of the run; writes are allowed when the command line or the caller does.
    pub(super) fn options(&self, allow_writes: bool) -> Result<Options, KnownFailuresError> {
        let known_failures = match &self.known_failures {
            Some(file) => KnownFailures::read(file)?,
            None => KnownFailures::default(),
        };
        Ok(Options {
            allow_writes: allow_writes || self.allow_writes,
            only: self.only.clone(),
            timeout: Duration::from_secs(self.timeout),
            concurrency: self.concurrency.into(),
            rate: self.rate,
            max_requests: self.max_requests,
            max_body_bytes: self.max_body_bytes,
            level: match self.level {
                LevelName::Contract => Level::Contract,
                LevelName::Stated => Level::Stated,
            },
            seed: self.seed,
            walks: self.walks,
            known_failures,
            ..Options::default()
        })
    }
}
