//! The errors of a store.

/// Why a store failed. A caller sees only the message; the source is for the log.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Every item id up to 2^53 − 1 is taken.
    #[error("there is no item id left")]
    NoItemIdLeft,
    /// Too many callers are waiting. Trying again later may succeed.
    #[error("too many callers are waiting")]
    Busy,
    /// The storage behind the store cannot be reached or does not answer in time. Trying again later may succeed. A
    /// change may have been made, if its confirmation was lost.
    #[error("the storage cannot be reached")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The storage behind the store failed.
    #[error("the storage failed")]
    Storage(#[source] Box<dyn std::error::Error + Send + Sync>),
}
