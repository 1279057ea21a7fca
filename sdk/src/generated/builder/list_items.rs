// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! Request of `list_items`.
use std::marker::PhantomData;
use progenitor_client::{encode_path, RequestBuilderExt, ResponseValue};
use super::missing;
use crate::call::state::{Async, Given, IsGiven};
use crate::generated::{operations, types};
/// Request of [`list_items`](crate::Client::list_items).
///
/// # Example
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// let answer = client
///     .list_items()
///     .pipeline_id(2)
///     .skip(100)
///     .limit(1000)
///     .sort_by("question.201")
///     .sort_order("desc")
///     .send()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until `send` is called"]
pub struct ListItems<PipelineIdState = Given, M = Async> {
    pub(crate) core: crate::call::core::ClientCore,
    pipeline_id: crate::call::argument::Argument<crate::types::ids::PipelineId>,
    limit: crate::call::argument::Argument<i32>,
    skip: crate::call::argument::Argument<i64>,
    sort_by: crate::call::argument::Argument<::std::string::String>,
    sort_order: crate::call::argument::Argument<types::SortOrder>,
    mode: M,
    state: PhantomData<(PipelineIdState,)>,
}
impl<PipelineIdState, M> ListItems<PipelineIdState, M> {
    /// The pipeline. An id that is out of range or not an integer is rejected with 422.
    pub fn pipeline_id<V>(mut self, value: V) -> ListItems<Given, M>
    where
        V: ::std::convert::TryInto<crate::types::ids::PipelineId>,
        V::Error: ::std::fmt::Display,
    {
        self.pipeline_id = crate::call::argument::Argument::of(value);
        self.turned(|mode| mode)
    }
    /// The maximum number of items returned.
    pub fn limit<V, K>(mut self, value: V) -> Self
    where
        V: crate::call::argument::OptionalArgument<i32, K>,
    {
        self.limit = crate::call::argument::Argument::optionally(value);
        self
    }
    /// Number of items to skip. At or past the end of the pipeline the page is empty, and `total_count` is the
    /// same as on any other page.
    pub fn skip<V, K>(mut self, value: V) -> Self
    where
        V: crate::call::argument::OptionalArgument<i64, K>,
    {
        self.skip = crate::call::argument::Argument::optionally(value);
        self
    }
    /// The column to sort by, in the form `question.<question_id>`; without it, items are ordered by id. A value
    /// of another form, or a question that the pipeline does not have, is rejected with 400.
    ///
    /// Sorting applies to the whole pipeline, before paging. Items are ordered by the first value of `result`:
    /// numbers numerically, then strings by code point, then booleans, false before true. `desc` reverses that.
    /// In both orders items without a value come last, and ties are in ascending order of `pipeline_item_id`.
    /// Values of other kinds, such as a list, have no fixed place.
    pub fn sort_by<V, K>(mut self, value: V) -> Self
    where
        V: crate::call::argument::OptionalArgument<::std::string::String, K>,
    {
        self.sort_by = crate::call::argument::Argument::optionally(value);
        self
    }
    /// Ascending or descending. Without `sort_by`, it applies to the item ids.
    pub fn sort_order<V, K>(mut self, value: V) -> Self
    where
        V: crate::call::argument::OptionalArgument<types::SortOrder, K>,
    {
        self.sort_order = crate::call::argument::Argument::optionally(value);
        self
    }
    fn request(&self) -> Result<::reqwest::Request, crate::error::Error> {
        let core = &self.core;
        let pipeline_id = self.pipeline_id.required("pipeline_id")?;
        let limit = self.limit.optional("limit")?;
        let skip = self.skip.optional("skip")?;
        let sort_by = self.sort_by.optional("sort_by")?;
        let sort_order = self.sort_order.optional("sort_order")?;
        let url = format!("{}/api/v1/pipelines/{}/items", core.base_url, pipeline_id,);
        let request = core
            .http
            .get(url)
            .header(
                ::reqwest::header::ACCEPT,
                ::reqwest::header::HeaderValue::from_static("application/json"),
            )
            .query(&progenitor_client::QueryParam::new("limit", &limit))
            .query(&progenitor_client::QueryParam::new("skip", &skip))
            .query(&progenitor_client::QueryParam::new("sort_by", &sort_by))
            .query(&progenitor_client::QueryParam::new("sort_order", &sort_order))
            .build()
            .map_err(crate::call::unsendable)?;
        Ok(request)
    }
    fn turned<OtherPipelineIdState, N>(
        self,
        turn: impl FnOnce(M) -> N,
    ) -> ListItems<OtherPipelineIdState, N> {
        ListItems {
            core: self.core,
            pipeline_id: self.pipeline_id,
            limit: self.limit,
            skip: self.skip,
            sort_by: self.sort_by,
            sort_order: self.sort_order,
            mode: turn(self.mode),
            state: PhantomData,
        }
    }
}
impl<M> ListItems<missing::pipeline_id, M> {
    pub(crate) fn new(core: crate::call::core::ClientCore, mode: M) -> Self {
        Self {
            core,
            pipeline_id: crate::call::argument::Argument::Missing,
            limit: crate::call::argument::Argument::Missing,
            skip: crate::call::argument::Argument::Missing,
            sort_by: crate::call::argument::Argument::Missing,
            sort_order: crate::call::argument::Argument::Missing,
            mode,
            state: PhantomData,
        }
    }
}
impl<PipelineIdState> ListItems<PipelineIdState> {
    /// Sends a `GET` request to `/api/v1/pipelines/{pipeline_id}/items`
    ///
    /// # Errors
    /// Any response other than a success, and no response at all: see [`Error`](crate::Error).
    pub async fn send(
        self,
    ) -> Result<ResponseValue<types::ItemPage>, crate::error::Error>
    where
        PipelineIdState: IsGiven,
    {
        let request: ListItems = self.turned(|_| Async);
        let core = request.core.clone();
        let request = move || request.request();
        crate::call::send(core, &operations::LIST_ITEMS, Box::new(request)).await
    }
    /// Returns a walk over all items of the request, across its pages. `skip` sets where the walk begins, and
    /// `limit` the maximum number of items in total: see [`Walk`](crate::paging::Walk).
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .list_items()
    ///     .pipeline_id(2)
    ///     .skip(100)
    ///     .limit(1000)
    ///     .sort_by("question.201")
    ///     .sort_order("desc")
    ///     .walk()
    ///     .collect()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn walk(self) -> crate::paging::walk::Walk<types::PipelineItem>
    where
        PipelineIdState: IsGiven,
    {
        let request: ListItems = self.turned(|_| Async);
        crate::paging::walk::Walk::over(request)
    }
}
#[cfg(feature = "blocking")]
impl<PipelineIdState> ListItems<PipelineIdState, crate::blocking::Blocking> {
    /// Sends a `GET` request to `/api/v1/pipelines/{pipeline_id}/items`
    ///
    /// # Errors
    /// Any response other than a success, no response at all, and a call in async code: see
    /// [`Error`](crate::Error).
    pub fn send(self) -> Result<ResponseValue<types::ItemPage>, crate::error::Error>
    where
        PipelineIdState: IsGiven,
    {
        let mode = self.mode.clone();
        let request = self.turned::<Given, _>(|_| Async);
        mode.block_on(&operations::LIST_ITEMS, request.send())
    }
    /// Returns a walk over all items of the request, across its pages. `skip` sets where the walk begins, and
    /// `limit` the maximum number of items in total: see [`Walk`](crate::blocking::Walk).
    ///
    /// # Example
    ///
    /// ```no_run
    /// # fn example(client: &platform_sdk::blocking::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .list_items()
    ///     .pipeline_id(2)
    ///     .skip(100)
    ///     .limit(1000)
    ///     .sort_by("question.201")
    ///     .sort_order("desc")
    ///     .walk()
    ///     .collect()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn walk(self) -> crate::blocking::Walk<types::PipelineItem>
    where
        PipelineIdState: IsGiven,
    {
        let mode = self.mode.clone();
        let request: ListItems = self.turned(|_| Async);
        crate::blocking::Walk::new(request.walk(), mode)
    }
}
impl crate::paging::source::Paged for ListItems {
    type Item = types::PipelineItem;
    const OPERATION: &'static str = "list_items";
    const MAX_LIMIT: u64 = 1000u64;
    const REACH: Option<u64> = None;
    fn core(&mut self) -> &mut crate::call::core::ClientCore {
        &mut self.core
    }
    fn write_down(self) -> Result<::reqwest::Request, crate::error::Error> {
        self.request()
    }
    fn start(&self) -> Option<i64> {
        self.skip.given().copied().map(i64::from)
    }
    fn most(&self) -> Option<i64> {
        self.limit.given().copied().map(i64::from)
    }
    async fn fetch(
        self,
        skip: u64,
        limit: u64,
    ) -> Result<crate::paging::rows::Fetched<Self::Item>, crate::error::Error> {
        let request = self.skip(skip).limit(limit);
        let core = request.core.clone();
        let request = Box::new(move || request.request());
        crate::paging::rows::fetch::<
            types::ItemPage,
        >(core, &operations::LIST_ITEMS, request, skip)
            .await
    }
}
#[cfg(feature = "mock")]
impl<PipelineIdState, M> crate::mock::expected::Request
for ListItems<PipelineIdState, M> {
    type Answer = types::ItemPage;
    fn expected(self) -> crate::mock::expected::Expected {
        crate::mock::expected::Expected::new(&operations::LIST_ITEMS, 200u16)
            .parameter("pipeline_id", self.pipeline_id)
            .parameter("limit", self.limit)
            .parameter("skip", self.skip)
            .parameter("sort_by", self.sort_by)
            .parameter("sort_order", self.sort_order)
    }
}
