//! The JUnit report, for what shows test results: a suite a group, a test a case.
//!
//! JUnit knows no case that could not tell: an inconclusive one is skipped there, with its reason.

use std::io::{self, Write};
use std::time::Duration;

use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};

use super::{CaseReport, Report};
use crate::verdict::Verdict;

/// Writes a report as JUnit XML. What XML cannot hold (control characters) is left out.
///
/// # Errors
/// When `out` takes no more.
pub fn write(report: &Report, out: impl Write) -> io::Result<()> {
    let started_at = report.started_at;
    let mut junit = quick_junit::Report::new("platform-conformance");
    junit
        .set_timestamp(started_at)
        .set_time(Duration::from_millis(report.duration_ms));
    for (group, cases) in report.groups() {
        let time = cases.iter().map(|case| case.duration_ms).sum();
        let mut suite = TestSuite::new(group.name);
        suite
            .set_timestamp(started_at)
            .set_time(Duration::from_millis(time))
            .add_properties([
                Property::new("title", group.title),
                Property::new("base_url", &*report.target.base_url),
                Property::new("contract_version", &*report.contract_version),
            ])
            .add_test_cases(cases.into_iter().map(test_case));
        junit.add_test_suite(suite);
    }
    junit.serialize(out).map_err(io::Error::other)
}

fn test_case(case: &CaseReport) -> TestCase {
    let reason = case.reason.as_deref().unwrap_or_default();
    let mut status = match case.verdict {
        Verdict::Passed => TestCaseStatus::success(),
        Verdict::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::Errored => TestCaseStatus::non_success(NonSuccessKind::Error),
        Verdict::Skipped | Verdict::Inconclusive => TestCaseStatus::skipped(),
    };
    if case.verdict != Verdict::Passed {
        let message = case
            .findings
            .first()
            .map_or(reason, |finding| &finding.what);
        status
            .set_type(case.verdict.as_str())
            .set_message(message)
            .set_description(case.to_string());
    }
    let mut test = TestCase::new(&*case.id, status);
    test.set_classname(case.group())
        .set_time(Duration::from_millis(case.duration_ms))
        .set_assertions(usize::try_from(case.assertions).unwrap_or(usize::MAX));
    test.add_property(("title", &*case.title));
    for clause in &case.clauses {
        test.add_property(("clause", &*clause.place()));
    }
    test
}
