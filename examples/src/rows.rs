//! The rows of a CSV file, and a report on them that is written row by row.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use crate::Outcome;
use crate::csv_file::{escape_formula, read_column};

/// The rows of a CSV file, each with its outcome. The report beside the file has every row up to the first one without
/// an outcome, even after a crash.
pub struct Rows {
    rows: Vec<Row>,
    path: PathBuf,
    report: csv::Writer<File>,
    written: usize,
}

struct Row {
    line: usize,
    text: String,
    /// The outcome and a detail.
    outcome: Option<(String, String)>,
}

impl Rows {
    /// Reads a column of a file, and creates the report `items.csv.report.csv` for `items.csv`.
    ///
    /// # Errors
    /// The file cannot be read, lacks the column or has no rows, or the report cannot be written.
    pub fn read(path: &Path, column: &str) -> Outcome<Self> {
        let named = |error| format!("{}: {error}", path.display());
        let cells = read_column(path, column).map_err(named)?;
        if cells.is_empty() {
            return Err(format!("{} has no rows", path.display()).into());
        }
        let rows = cells.into_iter().map(|(line, text)| Row {
            line,
            text,
            outcome: None,
        });
        let report = path.with_added_extension("report.csv");
        let mut rows = Self {
            rows: rows.collect(),
            report: csv::Writer::from_path(&report)?,
            path: report,
            written: 0,
        };
        rows.report.write_record(["line", column, "outcome", "detail"])?;
        Ok(rows)
    }

    /// Returns the number of rows.
    #[expect(clippy::len_without_is_empty, reason = "there is at least one row")]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the number of a row's line, and its cell.
    pub fn get(&self, place: usize) -> (usize, &str) {
        let row = &self.rows[place];
        (row.line, &row.text)
    }

    /// Returns the path of the report.
    pub fn report(&self) -> &Path {
        &self.path
    }

    /// Sets the outcome of a row, and writes the rows that are now complete.
    ///
    /// # Errors
    /// The report cannot be written.
    pub fn set(&mut self, place: usize, outcome: &str, detail: &str) -> Outcome {
        self.rows[place].outcome = Some((outcome.to_owned(), detail.to_owned()));
        while let Some(row) = self.rows.get(self.written)
            && let Some((outcome, detail)) = &row.outcome
        {
            let (line, text, detail) = (row.line.to_string(), escape_formula(&row.text), escape_formula(detail));
            self.report.write_record([&*line, &*text, outcome, &*detail])?;
            self.written += 1;
        }
        Ok(self.report.flush()?)
    }

    /// Gives an outcome to the rows that have none, and returns the number of rows with each outcome.
    ///
    /// # Errors
    /// The report cannot be written.
    pub fn finish(mut self, outcome: &str, detail: &str) -> Outcome<Vec<(String, usize)>> {
        for place in 0..self.rows.len() {
            if self.rows[place].outcome.is_none() {
                self.set(place, outcome, detail)?;
            }
        }
        let mut counts = BTreeMap::new();
        for (outcome, _) in self.rows.into_iter().filter_map(|row| row.outcome) {
            *counts.entry(outcome).or_insert(0) += 1;
        }
        Ok(counts.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use super::Rows;

    #[test]
    fn report_has_all_rows_up_to_the_first_without_an_outcome() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ids.csv");
        fs::write(&path, "id\n1\n=2\n3\n").unwrap();
        let mut rows = Rows::read(&path, "id").unwrap();
        assert_eq!((rows.len(), rows.get(1)), (3, (3, "=2")));
        let report = rows.report().to_owned();
        let lines = || fs::read_to_string(&report).unwrap();

        rows.set(1, "invalid", "@detail").unwrap();
        assert_eq!(lines(), "line,id,outcome,detail\n");
        rows.set(0, "created", "").unwrap();
        assert_eq!(
            lines(),
            "line,id,outcome,detail\n2,1,created,\n3,'=2,invalid,'@detail\n"
        );
        let counts = rows.finish("not reached", "stopped").unwrap();
        assert_eq!(counts.iter().map(|(_, rows)| *rows).collect::<Vec<_>>(), [1, 1, 1]);
        assert!(lines().ends_with("\n4,3,not reached,stopped\n"), "{}", lines());
    }

    #[test]
    fn file_without_rows_is_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ids.csv");
        fs::write(&path, "id\n").unwrap();
        let error = Rows::read(&path, "id").err().unwrap().to_string();
        assert!(error.ends_with("ids.csv has no rows"), "{error}");
        assert!(!folder.path().join("ids.csv.report.csv").exists());
    }
}
