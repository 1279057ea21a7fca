//! The state directory: its file, and the lock that limits it to one server.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use ::redb::Database;

use super::error::StateError;
use super::tables::{self, About, FORMAT, Unreadable};
use crate::store::ledger::Record;

const FILE: &str = "state.redb";
/// The file while it is being created. It gets its final name when it is complete.
const UNFINISHED: &str = "state.redb.new";
const LOCK: &str = "state.lock";

/// Memory for pages of the file, in bytes. Frequently read data is in memory already, in another form.
const CACHE: usize = 32 << 20;

/// A state directory, locked until this is dropped.
#[derive(Debug)]
pub(super) struct StateFile {
    file: PathBuf,
    /// Identifies the data set that it belongs to.
    data: String,
    _lock: Lock,
}

/// A locked file. The lock ends with this, although a child that another thread is starting has a copy of the file
/// until it runs its program.
#[derive(Debug)]
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // What is not unlocked here is unlocked when the last copy is closed.
        let _ = self.0.unlock();
    }
}

/// The contents of a file.
#[derive(Debug)]
pub(super) struct Contents {
    /// Whether the items of the data set belong to the state.
    pub(super) from_data: bool,
    /// The items in the file, by ascending id.
    pub(super) records: Vec<Record>,
}

impl StateFile {
    /// Locks a directory, which is created if it does not exist, and creates the file if there is none.
    pub(super) fn new(directory: &Path, data: &str) -> Result<Self, StateError> {
        fs::create_dir_all(directory).map_err(StateError::system("create", directory))?;
        let lock = lock(directory)?;
        let file = directory.join(FILE);
        if !fs::exists(&file).map_err(StateError::system("open", &file))? {
            begin(directory, &file, data)?;
        }
        Ok(Self {
            file,
            data: data.to_owned(),
            _lock: lock,
        })
    }

    /// Opens the file and reads all of it.
    pub(super) fn open(&self) -> Result<(Database, Contents), StateError> {
        let file = &self.file;
        let mut builder = Database::builder();
        // Every page is read below anyway. Without the check, redb may panic on a damaged one.
        builder.set_check_integrity_on_open(true);
        builder.set_cache_size(CACHE);
        let database = builder.open(file);
        let database = database.map_err(|error| StateError::database("open", file)(error.into()))?;
        let about = tables::about(&database).map_err(StateError::database("read", file))?;
        let from_data = self.check(about)?.from_data;
        let records = tables::records(&database).map_err(|error| match error {
            Unreadable::Database(error) => StateError::database("read", file)(error),
            Unreadable::Value(reason) => StateError::Damaged {
                file: file.clone(),
                reason,
            },
        })?;
        Ok((database, Contents { from_data, records }))
    }

    fn check(&self, about: Option<About>) -> Result<About, StateError> {
        let file = self.file.clone();
        let about = about.ok_or_else(|| StateError::Foreign(file.clone()))?;
        if about.format != FORMAT {
            let found = about.format;
            return Err(StateError::OtherFormat { file, found });
        }
        if about.data != self.data {
            return Err(StateError::OtherData(file));
        }
        Ok(about)
    }

    /// An error that occurred while the file was written.
    pub(super) fn not_written(&self, error: ::redb::Error) -> StateError {
        StateError::database("write", &self.file)(error)
    }
}

fn lock(directory: &Path) -> Result<Lock, StateError> {
    let path = directory.join(LOCK);
    let mut options = File::options();
    let file = options.create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(StateError::system("open", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(Lock(file)),
        Err(TryLockError::WouldBlock) => Err(StateError::InUse(directory.to_owned())),
        Err(TryLockError::Error(error)) => Err(StateError::system("lock", &path)(error)),
    }
}

/// Creates the file under another name, so that a server killed in between does not leave half a file.
fn begin(directory: &Path, file: &Path, data: &str) -> Result<(), StateError> {
    let unfinished = directory.join(UNFINISHED);
    match fs::remove_file(&unfinished) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(StateError::system("remove", &unfinished)(error));
        }
        _ => {}
    }
    let make = || -> Result<(), ::redb::Error> {
        let database = Database::create(&unfinished)?;
        tables::begin(&database, data)?;
        Ok(database.close()?)
    };
    make().map_err(StateError::database("write", &unfinished))?;
    fs::rename(&unfinished, file).map_err(StateError::system("rename", &unfinished))?;
    sync(directory).map_err(StateError::system("write", directory))
}

/// Makes the disk confirm a new name in a directory.
#[cfg(unix)]
fn sync(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

#[cfg(not(unix))]
fn sync(_: &Path) -> io::Result<()> {
    // A directory cannot be opened as a file on this system.
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_ends_although_a_copy_of_its_file_is_open() {
        let directory = tempfile::tempdir().unwrap();
        let first = StateFile::new(directory.path(), "data").unwrap();
        let copy = first._lock.0.try_clone().unwrap();
        assert!(matches!(
            StateFile::new(directory.path(), "data"),
            Err(StateError::InUse(_))
        ));
        drop(first);
        StateFile::new(directory.path(), "data").unwrap();
        drop(copy);
    }
}
