//! The Markdown report, for a pull request: the verdict, a section for each cause of failures, one for each rule that
//! errored, a line for each group. If the deployment could not be judged, it is the reason alone.
//!
//! It fits into a comment. Text from the deployment appears only as code, so it is never read as Markdown or HTML and
//! mentions nobody.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{
    AnswerTimes, CaseReport, Cause, ClauseReport, KnownFailureReport, Report, Rule,
    coverage::Coverage,
    shown::{self, counted, grouped},
};
use crate::finding::Finding;
use crate::transport::durations::milliseconds;
use crate::verdict::{Level, Verdict};
use platform_contract::Contract;

/// The limit on bytes of a report: GitHub accepts comments of 65,536 characters.
pub const LONGEST: usize = 65_000;
/// The limit on bytes of a list of ids, or of known failures.
const LIST: usize = 2_000;
/// The limit on characters of a line of such a list.
const LINE: usize = 300;
/// The limit on reasons shown for one rule.
const SHOWN: usize = 3;

/// Renders a report as Markdown, of at most [`LONGEST`] bytes.
pub fn render(report: &Report, contract: &Contract) -> String {
    let report = &shown::report(report, shown::SHORT);
    let mut text = head(report, contract);
    if let Some(obstacle) = report.obstacle() {
        text.push_str(&fenced("text", obstacle));
        text.push_str(&known_failures(report));
        return text;
    }
    let rest = format!(
        "{}{}{}",
        known_failures(report),
        answer_times(&report.answer_times),
        groups(report)
    );
    let causes = Cause::among(&report.cases);
    let causes = causes.iter().map(|cause| (cause_of(cause), code(cause.text)));
    let rules = report.rules();
    let errored = rules.iter().filter(|rule| rule.verdict() == Verdict::Errored);
    let errored = errored.map(|rule| (errored_rule(rule), code(rule.id())));
    // Each of the two may leave some out; these are listed.
    let most = LONGEST.saturating_sub(rest.len() + 2 * (LIST + 4 * LINE));
    for (sections, kind) in [
        (causes.collect::<Vec<_>>(), "causes"),
        (errored.collect(), "rules that errored"),
    ] {
        let mut left = Vec::new();
        for (section, name) in sections {
            if text.len() + section.len() > most {
                left.push(name);
            } else {
                text.push_str(&section);
            }
        }
        if !left.is_empty() {
            text.push_str(&more(kind, &left));
        }
    }
    text.push_str(&rest);
    text
}

fn head(report: &Report, contract: &Contract) -> String {
    let counts = report.summary.counts().map(|(verdict, count)| {
        if count > 0 && matches!(verdict, Verdict::Failed | Verdict::Errored) {
            format!("**{} {}**", grouped(count), verdict.as_str())
        } else {
            format!("{} {}", grouped(count), verdict.as_str())
        }
    });
    let coverage = Coverage::of(report, contract);
    format!(
        "## Conformance: {}\n\n{}{}\n\n{} of {} on {}\n\nContract {}{}, {} requests in {}; checked {}.\n\n{}{}",
        report.outcome(),
        warnings(report),
        of_rules(report),
        counts.join(", "),
        counted(report.cases.len(), "case"),
        code(&report.target.base_url),
        report.contract_version,
        match report.level {
            Level::Contract => "",
            Level::Stated => " (only what the source states)",
        },
        grouped(report.requests),
        report.seconds(),
        coverage.totals,
        requirements(report),
        trouble(report),
    )
}

/// What a reader needs to know about the connection to the deployment.
fn warnings(report: &Report) -> String {
    let warnings = report.target.warnings.iter();
    warnings.map(|warning| format!("**Warning: {warning}.**\n\n")).collect()
}

/// The requirements that are not met.
fn requirements(report: &Report) -> String {
    let unmet = report.requirements.iter().filter(|requirement| !requirement.met);
    let line = |requirement| format!("**Required** {requirement}\n\n");
    unmet.map(line).collect()
}

/// The counts of rules, by verdict and by basis.
fn of_rules(report: &Report) -> String {
    let rules = report.rules();
    let counts = Verdict::ALL.map(|verdict| {
        let count = rules.iter().filter(|rule| rule.verdict() == verdict).count();
        match verdict {
            Verdict::Failed | Verdict::Errored if count > 0 => {
                format!("**{count} {}**", verdict.as_str())
            }
            _ => format!("{count} {}", verdict.as_str()),
        }
    });
    let summary = &report.summary.rules;
    format!(
        "{} of {} ({} stated, {} decided)",
        counts.join(", "),
        counted(rules.len(), "rule"),
        summary.stated,
        summary.decided
    )
}

/// What prevented responses, if anything did.
fn trouble(report: &Report) -> String {
    match report.trouble.summary() {
        None => String::new(),
        Some(summary) => {
            let example = report.trouble.examples.first();
            let example = example.map_or(String::new(), |text| format!(", such as {}", code(text)));
            format!("{summary}{example}.\n\n")
        }
    }
}

/// The list of known failures, as far as there is room; entries that fail the run come first.
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

/// A cause, folded: a finding that shows it, and the cases that failed for it.
fn cause_of(cause: &Cause<'_>) -> String {
    let case = cause.case;
    let title = cause.rule_title().map(|title| format!(" {}", html(title)));
    let mut text = format!(
        "<details><summary>failed <code>{}</code> ({})</summary>\n\n<code>{}</code>{}\n\n",
        html(cause.text),
        cause.extent(),
        html(&case.id),
        title.unwrap_or_default(),
    );
    if let Some(clause) = case.clause_of(cause.finding) {
        text.push_str(&cited(clause, case));
    }
    text.push_str(&mismatch(cause.finding));
    text.push_str(&ids(&cause.cases));
    text.push_str("</details>\n\n");
    text
}

fn cited(clause: &ClauseReport, case: &CaseReport) -> String {
    format!(
        "> {}\n>\n> {} ({})\n\n",
        clause.sentence,
        code(&clause.place()),
        shown::cut(case.rests_on(), LINE)
    )
}

/// A rule that errored, folded, with its reasons.
fn errored_rule(rule: &Rule<'_>) -> String {
    let cases = rule.cases().iter().copied();
    let cases: Vec<_> = cases.filter(|case| case.verdict == Verdict::Errored).collect();
    let mut text = format!(
        "<details><summary>errored <code>{}</code> {} ({})</summary>\n\n",
        html(rule.id()),
        html(&rule.title()),
        rule.counts(),
    );
    let reasons: BTreeSet<_> = cases.iter().filter_map(|case| case.reason.as_deref()).collect();
    for reason in reasons.into_iter().take(SHOWN) {
        text.push_str(&fenced("text", reason));
    }
    text.push_str(&ids(&cases));
    text.push_str("</details>\n\n");
    text
}

/// Whether a second check found the same mismatch.
fn steadiness(case: &CaseReport) -> String {
    let steadiness = case.steadiness.map(|steadiness| steadiness.as_str());
    steadiness.map_or(String::new(), |steadiness| format!(" ({steadiness})"))
}

/// The ids of the cases of a rule, as far as there is room.
fn ids(cases: &[&CaseReport]) -> String {
    let mut text = String::new();
    for (position, case) in cases.iter().enumerate() {
        if text.len() > LIST {
            let _ = writeln!(text, "- and {} more", cases.len() - position);
            break;
        }
        let verdict = case.verdict.as_str();
        let _ = writeln!(text, "- {} {verdict}{}", code(&case.id), steadiness(case));
    }
    text.push('\n');
    text
}

/// A mismatch, with its request.
fn mismatch(finding: &Finding) -> String {
    let mut finding = finding.clone();
    let requests = std::mem::take(&mut finding.requests).join("\n");
    let mut text = fenced("text", &finding.to_string());
    if !requests.is_empty() {
        text.push_str(&fenced("sh", &requests));
    }
    text
}

/// Names of what was left out, as far as there is room.
fn more(kind: &str, names: &[String]) -> String {
    let mut text = format!("{} more {kind}:", names.len());
    for (position, name) in names.iter().enumerate() {
        if text.len() > LIST {
            let left = names.len() - position;
            let _ = write!(text, " and {left} that the other reports show");
            break;
        }
        let _ = write!(text, " {name}");
    }
    text.push_str("\n\n");
    text
}

/// Response times, with the slowest responses folded.
fn answer_times(times: &AnswerTimes) -> String {
    if times.slowest.is_empty() {
        return String::new();
    }
    let percentiles = times.percentiles();
    let percentiles = percentiles.map(|(name, millis)| format!("{name} {}", milliseconds(millis)));
    let mut text = format!(
        "Response times: {}.\n\n<details><summary>The slowest responses</summary>\n\n",
        percentiles.join(", ")
    );
    for slow in &times.slowest {
        let sender = slow.case.as_deref();
        let sender = sender.map_or(String::new(), |id| format!(", sent by {}", code(id)));
        let _ = writeln!(
            text,
            "- {}: {} ({}){sender}",
            milliseconds(slow.duration_ms),
            code(&shown::cut(slow.request(), LINE)),
            slow.status
        );
    }
    text.push_str("\n</details>\n\n");
    text
}

fn groups(report: &Report) -> String {
    let mut text = String::from("Rules by group:\n\n| group |");
    for verdict in Verdict::ALL {
        let _ = write!(text, " {} |", verdict.as_str());
    }
    text.push_str(" |\n|---|");
    text.push_str(&"--:|".repeat(Verdict::ALL.len()));
    text.push_str("---|\n");
    for (group, cases) in report.groups() {
        let rules = Rule::fold(cases);
        let _ = write!(text, "| `{}` |", group.name);
        for verdict in Verdict::ALL {
            let count = rules.iter().filter(|rule| rule.verdict() == verdict).count();
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
        // The spaces are not part of the text: they separate a mark at its end.
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

/// The length of the longest run of code marks in a text.
fn longest_run(text: &str) -> usize {
    let runs = text.split(|character| character != '`');
    runs.map(str::len).max().unwrap_or_default()
}
