//! Records of one kind, found by id and by meaning.

use roaring::RoaringBitmap;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::facets::Facets;
use super::facts::{Indexed, OrganizationFacts};
use super::index::{Index, Sought};
use super::shelf::{Packed, Shelf, Unpacked};
use crate::model::filter::Filters;
use crate::model::search::{Found, Meaning, Page, Query};

/// Records by row number, which ascends with their ids once the table is [sorted](Self::sort).
#[derive(Debug)]
pub(super) struct Table<Id, T> {
    ids: Vec<Id>,
    records: Shelf<T>,
    index: Index,
    is_sorted: bool,
}

/// A table as a part of the program, without its vectors: ids, packed records, where each ends, the rows of those that
/// state whom they serve, and facets.
type Stored<'a, Id> = (Vec<Id>, &'a [u8], Vec<u64>, RoaringBitmap, Facets);

impl<Id: Ord + Copy + Serialize + DeserializeOwned, T: Indexed + Serialize + DeserializeOwned> Table<Id, T> {
    pub(super) fn new() -> Self {
        Self {
            ids: Vec::new(),
            records: Shelf::new(),
            index: Index::default(),
            is_sorted: true,
        }
    }

    /// Adds a record with its kinds of business; the filters check this organization for all else.
    pub(super) fn push(
        &mut self,
        id: Id,
        record: &Packed<T>,
        meaning: &Meaning,
        organization: &OrganizationFacts,
        categories: &[String],
    ) {
        self.push_bytes(id, &record.bytes, meaning, organization, categories);
    }

    fn push_bytes(
        &mut self,
        id: Id,
        bytes: &[u8],
        meaning: &Meaning,
        organization: &OrganizationFacts,
        categories: &[String],
    ) {
        self.is_sorted &= self.ids.last().is_none_or(|last| *last < id);
        let row = self.ids.len() as u32;
        self.ids.push(id);
        self.records.push(bytes);
        self.index.push(meaning, organization);
        for category in categories {
            self.index.categorize(row, category);
        }
    }

    /// Adds a kind of business to the record with this id. The table must be sorted.
    pub(super) fn categorize(&mut self, id: Id, category: &str) {
        if let Some(row) = self.row(id) {
            self.index.categorize(row as u32, category);
        }
    }

    /// Sorts the records by id. Of two records with the same id, the later one is kept. `facts` gives the organization
    /// and the kinds of business that a record was added with. Kinds of business that were added later are lost.
    pub(super) fn sort(&mut self, mut facts: impl FnMut(T) -> Option<(OrganizationFacts, Vec<String>)>) {
        if self.is_sorted {
            return;
        }
        let mut rows: Vec<_> = (0..self.ids.len()).collect();
        rows.sort_by_key(|row| self.ids[*row]);
        let mut sorted = Self::new();
        let unpacked = &mut Unpacked::default();
        for (place, row) in rows.iter().copied().enumerate() {
            let id = self.ids[row];
            let next = rows.get(place + 1).map(|next| self.ids[*next]);
            if next != Some(id)
                && let Some((organization, categories)) = facts(self.records.get(row, unpacked))
            {
                let meaning = self.index.meaning(row);
                let bytes = self.records.bytes(row, unpacked);
                sorted.push_bytes(id, bytes, &meaning, &organization, &categories);
            }
        }
        *self = sorted;
    }

    /// The table as a part of a program, without its vectors. It must be sorted.
    #[cfg(test)]
    pub(super) fn to_program(&self) -> Vec<u8> {
        let (records, ends) = self.records.to_program();
        let (with_customers, facets) = self.index.facts();
        let stored = (&self.ids, &records[..], ends, with_customers, facets);
        postcard::to_stdvec(&stored).unwrap()
    }

    /// A table that [`to_program`](Self::to_program) has written. Gets the meaning of each record in turn, given
    /// whether it states whom it serves.
    pub(super) fn of_program(
        stored: &'static [u8],
        meaning: impl FnMut(bool) -> Meaning,
    ) -> Result<Self, postcard::Error> {
        let (ids, records, ends, with_customers, facets): Stored<'static, Id> = postcard::from_bytes(stored)?;
        Ok(Self {
            index: Index::of_facts(ids.len(), with_customers, facets, meaning),
            records: Shelf::of_program(records, ends),
            ids,
            is_sorted: true,
        })
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

    pub(super) fn record(&self, row: usize, unpacked: &mut Unpacked) -> T {
        self.records.get(row, unpacked)
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
