//! The formats in which a whole report can be written.

use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

use super::{Report, html, json, junit, markdown, sarif};

/// A format for a whole report, each for one reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// For programs: everything, as [`json::schema`] says.
    Json,
    /// For what shows test results: a suite a group, a test a case.
    Junit,
    /// For a pull request: what failed, short enough for a comment.
    Markdown,
    /// For what shows findings beside the source: what failed, at its line of `openapi.yaml`.
    Sarif,
    /// For a browser: one page that needs nothing else.
    Html,
}

/// A text that names no format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a format is json, junit, markdown, sarif or html")]
pub struct UnknownFormat;

impl Format {
    /// All formats.
    pub const ALL: [Self; 5] = [
        Self::Json,
        Self::Junit,
        Self::Markdown,
        Self::Sarif,
        Self::Html,
    ];

    /// Its name on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Junit => "junit",
            Self::Markdown => "markdown",
            Self::Sarif => "sarif",
            Self::Html => "html",
        }
    }

    /// Writes a report in this format.
    ///
    /// # Errors
    /// When `out` takes no more.
    pub fn write(self, report: &Report, mut out: impl Write) -> io::Result<()> {
        match self {
            Self::Json => json::write(report, &mut out)?,
            Self::Junit => junit::write(report, &mut out)?,
            Self::Markdown => out.write_all(markdown::render(report).as_bytes())?,
            Self::Sarif => sarif::write(report, &mut out)?,
            Self::Html => out.write_all(html::render(report).as_bytes())?,
        }
        out.flush()
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL.into_iter().find(|format| format.as_str() == text);
        named.ok_or(UnknownFormat)
    }
}
