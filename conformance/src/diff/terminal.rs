//! A difference for a person: what is worse comes first.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::{CaseChange, Change, Diff, PointChange};
use engine::verdict::Verdict;

const STRONG: Style = Style::new().bold();
const WORSE: Style = AnsiColor::Red.on_default();
const BETTER: Style = AnsiColor::Green.on_default();
const OTHER: Style = AnsiColor::Yellow.on_default();
const FAINT: Style = Style::new().dimmed();
/// The most findings that are shown of one case.
const SHOWN: usize = 3;

/// The difference as text with ANSI colours.
pub fn render(diff: &Diff) -> String {
    let diff = &diff.fit_to_show();
    let mut text = format!(
        "{FAINT}before{FAINT:#}  {}\n{FAINT}after{FAINT:#}   {}\n\n",
        diff.before, diff.after
    );
    for change in Change::ALL {
        let cases: Vec<_> = diff.with(change).collect();
        if cases.is_empty() {
            continue;
        }
        let _ = writeln!(
            text,
            "{STRONG}{} ({}){STRONG:#}\n",
            change.heading(),
            cases.len()
        );
        for case in &cases {
            of_case(&mut text, case);
        }
        text.push('\n');
    }
    if !diff.points.is_empty() {
        let _ = writeln!(
            text,
            "{STRONG}Decided differently ({}){STRONG:#}\n",
            diff.points.len()
        );
        for point in &diff.points {
            of_point(&mut text, point);
        }
    }
    if !diff.not_compared.is_empty() {
        let _ = writeln!(
            text,
            "{FAINT}Not found out in one of the two: {}{FAINT:#}\n",
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

fn of_case(text: &mut String, case: &CaseChange) {
    let style = style(case.change);
    let verdicts = match (case.before, case.after) {
        (Some(before), Some(after)) if before != after => {
            format!("{} → {}", before.as_str(), after.as_str())
        }
        (before, after) => after.or(before).map_or("", Verdict::as_str).to_owned(),
    };
    let _ = writeln!(
        text,
        "  {style}{}{style:#}  {FAINT}{verdicts}{FAINT:#}",
        case.id
    );
    // Those of a case that is new, or gone, say nothing of a difference.
    if matches!(case.change, Change::New | Change::Gone) {
        return;
    }
    for (mark, findings) in [("+", &case.found), ("-", &case.gone)] {
        for finding in findings.iter().take(SHOWN) {
            let _ = writeln!(
                text,
                "    {mark} {}: expected {}, seen {}",
                finding.what, finding.expected, finding.seen
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
            ", as the contract"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "    {FAINT}{who:<6}{FAINT:#}  {}{note}",
            behaved.shown()
        );
        for request in behaved.requests.iter().take(1) {
            let _ = writeln!(text, "            {FAINT}{request}{FAINT:#}");
        }
    }
    text.push('\n');
}
