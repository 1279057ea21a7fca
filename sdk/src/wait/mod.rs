//! Waits for background work of the service, by polling.
//!
//! A wait polls the status of an item immediately, then at growing intervals, until the item is ready or the
//! timeout expires. One poller serves both the awaited call and the progress stream. It spawns no task, polls
//! only while it is awaited, and takes the time from the client's [`Clock`](crate::Clock).

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
