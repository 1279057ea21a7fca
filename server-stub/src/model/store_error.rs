//! The errors of a store.

/// Why a store failed. A caller sees only the message; the source is for the log.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Every item id up to 2^53 − 1 is taken.
    #[error("there is no item id left")]
    NoItemIdLeft,
    /// Too many searches are waiting. Trying again later may succeed.
    #[error("too many searches are waiting")]
    Busy,
    /// The storage behind the store failed.
    #[error("the storage failed")]
    Storage(#[source] Box<dyn std::error::Error + Send + Sync>),
}
