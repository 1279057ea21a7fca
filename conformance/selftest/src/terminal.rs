//! The judgement as a person reads it: one line of progress while it goes, every survivor and every false
//! alarm when it is found, then a line a family and the totals.

use std::fmt::Write as _;
use std::io::Write;
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};

use super::faults::FAMILIES;
use super::judge::Progress;
use super::judgement::{Alarm, Judgement, OnFault, OnVariant};
use engine::report::CONTRACT_FILE;
use engine::report::terminal::{cut, wrapped};
use platform_contract::Contract;

/// The most alarms of one variant, and cases of a list, that are shown; the JSON has them all.
const SHOWN: usize = 8;
/// The longest bar.
const BAR: usize = 24;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();

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
    deployments: usize,
    judged: usize,
    survived: usize,
    alarmed: usize,
}

impl<W: Write> Terminal<W> {
    /// With the columns of a terminal it shows how far it is, on a line that it writes over and over, and
    /// wraps what is longer than a line. Without, for a file or a log, it does neither.
    pub fn new(out: W, columns: Option<usize>) -> Self {
        Self {
            out,
            columns,
            started: Instant::now(),
            deployments: 0,
            judged: 0,
            survived: 0,
            alarmed: 0,
        }
    }

    /// Takes notice of what has been judged.
    pub fn take_notice(&mut self, progress: &Progress<'_>) {
        let told = match progress {
            Progress::Started { faults, variants } => {
                self.deployments = faults + variants;
                Some(format!(
                    "{BOLD}The kit judged{BOLD:#} on {faults} faults and {variants} legal variants\n\n"
                ))
            }
            Progress::Fault(on) => {
                self.judged += 1;
                let survived = on.killed_by.is_empty();
                self.survived += usize::from(survived);
                survived.then(|| survivor(on, self.columns))
            }
            Progress::Variant(on) => {
                self.judged += 1;
                self.alarmed += usize::from(!on.alarms.is_empty());
                (!on.alarms.is_empty()).then(|| alarms(on, self.columns))
            }
        };
        if let Some(told) = told {
            self.clear();
            self.write(&told);
        }
        let name = match progress {
            Progress::Started { .. } => "",
            Progress::Fault(on) => &on.name,
            Progress::Variant(on) => &on.name,
        };
        self.show_progress(name);
    }

    /// Shows the judgement.
    pub fn finish(&mut self, judgement: &Judgement) {
        self.clear();
        self.write(&totals(judgement, self.columns));
    }

    fn show_progress(&mut self, name: &str) {
        let Some(columns) = self.columns else { return };
        let width = BAR.min(columns / 4);
        let filled = (width * self.judged)
            .checked_div(self.deployments)
            .unwrap_or(0);
        let counts = format!(" {}/{} ", self.judged, self.deployments);
        let mut wrong = String::new();
        for (count, what) in [(self.survived, "survived"), (self.alarmed, "alarmed")] {
            if count > 0 {
                let _ = write!(wrong, "{count} {what} ");
            }
        }
        let seconds = format!("{:.0} s ", self.started.elapsed().as_secs_f64());
        // A line that is wider than the terminal could not be written over.
        let used = width + counts.len() + wrong.len() + seconds.len();
        let name = cut(name, columns.saturating_sub(used + 1));
        let bar = bar(filled, width);
        self.write(&format!(
            "\r\x1b[2K{bar}{counts}{BAD}{wrong}{BAD:#}{DIM}{seconds}{name}{DIM:#}"
        ));
    }

    fn clear(&mut self) {
        if self.columns.is_some() {
            self.write("\r\x1b[2K");
        }
    }

    /// Writes a text. One that nobody can read any more is no reason to stop.
    fn write(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes());
        let _ = self.out.flush();
    }
}

fn bar(filled: usize, width: usize) -> String {
    let (done, left) = ("━".repeat(filled), "━".repeat(width - filled));
    format!("{done}{DIM}{left}{DIM:#}")
}

/// A fault that nothing noticed: what it does, what it breaks, and how to look again.
fn survivor(on: &OnFault, columns: Option<usize>) -> String {
    let mut text = format!("{BAD}survived{BAD:#}  {BOLD}{}{BOLD:#}\n", on.name);
    text.push_str(&wrapped("  ", &on.wrong, columns, Style::new()));
    let place = match Contract::bundled().line(&on.clause) {
        Some(line) => format!("{CONTRACT_FILE}:{line}  {}", on.clause),
        None => on.clause.clone(),
    };
    text.push_str(&wrapped("  breaks  ", &place, columns, DIM));
    text.push('\n');
    text
}

/// A legal variant that was blamed, and what for.
fn alarms(on: &OnVariant, columns: Option<usize>) -> String {
    let mut text = format!("{BAD}alarmed{BAD:#}  {BOLD}{}{BOLD:#}\n", on.name);
    text.push_str(&wrapped("  ", &on.differs, columns, Style::new()));
    for alarm in on.alarms.iter().take(SHOWN) {
        text.push_str(&blame(alarm, columns));
    }
    if on.alarms.len() > SHOWN {
        let _ = writeln!(text, "  and {} more", on.alarms.len() - SHOWN);
    }
    text.push('\n');
    text
}

fn blame(alarm: &Alarm, columns: Option<usize>) -> String {
    let mut text = format!("  {}\n", alarm.case);
    if let Some(reason) = &alarm.reason {
        text.push_str(&wrapped("    ", reason, columns, Style::new()));
    }
    if let Some(finding) = alarm.findings.first() {
        let (expected, seen) = (AnsiColor::Green.on_default(), AnsiColor::Red.on_default());
        text.push_str(&wrapped("    ", &finding.what, columns, Style::new()));
        text.push_str(&wrapped(
            "    expected  ",
            &finding.expected,
            columns,
            expected,
        ));
        text.push_str(&wrapped("    seen      ", &finding.seen, columns, seen));
    }
    text
}

/// A line a family, the cases that notice nothing, and the totals.
fn totals(judgement: &Judgement, columns: Option<usize>) -> String {
    let mut text = families(judgement, columns);
    if judgement.matrix {
        text.push_str(&idle(&judgement.idle_cases, columns));
    }
    let outcome = if judgement.is_flawless() {
        "every fault noticed, nobody blamed without a reason"
    } else {
        "the kit is not to be trusted yet"
    };
    let mut counts = Vec::new();
    let (faults, variants) = (judgement.faults.len(), judgement.variants.len());
    if faults > 0 {
        counts.push(of(judgement.killed(), faults, "faults killed"));
    }
    if variants > 0 {
        let quiet = variants - judgement.alarmed().len();
        counts.push(of(quiet, variants, "legal variants left in peace"));
    }
    let _ = writeln!(text, "\n{BOLD}{outcome}{BOLD:#}: {}", counts.join(", "));
    let _ = write!(text, "{DIM}seed {}", judgement.seed);
    if let Some((half, most)) = judgement.requests_to_kill().filter(|_| !judgement.matrix) {
        let _ = write!(
            text,
            ", {half} requests to the first kill in the median and {most} at the most"
        );
    }
    let seconds = Duration::from_millis(judgement.duration_ms).as_secs_f64();
    let _ = writeln!(text, ", {seconds:.1} s{DIM:#}");
    text
}

fn of(good: usize, all: usize, what: &str) -> String {
    let style = if good == all { GOOD } else { BAD };
    format!("{style}{good} of {all} {what}{style:#}")
}

fn families(judgement: &Judgement, columns: Option<usize>) -> String {
    let mut text = String::new();
    for family in FAMILIES {
        let faults = judgement.faults.iter();
        let faults: Vec<_> = faults.filter(|on| on.family() == family.name).collect();
        let killed = faults.iter().filter(|on| !on.killed_by.is_empty());
        text.push_str(&line(
            ["killed", "survived"],
            killed.count(),
            faults.len(),
            [family.name, family.title],
            columns,
        ));
    }
    let quiet = judgement.variants.len() - judgement.alarmed().len();
    text.push_str(&line(
        ["in peace", "alarmed"],
        quiet,
        judgement.variants.len(),
        [
            "variants",
            "Deployments that differ in what the contract leaves open",
        ],
        columns,
    ));
    text
}

/// The word for it when all are well or some are not, how many are well, whose, and what they are about.
fn line(
    [well, ill]: [&str; 2],
    good: usize,
    all: usize,
    [name, title]: [&str; 2],
    columns: Option<usize>,
) -> String {
    if all == 0 {
        return String::new();
    }
    let (word, style) = if good == all {
        (well, GOOD)
    } else {
        (ill, BAD)
    };
    let known = format!("{word:<9} {:>7}  {name:<14} ", format!("{good}/{all}"));
    let left = columns.map_or(usize::MAX, |columns| columns.saturating_sub(known.len()));
    let title = cut(title, left);
    let rest = &known[word.len()..];
    format!("{style}{word}{style:#}{rest}{DIM}{title}{DIM:#}\n")
}

/// The cases that notice nothing: they are redundant, or the bank lacks a fault for them.
fn idle(ids: &[String], columns: Option<usize>) -> String {
    if ids.is_empty() {
        return format!("\n{GOOD}every case notices some fault{GOOD:#}\n");
    }
    let mut text = format!("\n{BOLD}{} cases notice no fault{BOLD:#}\n", ids.len());
    for id in ids {
        text.push_str(&wrapped("  ", id, columns, Style::new()));
    }
    text
}
