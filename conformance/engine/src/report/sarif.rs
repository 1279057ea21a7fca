//! The SARIF 2.1.0 report, for viewers that show findings next to the source: every failed case is a result at the line
//! of `openapi.yaml` of its first clause.
//!
//! Every rule of the run is listed with the verdicts of its cases, so that a reader of the file sees what was checked.
//! A case that passed, was skipped, was inconclusive or only informs is not a result: SARIF viewers show every result
//! as a defect. A known failure is a suppressed result, with its reason.

use std::collections::HashMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::{BasisReport, CONTRACT_FILE, CaseReport, ClauseReport, KnownFailureReport, Report, Rule, json, shown};
use crate::verdict::Verdict;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Writes a report as SARIF, indented.
///
/// # Errors
/// When writing to `out` fails.
pub fn write(report: &Report, mut out: impl Write) -> io::Result<()> {
    let report = shown::report(report, shown::LONG);
    json::pretty(&log(&report), &mut out)?;
    out.write_all(b"\n")
}

fn log(report: &Report) -> Value {
    let rules = report.rules();
    let positions = rules.iter().enumerate();
    let positions: HashMap<_, _> = positions.map(|(position, rule)| (rule.id(), position)).collect();
    let position = |case: &CaseReport| positions.get(&*case.rule).copied();
    let mut results = Vec::new();
    let mut notifications = Vec::new();
    for case in &report.cases {
        match case.verdict {
            Verdict::Failed | Verdict::Known => results.push(result(position(case), case)),
            Verdict::Errored => notifications.push(notification(case)),
            _ => {}
        }
    }
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "platform-conformance",
                "semanticVersion": report.kit_version,
                "rules": rules.iter().map(rule).collect::<Vec<_>>(),
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
                "warnings": report.target.warnings,
                "contractVersion": report.contract_version,
                "level": report.level,
                "summary": report.summary,
                "trouble": report.trouble,
                "knownFailures": report.known_failures,
            },
        }],
    })
}

fn rule(rule: &Rule<'_>) -> Value {
    let mut clauses = rule.cases().iter().flat_map(|case| &case.clauses);
    let sentence = clauses.next().map(|clause| &*clause.sentence);
    let (title, rests_on) = (rule.title(), rule.rests_on());
    let pattern = match rule.cases() {
        [case] => case.id.clone(),
        _ => rule.id().to_owned(),
    };
    let alone = format!("platform-conformance run --only '{pattern}'");
    let cases = rule.cases().iter();
    let cases = cases.map(|case| json!({"id": case.id, "verdict": case.verdict}));
    json!({
        "id": rule.id(),
        "shortDescription": {"text": title},
        "fullDescription": {"text": sentence.unwrap_or(&title)},
        "help": {"text": format!("{title} ({rests_on}). `{alone}` checks this alone.")},
        "defaultConfiguration": {"level": level(rule.basis())},
        "properties": {
            "verdict": rule.verdict(),
            "basis": rule.basis(),
            "decisions": rule.decisions(),
            "cases": cases.collect::<Vec<_>>(),
        },
    })
}

fn result(position: Option<usize>, case: &CaseReport) -> Value {
    let mut clauses = case.clauses.iter();
    let first = clauses.next().map(location);
    let others = clauses.enumerate().map(|(position, clause)| {
        let mut location = location(clause);
        location["id"] = json!(position + 1);
        location["message"] = json!({"text": clause.sentence});
        location
    });
    let mut result = json!({
        "ruleId": case.rule,
        "level": level(case.basis),
        "message": {"text": case.to_string()},
        "locations": first.into_iter().collect::<Vec<_>>(),
        "relatedLocations": others.collect::<Vec<_>>(),
        // The same case is the same alert in the next run, even if its clause has moved.
        "partialFingerprints": {"caseId/v1": case.id},
        "properties": {
            "caseId": case.id,
            "subject": case.subject,
            "steadiness": case.steadiness,
            "causes": case.causes(),
        },
    });
    if let Some(position) = position {
        result["ruleIndex"] = json!(position);
    }
    if case.verdict == Verdict::Known {
        result["suppressions"] = json!([{
            "kind": "external",
            "status": "accepted",
            "justification": case.reason.as_deref().unwrap_or_default(),
        }]);
    }
    result
}

/// An entry of the list of known failures that fails the run.
fn stale(known: &KnownFailureReport) -> Value {
    let (id, state) = (&known.id, known.state.as_str());
    json!({
        "level": "error",
        "message": {"text": format!("known failure {id}, line {}: {state}: {}", known.line, known.advice())},
    })
}

/// What prevented a case from running.
fn notification(case: &CaseReport) -> Value {
    json!({
        "level": "error",
        "message": {"text": case.to_string()},
        "associatedRule": {"id": case.rule},
        "properties": {"caseId": case.id},
    })
}

/// A deployment that decided differently is not wrong, only different.
fn level(basis: BasisReport) -> &'static str {
    match basis {
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
