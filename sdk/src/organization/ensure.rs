//! Adding an organization so that it is in the pipeline once, whatever becomes of the answers.

use std::fmt;
use std::marker::PhantomData;

use serde::Serialize;

use crate::builder::missing;
use crate::call::again::Again;
use crate::call::argument::Argument;
use crate::call::request_id::RequestId;
use crate::call::state::{Async, Given, IsGiven};
use crate::generated::operations::ADD_ORGANIZATION;
use crate::paging::Event;
use crate::types::{PipelineItem, SortOrder};
use crate::{Client, Error, OrganizationId, Outcome, PipelineId, ResponseValue};

/// How many items are looked at before large pages are asked for: what was added just now is among them.
const NEWEST: i32 = 20;

impl Client {
    /// Sees to it that an organization is in a pipeline, and gives its item: the idempotent form of
    /// [`add_organization`](Self::add_organization).
    ///
    /// It adds the organization. When the pipeline has it already (409), or when the answer is lost, it
    /// looks through the items of the pipeline, newest first; and it never adds again before it has looked.
    /// So it can be called any number of times, by many at once, and after a crash, and there is one item.
    /// Should a request arrive long after its answer was given up, the contract has the service answer 409
    /// to one of the two.
    ///
    /// The key must be allowed to read the items of the pipeline besides adding to it.
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
    pub fn ensure_organization(
        &self,
    ) -> EnsureOrganization<missing::pipeline_id, missing::organization_id> {
        EnsureOrganization::begin(self.clone(), Async)
    }
}

/// The request of [`ensure_organization`](Client::ensure_organization).
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

/// An organization that is in a pipeline, as [`ensure_organization`](Client::ensure_organization) gives it.
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
    /// The item that the organization is.
    pub item: PipelineItem,
    /// How it came to be there.
    pub presence: Presence,
    /// Identifies, in the logs of the platform, the request that added it or was answered that it is there (409); `None`
    /// if that response was lost or did not say.
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
    /// It was added by this call.
    Created,
    /// It was there before.
    AlreadyThere,
    /// It is there, and an answer to this call's adding was lost: most likely this call has added it, but
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
    /// The pipeline.
    pub fn pipeline_id<V>(mut self, id: V) -> EnsureOrganization<Given, O, M>
    where
        V: TryInto<PipelineId>,
        V::Error: fmt::Display,
    {
        self.pipeline_id = Argument::of(id);
        self.turned(|mode| mode)
    }

    /// The organization.
    pub fn organization_id<V>(mut self, id: V) -> EnsureOrganization<P, Given, M>
    where
        V: TryInto<OrganizationId>,
        V::Error: fmt::Display,
    {
        self.organization_id = Argument::of(id);
        self.turned(|mode| mode)
    }

    pub(crate) fn turned<P2, O2, N>(
        self,
        turn: impl FnOnce(M) -> N,
    ) -> EnsureOrganization<P2, O2, N> {
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
            organization_id: self
                .organization_id
                .id(&ADD_ORGANIZATION, "organization_id")?,
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
    /// Adds the organization unless it is there, without looking for its item: that one is there already costs one
    /// request, where [`send`](Self::send) reads the pipeline until it finds the item.
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
    /// Adds the organization unless it is there, and gives its item.
    ///
    /// All requests together keep the deadline of the client and its total time-out; its retry policy says
    /// how often the organization is tried to be added, and its budget pays for that.
    ///
    /// # Errors
    /// What was answered to adding, but 409. If it could not be settled whether the organization is there,
    /// the error is that of the last attempt at adding, its [`outcome`](Error::outcome) is
    /// [`MayHaveHappened`](Outcome::MayHaveHappened), its [`attempts`](Error::attempts) are those at adding,
    /// and its [`source`](std::error::Error::source) is why looking for the item failed, if it did. The same
    /// holds, with the outcome [`Rejected`](Outcome::Rejected), when the answer is 409 but the item cannot
    /// be found.
    pub async fn send(self) -> Result<Ensured, Error>
    where
        P: IsGiven,
        O: IsGiven,
    {
        self.wanted()?.ensure().await
    }
}

/// The request of [`ensure_organization`](Client::ensure_organization) without the item, as
/// [`without_item`](EnsureOrganization::without_item) begins it.
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
    /// Adds the organization unless it is there.
    ///
    /// When a response is lost, it adds again: of identical requests exactly one is carried out, and the others are
    /// answered 409.
    ///
    /// # Errors
    /// Any error from adding except 409. If the outcome could not be determined, it is that of the last attempt.
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
            // The pause comes before the look, so that what is still on its way can arrive.
            let failed = failure.failed_attempts();
            let deadline = self.client.core.deadline_of_a_call();
            let again = self.client.core.again(failed, &failure, deadline);
            self.sleep(again.as_ref()).await;
            match self.look().await {
                Ok(Some(item)) => {
                    return Ok(Ensured::by(Presence::FoundAfterLostAnswer, item, None));
                }
                Ok(None) => {}
                Err(error) => return Err(unfound(failure, error)),
            }
            let Some(mut again) = again else {
                return Err(failure.remarking("it was not in the pipeline when looked for"));
            };
            again.spend();
            let delay = again.delay;
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
            let Some(mut again) = self.client.core.again(failed, &failure, deadline) else {
                return Err(failure);
            };
            self.sleep(Some(&again)).await;
            again.spend();
            let delay = again.delay;
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

    /// Finds the item that the answer 409 says there is. A list may lag behind what it says, so it is looked
    /// for more than once.
    async fn find(&self, conflict: Error) -> Result<Ensured, Error> {
        let presence = match conflict.outcome() {
            Outcome::MayHaveHappened => Presence::FoundAfterLostAnswer,
            _ => Presence::AlreadyThere,
        };
        for looks in 1.. {
            match self.look().await {
                Ok(Some(item)) => {
                    return Ok(Ensured::by(
                        presence,
                        item,
                        conflict.request_id().map(str::to_owned),
                    ));
                }
                Ok(None) => {}
                Err(error) => return Err(unfound(conflict, error)),
            }
            let deadline = self.client.core.deadline_of_a_call();
            let Some(mut again) = self.client.core.look_again(looks, deadline) else {
                break;
            };
            self.sleep(Some(&again)).await;
            again.spend();
        }
        Err(conflict.remarking("it is not among the items of the pipeline"))
    }

    /// Looks through the pipeline, newest items first: there stands what was added just now, and what others
    /// add meanwhile moves items towards the pages to come, so that none is passed over.
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

    /// Waits before something is tried again, if it is to be.
    async fn sleep(&self, again: Option<&Again>) {
        if let Some(Again { delay, .. }) = again {
            self.client.core.sleep(*delay).await;
        }
    }
}

fn unfound(adding: Error, looking: Error) -> Error {
    adding
        .remarking("looking for it in the pipeline failed")
        .with_source(looking)
}
