//! Writes data as lines.

use std::io::{self, Write};

use serde::Serialize;

use super::line::{Described, End, FORMAT, Header, ItemLine, Line, VERSION};
use super::stored::encoder_id;
use super::{Dataset, PipelineData, StatedItem};
use crate::store::Record;

/// Writes a file of lines.
#[derive(Debug)]
pub struct LineWriter<W> {
    out: W,
    records: u64,
}

impl<W: Write> LineWriter<W> {
    /// Begins a file whose vectors come from this server's encoder.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn new(out: W) -> io::Result<Self> {
        let mut writer = Self { out, records: 0 };
        writer.line(&Header {
            format: FORMAT.to_owned(),
            version: VERSION,
            encoder: Some(encoder_id()),
            has_end: true,
        })?;
        Ok(writer)
    }

    /// Writes a record. Organizations come first, then products, pipelines and items.
    ///
    /// # Errors
    /// The errors of `out`; [`io::ErrorKind::InvalidData`] for an API key.
    pub fn write(&mut self, record: &Line) -> io::Result<()> {
        self.records += 1;
        self.line(record)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn finish(mut self) -> io::Result<W> {
        let records = self.records;
        self.line(&Line::End(End { records }))?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn line(&mut self, line: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, line)?;
        self.out.write_all(b"\n")
    }
}

/// Writes the organizations, products and pipelines of a data set, and these items.
pub(super) fn lines<W: Write>(data: &Dataset, items: impl IntoIterator<Item = Record>, out: W) -> io::Result<W> {
    let mut writer = LineWriter::new(out)?;
    for known in data.organizations() {
        let meaning = known.meaning.clone();
        let record = Described::new((*known.organization).clone(), meaning);
        writer.write(&Line::Organization(Box::new(record)))?;
    }
    for known in data.products() {
        let record = Described::new((*known.product).clone(), known.meaning.clone());
        writer.write(&Line::Product(Box::new(record)))?;
    }
    for pipeline in data.pipelines() {
        writer.write(&Line::Pipeline(PipelineData::of(pipeline)))?;
    }
    for record in items {
        writer.write(&Line::Item(ItemLine {
            pipeline_id: record.item.pipeline_id,
            record: StatedItem::of(&record),
        }))?;
    }
    writer.finish()
}
