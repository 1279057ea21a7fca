//! A difference as Markdown, for a pull request. Output of a deployment appears only as code.

use std::fmt::Write as _;

use super::{CaseChange, Change, Diff, counted};
use engine::report::markdown::code;

/// The limit on the rules of a kind.
const SHOWN: usize = 100;

/// Renders the difference as Markdown.
pub fn render(diff: &Diff) -> String {
    let diff = &diff.fit_to_show();
    let mut text = format!(
        "## Conformance: {}\n\nBefore {}, after {}.\n",
        diff.summary(),
        code(&diff.before),
        code(&diff.after)
    );
    for &change in Change::ALL {
        let rules = diff.rules_with(change);
        if rules.is_empty() {
            continue;
        }
        let _ = writeln!(
            text,
            "\n### {} ({})\n\n| rule or case | for | before | after | found |\n|---|---|---|---|---|",
            change.heading(),
            counted(&rules)
        );
        for rule in rules.iter().take(SHOWN) {
            let verdict = |verdict: Option<crate::Verdict>| verdict.map_or("", crate::Verdict::as_str);
            let found = rule.findings(|case: &CaseChange| &case.found);
            let found = found.first().map(|alike| {
                let (finding, subjects) = (alike.finding, alike.subjects(rule.cases.len()));
                cell(&format!(
                    "{}{subjects}: expected {}, seen {}",
                    finding.what, finding.expected, finding.seen
                ))
            });
            let subjects = rule.subjects().map(|subjects| cell(&subjects));
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} |",
                cell(rule.id()),
                subjects.unwrap_or_default(),
                verdict(rule.before),
                verdict(rule.after),
                found.unwrap_or_default()
            );
        }
        if rules.len() > SHOWN {
            let _ = writeln!(text, "\n… and {} more.", rules.len() - SHOWN);
        }
    }
    if !diff.points.is_empty() {
        text.push_str("\n| point | before | after |\n|---|---|---|\n");
        for point in &diff.points {
            let shown = |behaved: &Option<super::Behaved>| {
                behaved
                    .as_ref()
                    .map_or_else(|| "not in the profile".to_owned(), super::Behaved::shown)
            };
            let _ = writeln!(
                text,
                "| {} | {} | {} |",
                cell(&point.point),
                cell(&shown(&point.before)),
                cell(&shown(&point.after))
            );
        }
    }
    if !diff.not_compared.is_empty() {
        let not_compared: Vec<_> = diff.not_compared.iter().map(|id| code(id)).collect();
        let _ = writeln!(text, "\nUnknown in one of the two: {}.", not_compared.join(", "));
    }
    text
}

/// A text as code in a table cell, where a vertical bar would end the cell.
fn cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}
