//! The JSON report, for programs. Its schema is published beside the crate as `report.schema.json`.
//!
//! A written report can be read back unchanged, so that a later run can be compared with an earlier one.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use serde_json::ser::{Formatter, PrettyFormatter};
use serde_json::{Serializer, Value};

use super::shown::is_unseen;
use super::{CaseReport, CauseReport, REPORT_VERSION, Report, RuleSummary};
use crate::case::split_id;
use crate::cause;
use crate::chapter::Chapter;

/// Why a text is not a report.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is not JSON, or lacks members of a report. The text says where.
    #[error("not a JSON report of platform-conformance")]
    Malformed(#[from] serde_json::Error),
    /// Another kit wrote it, and its fields may have other meanings.
    #[error(
        "a report of version {version}, and this kit reads version {REPORT_VERSION}: read it with the kit \
         that wrote it, or run that deployment again"
    )]
    Version {
        /// The version in the text.
        version: u32,
    },
}

/// Writes a report, indented.
///
/// # Errors
/// When writing to `out` fails.
pub fn write(report: &Report, mut out: impl Write) -> io::Result<()> {
    pretty(report, &mut out)?;
    out.write_all(b"\n")
}

/// Writes any value as JSON, indented. Invisible characters that JSON allows, such as U+202E, are escaped too: programs
/// read the same text, and terminals are not affected.
///
/// # Errors
/// When writing to `out` fails.
pub(crate) fn pretty(value: &impl Serialize, out: impl Write) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(out, Visible::default());
    Ok(value.serialize(&mut serializer)?)
}

/// Returns any value in the report's format, with a final line break.
pub fn pretty_text(value: &impl Serialize) -> String {
    let mut text = Vec::new();
    #[expect(clippy::expect_used, reason = "memory takes all of it, and keys are texts")]
    pretty(value, &mut text).expect("it is JSON");
    text.push(b'\n');
    String::from_utf8_lossy(&text).into_owned()
}

/// Writes like [`PrettyFormatter`], except for invisible characters.
#[derive(Default)]
struct Visible(PrettyFormatter<'static>);

/// Delegates these methods.
macro_rules! as_pretty {
    ($($name:ident($($argument:ident: $kind:ty)?)),*) => {$(
        fn $name<W: ?Sized + Write>(&mut self, out: &mut W $(, $argument: $kind)?) -> io::Result<()> {
            self.0.$name(out $(, $argument)?)
        }
    )*};
}

impl Formatter for Visible {
    as_pretty!(
        begin_array(),
        end_array(),
        begin_array_value(first: bool),
        end_array_value(),
        begin_object(),
        end_object(),
        begin_object_key(first: bool),
        begin_object_value(),
        end_object_value()
    );

    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(is_unseen) {
            let (seen, unseen) = rest.split_at(at);
            out.write_all(seen.as_bytes())?;
            let mut characters = unseen.chars();
            if let Some(character) = characters.next() {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}")?;
                }
            }
            rest = characters.as_str();
        }
        out.write_all(rest.as_bytes())
    }
}

/// Reads a report that was written by [`write()`].
///
/// # Errors
/// [`ReadError`]: not a report, or one of another version.
///
/// ```
/// # use platform_conformance_engine as platform_conformance;
/// use platform_conformance::report::json::{self, ReadError};
///
/// assert!(matches!(json::read(r#"{"version": 0}"#), Err(ReadError::Version { version: 0 })));
/// assert!(matches!(json::read("{}"), Err(ReadError::Malformed(_))));
/// ```
pub fn read(text: &str) -> Result<Report, ReadError> {
    // The version is checked first: a report of another version lacks fields, and reporting that would be misleading.
    #[derive(Deserialize)]
    struct Versioned {
        version: u32,
    }
    let Versioned { version } = serde_json::from_str(text)?;
    if version != REPORT_VERSION {
        return Err(ReadError::Version { version });
    }
    let mut report: Report = serde_json::from_str(text)?;
    // A report of an older kit has no rules, causes or chapters.
    let older = report.cases.iter_mut().filter(|case| case.rule.is_empty());
    for case in older {
        let (rule, subject) = split_id(&case.id);
        (case.rule, case.subject) = (rule.to_owned(), subject.map(str::to_owned));
    }
    let findings = report.cases.iter_mut().flat_map(|case| {
        let title = case.rule_title().to_owned();
        case.findings.iter_mut().map(move |finding| (title.clone(), finding))
    });
    let mut is_without = false;
    for (title, finding) in findings.filter(|(_, finding)| finding.cause.is_empty()) {
        finding.cause = cause::of_rule(&title, &finding.what);
        is_without = true;
    }
    if is_without {
        report.causes = CauseReport::among(&report.cases);
    }
    if report.summary.rules == RuleSummary::default() {
        report.summary.rules = RuleSummary::of(&report.cases);
    }
    if report.chapters.is_empty() {
        let named_alike = |case: &CaseReport| Chapter {
            name: case.group().to_owned(),
            title: case.group().to_owned(),
        };
        report.chapters = Chapter::distinct(report.cases.iter().map(named_alike));
    }
    Ok(report)
}

/// The JSON Schema of the report.
pub fn schema() -> Value {
    schemars::schema_for!(Report).to_value()
}
