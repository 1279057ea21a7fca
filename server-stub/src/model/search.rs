//! Search by meaning: every candidate's exact cosine distance, nearest first.
//!
//! A record has two meanings, kept apart: what it offers, and whom it serves. A description is compared
//! with the first, a customer with the second. A known record is compared with both, since its likes
//! are alike in business and in customers; the distance is then the mean of the two. Where one of the
//! two records does not say whom it serves, what they offer has to do.
//!
//! There is no approximate index here: exact distances keep totals, ties and pages exact under filters.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::ids::{OrganizationId, ProductId};
use super::organization::Organization;
use super::product::Product;
use crate::embedding::{cosine_distance, embed};

/// What a record means, as vectors of unit length.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    /// What it is and does.
    pub offer: Vec<f32>,
    /// Whom it serves; none where the record does not say.
    pub customers: Option<Vec<f32>>,
}

impl Meaning {
    /// What an organization means: its name with its description, and its customer base.
    pub fn of_organization(organization: &Organization) -> Self {
        let offer = embed(&format!("{}. {}", organization.name, organization.description));
        Self { offer, customers: organization.customer_base.as_deref().map(embed) }
    }

    /// What a product means: its name with its description and features, and its customer base.
    pub fn of_product(product: &Product) -> Self {
        let features = product.features.join(", ");
        let offer = embed(&format!("{}. {} {features}", product.name, product.description));
        Self { offer, customers: product.customer_base.as_deref().map(embed) }
    }
}

/// An organization made ready to be searched.
#[derive(Debug)]
pub struct IndexedOrganization {
    /// The record.
    pub organization: Arc<Organization>,
    /// The categories of its products.
    pub categories: BTreeSet<String>,
    /// What it means.
    pub meaning: Meaning,
}

/// A product made ready to be searched.
#[derive(Debug)]
pub struct IndexedProduct {
    /// The record.
    pub product: Arc<Product>,
    /// Its own categories.
    pub categories: BTreeSet<String>,
    /// The organization that offers it, when known.
    pub organization: Option<Arc<Organization>>,
    /// What it means.
    pub meaning: Meaning,
}

/// What is searched for.
#[derive(Debug, Clone)]
pub enum Probe<Id> {
    /// Something that does what a text describes; the vector is the text's.
    Offer(Vec<f32>),
    /// Something that serves whom a text describes; the vector is the text's.
    Customers(Vec<f32>),
    /// The likes of a known record.
    Known {
        /// The record itself, which is not among its likes.
        id: Id,
        /// What it means.
        meaning: Meaning,
    },
}

impl<Id: PartialEq> Probe<Id> {
    /// How far a record is from what is searched for, from 0 to 2; none when it is no candidate, being
    /// the known record itself, or not saying whom it serves where that is the question.
    pub fn distance(&self, id: &Id, meaning: &Meaning) -> Option<f64> {
        match self {
            Self::Offer(sought) => Some(cosine_distance(sought, &meaning.offer)),
            Self::Customers(sought) => meaning.customers.as_ref().map(|served| cosine_distance(sought, served)),
            Self::Known { id: known, .. } if known == id => None,
            Self::Known { meaning: known, .. } => {
                let offer = cosine_distance(&known.offer, &meaning.offer);
                let customers = known.customers.as_ref().zip(meaning.customers.as_ref());
                Some(customers.map_or(offer, |(ours, theirs)| (offer + cosine_distance(ours, theirs)) / 2.0))
            }
        }
    }
}

/// Which part of a list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Entries to pass over.
    pub skip: usize,
    /// The most entries to return.
    pub limit: usize,
}

impl Page {
    /// The part of a list that this page is.
    pub fn of<T>(self, entries: impl IntoIterator<Item = T>) -> Vec<T> {
        entries.into_iter().skip(self.skip).take(self.limit).collect()
    }
}

/// One page of what a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found<T> {
    /// How many candidates pass the filters, on whichever page.
    pub total_count: usize,
    /// The page, nearest first.
    pub results: Vec<T>,
}

/// An organization that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct OrganizationHit {
    /// The record.
    pub organization: Arc<Organization>,
    /// How far it is from what was searched for, from 0 to 2.
    pub cosine_distance: f64,
}

/// A product that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct ProductHit {
    /// The record.
    pub product: Arc<Product>,
    /// The organization that offers it, when known.
    pub organization: Option<Arc<Organization>>,
    /// How far it is from what was searched for, from 0 to 2.
    pub cosine_distance: f64,
}

/// Orders candidates by distance, ties by id, and takes out a page.
///
/// Each candidate comes with its distance and its id.
pub(crate) fn rank<Id: Ord, T>(mut candidates: Vec<(f64, Id, T)>, page: Page) -> Found<(f64, T)> {
    candidates.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    let total_count = candidates.len();
    let results = page.of(candidates.into_iter().map(|(distance, _, record)| (distance, record)));
    Found { total_count, results }
}

/// A search for organizations.
pub type OrganizationProbe = Probe<OrganizationId>;

/// A search for products.
pub type ProductProbe = Probe<ProductId>;
