//! Waits: what the service works on in the background, polled until it is done.
//!
//! A wait polls the status of an item at once, and then after pauses that grow, until the item is ready or
//! time is up. One poller does it, whether its end is awaited or its progress watched as a stream. Nothing is
//! polled here that nobody awaits: no task is spawned, and what time it is, is the client's
//! [`Clock`](crate::Clock) to say.

mod add_and_wait;
mod all;
mod poller;
mod progress;
mod until_ready;

pub use self::add_and_wait::AddOrganizationAndWait;
pub use self::all::{AllReady, WaitUntilAllReady};
pub use self::progress::Progress;
pub use self::until_ready::WaitUntilReady;
pub use crate::error::{NotReady, Stage};
