//! The JSON report, for programs. Its schema is published beside the crate as `report.schema.json`.
//!
//! What was written is read back as it was, so that a later run can be compared with an earlier one.

use std::io::{self, Write};

use serde::Deserialize;
use serde_json::Value;

use super::{REPORT_VERSION, Report};

/// Why a text is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is no JSON, or lacks what a report has. The text says where.
    #[error("no JSON report of platform-conformance")]
    Malformed(#[from] serde_json::Error),
    /// Another kit has written it, and its fields may mean something else.
    #[error(
        "a report of version {version}, and this kit reads version {REPORT_VERSION}: read it with the kit \
         that wrote it, or run that deployment again"
    )]
    Version {
        /// The version that stands in it.
        version: u32,
    },
}

/// Writes a report, indented.
///
/// # Errors
/// When `out` takes no more.
pub fn write(report: &Report, mut out: impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut out, report)?;
    out.write_all(b"\n")
}

/// Reads a report that was written by [`write()`].
///
/// # Errors
/// [`ReadError`]: not a report, or one of another version.
///
/// ```
/// use platform_conformance::report::json::{self, ReadError};
///
/// assert!(matches!(json::read(r#"{"version": 0}"#), Err(ReadError::Version { version: 0 })));
/// assert!(matches!(json::read("{}"), Err(ReadError::Malformed(_))));
/// ```
pub fn read(text: &str) -> Result<Report, ReadError> {
    // The version goes first: a report of another one lacks fields, and saying so would lead astray.
    #[derive(Deserialize)]
    struct Versioned {
        version: u32,
    }
    let Versioned { version } = serde_json::from_str(text)?;
    if version != REPORT_VERSION {
        return Err(ReadError::Version { version });
    }
    Ok(serde_json::from_str(text)?)
}

/// The JSON Schema of the report.
pub fn schema() -> Value {
    schemars::schema_for!(Report).to_value()
}
