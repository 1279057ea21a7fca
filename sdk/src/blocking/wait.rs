//! Waits, on a thread that waits for them.

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
    pub fn wait_until_ready(
        &self,
    ) -> WaitUntilReady<missing::pipeline_id, missing::pipeline_item_id, Blocking> {
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

    /// Adds an organization unless it is there, and waits until its item is ready: see
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
    /// Those of the asynchronous `send`, and within asynchronous code.
    pub fn send(self) -> Result<ResponseValue<ItemStatus>, Error>
    where
        P: IsGiven,
        I: IsGiven,
    {
        let mode = self.mode();
        let wait: WaitUntilReady = self.turned(|_| Async);
        mode.block_on(&GET_ITEM_STATUS, wait.send())
    }

    /// Waits, and reads the values of the item, which are complete then.
    ///
    /// # Errors
    /// Those of the asynchronous `values`, and within asynchronous code.
    pub fn values(self) -> Result<ResponseValue<PipelineItem>, Error>
    where
        P: IsGiven,
        I: IsGiven,
    {
        let mode = self.mode();
        let wait: WaitUntilReady = self.turned(|_| Async);
        mode.block_on(&GET_ITEM_STATUS, wait.values())
    }

    /// The wait as an iterator of the status at each poll. It begins now.
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
    /// Nothing is sent yet. The iterator ends with the errors of [`send`](Self::send).
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
    /// Waits until all items are ready or time is up.
    ///
    /// # Errors
    /// Those of the asynchronous `send`, and within asynchronous code.
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
    /// Adds, waits and reads.
    ///
    /// # Errors
    /// Those of the asynchronous `send`, and within asynchronous code.
    pub fn send(self) -> Result<Ensured, Error>
    where
        P: IsGiven,
        O: IsGiven,
    {
        let (request, mode) = self.split();
        mode.block_on(&ADD_ORGANIZATION, request.send())
    }
}
