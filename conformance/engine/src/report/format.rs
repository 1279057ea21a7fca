//! The formats in which a whole report can be written.

use std::io::{self, Write};

use strum::{Display, EnumCount, EnumString, IntoStaticStr, VariantArray};

use platform_contract::Contract;

use super::{Report, html, json, junit, markdown, sarif};
use crate::variants::variants;

/// A format for a whole report, each for one reader.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Display,
    EnumCount,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[strum(
    serialize_all = "snake_case",
    parse_err_fn = unknown,
    parse_err_ty = UnknownFormat
)]
pub enum Format {
    /// For programs: everything, as specified by [`json::schema`].
    Json,
    /// For viewers of test results: a suite for each group, a test for each case.
    Junit,
    /// For a pull request: what failed, short enough for a comment.
    Markdown,
    /// For viewers that show findings next to the source: the failures, each at its line of `openapi.yaml`.
    Sarif,
    /// For a browser: one page that needs nothing else.
    Html,
}

/// A text that does not name a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown report format; use one of {}", Format::ALL.map(Format::as_str).join(", "))]
pub struct UnknownFormat;

fn unknown(_: &str) -> UnknownFormat {
    UnknownFormat
}

impl Format {
    /// All formats.
    pub const ALL: [Self; Self::COUNT] = variants();

    /// Returns its name on the command line.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Writes a report in this format. `contract` is the one that the deployment was judged by: some formats show how
    /// much of it the run covers.
    ///
    /// # Errors
    /// When writing to `out` fails.
    pub fn write(self, report: &Report, contract: &Contract, mut out: impl Write) -> io::Result<()> {
        match self {
            Self::Json => json::write(report, &mut out)?,
            Self::Junit => junit::write(report, &mut out)?,
            Self::Markdown => out.write_all(markdown::render(report, contract).as_bytes())?,
            Self::Sarif => sarif::write(report, &mut out)?,
            Self::Html => out.write_all(html::render(report, contract).as_bytes())?,
        }
        out.flush()
    }
}
