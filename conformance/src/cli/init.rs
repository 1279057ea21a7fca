//! `init`: the first target file of a deployment.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use platform_conformance::init::{InitError, draft_with};
use platform_conformance::{ApiKey, Options, Role, exit_code};

use super::file::Place;
use super::options::OUTPUT;
use super::target::{TargetArgs, TargetArgsError, variable};
use super::wait::WaitArgs;

#[derive(Debug, Args)]
pub(super) struct InitArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// The file to write. Use - for standard output.
    #[arg(long, value_name = "FILE", default_value = "target.toml", help_heading = OUTPUT)]
    out: PathBuf,
    /// Overwrite the file if it exists.
    #[arg(long, help_heading = OUTPUT)]
    force: bool,
    /// Time limit for one response, in seconds.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 30,
        value_parser = clap::value_parser!(u64).range(1..=3600),
        help_heading = "Deployment"
    )]
    timeout: u64,
    #[command(flatten)]
    wait: WaitArgs,
}

/// The reason why no target file was written.
#[derive(Debug, thiserror::Error)]
pub(super) enum InitFailure {
    #[error(transparent)]
    Target(#[from] TargetArgsError),
    #[error("{0} already exists: name another file with --out, or pass --force")]
    Exists(String),
    #[error(transparent)]
    Init(#[from] InitError),
    #[error("{0} cannot be written")]
    Prepare(String, #[source] io::Error),
    #[error("{0} could not be written")]
    Write(String, #[source] io::Error),
}

impl InitFailure {
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Target(_) | Self::Exists(_) | Self::Prepare(..) | Self::Init(InitError::NoKey) => exit_code::USAGE,
            Self::Init(_) | Self::Write(..) => exit_code::COULD_NOT_RUN,
        }
    }
}

impl InitArgs {
    pub(super) async fn run(&self) -> Result<u8, InitFailure> {
        let is_stdout = self.out == Path::new("-");
        if !is_stdout && !self.force && self.out.exists() {
            return Err(InitFailure::Exists(self.out.display().to_string()));
        }
        let name = self.out.display().to_string();
        let place = (!is_stdout).then(|| {
            let found = Place::find(&self.out);
            found.map_err(|error| InitFailure::Prepare(name.clone(), error))
        });
        let place = place.transpose()?;
        let mut target = self.target.target()?;
        for role in Role::ALL {
            let key = (!target.has_key(role)).then(|| variable(role.variable()));
            if let Some(key) = key.flatten() {
                let key = ApiKey::new(key, role.variable()).map_err(TargetArgsError::from)?;
                target = target.with_key(role, key);
            }
        }
        let options = Options {
            timeout: Duration::from_secs(self.timeout),
            wait_for: self.wait.most(),
            ..Options::default()
        };
        for warning in target.connection().warnings() {
            // An error is ignored: the reader may have closed the stream.
            let _ = writeln!(anstream::stderr(), "warning: {warning}");
        }
        self.wait.announce(&target);
        let draft = draft_with(target, &options).await?;
        let text = draft.to_string();
        let Some(place) = place else {
            super::print(&text);
            return Ok(exit_code::PASSED);
        };
        self.write(&place, &text).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => InitFailure::Exists(name.clone()),
            _ => InitFailure::Write(name.clone(), error),
        })?;
        super::print(&format!(
            "wrote {name}: {}.\nIts comments say what to add so that more cases can run. Next:\n\n  \
                 platform-conformance run --target {name}\n",
            draft.summary()
        ));
        Ok(exit_code::PASSED)
    }

    /// Writes the file; a file created in the meantime is not overwritten.
    fn write(&self, place: &Place, text: &str) -> io::Result<()> {
        match self.force {
            true => place.write(&|out| out.write_all(text.as_bytes())),
            false => place.write_new(text),
        }
    }
}
