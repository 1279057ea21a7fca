//! Last known state of an item that did not become ready in time.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use super::{Error, Kind};
use crate::types::ItemStatus;
use crate::types::ids::{PipelineId, PipelineItemId};

/// A wait that ended before the item was ready: its last status and its missing stages.
///
/// ```
/// # use platform_sdk::Client;
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), platform_sdk::Error> {
/// # let server = platform_server_stub::Server::built_in();
/// # let client = Client::builder().service(server.router()).api_key("dev-full-access").build()?;
/// use std::time::Duration;
/// use platform_sdk::wait::Stage;
///
/// let item = client.ensure_organization().pipeline_id(6).organization_id(1001).send().await?.item;
/// let wait = client.wait_until_ready().item(&item).timeout(Duration::from_secs(2));
/// let error = wait.send().await.unwrap_err();
///
/// let not_ready = error.not_ready().expect("its questions take longer");
/// assert!(not_ready.missing().eq([Stage::CustomQuestionsAnswered]));
/// assert!(not_ready.last_status().is_some_and(|status| status.platform_entity_data_ready));
/// println!("polled {} times in {:?}", not_ready.polls(), not_ready.waited());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NotReady {
    pub(crate) pipeline_id: PipelineId,
    pub(crate) pipeline_item_id: PipelineItemId,
    pub(crate) last_status: Option<ItemStatus>,
    pub(crate) waited: Duration,
    pub(crate) polls: u32,
}

impl NotReady {
    /// Returns the id of the pipeline.
    pub fn pipeline_id(&self) -> PipelineId {
        self.pipeline_id
    }

    /// Returns the id of the awaited item.
    pub fn pipeline_item_id(&self) -> PipelineItemId {
        self.pipeline_item_id
    }

    /// Returns the last status received; `None` if there was none.
    pub fn last_status(&self) -> Option<&ItemStatus> {
        self.last_status.as_ref()
    }

    /// Returns the stages that were not done in the last status, in the contract's order. Empty if no
    /// status was received, or if the status does not show why the item was not ready.
    pub fn missing(&self) -> impl Iterator<Item = Stage> + '_ {
        let open = |stage: &Stage| self.last_status().is_some_and(|last| !stage.is_done(last));
        Stage::ALL.iter().copied().filter(open)
    }

    /// Returns how long the wait took by the client's clock, up to the response to the last poll.
    pub fn waited(&self) -> Duration {
        self.waited
    }

    /// Returns how often the status was polled. Retries within a poll do not count.
    pub fn polls(&self) -> u32 {
        self.polls
    }
}

/// `item 200013 of pipeline 2 is not ready after 300s: custom_questions_answered is missing`
impl fmt::Display for NotReady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            pipeline_id,
            pipeline_item_id,
            ..
        } = self;
        // Fractions of a millisecond do not matter after a wait.
        let waited = Duration::from_millis(self.waited.as_millis().try_into().unwrap_or(u64::MAX));
        write!(f, "item {pipeline_item_id} of pipeline {pipeline_id} ")?;
        if self.last_status.is_none() {
            return write!(f, "returned no status within {waited:?}");
        }
        write!(f, "is not ready after {waited:?}")?;
        let missing: Vec<&str> = self.missing().map(Stage::as_str).collect();
        match missing.len() {
            0 => Ok(()),
            1 => write!(f, ": {} is missing", missing.concat()),
            _ => write!(f, ": {} are missing", missing.join(", ")),
        }
    }
}

/// A stage that must be done before an item is ready.
///
/// ```
/// use platform_sdk::wait::Stage;
///
/// assert_eq!(Stage::DocumentIndexed.as_str(), "document_indexed");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stage {
    /// The submitted document is fully indexed (`document_indexed`).
    DocumentIndexed,
    /// All qualifying questions have reached a terminal state (`custom_questions_answered`).
    CustomQuestionsAnswered,
    /// All required entity data of the platform is available (`platform_entity_data_ready`).
    PlatformEntityDataReady,
}

impl Stage {
    /// All stages, in the contract's order.
    pub const ALL: &[Self] = &[
        Self::DocumentIndexed,
        Self::CustomQuestionsAnswered,
        Self::PlatformEntityDataReady,
    ];

    /// Returns the contract's name of the stage.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DocumentIndexed => "document_indexed",
            Self::CustomQuestionsAnswered => "custom_questions_answered",
            Self::PlatformEntityDataReady => "platform_entity_data_ready",
        }
    }

    /// Returns whether the stage is done according to the status of an item.
    ///
    /// ```no_run
    /// # fn example(status: platform_sdk::types::ItemStatus) {
    /// use platform_sdk::wait::Stage;
    ///
    /// let done = Stage::ALL.iter().filter(|stage| stage.is_done(&status)).count();
    /// println!("{done} of {} stages", Stage::ALL.len());
    /// # }
    /// ```
    pub fn is_done(self, status: &ItemStatus) -> bool {
        match self {
            Self::DocumentIndexed => status.document_indexed,
            Self::CustomQuestionsAnswered => status.custom_questions_answered,
            Self::PlatformEntityDataReady => status.platform_entity_data_ready,
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Error {
    /// Returns the last state of a [wait](crate::Client::wait_until_ready) that timed out; `None` for
    /// every other error.
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let wait = client.wait_until_ready().pipeline_id(2).pipeline_item_id(200_013);
    /// if let Err(error) = wait.send().await {
    ///     let Some(not_ready) = error.not_ready() else { return Err(error) };
    ///     for stage in not_ready.missing() {
    ///         println!("item {} still waits for {stage}", not_ready.pipeline_item_id());
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn not_ready(&self) -> Option<&NotReady> {
        match self.kind() {
            Kind::NotReady(not_ready) => Some(not_ready),
            _ => None,
        }
    }
}
