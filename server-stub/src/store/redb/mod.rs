//! A ledger that outlives its process: items and work in a file, for which redb cares.
//!
//! An addition is answered when it is in the file and the disk has confirmed it, so that neither `kill -9` nor a power
//! cut takes it back; additions that come at the same time share one confirmation. Items are read from memory, as those
//! of the memory store are.
//!
//! The file holds what has changed since the data that it was begun with, and the [`View`](super::view::View) is what
//! both come to.

mod error;
mod file;
mod ledger;
mod tables;
mod writer;

pub use self::error::StateError;
pub use self::ledger::RedbLedger;
