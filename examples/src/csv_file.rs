//! CSV files: one of organizations, and one of items that grows page by page, with a bookmark.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use csv::{Reader, StringRecord, Terminator, Writer, WriterBuilder};
use platform_sdk::PipelineId;
use platform_sdk::paging::Cursor;
use platform_sdk::rows::{FormulaText, Rows};
use platform_sdk::types::{OrganizationSearchResult, PipelineItem};
use serde::{Deserialize, Serialize};

use crate::Outcome;

/// A CSV file of the items of a pipeline. It is valid at any time, even after a crash.
pub struct CsvFile {
    path: PathBuf,
    file: File,
    /// How far it is complete.
    pub bookmark: Bookmark,
}

/// Progress of an export, stored in a file of its own: `items.csv.bookmark` for `items.csv`.
#[derive(Serialize, Deserialize)]
pub struct Bookmark {
    /// The pipeline.
    pub pipeline: PipelineId,
    /// The columns of the file.
    pub columns: Vec<String>,
    /// Number of complete rows.
    pub rows: u64,
    /// Length of the file after them.
    pub bytes: u64,
    /// The place in the pipeline after them; `None` before the first page.
    pub cursor: Option<Cursor>,
}

impl CsvFile {
    /// Creates an empty file, or empties an existing one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn create(path: &Path, pipeline: PipelineId) -> Outcome<Self> {
        Ok(Self {
            path: path.into(),
            file: create(path)?,
            bookmark: Bookmark {
                pipeline,
                columns: Vec::new(),
                rows: 0,
                bytes: 0,
                cursor: None,
            },
        })
    }

    /// Opens a file at its bookmark, and removes the incomplete page behind it. Returns `None` if the file or the
    /// bookmark does not exist.
    ///
    /// # Errors
    /// The file was changed since, or cannot be read.
    pub fn open(path: &Path) -> Outcome<Option<Self>> {
        let bookmark = path.with_added_extension("bookmark");
        if !path.exists() || !bookmark.exists() {
            return Ok(None);
        }
        let bookmark: Bookmark = serde_json::from_str(&fs::read_to_string(bookmark)?)?;
        let file = OpenOptions::new().append(true).open(path)?;
        let is_longer = file.metadata()?.len() >= bookmark.bytes;
        if !is_longer || *Reader::from_path(path)?.headers()? != bookmark.columns {
            let path = path.display();
            let changed = "was changed after it was exported; delete it to export all items again";
            return Err(format!("{path} {changed}").into());
        }
        file.set_len(bookmark.bytes)?;
        Ok(Some(Self {
            path: path.into(),
            file,
            bookmark,
        }))
    }

    /// Appends a page, then moves the bookmark to the cursor behind it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn append(&mut self, items: &[PipelineItem], cursor: Cursor) -> Outcome {
        let mut page = Vec::new();
        Rows::of(items).write_csv(&mut page, FormulaText::Escape)?;
        let mut page = Reader::from_reader(&*page);
        let names = page.headers()?.clone();
        self.widen(&names)?;
        let columns = self.bookmark.columns.iter();
        let place = |column: &String| names.iter().position(|name| name == column);
        let places: Vec<_> = columns.map(place).collect();
        let mut writer = writer(&self.file);
        for row in page.records() {
            let row = row?;
            let cells = places.iter().map(|place| row.get((*place)?));
            writer.write_record(cells.map(Option::unwrap_or_default))?;
        }
        writer.flush()?;
        drop(writer);
        self.bookmark.rows += items.len() as u64;
        self.bookmark.cursor = Some(cursor);
        self.save()
    }

    /// Adds the columns that appear for the first time. Earlier rows are empty there.
    fn widen(&mut self, names: &StringRecord) -> Outcome {
        let known = &self.bookmark.columns;
        let new = names.iter().filter(|name| !known.iter().any(|it| it == name));
        let new: Vec<String> = new.map(str::to_owned).collect();
        if new.is_empty() {
            return Ok(());
        }
        let rows: Result<Vec<_>, _> = Reader::from_path(&self.path)?.into_records().collect();
        let wider = self.path.with_added_extension("wider");
        let mut writer = writer(File::create(&wider)?);
        self.bookmark.columns.extend(new.iter().cloned());
        writer.write_record(&self.bookmark.columns)?;
        for row in rows? {
            writer.write_record(row.iter().chain(new.iter().map(|_| "")))?;
        }
        writer.flush()?;
        fs::rename(wider, &self.path)?;
        self.file = OpenOptions::new().append(true).open(&self.path)?;
        Ok(())
    }

    /// Stores the bookmark once all rows are on the disk.
    fn save(&mut self) -> Outcome {
        self.file.sync_data()?;
        self.bookmark.bytes = self.file.metadata()?.len();
        let bookmark = self.path.with_added_extension("bookmark");
        let new = bookmark.with_added_extension("new");
        fs::write(&new, serde_json::to_vec(&self.bookmark)?)?;
        Ok(fs::rename(new, bookmark)?)
    }
}

/// Writes organizations as a CSV file, which the example `bulk_add` reads.
///
/// # Errors
/// The file cannot be written.
pub fn write_organizations<'a>(
    path: &Path,
    organizations: impl IntoIterator<Item = &'a OrganizationSearchResult>,
) -> Outcome {
    let mut file = writer(create(path)?);
    file.write_record(["organization_id", "name"])?;
    for organization in organizations {
        let id = organization.organization_id.to_string();
        file.write_record([&id, &organization.name])?;
    }
    Ok(file.flush()?)
}

fn create(path: &Path) -> Outcome<File> {
    let named = |error| format!("{}: {error}", path.display());
    Ok(File::create(path).map_err(named)?)
}

fn writer<F: std::io::Write>(file: F) -> Writer<F> {
    let mut builder = WriterBuilder::new();
    builder.terminator(Terminator::CRLF).from_writer(file)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use platform_sdk::paging::Cursor;
    use platform_sdk::types::PipelineItem;

    use super::CsvFile;

    /// Returns an item with one answer, and the cursor behind it.
    fn item(id: i64, question: &str, answer: &str) -> (Vec<PipelineItem>, Cursor) {
        let item = format!(
            r#"[{{"pipeline_item_id": {id}, "pipeline_id": 2, "entity_type": "document", "values": {{
                "question.{question}": {{"result": ["{answer}"], "category": "llm", "references": []}}}}}}]"#
        );
        let cursor = format!("w1.list_items.6c62272e07bb0142.{id}.3.{id}");
        (serde_json::from_str(&item).unwrap(), cursor.parse().unwrap())
    }

    #[test]
    fn new_column_is_added_and_incomplete_page_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items.csv");
        assert!(CsvFile::open(&path).unwrap().is_none());
        let mut file = CsvFile::create(&path, 2.into()).unwrap();
        for (id, question, answer) in [(1, "5", "linen, wool"), (2, "6", "blue")] {
            let (items, cursor) = item(id, question, answer);
            file.append(&items, cursor).unwrap();
        }
        drop(file);

        let complete = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{complete}3,2,docu")).unwrap();
        let mut file = CsvFile::open(&path).unwrap().unwrap();
        assert_eq!(file.bookmark.rows, 2);
        assert_eq!(file.bookmark.cursor.as_ref().unwrap().position(), 2);
        let (items, cursor) = item(3, "5", "=1+1");
        file.append(&items, cursor).unwrap();
        let rows = "pipeline_item_id,pipeline_id,entity_type,organization_id,person_id,document_id,\
            question.5,question.6\r\n\
            1,2,document,,,,\"linen, wool\",\r\n\
            2,2,document,,,,,blue\r\n\
            3,2,document,,,,'=1+1,\r\n";
        assert_eq!(fs::read_to_string(&path).unwrap(), rows);
    }

    #[test]
    fn changed_file_is_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items.csv");
        let mut file = CsvFile::create(&path, 2.into()).unwrap();
        let (items, cursor) = item(1, "5", "linen");
        file.append(&items, cursor).unwrap();
        let complete = fs::read_to_string(&path).unwrap();
        for changed in [complete.replace("question.5", "cloth"), complete[..90].to_owned()] {
            fs::write(&path, changed).unwrap();
            let error = CsvFile::open(&path).err().unwrap().to_string();
            assert!(error.contains("was changed after it was exported"), "{error}");
        }
    }
}
