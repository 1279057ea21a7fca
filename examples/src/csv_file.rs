//! CSV files: a column that is read, a list of organizations, and items that grow page by page, with a bookmark.

use std::borrow::Cow;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use csv::{Position, Reader, ReaderBuilder, StringRecord, Terminator, Writer, WriterBuilder};
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
        file.write_record([&id, &*escape_formula(&organization.name)])?;
    }
    Ok(file.flush()?)
}

/// Returns a text that a spreadsheet does not run as a formula. As with
/// [`FormulaText::Escape`], an apostrophe precedes a text that begins like one; a number stays as it is.
pub(crate) fn escape_formula(text: &str) -> Cow<'_, str> {
    const FORMULA: [char; 11] = [
        '=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}',
    ];
    match text.starts_with(FORMULA) && text.parse::<f64>().is_err() {
        true => format!("'{text}").into(),
        false => text.into(),
    }
}

/// Reads the cells of a column, each with the number of its line. Other columns may have any encoding.
///
/// # Errors
/// The file cannot be read, has no such column, or has a quotation mark that is not closed: what follows it would be
/// one cell.
pub(crate) fn read_column(path: &Path, name: &str) -> Outcome<Vec<(usize, String)>> {
    let bytes = fs::read(path)?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    if bytes.iter().filter(|byte| **byte == b'"').count() % 2 == 1 {
        return Err("a quotation mark is not closed; add the missing one".into());
    }
    let mut file = ReaderBuilder::new().flexible(true).from_reader(bytes);
    let column = file
        .byte_headers()?
        .iter()
        .position(|it| it.trim_ascii() == name.as_bytes());
    let column = column.ok_or_else(|| {
        format!("the first line has no column `{name}`; add a header line, with commas between columns")
    })?;
    let (mut cells, mut line, mut counted) = (Vec::new(), 1, 0);
    for record in file.byte_records() {
        let record = record?;
        let position = record.position().map_or(0, Position::byte);
        // The rest of a line end, and empty lines, may precede the record.
        let rest = bytes.iter().skip(usize::try_from(position)?);
        let start = usize::try_from(position)? + rest.take_while(|byte| b"\r\n".contains(byte)).count();
        line += bytes[counted..start].iter().filter(|byte| **byte == b'\n').count();
        counted = start;
        let cell = String::from_utf8_lossy(record.get(column).unwrap_or_default());
        cells.push((line, cell.trim().to_owned()));
    }
    Ok(cells)
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

    use super::{CsvFile, escape_formula, read_column, write_organizations};

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

    /// Reads the column `id` of a file with these bytes.
    fn read(bytes: &[u8]) -> Result<Vec<(usize, String)>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.csv");
        fs::write(&path, bytes).unwrap();
        read_column(&path, "id").map_err(|error| error.to_string())
    }

    #[test]
    fn lines_are_those_of_an_editor() {
        for end in ["\n", "\r\n"] {
            let text = ["\u{feff}name,id", "a,1", "", "\"b", "b\", 2 ", "c", "d,4", ""].join(end);
            let cells = read(text.as_bytes()).unwrap();
            let cells: Vec<_> = cells.iter().map(|(line, cell)| (*line, &**cell)).collect();
            assert_eq!(cells, [(2, "1"), (4, "2"), (6, ""), (7, "4")], "{end:?}");
        }
    }

    #[test]
    fn cell_with_another_encoding_is_read() {
        assert_eq!(read(b"id,name\n5,\xE9t\xE9\n").unwrap(), [(2, "5".to_owned())]);
    }

    #[test]
    fn file_without_the_column_or_a_closing_quotation_mark_is_rejected() {
        let error = read(b"id;name\n5;linen\n").unwrap_err();
        let expected = "the first line has no column `id`; add a header line, with commas between columns";
        assert_eq!(error, expected);
        let error = read(b"id,name\n5,\"linen\n6,wool\n").unwrap_err();
        assert!(error.starts_with("a quotation mark is not closed"), "{error}");
    }

    #[test]
    fn formula_in_a_name_is_not_run_by_a_spreadsheet() {
        for (text, escaped) in [
            ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
            ("@SUM(1)", "'@SUM(1)"),
            ("-1+2", "'-1+2"),
            ("-5", "-5"),
            ("Weaver = Reel", "Weaver = Reel"),
        ] {
            assert_eq!(escape_formula(text), escaped);
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shortlist.csv");
        let mut page = platform_sdk::mock::examples::organization_search_page::found();
        page.results.truncate(1);
        page.results[0].name = "=HYPERLINK(\"https://evil.example\")".to_owned();
        write_organizations(&path, &page.results).unwrap();
        let file = fs::read_to_string(&path).unwrap();
        assert!(file.contains(",\"'=HYPERLINK("), "{file}");
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
