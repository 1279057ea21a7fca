// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! The filters of searches.
/// The filters that all searches share: built once, and given to any of them by `filters`.
///
/// ```
/// use platform_sdk::Filters;
///
/// let filters = Filters::new()
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
///     .headquarters_only(false);
/// # let _ = filters;
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "filters do nothing until a search takes them"]
pub struct Filters {
    pub(crate) countries: crate::call::argument::Argument<
        crate::types::any_of::AnyOf<String>,
    >,
    pub(crate) regions: crate::call::argument::Argument<
        crate::types::any_of::AnyOf<String>,
    >,
    pub(crate) employee_count_min: crate::call::argument::Argument<i32>,
    pub(crate) employee_count_max: crate::call::argument::Argument<i32>,
    pub(crate) founded_year_min: crate::call::argument::Argument<i32>,
    pub(crate) founded_year_max: crate::call::argument::Argument<i32>,
    pub(crate) business_types: crate::call::argument::Argument<
        crate::types::any_of::AnyOf<String>,
    >,
    pub(crate) funding_stages: crate::call::argument::Argument<
        crate::types::any_of::AnyOf<crate::types::open_enums::FundingStage>,
    >,
    pub(crate) funded_from: crate::call::argument::Argument<
        crate::types::date_bound::DateBound,
    >,
    pub(crate) funded_to: crate::call::argument::Argument<
        crate::types::date_bound::DateBound,
    >,
    pub(crate) headquarters_only: crate::call::argument::Argument<bool>,
}
impl Filters {
    /// Returns an empty set of filters.
    pub fn new() -> Self {
        Self::default()
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
    /// Filters by employee count: keeps organizations with at least this many employees; a product search checks the
    /// product's organization. Organizations whose number of employees is unknown never match.
    pub fn employee_count_min<V, K>(mut self, value: V) -> Self
    where
        V: crate::call::argument::OptionalArgument<i32, K>,
    {
        self.employee_count_min = crate::call::argument::Argument::optionally(value);
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
    /// Filters by founding year: keeps organizations founded in this year or later; a product search checks the
    /// product's organization. Organizations whose founding date is unknown never match.
    pub fn founded_year_min<V, K>(mut self, value: V) -> Self
    where
        V: crate::call::argument::OptionalArgument<i32, K>,
    {
        self.founded_year_min = crate::call::argument::Argument::optionally(value);
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
}
