//! Waits for many items of one pipeline.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::marker::PhantomData;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;
use serde::{Serialize, Serializer};

use super::poller::Pace;
use crate::builder::missing;
use crate::call::argument::Argument;
use crate::call::state::{Async, Given, IsGiven};
use crate::error::Error;
use crate::generated::Client;
use crate::generated::operations::GET_ITEM_STATUS;
use crate::paging::{Event, Reaction};
use crate::types::ids::{OrganizationId, PipelineId, PipelineItemId};
use crate::types::{ItemStatus, SortOrder};

/// Number of statuses requested concurrently.
const CONCURRENCY: usize = 8;

impl Client {
    /// Waits until many items of a pipeline are ready. It polls the list of the pipeline, newest items first,
    /// and requests the status of an item only after the list shows that its questions are answered. A poll
    /// therefore costs one page per thousand items instead of one request per item.
    ///
    /// ```
    /// # use platform_sdk::Client;
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), platform_sdk::Error> {
    /// # let server = platform_server_stub::Server::built_in();
    /// # let client = Client::builder().service(server.router()).api_key("dev-full-access").build()?;
    /// use std::time::Duration;
    ///
    /// let mut added = Vec::new();
    /// for organization in 1001..1006 {
    ///     let ensured = client.ensure_organization().pipeline_id(6).organization_id(organization).send().await?;
    ///     added.push(ensured.item.pipeline_item_id);
    /// }
    /// let waited = client
    ///     .wait_until_all_ready()
    ///     .pipeline_id(6)
    ///     .items(added)
    ///     .timeout(Duration::from_secs(600))
    ///     .send()
    ///     .await?;
    /// println!("{} ready, {} not", waited.ready.len(), waited.not_ready.len());
    /// assert!(waited.not_ready.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn wait_until_all_ready(&self) -> WaitUntilAllReady<missing::pipeline_id> {
        WaitUntilAllReady::begin(self.clone(), Async)
    }
}

/// Request of [`wait_until_all_ready`](Client::wait_until_all_ready).
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// use std::time::Duration;
///
/// let wait = client.wait_until_all_ready().pipeline_id(2).items([200_001, 200_002]);
/// let wait = wait.poll_every(Duration::from_secs(2), Duration::from_secs(30));
/// let waited = wait.timeout(Duration::from_secs(60)).send().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until it is awaited"]
pub struct WaitUntilAllReady<PipelineIdState = Given, M = Async> {
    client: Client,
    pipeline_id: Argument<PipelineId>,
    items: BTreeSet<PipelineItemId>,
    organizations: BTreeSet<OrganizationId>,
    pace: Pace,
    mode: M,
    state: PhantomData<PipelineIdState>,
}

/// Result of waiting for many items.
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// let waited = client.wait_until_all_ready().pipeline_id(2).items([200_001]).send().await?;
/// for item in &waited.not_ready {
///     println!("item {item} is not ready after {:?} and {} polls", waited.waited, waited.polls);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AllReady {
    /// Statuses of the ready items, in the order in which they became known.
    pub ready: Vec<ItemStatus>,
    /// Items that were not ready at the timeout.
    pub not_ready: BTreeSet<PipelineItemId>,
    /// Organizations that were not in the list of the pipeline at the timeout.
    pub not_found: BTreeSet<OrganizationId>,
    /// Duration of the wait, by the client's clock. Serialized as `waited_seconds`.
    #[serde(rename = "waited_seconds", serialize_with = "as_seconds")]
    pub waited: Duration,
    /// Number of times the list was read.
    pub polls: u32,
}

fn as_seconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64())
}

impl<M> WaitUntilAllReady<missing::pipeline_id, M> {
    pub(crate) fn begin(client: Client, mode: M) -> Self {
        Self {
            client,
            pipeline_id: Argument::Missing,
            items: BTreeSet::new(),
            organizations: BTreeSet::new(),
            pace: Pace::default(),
            mode,
            state: PhantomData,
        }
    }
}

impl<P, M> WaitUntilAllReady<P, M> {
    /// Sets the pipeline.
    pub fn pipeline_id<V>(mut self, id: V) -> WaitUntilAllReady<Given, M>
    where
        V: TryInto<PipelineId>,
        V::Error: Display,
    {
        self.pipeline_id = Argument::of(id);
        self.turned(|mode| mode)
    }

    pub(crate) fn turned<P2, N>(self, turn: impl FnOnce(M) -> N) -> WaitUntilAllReady<P2, N> {
        WaitUntilAllReady {
            client: self.client,
            pipeline_id: self.pipeline_id,
            items: self.items,
            organizations: self.organizations,
            pace: self.pace,
            mode: turn(self.mode),
            state: PhantomData,
        }
    }

    /// Adds items to wait for.
    pub fn items<I: Into<PipelineItemId>>(mut self, items: impl IntoIterator<Item = I>) -> Self {
        self.items.extend(items.into_iter().map(Into::into));
        self
    }

    /// Adds organizations: the wait covers their items. Use it after an [import](Client::ensure_organizations), which
    /// does not return item ids.
    ///
    /// ```
    /// # use platform_sdk::Client;
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), platform_sdk::Error> {
    /// # let server = platform_server_stub::Server::built_in();
    /// # let client = Client::builder().service(server.router()).api_key("dev-full-access").build()?;
    /// use futures::{StreamExt, stream};
    ///
    /// let import = client.ensure_organizations().pipeline_id(6);
    /// let added = import.send(stream::iter([1001, 1002])).await?;
    /// let added: Vec<_> = added.filter_map(async |(id, presence)| presence.ok().map(|_| id)).collect().await;
    ///
    /// let wait = client.wait_until_all_ready().pipeline_id(6).organizations(added);
    /// let waited = wait.send().await?;
    /// assert_eq!(waited.ready.len(), 2);
    /// assert!(waited.not_found.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn organizations<I>(mut self, organizations: impl IntoIterator<Item = I>) -> Self
    where
        I: Into<OrganizationId>,
    {
        self.organizations.extend(organizations.into_iter().map(Into::into));
        self
    }

    /// Limits the whole wait. Defaults to 5 minutes. An earlier [deadline](Client::with_deadline) of the
    /// client ends it sooner.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.pace.timeout = timeout;
        self
    }

    /// Sets the pauses between polls: see [`WaitUntilReady::poll_every`](super::WaitUntilReady::poll_every).
    pub fn poll_every(mut self, first: Duration, longest: Duration) -> Self {
        self.pace = self.pace.with_pauses(first, longest);
        self
    }
}

#[cfg(feature = "blocking")]
impl<P, M: Clone> WaitUntilAllReady<P, M> {
    pub(crate) fn mode(&self) -> M {
        self.mode.clone()
    }
}

impl<P> WaitUntilAllReady<P> {
    /// Waits until all items are ready or the timeout expires.
    ///
    /// # Errors
    /// The pipeline cannot be read, or an item is not in it. A [transient](Error::is_transient) failure does
    /// not end the wait.
    pub async fn send(self) -> Result<AllReady, Error>
    where
        P: IsGiven,
    {
        let pipeline_id = self.pipeline_id.id(&GET_ITEM_STATUS, "pipeline_id")?;
        let started = self.client.core.now();
        let client = self.client.ending_by(started.checked_add(self.pace.timeout));
        let (mut waiting, mut not_found) = (self.items, self.organizations);
        let (mut ready, mut polls) = (Vec::new(), 0_u32);
        while !(waiting.is_empty() && not_found.is_empty()) {
            if polls > 0 {
                let pause = self.pace.pause(polls, fastrand::f64());
                let left = client.core.time_until(client.core.options.deadline);
                if left.is_some_and(|left| left <= pause) {
                    break;
                }
                client.core.sleep(pause).await;
            }
            polls = polls.saturating_add(1);
            match poll(&client, pipeline_id, &mut waiting, &mut not_found).await {
                Ok(now) => {
                    for status in &now {
                        waiting.remove(&status.pipeline_item_id);
                    }
                    ready.extend(now);
                }
                Err(error) if error.is_transient() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(AllReady {
            ready,
            not_ready: waiting,
            not_found,
            waited: client.core.now().saturating_duration_since(started),
            polls,
        })
    }
}

/// Returns the statuses of the items that are ready. Starts waiting for the items of organizations that it
/// finds.
async fn poll(
    client: &Client,
    pipeline_id: PipelineId,
    waiting: &mut BTreeSet<PipelineItemId>,
    not_found: &mut BTreeSet<OrganizationId>,
) -> Result<Vec<ItemStatus>, Error> {
    let list = client.list_items().pipeline_id(pipeline_id).sort_order(SortOrder::Desc);
    let walk = list.walk().on_drift(Reaction::Ignore).on_unreadable(Reaction::Ignore);
    let mut events = walk.events()?;
    let mut unseen = waiting.clone();
    let mut answered = Vec::new();
    while !(unseen.is_empty() && not_found.is_empty()) {
        let Some(event) = events.next().await else {
            break;
        };
        let Event::Item(item) = event? else { continue };
        let id = item.pipeline_item_id;
        let is_found = item
            .organization_id
            .is_some_and(|organization| not_found.remove(&organization));
        if is_found {
            waiting.insert(id);
        }
        if (unseen.remove(&id) || is_found) && item.values.pending().next().is_none() {
            answered.push(id);
        }
    }
    drop(events);
    // For an item that is not in the list, the status request returns the reason.
    answered.extend(unseen);
    let statuses = answered.into_iter().map(|item| {
        let request = client.get_item_status().pipeline_id(pipeline_id).pipeline_item_id(item);
        async { request.send().await.map(crate::ResponseValue::into_inner) }
    });
    let mut statuses = stream::iter(statuses).buffer_unordered(CONCURRENCY);
    let mut ready = Vec::new();
    while let Some(status) = statuses.next().await {
        match status {
            Ok(status) if status.is_ready => ready.push(status),
            Ok(_) => {}
            Err(error) if error.is_transient() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(ready)
}
