//! The Markdown report, for a pull request: the verdict, what failed, a line a group.
//!
//! It fits into a comment, and nothing that a deployment said is read as Markdown or HTML, nor does it
//! call anybody by name: it stands in code alone.

use std::fmt::Write as _;

use super::{CaseReport, KnownFailureReport, Report, coverage::Coverage, shown};
use crate::verdict::{Level, Verdict};
use platform_contract::Contract;

/// The most bytes of a report: GitHub takes comments of 65,536 characters.
pub const LONGEST: usize = 65_000;
/// The most bytes of a list of ids, or of known failures.
const LIST: usize = 2_000;
/// The most characters of a line of such a list.
const LINE: usize = 300;
/// The most findings of one case that are shown.
const SHOWN: usize = 3;

/// A report as Markdown, of [`LONGEST`] bytes at the most.
pub fn render(report: &Report) -> String {
    let report = &shown::report(report, shown::SHORT);
    let mut text = head(report);
    let rest = format!("{}{}", known_failures(report), groups(report));
    let verdicts = [Verdict::Failed, Verdict::Errored];
    // Every verdict may leave cases, which are listed by their ids.
    let most = LONGEST.saturating_sub(rest.len() + verdicts.len() * (LIST + 4 * LINE));
    for verdict in verdicts {
        let mut left = Vec::new();
        for case in report.cases.iter().filter(|case| case.verdict == verdict) {
            let details = details(case);
            if text.len() + details.len() > most {
                left.push(case);
            } else {
                text.push_str(&details);
            }
        }
        if !left.is_empty() {
            text.push_str(&more(verdict, &left));
        }
    }
    text.push_str(&rest);
    text
}

fn head(report: &Report) -> String {
    let counts = report.summary.counts().map(|(verdict, count)| {
        if count > 0 && matches!(verdict, Verdict::Failed | Verdict::Errored) {
            format!("**{count} {}**", verdict.as_str())
        } else {
            format!("{count} {}", verdict.as_str())
        }
    });
    let coverage = Coverage::of(report, Contract::bundled());
    format!(
        "## Conformance: {}\n\n{} of {} cases on {}\n\nContract {}{}, {} requests in {}; looked at {}.\n\n{}",
        report.outcome(),
        counts.join(", "),
        report.cases.len(),
        code(&report.target.base_url),
        report.contract_version,
        match report.level {
            Level::Contract => "",
            Level::Stated => " (what the source states of it)",
        },
        report.requests,
        report.seconds(),
        coverage.totals,
        trouble(report),
    )
}

/// What stood in the way, if anything did.
fn trouble(report: &Report) -> String {
    match report.trouble.told() {
        None => String::new(),
        Some(told) => {
            let example = report.trouble.examples.first();
            let example = example.map_or(String::new(), |text| format!(", such as {}", code(text)));
            format!("{told}{example}.\n\n")
        }
    }
}

/// The list of known failures, what fails the run first, as far as there is room.
fn known_failures(report: &Report) -> String {
    if report.known_failures.is_empty() {
        return String::new();
    }
    let mut text = String::from("Known failures:\n\n");
    let calm = report.known_failures.iter();
    let calm = calm.filter(|known| !known.state.fails());
    for (position, known) in report.stale().chain(calm).enumerate() {
        if text.len() > LIST {
            let left = report.known_failures.len() - position;
            let _ = writeln!(text, "- and {left} more");
            break;
        }
        text.push_str(&known_failure(known));
    }
    text.push('\n');
    text
}

fn known_failure(known: &KnownFailureReport) -> String {
    let state = match known.state.fails() {
        true => format!("**{}**", known.state.as_str()),
        false => known.state.as_str().to_owned(),
    };
    format!(
        "- {} {state}, until {}: {}\n",
        code(&known.id),
        known.expires,
        code(&shown::cut(known.advice(), LINE))
    )
}

/// One case, folded.
fn details(case: &CaseReport) -> String {
    let mut text = format!(
        "<details><summary>{}{} <code>{}</code> {}</summary>\n\n",
        case.verdict.as_str(),
        case.steadiness.map_or(String::new(), |steadiness| format!(
            " ({})",
            steadiness.as_str()
        )),
        html(&case.id),
        html(&case.title),
    );
    if let Some(clause) = case.clauses.first() {
        let _ = writeln!(
            text,
            "> {}\n>\n> {} ({})\n",
            clause.sentence,
            code(&clause.place()),
            shown::cut(case.rests_on(), LINE)
        );
    }
    if let Some(reason) = &case.reason {
        text.push_str(&fenced("text", reason));
    }
    for finding in case.findings.iter().take(SHOWN) {
        let mut seen = finding.clone();
        let requests = std::mem::take(&mut seen.requests).join("\n");
        text.push_str(&fenced("text", &seen.to_string()));
        if !requests.is_empty() {
            text.push_str(&fenced("sh", &requests));
        }
    }
    let more = case.findings.len().saturating_sub(SHOWN);
    if more > 0 {
        let _ = writeln!(text, "… and {more} more of this case.\n");
    }
    text.push_str("</details>\n\n");
    text
}

/// The cases that there was no room for, by their ids as far as there is room for those.
fn more(verdict: Verdict, cases: &[&CaseReport]) -> String {
    let mut text = format!("{} more {}:", cases.len(), verdict.as_str());
    for (position, case) in cases.iter().enumerate() {
        if text.len() > LIST {
            let left = cases.len() - position;
            let _ = write!(text, " and {left} that the other reports show");
            break;
        }
        let _ = write!(text, " {}", code(&case.id));
    }
    text.push_str("\n\n");
    text
}

fn groups(report: &Report) -> String {
    let mut text = String::from("| group |");
    for verdict in Verdict::ALL {
        let _ = write!(text, " {} |", verdict.as_str());
    }
    text.push_str(" |\n|---|");
    text.push_str(&"--:|".repeat(Verdict::ALL.len()));
    text.push_str("---|\n");
    for (group, cases) in report.groups() {
        let _ = write!(text, "| `{}` |", group.name);
        for verdict in Verdict::ALL {
            let count = cases.iter().filter(|case| case.verdict == verdict).count();
            let _ = match count {
                0 => write!(text, " |"),
                count => write!(text, " {count} |"),
            };
        }
        let _ = writeln!(text, " {} |", group.title);
    }
    text
}

/// A text of one line between tags.
fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// A text of one line, as code.
pub fn code(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match longest_run(&text) {
        0 => format!("`{text}`"),
        // The blanks are no part of it, and keep a mark at its end apart.
        run => {
            let marks = "`".repeat(run + 1);
            format!("{marks} {text} {marks}")
        }
    }
}

/// A text of any kind, as a block of code.
fn fenced(language: &str, text: &str) -> String {
    let fence = "`".repeat((longest_run(text) + 1).max(3));
    format!("{fence}{language}\n{}\n{fence}\n\n", text.trim_end())
}

/// The most marks of code that stand beside each other in a text.
fn longest_run(text: &str) -> usize {
    let runs = text.split(|character| character != '`');
    runs.map(str::len).max().unwrap_or_default()
}
