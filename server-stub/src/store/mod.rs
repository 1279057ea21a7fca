//! Where the platform keeps its records and items, in terms that a database can meet.
//!
//! What does not change is in a [`Catalogue`], what changes in a [`Ledger`]. No decision about what may be done is
//! taken here, no work is carried out, and nothing here knows what time it is.

mod catalogue;
mod ledger;
mod memory;
mod pool;
mod redb;
mod view;

pub use self::catalogue::Catalogue;
pub use self::ledger::{Added, Claim, Completed, DueChange, Ledger, Record};
pub use self::memory::{CatalogueBuilder, MemoryCatalogue, MemoryLedger, Packed};
pub(crate) use self::pool::Pool;
pub use self::redb::{RedbLedger, StateError};
