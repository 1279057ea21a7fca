//! A store that lives as long as its process.

mod agenda;
mod catalogue;
mod facets;
mod index;
mod ledger;
mod matrix;
mod pool;

pub use self::catalogue::MemoryCatalogue;
pub use self::ledger::MemoryLedger;
