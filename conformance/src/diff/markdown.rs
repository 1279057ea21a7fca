//! A difference as Markdown, for a pull request. What a deployment said stands in code alone.

use std::fmt::Write as _;

use super::{Change, Diff};
use engine::report::markdown::code;

/// The most cases of a kind that are shown.
const SHOWN: usize = 100;

/// The difference as Markdown.
pub fn render(diff: &Diff) -> String {
    let diff = &diff.fit_to_show();
    let mut text = format!(
        "## Conformance: {}\n\nBefore {}, after {}.\n",
        diff.summary(),
        code(&diff.before),
        code(&diff.after)
    );
    for change in Change::ALL {
        let cases: Vec<_> = diff.with(change).collect();
        if cases.is_empty() {
            continue;
        }
        let _ = writeln!(
            text,
            "\n### {} ({})\n\n| case | before | after | found |\n|---|---|---|---|",
            change.heading(),
            cases.len()
        );
        for case in cases.iter().take(SHOWN) {
            let verdict =
                |verdict: Option<crate::Verdict>| verdict.map_or("", crate::Verdict::as_str);
            let found = case.found.first().map(|finding| {
                cell(&format!(
                    "{}: expected {}, seen {}",
                    finding.what, finding.expected, finding.seen
                ))
            });
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} |",
                cell(&case.id),
                verdict(case.before),
                verdict(case.after),
                found.unwrap_or_default()
            );
        }
        if cases.len() > SHOWN {
            let _ = writeln!(text, "\n… and {} more.", cases.len() - SHOWN);
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
        let _ = writeln!(
            text,
            "\nNot found out in one of the two: {}.",
            not_compared.join(", ")
        );
    }
    text
}

/// A text as code in a cell of a table, where a bar would end the cell.
fn cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}
