// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! Request of `get_item_status`.
use std::marker::PhantomData;
use progenitor_client::{encode_path, RequestBuilderExt, ResponseValue};
use super::missing;
use crate::call::state::{Async, Given, IsGiven};
use crate::generated::{operations, types};
/// Request of [`get_item_status`](crate::Client::get_item_status).
///
/// # Example
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// let answer = client
///     .get_item_status()
///     .pipeline_id(2)
///     .pipeline_item_id(200001)
///     .send()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until `send` is called"]
pub struct GetItemStatus<
    PipelineIdState = Given,
    PipelineItemIdState = Given,
    M = Async,
> {
    pub(crate) core: crate::call::core::ClientCore,
    pipeline_id: crate::call::argument::Argument<crate::types::ids::PipelineId>,
    pipeline_item_id: crate::call::argument::Argument<crate::types::ids::PipelineItemId>,
    mode: M,
    state: PhantomData<(PipelineIdState, PipelineItemIdState)>,
}
impl<
    PipelineIdState,
    PipelineItemIdState,
    M,
> GetItemStatus<PipelineIdState, PipelineItemIdState, M> {
    /// The pipeline. An id that is out of range or not an integer is rejected with 422.
    pub fn pipeline_id<V>(
        mut self,
        value: V,
    ) -> GetItemStatus<Given, PipelineItemIdState, M>
    where
        V: ::std::convert::TryInto<crate::types::ids::PipelineId>,
        V::Error: ::std::fmt::Display,
    {
        self.pipeline_id = crate::call::argument::Argument::of(value);
        self.turned(|mode| mode)
    }
    /// The item. An item of another pipeline is rejected with 400, an item that does not exist with 404, and an id
    /// that is out of range or not an integer with 422.
    pub fn pipeline_item_id<V>(
        mut self,
        value: V,
    ) -> GetItemStatus<PipelineIdState, Given, M>
    where
        V: ::std::convert::TryInto<crate::types::ids::PipelineItemId>,
        V::Error: ::std::fmt::Display,
    {
        self.pipeline_item_id = crate::call::argument::Argument::of(value);
        self.turned(|mode| mode)
    }
    fn request(&self) -> Result<::reqwest::Request, crate::error::Error> {
        let core = &self.core;
        let pipeline_id = self.pipeline_id.required("pipeline_id")?;
        let pipeline_item_id = self.pipeline_item_id.required("pipeline_item_id")?;
        let url = format!(
            "{}/api/v1/pipelines/{}/items/{}/status", core.base_url, pipeline_id,
            pipeline_item_id,
        );
        let request = core
            .http
            .get(url)
            .header(
                ::reqwest::header::ACCEPT,
                ::reqwest::header::HeaderValue::from_static("application/json"),
            )
            .build()
            .map_err(crate::call::unsendable)?;
        Ok(request)
    }
    fn turned<OtherPipelineIdState, OtherPipelineItemIdState, N>(
        self,
        turn: impl FnOnce(M) -> N,
    ) -> GetItemStatus<OtherPipelineIdState, OtherPipelineItemIdState, N> {
        GetItemStatus {
            core: self.core,
            pipeline_id: self.pipeline_id,
            pipeline_item_id: self.pipeline_item_id,
            mode: turn(self.mode),
            state: PhantomData,
        }
    }
}
impl<M> GetItemStatus<missing::pipeline_id, missing::pipeline_item_id, M> {
    pub(crate) fn new(core: crate::call::core::ClientCore, mode: M) -> Self {
        Self {
            core,
            pipeline_id: crate::call::argument::Argument::Missing,
            pipeline_item_id: crate::call::argument::Argument::Missing,
            mode,
            state: PhantomData,
        }
    }
}
impl<
    PipelineIdState,
    PipelineItemIdState,
> GetItemStatus<PipelineIdState, PipelineItemIdState> {
    /// Sends a `GET` request to `/api/v1/pipelines/{pipeline_id}/items/{pipeline_item_id}/status`
    ///
    /// # Errors
    /// Any response other than a success, and no response at all: see [`Error`](crate::Error).
    pub async fn send(
        self,
    ) -> Result<ResponseValue<types::ItemStatus>, crate::error::Error>
    where
        PipelineIdState: IsGiven,
        PipelineItemIdState: IsGiven,
    {
        let request: GetItemStatus = self.turned(|_| Async);
        let core = request.core.clone();
        let request = move || request.request();
        crate::call::send(core, &operations::GET_ITEM_STATUS, Box::new(request)).await
    }
}
#[cfg(feature = "blocking")]
impl<
    PipelineIdState,
    PipelineItemIdState,
> GetItemStatus<PipelineIdState, PipelineItemIdState, crate::blocking::Blocking> {
    /// Sends a `GET` request to `/api/v1/pipelines/{pipeline_id}/items/{pipeline_item_id}/status`
    ///
    /// # Errors
    /// Any response other than a success, no response at all, and a call in async code: see
    /// [`Error`](crate::Error).
    pub fn send(self) -> Result<ResponseValue<types::ItemStatus>, crate::error::Error>
    where
        PipelineIdState: IsGiven,
        PipelineItemIdState: IsGiven,
    {
        let mode = self.mode.clone();
        let request = self.turned::<Given, Given, _>(|_| Async);
        mode.block_on(&operations::GET_ITEM_STATUS, request.send())
    }
}
#[cfg(feature = "mock")]
impl<PipelineIdState, PipelineItemIdState, M> crate::mock::expected::Request
for GetItemStatus<PipelineIdState, PipelineItemIdState, M> {
    type Answer = types::ItemStatus;
    fn expected(self) -> crate::mock::expected::Expected {
        crate::mock::expected::Expected::new(&operations::GET_ITEM_STATUS, 200u16)
            .parameter("pipeline_id", self.pipeline_id)
            .parameter("pipeline_item_id", self.pipeline_item_id)
    }
}
