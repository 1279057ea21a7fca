//! Updates a list of known failures after a run: adds cases that fail, removes entries whose cases pass, and keeps
//! everything else, comments included.

use std::fmt;

use engine::report::{KnownFailureReport, KnownFailureState, Report};
use engine::verdict::Verdict;
use toml_edit::{ArrayOfTables, Datetime, DocumentMut, Item, RawString, Table, Value, value};

/// The reason of a new entry.
pub const TO_BE_EXPLAINED: &str = "to be explained";
/// The number of days that a new entry lasts.
const DAYS: u64 = 30;
/// The entries of the file.
const ENTRIES: &str = "failure";

/// A list of known failures after a run, and the changes to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// The whole file.
    pub text: String,
    /// The ids of the cases that have a new entry.
    pub added: Vec<String>,
    /// The ids of the removed entries: their cases passed.
    pub removed: Vec<String>,
    /// The ids of the entries that a person has to review, each with the reason.
    pub left: Vec<(String, &'static str)>,
    /// The comments that were removed with the entries, in the order of `removed`.
    comments: Vec<Vec<String>>,
}

/// Why a list cannot be updated.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    /// It is not TOML.
    #[error("the list of known failures is not TOML")]
    Malformed(#[from] toml_edit::TomlError),
    /// Its entries have another form.
    #[error("the entries are in one inline array: write each under its own [[failure]] line to allow updates")]
    NotTables,
    /// The report is about another list.
    #[error("the list of known failures was changed during the run")]
    Changed,
}

/// Checks that a list can be updated, before a long run.
///
/// # Errors
/// [`UpdateError`].
pub fn check(text: &str) -> Result<(), UpdateError> {
    parse(text).map(drop)
}

/// Updates a list after a run that used it.
///
/// A case that failed and has no entry gets one, which lasts 30 days. An entry is removed when one of its cases
/// passed; each of its other cases that still fail gets an entry with the same reason and day. An expired entry whose
/// cases still fail is kept, and so is an entry whose cases were not seen.
///
/// The comments in a removed entry and directly above it are removed with it; [`Update`] shows them. Comments that an
/// empty line separates from an entry are kept.
///
/// # Errors
/// [`UpdateError`].
pub fn update(text: &str, report: &Report) -> Result<Update, UpdateError> {
    let (mut document, entries) = parse(text)?;
    if entries.len() != report.known_failures.len() {
        return Err(UpdateError::Changed);
    }
    let mut updated = Update {
        text: String::new(),
        added: Vec::new(),
        removed: Vec::new(),
        left: Vec::new(),
        comments: Vec::new(),
    };
    // Whether a kept entry is about a case that fails.
    let stays = |id: &String| {
        let mut staying = report.known_failures.iter().filter(|known| !has_passed(known));
        staying.any(|known| known.failing.contains(id))
    };
    let mut kept: Vec<Table> = Vec::new();
    // Comments before a removed entry, separated from it by an empty line.
    let mut apart = String::new();
    for (mut entry, known) in entries.into_iter().zip(&report.known_failures) {
        prepend(&mut entry, &std::mem::take(&mut apart));
        if !has_passed(known) {
            if let Some(advice) = advice(known) {
                updated.left.push((known.id.clone(), advice));
            }
            kept.push(entry);
            continue;
        }
        updated.removed.push(known.id.clone());
        let count = kept.len();
        for id in &known.failing {
            if stays(id) || updated.added.contains(id) {
                continue;
            }
            let mut own = entry.clone();
            rename(&mut own, id);
            if kept.len() > count {
                own.decor_mut().set_prefix("\n");
            }
            updated.added.push(id.clone());
            kept.push(own);
        }
        // Otherwise its comments are above the first of its cases.
        let is_gone = kept.len() == count;
        updated
            .comments
            .push(if is_gone { comments_of(&entry) } else { Vec::new() });
        if is_gone {
            apart = comments_apart(&entry);
        }
    }
    let has_entry = |id: &String| {
        let mut known = report.known_failures.iter();
        known.any(|known| known.failing.contains(id))
    };
    let failed = report.with(Verdict::Failed).into_iter();
    for id in failed.map(str::to_owned).filter(|id| !has_entry(id)) {
        kept.push(entry(&id, report));
        updated.added.push(id);
    }
    let trailing = document.trailing().as_str().unwrap_or_default();
    document.set_trailing(format!("{apart}{trailing}"));
    let mut entries = ArrayOfTables::new();
    for (position, mut table) in kept.into_iter().enumerate() {
        table.set_position(None);
        if position == 0 {
            let prefix = prefix(&table).trim_start_matches('\n').to_owned();
            table.decor_mut().set_prefix(prefix);
        }
        entries.push(table);
    }
    document.remove(ENTRIES);
    if !entries.is_empty() {
        document.insert(ENTRIES, Item::ArrayOfTables(entries));
    }
    updated.text = document.to_string();
    Ok(updated)
}

/// Whether a run showed that an entry is no longer needed.
fn has_passed(known: &KnownFailureReport) -> bool {
    match known.state {
        KnownFailureState::UnexpectedPass => true,
        KnownFailureState::Expired => known.failing.is_empty() && !known.passing.is_empty(),
        KnownFailureState::Failing | KnownFailureState::NotSeen | KnownFailureState::MatchesNothing => false,
    }
}

/// What a person has to do about an entry that is kept.
fn advice(known: &KnownFailureReport) -> Option<&'static str> {
    match known.state {
        KnownFailureState::Expired if known.failing.is_empty() => Some("it has expired, and this run did not check it"),
        KnownFailureState::Expired => Some("it has expired and still fails: update the reason and the day"),
        KnownFailureState::MatchesNothing => Some("no case matches this id"),
        _ => None,
    }
}

fn parse(text: &str) -> Result<(DocumentMut, Vec<Table>), UpdateError> {
    let document: DocumentMut = text.parse()?;
    let entries = match document.get(ENTRIES) {
        None => Vec::new(),
        Some(Item::ArrayOfTables(entries)) => entries.iter().cloned().collect(),
        Some(Item::Value(Value::Array(entries))) if entries.is_empty() => Vec::new(),
        Some(_) => return Err(UpdateError::NotTables),
    };
    Ok((document, entries))
}

/// A new entry for a case.
fn entry(id: &str, report: &Report) -> Table {
    let day = report.started_at.date_naive();
    let day = day.checked_add_days(chrono::Days::new(DAYS)).unwrap_or(day);
    let mut table = Table::new();
    table.decor_mut().set_prefix("\n");
    table.insert("id", value(id));
    table.insert("reason", value(TO_BE_EXPLAINED));
    if let Ok(day) = day.to_string().parse::<Datetime>() {
        table.insert("expires", value(day));
    }
    table
}

/// Gives an entry another id. The comment after it is kept.
fn rename(entry: &mut Table, id: &str) {
    let old = entry.get("id").and_then(Item::as_value);
    let mut new = Value::from(id);
    if let Some(old) = old {
        *new.decor_mut() = old.decor().clone();
    }
    entry.insert("id", Item::Value(new));
}

/// The text before an entry.
fn prefix(entry: &Table) -> &str {
    let prefix = entry.decor().prefix().and_then(RawString::as_str);
    prefix.unwrap_or_default()
}

/// The comments directly above an entry and in it: they are about the entry.
fn comments_of(entry: &Table) -> Vec<String> {
    let above = prefix(entry);
    let above = above.rsplit_once("\n\n").map_or(above, |(_, above)| above);
    let raw = |text: Option<&RawString>| text.and_then(RawString::as_str).unwrap_or_default().to_owned();
    let mut texts = vec![above.to_owned(), raw(entry.decor().suffix())];
    for (name, item) in entry {
        let key = entry.key(name).map(|key| raw(key.leaf_decor().prefix()));
        let value = item.as_value().map(|value| raw(value.decor().suffix()));
        texts.extend(key.into_iter().chain(value));
    }
    let lines = texts.iter().flat_map(|text| text.lines()).map(str::trim);
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// The comments before an entry that an empty line separates from it: they are about more than the entry.
fn comments_apart(entry: &Table) -> String {
    match prefix(entry).rsplit_once("\n\n") {
        Some((apart, _)) if !apart.trim().is_empty() => format!("{apart}\n"),
        _ => String::new(),
    }
}

fn prepend(entry: &mut Table, text: &str) {
    if !text.is_empty() {
        let prefix = format!("{text}{}", prefix(entry));
        entry.decor_mut().set_prefix(prefix);
    }
}

impl Update {
    /// Whether the list is unchanged.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }
}

impl fmt::Display for Update {
    /// Formats the changes, one line for each entry, and the comments that were removed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = (self.added.len(), self.removed.len());
        writeln!(f, "{} added, {} removed", counts.0, counts.1)?;
        for (position, id) in self.removed.iter().enumerate() {
            writeln!(f, "  removed  {id}")?;
            for comment in self.comments.get(position).into_iter().flatten() {
                writeln!(f, "           {comment}")?;
            }
        }
        for id in &self.added {
            writeln!(f, "  added    {id}")?;
        }
        for (id, advice) in &self.left {
            writeln!(f, "  left     {id}: {advice}")?;
        }
        Ok(())
    }
}
