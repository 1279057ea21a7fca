//! What a store may fail with.

/// Why a store did not do its work. What a caller reads says no more than the first line; the source is
/// for the log.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Every item id up to 2^53 − 1 has been given out.
    #[error("there is no item id left")]
    NoItemIdLeft,
    /// More searches wait than the store can do in time. Trying again later may succeed.
    #[error("too many searches are waiting")]
    Busy,
    /// The storage behind the store failed.
    #[error("the storage failed")]
    Storage(#[source] Box<dyn std::error::Error + Send + Sync>),
}
