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

    /// Writes a report in this format. `contract` is the one that the deployment was held to: some formats show how
    /// much of it the run covers.
    ///
    /// # Errors
    /// When `out` takes no more.
    pub fn write(
        self,
        report: &Report,
        contract: &Contract,
        mut out: impl Write,
    ) -> io::Result<()> {
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
