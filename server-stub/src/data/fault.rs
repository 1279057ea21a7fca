//! Faults of data, with their places.

use std::fmt;

/// A fault in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The place, such as `organizations[3].metrics.employee_count` or `line 3: organization.record.name`; `.` is the
    /// document itself.
    pub place: String,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

/// Maximum number of faults that are kept and that an error message lists.
const LISTED_MAX: usize = 20;

/// Faults in the order of the document: the first 20, and how many more there are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults {
    listed: Vec<Fault>,
    count: usize,
}

impl Faults {
    /// The faults that are listed.
    pub fn iter(&self) -> impl Iterator<Item = &Fault> {
        self.listed.iter()
    }

    /// The number of faults, listed or not.
    pub fn count(&self) -> usize {
        self.count
    }

    pub(super) fn add(&mut self, place: String, reason: impl Into<String>) {
        self.count += 1;
        if self.listed.len() < LISTED_MAX {
            self.listed.push(Fault {
                place,
                reason: reason.into(),
            });
        }
    }

    /// Adds the faults of a later part of the document.
    pub(super) fn append(&mut self, later: Self) {
        self.count += later.count - later.listed.len();
        for Fault { place, reason } in later.listed {
            self.add(place, reason);
        }
    }

    /// Adds the faults of a part of the document. Their places are relative to that part.
    pub(super) fn add_within(&mut self, place: &str, part: Self) {
        self.count += part.count - part.listed.len();
        for fault in part.listed {
            self.add(joined(place, ": ", &fault.place), fault.reason);
        }
    }
}

impl FromIterator<Fault> for Faults {
    fn from_iter<T: IntoIterator<Item = Fault>>(faults: T) -> Self {
        let mut all = Self::default();
        for Fault { place, reason } in faults {
            all.add(place, reason);
        }
        all
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.listed.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{fault}")?;
        }
        match self.count - self.listed.len() {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

/// Joins a place to the one that contains it; `.` is the outer place itself.
pub(super) fn joined(outer: &str, separator: &str, inner: &str) -> String {
    match inner {
        "." => outer.to_owned(),
        inner if inner.starts_with('[') => format!("{outer}{inner}"),
        inner => format!("{outer}{separator}{inner}"),
    }
}

/// Why data cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DataError {
    /// It is not JSON, or does not have the form of the document. Holds the first fault of each record, with line and
    /// column.
    #[error("{0}")]
    Unreadable(Faults),
    /// Its parts do not fit together.
    #[error("{0}")]
    Inconsistent(Faults),
}
