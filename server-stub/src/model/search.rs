//! Search by meaning: every candidate's exact cosine distance, nearest first.
//!
//! A record has two separate meanings: its offer, and its customers. A description is compared with the first, a
//! customer text with the second. A known record is compared with both, because similar records share business and
//! customers; the distance is then the mean of the two. If either of the two records does not state whom it serves,
//! only the offers are compared.
//!
//! There is no approximate index here: exact distances keep totals, ties and pages exact under filters.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::ids::{OrganizationId, ProductId};
use super::organization::Organization;
use super::product::Product;
use platform_embedding::vector::Vector;

/// The meaning of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    /// What it is and does.
    pub offer: Vector,
    /// Whom it serves; `None` where the record does not state it.
    pub customers: Option<Vector>,
}

/// An organization prepared for search.
#[derive(Debug)]
pub struct IndexedOrganization {
    /// The record.
    pub organization: Arc<Organization>,
    /// The categories of its products.
    pub categories: BTreeSet<String>,
    /// Its meaning.
    pub meaning: Meaning,
}

/// A product prepared for search.
#[derive(Debug)]
pub struct IndexedProduct {
    /// The record.
    pub product: Arc<Product>,
    /// Its own categories.
    pub categories: BTreeSet<String>,
    /// The organization that offers it.
    pub organization: Arc<Organization>,
    /// Its meaning.
    pub meaning: Meaning,
}

/// A search as the caller specifies it.
#[derive(Debug, Clone, PartialEq)]
pub enum Query<Id> {
    /// Records that do what a text describes; the vector is the text's.
    Offer(Vector),
    /// Records that serve whom a text describes; the vector is the text's.
    Customers(Vector),
    /// Records similar to a known one.
    Known(Id),
}

impl<Id: Copy> Query<Id> {
    /// Looks up the meaning of the known record; `None` if the record does not exist.
    pub fn resolve(self, meaning: impl FnOnce(Id) -> Option<Meaning>) -> Option<Probe<Id>> {
        Some(match self {
            Self::Offer(sought) => Probe::Offer(sought),
            Self::Customers(sought) => Probe::Customers(sought),
            Self::Known(id) => Probe::Known {
                id,
                meaning: meaning(id)?,
            },
        })
    }
}

/// A search in the form that records are compared with.
#[derive(Debug, Clone)]
pub enum Probe<Id> {
    /// Records that do what a text describes; the vector is the text's.
    Offer(Vector),
    /// Records that serve whom a text describes; the vector is the text's.
    Customers(Vector),
    /// Records similar to a known one.
    Known {
        /// The known record, which is not a result itself.
        id: Id,
        /// Its meaning.
        meaning: Meaning,
    },
}

impl<Id: PartialEq> Probe<Id> {
    /// The distance of a record from the search, from 0 to 2. `None` if it is not a candidate: it is the known record
    /// itself, or it lacks the customer base that the search is about.
    pub fn distance(&self, id: &Id, meaning: &Meaning) -> Option<f64> {
        match self {
            Self::Offer(sought) => Some(sought.distance(&meaning.offer)),
            Self::Customers(sought) => meaning.customers.as_ref().map(|served| sought.distance(served)),
            Self::Known { id: known, .. } if known == id => None,
            Self::Known { meaning: known, .. } => {
                let offer = known.offer.distance(&meaning.offer);
                let customers = known.customers.as_ref().zip(meaning.customers.as_ref());
                Some(customers.map_or(offer, |(ours, theirs)| (offer + ours.distance(theirs)) / 2.0))
            }
        }
    }
}

/// The requested part of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Entries to skip.
    pub skip: usize,
    /// Maximum number of entries to return.
    pub limit: usize,
}

impl Page {
    /// The entries of a list on this page, in time independent of the number of skipped entries.
    pub fn within<T>(self, list: &[T]) -> &[T] {
        let start = self.skip.min(list.len());
        let end = self.skip.saturating_add(self.limit).min(list.len());
        &list[start..end]
    }

    /// The entries on this page.
    pub fn of<T>(self, entries: impl IntoIterator<Item = T>) -> Vec<T> {
        entries.into_iter().skip(self.skip).take(self.limit).collect()
    }
}

/// One page of search results.
#[derive(Debug, Clone, PartialEq)]
pub struct Found<T> {
    /// Number of candidates that pass the filters, on all pages.
    pub total_count: usize,
    /// The page, nearest first.
    pub results: Vec<T>,
}

impl<T> Found<T> {
    /// Converts every result.
    pub fn map<U>(self, other: impl FnMut(T) -> U) -> Found<U> {
        Found {
            total_count: self.total_count,
            results: self.results.into_iter().map(other).collect(),
        }
    }
}

impl<T> Default for Found<T> {
    /// No results.
    fn default() -> Self {
        Self {
            total_count: 0,
            results: Vec::new(),
        }
    }
}

/// An organization that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct OrganizationHit {
    /// The record.
    pub organization: Arc<Organization>,
    /// Its distance from the search, from 0 to 2.
    pub cosine_distance: f64,
}

/// A product that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct ProductHit {
    /// The record.
    pub product: Arc<Product>,
    /// The organization that offers it.
    pub organization: Arc<Organization>,
    /// Its distance from the search, from 0 to 2.
    pub cosine_distance: f64,
}

/// Sorts candidates by distance, ties by id, and returns a page.
///
/// Each candidate comes with its distance and its id.
pub fn rank<Id: Ord, T>(mut candidates: Vec<(f64, Id, T)>, page: Page) -> Found<(f64, T)> {
    let order = |a: &(f64, Id, T), b: &(f64, Id, T)| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1));
    let total_count = candidates.len();
    // Entries after the page need not be in order.
    let end = page.skip.saturating_add(page.limit);
    if end < total_count {
        candidates.select_nth_unstable_by(end, order);
        candidates.truncate(end);
    }
    candidates.sort_unstable_by(order);
    let results = page.of(candidates.into_iter().map(|(distance, _, record)| (distance, record)));
    Found { total_count, results }
}

/// A search for organizations.
pub type OrganizationQuery = Query<OrganizationId>;

/// A search for products.
pub type ProductQuery = Query<ProductId>;

/// A search for organizations, in the form that records are compared with.
pub type OrganizationProbe = Probe<OrganizationId>;

/// A search for products, in the form that records are compared with.
pub type ProductProbe = Probe<ProductId>;

#[cfg(test)]
mod tests {
    use super::*;
    use platform_embedding::vector::DIMENSIONS;

    fn vector([x, y]: [i8; 2]) -> Vector {
        let mut components = [0; DIMENSIONS];
        (components[0], components[1]) = (x, y);
        Vector::new(components)
    }

    fn meaning(offer: [i8; 2], customers: Option<[i8; 2]>) -> Meaning {
        Meaning {
            offer: vector(offer),
            customers: customers.map(vector),
        }
    }

    const EAST: [i8; 2] = [1, 0];
    const NORTH: [i8; 2] = [0, 1];
    const WEST: [i8; 2] = [-1, 0];

    #[test]
    fn text_is_compared_only_with_the_meaning_that_the_search_is_about() {
        let record = meaning(EAST, Some(WEST));
        assert_eq!(Probe::Offer(vector(EAST)).distance(&1, &record), Some(0.0));
        assert_eq!(Probe::Customers(vector(EAST)).distance(&1, &record), Some(2.0));
    }

    #[test]
    fn organization_without_a_customer_base_is_left_out_of_customer_searches() {
        let silent = meaning(EAST, None);
        assert_eq!(Probe::Customers(vector(EAST)).distance(&1, &silent), None);
        assert_eq!(Probe::Offer(vector(EAST)).distance(&1, &silent), Some(0.0));
    }

    #[test]
    fn similarity_to_a_known_record_is_the_mean_of_the_known_meanings() {
        let known = Probe::Known {
            id: 1,
            meaning: meaning(EAST, Some(EAST)),
        };
        assert_eq!(known.distance(&2, &meaning(EAST, Some(NORTH))), Some(0.5));
        assert_eq!(known.distance(&2, &meaning(NORTH, None)), Some(1.0));
        let silent = Probe::Known {
            id: 1,
            meaning: meaning(EAST, None),
        };
        assert_eq!(silent.distance(&2, &meaning(WEST, Some(EAST))), Some(2.0));
    }

    #[test]
    fn known_record_is_not_in_its_own_results() {
        let known = Probe::Known {
            id: 1,
            meaning: meaning(EAST, None),
        };
        assert_eq!(known.distance(&1, &meaning(EAST, None)), None);
    }

    #[test]
    fn text_without_a_meaning_has_distance_one_to_everything() {
        let nothing = Probe::Offer(vector([0, 0]));
        assert_eq!(nothing.distance(&1, &meaning(EAST, None)), Some(1.0));
    }

    #[test]
    fn results_are_sorted_by_distance_then_id_and_the_total_counts_every_page() {
        let candidates = vec![(0.5, 3, "c"), (0.1, 9, "a"), (0.5, 2, "b"), (0.9, 1, "d")];
        let all = rank(candidates.clone(), Page { skip: 0, limit: 10 });
        assert_eq!(all.results, [(0.1, "a"), (0.5, "b"), (0.5, "c"), (0.9, "d")]);
        let middle = rank(candidates.clone(), Page { skip: 1, limit: 2 });
        assert_eq!((middle.total_count, middle.results), (4, vec![(0.5, "b"), (0.5, "c")]));
        let beyond = rank(candidates, Page { skip: 4, limit: 1 });
        assert_eq!((beyond.total_count, beyond.results), (4, vec![]));
    }
}
