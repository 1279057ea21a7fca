//! Adds an organization and waits for its item in one call.

use std::fmt::Display;
use std::time::Duration;

use super::until_ready::WaitUntilReady;
use crate::builder::missing;
use crate::call::state::{Async, Given, IsGiven};
use crate::{Client, EnsureOrganization, Ensured, Error, OrganizationId, PipelineId};

impl Client {
    /// Adds an organization to a pipeline unless it is already there, waits until its item is ready, and
    /// reads its values. It combines [`ensure_organization`](Self::ensure_organization) and
    /// [`wait_until_ready`](Self::wait_until_ready).
    ///
    /// It never adds an organization twice, so it can be called again after any error; it then waits for the
    /// existing item. To store the item id before waiting, make the two calls separately.
    ///
    /// ```
    /// # use platform_sdk::Client;
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), platform_sdk::Error> {
    /// # let server = platform_server_stub::Server::built_in();
    /// # let client = Client::builder().service(server.router()).api_key("dev-full-access").build()?;
    /// let added = client
    ///     .add_organization_and_wait()
    ///     .pipeline_id(6)
    ///     .organization_id(1001)
    ///     .send()
    ///     .await?;
    /// for (column, value) in added.item.values.iter() {
    ///     println!("{column}: {:?}", value.result);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn add_organization_and_wait(&self) -> AddOrganizationAndWait<missing::pipeline_id, missing::organization_id> {
        AddOrganizationAndWait::begin(self, Async)
    }
}

/// Request of [`add_organization_and_wait`](Client::add_organization_and_wait).
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// use std::time::Duration;
///
/// let added = client
///     .add_organization_and_wait()
///     .pipeline_id(6)
///     .organization_id(1001)
///     .timeout(Duration::from_secs(600))
///     .poll_every(Duration::from_secs(2), Duration::from_secs(30))
///     .send()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until `send` is called"]
pub struct AddOrganizationAndWait<PipelineIdState = Given, OrganizationIdState = Given, M = Async> {
    add: EnsureOrganization<PipelineIdState, OrganizationIdState, M>,
    wait: WaitUntilReady<missing::pipeline_id, missing::pipeline_item_id>,
}

impl<M> AddOrganizationAndWait<missing::pipeline_id, missing::organization_id, M> {
    pub(crate) fn begin(client: &Client, mode: M) -> Self {
        Self {
            add: EnsureOrganization::begin(client.clone(), mode),
            wait: client.wait_until_ready(),
        }
    }
}

impl<P, O, M> AddOrganizationAndWait<P, O, M> {
    /// Sets the pipeline.
    pub fn pipeline_id<V>(self, id: V) -> AddOrganizationAndWait<Given, O, M>
    where
        V: TryInto<PipelineId>,
        V::Error: Display,
    {
        AddOrganizationAndWait {
            add: self.add.pipeline_id(id),
            wait: self.wait,
        }
    }

    /// Sets the organization.
    pub fn organization_id<V>(self, id: V) -> AddOrganizationAndWait<P, Given, M>
    where
        V: TryInto<OrganizationId>,
        V::Error: Display,
    {
        AddOrganizationAndWait {
            add: self.add.organization_id(id),
            wait: self.wait,
        }
    }

    /// Limits the wait after the organization was added or found: see [`WaitUntilReady::timeout`].
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.wait = self.wait.timeout(timeout);
        self
    }

    /// Sets the pauses between polls: see [`WaitUntilReady::poll_every`].
    pub fn poll_every(mut self, first: Duration, longest: Duration) -> Self {
        self.wait = self.wait.poll_every(first, longest);
        self
    }
}

#[cfg(feature = "blocking")]
impl<P, O, M: Clone> AddOrganizationAndWait<P, O, M> {
    pub(crate) fn split(self) -> (AddOrganizationAndWait<P, O>, M) {
        let mode = self.add.mode();
        let add = self.add.turned(|_| Async);
        let wait = self.wait;
        (AddOrganizationAndWait { add, wait }, mode)
    }
}

impl<P, O> AddOrganizationAndWait<P, O> {
    /// Adds the organization, waits until its item is ready, and returns it with its values at that time.
    ///
    /// # Errors
    /// Returns the errors of [`EnsureOrganization::send`] and of [`WaitUntilReady::values`]. With the latter,
    /// the organization is in the pipeline, the [`outcome`](Error::outcome) is
    /// [`MayHaveHappened`](crate::Outcome::MayHaveHappened), and the error message names the item.
    pub async fn send(self) -> Result<Ensured, Error>
    where
        P: IsGiven,
        O: IsGiven,
    {
        let ensured = self.add.send().await?;
        let id = ensured.item.pipeline_item_id;
        match self.wait.item(&ensured.item).values().await {
            Ok(values) => Ok(Ensured {
                item: values.into_inner(),
                ..ensured
            }),
            Err(error) => Err(error
                .after_a_write()
                .with_remark(format!("the organization is there as item {id}"))),
        }
    }
}
