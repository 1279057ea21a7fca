//! Indexes for filters: for each value of a filterable field, the set of rows that have it.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::iter;

use chrono::{Datelike, NaiveDate};
use roaring::RoaringBitmap;

use crate::model::filter::{Filters, within};
use crate::model::organization::{Address, FundingStage, Organization};

/// The rows of the records, indexed by each filterable field.
#[derive(Debug, Default)]
pub(super) struct Facets {
    headquarters: Places,
    /// Including the headquarters.
    offices: Places,
    categories: Sets<String>,
    stages: Sets<FundingStage>,
    employee_counts: Column<u64>,
    founded_years: Column<i32>,
    last_rounds_on: Column<NaiveDate>,
}

#[derive(Debug, Default)]
struct Places {
    countries: Sets<String>,
    regions: Sets<String>,
}

/// The rows that have each value.
#[derive(Debug)]
struct Sets<T>(HashMap<T, RoaringBitmap>);

/// The value of each row.
#[derive(Debug)]
struct Column<T>(Vec<Option<T>>);

impl Facets {
    /// Enters the facts of the next row.
    pub(super) fn push(&mut self, row: u32, organization: &Organization) {
        self.headquarters.push(row, &organization.headquarters);
        let offices = iter::once(&organization.headquarters).chain(&organization.locations);
        for office in offices {
            self.offices.push(row, office);
        }
        let metrics = &organization.metrics;
        if let Some(stage) = &metrics.funding.last_round_stage {
            self.stages.push(row, stage);
        }
        self.employee_counts.0.push(metrics.employee_count);
        let year = metrics.founded_on.map(|day| day.year());
        self.founded_years.0.push(year);
        self.last_rounds_on.0.push(metrics.funding.last_round_on);
    }

    /// Enters a kind of business of a row.
    pub(super) fn categorize(&mut self, row: u32, category: &str) {
        self.categories.push(row, category);
    }

    /// Frees memory that was only needed to enter facts.
    pub(super) fn shrink(&mut self) {
        self.employee_counts.0.shrink_to_fit();
        self.founded_years.0.shrink_to_fit();
        self.last_rounds_on.0.shrink_to_fit();
    }

    /// The rows that pass; `None` if the filters have no condition.
    pub(super) fn admitted(&self, filters: &Filters) -> Option<RoaringBitmap> {
        let places = match filters.headquarters_only {
            true => &self.headquarters,
            false => &self.offices,
        };
        let (funded_from, funded_to) = (filters.funded_from, filters.funded_to);
        let asked = [
            places.countries.any_of(&filters.countries),
            places.regions.any_of(&filters.regions),
            self.categories.any_of(&filters.business_types),
            self.stages.any_of(&filters.funding_stages),
            self.employee_counts
                .within(filters.employee_count_min, filters.employee_count_max),
            self.founded_years
                .within(filters.founded_year_min, filters.founded_year_max),
            self.last_rounds_on.within(funded_from, funded_to),
        ];
        asked.into_iter().flatten().reduce(|all, one| all & one)
    }
}

impl Places {
    fn push(&mut self, row: u32, place: &Address) {
        if let Some(country) = &place.country {
            self.countries.push(row, country.as_str());
        }
        if let Some(region) = &place.region {
            self.regions.push(row, region.as_str());
        }
    }
}

impl<T> Default for Sets<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T: Eq + Hash> Sets<T> {
    fn push<Q: Eq + Hash + ToOwned<Owned = T> + ?Sized>(&mut self, row: u32, value: &Q)
    where
        T: Borrow<Q>,
    {
        match self.0.get_mut(value) {
            Some(rows) => {
                // Rows usually ascend, and are then appended.
                if rows.try_push(row).is_err() {
                    rows.insert(row);
                }
            }
            None => {
                self.0.insert(value.to_owned(), RoaringBitmap::from([row]));
            }
        }
    }

    /// The rows that have one of these values; `None` if there are no values.
    fn any_of(&self, values: &[T]) -> Option<RoaringBitmap> {
        let sets = || values.iter().filter_map(|value| self.0.get(value));
        (!values.is_empty()).then(|| sets().fold(RoaringBitmap::new(), |all, one| all | one))
    }
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: PartialOrd + Copy> Column<T> {
    /// The rows between two bounds; `None` if there is no bound.
    fn within(&self, least: Option<T>, greatest: Option<T>) -> Option<RoaringBitmap> {
        if least.is_none() && greatest.is_none() {
            return None;
        }
        let rows = (0..).zip(&self.0);
        let passing = rows.filter(|(_, value)| within(**value, least, greatest));
        let mut admitted = RoaringBitmap::new();
        admitted.extend(passing.map(|(row, _)| row));
        Some(admitted)
    }
}
