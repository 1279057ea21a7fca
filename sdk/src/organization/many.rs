//! Adds many organizations to a pipeline that may already have some of them.

use std::collections::HashSet;
use std::fmt::Display;
use std::marker::PhantomData;

use futures_core::Stream;
use futures_util::StreamExt;

use crate::builder::missing;
use crate::call::argument::Argument;
use crate::call::state::{Async, Given, IsGiven};
use crate::error::Error;
use crate::generated::Client;
use crate::generated::operations::ADD_ORGANIZATION;
use crate::organization::ensure::Presence;
use crate::paging::{Event, Reaction};
use crate::types::ids::{OrganizationId, PipelineId};

/// Default number of organizations added concurrently.
const CONCURRENCY: usize = 8;

impl Client {
    /// Adds many organizations to a pipeline, each exactly once. The pipeline is read once, so organizations
    /// that are already there cost no request. The others are added concurrently, within the quota of the
    /// key.
    ///
    /// ```
    /// # use platform_sdk::Client;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), platform_sdk::Error> {
    /// # let server = platform_server_stub::Server::built_in();
    /// # let client = Client::builder().service(server.router()).api_key("dev-full-access").build()?;
    /// use futures::StreamExt;
    /// use platform_sdk::Presence;
    ///
    /// let import = client.ensure_organizations().pipeline_id(6);
    /// let mut ensured = import.clone().send(futures::stream::iter([1001, 1002, 1003])).await?;
    /// while let Some((organization, presence)) = ensured.next().await {
    ///     match presence {
    ///         Ok(presence) => println!("{organization}: {presence}"),
    ///         Err(error) => eprintln!("{organization}: {error}"),
    ///     }
    /// }
    ///
    /// let again = import.send(futures::stream::iter([1001, 1002, 1003])).await?;
    /// let again: Vec<_> = again.filter_map(async |(_, presence)| presence.ok()).collect().await;
    /// assert_eq!(again, [Presence::AlreadyThere; 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn ensure_organizations(&self) -> EnsureOrganizations<missing::pipeline_id> {
        EnsureOrganizations::begin(self.clone(), Async)
    }
}

/// Request of [`ensure_organizations`](Client::ensure_organizations).
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// use futures::{StreamExt, stream};
///
/// let request = client.ensure_organizations().pipeline_id(6).concurrency(16);
/// let ensured = request.send(stream::iter(1001..2001)).await?;
/// println!("{} organizations", ensured.count().await);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until `send` is called"]
pub struct EnsureOrganizations<PipelineIdState = Given, M = Async> {
    client: Client,
    pipeline_id: Argument<PipelineId>,
    concurrency: usize,
    mode: M,
    state: PhantomData<PipelineIdState>,
}

impl<M> EnsureOrganizations<missing::pipeline_id, M> {
    pub(crate) fn begin(client: Client, mode: M) -> Self {
        Self {
            client,
            pipeline_id: Argument::Missing,
            concurrency: CONCURRENCY,
            mode,
            state: PhantomData,
        }
    }
}

impl<P, M> EnsureOrganizations<P, M> {
    /// Sets the pipeline.
    pub fn pipeline_id<V>(mut self, id: V) -> EnsureOrganizations<Given, M>
    where
        V: TryInto<PipelineId>,
        V::Error: Display,
    {
        self.pipeline_id = Argument::of(id);
        self.turned(|mode| mode)
    }

    pub(crate) fn turned<P2, N>(self, turn: impl FnOnce(M) -> N) -> EnsureOrganizations<P2, N> {
        EnsureOrganizations {
            client: self.client,
            pipeline_id: self.pipeline_id,
            concurrency: self.concurrency,
            mode: turn(self.mode),
            state: PhantomData,
        }
    }

    /// Sets how many organizations are added concurrently. Defaults to 8; 0 counts as 1. The quota of the key is
    /// respected in any case.
    pub fn concurrency(mut self, organizations: usize) -> Self {
        self.concurrency = organizations.max(1);
        self
    }
}

#[cfg(feature = "blocking")]
impl<P, M: Clone> EnsureOrganizations<P, M> {
    pub(crate) fn mode(&self) -> M {
        self.mode.clone()
    }
}

impl<P> EnsureOrganizations<P> {
    /// Reads the pipeline, then adds the missing organizations. The stream yields each of `organizations`
    /// with its result, in order of completion. It sends requests only while it is polled.
    ///
    /// # Errors
    /// The pipeline id is invalid, or the pipeline cannot be read. If an organization cannot be added,
    /// the stream yields an error of [`EnsureWithoutItem::send`](crate::EnsureWithoutItem::send) for it
    /// and continues.
    pub async fn send<S>(
        self,
        organizations: S,
    ) -> Result<impl Stream<Item = (OrganizationId, Result<Presence, Error>)> + Unpin + use<S, P>, Error>
    where
        S: Stream<Item: Into<OrganizationId>>,
        P: IsGiven,
    {
        let pipeline_id = self.pipeline_id.id(&ADD_ORGANIZATION, "pipeline_id")?;
        let present = self.present(pipeline_id).await?;
        let request = self.client.ensure_organization().pipeline_id(pipeline_id);
        let ensured = organizations.map(move |organization| {
            let organization = organization.into();
            let is_there = present.contains(&organization);
            let request = request.clone().organization_id(organization);
            async move {
                let presence = match is_there {
                    true => Ok(Presence::AlreadyThere),
                    false => request.without_item().send().await,
                };
                (organization, presence)
            }
        });
        Ok(Box::pin(ensured.buffer_unordered(self.concurrency)))
    }

    /// Returns the organizations in the pipeline. If a concurrent change hides one, adding it returns 409.
    async fn present(&self, pipeline_id: PipelineId) -> Result<HashSet<OrganizationId>, Error> {
        let walk = self.client.list_items().pipeline_id(pipeline_id).walk();
        let walk = walk.on_drift(Reaction::Ignore).on_unreadable(Reaction::Ignore);
        let mut events = walk.events()?;
        let mut present = HashSet::new();
        while let Some(event) = events.next().await {
            if let Event::Item(item) = event? {
                present.extend(item.organization_id);
            }
        }
        Ok(present)
    }
}
