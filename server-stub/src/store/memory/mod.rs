//! A store that exists as long as its process.

mod catalogue;
mod facets;
mod index;
mod ledger;
mod matrix;
mod rows;
mod shelf;
mod table;

pub use self::catalogue::{CatalogueBuilder, MemoryCatalogue};
pub use self::ledger::MemoryLedger;
pub use self::shelf::Packed;
