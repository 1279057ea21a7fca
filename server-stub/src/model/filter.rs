//! The standard search filters: which records a search looks at, before it ranks them.

use std::collections::BTreeSet;
use std::iter;

use chrono::{Datelike, NaiveDate};

use super::organization::{Address, CompanyMetrics, FundingStage, Organization};
use super::search::{IndexedOrganization, IndexedProduct};

/// What a record must fulfil to be found.
///
/// Within a list one match is enough; between the filters all must hold, each on its own, so that two
/// filters find what both would find alone. Bounds are inclusive. An empty list or an absent bound asks
/// for nothing; where something is asked for, a record that lacks the field does not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filters {
    /// ISO 3166-1 alpha-2 codes.
    pub countries: Vec<String>,
    /// ISO 3166-2 codes.
    pub regions: Vec<String>,
    /// The least number of employees.
    pub employee_count_min: Option<u64>,
    /// The greatest number of employees.
    pub employee_count_max: Option<u64>,
    /// The first calendar year of founding.
    pub founded_year_min: Option<i32>,
    /// The last calendar year of founding.
    pub founded_year_max: Option<i32>,
    /// Product categories. An organization has those of its products.
    pub business_types: Vec<String>,
    /// Stages of the latest funding round.
    pub funding_stages: Vec<FundingStage>,
    /// The first day of the latest funding round.
    pub funded_from: Option<NaiveDate>,
    /// The last day of the latest funding round.
    pub funded_to: Option<NaiveDate>,
    /// Whether countries and regions look at the headquarters only, or at any office including these.
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

    /// Whether a product passes: by its own categories, and in all else by its organization.
    pub fn admit_product(&self, known: &IndexedProduct) -> bool {
        if !self.admit_business_types(&known.categories) {
            return false;
        }
        match &known.organization {
            Some(organization) => self.admit_company(organization),
            // An organization that is not known lacks every field.
            None => self.admit_facts(&CompanyMetrics::default(), &Address::default(), &[]),
        }
    }

    fn admit_business_types(&self, categories: &BTreeSet<String>) -> bool {
        self.business_types.is_empty() || self.business_types.iter().any(|slug| categories.contains(slug))
    }

    fn admit_company(&self, organization: &Organization) -> bool {
        self.admit_facts(&organization.metrics, &organization.headquarters, &organization.locations)
    }

    fn admit_facts(&self, metrics: &CompanyMetrics, headquarters: &Address, others: &[Address]) -> bool {
        let others = if self.headquarters_only { &[] } else { others };
        let somewhere = |asked: &[String], code: fn(&Address) -> Option<&String>| {
            asked.is_empty() || iter::once(headquarters).chain(others).any(|place| listed(code(place), asked))
        };
        let funding = &metrics.funding;
        somewhere(&self.countries, |place| place.country.as_ref())
            && somewhere(&self.regions, |place| place.region.as_ref())
            && within(metrics.employee_count, self.employee_count_min, self.employee_count_max)
            && within(metrics.founded_on.map(|day| day.year()), self.founded_year_min, self.founded_year_max)
            && within(funding.last_round_on, self.funded_from, self.funded_to)
            && (self.funding_stages.is_empty()
                || listed(funding.last_round_stage.as_ref(), &self.funding_stages))
    }
}

fn listed<T: PartialEq>(value: Option<&T>, asked: &[T]) -> bool {
    value.is_some_and(|value| asked.contains(value))
}

fn within<T: PartialOrd>(value: Option<T>, least: Option<T>, greatest: Option<T>) -> bool {
    if least.is_none() && greatest.is_none() {
        return true;
    }
    value.is_some_and(|value| least.is_none_or(|least| value >= least) && greatest.is_none_or(|greatest| value <= greatest))
}
