//! A ledger that outlives its process: it keeps items and work in a file, a redb database.
//!
//! An addition is answered when the disk has confirmed it, so that it survives `kill -9` and a power cut. Additions that
//! come at the same time share one confirmation. Items are read from memory, like those of the memory store.
//!
//! The file holds what has changed since the data that it was begun with. The [`View`](super::view::View) holds the
//! result of both.

mod error;
mod file;
mod ledger;
mod tables;
mod writer;

pub use self::error::StateError;
pub use self::ledger::RedbLedger;
