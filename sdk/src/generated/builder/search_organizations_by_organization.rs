// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! Request of `search_organizations_by_organization`.
use std::marker::PhantomData;
use progenitor_client::{encode_path, RequestBuilderExt, ResponseValue};
use super::missing;
use crate::call::state::{Async, Given, IsGiven};
use crate::generated::{operations, types};
/// Request of [`search_organizations_by_organization`](crate::Client::search_organizations_by_organization).
///
/// # Example
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// let answer = client
///     .search_organizations_by_organization()
///     .organization_id(1002)
///     .countries(["NO", "DK"])
///     .regions(["NO-46", "US-CA"])
///     .employee_count_min(10)
///     .employee_count_max(250)
///     .founded_year_min(2010)
///     .founded_year_max(2024)
///     .business_types(["freight_logistics", "warehousing"])
///     .funding_stages(["seed", "series_a"])
///     .funded_from("2018-01-01")
///     .funded_to("2026-06-30")
///     .headquarters_only(false)
///     .skip(20)
///     .limit(10)
///     .send()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until `send` is called"]
pub struct SearchOrganizationsByOrganization<OrganizationIdState = Given, M = Async> {
    pub(crate) core: crate::call::core::ClientCore,
    organization_id: crate::call::argument::Argument<crate::types::ids::OrganizationId>,
    business_types: crate::call::argument::Argument<crate::types::any_of::AnyOf<String>>,
    countries: crate::call::argument::Argument<crate::types::any_of::AnyOf<String>>,
    employee_count_max: crate::call::argument::Argument<i32>,
    employee_count_min: crate::call::argument::Argument<i32>,
    founded_year_max: crate::call::argument::Argument<i32>,
    founded_year_min: crate::call::argument::Argument<i32>,
    funded_from: crate::call::argument::Argument<crate::types::date_bound::DateBound>,
    funded_to: crate::call::argument::Argument<crate::types::date_bound::DateBound>,
    funding_stages: crate::call::argument::Argument<
        crate::types::any_of::AnyOf<crate::types::open_enums::FundingStage>,
    >,
    headquarters_only: crate::call::argument::Argument<bool>,
    limit: crate::call::argument::Argument<i32>,
    regions: crate::call::argument::Argument<crate::types::any_of::AnyOf<String>>,
    skip: crate::call::argument::Argument<i32>,
    mode: M,
    state: PhantomData<(OrganizationIdState,)>,
}
impl<OrganizationIdState, M> SearchOrganizationsByOrganization<OrganizationIdState, M> {
    /// The known organization that results are similar to.
    pub fn organization_id<V>(
        mut self,
        value: V,
    ) -> SearchOrganizationsByOrganization<Given, M>
    where
        V: ::std::convert::TryInto<crate::types::ids::OrganizationId>,
        V::Error: ::std::fmt::Display,
    {
        self.organization_id = crate::call::argument::Argument::of(value);
        self.turned(|mode| mode)
    }
    /// Filters by product category: keeps records in any of these categories. The vocabulary is open: a well-formed
    /// category that no record is in matches nothing. An organization is in the categories of its products; a product
    /// search checks the product's own. Repeat the parameter for more than one value, at most 50. Records without a
    /// category never match.
    pub fn business_types<V, K>(mut self, value: V) -> Self
    where
        V: crate::call::argument::OptionalArgument<
            crate::types::any_of::AnyOf<String>,
            K,
        >,
    {
        self.business_types = crate::call::argument::Argument::optionally(value);
        self
    }
    /// Filters by country code (ISO 3166-1): keeps records located in any of these countries (alpha-2, upper case). A
    /// product search checks the locations of the product's organization. `headquarters_only` decides which locations
    /// count. If `regions` is given too, different locations may match the two. Repeat the parameter for more than
    /// one value, at most 50. Records without a country never match; a well-formed code that does not belong to any
    /// country matches nothing.
    pub fn countries<V, K>(mut self, value: V) -> Self
    where
        V: crate::call::argument::OptionalArgument<
            crate::types::any_of::AnyOf<String>,
            K,
        >,
    {
        self.countries = crate::call::argument::Argument::optionally(value);
        self
    }
    /// Filters by employee count: keeps organizations with at most this many employees; a product search checks the
    /// product's organization. Organizations whose number of employees is unknown never match. A maximum below
    /// `employee_count_min` is rejected with 422.
    pub fn employee_count_max<V, K>(mut self, value: V) -> Self
    where
        V: crate::call::argument::OptionalArgument<i32, K>,
    {
        self.employee_count_max = crate::call::argument::Argument::optionally(value);
        self
    }
    /// Filters by employee count: keeps organizations with at least this many employees; a product search checks the
    /// product's organization. Organizations whose number of employees is unknown never match.
    pub fn employee_count_min<V, K>(mut self, value: V) -> Self
    where
        V: crate::call::argument::OptionalArgument<i32, K>,
    {
        self.employee_count_min = crate::call::argument::Argument::optionally(value);
        self
    }
    /// Filters by founding year: keeps organizations founded in this year or earlier; a product search checks the
    /// product's organization. Organizations whose founding date is unknown never match. A maximum below
    /// `founded_year_min` is rejected with 422.
    pub fn founded_year_max<V, K>(mut self, value: V) -> Self
    where
        V: crate::call::argument::OptionalArgument<i32, K>,
    {
        self.founded_year_max = crate::call::argument::Argument::optionally(value);
        self
    }
    /// Filters by founding year: keeps organizations founded in this year or later; a product search checks the
    /// product's organization. Organizations whose founding date is unknown never match.
    pub fn founded_year_min<V, K>(mut self, value: V) -> Self
    where
        V: crate::call::argument::OptionalArgument<i32, K>,
    {
        self.founded_year_min = crate::call::argument::Argument::optionally(value);
        self
    }
    /// Filters by funding date: keeps organizations whose latest funding round was on this date or later
    /// (`YYYY-MM-DD`); a product search checks the product's organization. Organizations without a dated round never
    /// match.
    pub fn funded_from<V, K>(mut self, value: V) -> Self
    where
        V: crate::call::argument::OptionalArgument<
            crate::types::date_bound::DateBound,
            K,
        >,
    {
        self.funded_from = crate::call::argument::Argument::optionally(value);
        self
    }
    /// Filters by funding date: keeps organizations whose latest funding round was on this date or earlier
    /// (`YYYY-MM-DD`); a product search checks the product's organization. Organizations without a dated round never
    /// match. A date before `funded_from` is rejected with 422.
    pub fn funded_to<V, K>(mut self, value: V) -> Self
    where
        V: crate::call::argument::OptionalArgument<
            crate::types::date_bound::DateBound,
            K,
        >,
    {
        self.funded_to = crate::call::argument::Argument::optionally(value);
        self
    }
    /// Filters by stage of the latest funding round: keeps organizations whose round was at any of these stages; a
    /// product search checks the product's organization. Organizations without a round never match. Repeat the
    /// parameter for more than one value, at most 50.
    pub fn funding_stages<V, K>(mut self, value: V) -> Self
    where
        V: crate::call::argument::OptionalArgument<
            crate::types::any_of::AnyOf<crate::types::open_enums::FundingStage>,
            K,
        >,
    {
        self.funding_stages = crate::call::argument::Argument::optionally(value);
        self
    }
    /// Which locations `countries` and `regions` apply to: the headquarters alone (`true`), or any location, the
    /// headquarters included (`false`); in a product search, those of the product's organization. Without either of
    /// them, it has no effect.
    pub fn headquarters_only<V, K>(mut self, value: V) -> Self
    where
        V: crate::call::argument::OptionalArgument<bool, K>,
    {
        self.headquarters_only = crate::call::argument::Argument::optionally(value);
        self
    }
    /// The maximum number of results returned. Only the first 1000 results of a search can be reached: `skip + limit`
    /// above 1000 is rejected with 422.
    pub fn limit<V, K>(mut self, value: V) -> Self
    where
        V: crate::call::argument::OptionalArgument<i32, K>,
    {
        self.limit = crate::call::argument::Argument::optionally(value);
        self
    }
    /// Filters by region: keeps records located in any of these regions (ISO 3166-2, upper case). A product search
    /// checks the locations of the product's organization. `headquarters_only` decides which locations count. Repeat
    /// the parameter for more than one value, at most 50. Records without a region never match; a well-formed code
    /// that does not belong to any region matches nothing.
    pub fn regions<V, K>(mut self, value: V) -> Self
    where
        V: crate::call::argument::OptionalArgument<
            crate::types::any_of::AnyOf<String>,
            K,
        >,
    {
        self.regions = crate::call::argument::Argument::optionally(value);
        self
    }
    /// Number of results to skip. At or past the end the page is empty, and `total_count` is the same as on any other
    /// page.
    pub fn skip<V, K>(mut self, value: V) -> Self
    where
        V: crate::call::argument::OptionalArgument<i32, K>,
    {
        self.skip = crate::call::argument::Argument::optionally(value);
        self
    }
    fn request(&self) -> Result<::reqwest::Request, crate::error::Error> {
        let core = &self.core;
        let organization_id = self.organization_id.required("organization_id")?;
        let business_types = self.business_types.optional("business_types")?;
        let countries = self.countries.optional("countries")?;
        let employee_count_max = self.employee_count_max.optional("employee_count_max")?;
        let employee_count_min = self.employee_count_min.optional("employee_count_min")?;
        let founded_year_max = self.founded_year_max.optional("founded_year_max")?;
        let founded_year_min = self.founded_year_min.optional("founded_year_min")?;
        let funded_from = self.funded_from.optional("funded_from")?;
        let funded_to = self.funded_to.optional("funded_to")?;
        let funding_stages = self.funding_stages.optional("funding_stages")?;
        let headquarters_only = self.headquarters_only.optional("headquarters_only")?;
        let limit = self.limit.optional("limit")?;
        let regions = self.regions.optional("regions")?;
        let skip = self.skip.optional("skip")?;
        let url = format!(
            "{}/search/organizations/{}/similar", core.base_url, organization_id,
        );
        let request = core
            .http
            .get(url)
            .header(
                ::reqwest::header::ACCEPT,
                ::reqwest::header::HeaderValue::from_static("application/json"),
            )
            .query(
                &progenitor_client::QueryParam::new("business_types", &business_types),
            )
            .query(&progenitor_client::QueryParam::new("countries", &countries))
            .query(
                &progenitor_client::QueryParam::new(
                    "employee_count_max",
                    &employee_count_max,
                ),
            )
            .query(
                &progenitor_client::QueryParam::new(
                    "employee_count_min",
                    &employee_count_min,
                ),
            )
            .query(
                &progenitor_client::QueryParam::new(
                    "founded_year_max",
                    &founded_year_max,
                ),
            )
            .query(
                &progenitor_client::QueryParam::new(
                    "founded_year_min",
                    &founded_year_min,
                ),
            )
            .query(&progenitor_client::QueryParam::new("funded_from", &funded_from))
            .query(&progenitor_client::QueryParam::new("funded_to", &funded_to))
            .query(
                &progenitor_client::QueryParam::new("funding_stages", &funding_stages),
            )
            .query(
                &progenitor_client::QueryParam::new(
                    "headquarters_only",
                    &headquarters_only,
                ),
            )
            .query(&progenitor_client::QueryParam::new("limit", &limit))
            .query(&progenitor_client::QueryParam::new("regions", &regions))
            .query(&progenitor_client::QueryParam::new("skip", &skip))
            .build()
            .map_err(crate::call::unsendable)?;
        Ok(request)
    }
    fn turned<OtherOrganizationIdState, N>(
        self,
        turn: impl FnOnce(M) -> N,
    ) -> SearchOrganizationsByOrganization<OtherOrganizationIdState, N> {
        SearchOrganizationsByOrganization {
            core: self.core,
            organization_id: self.organization_id,
            business_types: self.business_types,
            countries: self.countries,
            employee_count_max: self.employee_count_max,
            employee_count_min: self.employee_count_min,
            founded_year_max: self.founded_year_max,
            founded_year_min: self.founded_year_min,
            funded_from: self.funded_from,
            funded_to: self.funded_to,
            funding_stages: self.funding_stages,
            headquarters_only: self.headquarters_only,
            limit: self.limit,
            regions: self.regions,
            skip: self.skip,
            mode: turn(self.mode),
            state: PhantomData,
        }
    }
    /// Sets the filters that `filters` has; others stay as they are. Takes a value or a reference.
    ///
    /// ```
    /// # fn example(client: &platform_sdk::Client) {
    /// use platform_sdk::Filters;
    ///
    /// let filters = Filters::new().countries(["NO", "DK"]);
    /// let request = client.search_organizations_by_organization().filters(&filters);
    /// # }
    /// ```
    pub fn filters(
        mut self,
        filters: impl std::borrow::Borrow<crate::generated::filters::Filters>,
    ) -> Self {
        let filters = filters.borrow();
        self.countries.set(&filters.countries);
        self.regions.set(&filters.regions);
        self.employee_count_min.set(&filters.employee_count_min);
        self.employee_count_max.set(&filters.employee_count_max);
        self.founded_year_min.set(&filters.founded_year_min);
        self.founded_year_max.set(&filters.founded_year_max);
        self.business_types.set(&filters.business_types);
        self.funding_stages.set(&filters.funding_stages);
        self.funded_from.set(&filters.funded_from);
        self.funded_to.set(&filters.funded_to);
        self.headquarters_only.set(&filters.headquarters_only);
        self
    }
}
impl<M> SearchOrganizationsByOrganization<missing::organization_id, M> {
    pub(crate) fn new(core: crate::call::core::ClientCore, mode: M) -> Self {
        Self {
            core,
            organization_id: crate::call::argument::Argument::Missing,
            business_types: crate::call::argument::Argument::Missing,
            countries: crate::call::argument::Argument::Missing,
            employee_count_max: crate::call::argument::Argument::Missing,
            employee_count_min: crate::call::argument::Argument::Missing,
            founded_year_max: crate::call::argument::Argument::Missing,
            founded_year_min: crate::call::argument::Argument::Missing,
            funded_from: crate::call::argument::Argument::Missing,
            funded_to: crate::call::argument::Argument::Missing,
            funding_stages: crate::call::argument::Argument::Missing,
            headquarters_only: crate::call::argument::Argument::Missing,
            limit: crate::call::argument::Argument::Missing,
            regions: crate::call::argument::Argument::Missing,
            skip: crate::call::argument::Argument::Missing,
            mode,
            state: PhantomData,
        }
    }
}
impl<OrganizationIdState> SearchOrganizationsByOrganization<OrganizationIdState> {
    /// Sends a `GET` request to `/search/organizations/{organization_id}/similar`
    ///
    /// # Errors
    /// Any response other than a success, and no response at all: see [`Error`](crate::Error).
    pub async fn send(
        self,
    ) -> Result<ResponseValue<types::OrganizationSearchPage>, crate::error::Error>
    where
        OrganizationIdState: IsGiven,
    {
        let request: SearchOrganizationsByOrganization = self.turned(|_| Async);
        let core = request.core.clone();
        let request = move || request.request();
        crate::call::send(
                core,
                &operations::SEARCH_ORGANIZATIONS_BY_ORGANIZATION,
                Box::new(request),
            )
            .await
    }
    /// Returns a walk over all items of the request, across its pages. `skip` sets where the walk begins, and
    /// `limit` the maximum number of items in total: see [`Walk`](crate::paging::Walk).
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .search_organizations_by_organization()
    ///     .organization_id(1002)
    ///     .countries(["NO", "DK"])
    ///     .regions(["NO-46", "US-CA"])
    ///     .employee_count_min(10)
    ///     .employee_count_max(250)
    ///     .founded_year_min(2010)
    ///     .founded_year_max(2024)
    ///     .business_types(["freight_logistics", "warehousing"])
    ///     .funding_stages(["seed", "series_a"])
    ///     .funded_from("2018-01-01")
    ///     .funded_to("2026-06-30")
    ///     .headquarters_only(false)
    ///     .skip(20)
    ///     .limit(10)
    ///     .walk()
    ///     .collect()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn walk(self) -> crate::paging::walk::Walk<types::OrganizationSearchResult>
    where
        OrganizationIdState: IsGiven,
    {
        let request: SearchOrganizationsByOrganization = self.turned(|_| Async);
        crate::paging::walk::Walk::over(request)
    }
}
#[cfg(feature = "blocking")]
impl<
    OrganizationIdState,
> SearchOrganizationsByOrganization<OrganizationIdState, crate::blocking::Blocking> {
    /// Sends a `GET` request to `/search/organizations/{organization_id}/similar`
    ///
    /// # Errors
    /// Any response other than a success, no response at all, and a call in async code: see
    /// [`Error`](crate::Error).
    pub fn send(
        self,
    ) -> Result<ResponseValue<types::OrganizationSearchPage>, crate::error::Error>
    where
        OrganizationIdState: IsGiven,
    {
        let mode = self.mode.clone();
        let request = self.turned::<Given, _>(|_| Async);
        mode.block_on(&operations::SEARCH_ORGANIZATIONS_BY_ORGANIZATION, request.send())
    }
    /// Returns a walk over all items of the request, across its pages. `skip` sets where the walk begins, and
    /// `limit` the maximum number of items in total: see [`Walk`](crate::blocking::Walk).
    ///
    /// # Example
    ///
    /// ```no_run
    /// # fn example(client: &platform_sdk::blocking::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .search_organizations_by_organization()
    ///     .organization_id(1002)
    ///     .countries(["NO", "DK"])
    ///     .regions(["NO-46", "US-CA"])
    ///     .employee_count_min(10)
    ///     .employee_count_max(250)
    ///     .founded_year_min(2010)
    ///     .founded_year_max(2024)
    ///     .business_types(["freight_logistics", "warehousing"])
    ///     .funding_stages(["seed", "series_a"])
    ///     .funded_from("2018-01-01")
    ///     .funded_to("2026-06-30")
    ///     .headquarters_only(false)
    ///     .skip(20)
    ///     .limit(10)
    ///     .walk()
    ///     .collect()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn walk(self) -> crate::blocking::Walk<types::OrganizationSearchResult>
    where
        OrganizationIdState: IsGiven,
    {
        let mode = self.mode.clone();
        let request: SearchOrganizationsByOrganization = self.turned(|_| Async);
        crate::blocking::Walk::new(request.walk(), mode)
    }
}
impl crate::paging::source::Paged for SearchOrganizationsByOrganization {
    type Item = types::OrganizationSearchResult;
    const OPERATION: &'static str = "search_organizations_by_organization";
    const MAX_LIMIT: u64 = 100u64;
    const REACH: Option<u64> = Some(1000u64);
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
            types::OrganizationSearchPage,
        >(core, &operations::SEARCH_ORGANIZATIONS_BY_ORGANIZATION, request, skip)
            .await
    }
}
#[cfg(feature = "mock")]
impl<OrganizationIdState, M> crate::mock::expected::Request
for SearchOrganizationsByOrganization<OrganizationIdState, M> {
    type Answer = types::OrganizationSearchPage;
    fn expected(self) -> crate::mock::expected::Expected {
        crate::mock::expected::Expected::new(
                &operations::SEARCH_ORGANIZATIONS_BY_ORGANIZATION,
                200u16,
            )
            .parameter("organization_id", self.organization_id)
            .parameter("business_types", self.business_types)
            .parameter("countries", self.countries)
            .parameter("employee_count_max", self.employee_count_max)
            .parameter("employee_count_min", self.employee_count_min)
            .parameter("founded_year_max", self.founded_year_max)
            .parameter("founded_year_min", self.founded_year_min)
            .parameter("funded_from", self.funded_from)
            .parameter("funded_to", self.funded_to)
            .parameter("funding_stages", self.funding_stages)
            .parameter("headquarters_only", self.headquarters_only)
            .parameter("limit", self.limit)
            .parameter("regions", self.regions)
            .parameter("skip", self.skip)
    }
}
