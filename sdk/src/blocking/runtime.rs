//! Waiting for a future on a thread that has nothing else to do, while a thread of the client drives connections and
//! timers.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::coop::consume_budget;

use crate::call::operation::Operation;
use crate::error::{Error, Kind};

/// Twice the budget of a task, which tokio does not state: 128 in its versions 1.x. On a thread for blocking work, each
/// look takes this many polls, two microseconds together.
const POLLS: usize = 256;

/// How a request of [`blocking::Client`](crate::blocking::Client) is sent: its `send` blocks.
///
/// ```
/// use platform_sdk::Error;
/// use platform_sdk::blocking::Blocking;
/// use platform_sdk::builder::{GetItemStatus, Given};
///
/// fn is_ready(request: GetItemStatus<Given, Given, Blocking>) -> Result<bool, Error> {
///     Ok(request.send()?.is_ready)
/// }
/// ```
#[derive(Clone)]
pub struct Blocking(Arc<Driver>);

/// The runtime, which a thread drives until this is dropped.
struct Driver {
    handle: Handle,
    /// Dropped with the driver, which ends the thread.
    _alive: oneshot::Sender<()>,
}

impl Blocking {
    pub(super) fn start() -> Result<Self, Error> {
        let failed = |error: std::io::Error| {
            Error::configuration("the thread of a blocking client cannot be started")
                .with_source(error)
        };
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(failed)?;
        let handle = runtime.handle().clone();
        let (alive, dropped) = oneshot::channel();
        // The runtime ends on its own thread, because it must not within asynchronous code.
        let drive = move || drop(runtime.block_on(dropped));
        let thread = thread::Builder::new().name("platform-sdk".to_owned());
        thread.spawn(drive).map_err(failed)?;
        Ok(Self(Arc::new(Driver {
            handle,
            _alive: alive,
        })))
    }

    /// The output of `call`, which belongs to `operation`, once it is there.
    pub(crate) fn block_on<T>(
        &self,
        operation: &Operation,
        call: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        self.may_block(operation.id)?;
        self.wait_for(call)
    }

    /// Refuses to block a thread that has tasks to poll.
    pub(super) fn may_block(&self, operation: &'static str) -> Result<(), Error> {
        match is_polling() {
            true => Err(Error::new(Kind::WithinRuntime).of(operation)),
            false => Ok(()),
        }
    }

    pub(super) fn wait_for<F: Future>(&self, future: F) -> F::Output {
        // What the future spawns, and its timers, belong to the thread of the client.
        let _entered = self.0.handle.enter();
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut context = Context::from_waker(&waker);
        let mut future = pin!(future);
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                return output;
            }
            thread::park();
        }
    }
}

/// Whether a task of tokio is polled on this thread. That a runtime is at hand does not mean it: a thread for blocking
/// work has one too. But only a task has a budget that it can use up.
fn is_polling() -> bool {
    if Handle::try_current().is_err() {
        return false;
    }
    let mut context = Context::from_waker(Waker::noop());
    (0..POLLS).any(|_| pin!(consume_budget()).poll(&mut context).is_pending())
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl fmt::Debug for Blocking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Blocking")
    }
}
