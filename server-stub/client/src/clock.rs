//! The time of the server.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::client::EmulatorClient;
use crate::error::Error;

/// The state of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clock {
    /// The time of the server.
    pub now: DateTime<Utc>,
    /// Whether the clock is frozen.
    pub is_frozen: bool,
    /// When the next background work is due; `None` if none is left.
    pub next_due: Option<DateTime<Utc>>,
}

impl EmulatorClient {
    /// Reads the clock.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn get_clock(&self) -> Result<Clock, Error> {
        self.get("/clock").await
    }

    /// Freezes the clock.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn freeze_clock(&self) -> Result<Clock, Error> {
        self.post("/clock/freeze").await
    }

    /// Resumes the clock.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn resume_clock(&self) -> Result<Clock, Error> {
        self.post("/clock/resume").await
    }

    /// Advances the clock, by at most 100 years. Returns when all work that became due is done.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn advance_clock(&self, duration: Duration) -> Result<Clock, Error> {
        let body = json!({"seconds": duration.as_secs_f64()});
        self.post_json("/clock/advance", &body).await
    }

    /// Advances the clock until no work is left, or work was done at 100,000 moments.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn run_clock_to_idle(&self) -> Result<Clock, Error> {
        self.post("/clock/run-to-idle").await
    }
}
