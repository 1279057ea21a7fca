//! The limits of a client.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::transport::attempt::Recorder;
use crate::transport::rate::Rate;

/// The limits on the number and rate of requests.
#[derive(Debug)]
pub(crate) struct Limits {
    /// The time limit for one response.
    pub(crate) timeout: Duration,
    /// Requests in flight at once.
    pub(crate) in_flight: usize,
    /// The request rate.
    pub(crate) rate: Option<Rate>,
    /// Requests of the run.
    pub(crate) total: u64,
    /// The requests among them that are retries.
    pub(crate) retries: u64,
    /// The non-read requests among them; 0 when writes are not allowed.
    pub(crate) additions: u64,
    /// The limit on a body.
    pub(crate) max_body_bytes: u64,
    /// Receives every attempt.
    pub(crate) recorder: Option<Arc<dyn Recorder>>,
    /// Ends the run when it is cancelled: nothing more is sent.
    pub(crate) interrupt: CancellationToken,
    /// Also ends the wait for requests in flight.
    pub(crate) abandon: CancellationToken,
}
