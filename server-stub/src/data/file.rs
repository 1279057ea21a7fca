//! Data in files. The file name determines the format.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::fault::{DataError, Faults};
use super::lines::read_lines;
use super::{Dataset, write};
use crate::store::Record;

/// Bytes that are read or written at a time.
const BUFFER: usize = 1 << 18;

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("cannot read {0}: {1}")]
    Read(PathBuf, io::Error),
    /// Its contents cannot be used.
    #[error("{0} cannot be used:\n{1}")]
    Data(PathBuf, DataError),
    /// It cannot be written.
    #[error("cannot write {0}: {1}")]
    Write(PathBuf, io::Error),
}

/// The format of a file, from the end of its name.
enum Format {
    Document,
    Lines,
    CompressedLines,
}

impl Format {
    fn of(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match name.to_ascii_lowercase() {
            name if name.ends_with(".jsonl") => Self::Lines,
            name if name.ends_with(".jsonl.zst") => Self::CompressedLines,
            _ => Self::Document,
        }
    }
}

impl Dataset {
    /// Reads a file: `.jsonl` is [lines](super::line), `.jsonl.zst` is lines compressed with Zstandard, and anything
    /// else is a [document](super::Data).
    ///
    /// # Errors
    /// [`FileError`], which names the file, the place in it and the reason.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let not_read = |error| FileError::Read(path.to_owned(), error);
        let dataset = match Format::of(path) {
            Format::Document => document(&fs::read(path).map_err(not_read)?),
            Format::Lines => {
                let file = File::open(path).map_err(not_read)?;
                read_lines(BufReader::with_capacity(BUFFER, file))
            }
            Format::CompressedLines => {
                let file = File::open(path).map_err(not_read)?;
                let plain = zstd::Decoder::new(file).map_err(not_read)?;
                read_lines(BufReader::with_capacity(BUFFER, plain))
            }
        };
        dataset.map_err(|error| FileError::Data(path.to_owned(), error))
    }

    /// Reads [lines](super::line) and makes them ready for use, with a thread for each processor.
    ///
    /// # Errors
    /// [`DataError`], which names the line, the place in it and the reason.
    pub fn from_lines(input: impl BufRead + Send) -> Result<Self, DataError> {
        read_lines(input)
    }

    /// Writes a file of lines with the vectors of all records, compressed if its name ends in `.jsonl.zst`. API keys
    /// are not written.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        self.write_with(self.records(), path)
    }

    /// [Writes](Self::write) these items instead of the data set's own. They must belong to the same pipelines.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn write_with(&self, items: impl IntoIterator<Item = Record>, path: &Path) -> Result<(), FileError> {
        let not_written = |error| FileError::Write(path.to_owned(), error);
        let is_compressed = match Format::of(path) {
            Format::Lines => false,
            Format::CompressedLines => true,
            Format::Document => {
                let error = io::Error::other("end its name with .jsonl or .jsonl.zst");
                return Err(not_written(error));
            }
        };
        let written = File::create(path).and_then(|file| {
            let file = BufWriter::with_capacity(BUFFER, file);
            if is_compressed {
                let compressed = write::lines(self, items, zstd::Encoder::new(file, 0)?)?;
                let mut file = compressed.finish()?;
                return file.flush();
            }
            write::lines(self, items, file).map(drop)
        });
        written.map_err(not_written)
    }
}

fn document(bytes: &[u8]) -> Result<Dataset, DataError> {
    let text = str::from_utf8(bytes).map_err(|error| {
        let before = bytes[..error.valid_up_to()].iter();
        let line = 1 + before.filter(|byte| **byte == b'\n').count();
        let mut faults = Faults::default();
        faults.add(format!("line {line}"), super::lines::NOT_UTF_8);
        DataError::Unreadable(faults)
    })?;
    Dataset::from_json(text)
}
