//! Rows as CSV.

use std::borrow::Cow;
use std::io::{self, Write};

use ::csv::{Terminator, WriterBuilder};
use serde_json::Value;

use super::{Cell, Rows};
use crate::ResultValue;

/// Separator between the values of a list.
const SEPARATOR: &str = "; ";

/// Characters at the start of a text that make a spreadsheet treat it as a formula. Some spreadsheets skip
/// leading white space, and some also accept the full-width characters.
const FORMULA: [char; 11] = [
    '=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}',
];

/// How to write text that a spreadsheet would run as a formula: text that begins with `=`, `+`, `-` or `@`,
/// including the full-width forms, or with a tab or line ending.
///
/// Texts come from documents and web pages, whose authors may know that they are exported. A formula can send
/// other content of the sheet to a third party.
///
/// ```
/// use platform_sdk::rows::{FormulaText, Rows};
///
/// # let item = r#"{"pipeline_item_id": 7, "pipeline_id": 2, "entity_type": "organization", "values": {
/// #     "question.201": {"result": ["=1+1"], "category": "llm", "references": []}}}"#;
/// # let items: Vec<platform_sdk::types::PipelineItem> = vec![serde_json::from_str(item)?];
/// let rows = Rows::of(&items);
/// for (formula_text, written) in [(FormulaText::Escape, "'=1+1"), (FormulaText::Keep, "=1+1")] {
///     let mut csv = Vec::new();
///     rows.write_csv(&mut csv, formula_text)?;
///     assert!(String::from_utf8(csv)?.ends_with(&format!(",{written}\r\n")));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FormulaText {
    /// Writes an apostrophe before the text, for people who open the file in a spreadsheet. A program that
    /// reads the file cannot distinguish it from an apostrophe that is part of the text.
    Escape,
    /// Writes the text unchanged, for programs such as data frames.
    Keep,
}

impl Rows<'_> {
    /// Writes the rows as CSV according to RFC 4180: UTF-8, with the column names as the first line, `,`
    /// between cells and CRLF after each line. A cell that contains `,`, `"` or a line ending is quoted.
    ///
    /// | cell | written as |
    /// |---|---|
    /// | empty | nothing |
    /// | text | the text; see [`FormulaText`] |
    /// | number | the number, as in JSON |
    /// | yes or no | `true` or `false` |
    /// | list | values separated by `; `, with `\` before each `;` and `\` in a text; treated as a text |
    /// | anything else | its JSON |
    ///
    /// Excel reads UTF-8 if the file begins with a byte order mark, `"\u{feff}"`. An app writes it
    /// before the rows.
    ///
    /// ```
    /// use std::io::Write;
    ///
    /// use platform_sdk::rows::{FormulaText, Rows};
    ///
    /// # let item = r#"{"pipeline_item_id": 7, "pipeline_id": 2, "entity_type": "organization", "values": {
    /// #     "question.201": {"result": ["Oslo", "Bergen"], "category": "llm", "references": []},
    /// #     "question.202": {"result": [true], "category": "llm", "references": []}}}"#;
    /// # let items: Vec<platform_sdk::types::PipelineItem> = vec![serde_json::from_str(item)?];
    /// let mut file = Vec::new(); // or `File::create("items.csv")?`
    /// file.write_all("\u{feff}".as_bytes())?;
    /// Rows::of(&items).write_csv(&mut file, FormulaText::Escape)?;
    /// assert!(String::from_utf8(file)?.ends_with("7,2,organization,,,,Oslo; Bergen,true\r\n"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The writer returned an error.
    pub fn write_csv(&self, writer: impl Write, formula_text: FormulaText) -> io::Result<()> {
        let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(writer);
        let names = self.columns().iter().map(|name| Cow::Borrowed(&**name));
        write(&mut writer, names.map(|name| formula_text.apply(name)))?;
        for row in self.iter() {
            write(&mut writer, row.cells().map(|cell| field(&cell, formula_text)))?;
        }
        writer.flush()
    }
}

fn write<'a>(writer: &mut ::csv::Writer<impl Write>, fields: impl Iterator<Item = Cow<'a, str>>) -> io::Result<()> {
    for field in fields {
        writer.write_field(&*field)?;
    }
    writer.write_record(None::<&[u8]>)?;
    Ok(())
}

fn field<'a>(cell: &Cell<'a>, formula_text: FormulaText) -> Cow<'a, str> {
    match cell {
        Cell::Empty => Cow::Borrowed(""),
        Cell::Text(text) => formula_text.apply(Cow::Borrowed(text)),
        Cell::Number(number) => number.to_string().into(),
        Cell::YesNo(answer) => answer.to_string().into(),
        Cell::List(values) => {
            let values: Vec<String> = values.iter().map(listed).collect();
            formula_text.apply(values.join(SEPARATOR).into())
        }
        Cell::Other(value) => value.to_string().into(),
    }
}

/// Formats a value of a list.
fn listed(value: &ResultValue) -> String {
    match value {
        ResultValue::Text(text) => text.replace('\\', "\\\\").replace(';', "\\;"),
        ResultValue::Number(number) => number.to_string(),
        ResultValue::YesNo(answer) => answer.to_string(),
        ResultValue::Other(Value::Null) => String::new(),
        ResultValue::Other(value) => value.to_string(),
    }
}

impl FormulaText {
    fn apply(self, text: Cow<'_, str>) -> Cow<'_, str> {
        match self {
            Self::Escape if text.starts_with(FORMULA) => format!("'{text}").into(),
            Self::Escape | Self::Keep => text,
        }
    }
}
