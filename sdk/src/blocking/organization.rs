//! Blocking requests that add organizations.

use futures_util::{StreamExt, stream};

use super::client::Client;
use super::iter::EnsuredOrganizations;
use super::runtime::Blocking;
use crate::builder::{Async, Given, IsGiven, missing};
use crate::error::Error;
use crate::generated::operations::ADD_ORGANIZATION;
use crate::types::ids::OrganizationId;
use crate::{EnsureOrganization, EnsureOrganizations, EnsureWithoutItem, Ensured, Presence};

impl Client {
    /// Adds an organization to a pipeline unless it is already there, and returns its item: see
    /// [`ensure_organization`](crate::Client::ensure_organization).
    ///
    /// ```no_run
    /// # fn example(client: &platform_sdk::blocking::Client) -> Result<(), platform_sdk::Error> {
    /// let request = client.ensure_organization().pipeline_id(6).organization_id(1001);
    /// println!("item {}", request.clone().send()?.item.pipeline_item_id);
    /// println!("{}", request.without_item().send()?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn ensure_organization(&self) -> EnsureOrganization<missing::pipeline_id, missing::organization_id, Blocking> {
        EnsureOrganization::begin(self.client.clone(), self.mode.clone())
    }

    /// Adds many organizations to a pipeline, each exactly once: see
    /// [`ensure_organizations`](crate::Client::ensure_organizations).
    ///
    /// ```
    /// # let server = platform_server_stub::Server::built_in();
    /// # let client = platform_sdk::Client::builder().service(server.router()).api_key("dev-full-access");
    /// # let client = client.build_blocking()?;
    /// for (organization, presence) in client.ensure_organizations().pipeline_id(6).send([1001, 1002])? {
    ///     match presence {
    ///         Ok(presence) => println!("{organization}: {presence}"),
    ///         Err(error) => eprintln!("{organization}: {error}"),
    ///     }
    /// }
    /// # Ok::<(), platform_sdk::Error>(())
    /// ```
    pub fn ensure_organizations(&self) -> EnsureOrganizations<missing::pipeline_id, Blocking> {
        EnsureOrganizations::begin(self.client.clone(), self.mode.clone())
    }
}

impl<P, O> EnsureOrganization<P, O, Blocking> {
    /// Adds the organization unless it is already there, and returns its item.
    ///
    /// # Errors
    /// Returns the errors of the async `send`, and an error if called in async code.
    pub fn send(self) -> Result<Ensured, Error>
    where
        P: IsGiven,
        O: IsGiven,
    {
        let mode = self.mode();
        let request: EnsureOrganization = self.turned(|_| Async);
        mode.block_on(&ADD_ORGANIZATION, request.send())
    }
}

impl EnsureWithoutItem<Blocking> {
    /// Adds the organization unless it is already there.
    ///
    /// # Errors
    /// Returns the errors of the async `send`, and an error if called in async code.
    pub fn send(self) -> Result<Presence, Error> {
        let mode = self.0.mode();
        let request = EnsureWithoutItem(self.0.turned::<Given, Given, _>(|_| Async));
        mode.block_on(&ADD_ORGANIZATION, request.send())
    }
}

impl<P> EnsureOrganizations<P, Blocking> {
    /// Reads the pipeline, then adds the missing organizations while the iterator is advanced.
    ///
    /// # Errors
    /// Returns the errors of the async `send`, and an error if called in async code.
    pub fn send<I>(self, organizations: I) -> Result<EnsuredOrganizations, Error>
    where
        I: IntoIterator<Item: Into<OrganizationId>>,
        P: IsGiven,
    {
        let mode = self.mode();
        let request: EnsureOrganizations = self.turned(|_| Async);
        let organizations: Vec<OrganizationId> = organizations.into_iter().map(Into::into).collect();
        let ensured = mode.block_on(&ADD_ORGANIZATION, request.send(stream::iter(organizations)))?;
        Ok(EnsuredOrganizations {
            stream: ensured.boxed(),
            mode,
        })
    }
}
