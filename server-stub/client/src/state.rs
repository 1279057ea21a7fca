//! The state of the server as a whole.

use reqwest::Method;
use serde_json::value::RawValue;

use crate::client::EmulatorClient;
use crate::error::Error;

/// The items of a server, their pending work and its time. It belongs to the data that it was taken from.
#[derive(Debug, Clone)]
pub struct Snapshot(Box<RawValue>);

impl Snapshot {
    /// The snapshot as JSON, to be kept in a file.
    pub fn as_json(&self) -> &str {
        self.0.get()
    }

    /// Reads a snapshot from JSON. The server checks it completely before anything changes.
    ///
    /// # Errors
    /// [`Error::Unexpected`] if it is not JSON.
    pub fn from_json(json: impl Into<String>) -> Result<Self, Error> {
        RawValue::from_string(json.into()).map(Self).map_err(Error::Unexpected)
    }
}

impl EmulatorClient {
    /// Resets to the initial state: items, time, plans, keys, quotas, faults and the recorded requests.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn reset(&self) -> Result<(), Error> {
        self.done(self.request(Method::POST, "/reset")).await
    }

    /// Takes a snapshot of the items, their work and the time.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn take_snapshot(&self) -> Result<Snapshot, Error> {
        self.get("/snapshot").await.map(Snapshot)
    }

    /// Goes back to a snapshot of the same data. Faults, plans, keys, quotas and recorded requests stay.
    ///
    /// # Errors
    /// [`Error::Rejected`] if it is damaged, or belongs to other data.
    pub async fn restore_snapshot(&self, snapshot: &Snapshot) -> Result<(), Error> {
        self.done(self.request(Method::PUT, "/snapshot").json(&snapshot.0))
            .await
    }
}
