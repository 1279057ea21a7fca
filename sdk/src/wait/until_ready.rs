//! Waits for one item.

use std::fmt::Display;
use std::marker::PhantomData;
use std::time::Duration;

use super::poller::{Pace, Poller};
use super::progress::Progress;
use crate::builder::missing;
use crate::call::argument::Argument;
use crate::call::state::{Async, Given, IsGiven};
use crate::generated::operations::GET_ITEM_STATUS;
use crate::types::{ItemStatus, PipelineItem};
use crate::{Client, Error, PipelineId, PipelineItemId, ResponseValue};

impl Client {
    /// Waits until an item is ready: its document is indexed, its questions are answered, and its entity data
    /// is available.
    ///
    /// ```
    /// # use platform_sdk::Client;
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), platform_sdk::Error> {
    /// # let server = platform_server_stub::Server::built_in();
    /// # let client = Client::builder().service(server.router()).api_key("dev-read-only").build()?;
    /// use std::time::Duration;
    ///
    /// let wait = client
    ///     .wait_until_ready()
    ///     .pipeline_id(2)
    ///     .pipeline_item_id(200_001)
    ///     .timeout(Duration::from_secs(60));
    /// match wait.values().await {
    ///     Ok(item) => println!("{} values", item.values.len()),
    ///     Err(error) if error.is_timeout() => println!("{error}"),
    ///     // get_item_status: item 200001 of pipeline 2 is not ready after 59.5s: custom_questions_answered is missing
    ///     Err(error) => return Err(error),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// An importer can wait for many at once:
    ///
    /// ```
    /// # use platform_sdk::Client;
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), platform_sdk::Error> {
    /// # let server = platform_server_stub::Server::built_in();
    /// # let client = Client::builder().service(server.router()).api_key("dev-read-only").build()?;
    /// # let added = client.list_items().pipeline_id(2).send().await?.into_inner().items;
    /// use futures::stream::{self, StreamExt};
    ///
    /// let waits = added.iter().map(|item| client.wait_until_ready().item(item).values());
    /// let mut ready = stream::iter(waits).buffer_unordered(16);
    /// while let Some(item) = ready.next().await {
    ///     match item {
    ///         Ok(item) => println!("{} is ready", item.pipeline_item_id),
    ///         Err(error) => eprintln!("{error}"),
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn wait_until_ready(&self) -> WaitUntilReady<missing::pipeline_id, missing::pipeline_item_id> {
        WaitUntilReady::begin(self.clone(), Async)
    }
}

/// Request of [`wait_until_ready`](Client::wait_until_ready).
///
/// It polls the status immediately, then at growing intervals. A poll that fails transiently (network, 429,
/// 5xx) is retried according to the retry policy. If the retries fail too, the wait continues with the next
/// poll. The last poll starts half a second before the timeout.
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// use std::time::Duration;
///
/// let item = client
///     .wait_until_ready()
///     .pipeline_id(2)
///     .pipeline_item_id(200_013)
///     .timeout(Duration::from_secs(600))
///     .poll_every(Duration::from_secs(2), Duration::from_secs(30))
///     .values()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until it is awaited"]
pub struct WaitUntilReady<PipelineIdState = Given, PipelineItemIdState = Given, M = Async> {
    client: Client,
    pipeline_id: Argument<PipelineId>,
    pipeline_item_id: Argument<PipelineItemId>,
    pace: Pace,
    mode: M,
    state: PhantomData<(PipelineIdState, PipelineItemIdState)>,
}

impl<M> WaitUntilReady<missing::pipeline_id, missing::pipeline_item_id, M> {
    pub(crate) fn begin(client: Client, mode: M) -> Self {
        Self {
            client,
            pipeline_id: Argument::Missing,
            pipeline_item_id: Argument::Missing,
            pace: Pace::default(),
            mode,
            state: PhantomData,
        }
    }
}

impl<P, I, M> WaitUntilReady<P, I, M> {
    /// Sets the pipeline.
    pub fn pipeline_id<V>(mut self, id: V) -> WaitUntilReady<Given, I, M>
    where
        V: TryInto<PipelineId>,
        V::Error: Display,
    {
        self.pipeline_id = Argument::of(id);
        self.turned(|mode| mode)
    }

    /// Sets the item.
    pub fn pipeline_item_id<V>(mut self, id: V) -> WaitUntilReady<P, Given, M>
    where
        V: TryInto<PipelineItemId>,
        V::Error: Display,
    {
        self.pipeline_item_id = Argument::of(id);
        self.turned(|mode| mode)
    }

    /// Sets the item and its pipeline from a listed or added item.
    pub fn item(self, item: &PipelineItem) -> WaitUntilReady<Given, Given, M> {
        self.pipeline_id(item.pipeline_id)
            .pipeline_item_id(item.pipeline_item_id)
    }

    pub(crate) fn turned<P2, I2, N>(self, turn: impl FnOnce(M) -> N) -> WaitUntilReady<P2, I2, N> {
        WaitUntilReady {
            client: self.client,
            pipeline_id: self.pipeline_id,
            pipeline_item_id: self.pipeline_item_id,
            pace: self.pace,
            mode: turn(self.mode),
            state: PhantomData,
        }
    }

    /// Limits the wait, including its last poll. Defaults to 5 minutes. An earlier
    /// [deadline](Client::with_deadline) of the client ends it sooner.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.pace.timeout = timeout;
        self
    }

    /// Sets the pauses between polls. Their limit is `first` after the first poll and grows by half with each
    /// further poll, up to `longest`. Defaults to 0.5 and 10 seconds; the minimum is 10 milliseconds. Each
    /// pause is a random 50% to 100% of its limit, so that waits that start together do not poll together.
    pub fn poll_every(mut self, first: Duration, longest: Duration) -> Self {
        self.pace = self.pace.with_pauses(first, longest);
        self
    }

    fn poller(self) -> Result<Poller, Error> {
        let pipeline_id = self.pipeline_id.id(&GET_ITEM_STATUS, "pipeline_id")?;
        let item_id = self.pipeline_item_id.id(&GET_ITEM_STATUS, "pipeline_item_id")?;
        Ok(Poller::begin(&self.client, pipeline_id, item_id, self.pace))
    }
}

#[cfg(feature = "blocking")]
impl<P, I, M: Clone> WaitUntilReady<P, I, M> {
    pub(crate) fn mode(&self) -> M {
        self.mode.clone()
    }
}

impl<P, I> WaitUntilReady<P, I> {
    /// Waits until the item is ready, and returns the response to the last poll.
    ///
    /// # Errors
    /// If the wait times out, the error [is a timeout](Error::is_timeout) and lists what is
    /// [missing](Error::not_ready); its source is the failure of the last poll, if it failed. Errors that
    /// polling again cannot fix end the wait immediately: 400, 401, 403, 404, 422, and an unreadable
    /// response.
    pub async fn send(self) -> Result<ResponseValue<ItemStatus>, Error>
    where
        P: IsGiven,
        I: IsGiven,
    {
        self.poller()?.last().await
    }

    /// Waits until the item is ready, then reads its values, which are complete.
    ///
    /// # Errors
    /// Returns the errors of [`send`](Self::send) and of [`get_item_values`](Client::get_item_values).
    pub async fn values(self) -> Result<ResponseValue<PipelineItem>, Error>
    where
        P: IsGiven,
        I: IsGiven,
    {
        let client = self.client.clone();
        let status = self.send().await?;
        let request = client
            .get_item_values()
            .pipeline_id(status.pipeline_id)
            .pipeline_item_id(status.pipeline_item_id);
        request.send().await
    }

    /// Returns a stream of the status at each poll; the last status is ready. The wait starts now.
    ///
    /// ```
    /// # use platform_sdk::Client;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), platform_sdk::Error> {
    /// # let server = platform_server_stub::Server::built_in();
    /// # let client = Client::builder().service(server.router()).api_key("dev-read-only").build()?;
    /// use platform_sdk::wait::Stage;
    ///
    /// let wait = client.wait_until_ready().pipeline_id(2).pipeline_item_id(200_001);
    /// let mut progress = wait.progress()?;
    /// while let Some(status) = progress.next().await {
    ///     let status = status?;
    ///     let done = Stage::ALL.iter().filter(|stage| stage.is_done(&status)).count();
    ///     println!("{done} of {} stages", Stage::ALL.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// An id is invalid; nothing is sent. The stream ends with the errors of [`send`](Self::send).
    pub fn progress(self) -> Result<Progress, Error>
    where
        P: IsGiven,
        I: IsGiven,
    {
        Ok(Progress::new(self.poller()?))
    }
}
