//! The standard search filters: which records a search ranks.

use std::collections::BTreeSet;
use std::iter;

use chrono::{Datelike, NaiveDate};

use super::organization::{Address, CompanyMetrics, FundingStage, Organization};
use super::search::{IndexedOrganization, IndexedProduct};

/// Conditions that a record must meet to be found.
///
/// Within a list one match is enough. All filters must hold, each independently, so that two filters together find the
/// records that each of them finds alone. Bounds are inclusive. An empty list or an absent bound has no effect; any
/// other filter excludes a record that lacks the field.
///
/// ```
/// use platform_server_stub::data::Dataset;
/// use platform_server_stub::model::filter::Filters;
///
/// let nordic = Filters {
///     countries: vec!["NO".to_owned(), "SE".to_owned()],
///     employee_count_min: Some(50),
///     ..Filters::default()
/// };
/// let data = Dataset::built_in();
/// let passing = data.organizations().filter(|known| nordic.admit_organization(known)).count();
/// assert!(0 < passing && passing < data.organizations().count());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filters {
    /// ISO 3166-1 alpha-2 codes.
    pub countries: Vec<String>,
    /// ISO 3166-2 codes.
    pub regions: Vec<String>,
    /// The minimum number of employees.
    pub employee_count_min: Option<u64>,
    /// The maximum number of employees.
    pub employee_count_max: Option<u64>,
    /// The first calendar year of founding.
    pub founded_year_min: Option<i32>,
    /// The last calendar year of founding.
    pub founded_year_max: Option<i32>,
    /// Product categories. An organization has the categories of its products.
    pub business_types: Vec<String>,
    /// Stages of the latest funding round.
    pub funding_stages: Vec<FundingStage>,
    /// The first day of the latest funding round.
    pub funded_from: Option<NaiveDate>,
    /// The last day of the latest funding round.
    pub funded_to: Option<NaiveDate>,
    /// Whether countries and regions apply to the headquarters only, or to any office including the headquarters.
    pub headquarters_only: bool,
}

impl Default for Filters {
    /// Filters that let everything pass.
    fn default() -> Self {
        Self {
            countries: Vec::new(),
            regions: Vec::new(),
            employee_count_min: None,
            employee_count_max: None,
            founded_year_min: None,
            founded_year_max: None,
            business_types: Vec::new(),
            funding_stages: Vec::new(),
            funded_from: None,
            funded_to: None,
            headquarters_only: true,
        }
    }
}

impl Filters {
    /// Whether an organization passes.
    pub fn admit_organization(&self, known: &IndexedOrganization) -> bool {
        self.admit_business_types(&known.categories) && self.admit_company(&known.organization)
    }

    /// Whether a product passes: by its own categories, and otherwise by its organization.
    pub fn admit_product(&self, known: &IndexedProduct) -> bool {
        self.admit_business_types(&known.categories) && self.admit_company(&known.organization)
    }

    fn admit_business_types(&self, categories: &BTreeSet<String>) -> bool {
        self.business_types.is_empty() || self.business_types.iter().any(|slug| categories.contains(slug))
    }

    fn admit_company(&self, organization: &Organization) -> bool {
        self.admit_facts(
            &organization.metrics,
            &organization.headquarters,
            &organization.locations,
        )
    }

    fn admit_facts(&self, metrics: &CompanyMetrics, headquarters: &Address, others: &[Address]) -> bool {
        let others = if self.headquarters_only { &[] } else { others };
        let somewhere = |asked: &[String], code: fn(&Address) -> Option<&String>| {
            asked.is_empty()
                || iter::once(headquarters)
                    .chain(others)
                    .any(|place| listed(code(place), asked))
        };
        let funding = &metrics.funding;
        somewhere(&self.countries, |place| place.country.as_ref())
            && somewhere(&self.regions, |place| place.region.as_ref())
            && within(metrics.employee_count, self.employee_count_min, self.employee_count_max)
            && within(
                metrics.founded_on.map(|day| day.year()),
                self.founded_year_min,
                self.founded_year_max,
            )
            && within(funding.last_round_on, self.funded_from, self.funded_to)
            && (self.funding_stages.is_empty() || listed(funding.last_round_stage.as_ref(), &self.funding_stages))
    }
}

fn listed<T: PartialEq>(value: Option<&T>, asked: &[T]) -> bool {
    value.is_some_and(|value| asked.contains(value))
}

/// Whether a value lies between two optional bounds.
pub(crate) fn within<T: PartialOrd>(value: Option<T>, least: Option<T>, greatest: Option<T>) -> bool {
    if least.is_none() && greatest.is_none() {
        return true;
    }
    value.is_some_and(|value| {
        least.is_none_or(|least| value >= least) && greatest.is_none_or(|greatest| value <= greatest)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::model::search::Meaning;
    use crate::sample::{organization, well_known};

    fn filters(change: impl FnOnce(&mut Filters)) -> Filters {
        let mut filters = Filters::default();
        change(&mut filters);
        filters
    }

    fn day(text: &str) -> Option<NaiveDate> {
        Some(text.parse().unwrap())
    }

    fn texts(values: &[&str]) -> Vec<String> {
        values.iter().map(|&value| value.to_owned()).collect()
    }

    /// Filters with one condition each, and whether the well-known organization passes.
    fn single_filters() -> Vec<(Filters, bool)> {
        vec![
            (filters(|f| f.countries = texts(&["FR"])), true),
            (filters(|f| f.countries = texts(&["DE", "FR"])), true),
            (filters(|f| f.countries = texts(&["US"])), false),
            (filters(|f| f.regions = texts(&["FR-ARA"])), true),
            (filters(|f| f.regions = texts(&["FR"])), false),
            (filters(|f| f.regions = texts(&["US-CA"])), false),
            (filters(|f| f.employee_count_min = Some(40)), true),
            (filters(|f| f.employee_count_min = Some(41)), false),
            (filters(|f| f.employee_count_max = Some(40)), true),
            (filters(|f| f.employee_count_max = Some(39)), false),
            (filters(|f| f.founded_year_min = Some(1999)), true),
            (filters(|f| f.founded_year_min = Some(2000)), false),
            (filters(|f| f.founded_year_max = Some(1999)), true),
            (filters(|f| f.founded_year_max = Some(1998)), false),
            (filters(|f| f.business_types = texts(&["textiles"])), true),
            (filters(|f| f.business_types = texts(&["ships", "textiles"])), true),
            (filters(|f| f.business_types = texts(&["textile"])), false),
            (
                filters(|f| f.funding_stages = vec![FundingStage::Angel, FundingStage::Seed]),
                true,
            ),
            (filters(|f| f.funding_stages = vec![FundingStage::SeriesA]), false),
            (filters(|f| f.funded_from = day("2020-02-29")), true),
            (filters(|f| f.funded_from = day("2020-03-01")), false),
            (filters(|f| f.funded_to = day("2020-02-29")), true),
            (filters(|f| f.funded_to = day("2020-02-28")), false),
        ]
    }

    #[test]
    fn each_filter_checks_its_own_field_and_bounds_are_inclusive() {
        for (filters, passes) in single_filters() {
            assert_eq!(filters.admit_organization(&well_known()), passes, "{filters:?}");
        }
    }

    #[test]
    fn record_without_the_field_passes_no_filter_on_it() {
        let unknown = organization(json!({}));
        assert!(Filters::default().admit_organization(&unknown));
        for (filters, _) in single_filters() {
            assert!(!filters.admit_organization(&unknown), "{filters:?}");
        }
    }

    #[test]
    fn all_filters_must_hold_at_once() {
        let both = |least| {
            filters(|f| {
                f.countries = texts(&["FR"]);
                f.employee_count_min = Some(least);
            })
        };
        assert!(both(40).admit_organization(&well_known()));
        assert!(!both(41).admit_organization(&well_known()));
    }

    #[test]
    fn other_offices_count_on_request_and_headquarters_always() {
        let anywhere = |country: &str| {
            filters(|f| {
                f.headquarters_only = false;
                f.countries = texts(&[country]);
            })
        };
        assert!(anywhere("US").admit_organization(&well_known()));
        assert!(anywhere("FR").admit_organization(&well_known()));
        assert!(!anywhere("DE").admit_organization(&well_known()));
    }

    #[test]
    fn countries_and_regions_are_each_matched_separately() {
        let filters = filters(|f| {
            f.headquarters_only = false;
            f.countries = texts(&["FR"]);
            f.regions = texts(&["US-CA"]);
        });
        assert!(filters.admit_organization(&well_known()));
    }

    #[test]
    fn product_is_filtered_by_its_own_categories_and_its_organization() {
        let organization = well_known().organization;
        let product = |category: &str| IndexedProduct {
            product: Arc::new(
                serde_json::from_value(
                    json!({"product_id": 1, "organization_id": 1, "name": "Sail", "description": "A sail."}),
                )
                .unwrap(),
            ),
            categories: [category.to_owned()].into(),
            organization: Arc::clone(&organization),
            meaning: Meaning {
                offer: platform_embedding::vector::Vector::new([0; 256]),
                customers: None,
            },
        };
        for (filters, passes) in single_filters() {
            let own = product("textiles");
            assert_eq!(filters.admit_product(&own), passes, "{filters:?}");
            // A product does not get the categories of its organization's other products.
            let other = product("maritime");
            assert_eq!(
                filters.admit_product(&other),
                passes && filters.business_types.is_empty(),
                "{filters:?}"
            );
        }
    }
}
