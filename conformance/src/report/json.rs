//! The JSON report, for programs. Its schema is published beside the crate as `report.schema.json`.

use std::io::{self, Write};

use serde_json::Value;

use super::Report;

/// Writes a report, indented.
///
/// # Errors
/// When `out` takes no more.
pub fn write(report: &Report, mut out: impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut out, report)?;
    out.write_all(b"\n")
}

/// The JSON Schema of the report.
pub fn schema() -> Value {
    schemars::schema_for!(Report).to_value()
}
