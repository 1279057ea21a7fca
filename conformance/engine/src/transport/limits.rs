//! What a client may send.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::transport::attempt::Recorder;
use crate::transport::rate::Rate;

/// How much a client may send, and how fast.
#[derive(Debug)]
pub(crate) struct Limits {
    /// How long one answer may take.
    pub(crate) timeout: Duration,
    /// Requests in flight at once.
    pub(crate) in_flight: usize,
    /// How fast requests are sent.
    pub(crate) rate: Option<Rate>,
    /// Requests of the run.
    pub(crate) total: u64,
    /// Those of them that send something again.
    pub(crate) retries: u64,
    /// Those of them that do not only read; 0 when writes are not allowed.
    pub(crate) additions: u64,
    /// The longest body that is read.
    pub(crate) max_body_bytes: u64,
    /// What takes notice of every attempt.
    pub(crate) recorder: Option<Arc<dyn Recorder>>,
    /// Ends the run when it is cancelled: nothing is sent any more.
    pub(crate) interrupt: CancellationToken,
    /// Ends the wait for what is under way, too.
    pub(crate) abandon: CancellationToken,
}
