//! The clock of a client.

use std::pin::Pin;
use std::time::{Duration, Instant};

/// The clock that a client uses for deadlines and for the delays between attempts, pages and polls.
///
/// Tests can set their own clock to skip these delays. Network timeouts do not use it; they run in
/// real time.
///
/// ```
/// use std::pin::Pin;
/// use std::sync::{Arc, Mutex};
/// use std::time::{Duration, Instant};
///
/// use platform_sdk::{Client, Clock};
///
/// /// Advances on each sleep instead of waiting.
/// #[derive(Clone)]
/// struct Skipping(Arc<Mutex<Instant>>);
///
/// impl Clock for Skipping {
///     fn now(&self) -> Instant {
///         *self.0.lock().unwrap()
///     }
///
///     fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
///         *self.0.lock().unwrap() += duration;
///         Box::pin(std::future::ready(()))
///     }
/// }
///
/// let client = Client::builder()
///     .base_url("http://127.0.0.1:8080")
///     .api_key("dev-full-access")
///     .clock(Skipping(Arc::new(Mutex::new(Instant::now()))))
///     .build()?;
/// # Ok::<(), platform_sdk::Error>(())
/// ```
pub trait Clock: Send + Sync + 'static {
    /// Returns the current time, which never goes back.
    fn now(&self) -> Instant;

    /// Waits until this clock has advanced by `duration`.
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

/// The clock of the tokio runtime, which tests can pause.
pub(crate) struct TokioClock;

impl Clock for TokioClock {
    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(duration))
    }
}
