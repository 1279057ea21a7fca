//! Adds an organization to a pipeline exactly once, even if responses are lost.

use std::fmt;
use std::marker::PhantomData;

use serde::Serialize;

use crate::builder::missing;
use crate::call::argument::Argument;
use crate::call::request_id::RequestId;
use crate::call::retry_decision::PlannedRetry;
use crate::call::state::{Async, Given, IsGiven};
use crate::generated::operations::ADD_ORGANIZATION;
use crate::paging::Event;
use crate::types::{PipelineItem, SortOrder};
use crate::{Client, Error, OrganizationId, Outcome, PipelineId, ResponseValue};

/// Number of newest items to search before requesting large pages; a newly added item is among them.
const NEWEST: i32 = 20;

impl Client {
    /// Adds an organization to a pipeline unless it is already there, and returns its item: the idempotent
    /// form of [`add_organization`](Self::add_organization).
    ///
    /// Sends the add request first. If the pipeline already has the organization (409) or the response is lost, it
    /// searches the items of the pipeline, newest first. It never adds again without searching first. It can therefore
    /// be called repeatedly, concurrently and after a crash, and there is only ever one item. If a request arrives long
    /// after the client gave up on its response, the contract requires the service to respond to one of the two
    /// requests with 409.
    ///
    /// The key must be allowed to read the items of the pipeline as well as to add items.
    ///
    /// ```
    /// # use platform_sdk::Client;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), platform_sdk::Error> {
    /// # let server = platform_server_stub::Server::built_in();
    /// # let client = Client::builder().service(server.router()).api_key("dev-full-access").build()?;
    /// use platform_sdk::Presence;
    ///
    /// let request = client.ensure_organization().pipeline_id(6).organization_id(1001);
    /// let added = request.clone().send().await?;
    /// assert_eq!(added.presence, Presence::Created);
    ///
    /// let again = request.send().await?;
    /// assert_eq!(again.presence, Presence::AlreadyThere);
    /// assert_eq!(again.item.pipeline_item_id, added.item.pipeline_item_id);
    /// # Ok(())
    /// # }
    /// ```
    pub fn ensure_organization(&self) -> EnsureOrganization<missing::pipeline_id, missing::organization_id> {
        EnsureOrganization::begin(self.clone(), Async)
    }
}

/// Request of [`ensure_organization`](Client::ensure_organization).
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// let request = client.ensure_organization().pipeline_id(6);
/// for organization in [1001, 1002, 1003] {
///     let ensured = request.clone().organization_id(organization).send().await?;
///     println!("{organization} is item {}", ensured.item.pipeline_item_id);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until `send` is called"]
pub struct EnsureOrganization<PipelineIdState = Given, OrganizationIdState = Given, M = Async> {
    client: Client,
    pipeline_id: Argument<PipelineId>,
    organization_id: Argument<OrganizationId>,
    mode: M,
    state: PhantomData<(PipelineIdState, OrganizationIdState)>,
}

/// An organization that is in a pipeline, returned by [`ensure_organization`](Client::ensure_organization).
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// use platform_sdk::Ensured;
///
/// let request = client.ensure_organization().pipeline_id(6).organization_id(1001);
/// let Ensured { item, presence, .. } = request.send().await?;
/// println!("item {} ({presence:?})", item.pipeline_item_id);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Ensured {
    /// The item of the organization.
    pub item: PipelineItem,
    /// How the organization came to be in the pipeline.
    pub presence: Presence,
    /// Id, in the platform's logs, of the request that added the organization or got the 409 response. `None`
    /// if that response was lost or had no id.
    pub request_id: Option<String>,
}

/// How an organization came to be in the pipeline.
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// use platform_sdk::Presence;
///
/// let ensured = client.ensure_organization().pipeline_id(6).organization_id(1001).send().await?;
/// match ensured.presence {
///     Presence::AlreadyThere => println!("nothing was changed"),
///     _ => println!("new, as item {}", ensured.item.pipeline_item_id),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Presence {
    /// This call added it.
    Created,
    /// It already existed.
    AlreadyThere,
    /// It is there, but a response to this call's add request was lost. Most likely this call added it, but
    /// another may have done so just before.
    FoundAfterLostAnswer,
}

/// `created`, `already there` or `found after a lost response`.
impl fmt::Display for Presence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Created => "created",
            Self::AlreadyThere => "already there",
            Self::FoundAfterLostAnswer => "found after a lost response",
        })
    }
}

impl Ensured {
    fn by(presence: Presence, item: PipelineItem, request_id: Option<String>) -> Self {
        Self {
            item,
            presence,
            request_id,
        }
    }
}

impl<M> EnsureOrganization<missing::pipeline_id, missing::organization_id, M> {
    pub(crate) fn begin(client: Client, mode: M) -> Self {
        Self {
            client,
            pipeline_id: Argument::Missing,
            organization_id: Argument::Missing,
            mode,
            state: PhantomData,
        }
    }
}

impl<P, O, M> EnsureOrganization<P, O, M> {
    /// Sets the pipeline.
    pub fn pipeline_id<V>(mut self, id: V) -> EnsureOrganization<Given, O, M>
    where
        V: TryInto<PipelineId>,
        V::Error: fmt::Display,
    {
        self.pipeline_id = Argument::of(id);
        self.turned(|mode| mode)
    }

    /// Sets the organization.
    pub fn organization_id<V>(mut self, id: V) -> EnsureOrganization<P, Given, M>
    where
        V: TryInto<OrganizationId>,
        V::Error: fmt::Display,
    {
        self.organization_id = Argument::of(id);
        self.turned(|mode| mode)
    }

    pub(crate) fn turned<P2, O2, N>(self, turn: impl FnOnce(M) -> N) -> EnsureOrganization<P2, O2, N> {
        EnsureOrganization {
            client: self.client,
            pipeline_id: self.pipeline_id,
            organization_id: self.organization_id,
            mode: turn(self.mode),
            state: PhantomData,
        }
    }

    fn wanted(self) -> Result<Wanted, Error> {
        Ok(Wanted {
            pipeline_id: self.pipeline_id.id(&ADD_ORGANIZATION, "pipeline_id")?,
            organization_id: self.organization_id.id(&ADD_ORGANIZATION, "organization_id")?,
            client: self.client.for_one_call(),
        })
    }
}

#[cfg(feature = "blocking")]
impl<P, O, M: Clone> EnsureOrganization<P, O, M> {
    pub(crate) fn mode(&self) -> M {
        self.mode.clone()
    }
}

impl<P, O, M> EnsureOrganization<P, O, M> {
    /// Returns a request that adds the organization unless it is already there, without searching for its
    /// item. If the organization is already there, this costs one request, while [`send`](Self::send) reads
    /// the pipeline until it finds the item.
    ///
    /// ```
    /// # use platform_sdk::Client;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), platform_sdk::Error> {
    /// # let server = platform_server_stub::Server::built_in();
    /// # let client = Client::builder().service(server.router()).api_key("dev-full-access").build()?;
    /// use platform_sdk::Presence;
    ///
    /// let request = client.ensure_organization().pipeline_id(6).organization_id(1001).without_item();
    /// assert_eq!(request.clone().send().await?, Presence::Created);
    /// assert_eq!(request.send().await?, Presence::AlreadyThere);
    /// # Ok(())
    /// # }
    /// ```
    pub fn without_item(self) -> EnsureWithoutItem<M>
    where
        P: IsGiven,
        O: IsGiven,
    {
        EnsureWithoutItem(self.turned(|mode| mode))
    }
}

impl<P, O> EnsureOrganization<P, O> {
    /// Adds the organization unless it is already there, and returns its item.
    ///
    /// The client's deadline and total timeout apply to all requests together. Its retry policy limits how
    /// often the add request is sent, and its retry budget pays for the retries.
    ///
    /// # Errors
    /// Any error of the add request except 409. If the outcome cannot be determined, the error is that of the
    /// last add attempt: its [`outcome`](Error::outcome) is [`MayHaveHappened`](Outcome::MayHaveHappened),
    /// its [`attempts`](Error::attempts) are the add attempts, and its [`source`](std::error::Error::source)
    /// is the error of the search for the item, if the search failed. The same applies, with the outcome
    /// [`Rejected`](Outcome::Rejected), if the response is 409 but the item cannot be found.
    pub async fn send(self) -> Result<Ensured, Error>
    where
        P: IsGiven,
        O: IsGiven,
    {
        self.wanted()?.ensure().await
    }
}

/// Request of [`ensure_organization`](Client::ensure_organization) without the item, returned by
/// [`without_item`](EnsureOrganization::without_item).
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// let request = client.ensure_organization().pipeline_id(6).organization_id(1001);
/// println!("{:?}", request.without_item().send().await?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until `send` is called"]
pub struct EnsureWithoutItem<M = Async>(pub(crate) EnsureOrganization<Given, Given, M>);

impl EnsureWithoutItem {
    /// Adds the organization unless it is already there.
    ///
    /// If a response is lost, it sends the add request again. The service carries out exactly one of several
    /// identical requests and responds to the others with 409.
    ///
    /// # Errors
    /// Any error of the add request except 409. If the outcome cannot be determined, the error is that of the
    /// last attempt.
    pub async fn send(self) -> Result<Presence, Error> {
        self.0.wanted()?.ensure_without_item().await
    }
}

struct Wanted {
    client: Client,
    pipeline_id: PipelineId,
    organization_id: OrganizationId,
}

impl Wanted {
    async fn ensure(&self) -> Result<Ensured, Error> {
        let mut added = self.add(&self.client).await;
        loop {
            let failure = match added {
                Ok(response) => {
                    let id = response.request_id().map(str::to_owned);
                    let item = response.into_inner();
                    return Ok(Ensured::by(Presence::Created, item, id));
                }
                Err(failure) => failure,
            };
            if failure.is_already_in_pipeline() {
                return self.find(failure).await;
            }
            if !failure.is_lost() {
                return Err(failure);
            }
            // Pauses before searching, so that a request still in flight can arrive.
            let failed = failure.failed_attempts();
            let deadline = self.client.core.deadline_of_a_call();
            let retry = self.client.core.retry(failed, &failure, deadline);
            self.sleep(retry.as_ref()).await;
            match self.look().await {
                Ok(Some(item)) => {
                    return Ok(Ensured::by(Presence::FoundAfterLostAnswer, item, None));
                }
                Ok(None) => {}
                Err(error) => return Err(not_found(failure, error)),
            }
            let Some(mut retry) = retry else {
                return Err(failure.with_remark("the organization was not found in the pipeline afterwards"));
            };
            retry.spend();
            let delay = retry.delay;
            let policy = self.client.core.retry_policy().after(failed);
            added = self.add(&self.client.with_retry_policy(policy)).await;
            added = added.map_err(|again| again.following(failure, delay));
        }
    }

    async fn ensure_without_item(&self) -> Result<Presence, Error> {
        let mut added = self.add(&self.client).await;
        let mut was_lost = false;
        loop {
            let failure = match added {
                Ok(_) => return Ok(Presence::Created),
                Err(failure) => failure,
            };
            was_lost |= failure.outcome() == Outcome::MayHaveHappened;
            if failure.is_already_in_pipeline() {
                return Ok(match was_lost {
                    true => Presence::FoundAfterLostAnswer,
                    false => Presence::AlreadyThere,
                });
            }
            if !failure.is_lost() {
                return Err(failure);
            }
            let failed = failure.failed_attempts();
            let deadline = self.client.core.deadline_of_a_call();
            let Some(mut retry) = self.client.core.retry(failed, &failure, deadline) else {
                return Err(failure);
            };
            self.sleep(Some(&retry)).await;
            retry.spend();
            let delay = retry.delay;
            let policy = self.client.core.retry_policy().after(failed);
            added = self.add(&self.client.with_retry_policy(policy)).await;
            added = added.map_err(|again| again.following(failure, delay));
        }
    }

    async fn add(&self, client: &Client) -> Result<ResponseValue<PipelineItem>, Error> {
        let request = client
            .add_organization()
            .pipeline_id(self.pipeline_id)
            .organization_id(self.organization_id);
        request.send().await
    }

    /// Finds the item after a 409 response. The list may lag behind, so it is searched more than once.
    async fn find(&self, conflict: Error) -> Result<Ensured, Error> {
        let presence = match conflict.outcome() {
            Outcome::MayHaveHappened => Presence::FoundAfterLostAnswer,
            _ => Presence::AlreadyThere,
        };
        for lookups in 1.. {
            match self.look().await {
                Ok(Some(item)) => {
                    return Ok(Ensured::by(presence, item, conflict.request_id().map(str::to_owned)));
                }
                Ok(None) => {}
                Err(error) => return Err(not_found(conflict, error)),
            }
            let deadline = self.client.core.deadline_of_a_call();
            let Some(mut retry) = self.client.core.retry_lookup(lookups, deadline) else {
                break;
            };
            self.sleep(Some(&retry)).await;
            retry.spend();
        }
        Err(conflict.with_remark("the organization is not among the items of the pipeline"))
    }

    /// Searches the pipeline, newest items first. A newly added item is on the first page, and items added
    /// meanwhile shift the others to later pages, so none is skipped.
    async fn look(&self) -> Result<Option<PipelineItem>, Error> {
        let is_wanted = |item: &PipelineItem| item.organization_id == Some(self.organization_id);
        let newest_first = self
            .client
            .list_items()
            .pipeline_id(self.pipeline_id)
            .sort_order(SortOrder::Desc);
        let newest = newest_first.clone().limit(NEWEST).send().await?;
        let newest = newest.into_inner();
        let found = newest.items.into_iter().find(is_wanted);
        if found.is_some() || newest.total_count <= i64::from(NEWEST) {
            return Ok(found);
        }
        let mut others = newest_first.skip(NEWEST).walk().events()?;
        while let Some(event) = others.next().await {
            if let Event::Item(item) = event?
                && is_wanted(&item)
            {
                return Ok(Some(item));
            }
        }
        Ok(None)
    }

    /// Waits before the next try, if there is one.
    async fn sleep(&self, retry: Option<&PlannedRetry>) {
        if let Some(PlannedRetry { delay, .. }) = retry {
            self.client.core.sleep(*delay).await;
        }
    }
}

fn not_found(adding: Error, looking: Error) -> Error {
    adding
        .with_remark("looking for the organization in the pipeline failed")
        .with_source(looking)
}
