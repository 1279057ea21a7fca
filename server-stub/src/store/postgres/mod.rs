//! A ledger in a PostgreSQL database. It outlives its process, and several servers with the same data share it and
//! behave as one. Searches are from memory, unless the database is to carry them out.
//!
//! The database decides what one server cannot know: ids, whether an organization is already in a pipeline, and who
//! holds a change. It does not decide the time. What is read is read from the database each time, so every server sees
//! what any of them has confirmed.

mod additions;
mod catalogue;
mod connections;
mod copy;
mod error;
mod format;
mod ledger;
mod rows;
mod searched;
mod settings;
mod sort_key;

pub use self::catalogue::PostgresCatalogue;
pub use self::error::PostgresError;
pub use self::ledger::PostgresLedger;
pub use self::settings::PostgresSettings;
