//! Walks: all items that a request asks for, however many pages that is.
//!
//! Offsets are random access, so several pages can be on their way at once; but they say nothing of what
//! happened between two pages, so every page is held against the one before it. Each request that has
//! `skip` and `limit` has a `walk`, which begins a [`Walk`]; that is made a stream of [`Items`], [`Pages`]
//! or [`Events`], and their [`Cursor`] survives the process.
//!
//! No page is fetched here that nobody polls for: no task is spawned, and no time is measured. Attempts,
//! time-outs and deadlines are those of the client that made the request.

mod cursor;
mod drift;
mod event;
mod prefetch;
mod reaction;
pub(crate) mod rows;
pub(crate) mod source;
mod streams;
pub(crate) mod walk;
mod walker;

pub use self::cursor::{Cursor, InvalidCursor};
pub use self::event::{Event, Page};
pub use self::reaction::Reaction;
pub use self::streams::{Events, Items, Pages};
pub use self::walk::Walk;
pub use crate::error::Unreadable;
pub use crate::error::drift::Drift;

#[cfg(test)]
mod tests;
