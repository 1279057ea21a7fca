//! Blocks a thread on a future, while a thread of the client drives connections and timers.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::coop::consume_budget;

use crate::call::operation::Operation;
use crate::error::{Error, Kind};

/// Twice the budget of a task. tokio does not document the budget; it is 128 in 1.x. On a blocking thread,
/// each check makes this many polls, which take two microseconds in total.
const POLLS: usize = 256;

/// Mode of the requests of [`blocking::Client`](crate::blocking::Client): `send` blocks.
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

/// The runtime, driven by a thread until this is dropped.
struct Driver {
    handle: Handle,
    /// Dropped with the driver, which ends the thread.
    _alive: oneshot::Sender<()>,
}

impl Blocking {
    pub(super) fn start() -> Result<Self, Error> {
        let failed = |error: std::io::Error| {
            Error::configuration("the thread of a blocking client cannot be started").with_source(error)
        };
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(failed)?;
        let handle = runtime.handle().clone();
        let (alive, dropped) = oneshot::channel();
        // Drops the runtime on its own thread, because it must not be dropped in async code.
        let drive = move || drop(runtime.block_on(dropped));
        let thread = thread::Builder::new().name("platform-sdk".to_owned());
        thread.spawn(drive).map_err(failed)?;
        Ok(Self(Arc::new(Driver { handle, _alive: alive })))
    }

    /// Blocks until `call`, which belongs to `operation`, completes.
    pub(crate) fn block_on<T>(
        &self,
        operation: &Operation,
        call: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        self.may_block(operation.id)?;
        self.wait_for(call)
    }

    /// Returns an error if blocking this thread would block a task.
    pub(super) fn may_block(&self, operation: &'static str) -> Result<(), Error> {
        match is_polling() {
            true => Err(Error::new(Kind::WithinRuntime).of(operation)),
            false => Ok(()),
        }
    }

    pub(super) fn wait_for<F: Future>(&self, future: F) -> F::Output {
        // Tasks and timers of the future run on the client's thread.
        let _entered = self.0.handle.enter();
        let alarm = Arc::new(Alarm {
            thread: thread::current(),
            has_rung: AtomicBool::new(false),
        });
        let waker = Waker::from(Arc::clone(&alarm));
        let mut context = Context::from_waker(&waker);
        let mut future = pin!(future);
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                return output;
            }
            // A hook of the app may have blocked on another call meanwhile, and consumed this call's wakeup.
            while !alarm.has_rung.swap(false, Ordering::AcqRel) {
                thread::park();
            }
        }
    }
}

/// Returns whether this thread is polling a tokio task. A runtime handle does not prove it: blocking threads
/// have one too. Only a task has a budget that can run out.
fn is_polling() -> bool {
    if Handle::try_current().is_err() {
        return false;
    }
    let mut context = Context::from_waker(Waker::noop());
    (0..POLLS).any(|_| pin!(consume_budget()).poll(&mut context).is_pending())
}

/// Wakes the thread that waits for a future.
struct Alarm {
    thread: Thread,
    has_rung: AtomicBool,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.has_rung.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

impl fmt::Debug for Blocking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Blocking")
    }
}
