//! Why a state directory cannot be used.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a state directory cannot be opened, read or written. The message says what is wrong and then what to do.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// Another process, or another server of this process, has it open.
    #[error("{} is in use by another server; stop that one, or use another directory", .0.display())]
    InUse(PathBuf),
    /// The file was not written by this server.
    #[error("{} is not a state file of this server; use another directory, or move the file away", .0.display())]
    Foreign(PathBuf),
    /// The file does not hold the data that was written to it.
    #[error(
        "{} is damaged ({reason}); restore it from a copy, or move it away to begin without what it holds",
        file.display()
    )]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// This version does not know the format of the file.
    #[error(
        "{} has format {found}, which this version of the server does not read; use the version that wrote it",
        file.display()
    )]
    OtherFormat {
        /// The file.
        file: PathBuf,
        /// Its format.
        found: String,
    },
    /// The file was created with another data set, whose records its items refer to.
    #[error(
        "{} was created with other data; start with that data, or use another directory",
        .0.display()
    )]
    OtherData(PathBuf),
    /// The system reports an error.
    #[error("cannot {action} {}: {error}; {}", path.display(), advice(.error))]
    System {
        /// What was attempted, such as `open`.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// Why it failed.
        error: io::Error,
    },
}

fn advice(error: &io::Error) -> impl fmt::Display {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "make it writable for this user, or use another directory"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "free space for it, or use a directory on another disk"
        }
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => "use a directory",
        _ => "check the directory, or use another one",
    }
}

impl StateError {
    /// A system error during an action on a file or directory.
    pub(super) fn system(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::System {
            action,
            path: path.to_owned(),
            error,
        }
    }

    /// A database error during an action on its file.
    pub(super) fn database(action: &'static str, file: &Path) -> impl FnOnce(::redb::Error) -> Self {
        move |error| {
            let file = file.to_owned();
            match error {
                // The file lacks the bytes that every database begins with.
                ::redb::Error::Io(error) if error.kind() == io::ErrorKind::InvalidData => Self::Foreign(file),
                ::redb::Error::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => Self::Damaged {
                    file,
                    reason: "it has been cut off".to_owned(),
                },
                ::redb::Error::Io(error) => Self::System {
                    action,
                    path: file,
                    error,
                },
                ::redb::Error::DatabaseAlreadyOpen => Self::InUse(file),
                error => Self::Damaged {
                    file,
                    reason: error.to_string(),
                },
            }
        }
    }
}
