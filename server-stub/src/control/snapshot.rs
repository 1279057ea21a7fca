//! The items, their work and the time of a platform at one moment.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::data::line::ItemLine;
use crate::data::{DataError, Dataset, StatedItem, Strict};
use crate::model::store_error::StoreError;
use crate::platform::clock::{Clock, VirtualClock};
use crate::store::Record;

/// The name of the format.
const FORMAT: &str = "platform-snapshot";
/// The version of the format that is read and written.
const VERSION: u32 = 1;

/// The items, their pending work and the time of a platform, as of one moment. It belongs to the data that the platform
/// started with; faults, plans, keys, quotas and recorded requests are not part of it.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use platform_server_stub::Emulator;
/// use platform_server_stub::control::Snapshot;
///
/// # let directory = tempfile::tempdir()?;
/// # let file = directory.path().join("state.json");
/// let emulator = Emulator::start().await?;
/// emulator.snapshot().await?.write(&file)?;
/// // … in another test, or another process …
/// emulator.restore(&Snapshot::read(&file)?).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    format: String,
    version: u32,
    /// The fingerprint of the data.
    data: String,
    now: DateTime<Utc>,
    is_frozen: bool,
    items: Vec<ItemLine>,
}

/// Why a snapshot cannot be used. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The file cannot be read or written.
    #[error("the file cannot be used: {0}")]
    File(io::Error),
    /// It is not a snapshot.
    #[error("this is not a snapshot: {0}")]
    Unreadable(String),
    /// It was written by a version of the server with another format.
    #[error("version {0} of snapshots is not supported; this server reads {VERSION}")]
    Version(u64),
    /// It belongs to other data.
    #[error("the snapshot was taken with other data; start the server with the same data")]
    OtherData,
    /// Its items do not fit the data.
    #[error("{0}")]
    Inconsistent(DataError),
    /// The store cannot hold it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Snapshot {
    pub(super) fn of(dataset: &Dataset, clock: &VirtualClock, records: &[Record]) -> Self {
        let line = |record: &Record| ItemLine {
            pipeline_id: record.item.pipeline_id,
            record: StatedItem::of(record),
        };
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            data: dataset.fingerprint(),
            now: clock.now(),
            is_frozen: clock.is_frozen(),
            items: records.iter().map(line).collect(),
        }
    }

    /// The time of the platform.
    pub fn now(&self) -> DateTime<Utc> {
        self.now
    }

    pub(super) fn is_frozen(&self) -> bool {
        self.is_frozen
    }

    /// The items, checked against the data that they belong to.
    pub(super) fn records(&self, dataset: &Dataset) -> Result<Vec<Record>, SnapshotError> {
        if self.data != dataset.fingerprint() {
            return Err(SnapshotError::OtherData);
        }
        let records = dataset.items_of(&self.items);
        records.map_err(SnapshotError::Inconsistent)
    }

    /// Reads a snapshot from JSON.
    ///
    /// # Errors
    /// [`SnapshotError::Unreadable`] with the place, and [`SnapshotError::Version`].
    pub fn from_json(json: &[u8]) -> Result<Self, SnapshotError> {
        let unreadable = |reason: String| SnapshotError::Unreadable(reason);
        // A later version may have fields that this one does not know.
        let head: Head = serde_json::from_slice(json).map_err(|error| unreadable(error.to_string()))?;
        if head.format != FORMAT {
            let reason = format!("format is `{}` instead of `{FORMAT}`", head.format);
            return Err(unreadable(reason));
        }
        if head.version != u64::from(VERSION) {
            return Err(SnapshotError::Version(head.version));
        }
        let mut reader = serde_json::Deserializer::from_slice(json);
        serde_path_to_error::deserialize(Strict::new(&mut reader)).map_err(|error| unreadable(error.to_string()))
    }

    /// The snapshot as JSON, which [`from_json`](Self::from_json) reads.
    pub fn to_json(&self) -> Vec<u8> {
        // Items are plain data, which can always be written.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Reads a snapshot from a file.
    ///
    /// # Errors
    /// [`SnapshotError::File`], and the errors of [`from_json`](Self::from_json).
    pub fn read(path: &Path) -> Result<Self, SnapshotError> {
        Self::from_json(&fs::read(path).map_err(SnapshotError::File)?)
    }

    /// Writes the snapshot to a file, which is replaced as a whole or not at all.
    ///
    /// # Errors
    /// [`SnapshotError::File`].
    pub fn write(&self, path: &Path) -> Result<(), SnapshotError> {
        let mut name = OsString::from(path.as_os_str());
        name.push(".part");
        let part = Path::new(&name);
        let written = File::create(part).and_then(|mut file| {
            file.write_all(&self.to_json())?;
            file.sync_all()?;
            fs::rename(part, path)
        });
        written.map_err(|error| {
            // It may not exist.
            let _ = fs::remove_file(part);
            SnapshotError::File(error)
        })
    }
}

/// What every version of the format has.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u64,
}
