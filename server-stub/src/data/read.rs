//! Reads JSON, and gives the place of everything that cannot be read.
//!
//! A readable text is read once. Only if that fails is each record read separately, to find the faults of all of them.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Deserializer, Error};

use super::fault::{DataError, Fault, Faults, joined};
use super::pipeline::{PipelineData, StatedItem};
use super::strict::Strict;
use crate::model::organization::Organization;
use crate::model::policy::ApiKey;
use crate::model::product::Product;
use crate::model::question::Question;

/// A part that cannot be read, and its place.
pub(super) struct Misread {
    /// Line and column, counted from 1.
    position: (usize, usize),
    fault: Fault,
}

impl Misread {
    /// The fault, for a text of one line.
    pub(super) fn in_one_line(self) -> Faults {
        let Fault { place, mut reason } = self.fault;
        let (line, column) = self.position;
        if let Some(what) = reason.strip_suffix(&format!(" at line {line} column {column}")) {
            reason = format!("{what} at column {column}");
        }
        Faults::from_iter([Fault { place, reason }])
    }
}

/// Reads a part of a document, such as a list of records.
pub(super) fn read_json<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, DataError> {
    read(text).map_err(|misread| DataError::Unreadable(Faults::from_iter([misread.fault])))
}

/// Reads a document with the lists of [`Data`](super::Data).
pub(super) fn read_document<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, DataError> {
    read(text).map_err(|first| {
        let mut found = Search::over(text).found;
        // A fault outside the records.
        found.push(first);
        found.sort_by_key(|it| it.position);
        // The same fault may be found in a record and in what contains it.
        found.dedup_by_key(|it| it.position);
        DataError::Unreadable(found.into_iter().map(|it| it.fault).collect())
    })
}

/// Reads a value. The place of a fault is determined only if reading fails.
pub(super) fn read<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, Misread> {
    let mut reader = Deserializer::from_str(text);
    if let Ok(value) = T::deserialize(Strict::new(&mut reader))
        && reader.end().is_ok()
    {
        return Ok(value);
    }
    let mut reader = Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(Strict::new(&mut reader))
        .map_err(|error| misread(error.path().to_string(), error.inner()))?;
    let end = reader.end();
    end.map_err(|error| misread(".".to_owned(), &error))?;
    Ok(value)
}

fn misread(place: String, error: &Error) -> Misread {
    Misread {
        position: (error.line(), error.column()),
        fault: Fault {
            place,
            reason: error.to_string(),
        },
    }
}

/// The lists of a document, not yet parsed.
#[derive(Deserialize)]
struct Lists<'a> {
    #[serde(borrow)]
    organizations: Option<&'a RawValue>,
    #[serde(borrow)]
    products: Option<&'a RawValue>,
    #[serde(borrow)]
    pipelines: Option<&'a RawValue>,
    #[serde(borrow)]
    api_keys: Option<&'a RawValue>,
}

/// The lists of a pipeline, not yet parsed.
#[derive(Deserialize)]
struct ListsOfPipeline<'a> {
    #[serde(borrow)]
    questions: Option<&'a RawValue>,
    #[serde(borrow)]
    items: Option<&'a RawValue>,
}

/// A search for the faults of records, which reads each separately.
struct Search<'a> {
    text: &'a str,
    /// The offset up to which lines have been counted, their number, and where the last begins.
    counted: usize,
    lines: usize,
    line_start: usize,
    found: Vec<Misread>,
}

impl<'a> Search<'a> {
    fn over(text: &'a str) -> Self {
        let mut search = Self {
            text,
            counted: 0,
            lines: 0,
            line_start: 0,
            found: Vec::new(),
        };
        // A text that is not JSON, or names a list twice, has only this one fault.
        if let Ok(lists) = read::<Lists<'a>>(text) {
            search.list::<Organization>("organizations", lists.organizations);
            search.list::<Product>("products", lists.products);
            for (place, pipeline) in search.entries("pipelines", lists.pipelines) {
                search.pipeline(&place, pipeline);
            }
            search.list::<ApiKey>("api_keys", lists.api_keys);
        }
        search
    }

    fn pipeline(&mut self, place: &str, pipeline: &'a RawValue) {
        if let Ok(lists) = read::<ListsOfPipeline<'a>>(pipeline.get()) {
            self.list::<Question>(&format!("{place}.questions"), lists.questions);
            self.list::<StatedItem>(&format!("{place}.items"), lists.items);
        }
        self.entry::<PipelineData>(place, pipeline);
    }

    fn list<T: Deserialize<'a>>(&mut self, place: &str, list: Option<&'a RawValue>) {
        for (place, entry) in self.entries(place, list) {
            self.entry::<T>(&place, entry);
        }
    }

    /// The entries of a list, each with its place.
    fn entries(&mut self, place: &str, list: Option<&'a RawValue>) -> Vec<(String, &'a RawValue)> {
        let Some(list) = list else {
            return Vec::new();
        };
        match read::<Vec<&RawValue>>(list.get()) {
            Ok(entries) => (0..)
                .zip(entries)
                .map(|(index, entry): (usize, _)| (format!("{place}[{index}]"), entry))
                .collect(),
            Err(misread) => {
                self.add(place, list, misread);
                Vec::new()
            }
        }
    }

    fn entry<T: Deserialize<'a>>(&mut self, place: &str, entry: &'a RawValue) {
        if let Err(misread) = read::<T>(entry.get()) {
            self.add(place, entry, misread);
        }
    }

    /// Adds a fault in a part of the text, with its place in the whole.
    fn add(&mut self, place: &str, part: &RawValue, misread: Misread) {
        let start = part.get().as_ptr().addr() - self.text.as_ptr().addr();
        self.count_to(start);
        let (line, column) = misread.position;
        let position = match line {
            1 => (self.lines + 1, start - self.line_start + column),
            line => (self.lines + line, column),
        };
        let Fault { place: inside, reason } = misread.fault;
        let what = reason.strip_suffix(&format!(" at line {line} column {column}"));
        let what = what.unwrap_or(&reason);
        self.found.push(Misread {
            position,
            fault: Fault {
                place: joined(place, ".", &inside),
                reason: format!("{what} at line {} column {}", position.0, position.1),
            },
        });
    }

    fn count_to(&mut self, end: usize) {
        if end < self.counted {
            (self.counted, self.lines, self.line_start) = (0, 0, 0);
        }
        for (place, _) in self.text[self.counted..end].match_indices('\n') {
            self.lines += 1;
            self.line_start = self.counted + place + 1;
        }
        self.counted = end;
    }
}
