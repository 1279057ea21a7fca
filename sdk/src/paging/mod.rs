//! Pagination: walks over all items of a request, across its pages.
//!
//! Offsets are random access, so several pages can be in flight at once. But they do not show what
//! happened between two pages, so each page is compared with the one before it. Each request with
//! `skip` and `limit` has a `walk` method, which creates a [`Walk`]. It is turned into a stream of
//! [`Items`], [`Pages`] or [`Events`], whose [`Cursor`] can be stored across processes.
//!
//! Pages are fetched only while a stream is polled: this module spawns no tasks and measures no time.
//! Attempts, timeouts and deadlines are those of the client that made the request.

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
