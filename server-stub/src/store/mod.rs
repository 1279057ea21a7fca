//! Where the platform keeps its records and items, behind interfaces that a database can implement.
//!
//! A [`Catalogue`] holds the data that does not change, a [`Ledger`] the data that does. The store does not decide what
//! may be done, carries out no work, and does not read the time.

mod catalogue;
mod ledger;
mod memory;
mod pool;
mod postgres;
mod redb;
mod view;

pub use self::catalogue::Catalogue;
pub use self::ledger::{Added, Claim, Completed, DueChange, Ledger, Record};
pub use self::memory::{
    CatalogueBuilder, Indexed, MemoryCatalogue, MemoryLedger, OrganizationFacts, Packed, ProductFacts,
};
pub(crate) use self::pool::Pool;
pub use self::postgres::{PostgresCatalogue, PostgresError, PostgresLedger, PostgresSettings};
pub use self::redb::{RedbLedger, StateError};
