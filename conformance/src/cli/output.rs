//! `--report FORMAT=FILE`: which reports are written, and where.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::PathBuf;
use std::str::FromStr;

use platform_conformance::Report;
use platform_conformance::report::{Format, UnknownFormat};

/// A report to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Output {
    format: Format,
    /// None is the standard output.
    file: Option<PathBuf>,
}

/// A text that is no `FORMAT=FILE`.
#[derive(Debug, thiserror::Error)]
pub(super) enum InvalidOutput {
    #[error("a report is FORMAT=FILE, or FORMAT=- for the standard output")]
    NoFile,
    #[error(transparent)]
    Format(#[from] UnknownFormat),
}

impl Output {
    pub(super) fn is_stdout(&self) -> bool {
        self.file.is_none()
    }

    /// Sees to it that the file can be written, before a long run finds out that it cannot. What the file
    /// holds stays until then.
    pub(super) fn prepare(&self) -> io::Result<()> {
        if let Some(file) = &self.file {
            File::options().create(true).append(true).open(file)?;
        }
        Ok(())
    }

    pub(super) fn write(&self, report: &Report) -> io::Result<()> {
        match &self.file {
            Some(file) => self
                .format
                .write(report, BufWriter::new(File::create(file)?)),
            None => self.format.write(report, io::stdout().lock()),
        }
    }
}

impl FromStr for Output {
    type Err = InvalidOutput;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (format, file) = text.split_once('=').ok_or(InvalidOutput::NoFile)?;
        let format = format.parse()?;
        let file = match file {
            "" => return Err(InvalidOutput::NoFile),
            "-" => None,
            file => Some(file.into()),
        };
        Ok(Self { format, file })
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{}={}", self.format, file.display()),
            None => write!(f, "{}=-", self.format),
        }
    }
}
