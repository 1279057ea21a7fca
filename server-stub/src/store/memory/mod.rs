//! A store that exists as long as its process.

mod catalogue;
mod categories;
mod facets;
mod facts;
mod index;
mod ledger;
mod shelf;
mod table;

pub use self::catalogue::{CatalogueBuilder, MemoryCatalogue};
pub use self::facts::{Indexed, OrganizationFacts, ProductFacts};
pub use self::ledger::MemoryLedger;
pub use self::shelf::Packed;
