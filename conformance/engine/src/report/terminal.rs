//! The report that a person reads: one line of progress while it runs, every failure with what was
//! expected, what was seen and the request that shows it, then a line a group and the totals.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write;
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use textwrap::WordSplitter;
use textwrap::core::display_width;

use super::shown::{self, visible};
use super::{CaseReport, Event, KnownFailureReport, Report, Reporter, RunPlan};
use crate::chapter::Chapter;
use crate::finding::{Finding, Steadiness};
use crate::verdict::Verdict;

/// The most findings of one case, and ids behind one reason, that are shown; the other reports have all.
const SHOWN: usize = 5;
/// The longest progress bar.
const BAR: usize = 24;
/// How long a case takes before the line of progress names it for that.
const SLOW: Duration = Duration::from_secs(2);
/// The narrowest text that is worth wrapping.
const NARROW: usize = 20;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// Writes to a terminal, or to anything else.
///
/// Colours are written as escape sequences: give it a stream of `anstream`, which takes them out where
/// they are not wanted.
#[derive(Debug)]
pub struct Terminal<W> {
    out: W,
    /// How wide the terminal is; None where no line may be written over or wrapped.
    columns: Option<usize>,
    started: Instant,
    cases: usize,
    done: usize,
    failed: usize,
    /// Whether any case is run.
    begun: bool,
    /// Why cases could not run, each reason once.
    told: BTreeSet<String>,
    /// The cases that run, the one that has run for the longest time first.
    running: Vec<(String, Instant)>,
}

impl<W: Write + Send> Terminal<W> {
    /// A reporter. With the columns of a terminal it shows how far the run is, on a line that it writes over
    /// and over, and wraps what is longer than a line. Without, for a file or a log, it does neither.
    pub fn new(out: W, columns: Option<usize>) -> Self {
        Self {
            out,
            columns,
            started: Instant::now(),
            cases: 0,
            done: 0,
            failed: 0,
            begun: false,
            told: BTreeSet::new(),
            running: Vec::new(),
        }
    }

    /// Writes a text. A report that nobody can read any more is no reason to end a run.
    fn write(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes());
        let _ = self.out.flush();
    }

    fn progress(&mut self) {
        let Some(columns) = self.columns else { return };
        let bar = BAR.min(columns / 4);
        let filled = (bar * self.done).checked_div(self.cases).unwrap_or(bar);
        let counts = format!(" {}/{} ", self.done, self.cases);
        let failed = match self.failed {
            0 => String::new(),
            failed => format!("{failed} failed "),
        };
        let seconds = format!("{:.0} s ", self.started.elapsed().as_secs_f64());
        // A line that is wider than the terminal could not be written over.
        let used = bar + counts.len() + failed.len() + seconds.len();
        let running = cut(&self.longest(), columns.saturating_sub(used + 1));
        let done = "━".repeat(filled);
        let left = "━".repeat(bar - filled);
        let failed = painted(Verdict::Failed, &failed);
        self.write(&format!(
            "\r\x1b[2K{done}{DIM}{left}{DIM:#}{counts}{failed}{DIM}{seconds}{running}{DIM:#}"
        ));
    }

    /// The case that has run for the longest time, and for how long when that is long.
    fn longest(&self) -> String {
        match self.running.first() {
            Some((id, since)) if since.elapsed() > SLOW => {
                format!("{} ({} s)", visible(id), since.elapsed().as_secs())
            }
            Some((id, _)) => visible(id),
            None => String::new(),
        }
    }

    fn clear_progress(&mut self) {
        if self.columns.is_some() {
            self.write("\r\x1b[2K");
        }
    }
}

impl<W: Write + Send> Reporter for Terminal<W> {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Planned { plan } => self.write(&head(plan, self.columns)),
            Event::Started { cases, .. } => {
                self.begun = true;
                self.cases = *cases;
                self.started = Instant::now();
            }
            Event::CaseStarted { id } => {
                self.running.push(((*id).to_owned(), Instant::now()));
                self.progress();
            }
            Event::Waiting { .. } => self.progress(),
            // One reason for all of them: the caller of the run prints it once.
            Event::CaseFinished { .. } if !self.begun => {}
            Event::CaseFinished { case } => {
                self.done += 1;
                self.running.retain(|(id, _)| *id != case.id);
                // What stands in the way of one case may well stand in the way of all.
                let reason = case.reason.clone().unwrap_or_default();
                let errored = case.verdict == Verdict::Errored && self.told.insert(reason);
                if case.verdict == Verdict::Failed || errored {
                    self.failed += usize::from(case.verdict == Verdict::Failed);
                    self.clear_progress();
                    self.write(&details(&shown::case(case, shown::SHORT), self.columns));
                }
                self.progress();
            }
            Event::Finished { report } => {
                self.clear_progress();
                if self.begun {
                    self.write(&totals(&shown::report(report, shown::SHORT), self.columns));
                }
            }
        }
    }
}

/// What the run will do at the most.
fn head(plan: &RunPlan, columns: Option<usize>) -> String {
    let skipped = match plan.skipped.len() {
        0 => String::new(),
        skipped => format!(", {skipped} more are skipped"),
    };
    let mut text = format!(
        "{BOLD}{}{BOLD:#}  {} cases{skipped}\n",
        visible(&plan.base_url),
        plan.cases.len()
    );
    let changes = match &plan.adds {
        None => "nothing is changed".to_owned(),
        Some(adds) => adds.to_string(),
    };
    let most = format!("at most {} requests; {changes}", plan.requests.most());
    text.push_str(&wrapped("", &most, columns, Style::new()));
    let keys = format!("keys: {}", plan.keys.join(", "));
    text.push_str(&wrapped("", &keys, columns, DIM));
    text.push('\n');
    text
}

/// A failure, or what stood in the way, in full.
fn details(case: &CaseReport, columns: Option<usize>) -> String {
    let mut text = format!(
        "{}  {BOLD}{}{BOLD:#}{}\n",
        painted(case.verdict, case.verdict.as_str()),
        case.id,
        steadiness(case.steadiness),
    );
    text.push_str(&wrapped("  ", &case.title, columns, Style::new()));
    if let Some(clause) = case.clauses.first() {
        let cited = format!(
            "{} ({})  {}",
            clause.place(),
            case.rests_on(),
            clause.sentence
        );
        text.push_str(&wrapped("  ", &cited, columns, DIM));
    }
    if let Some(reason) = &case.reason {
        text.push_str(&wrapped("  ", reason, columns, Style::new()));
    }
    for finding in case.findings.iter().take(SHOWN) {
        text.push_str(&mismatch(finding, columns));
    }
    let more = case.findings.len().saturating_sub(SHOWN);
    if more > 0 {
        let _ = writeln!(text, "\n  and {more} more; --report json=FILE has them all");
    }
    text.push('\n');
    text
}

/// Whether a second look found the same.
fn steadiness(steadiness: Option<Steadiness>) -> String {
    match steadiness {
        None => String::new(),
        Some(steadiness) => format!("  {DIM}{}{DIM:#}", steadiness.as_str()),
    }
}

fn mismatch(finding: &Finding, columns: Option<usize>) -> String {
    let times = match finding.times {
        0 | 1 => String::new(),
        times => format!(" ({times} times)"),
    };
    let flaky = match finding.steadiness {
        Steadiness::Flaky => ", not seen again at a second look",
        Steadiness::Steady | Steadiness::Unconfirmed => "",
    };
    let mut text = String::from("\n");
    text.push_str(&wrapped(
        "  ",
        &format!("{}{times}{flaky}", finding.what),
        columns,
        Style::new(),
    ));
    let (expected, seen) = (AnsiColor::Green.on_default(), AnsiColor::Red.on_default());
    text.push_str(&wrapped(
        "    expected  ",
        &finding.expected,
        columns,
        expected,
    ));
    text.push_str(&wrapped("    seen      ", &finding.seen, columns, seen));
    for id in &finding.request_ids {
        text.push_str(&wrapped("    id        ", id, columns, DIM));
    }
    // A line for a shell is left whole, and at the left edge: it is there to be copied.
    for request in &finding.requests {
        let _ = writeln!(text, "{}", visible(request));
    }
    text
}

/// A line a group, what was not looked at and why, and the totals.
fn totals(report: &Report, columns: Option<usize>) -> String {
    let mut text = String::new();
    for (group, cases) in report.groups() {
        text.push_str(&group_line(group, &cases, columns));
    }
    for verdict in [
        Verdict::Known,
        Verdict::Informed,
        Verdict::Skipped,
        Verdict::Inconclusive,
        Verdict::Errored,
    ] {
        text.push_str(&reasons(report, verdict, columns));
    }
    for known in report.stale() {
        text.push_str(&stale(known, columns));
    }
    text.push_str(&trouble(report, columns));
    let counts = report.summary.counts().into_iter();
    let counts = counts.filter(|(verdict, count)| *count > 0 || *verdict == Verdict::Passed);
    let counts: Vec<_> = counts
        .map(|(verdict, count)| painted(verdict, &format!("{count} {}", verdict.as_str())))
        .collect();
    let stale = match report.summary.stale {
        0 => String::new(),
        1 => painted(
            Verdict::Failed,
            ", and 1 line of the known failures is wrong",
        ),
        stale => painted(
            Verdict::Failed,
            &format!(", and {stale} lines of the known failures are wrong"),
        ),
    };
    let _ = writeln!(
        text,
        "\n{BOLD}{}{BOLD:#}: {}{stale}\n{DIM}{} requests in {}{DIM:#}",
        report.outcome(),
        counts.join(", "),
        report.requests,
        report.seconds()
    );
    text
}

/// A line of the list of known failures that fails the run.
fn stale(known: &KnownFailureReport, columns: Option<usize>) -> String {
    let mark = painted(Verdict::Failed, known.state.as_str());
    let mut text = format!("\n{mark}  ");
    let place = format!("{} (line {})", known.id, known.line);
    let _ = writeln!(text, "{BOLD}{}{BOLD:#}", visible(&place));
    text.push_str(&wrapped("  ", &known.advice(), columns, Style::new()));
    text
}

/// What stood in the way of answers, if anything did.
fn trouble(report: &Report, columns: Option<usize>) -> String {
    let Some(told) = report.trouble.told() else {
        return String::new();
    };
    let mut text = String::from("\n");
    text.push_str(&wrapped("", &told, columns, Style::new()));
    for example in &report.trouble.examples {
        text.push_str(&wrapped("  ", example, columns, DIM));
    }
    text
}

/// The worst verdict of a group, how many of its cases passed, and what it is about.
fn group_line(chapter: &Chapter, cases: &[&CaseReport], columns: Option<usize>) -> String {
    let worst = Verdict::worst(cases.iter().map(|case| &case.verdict));
    let worst = worst.unwrap_or(Verdict::Passed);
    let passed = cases.iter().filter(|case| case.verdict == Verdict::Passed);
    let passed = format!("{}/{}", passed.count(), cases.len());
    let mark = painted(worst, &format!("{:<12}", worst.as_str()));
    let known = format!(" {passed:>7}  {:<20} ", chapter.name);
    let left = columns.map_or(usize::MAX, |columns| {
        columns.saturating_sub(12 + known.len())
    });
    let title = cut(&chapter.title, left);
    format!("{mark}{known}{DIM}{title}{DIM:#}\n")
}

/// Why cases have no verdict of their own: each reason once, with the cases that it is the reason of.
fn reasons(report: &Report, verdict: Verdict, columns: Option<usize>) -> String {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for case in report.cases.iter().filter(|case| case.verdict == verdict) {
        let reason = case.reason.as_deref().unwrap_or_default();
        reasons.entry(reason).or_default().push(&case.id);
    }
    let mut text = String::new();
    for (reason, ids) in reasons {
        let shown: Vec<_> = ids.iter().take(SHOWN).copied().collect();
        let more = match ids.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let mark = painted(verdict, &format!("{} {}", ids.len(), verdict.as_str()));
        let _ = writeln!(text, "\n{mark}");
        text.push_str(&wrapped("  ", reason, columns, Style::new()));
        let ids = format!("{}{more}", shown.join(", "));
        text.push_str(&wrapped("  ", &ids, columns, DIM));
    }
    text
}

/// A text behind a label, its further lines below its first. What a deployment said may hold anything:
/// nothing of it reaches the terminal but what can be seen.
pub fn wrapped(label: &str, text: &str, columns: Option<usize>, style: Style) -> String {
    let text = visible(text);
    let left = columns.map(|columns| columns.saturating_sub(label.len()));
    let lines = match left {
        Some(left) if left >= NARROW => {
            // An id is one word, to be copied.
            let options = textwrap::Options::new(left);
            textwrap::wrap(&text, options.word_splitter(WordSplitter::NoHyphenation))
        }
        _ => vec![text.as_str().into()],
    };
    let mut wrapped = String::new();
    for (position, line) in lines.iter().enumerate() {
        let label = if position == 0 {
            label
        } else {
            &" ".repeat(label.len())
        };
        let _ = writeln!(wrapped, "{label}{style}{line}{style:#}");
    }
    wrapped
}

/// As much of a text as fits.
pub fn cut(text: &str, columns: usize) -> String {
    if display_width(text) <= columns {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(columns.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

fn painted(verdict: Verdict, text: &str) -> String {
    let color = match verdict {
        Verdict::Passed => AnsiColor::Green,
        Verdict::Failed => AnsiColor::Red,
        Verdict::Known => AnsiColor::Blue,
        Verdict::Informed => AnsiColor::Cyan,
        Verdict::Skipped | Verdict::Inconclusive => AnsiColor::Yellow,
        Verdict::Errored => AnsiColor::Magenta,
    };
    let style = color.on_default().bold();
    format!("{style}{text}{style:#}")
}
