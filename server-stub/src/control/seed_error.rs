//! Why data cannot be seeded.

use crate::data::DataError;
use crate::model::store_error::StoreError;
use crate::platform::keys::KeyTaken;

/// Why the data of a server cannot be replaced or changed. Unless the store failed, nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum SeedError {
    /// The data does not fit together.
    #[error("{0}")]
    Data(DataError),
    /// The items that exist do not fit the changed data.
    #[error("existing items conflict with the new data; reset first, or include them in it: {0}")]
    Items(DataError),
    /// An API key in the data belongs to another name.
    #[error(transparent)]
    Key(#[from] KeyTaken),
    /// The server keeps its items in a directory, which belongs to the data that it started with.
    #[error("the server keeps its items in a directory, which belongs to its data; start it without --state")]
    Durable,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
