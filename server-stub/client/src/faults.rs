//! The faults that the server injects.

use std::time::Duration;

use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::client::EmulatorClient;
use crate::error::Error;
use crate::operation::Operation;

/// Identifies a fault that was added; counted from 1.
pub type FaultId = u64;

/// A fault to inject. It applies to the operations of the contract, before the key is checked.
///
/// ```
/// use std::time::Duration;
///
/// use platform_emulator_client::{Delay, Fault, Operation};
///
/// // The next two additions get 503, with Retry-After.
/// let busy = Fault::problem("unavailable").retry_after(Duration::from_secs(1));
/// let busy = busy.on(Operation::AddOrganization).times(2);
/// // One request in ten takes two seconds longer.
/// let slow = Fault::delay(Delay::fixed(Duration::from_secs(2))).probability(0.1);
/// # let _ = (busy, slow);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fault {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    operations: Vec<Operation>,
    after: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delay: Option<Delay>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_seconds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    connection: Option<Connection>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
}

/// How a connection breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Connection {
    /// It is reset instead of an answer. The request is not carried out.
    Reset,
    /// It is closed in the middle of the response's body. The request is carried out.
    CutBody,
}

/// A delay by the time of the machine, from 0 to 3600 seconds. A random delay depends only on the server's seed and the
/// order of requests.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Delay(Distribution);

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Distribution {
    Fixed { seconds: f64 },
    Uniform { lower_seconds: f64, upper_seconds: f64 },
    Lognormal { median_seconds: f64, sigma: f64 },
}

impl Delay {
    /// Always the same.
    pub fn fixed(delay: Duration) -> Self {
        Self(Distribution::Fixed {
            seconds: delay.as_secs_f64(),
        })
    }

    /// Any delay between two bounds, all equally likely.
    pub fn uniform(lower: Duration, upper: Duration) -> Self {
        Self(Distribution::Uniform {
            lower_seconds: lower.as_secs_f64(),
            upper_seconds: upper.as_secs_f64(),
        })
    }

    /// Delays with a long tail: half of them are shorter than the median. `sigma` is the spread, from 0 to 5.
    pub fn lognormal(median: Duration, sigma: f64) -> Self {
        Self(Distribution::Lognormal {
            median_seconds: median.as_secs_f64(),
            sigma,
        })
    }
}

impl Fault {
    /// Responds with an error of the contract, by its problem code such as `unavailable`. The request is not
    /// carried out.
    pub fn problem(code: impl Into<String>) -> Self {
        Self {
            problem: Some(code.into()),
            ..Self::default()
        }
    }

    /// Responds with a status from 200 to 599 and no body, as a proxy may. The request is not carried out.
    pub fn status(status: u16) -> Self {
        Self {
            status: Some(status),
            ..Self::default()
        }
    }

    /// Delays the response, which is the ordinary one.
    pub fn delay(delay: Delay) -> Self {
        Self::default().delayed(delay)
    }

    /// Breaks the connection.
    pub fn connection(connection: Connection) -> Self {
        Self {
            connection: Some(connection),
            ..Self::default()
        }
    }

    /// Responds from the items as they were when the fault was added; only for operations that read.
    pub fn stale() -> Self {
        Self {
            stale: true,
            ..Self::default()
        }
    }

    /// Limits the fault to an operation, in addition to those named earlier.
    #[must_use]
    pub fn on(mut self, operation: Operation) -> Self {
        self.operations.push(operation);
        self
    }

    /// Lets this many matching requests through before the fault applies.
    #[must_use]
    pub fn after(mut self, requests: u64) -> Self {
        self.after = requests;
        self
    }

    /// Limits how often the fault applies.
    #[must_use]
    pub fn times(mut self, times: u64) -> Self {
        self.times = Some(times);
        self
    }

    /// Sets the share of matching requests that the fault applies to, from 0 to 1.
    #[must_use]
    pub fn probability(mut self, share: f64) -> Self {
        self.probability = Some(share);
        self
    }

    /// Delays the response in addition.
    #[must_use]
    pub fn delayed(mut self, delay: Delay) -> Self {
        self.delay = Some(delay);
        self
    }

    /// Adds the header `Retry-After` to a problem or status, in whole seconds, rounded up.
    #[must_use]
    pub fn retry_after(mut self, pause: Duration) -> Self {
        self.retry_after_seconds = Some(pause.as_secs() + u64::from(pause.subsec_nanos() > 0));
        self
    }
}

/// A fault that was added, and how often it was applied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActiveFault {
    /// Identifies the fault.
    pub id: FaultId,
    /// Number of requests that it could have applied to.
    pub matched: u64,
    /// Number of requests that it was applied to.
    pub applied: u64,
    /// The fault.
    pub fault: Fault,
}

#[derive(Deserialize)]
struct List {
    faults: Vec<ActiveFault>,
}

impl EmulatorClient {
    /// The faults that were added and not removed, in that order. The first that applies to a request wins.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn list_faults(&self) -> Result<Vec<ActiveFault>, Error> {
        let list: List = self.get("/faults").await?;
        Ok(list.faults)
    }

    /// Adds a fault, which applies from now on.
    ///
    /// # Errors
    /// [`Error::Rejected`] if it has no effect, more than one, or a value out of range.
    pub async fn add_fault(&self, fault: &Fault) -> Result<ActiveFault, Error> {
        self.post_json("/faults", fault).await
    }

    /// Reads one fault.
    ///
    /// # Errors
    /// [`Error::Rejected`] with the status 404 if there is none with this id.
    pub async fn get_fault(&self, id: FaultId) -> Result<ActiveFault, Error> {
        self.get(&format!("/faults/{id}")).await
    }

    /// Removes one fault; returns false if there is none with this id.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn remove_fault(&self, id: FaultId) -> Result<bool, Error> {
        let path = format!("/faults/{id}");
        self.done_if_found(self.request(Method::DELETE, &path)).await
    }

    /// Removes all faults.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn clear_faults(&self) -> Result<(), Error> {
        self.done(self.request(Method::DELETE, "/faults")).await
    }
}
