//! The JSON report, for programs.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde_json::Value;

use super::Report;

/// Writes a report to a file, indented.
///
/// # Errors
/// When the file cannot be written.
pub fn write(report: &Report, path: &Path) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    serde_json::to_writer_pretty(&mut file, report)?;
    file.write_all(b"\n")?;
    file.flush()
}

/// The JSON Schema of the report.
pub fn schema() -> Value {
    schemars::schema_for!(Report).to_value()
}
