//! A fault that is injected into responses: what goes wrong, for which requests, and how often.

use std::time::Duration;

use axum::http::StatusCode;

use super::delay::Delay;
use super::operation::Operation;
use crate::wire::ProblemCode;

/// A fault to inject. It applies to the operations of the contract, before the key is checked; never to `/__admin`,
/// `/healthz`, `/readyz` or the documents.
///
/// ```
/// use std::time::Duration;
///
/// use platform_server_stub::control::{Delay, Fault, Operation};
/// use platform_server_stub::wire::ProblemCode;
///
/// // The next two additions get 503, with Retry-After.
/// let busy = Fault::problem(ProblemCode::Unavailable)
///     .retry_after(Duration::from_secs(1))
///     .on(Operation::AddOrganization)
///     .times(2);
/// // One request in ten takes two seconds longer.
/// let slow = Fault::delay(Delay::fixed(Duration::from_secs(2))).probability(0.1);
/// // The third request loses its connection.
/// let lost = Fault::connection_reset().after(2).times(1);
/// # let _ = (busy, slow, lost);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// The operations that it applies to; all when empty.
    pub(super) operations: Vec<Operation>,
    /// How many matching requests it lets through first.
    pub(super) after: u64,
    /// How often it applies; `None` until it is removed.
    pub(super) times: Option<u64>,
    /// The share of matching requests that it applies to, from 0 to 1.
    pub(super) probability: f64,
    pub(super) delay: Option<Delay>,
    pub(super) effect: Effect,
}

/// What happens instead of the ordinary response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing: the request is carried out.
    None,
    Problem {
        code: ProblemCode,
        /// Seconds.
        retry_after: Option<u64>,
    },
    Status {
        status: StatusCode,
        /// Seconds.
        retry_after: Option<u64>,
    },
    ConnectionReset,
    CutBody,
    Stale,
}

impl Fault {
    /// Responds with an error of the contract. The request is not carried out.
    pub fn problem(code: ProblemCode) -> Self {
        Self::of(Effect::Problem {
            code,
            retry_after: None,
        })
    }

    /// Responds with a status and no body, as a proxy in front of the platform may. The request is not carried out.
    pub fn status(status: StatusCode) -> Self {
        Self::of(Effect::Status {
            status,
            retry_after: None,
        })
    }

    /// Delays the response, which is the ordinary one. The request is carried out after the delay.
    pub fn delay(delay: Delay) -> Self {
        Self::of(Effect::None).delayed(delay)
    }

    /// Resets the connection instead of answering. The request is not carried out. Where there is no connection, in
    /// calls of a router, the response has a body that fails.
    pub fn connection_reset() -> Self {
        Self::of(Effect::ConnectionReset)
    }

    /// Cuts the body of the response in half and closes the connection. The request is carried out.
    pub fn cut_body() -> Self {
        Self::of(Effect::CutBody)
    }

    /// Responds from the items as they were when the fault was added, as a replica that lags behind. Applies only to
    /// operations that read.
    pub fn stale() -> Self {
        Self::of(Effect::Stale)
    }

    fn of(effect: Effect) -> Self {
        Self {
            operations: Vec::new(),
            after: 0,
            times: None,
            probability: 1.0,
            delay: None,
            effect,
        }
    }

    /// Limits the fault to an operation, in addition to those named earlier. Without a limit it applies to all.
    #[must_use]
    pub fn on(mut self, operation: Operation) -> Self {
        self.operations.push(operation);
        self
    }

    /// Limits how often the fault applies. Without a limit it applies until it is removed.
    #[must_use]
    pub fn times(mut self, times: u64) -> Self {
        self.times = Some(times);
        self
    }

    /// Lets this many matching requests through before the fault applies.
    #[must_use]
    pub fn after(mut self, requests: u64) -> Self {
        self.after = requests;
        self
    }

    /// Sets the share of matching requests that the fault applies to, from 0 to 1; values outside count as the nearer
    /// of the two. Which requests it applies to depends only on the seed and their order.
    #[must_use]
    pub fn probability(mut self, share: f64) -> Self {
        self.probability = share.clamp(0.0, 1.0);
        self
    }

    /// Delays the response in addition.
    #[must_use]
    pub fn delayed(mut self, delay: Delay) -> Self {
        self.delay = Some(delay);
        self
    }

    /// Adds the header `Retry-After`, in whole seconds, rounded up. It has no effect on faults without a problem or
    /// status.
    #[must_use]
    pub fn retry_after(mut self, pause: Duration) -> Self {
        let seconds = pause.as_secs() + u64::from(pause.subsec_nanos() > 0);
        match &mut self.effect {
            Effect::Problem { retry_after, .. } | Effect::Status { retry_after, .. } => {
                *retry_after = Some(seconds);
            }
            _ => {}
        }
        self
    }

    /// Whether its responses to reads are stale.
    pub(super) fn is_stale(&self) -> bool {
        self.effect == Effect::Stale
    }

    /// Whether it may apply to an operation.
    pub(super) fn matches(&self, operation: Operation) -> bool {
        let named = self.operations.is_empty() || self.operations.contains(&operation);
        named && (!self.is_stale() || operation.is_read())
    }
}
