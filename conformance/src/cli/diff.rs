//! `diff`: the differences between two reports, or between two profiles.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use platform_conformance::diff::{Compared, Diff, DiffError, markdown, terminal};
use platform_conformance::exit_code;

use super::print;

#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// The first JSON report or profile, for example of staging yesterday, or of staging.
    before: PathBuf,
    /// The second file, of the same kind, for example of staging today, or of production.
    after: PathBuf,
    /// The output format.
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for a terminal.
    Terminal,
    /// JSON for a program.
    Json,
    /// Markdown for a pull request.
    Markdown,
}

impl DiffArgs {
    /// Prints the difference.
    ///
    /// # Errors
    /// When the files cannot be compared.
    pub(super) fn run(self) -> Result<u8, DiffError> {
        let (before, after) = (Compared::read(&self.before)?, Compared::read(&self.after)?);
        let diff = Diff::between(&before, &after)?;
        print(&match self.format {
            Format::Terminal => terminal(&diff),
            Format::Json => diff.to_json(),
            Format::Markdown => markdown(&diff),
        });
        Ok(if diff.is_empty() {
            exit_code::PASSED
        } else {
            exit_code::FAILED
        })
    }
}
