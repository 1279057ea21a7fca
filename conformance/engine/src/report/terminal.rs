//! The report for a person. It shows what the run will do and a line for each cause when it first occurs. At the end it
//! shows every cause with the expectation, the observation and the request, then one line for each group and the
//! totals.
//!
//! Only permanent text is written: a progress line is the task of the program.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write;

use anstyle::{AnsiColor, Style};
use textwrap::WordSplitter;
use textwrap::core::display_width;

use super::shown::{self, counted, grouped, visible};
use super::{CaseReport, Cause, Event, KnownFailureReport, Report, Reporter, RequirementReport, Rule, RunPlan};
use crate::chapter::Chapter;
use crate::verdict::Verdict;

/// How many rules are named for one cause or one reason; the other reports name all.
const SHOWN: usize = 5;
/// How many causes are shown with their findings.
const CAUSES: usize = 20;
/// How many more causes are listed; the other reports show all.
const LISTED: usize = 30;
/// How many required but unchecked rules are shown.
const MISSING: usize = 12;
/// The minimum width for wrapping text.
const NARROW: usize = 20;

const BOLD: Style = Style::new().bold();
const WARNING: Style = AnsiColor::Red.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// Writes to a terminal or any other writer.
///
/// Colours are written as escape sequences: use a stream of `anstream`, which removes them where they are not
/// supported.
#[derive(Debug)]
pub struct Terminal<W> {
    out: W,
    /// The width to wrap at; `None` disables wrapping.
    columns: Option<usize>,
    /// Whether the cases have begun.
    begun: bool,
    /// The causes that already have a line.
    announced: BTreeSet<String>,
}

impl<W: Write + Send> Terminal<W> {
    /// Creates a reporter. With the columns of a terminal it wraps longer lines; for a file or a log, pass `None`.
    pub fn new(out: W, columns: Option<usize>) -> Self {
        Self {
            out,
            columns,
            begun: false,
            announced: BTreeSet::new(),
        }
    }

    /// Writes a text. An error does not end the run: the reader may have closed the stream.
    fn write(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes());
        let _ = self.out.flush();
    }
}

impl<W: Write + Send> Terminal<W> {
    /// Writes a line for each new cause of a failed case.
    fn announce(&mut self, case: &CaseReport) {
        let case = &shown::case(case, shown::SHORT);
        for cause in Cause::among([case]) {
            if self.announced.len() < CAUSES + LISTED && self.announced.insert(cause.text.to_owned()) {
                let mark = painted(case.verdict, case.verdict.as_str());
                let line = format!("{}  {}", case.id, cause.text);
                let label = " ".repeat(case.verdict.as_str().len() + 2);
                let fits = |columns| label.len() + display_width(&line) <= columns;
                // An id is never broken, so that it can be copied.
                match self.columns.is_none_or(fits) {
                    true => self.write(&format!("{mark}  {line}\n")),
                    false => {
                        let cause = wrapped(&label, cause.text, self.columns, Style::new());
                        self.write(&format!("{mark}  {}\n{cause}", case.id));
                    }
                }
            }
        }
    }
}

impl<W: Write + Send> Reporter for Terminal<W> {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Planned { plan } => self.write(&head(plan, self.columns)),
            Event::Started { .. } => self.begun = true,
            Event::Estimated { estimate } => {
                let line = wrapped("", &estimate.to_string(), self.columns, Style::new());
                self.write(&format!("{line}\n"));
            }
            Event::CaseFinished { case } if self.begun => self.announce(case),
            Event::Finished { report } if self.begun => {
                let report = shown::report(report, shown::SHORT);
                self.write(&causes(&report, self.columns));
                self.write(&totals(&report, self.columns));
            }
            // Without a start, all cases have the same reason, and the caller of the run prints it once.
            Event::CaseFinished { .. } | Event::Finished { .. } => {}
            Event::CaseStarted { .. } | Event::Waiting { .. } => {}
        }
    }
}

/// The limits of the run.
fn head(plan: &RunPlan, columns: Option<usize>) -> String {
    let skipped = match plan.skipped.len() {
        0 => String::new(),
        skipped => format!(", {} skipped", grouped(skipped)),
    };
    let mut text = format!(
        "{BOLD}{}{BOLD:#}  {} to run{skipped}\n",
        visible(&plan.base_url),
        counted(plan.cases.len(), "case")
    );
    for warning in &plan.warnings {
        let warning = format!("warning: {warning}");
        text.push_str(&wrapped("", &warning, columns, WARNING));
    }
    let changes = match &plan.adds {
        None => ", read-only".to_owned(),
        Some(adds) => format!("; {adds}"),
    };
    let most = format!("{}{changes}", plan.requests.in_short());
    text.push_str(&wrapped("", &most, columns, Style::new()));
    let keys = format!("keys: {}", plan.keys.join(", "));
    text.push_str(&wrapped("", &keys, columns, DIM));
    text.push('\n');
    text
}

/// Why cases failed, in the order of [`Cause::among`].
fn causes(report: &Report, columns: Option<usize>) -> String {
    let causes = Cause::among(&report.cases);
    let heading = match causes.len() {
        0 => return String::new(),
        1 => format!("{BOLD}1 cause{BOLD:#}"),
        count => format!("{BOLD}{}{BOLD:#}, {}", counted(count, "cause"), order(&causes)),
    };
    let mut text = format!("\n{heading}\n");
    for (position, cause) in causes.iter().take(CAUSES).enumerate() {
        text.push_str(&detailed(position + 1, cause, columns));
    }
    let rest = causes.get(CAUSES..).unwrap_or_default();
    if !rest.is_empty() {
        text.push('\n');
    }
    for (position, cause) in rest.iter().take(LISTED).enumerate() {
        let label = format!("{:>3}  ", CAUSES + position + 1);
        let line = format!("{} ({})", cause.text, cause.extent());
        text.push_str(&wrapped(&label, &line, columns, Style::new()));
    }
    let left = rest.len().saturating_sub(LISTED);
    if left > 0 {
        let _ = writeln!(text, "     and {} more, which the other reports show", grouped(left));
    }
    text.push('\n');
    text
}

/// The order of causes, for a person.
fn order(causes: &[Cause<'_>]) -> &'static str {
    let stated = causes.iter().filter(|cause| cause.is_stated()).count();
    match (1..causes.len()).contains(&stated) {
        true => "listed with stated ones first, then one from each group",
        false => "listed with one from each group first",
    }
}

/// A cause, with one request that shows it and the rules that it breaks.
fn detailed(number: usize, cause: &Cause<'_>, columns: Option<usize>) -> String {
    let label = format!("{number:>3}  ");
    let heading = wrapped(&label, cause.text, columns, BOLD);
    let mut text = format!("\n{}  {DIM}{}{DIM:#}\n", heading.trim_end(), cause.extent());
    let case = cause.case;
    let mut paragraph = |label: &str, content: &str, style| {
        text.push_str(&wrapped(label, content, columns, style));
    };
    let title = cause.rule_title().map(|title| format!(": {title}"));
    paragraph(
        "     ",
        &format!("{}{}", case.id, title.unwrap_or_default()),
        Style::new(),
    );
    if let Some(clause) = case.clause_of(cause.finding) {
        let cited = format!("{} ({})  {}", clause.place(), case.rests_on(), clause.sentence);
        paragraph("     ", &cited, DIM);
    }
    let finding = cause.finding;
    paragraph("     what      ", &finding.what, Style::new());
    paragraph("     expected  ", &finding.expected, AnsiColor::Green.on_default());
    paragraph("     seen      ", &finding.seen, AnsiColor::Red.on_default());
    if let Some(basis) = finding.rests_on() {
        paragraph("     basis     ", &basis, DIM);
    }
    if !finding.request_ids.is_empty() {
        paragraph("     id        ", &finding.request_ids.join(", "), DIM);
    }
    let rules = cause.rules();
    if rules.len() > 1 {
        paragraph("     rules     ", &first_of(&rules, SHOWN, "rule"), DIM);
    }
    let operations = cause.operations();
    if operations.len() > 1 {
        paragraph("     affects   ", &operations.join(", "), DIM);
    }
    // A shell line is not wrapped or indented, so that it can be copied.
    for request in &finding.requests {
        let _ = writeln!(text, "{}", visible(request));
    }
    text
}

/// The first names of a list, and how many more there are.
fn first_of<T: AsRef<str>>(names: &[T], most: usize, one: &str) -> String {
    let shown: Vec<_> = names.iter().take(most).map(AsRef::as_ref).collect();
    let more = match names.len().saturating_sub(most) {
        0 => String::new(),
        1 => format!(" and 1 more {one}"),
        more => format!(" and {} more {one}s", grouped(more)),
    };
    format!("{}{more}", shown.join(", "))
}

/// One line for each group, what was not checked and why, and the totals.
fn totals(report: &Report, columns: Option<usize>) -> String {
    let heads = format!("{:12} {:>7} {:>8}", "passed of", "rules", "cases");
    let mut text = format!("{DIM}{heads}{DIM:#}\n");
    for (group, cases) in report.groups() {
        text.push_str(&group_line(group, &Rule::fold(cases), columns));
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
    let stale = match report.summary.stale {
        0 => String::new(),
        _ if report.summary.failed == 0 => String::new(),
        1 => painted(Verdict::Failed, ", and 1 entry of the known failures is out of date"),
        stale => painted(
            Verdict::Failed,
            &format!(", and {stale} entries of the known failures are out of date"),
        ),
    };
    let rules = report.rules();
    let of_rules = |verdict| rules.iter().filter(|rule| rule.verdict() == verdict).count();
    let summary = &report.summary.rules;
    for requirement in report.requirements.iter().filter(|requirement| !requirement.met) {
        text.push_str(&unmet(requirement, columns));
    }
    let lines = format!(
        "\n{BOLD}{}{BOLD:#}{stale}\n{} {DIM}({} stated, {} decided){DIM:#}: {}\n{}: {}\n\
         {DIM}checked {} of {} rules, {}{DIM:#}\n{DIM}{} requests in {}{DIM:#}\n",
        report.outcome(),
        counted(rules.len(), "rule"),
        summary.stated,
        summary.decided,
        counts(Verdict::ALL.map(|verdict| (verdict, of_rules(verdict)))),
        counted(report.cases.len(), "case"),
        counts(report.summary.counts()),
        summary.checked,
        summary.total,
        report.covered,
        grouped(report.requests),
        report.seconds()
    );
    text.push_str(&filled(&lines, columns));
    if let Some(summary) = report.answer_times.summary() {
        text.push_str(&wrapped("", &summary, columns, DIM));
    }
    text
}

/// A requirement that is not met, with the rules that were not checked.
fn unmet(requirement: &RequirementReport, columns: Option<usize>) -> String {
    let mark = painted(Verdict::Failed, "required");
    let mut text = format!("\n{mark}  {BOLD}{}{BOLD:#}\n", visible(&requirement.to_string()));
    let missing = first_of(&requirement.missing, MISSING, "rule");
    let missing = format!("not checked: {missing}");
    text.push_str(&wrapped("  ", &missing, columns, DIM));
    text
}

/// Verdicts with their counts, without the zero counts.
fn counts(counts: [(Verdict, usize); Verdict::ALL.len()]) -> String {
    let counts = counts.into_iter();
    let counts = counts.filter(|(verdict, count)| *count > 0 || *verdict == Verdict::Passed);
    let counts: Vec<_> = counts
        .map(|(verdict, count)| painted(verdict, &format!("{} {}", grouped(count), verdict.as_str())))
        .collect();
    counts.join(", ")
}

/// An entry of the list of known failures that fails the run.
fn stale(known: &KnownFailureReport, columns: Option<usize>) -> String {
    let mark = painted(Verdict::Failed, known.state.as_str());
    let mut text = format!("\n{mark}  ");
    let place = format!("{} (line {})", known.id, known.line);
    let _ = writeln!(text, "{BOLD}{}{BOLD:#}", visible(&place));
    text.push_str(&wrapped("  ", &known.advice(), columns, Style::new()));
    text
}

/// What prevented responses, if anything did.
fn trouble(report: &Report, columns: Option<usize>) -> String {
    let Some(summary) = report.trouble.summary() else {
        return String::new();
    };
    let mut text = String::from("\n");
    text.push_str(&wrapped("", &summary, columns, Style::new()));
    for example in &report.trouble.examples {
        text.push_str(&wrapped("  ", example, columns, DIM));
    }
    text
}

/// The verdict on a group, how many of its rules and cases passed, and its subject. A group that passed without all of
/// its rules is not green: `partly`.
fn group_line(chapter: &Chapter, rules: &[Rule<'_>], columns: Option<usize>) -> String {
    let of_rules: Vec<_> = rules.iter().map(Rule::verdict).collect();
    let cases = rules.iter().flat_map(|rule| rule.cases());
    let of_cases: Vec<_> = cases.map(|case| case.verdict).collect();
    let verdict = Verdict::overall(&of_rules).unwrap_or(Verdict::Passed);
    let passed = |verdicts: &[Verdict]| {
        let passed = verdicts.iter().filter(|one| **one == Verdict::Passed);
        format!("{}/{}", passed.count(), verdicts.len())
    };
    let is_partial = verdict == Verdict::Passed && of_rules.iter().any(|rule| *rule != Verdict::Passed);
    let (style, word) = match is_partial {
        true => (style_of(Verdict::Skipped), "partly"),
        false => (style_of(verdict), verdict.as_str()),
    };
    let mark = format!("{style}{word:<12}{style:#}");
    let (rules, cases) = (passed(&of_rules), passed(&of_cases));
    let known = format!(" {rules:>7} {cases:>8}  {:<20} ", chapter.name);
    let left = columns.map_or(usize::MAX, |columns| columns.saturating_sub(12 + known.len()));
    let title = cut(&chapter.title, left);
    format!("{mark}{known}{DIM}{title}{DIM:#}\n")
}

/// Why cases are undecided: each reason once, with the rules it applies to, those of the most cases first.
fn reasons(report: &Report, verdict: Verdict, columns: Option<usize>) -> String {
    let mut reasons: BTreeMap<&str, Vec<&CaseReport>> = BTreeMap::new();
    for case in report.cases.iter().filter(|case| case.verdict == verdict) {
        let reason = case.reason.as_deref().unwrap_or_default();
        reasons.entry(reason).or_default().push(case);
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, cases)| std::cmp::Reverse(cases.len()));
    let mut text = String::new();
    for (reason, cases) in reasons {
        let rules = Rule::fold(cases.iter().copied());
        let names: Vec<_> = rules.iter().map(named).collect();
        let label = format!("{:>4} {:<12}  ", grouped(cases.len()), verdict.as_str());
        let lines = wrapped(&label, reason, columns, Style::new());
        text.push_str(&lines.replacen(&label, &painted(verdict, &label), 1));
        text.push_str(&wrapped(
            &" ".repeat(label.len()),
            &first_of(&names, SHOWN, "rule"),
            columns,
            DIM,
        ));
    }
    match text.is_empty() {
        true => text,
        false => format!("\n{text}"),
    }
}

/// The id of the only case of a rule, or the id of the rule with the number of its cases.
fn named(rule: &Rule<'_>) -> String {
    match rule.cases() {
        [case] => case.id.clone(),
        cases => format!("{} ({})", rule.id(), counted(cases.len(), "case")),
    }
}

/// A text after a label, with its further lines indented below the first. Text from the deployment may contain
/// anything: only visible characters of it reach the terminal.
pub fn wrapped(label: &str, text: &str, columns: Option<usize>, style: Style) -> String {
    let text = visible(text);
    let left = columns.map(|columns| columns.saturating_sub(label.len()));
    let lines = match left {
        Some(left) if left >= NARROW => {
            // An id is one word, so that it can be copied.
            let options = textwrap::Options::new(left);
            textwrap::wrap(&text, options.word_splitter(WordSplitter::NoHyphenation))
        }
        _ => vec![text.as_str().into()],
    };
    let mut wrapped = String::new();
    for (position, line) in lines.iter().enumerate() {
        let label = if position == 0 { label } else { &" ".repeat(label.len()) };
        let _ = writeln!(wrapped, "{label}{style}{line}{style:#}");
    }
    wrapped
}

/// Styled lines of the kit, each wrapped to the width. Escape sequences take no columns.
fn filled(lines: &str, columns: Option<usize>) -> String {
    match columns.filter(|columns| *columns >= NARROW) {
        Some(columns) => textwrap::fill(lines, textwrap::Options::new(columns)),
        None => lines.to_owned(),
    }
}

/// The beginning of a text that fits.
pub fn cut(text: &str, columns: usize) -> String {
    if display_width(text) <= columns {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(columns.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

fn painted(verdict: Verdict, text: &str) -> String {
    let style = style_of(verdict);
    format!("{style}{text}{style:#}")
}

fn style_of(verdict: Verdict) -> Style {
    let color = match verdict {
        Verdict::Passed => AnsiColor::Green,
        Verdict::Failed => AnsiColor::Red,
        Verdict::Known => AnsiColor::Blue,
        Verdict::Informed => AnsiColor::Cyan,
        Verdict::Skipped | Verdict::Inconclusive => AnsiColor::Yellow,
        Verdict::Errored => AnsiColor::Magenta,
    };
    color.on_default().bold()
}
