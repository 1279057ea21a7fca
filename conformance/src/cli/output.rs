//! `--report FORMAT=FILE`: the reports to write and their places.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use platform_conformance::report::{Format, UnknownFormat};
use platform_conformance::{Contract, Report};

use super::file::Place;

/// A report to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Output {
    format: Format,
    /// `None` is the standard output.
    file: Option<PathBuf>,
}

/// A text that is not `FORMAT=FILE`.
#[derive(Debug, thiserror::Error)]
pub(super) enum InvalidOutput {
    #[error("not a report: use FORMAT=FILE, or FORMAT=- for the standard output")]
    NoFile,
    #[error(transparent)]
    Format(#[from] UnknownFormat),
}

impl Output {
    pub(super) fn is_stdout(&self) -> bool {
        self.file.is_none()
    }

    /// Checks that the file can be written, before a long run.
    pub(super) fn prepare(&self) -> io::Result<Option<Place>> {
        self.file.as_deref().map(Place::find).transpose()
    }

    /// Writes the report to its place, or to the standard output.
    pub(super) fn write(&self, report: &Report, contract: &Contract, place: Option<&Place>) -> io::Result<()> {
        match place {
            Some(place) => place.write(&|out| self.format.write(report, contract, out)),
            None => self.format.write(report, contract, io::stdout().lock()),
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
