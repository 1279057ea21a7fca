//! The self-test for a terminal: every undetected fault and every legal variant that fails, as it is found, then one
//! line for each family and the totals.
//!
//! Only permanent text is written: the progress line belongs to the program.

use std::fmt::Write as _;
use std::io::Write;
use std::time::Duration;

use anstyle::{AnsiColor, Style};

use super::faults::FAMILIES;
use super::judge::Progress;
use super::judgement::{Alarm, Judgement, OnFault, OnVariant};
use engine::report::CONTRACT_FILE;
use engine::report::shown::{counted, grouped};
use engine::report::terminal::{cut, wrapped};
use platform_contract::Contract;

/// The limit on the cases of one variant and on those of a list; the JSON contains all of them.
const SHOWN: usize = 8;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// Writes to a terminal, or to anything else.
///
/// Colours are written as escape sequences: use a stream of `anstream`, which removes them where they are not
/// supported.
#[derive(Debug)]
pub struct Terminal<W> {
    out: W,
    /// The width to wrap at; `None` disables wrapping.
    columns: Option<usize>,
}

impl<W: Write> Terminal<W> {
    /// Creates a writer that wraps at the columns of a terminal; for a file or a log, pass `None`.
    pub fn new(out: W, columns: Option<usize>) -> Self {
        Self { out, columns }
    }

    /// Writes the heading, and each undetected fault and each failed variant.
    pub fn take_notice(&mut self, progress: &Progress<'_>) {
        match progress {
            Progress::Started { faults, variants } => self.write(&format!(
                "{BOLD}Self-test{BOLD:#}  {} and {}\n\n",
                counted(*faults, "fault"),
                counted(*variants, "legal variant")
            )),
            Progress::Fault(on) if on.killed_by.is_empty() => {
                self.write(&survivor(on, self.columns));
            }
            Progress::Variant(on) if !on.alarms.is_empty() => self.write(&alarms(on, self.columns)),
            Progress::Fault(_) | Progress::Variant(_) => {}
        }
    }

    /// Writes the totals.
    pub fn finish(&mut self, judgement: &Judgement) {
        self.write(&totals(judgement, self.columns));
    }

    /// Writes a text. An error does not end the self-test: the reader may have closed the stream.
    fn write(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes());
        let _ = self.out.flush();
    }
}

/// An undetected fault: its behaviour, the clause that it breaks, and the command to repeat it.
fn survivor(on: &OnFault, columns: Option<usize>) -> String {
    let mut text = format!("{BAD}undetected{BAD:#}  {BOLD}{}{BOLD:#}\n", on.name);
    text.push_str(&wrapped("  ", &on.wrong, columns, Style::new()));
    let place = match Contract::bundled().line(&on.clause) {
        Some(line) => format!("{CONTRACT_FILE}:{line}  {}", on.clause),
        None => on.clause.clone(),
    };
    text.push_str(&wrapped("  breaks  ", &place, columns, DIM));
    text.push('\n');
    text
}

/// A variant that failed, with its cases.
fn alarms(on: &OnVariant, columns: Option<usize>) -> String {
    let mut text = format!("{BAD}wrongly failed{BAD:#}  {BOLD}{}{BOLD:#}\n", on.name);
    text.push_str(&wrapped("  ", &on.differs, columns, Style::new()));
    if !on.together_with.is_empty() {
        let others = on.together_with.join(", ");
        text.push_str(&wrapped("  only together with  ", &others, columns, DIM));
    }
    for alarm in on.alarms.iter().take(SHOWN) {
        text.push_str(&alarm_text(alarm, columns));
    }
    if on.alarms.len() > SHOWN {
        let _ = writeln!(text, "  and {} more", on.alarms.len() - SHOWN);
    }
    text.push('\n');
    text
}

fn alarm_text(alarm: &Alarm, columns: Option<usize>) -> String {
    let mut text = format!("  {}\n", alarm.case);
    if let Some(reason) = &alarm.reason {
        text.push_str(&wrapped("    ", reason, columns, Style::new()));
    }
    if let Some(finding) = alarm.findings.first() {
        let (expected, seen) = (AnsiColor::Green.on_default(), AnsiColor::Red.on_default());
        text.push_str(&wrapped("    ", &finding.what, columns, Style::new()));
        text.push_str(&wrapped("    expected  ", &finding.expected, columns, expected));
        text.push_str(&wrapped("    seen      ", &finding.seen, columns, seen));
    }
    text
}

/// One line for each family, the cases that detect nothing, and the totals.
fn totals(judgement: &Judgement, columns: Option<usize>) -> String {
    let mut text = families(judgement, columns);
    if judgement.matrix {
        text.push_str(&idle(&judgement.idle_cases, columns));
    }
    let outcome = if judgement.is_flawless() {
        "every fault detected, no legal variant failed"
    } else {
        "the kit missed a fault, or failed a legal variant or the sound server"
    };
    let mut counts = Vec::new();
    let (faults, variants) = (judgement.faults.len(), judgement.variants.len());
    if faults > 0 {
        counts.push(of(judgement.killed(), faults, "faults detected"));
    }
    if variants > 0 {
        let quiet = variants - judgement.alarmed().len();
        counts.push(of(quiet, variants, "legal variants passed"));
    }
    let _ = writeln!(text, "\n{BOLD}{outcome}{BOLD:#}: {}", counts.join(", "));
    let _ = write!(text, "{DIM}seed {}", judgement.seed);
    if let Some((half, most)) = judgement.requests_to_kill().filter(|_| !judgement.matrix) {
        let _ = write!(
            text,
            ", requests to the first detection: median {}, maximum {}",
            grouped(half),
            grouped(most)
        );
    }
    let seconds = Duration::from_millis(judgement.duration_ms).as_secs_f64();
    let _ = writeln!(text, ", {seconds:.1} s{DIM:#}");
    text
}

fn of(good: usize, all: usize, what: &str) -> String {
    let style = if good == all { GOOD } else { BAD };
    format!("{style}{} of {} {what}{style:#}", grouped(good), grouped(all))
}

fn families(judgement: &Judgement, columns: Option<usize>) -> String {
    let mut text = String::new();
    for family in FAMILIES {
        let faults = judgement.faults.iter();
        let faults: Vec<_> = faults.filter(|on| on.family() == family.name).collect();
        let killed = faults.iter().filter(|on| !on.killed_by.is_empty());
        text.push_str(&line(
            ["detected", "undetected"],
            killed.count(),
            faults.len(),
            [family.name, family.title],
            columns,
        ));
    }
    let quiet = judgement.variants.len() - judgement.alarmed().len();
    text.push_str(&line(
        ["passed", "wrongly failed"],
        quiet,
        judgement.variants.len(),
        ["variants", "Deployments that differ in what the contract leaves open"],
        columns,
    ));
    text
}

/// Formats one line: the word for all or not all, the number of good ones, the name and the subject.
fn line([well, ill]: [&str; 2], good: usize, all: usize, [name, title]: [&str; 2], columns: Option<usize>) -> String {
    if all == 0 {
        return String::new();
    }
    let (word, style) = if good == all { (well, GOOD) } else { (ill, BAD) };
    let known = format!("{word:<14} {:>7}  {name:<14} ", format!("{good}/{all}"));
    let left = columns.map_or(usize::MAX, |columns| columns.saturating_sub(known.len()));
    let title = cut(title, left);
    let rest = &known[word.len()..];
    format!("{style}{word}{style:#}{rest}{DIM}{title}{DIM:#}\n")
}

/// The cases that detect nothing: they are redundant, or a fault for them is missing.
fn idle(ids: &[String], columns: Option<usize>) -> String {
    if ids.is_empty() {
        return format!("\n{GOOD}every case detects some fault{GOOD:#}\n");
    }
    let mut text = format!("\n{BOLD}{} that detect no fault{BOLD:#}\n", counted(ids.len(), "case"));
    for id in ids {
        text.push_str(&wrapped("  ", id, columns, Style::new()));
    }
    text
}
