// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! The request of `get_item_values`.
use progenitor_client::{encode_path, RequestBuilderExt, ResponseValue};
use crate::generated::{operations, types};
/// The request of [`get_item_values`](crate::Client::get_item_values).
///
/// # Example
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// let answer = client
///     .get_item_values()
///     .pipeline_id(2)
///     .pipeline_item_id(200001)
///     .send()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct GetItemValues {
    pub(crate) client: crate::Client,
    pipeline_id: crate::argument::Argument<crate::PipelineId>,
    pipeline_item_id: crate::argument::Argument<crate::PipelineItemId>,
}
impl GetItemValues {
    pub(crate) fn new(client: crate::Client) -> Self {
        Self {
            client,
            pipeline_id: crate::argument::Argument::Missing,
            pipeline_item_id: crate::argument::Argument::Missing,
        }
    }
    /// The pipeline. An id that is out of range or not an integer is answered 422.
    pub fn pipeline_id<V>(mut self, value: V) -> Self
    where
        V: ::std::convert::TryInto<crate::PipelineId>,
        V::Error: ::std::fmt::Display,
    {
        self.pipeline_id = crate::argument::Argument::of(value);
        self
    }
    /// The item. An item of another pipeline is answered 400, an item that does not exist 404, an id
    /// that is out of range or not an integer 422.
    pub fn pipeline_item_id<V>(mut self, value: V) -> Self
    where
        V: ::std::convert::TryInto<crate::PipelineItemId>,
        V::Error: ::std::fmt::Display,
    {
        self.pipeline_item_id = crate::argument::Argument::of(value);
        self
    }
    fn request(&self) -> Result<::reqwest::Request, crate::Error> {
        let client = &self.client;
        let pipeline_id = self.pipeline_id.required("pipeline_id")?;
        let pipeline_item_id = self.pipeline_item_id.required("pipeline_item_id")?;
        let url = format!(
            "{}/api/v1/pipelines/{}/items/{}/values", client.baseurl, pipeline_id,
            pipeline_item_id,
        );
        let request = client
            .client
            .get(url)
            .header(
                ::reqwest::header::ACCEPT,
                ::reqwest::header::HeaderValue::from_static("application/json"),
            )
            .build()
            .map_err(crate::call::unsendable)?;
        Ok(request)
    }
    /// Sends a `GET` request to `/api/v1/pipelines/{pipeline_id}/items/{pipeline_item_id}/values`
    ///
    /// # Errors
    /// An [`Error`](crate::Error) for every answer but a success, and when there was none.
    pub async fn send(self) -> Result<ResponseValue<types::PipelineItem>, crate::Error> {
        let client = self.client.clone();
        let request = move || self.request();
        crate::call::send(client, &operations::GET_ITEM_VALUES, Box::new(request)).await
    }
}
#[cfg(feature = "mock")]
impl crate::mock::Request for GetItemValues {
    type Answer = types::PipelineItem;
    fn expected(self) -> crate::mock::Expected {
        crate::mock::Expected::new(&operations::GET_ITEM_VALUES, 200u16)
            .parameter("pipeline_id", self.pipeline_id)
            .parameter("pipeline_item_id", self.pipeline_item_id)
    }
}
