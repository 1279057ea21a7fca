//! The time that a client goes by when it waits.

use std::pin::Pin;
use std::time::{Duration, Instant};

/// The time that a client goes by between attempts, pages and polls, and that deadlines are measured in.
///
/// A test gives a client one of its own, so that nothing is waited for in truth. Time-outs of the network
/// are not its affair: an answer that does not come is waited for in real time.
///
/// ```
/// use std::pin::Pin;
/// use std::sync::{Arc, Mutex};
/// use std::time::{Duration, Instant};
///
/// use platform_sdk::{Client, Clock};
///
/// /// Who sleeps by this clock wakes at once, later.
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
    /// A time that never goes back.
    fn now(&self) -> Instant;

    /// Waits until this clock has gone on by `duration`.
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

/// The clock of the tokio runtime, which a test can pause.
pub(crate) struct TokioClock;

impl Clock for TokioClock {
    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(duration))
    }
}
