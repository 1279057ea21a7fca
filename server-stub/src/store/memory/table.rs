//! Records of one kind, found by id and by meaning.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::index::{Index, Sought};
use super::shelf::{Packed, Shelf};
use crate::model::filter::Filters;
use crate::model::organization::Organization;
use crate::model::search::{Found, Meaning, Page, Query};

/// Records by row number, which ascends with their ids once the table is [sorted](Self::sort).
#[derive(Debug)]
pub(super) struct Table<Id, T> {
    ids: Vec<Id>,
    records: Shelf<T>,
    index: Index,
    is_sorted: bool,
}

impl<Id: Ord + Copy, T: Serialize + DeserializeOwned> Table<Id, T> {
    pub(super) fn new() -> Self {
        Self {
            ids: Vec::new(),
            records: Shelf::new(),
            index: Index::default(),
            is_sorted: true,
        }
    }

    /// Adds a record; the filters check this organization.
    pub(super) fn push(&mut self, id: Id, record: &Packed<T>, meaning: &Meaning, organization: &Organization) {
        self.push_bytes(id, &record.bytes, meaning, organization);
    }

    fn push_bytes(&mut self, id: Id, bytes: &[u8], meaning: &Meaning, organization: &Organization) {
        self.is_sorted &= self.ids.last().is_none_or(|last| *last < id);
        self.ids.push(id);
        self.records.push(bytes);
        self.index.push(meaning, organization);
    }

    /// Adds a kind of business to the record with this id. The table must be sorted.
    pub(super) fn categorize(&mut self, id: Id, category: &str) {
        if let Some(row) = self.row(id) {
            self.index.categorize(row as u32, category);
        }
    }

    /// Sorts the records by id. Of two records with the same id, the later one is kept.
    pub(super) fn sort(&mut self, organization: impl Fn(T) -> Option<Organization>) {
        if self.is_sorted {
            return;
        }
        let mut rows: Vec<_> = (0..self.ids.len()).collect();
        rows.sort_by_key(|row| self.ids[*row]);
        let mut sorted = Self::new();
        for (place, row) in rows.iter().copied().enumerate() {
            let id = self.ids[row];
            let next = rows.get(place + 1).map(|next| self.ids[*next]);
            if next != Some(id)
                && let Some(organization) = organization(self.records.get(row))
            {
                let meaning = self.index.meaning(row);
                sorted.push_bytes(id, self.records.bytes(row), &meaning, &organization);
            }
        }
        *self = sorted;
    }

    /// Frees memory that was only needed to add records.
    pub(super) fn shrink(&mut self) {
        self.ids.shrink_to_fit();
        self.records.shrink();
        self.index.shrink();
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn row(&self, id: Id) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }

    pub(super) fn record(&self, row: usize) -> T {
        self.records.get(row)
    }

    pub(super) fn meaning(&self, row: usize) -> Meaning {
        self.index.meaning(row)
    }

    /// The rows that were found, each with its distance; `None` if the query names a record that does not exist.
    pub(super) fn search(&self, query: &Query<Id>, filters: &Filters, page: Page) -> Option<Found<(f64, usize)>> {
        let known;
        let sought = match query {
            Query::Offer(vector) => Sought::Offer(vector),
            Query::Customers(vector) => Sought::Customers(vector),
            Query::Known(id) => {
                let row = self.row(*id)?;
                known = self.meaning(row);
                Sought::Known(u32::try_from(row).ok()?, &known)
            }
        };
        let found = self.index.search(&sought, filters, page);
        Some(found.map(|(distance, row)| (distance, row as usize)))
    }
}
