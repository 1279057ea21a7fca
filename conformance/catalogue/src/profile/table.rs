//! A profile as text: first the points at which the deployment decided otherwise, with its behaviour and the
//! contract's, then the points at which it did not, then those whose behaviour is unknown.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use serde_json::Value;

use super::{Observed, Profile};
use crate::points::{MIXED, OTHER, Point, points};
use engine::report::shown::{SHORT, cut, visible};

const STRONG: Style = Style::new().bold();
const OTHERWISE: Style = AnsiColor::Yellow.on_default();
const AS_DECIDED: Style = AnsiColor::Green.on_default();
const FAINT: Style = Style::new().dimmed();
/// The default width of the text.
const COLUMNS: usize = 100;
/// The greatest length of a list that is printed in full where nothing differs.
const LONGEST: usize = 8;
/// The limit on the requests printed for one point.
const SHOWN: usize = 2;

/// Renders the profile as text with ANSI colours. Sentences are wrapped at this many columns; shell commands stay on
/// one line.
pub fn render(profile: &Profile, columns: Option<usize>) -> String {
    let columns = columns.unwrap_or(COLUMNS).max(40);
    let known = points();
    let of = |as_the_contract: Option<bool>| -> Vec<_> {
        let all = known
            .iter()
            .filter_map(|point| Some((point, profile.points.get(point.id)?)));
        all.filter(|(_, observed)| observed.as_the_contract == as_the_contract)
            .collect()
    };
    let (otherwise, decided, unknown) = (of(Some(false)), of(Some(true)), of(None));
    let mut text = String::new();
    if !otherwise.is_empty() {
        let _ = writeln!(text, "{STRONG}Decided otherwise{STRONG:#}\n");
        for (point, observed) in &otherwise {
            detail(&mut text, point, observed, columns);
        }
    }
    if !decided.is_empty() {
        let _ = writeln!(text, "{STRONG}As the contract decided{STRONG:#}\n");
        let width = decided
            .iter()
            .map(|(point, _)| point.id.len())
            .max()
            .unwrap_or_default();
        for (point, observed) in &decided {
            let shown = brief(observed);
            row(&mut text, AS_DECIDED, point.id, width, &shown, columns);
        }
        text.push('\n');
    }
    if !unknown.is_empty() {
        let _ = writeln!(text, "{STRONG}Unknown{STRONG:#}\n");
        let width = unknown
            .iter()
            .map(|(point, _)| point.id.len())
            .max()
            .unwrap_or_default();
        for (point, observed) in &unknown {
            let reason = observed.unknown.as_deref().unwrap_or_default();
            row(&mut text, FAINT, point.id, width, reason, columns);
        }
        text.push('\n');
    }
    let _ = writeln!(
        text,
        "{STRONG}{}{STRONG:#}: {} points, {OTHERWISE}{} decided otherwise{OTHERWISE:#}, {AS_DECIDED}{} as in the \
             contract{AS_DECIDED:#}, {} unknown",
        visible(&profile.base_url),
        profile.points.len(),
        otherwise.len(),
        decided.len(),
        unknown.len(),
    );
    text
}

/// Writes a line of a table; a long text continues below, in its column.
fn row(text: &mut String, style: Style, name: &str, width: usize, what: &str, columns: usize) {
    let indent = " ".repeat(width + 4);
    let wrapped = wrap(what, columns.saturating_sub(indent.len()).max(20));
    let mut lines = wrapped.lines();
    let first = lines.next().unwrap_or_default();
    let _ = writeln!(text, "  {style}{name:<width$}{style:#}  {first}");
    for line in lines {
        let _ = writeln!(text, "{indent}{line}");
    }
}

fn wrap(text: &str, columns: usize) -> String {
    textwrap::fill(&cut(visible(text), SHORT), columns)
}

/// Returns a behaviour in short form, with only the length of a long list.
fn brief(observed: &Observed) -> String {
    match (&observed.behaviour, observed.value.as_array()) {
        (Some(name), Some(entries)) if entries.len() > LONGEST => {
            format!("{name}: all {} of them", entries.len())
        }
        _ => observed.shown().unwrap_or_default(),
    }
}

fn brief_name(observed: &Observed) -> &str {
    observed.behaviour.as_deref().unwrap_or_default()
}

/// Compares an observed list with the contract's: the entries that it lacks and the further ones. `None` unless both
/// are lists.
fn compared(contract: &Value, seen: &Value) -> Option<String> {
    let (contract, seen) = (contract.as_array()?, seen.as_array()?);
    let only = |one: &[Value], other: &[Value]| -> Vec<String> {
        let only = one.iter().filter(|entry| !other.contains(entry));
        only.map(super::entry).collect()
    };
    let mut parts = Vec::new();
    for (what, entries) in [("lacks", only(contract, seen)), ("has also", only(seen, contract))] {
        if !entries.is_empty() {
            parts.push(format!("{what} {}", entries.join(", ")));
        }
    }
    Some(parts.join("; "))
}

fn detail(text: &mut String, point: &Point, observed: &Observed, columns: usize) {
    let decisions = Vec::from_iter(point.decisions()).join(", ");
    let _ = writeln!(
        text,
        "  {OTHERWISE}{}{OTHERWISE:#}  {FAINT}{decisions}{FAINT:#}",
        point.id
    );
    for line in wrap(point.question, columns.saturating_sub(4)).lines() {
        let _ = writeln!(text, "    {line}");
    }
    let contract = point.of_the_contract();
    let here = observed.shown().unwrap_or_default();
    let means = match observed.behaviour.as_deref() {
        Some(OTHER) => "Behaviour that this point does not describe.",
        Some(MIXED) => "different behaviour in different operations.",
        name => name
            .and_then(|name| point.behaviour(name))
            .map_or("", |behaviour| behaviour.means),
    };
    let difference = compared(&contract.value, &observed.value).filter(|text| text.len() > 1);
    let mut lines = match difference {
        // The difference between two long lists is shorter than the lists.
        Some(difference) => vec![("here", format!("{}: {difference}.", brief_name(observed)))],
        None => vec![("here", format!("{here}. {means}"))],
    };
    lines.push(("contract", format!("{}. {}", contract.shown(), contract.means)));
    for (who, what) in lines {
        let wrapped = wrap(&what, columns.saturating_sub(14));
        for (position, line) in wrapped.lines().enumerate() {
            let who = if position == 0 { who } else { "" };
            let _ = writeln!(text, "    {FAINT}{who:<8}{FAINT:#}  {line}");
        }
    }
    for request in observed.requests.iter().take(SHOWN) {
        let request = cut(visible(request), SHORT);
        let _ = writeln!(text, "    {FAINT}{request}{FAINT:#}");
    }
    text.push('\n');
}
