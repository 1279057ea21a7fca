//! The kinds of business of organizations, taken from their products.

use std::collections::BTreeSet;

use fnv::FnvHashMap;
use serde::{Deserialize, Serialize};

use crate::model::ids::OrganizationId;

/// The kinds of business of each organization. Read them once it is [sorted](Self::sort).
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Categories {
    /// Each kind once.
    names: Vec<String>,
    /// Each organization with the number of each of its kinds.
    entries: Vec<(OrganizationId, u32)>,
    #[serde(skip)]
    numbers: FnvHashMap<String, u32>,
}

impl Categories {
    /// Adds a kind of business to an organization.
    pub(super) fn push(&mut self, id: OrganizationId, name: &str) {
        let number = match self.numbers.get(name) {
            Some(number) => *number,
            None => {
                let number = self.names.len() as u32;
                self.names.push(name.to_owned());
                self.numbers.insert(name.to_owned(), number);
                number
            }
        };
        // The products of an organization often follow each other, and are alike.
        if self.entries.last() != Some(&(id, number)) {
            self.entries.push((id, number));
        }
    }

    /// Brings the entries in order, and frees memory that was only needed to add them.
    pub(super) fn sort(&mut self) {
        self.entries.sort_unstable();
        self.entries.dedup();
        self.entries.shrink_to_fit();
        self.numbers = FnvHashMap::default();
    }

    /// Every entry, by organization.
    pub(super) fn iter(&self) -> impl Iterator<Item = (OrganizationId, &str)> {
        let entries = self.entries.iter();
        entries.map(|(id, number)| (*id, self.names[*number as usize].as_str()))
    }

    /// The kinds of business of an organization.
    pub(super) fn of(&self, id: OrganizationId) -> BTreeSet<String> {
        let start = self.entries.partition_point(|(of, _)| *of < id);
        let entries = self.entries[start..].iter().take_while(|(of, _)| *of == id);
        entries
            .map(|(_, number)| self.names[*number as usize].clone())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_organization_has_each_of_its_categories_once() {
        let id = |number| OrganizationId::new(number).unwrap();
        let mut categories = Categories::default();
        for (number, name) in [
            (7, "paper"),
            (7, "paper"),
            (2, "sails"),
            (7, "linen"),
            (7, "paper"),
            (9, "sails"),
        ] {
            categories.push(id(number), name);
        }
        categories.sort();
        let of = |number| Vec::from_iter(categories.of(id(number)));
        assert_eq!(of(7), ["linen", "paper"]);
        assert_eq!(of(2), ["sails"]);
        assert_eq!(of(8), [""; 0]);
        let all: Vec<_> = categories.iter().map(|(id, name)| (id.get(), name)).collect();
        assert_eq!(all, [(2, "sails"), (7, "paper"), (7, "linen"), (9, "sails")]);
    }
}
