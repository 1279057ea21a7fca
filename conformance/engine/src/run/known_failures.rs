//! The list of known failures: known defects of a deployment, each with a reason and a last day.
//!
//! The cases still run. A list cannot outlive its reasons: a listed case that passes, an entry whose last day has
//! passed and an entry that no case matches each fail the run.

use std::fmt;
use std::path::Path;

use chrono::NaiveDate;
use serde::Deserialize;
use toml::Spanned;

use crate::pattern::Pattern;
use crate::report::{CaseReport, KnownFailureReport, KnownFailureState};
use crate::verdict::Verdict;

/// Failures that are known, each with a reason and a last day.
///
/// ```
/// # use platform_conformance_engine as platform_conformance;
/// use platform_conformance::KnownFailures;
///
/// let known = KnownFailures::parse(
///     "known.toml",
///     r#"
///     [[failure]]
///     id = "search-text/*"
///     reason = "The new tokenizer, ticket 4711."
///     expires = 2027-03-31
///     "#,
/// )?;
/// assert_eq!(known.len(), 1);
/// # Ok::<(), platform_conformance::KnownFailuresError>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct KnownFailures(Vec<KnownFailure>);

impl fmt::Debug for KnownFailures {
    /// Writes only their number: their reasons may be confidential.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KnownFailures({})", self.0.len())
    }
}

/// One entry of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
struct KnownFailure {
    id: Pattern,
    reason: String,
    expires: NaiveDate,
    line: usize,
}

/// Why a list of known failures cannot be used. Nothing is sent then.
#[derive(Debug, thiserror::Error)]
pub enum KnownFailuresError {
    /// The file could not be read.
    #[error("the known failures {0} could not be read")]
    Unreadable(String, #[source] std::io::Error),
    /// The file is not a list of known failures.
    #[error("the known failures {file}, line {line}: {reason}")]
    Malformed {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong there, and how to fix it.
        reason: String,
    },
}

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    failure: Vec<Spanned<Line>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: Spanned<String>,
    reason: Spanned<String>,
    expires: Spanned<toml::Value>,
}

impl KnownFailures {
    /// Reads a file of known failures:
    ///
    /// ```toml
    /// [[failure]]
    /// id = "search-filter/founded-*"    # ids of cases; * stands for anything
    /// reason = "The index lacks the founding year, ticket 4711."
    /// expires = 2027-03-31              # the last day on which it may fail, in UTC
    /// ```
    ///
    /// # Errors
    /// [`KnownFailuresError`]: it cannot be read or is not such a list, with the line and how to fix it.
    pub fn read(path: &Path) -> Result<Self, KnownFailuresError> {
        let name = path.display().to_string();
        let text =
            std::fs::read_to_string(path).map_err(|error| KnownFailuresError::Unreadable(name.clone(), error))?;
        Self::parse(&name, &text)
    }

    /// Reads the text of such a file; `name` is its name in errors.
    ///
    /// # Errors
    /// [`KnownFailuresError::Malformed`].
    pub fn parse(name: &str, text: &str) -> Result<Self, KnownFailuresError> {
        let line = |at: usize| {
            let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
            1 + before.iter().filter(|byte| **byte == b'\n').count()
        };
        let reject = |at: usize, reason: String| KnownFailuresError::Malformed {
            file: name.to_owned(),
            line: line(at),
            reason,
        };
        let file: File = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            reject(at, error.message().to_owned())
        })?;
        let mut known: Vec<KnownFailure> = Vec::new();
        for entry in file.failure {
            let at = entry.span().start;
            let Line { id, reason, expires } = entry.into_inner();
            if id.get_ref().trim().is_empty() {
                let wanted = "id is empty: write the id of a case, such as \"limit/zero-is-rejected\"";
                return Err(reject(id.span().start, wanted.to_owned()));
            }
            if reason.get_ref().trim().is_empty() {
                let wanted = "reason is empty: explain why it fails, for readers of the report";
                return Err(reject(reason.span().start, wanted.to_owned()));
            }
            let day = day(expires.get_ref()).map_err(|wanted| reject(expires.span().start, wanted.to_owned()))?;
            let id = Pattern::from(id.get_ref().as_str());
            if let Some(first) = known.iter().find(|known| known.id == id) {
                let reason = format!("{id} is already on line {}", first.line);
                return Err(reject(at, reason));
            }
            known.push(KnownFailure {
                id,
                reason: reason.into_inner(),
                expires: day,
                line: line(at),
            });
        }
        Ok(Self(known))
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Why a case may fail today, if it may.
    pub(crate) fn reason(&self, id: &str, today: NaiveDate) -> Option<String> {
        let lines = self.0.iter().filter(|known| today <= known.expires);
        let known = lines.into_iter().find(|known| known.id.matches(id))?;
        Some(format!("{} (until {})", known.reason, known.expires))
    }

    /// Returns the state of each entry: `cases` are those of the run, `exists` returns whether any case of the
    /// catalogue has such an id.
    pub(crate) fn judge(
        &self,
        cases: &[CaseReport],
        exists: impl Fn(&Pattern) -> bool,
        today: NaiveDate,
    ) -> Vec<KnownFailureReport> {
        let judge = |known: &KnownFailure| {
            let about = |wanted: fn(Verdict) -> bool| {
                let cases = cases.iter().filter(|case| known.id.matches(&case.id));
                let cases = cases.filter(|case| wanted(case.verdict));
                cases.map(|case| case.id.clone()).collect::<Vec<_>>()
            };
            let failing = about(Verdict::differs);
            let passing = about(|verdict| verdict == Verdict::Passed);
            let state = if !exists(&known.id) {
                KnownFailureState::MatchesNothing
            } else if today > known.expires {
                KnownFailureState::Expired
            } else if !passing.is_empty() {
                KnownFailureState::UnexpectedPass
            } else if failing.is_empty() {
                KnownFailureState::NotSeen
            } else {
                KnownFailureState::Failing
            };
            KnownFailureReport {
                id: known.id.to_string(),
                reason: known.reason.clone(),
                expires: known.expires,
                line: known.line,
                state,
                failing,
                passing,
            }
        };
        self.0.iter().map(judge).collect()
    }
}

/// Returns the day of a TOML value, or how to write one.
fn day(value: &toml::Value) -> Result<NaiveDate, &'static str> {
    const WANTED: &str = "expires must be a date, without a time and without quotes: 2027-03-31";
    let toml::Value::Datetime(value) = value else {
        return Err(WANTED);
    };
    let (Some(date), None, None) = (value.date, value.time, value.offset) else {
        return Err(WANTED);
    };
    NaiveDate::from_ymd_opt(date.year.into(), date.month.into(), date.day.into()).ok_or(WANTED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        KnownFailures::parse("known.toml", text).unwrap_err().to_string()
    }

    #[test]
    fn invalid_entry_is_rejected_with_its_place_and_a_remedy() {
        let line = |id: &str, reason: &str, expires: &str| {
            format!("# ours\n\n[[failure]]\nid = {id}\nreason = {reason}\nexpires = {expires}\n")
        };
        let good = line("'limit/*'", "'4711'", "2027-03-31");
        assert_eq!(KnownFailures::parse("known.toml", &good).unwrap().0[0].line, 3);
        for (text, place, reason) in [
            (line("''", "'why'", "2027-03-31"), "line 4", "id of a case"),
            (line("'a'", "' '", "2027-03-31"), "line 5", "explain why"),
            (line("'a'", "'why'", "'2027-03-31'"), "line 6", "without quotes"),
            (line("'a'", "'why'", "2027-03-31T00:00:00Z"), "line 6", "without a time"),
            (line("'a'", "'why'", "2027-02-30"), "line 6", ""),
            (line("'a'", "'why'", "never"), "line 6", ""),
            ("[[failure]]\nid = 'a'\nreason = 'b'\n".to_owned(), "line 1", "expires"),
            ("[[failure]]\nid = 'a'\nuntil = 1\n".to_owned(), "line 3", "until"),
            ("[[failures]]\nid = 'a'\n".to_owned(), "line 1", "failure"),
            (format!("{good}{good}"), "line 9", "already on line 3"),
        ] {
            let error = error(&text);
            let known = format!("the known failures known.toml, {place}: ");
            assert!(error.starts_with(&known) && error.contains(reason), "{error}");
        }
    }

    #[test]
    fn entry_holds_through_its_last_day() {
        let text = "[[failure]]\nid = 'limit/*'\nreason = 'why'\nexpires = 2027-03-31\n";
        let known = KnownFailures::parse("known.toml", text).unwrap();
        let day = |month, day| NaiveDate::from_ymd_opt(2027, month, day).unwrap();
        assert_eq!(
            known.reason("limit/a", day(3, 31)).as_deref(),
            Some("why (until 2027-03-31)")
        );
        assert_eq!(known.reason("limit/a", day(4, 1)), None);
        assert_eq!(known.reason("skip/a", day(3, 31)), None);
        let state = |today, exists: bool| known.judge(&[], |_| exists, today)[0].state;
        assert_eq!(state(day(3, 31), true), KnownFailureState::NotSeen);
        assert_eq!(state(day(4, 1), true), KnownFailureState::Expired);
        assert_eq!(state(day(3, 31), false), KnownFailureState::MatchesNothing);
    }
}
