//! A store that lives as long as its process.

mod catalogue;
mod facets;
mod index;
mod ledger;
mod matrix;

pub use self::catalogue::MemoryCatalogue;
pub use self::ledger::MemoryLedger;
