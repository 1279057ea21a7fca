//! The JUnit report, for viewers of test results: a suite for each group, a class for each rule, a test for each case.
//!
//! JUnit has no inconclusive cases and no known failures: all cases except passed, failed and errored ones are skipped
//! there, with their reasons. The entries of the list of known failures are a separate suite, since one of them can
//! fail the run.

use std::io::{self, Write};
use std::time::Duration;

use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};

use super::{CaseReport, KnownFailureReport, Report, shown};
use crate::verdict::Verdict;

/// The suite of the list of known failures; no group of cases has this name.
pub const KNOWN_FAILURES: &str = "known-failures";

/// Writes a report as JUnit XML. Control characters, which XML cannot contain, are shown as escapes.
///
/// # Errors
/// When writing to `out` fails.
pub fn write(report: &Report, out: impl Write) -> io::Result<()> {
    let report = &shown::report(report, shown::LONG);
    let started_at = report.started_at;
    let mut junit = quick_junit::Report::new("platform-conformance");
    junit
        .set_timestamp(started_at)
        .set_time(Duration::from_millis(report.duration_ms));
    for (group, cases) in report.groups() {
        let time = cases.iter().map(|case| case.duration_ms).sum();
        let mut suite = TestSuite::new(group.name.clone());
        suite
            .set_timestamp(started_at)
            .set_time(Duration::from_millis(time))
            .add_properties([
                Property::new("title", group.title.clone()),
                Property::new("base_url", &*report.target.base_url),
                Property::new("contract_version", &*report.contract_version),
                Property::new("level", report.level.as_str()),
                Property::new("interrupted", report.summary.interrupted.to_string()),
            ])
            .add_properties(warnings(report))
            .add_test_cases(cases.into_iter().map(test_case));
        junit.add_test_suite(suite);
    }
    if !report.known_failures.is_empty() {
        let mut suite = TestSuite::new(KNOWN_FAILURES);
        suite
            .set_timestamp(started_at)
            .add_test_cases(report.known_failures.iter().map(known_failure));
        junit.add_test_suite(suite);
    }
    junit.serialize(out).map_err(io::Error::other)
}

/// What a reader needs to know about the connection to the deployment.
fn warnings(report: &Report) -> Vec<Property> {
    let warnings = report.target.warnings.iter();
    warnings
        .map(|warning| Property::new("warning", warning.as_str()))
        .collect()
}

fn test_case(case: &CaseReport) -> TestCase {
    let reason = case.reason.as_deref().unwrap_or_default();
    let mut status = match case.verdict {
        Verdict::Passed => TestCaseStatus::success(),
        Verdict::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::Errored => TestCaseStatus::non_success(NonSuccessKind::Error),
        Verdict::Known | Verdict::Informed | Verdict::Skipped | Verdict::Inconclusive => TestCaseStatus::skipped(),
    };
    if case.verdict != Verdict::Passed {
        let message = match (case.verdict, case.findings.first()) {
            (Verdict::Failed, Some(finding)) => finding.in_one_line(),
            _ => reason.to_owned(),
        };
        status
            .set_type(case.verdict.as_str())
            .set_message(message)
            .set_description(case.to_string());
    }
    let mut test = TestCase::new(&*case.id, status);
    test.set_classname(&*case.rule)
        .set_time(Duration::from_millis(case.duration_ms))
        .set_assertions(usize::try_from(case.assertions).unwrap_or(usize::MAX));
    test.add_property(("title", &*case.title));
    if let Some(steadiness) = case.steadiness {
        test.add_property(("steadiness", steadiness.as_str()));
    }
    for cause in case.causes() {
        test.add_property(("cause", cause));
    }
    for clause in &case.clauses {
        test.add_property(("clause", &*clause.place()));
    }
    test
}

/// An entry of the list of known failures.
fn known_failure(known: &KnownFailureReport) -> TestCase {
    let status = match known.state.fails() {
        false => TestCaseStatus::success(),
        true => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type(known.state.as_str()).set_message(known.advice());
            status
        }
    };
    let mut test = TestCase::new(&*known.id, status);
    test.set_classname(KNOWN_FAILURES);
    test.add_property(("reason", &*known.reason));
    test.add_property(("expires", &*known.expires.to_string()));
    test
}
