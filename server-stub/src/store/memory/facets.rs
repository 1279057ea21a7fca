//! Indexes for filters: for each value of a filterable field, the set of rows that have it.

use std::borrow::{Borrow, Cow};
use std::collections::BTreeMap;
use std::hash::Hash;
use std::iter;

use chrono::{Datelike, NaiveDate};
use fnv::FnvHashMap;
use roaring::RoaringBitmap;
use serde::{Deserialize, Serialize, Serializer};

use super::facts::{OrganizationFacts, Place};
use crate::model::filter::{Filters, within};
use crate::model::organization::FundingStage;

/// The rows of the records, indexed by each filterable field.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Facets {
    headquarters: Places,
    /// Including the headquarters.
    offices: Places,
    categories: Sets<String>,
    stages: Sets<FundingStage>,
    employee_counts: Column<u64>,
    founded_years: Column<i32>,
    /// Counted from the first day of the common era.
    last_rounds_on: Column<i32>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Places {
    countries: Sets<String>,
    regions: Sets<String>,
}

/// The rows that have each value.
#[derive(Debug, Deserialize)]
#[serde(bound = "T: Eq + Hash + Deserialize<'de>")]
struct Sets<T>(FnvHashMap<T, RoaringBitmap>);

/// The value of each row.
#[derive(Debug, Serialize, Deserialize)]
struct Column<T> {
    values: Vec<T>,
    /// Stands for no value. An `Option` would take twice the memory.
    nothing: T,
}

impl Default for Facets {
    fn default() -> Self {
        Self {
            headquarters: Places::default(),
            offices: Places::default(),
            categories: Sets::default(),
            stages: Sets::default(),
            employee_counts: Column::without(u64::MAX),
            founded_years: Column::without(i32::MIN),
            last_rounds_on: Column::without(i32::MIN),
        }
    }
}

impl Facets {
    /// Enters the facts of the next row.
    pub(super) fn push(&mut self, row: u32, organization: &OrganizationFacts) {
        self.headquarters.push(row, &organization.headquarters);
        let offices = iter::once(&organization.headquarters).chain(&organization.offices);
        for office in offices {
            self.offices.push(row, office);
        }
        let metrics = &organization.metrics;
        if let Some(stage) = &metrics.funding.last_round_stage {
            self.stages.push(row, stage);
        }
        self.employee_counts.push(metrics.employee_count);
        self.founded_years.push(metrics.founded_on.map(|day| day.year()));
        self.last_rounds_on.push(metrics.funding.last_round_on.map(day_number));
    }

    /// Enters a kind of business of a row.
    pub(super) fn categorize(&mut self, row: u32, category: &str) {
        self.categories.push(row, category);
    }

    /// Frees memory that was only needed to enter facts.
    pub(super) fn shrink(&mut self) {
        self.employee_counts.values.shrink_to_fit();
        self.founded_years.values.shrink_to_fit();
        self.last_rounds_on.values.shrink_to_fit();
    }

    /// The rows that pass; `None` if the filters have no condition.
    pub(super) fn admitted(&self, filters: &Filters) -> Option<Cow<'_, RoaringBitmap>> {
        let places = match filters.headquarters_only {
            true => &self.headquarters,
            false => &self.offices,
        };
        let (from, to) = (filters.funded_from, filters.funded_to);
        let asked = [
            places.countries.any_of(&filters.countries),
            places.regions.any_of(&filters.regions),
            self.categories.any_of(&filters.business_types),
            self.stages.any_of(&filters.funding_stages),
            self.employee_counts
                .within(filters.employee_count_min, filters.employee_count_max),
            self.founded_years
                .within(filters.founded_year_min, filters.founded_year_max),
            self.last_rounds_on.within(from.map(day_number), to.map(day_number)),
        ];
        let asked = asked.into_iter().flatten();
        asked.reduce(|all, one| Cow::Owned(&*all & &*one))
    }
}

fn day_number(day: NaiveDate) -> i32 {
    day.num_days_from_ce()
}

impl Places {
    fn push(&mut self, row: u32, place: &Place) {
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
        Self(FnvHashMap::default())
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
    fn any_of(&self, values: &[T]) -> Option<Cow<'_, RoaringBitmap>> {
        if values.is_empty() {
            return None;
        }
        let sets = values.iter().filter_map(|value| self.0.get(value)).map(Cow::Borrowed);
        Some(sets.reduce(|all, one| Cow::Owned(&*all | &*one)).unwrap_or_default())
    }
}

/// In the order of the values, so that the same sets are always written alike.
impl<T: Serialize + Ord> Serialize for Sets<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let sorted: BTreeMap<_, _> = self.0.iter().collect();
        sorted.serialize(serializer)
    }
}

impl<T: PartialOrd + Copy> Column<T> {
    fn without(nothing: T) -> Self {
        Self {
            values: Vec::new(),
            nothing,
        }
    }

    fn push(&mut self, value: Option<T>) {
        self.values.push(value.unwrap_or(self.nothing));
    }

    /// The rows between two bounds; `None` if there is no bound.
    fn within(&self, least: Option<T>, greatest: Option<T>) -> Option<Cow<'_, RoaringBitmap>> {
        if least.is_none() && greatest.is_none() {
            return None;
        }
        let values = self.values.iter().copied();
        let values = values.map(|value| (value != self.nothing).then_some(value));
        let passing = (0..).zip(values).filter(|(_, value)| within(*value, least, greatest));
        let mut admitted = RoaringBitmap::new();
        admitted.extend(passing.map(|(row, _)| row));
        Some(Cow::Owned(admitted))
    }
}
