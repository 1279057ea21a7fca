//! `--record FILE`: all requests and responses, as HAR 1.2.
//!
//! Entries go to a file without a name during the run, so that nothing is left behind if the program is killed. At the
//! end they are written to the destination like a report.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use platform_conformance::Recorder;
use platform_conformance::report::har::Har;

use super::file::Place;

/// Parses the argument. A recording is assembled before it is written, so it needs a file.
pub(super) fn file(text: &str) -> Result<PathBuf, String> {
    match text {
        "" | "-" => Err("not a file: a recording cannot go to the standard output".to_owned()),
        file => Ok(file.into()),
    }
}

/// A recording in progress.
pub(super) struct Recording {
    file: PathBuf,
    place: Place,
    har: Arc<Har<BufWriter<File>>>,
}

impl Recording {
    /// Checks that the file can be written, before anything is sent, and begins.
    pub(super) fn begin(file: &Path) -> io::Result<Self> {
        let place = Place::find(file)?;
        let entries = BufWriter::new(place.scratch()?);
        Ok(Self {
            file: file.to_owned(),
            har: Arc::new(Har::begin(entries)?),
            place,
        })
    }

    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    pub(super) fn recorder(&self) -> Arc<dyn Recorder> {
        Arc::clone(&self.har) as Arc<dyn Recorder>
    }

    /// Writes the file.
    pub(super) fn finish(&self) -> io::Result<()> {
        let entries = self.har.finish()?;
        let entries = entries.into_inner().map_err(io::IntoInnerError::into_error)?;
        self.place.write(&|out| copy(&entries, out))
    }
}

fn copy(mut entries: &File, mut out: &mut dyn Write) -> io::Result<()> {
    entries.rewind()?;
    io::copy(&mut entries, &mut out).map(drop)
}
