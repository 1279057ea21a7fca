//! The report that a person reads: one line of progress while it runs, every failure with what was
//! expected, what was seen and the request that shows it, then a line a group and the totals.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::time::Duration;

use anstyle::{AnsiColor, Style};

use super::{BasisReport, CaseReport, Event, Report, Reporter};
use crate::catalogue::{GROUPS, Group};
use crate::verdict::Verdict;

/// The most findings of one case, and ids behind one reason, that are shown; the JSON report has all.
const SHOWN: usize = 5;
/// Columns of the progress bar.
const BAR: usize = 24;
/// Columns of the id behind it: 80 hold all of the line.
const ID: usize = 36;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// Writes to a terminal, or to anything else.
///
/// Colours are written as escape sequences: give it a stream of `anstream`, which takes them out where
/// they are not wanted.
#[derive(Debug)]
pub struct Terminal<W> {
    out: W,
    /// Whether one line may be written over and over.
    live: bool,
    cases: usize,
    done: usize,
    failed: usize,
}

impl<W: Write + Send> Terminal<W> {
    /// A reporter; `live` when the stream is a terminal, on which a line can be overwritten.
    pub fn new(out: W, live: bool) -> Self {
        Self {
            out,
            live,
            cases: 0,
            done: 0,
            failed: 0,
        }
    }

    /// Writes a text. A report that nobody can read any more is no reason to end a run.
    fn write(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes());
        let _ = self.out.flush();
    }

    fn progress(&mut self, id: &str) {
        if !self.live {
            return;
        }
        let filled = (BAR * self.done).checked_div(self.cases).unwrap_or(BAR);
        let bar = format!(
            "{}{DIM}{}{DIM:#}",
            "━".repeat(filled),
            "━".repeat(BAR - filled)
        );
        let failed = match self.failed {
            0 => String::new(),
            failed => format!("{} ", painted(Verdict::Failed, &format!("{failed} failed"))),
        };
        // A line that is wider than the terminal could not be overwritten.
        let id: String = id.chars().take(ID).collect();
        let line = format!(
            "\r\x1b[2K{bar} {}/{} {failed}{DIM}{id}{DIM:#}",
            self.done, self.cases
        );
        self.write(&line);
    }

    fn clear_progress(&mut self) {
        if self.live {
            self.write("\r\x1b[2K");
        }
    }
}

impl<W: Write + Send> Reporter for Terminal<W> {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Started { target, cases } => {
                self.cases = *cases;
                let writes = if target.writes_allowed {
                    "writes allowed"
                } else {
                    "nothing is changed"
                };
                let keys = target.keys.join(", ");
                self.write(&format!(
                    "{BOLD}{}{BOLD:#}  {cases} cases, {writes}\n{DIM}keys: {keys}{DIM:#}\n\n",
                    target.base_url
                ));
            }
            Event::CaseStarted { id } => self.progress(id),
            Event::CaseFinished { case } => {
                self.done += 1;
                if matches!(case.verdict, Verdict::Failed | Verdict::Errored) {
                    self.failed += usize::from(case.verdict == Verdict::Failed);
                    self.clear_progress();
                    self.write(&details(case));
                }
                self.progress(&case.id);
            }
            Event::Finished { report } => {
                self.clear_progress();
                self.write(&totals(report));
            }
        }
    }
}

/// A failure, or what stood in the way, in full.
fn details(case: &CaseReport) -> String {
    let mut text = format!(
        "{}  {BOLD}{}{BOLD:#}  {}\n",
        painted(case.verdict, case.verdict.as_str()),
        case.id,
        case.title
    );
    for clause in case.clauses.iter().take(1) {
        let basis = match case.basis {
            BasisReport::Stated => "stated".to_owned(),
            BasisReport::Decided => case
                .decisions
                .iter()
                .cloned()
                .collect::<Vec<_>>()
                .join(", "),
        };
        let _ = writeln!(text, "  {DIM}{} ({basis}){DIM:#}", clause.sentence);
    }
    if let Some(reason) = &case.reason {
        let _ = writeln!(text, "  {reason}");
    }
    for finding in case.findings.iter().take(SHOWN) {
        let times = if finding.times > 1 {
            format!(" ({} times)", finding.times)
        } else {
            String::new()
        };
        let _ = writeln!(text, "  {}{times}", finding.what);
        let _ = writeln!(text, "    expected  {}", finding.expected);
        let _ = writeln!(text, "    seen      {}", finding.seen);
        for request in &finding.requests {
            let _ = writeln!(text, "    {DIM}{request}{DIM:#}");
        }
    }
    if let Some(more) = case
        .findings
        .len()
        .checked_sub(SHOWN)
        .filter(|more| *more > 0)
    {
        let _ = writeln!(text, "  and {more} more; --report json=FILE has them all");
    }
    text.push('\n');
    text
}

/// A line a group, what was not looked at and why, and the totals.
fn totals(report: &Report) -> String {
    let mut text = String::new();
    for group in GROUPS {
        let cases: Vec<_> = report
            .cases
            .iter()
            .filter(|case| case.group() == group.name)
            .collect();
        if !cases.is_empty() {
            text.push_str(&group_line(group, &cases));
        }
    }
    for verdict in [Verdict::Skipped, Verdict::Inconclusive] {
        text.push_str(&reasons(report, verdict));
    }
    let counts = Verdict::ALL
        .map(|verdict| (verdict, report.with(verdict).len()))
        .into_iter();
    let counts = counts.filter(|(verdict, count)| *count > 0 || *verdict == Verdict::Passed);
    let counts: Vec<_> = counts
        .map(|(verdict, count)| painted(verdict, &format!("{count} {}", verdict.as_str())))
        .collect();
    let seconds = Duration::from_millis(report.duration_ms).as_secs_f64();
    let requests = report.requests;
    let _ = writeln!(
        text,
        "\n{}  {DIM}{requests} requests in {seconds:.1} s{DIM:#}",
        counts.join(", ")
    );
    text
}

/// The worst verdict of a group, how many of its cases passed, and what it is about.
fn group_line(group: &Group, cases: &[&CaseReport]) -> String {
    let count = |verdict| cases.iter().filter(|case| case.verdict == verdict).count();
    let worst = [
        Verdict::Failed,
        Verdict::Errored,
        Verdict::Inconclusive,
        Verdict::Skipped,
    ];
    let worst = worst
        .into_iter()
        .find(|verdict| count(*verdict) > 0)
        .unwrap_or(Verdict::Passed);
    let passed = format!("{}/{}", count(Verdict::Passed), cases.len());
    let mark = painted(worst, &format!("{:<12}", worst.as_str()));
    format!(
        "{mark} {passed:>7}  {:<20} {DIM}{}{DIM:#}\n",
        group.name, group.title
    )
}

/// Why cases have no verdict of their own: each reason once, with the cases that it is the reason of.
fn reasons(report: &Report, verdict: Verdict) -> String {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for case in report.cases.iter().filter(|case| case.verdict == verdict) {
        reasons
            .entry(case.reason.as_deref().unwrap_or_default())
            .or_default()
            .push(&case.id);
    }
    let mut text = String::new();
    for (reason, ids) in reasons {
        let shown = ids
            .iter()
            .take(SHOWN)
            .copied()
            .collect::<Vec<_>>()
            .join(", ");
        let more = match ids.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let mark = painted(verdict, &format!("{} {}", ids.len(), verdict.as_str()));
        let _ = writeln!(text, "\n{mark}  {reason}\n  {DIM}{shown}{more}{DIM:#}");
    }
    text
}

fn painted(verdict: Verdict, text: &str) -> String {
    let color = match verdict {
        Verdict::Passed => AnsiColor::Green,
        Verdict::Failed => AnsiColor::Red,
        Verdict::Skipped | Verdict::Inconclusive => AnsiColor::Yellow,
        Verdict::Errored => AnsiColor::Magenta,
    };
    let style = color.on_default().bold();
    format!("{style}{text}{style:#}")
}
