//! The SARIF 2.1.0 report, for what shows findings beside the source: every failed case is a result at the
//! line of `openapi.yaml` that it rests on first.
//!
//! Every case of the run is a rule, so that a reader of the file sees what was looked at. A case that
//! passed, was skipped, could not tell or only informs is no result: those who show SARIF show every result
//! as a fault. A known failure is a result that is suppressed, with its reason.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{
    BasisReport, CONTRACT_FILE, CaseReport, ClauseReport, KnownFailureReport, Report, json, shown,
};
use crate::verdict::Verdict;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Writes a report as SARIF, indented.
///
/// # Errors
/// When `out` takes no more.
pub fn write(report: &Report, mut out: impl Write) -> io::Result<()> {
    let report = shown::report(report, shown::LONG);
    json::pretty(&log(&report), &mut out)?;
    out.write_all(b"\n")
}

fn log(report: &Report) -> Value {
    let positions = report.cases.iter().enumerate();
    let results: Vec<_> = positions
        .filter(|(_, case)| matches!(case.verdict, Verdict::Failed | Verdict::Known))
        .map(|(position, case)| result(position, case))
        .collect();
    let errored = report
        .cases
        .iter()
        .filter(|case| case.verdict == Verdict::Errored);
    let notifications: Vec<_> = errored.map(notification).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "platform-conformance",
                "semanticVersion": report.kit_version,
                "rules": report.cases.iter().map(rule).collect::<Vec<_>>(),
            }},
            "automationDetails": {"id": "platform-conformance/"},
            "artifacts": [{"location": artifact()}],
            "invocations": [{
                "executionSuccessful": notifications.is_empty() && !report.summary.interrupted,
                "startTimeUtc": report.started_at,
                "toolExecutionNotifications": notifications,
                "toolConfigurationNotifications": report.stale().map(stale).collect::<Vec<_>>(),
            }],
            "results": results,
            "properties": {
                "baseUrl": report.target.base_url,
                "contractVersion": report.contract_version,
                "level": report.level,
                "summary": report.summary,
                "trouble": report.trouble,
                "knownFailures": report.known_failures,
            },
        }],
    })
}

fn rule(case: &CaseReport) -> Value {
    let sentence = case.clauses.first().map(|clause| &*clause.sentence);
    let rests_on = case.rests_on();
    let alone = format!("platform-conformance run --only '{}'", case.id);
    json!({
        "id": case.id,
        "shortDescription": {"text": case.title},
        "fullDescription": {"text": sentence.unwrap_or(&case.title)},
        "help": {"text": format!("{} ({rests_on}). `{alone}` looks at this alone.", case.title)},
        "defaultConfiguration": {"level": level(case)},
        "properties": {"verdict": case.verdict, "basis": case.basis, "decisions": case.decisions},
    })
}

fn result(position: usize, case: &CaseReport) -> Value {
    let mut clauses = case.clauses.iter();
    let first = clauses.next().map(location);
    let others = clauses.enumerate().map(|(position, clause)| {
        let mut location = location(clause);
        location["id"] = json!(position + 1);
        location["message"] = json!({"text": clause.sentence});
        location
    });
    let mut result = json!({
        "ruleId": case.id,
        "ruleIndex": position,
        "level": level(case),
        "message": {"text": case.to_string()},
        "locations": first.into_iter().collect::<Vec<_>>(),
        "relatedLocations": others.collect::<Vec<_>>(),
        // The same case is the same alert in the next run, wherever its clause has moved to.
        "partialFingerprints": {"caseId/v1": case.id},
        "properties": {"steadiness": case.steadiness},
    });
    if case.verdict == Verdict::Known {
        result["suppressions"] = json!([{
            "kind": "external",
            "status": "accepted",
            "justification": case.reason.as_deref().unwrap_or_default(),
        }]);
    }
    result
}

/// A line of the list of known failures that fails the run.
fn stale(known: &KnownFailureReport) -> Value {
    let (id, state) = (&known.id, known.state.as_str());
    json!({
        "level": "error",
        "message": {"text": format!("known failure {id}, line {}: {state}: {}", known.line, known.advice())},
    })
}

/// What stood in the way of a case.
fn notification(case: &CaseReport) -> Value {
    json!({
        "level": "error",
        "message": {"text": case.to_string()},
        "associatedRule": {"id": case.id},
    })
}

/// A deployment that decided otherwise is not broken, only different.
fn level(case: &CaseReport) -> &'static str {
    match case.basis {
        BasisReport::Stated => "error",
        BasisReport::Decided => "warning",
    }
}

fn location(clause: &ClauseReport) -> Value {
    let mut place = json!({"artifactLocation": artifact()});
    if let Some(line) = clause.line {
        place["region"] = json!({"startLine": line});
    }
    json!({
        "physicalLocation": place,
        "logicalLocations": [{"fullyQualifiedName": clause.pointer}],
    })
}

fn artifact() -> Value {
    json!({"uri": CONTRACT_FILE, "uriBaseId": "%SRCROOT%"})
}
