//! A ledger that outlives its process: it keeps items and work in a redb database file.
//!
//! An addition is confirmed after the disk has confirmed it, so it survives `kill -9` and a power cut. Additions that
//! arrive at the same time share one disk confirmation. Items are read from memory, like those of the memory store.
//!
//! The file holds the changes since the data set that it was created with. The [`View`](super::view::View) holds the
//! result of both.

mod error;
mod file;
mod ledger;
mod tables;
mod writer;

pub use self::error::StateError;
pub use self::ledger::RedbLedger;
