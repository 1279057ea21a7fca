//! A difference for a terminal: regressions come first.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::{CaseChange, Change, Diff, PointChange, RuleChange, counted};

const STRONG: Style = Style::new().bold();
const WORSE: Style = AnsiColor::Red.on_default();
const BETTER: Style = AnsiColor::Green.on_default();
const OTHER: Style = AnsiColor::Yellow.on_default();
const FAINT: Style = Style::new().dimmed();
/// The limit on the findings shown for one rule.
const SHOWN: usize = 3;

/// Renders the difference as text with ANSI colours.
pub fn render(diff: &Diff) -> String {
    let diff = &diff.fit_to_show();
    let mut text = format!(
        "{FAINT}before{FAINT:#}  {}\n{FAINT}after{FAINT:#}   {}\n\n",
        diff.before, diff.after
    );
    for &change in Change::ALL {
        let rules = diff.rules_with(change);
        if rules.is_empty() {
            continue;
        }
        let _ = writeln!(text, "{STRONG}{} ({}){STRONG:#}\n", change.heading(), counted(&rules));
        for rule in &rules {
            of_rule(&mut text, change, rule);
        }
        text.push('\n');
    }
    if !diff.points.is_empty() {
        let _ = writeln!(text, "{STRONG}Decided differently ({}){STRONG:#}\n", diff.points.len());
        for point in &diff.points {
            of_point(&mut text, point);
        }
    }
    if !diff.not_compared.is_empty() {
        let _ = writeln!(
            text,
            "{FAINT}Unknown in one of the two: {}{FAINT:#}\n",
            diff.not_compared.join(", ")
        );
    }
    let _ = writeln!(text, "{STRONG}{}{STRONG:#}", diff.summary());
    text
}

fn style(change: Change) -> Style {
    match change {
        Change::NewlyFailing | Change::OtherFindings => WORSE,
        Change::NewlyPassing => BETTER,
        Change::OtherVerdict | Change::New | Change::Gone => OTHER,
    }
}

fn of_rule(text: &mut String, change: Change, rule: &RuleChange<'_>) {
    let style = style(change);
    let subjects = rule.subjects();
    let subjects = subjects.map_or(String::new(), |subjects| format!(" for {subjects}"));
    let _ = writeln!(text, "  {style}{}{style:#}: {}{subjects}", rule.id(), rule.verdicts());
    // The findings of a new or removed case are not a difference.
    if matches!(change, Change::New | Change::Gone) {
        return;
    }
    let found = rule.findings(|case: &CaseChange| &case.found);
    let gone = rule.findings(|case: &CaseChange| &case.gone);
    for (mark, findings) in [("+", &found), ("-", &gone)] {
        for alike in findings.iter().take(SHOWN) {
            let finding = alike.finding;
            let _ = writeln!(
                text,
                "    {mark} {}{}: expected {}, seen {}",
                finding.what,
                alike.subjects(rule.cases.len()),
                finding.expected,
                finding.seen
            );
            for request in finding.requests.iter().take(1).filter(|_| mark == "+") {
                let _ = writeln!(text, "      {FAINT}{request}{FAINT:#}");
            }
        }
        if findings.len() > SHOWN {
            let _ = writeln!(text, "    {mark} … and {} more", findings.len() - SHOWN);
        }
    }
}

fn of_point(text: &mut String, point: &PointChange) {
    let _ = writeln!(
        text,
        "  {OTHER}{}{OTHER:#}  {FAINT}{}{FAINT:#}",
        point.point, point.question
    );
    for (who, behaved) in [("before", &point.before), ("after", &point.after)] {
        let Some(behaved) = behaved else {
            let _ = writeln!(text, "    {FAINT}{who:<6}{FAINT:#}  not in the profile");
            continue;
        };
        let note = if behaved.as_the_contract == Some(true) {
            ", as in the contract"
        } else {
            ""
        };
        let _ = writeln!(text, "    {FAINT}{who:<6}{FAINT:#}  {}{note}", behaved.shown());
        for request in behaved.requests.iter().take(1) {
            let _ = writeln!(text, "            {FAINT}{request}{FAINT:#}");
        }
    }
    text.push('\n');
}
