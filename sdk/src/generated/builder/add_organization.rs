// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! Request of `add_organization`.
use std::marker::PhantomData;
use progenitor_client::{encode_path, RequestBuilderExt, ResponseValue};
use super::missing;
use crate::call::state::{Async, Given, IsGiven};
use crate::generated::{operations, types};
/// Request of [`add_organization`](crate::Client::add_organization).
///
/// # Example
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// let answer = client
///     .add_organization()
///     .pipeline_id(2)
///     .organization_id(1008)
///     .send()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until `send` is called"]
pub struct AddOrganization<
    PipelineIdState = Given,
    OrganizationIdState = Given,
    M = Async,
> {
    pub(crate) core: crate::call::core::ClientCore,
    pipeline_id: crate::call::argument::Argument<crate::types::ids::PipelineId>,
    body: crate::call::argument::Argument<types::builder::AddOrganizationRequest>,
    mode: M,
    state: PhantomData<(PipelineIdState, OrganizationIdState)>,
}
impl<
    PipelineIdState,
    OrganizationIdState,
    M,
> AddOrganization<PipelineIdState, OrganizationIdState, M> {
    /// The pipeline. An id that is out of range or not an integer is rejected with 422.
    pub fn pipeline_id<V>(
        mut self,
        value: V,
    ) -> AddOrganization<Given, OrganizationIdState, M>
    where
        V: ::std::convert::TryInto<crate::types::ids::PipelineId>,
        V::Error: ::std::fmt::Display,
    {
        self.pipeline_id = crate::call::argument::Argument::of(value);
        self.turned(|mode| mode)
    }
    /// Sets the body of the request.
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// use platform_sdk::types::AddOrganizationRequest;
    ///
    /// let answer = client
    ///     .add_organization()
    ///     .pipeline_id(2)
    ///     .body(AddOrganizationRequest::builder().organization_id(1008))
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn body<V>(mut self, value: V) -> AddOrganization<PipelineIdState, Given, M>
    where
        V: ::std::convert::TryInto<types::AddOrganizationRequest>,
        V::Error: ::std::fmt::Display,
    {
        self.body = crate::call::argument::Argument::<
            types::AddOrganizationRequest,
        >::of(value)
            .map(From::from);
        self.turned(|mode| mode)
    }
    /// Changes the body of the request, which is empty at first.
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .add_organization()
    ///     .pipeline_id(2)
    ///     .body_map(|body| body.organization_id(1008))
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn body_map<F>(mut self, f: F) -> AddOrganization<PipelineIdState, Given, M>
    where
        F: ::std::ops::FnOnce(
            types::builder::AddOrganizationRequest,
        ) -> types::builder::AddOrganizationRequest,
    {
        self.body = self.body.map(f);
        self.turned(|mode| mode)
    }
    fn request(&self) -> Result<::reqwest::Request, crate::error::Error> {
        let core = &self.core;
        let pipeline_id = self.pipeline_id.required("pipeline_id")?;
        let body = types::AddOrganizationRequest::try_from(
            self.body.required("body")?.clone(),
        )?;
        let url = format!(
            "{}/api/v1/pipelines/{}/organizations", core.base_url, pipeline_id,
        );
        let request = core
            .http
            .post(url)
            .header(
                ::reqwest::header::ACCEPT,
                ::reqwest::header::HeaderValue::from_static("application/json"),
            )
            .json(&body)
            .build()
            .map_err(crate::call::unsendable)?;
        Ok(request)
    }
    fn turned<OtherPipelineIdState, OtherOrganizationIdState, N>(
        self,
        turn: impl FnOnce(M) -> N,
    ) -> AddOrganization<OtherPipelineIdState, OtherOrganizationIdState, N> {
        AddOrganization {
            core: self.core,
            pipeline_id: self.pipeline_id,
            body: self.body,
            mode: turn(self.mode),
            state: PhantomData,
        }
    }
}
impl<M> AddOrganization<missing::pipeline_id, missing::organization_id, M> {
    pub(crate) fn new(core: crate::call::core::ClientCore, mode: M) -> Self {
        Self {
            core,
            pipeline_id: crate::call::argument::Argument::Missing,
            body: crate::call::argument::Argument::Given(Default::default()),
            mode,
            state: PhantomData,
        }
    }
}
impl<
    PipelineIdState,
    OrganizationIdState,
> AddOrganization<PipelineIdState, OrganizationIdState> {
    /// Sends a `POST` request to `/api/v1/pipelines/{pipeline_id}/organizations`
    ///
    /// # Errors
    /// Any response other than a success, and no response at all: see [`Error`](crate::Error).
    pub async fn send(
        self,
    ) -> Result<ResponseValue<types::PipelineItem>, crate::error::Error>
    where
        PipelineIdState: IsGiven,
        OrganizationIdState: IsGiven,
    {
        let request: AddOrganization = self.turned(|_| Async);
        let core = request.core.clone();
        let request = move || request.request();
        crate::call::send(core, &operations::ADD_ORGANIZATION, Box::new(request)).await
    }
}
#[cfg(feature = "blocking")]
impl<
    PipelineIdState,
    OrganizationIdState,
> AddOrganization<PipelineIdState, OrganizationIdState, crate::blocking::Blocking> {
    /// Sends a `POST` request to `/api/v1/pipelines/{pipeline_id}/organizations`
    ///
    /// # Errors
    /// Any response other than a success, no response at all, and a call in async code: see
    /// [`Error`](crate::Error).
    pub fn send(self) -> Result<ResponseValue<types::PipelineItem>, crate::error::Error>
    where
        PipelineIdState: IsGiven,
        OrganizationIdState: IsGiven,
    {
        let mode = self.mode.clone();
        let request = self.turned::<Given, Given, _>(|_| Async);
        mode.block_on(&operations::ADD_ORGANIZATION, request.send())
    }
}
#[cfg(feature = "mock")]
impl<PipelineIdState, OrganizationIdState, M> crate::mock::expected::Request
for AddOrganization<PipelineIdState, OrganizationIdState, M> {
    type Answer = types::PipelineItem;
    fn expected(self) -> crate::mock::expected::Expected {
        crate::mock::expected::Expected::new(&operations::ADD_ORGANIZATION, 201u16)
            .parameter("pipeline_id", self.pipeline_id)
            .body(
                self.body,
                |body, expected| {
                    expected.parameter("organization_id", body.organization_id)
                },
            )
    }
}
