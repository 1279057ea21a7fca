//! Blocking waits.

use super::client::Client;
use super::iter::Progress;
use super::runtime::Blocking;
use crate::builder::{Async, IsGiven, missing};
use crate::error::Error;
use crate::generated::operations::{ADD_ORGANIZATION, GET_ITEM_STATUS};
use crate::types::{ItemStatus, PipelineItem};
use crate::wait::{AddOrganizationAndWait, AllReady, WaitUntilAllReady, WaitUntilReady};
use crate::{Ensured, ResponseValue};

impl Client {
    /// Waits until an item is ready: see [`wait_until_ready`](crate::Client::wait_until_ready).
    ///
    /// ```no_run
    /// # fn example(client: &platform_sdk::blocking::Client) -> Result<(), platform_sdk::Error> {
    /// let wait = client.wait_until_ready().pipeline_id(2).pipeline_item_id(200_001);
    /// let status = wait.clone().send()?;
    /// println!("{} values", wait.values()?.values.len());
    /// # Ok(())
    /// # }
    /// ```
    pub fn wait_until_ready(&self) -> WaitUntilReady<missing::pipeline_id, missing::pipeline_item_id, Blocking> {
        WaitUntilReady::begin(self.client.clone(), self.mode.clone())
    }

    /// Waits until many items of a pipeline are ready: see
    /// [`wait_until_all_ready`](crate::Client::wait_until_all_ready).
    ///
    /// ```no_run
    /// # fn example(client: &platform_sdk::blocking::Client) -> Result<(), platform_sdk::Error> {
    /// let waited = client.wait_until_all_ready().pipeline_id(2).items([200_001, 200_002]).send()?;
    /// println!("{} are not ready", waited.not_ready.len());
    /// # Ok(())
    /// # }
    /// ```
    pub fn wait_until_all_ready(&self) -> WaitUntilAllReady<missing::pipeline_id, Blocking> {
        WaitUntilAllReady::begin(self.client.clone(), self.mode.clone())
    }

    /// Adds an organization unless it is already there, and waits until its item is ready: see
    /// [`add_organization_and_wait`](crate::Client::add_organization_and_wait).
    ///
    /// ```no_run
    /// # fn example(client: &platform_sdk::blocking::Client) -> Result<(), platform_sdk::Error> {
    /// let request = client.add_organization_and_wait().pipeline_id(6).organization_id(1001);
    /// println!("{} values", request.send()?.item.values.len());
    /// # Ok(())
    /// # }
    /// ```
    pub fn add_organization_and_wait(
        &self,
    ) -> AddOrganizationAndWait<missing::pipeline_id, missing::organization_id, Blocking> {
        AddOrganizationAndWait::begin(&self.client, self.mode.clone())
    }
}

impl<P, I> WaitUntilReady<P, I, Blocking> {
    /// Waits until the item is ready, and returns the response to the last poll.
    ///
    /// # Errors
    /// Returns the errors of the async `send`, and an error if called in async code.
    pub fn send(self) -> Result<ResponseValue<ItemStatus>, Error>
    where
        P: IsGiven,
        I: IsGiven,
    {
        let mode = self.mode();
        let wait: WaitUntilReady = self.turned(|_| Async);
        mode.block_on(&GET_ITEM_STATUS, wait.send())
    }

    /// Waits until the item is ready, then reads its values, which are complete.
    ///
    /// # Errors
    /// Returns the errors of the async `values`, and an error if called in async code.
    pub fn values(self) -> Result<ResponseValue<PipelineItem>, Error>
    where
        P: IsGiven,
        I: IsGiven,
    {
        let mode = self.mode();
        let wait: WaitUntilReady = self.turned(|_| Async);
        mode.block_on(&GET_ITEM_STATUS, wait.values())
    }

    /// Returns an iterator over the status at each poll. The wait starts now.
    ///
    /// ```no_run
    /// # fn example(client: &platform_sdk::blocking::Client) -> Result<(), platform_sdk::Error> {
    /// let wait = client.wait_until_ready().pipeline_id(2).pipeline_item_id(200_001);
    /// for status in wait.progress()? {
    ///     println!("{:?}", status?);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// An id is invalid; nothing is sent. The iterator ends with the errors of [`send`](Self::send).
    pub fn progress(self) -> Result<Progress, Error>
    where
        P: IsGiven,
        I: IsGiven,
    {
        let mode = self.mode();
        let wait: WaitUntilReady = self.turned(|_| Async);
        let stream = Some(wait.progress()?);
        Ok(Progress { stream, mode })
    }
}

impl<P> WaitUntilAllReady<P, Blocking> {
    /// Waits until all items are ready or the timeout expires.
    ///
    /// # Errors
    /// Returns the errors of the async `send`, and an error if called in async code.
    pub fn send(self) -> Result<AllReady, Error>
    where
        P: IsGiven,
    {
        let mode = self.mode();
        let wait: WaitUntilAllReady = self.turned(|_| Async);
        mode.block_on(&GET_ITEM_STATUS, wait.send())
    }
}

impl<P, O> AddOrganizationAndWait<P, O, Blocking> {
    /// Adds the organization, waits until its item is ready, and reads its values.
    ///
    /// # Errors
    /// Returns the errors of the async `send`, and an error if called in async code.
    pub fn send(self) -> Result<Ensured, Error>
    where
        P: IsGiven,
        O: IsGiven,
    {
        let (request, mode) = self.split();
        mode.block_on(&ADD_ORGANIZATION, request.send())
    }
}
