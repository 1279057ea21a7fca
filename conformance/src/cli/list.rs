//! `list`: the catalogue as a table of contents, one line for each rule, or as JSON.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use clap::{Args, ValueEnum};
use platform_conformance::report::json::pretty_text;
use platform_conformance::report::shown::counted;
use platform_conformance::report::terminal::wrapped;
use platform_conformance::report::title_of;
use platform_conformance::{
    Case, Contract, GROUPS, Options, Pattern, RunError, catalogue, chosen, contents, exit_code,
};

use super::print;
use super::progress::Stream;
use anstyle::{AnsiColor, Style};

const BOLD: Style = Style::new().bold();
const STATED: Style = AnsiColor::Green.on_default();
/// Most rules are decided: they have no colour.
const DECIDED: Style = Style::new();
/// The width of `stated` or `decided`, including the blanks around it.
const BASIS: usize = 11;
/// The limit on the operations that are named.
const NAMED: usize = 3;
/// The narrowest column for a text beside its rule; in less space the text goes on the next line.
const NARROW: usize = 50;

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Print one line for each case: its id, its basis and its title, for scripts.
    #[arg(long, conflicts_with = "format")]
    ids: bool,
    /// List only the cases whose ids match; * matches anything. Can be repeated.
    #[arg(long, value_name = "PATTERN")]
    only: Vec<Pattern>,
    /// Leave out the cases whose ids match. Can be repeated.
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<Pattern>,
    /// The output format.
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for a terminal.
    Terminal,
    /// JSON for a program: the rules with their cases, clauses and needs. `list-schema` prints its JSON Schema.
    Json,
}

/// A rule of the catalogue with its cases.
struct Rule {
    cases: Vec<Case>,
}

impl ListArgs {
    /// Prints the catalogue.
    ///
    /// # Errors
    /// When a pattern matches no case.
    pub(super) fn run(self) -> Result<u8, RunError> {
        let options = Options {
            only: self.only,
            exclude: self.exclude,
            ..Options::default()
        };
        let cases = chosen(catalogue(), &options)?;
        print(&match self.format {
            Format::Json => pretty_text(&contents::of(&cases)),
            Format::Terminal if self.ids => ids(&cases),
            Format::Terminal => rules(cases, Stream::Stdout.columns()),
        });
        Ok(exit_code::PASSED)
    }
}

/// Every case on its own line.
fn ids(cases: &[Case]) -> String {
    let mut text = String::new();
    for case in cases {
        let decisions: Vec<_> = case.decisions().into_iter().collect();
        let basis = match decisions.is_empty() {
            true => "stated".to_owned(),
            false => decisions.join(","),
        };
        let _ = writeln!(text, "{:<76} {basis:<23} {}", case.id, case.title);
    }
    text
}

/// Every rule, by group, wrapped at this many columns.
fn rules(cases: Vec<Case>, columns: Option<usize>) -> String {
    let (count, rules) = (cases.len(), Rule::all(cases));
    let mut text = String::new();
    for group in GROUPS {
        let mine: Vec<_> = rules.iter().filter(|rule| rule.group() == group.name).collect();
        let Some(width) = mine.iter().map(|rule| rule.id().len()).max() else {
            continue;
        };
        let _ = writeln!(text, "{BOLD}{}{BOLD:#}", group.title);
        for rule in mine {
            text.push_str(&rule.shown(width, columns));
        }
        text.push('\n');
    }
    let stated = rules.iter().filter(|rule| rule.decisions().is_empty());
    let stated = stated.count();
    let _ = writeln!(
        text,
        "{} of {}: {stated} stated, {} decided",
        counted(count, "case"),
        counted(rules.len(), "rule"),
        rules.len() - stated
    );
    text
}

impl Rule {
    /// The rules of these cases, in order.
    fn all(cases: Vec<Case>) -> Vec<Self> {
        let mut rules: Vec<Self> = Vec::new();
        for case in cases {
            match rules.iter_mut().find(|rule| rule.id() == case.rule()) {
                Some(rule) => rule.cases.push(case),
                None => rules.push(Self { cases: vec![case] }),
            }
        }
        rules
    }

    fn id(&self) -> &str {
        self.cases[0].rule()
    }

    fn group(&self) -> &str {
        self.cases[0].group()
    }

    fn decisions(&self) -> BTreeSet<String> {
        self.cases.iter().flat_map(Case::decisions).collect()
    }

    /// Returns the title, the decisions and the subjects of the rule.
    fn text(&self) -> String {
        let mut text = title_of(self.cases.iter().map(Case::rule_title));
        let decisions: Vec<_> = self.decisions().into_iter().collect();
        if !decisions.is_empty() {
            let _ = write!(text, " ({})", decisions.join(", "));
        }
        let subjects: Vec<_> = self.cases.iter().filter_map(Case::subject).collect();
        if !subjects.is_empty() {
            let _ = write!(text, ": {}", shown(&subjects));
        }
        text
    }

    fn shown(&self, width: usize, columns: Option<usize>) -> String {
        let id = self.id();
        let (style, basis) = match self.decisions().is_empty() {
            true => (STATED, "stated"),
            false => (DECIDED, "decided"),
        };
        let indent = 2 + width + BASIS;
        let is_beside = columns.is_none_or(|columns| columns >= indent + NARROW);
        let label = " ".repeat(if is_beside { indent } else { 6 });
        let wrapped = wrapped(&label, &self.text(), columns, Style::new());
        let head = format!("  {id:<width$}  {style}{basis}{style:#}");
        match is_beside {
            true => {
                let blanks = " ".repeat(BASIS - 2 - basis.len());
                format!("{head}{blanks}{}", wrapped.trim_start())
            }
            false => format!("{head}\n{wrapped}"),
        }
    }
}

/// Formats subjects by name, or by number if they are many operations: `6 searches` are all of them, `4 of 6 searches`
/// some.
fn shown(subjects: &[&str]) -> String {
    let named: BTreeSet<_> = subjects.iter().copied().collect();
    let operations = Contract::bundled().operations().iter();
    let all: BTreeSet<_> = operations.map(|operation| operation.id.as_str()).collect();
    let (searches, others): (BTreeSet<_>, BTreeSet<_>) = all.iter().partition(|id| id.starts_with("search_"));
    let kinds = [
        ("pipeline operations", others),
        ("searches", searches),
        ("operations", all),
    ];
    for (kind, ids) in kinds {
        if named.len() > 1 && named == ids {
            return format!("{} {kind}", ids.len());
        }
        if named.len() > NAMED && named.is_subset(&ids) {
            return format!("{} of {} {kind}", named.len(), ids.len());
        }
    }
    subjects.join(", ")
}
