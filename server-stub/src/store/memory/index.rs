//! Records prepared for search: their vectors in matrices, their facts in sets of rows.

use std::borrow::Cow;

use roaring::RoaringBitmap;

use super::facets::Facets;
use super::facts::OrganizationFacts;
use crate::model::filter::Filters;
use crate::model::search::{Found, Meaning, Page};
use platform_embedding::matrix::{BLOCK, Block, Comparison, Matrix, may_be_below};
use platform_embedding::vector::{DIMENSIONS, Vector};

/// Records by row number, which ascends with their ids.
#[derive(Debug, Default)]
pub(super) struct Index {
    count: u32,
    offers: Matrix,
    customers: Matrix,
    /// The rows whose record states whom it serves.
    with_customers: RoaringBitmap,
    facets: Facets,
}

/// What the rows are compared with.
#[derive(Debug)]
pub(super) enum Sought<'a> {
    /// Compared with each row's offer.
    Offer(&'a Vector),
    /// Compared with the customers of each row that states whom it serves.
    Customers(&'a Vector),
    /// Compared with both. The known record's row is not compared with itself.
    Known(u32, &'a Meaning),
}

impl Index {
    /// Adds the next row: its meaning, and the organization that the filters check.
    pub(super) fn push(&mut self, meaning: &Meaning, organization: &OrganizationFacts) {
        let row = self.count;
        self.facets.push(row, organization);
        self.offers.push(Some(&meaning.offer));
        self.customers.push(meaning.customers.as_ref());
        if meaning.customers.is_some() {
            self.with_customers.insert(row);
        }
        // Memory runs out before the number of rows does.
        self.count = self.count.saturating_add(1);
    }

    /// What is indexed besides the vectors.
    #[cfg(test)]
    pub(super) fn facts(&self) -> (&RoaringBitmap, &Facets) {
        (&self.with_customers, &self.facets)
    }

    /// An index with these facts, and with the meaning of each row, in the order of rows.
    pub(super) fn of_facts(
        count: usize,
        with_customers: RoaringBitmap,
        facets: Facets,
        mut meaning: impl FnMut(bool) -> Meaning,
    ) -> Self {
        let mut index = Self {
            facets,
            ..Self::default()
        };
        for row in (0..).take(count) {
            let meaning = meaning(with_customers.contains(row));
            index.offers.push(Some(&meaning.offer));
            index.customers.push(meaning.customers.as_ref());
            index.count = row + 1;
        }
        index.with_customers = with_customers;
        index
    }

    /// Adds a kind of business to a row.
    pub(super) fn categorize(&mut self, row: u32, category: &str) {
        self.facets.categorize(row, category);
    }

    /// Frees memory that was only needed to add rows.
    pub(super) fn shrink(&mut self) {
        self.offers.shrink();
        self.customers.shrink();
        self.facets.shrink();
    }

    /// The meaning of the record in a row.
    pub(super) fn meaning(&self, row: usize) -> Meaning {
        let nothing = || Vector::new([0; DIMENSIONS]);
        Meaning {
            offer: self.offers.vector(row).unwrap_or_else(nothing),
            customers: self.customers.vector(row),
        }
    }

    /// The rows that were found, nearest first, each with its distance.
    pub(super) fn search(&self, sought: &Sought<'_>, filters: &Filters, page: Page) -> Found<(f64, u32)> {
        let admitted = self.facets.admitted(filters);
        let admitted = match (sought, admitted) {
            (Sought::Customers(_), None) => Some(Cow::Borrowed(&self.with_customers)),
            (Sought::Customers(_), Some(rows)) => Some(Cow::Owned(&*rows & &self.with_customers)),
            (_, admitted) => admitted,
        };
        let itself = match sought {
            Sought::Known(row, _) => Some(*row),
            Sought::Offer(_) | Sought::Customers(_) => None,
        };
        let count = match &admitted {
            Some(rows) => rows.len() as usize - usize::from(itself.is_some_and(|row| rows.contains(row))),
            None => self.count as usize - usize::from(itself.is_some()),
        };
        let mut scan = Scan::new(self, sought, page.skip.saturating_add(page.limit).min(count));
        match &admitted {
            Some(rows) => {
                let mut rows = rows.iter().filter(|row| Some(*row) != itself);
                let mut block = Vec::with_capacity(BLOCK);
                loop {
                    block.clear();
                    block.extend(rows.by_ref().take(BLOCK));
                    if block.is_empty() {
                        break;
                    }
                    scan.take(Block::List(&block), None);
                }
            }
            None => {
                for first in (0..self.count).step_by(BLOCK) {
                    let count = (self.count - first).min(BLOCK as u32) as usize;
                    scan.take(Block::Run { first, count }, itself);
                }
            }
        }
        Found {
            total_count: count,
            results: page.of(scan.nearest.into_sorted()),
        }
    }
}

/// A search under way.
struct Scan<'a> {
    offers: Option<Comparison<'a>>,
    customers: Option<Comparison<'a>>,
    nearest: Nearest,
}

impl<'a> Scan<'a> {
    /// A scan for this many of the nearest rows.
    fn new(index: &'a Index, sought: &Sought<'_>, keep: usize) -> Self {
        let (offer, served) = match sought {
            Sought::Offer(vector) => (Some(*vector), None),
            Sought::Customers(vector) => (None, Some(*vector)),
            Sought::Known(_, meaning) => (Some(&meaning.offer), meaning.customers.as_ref()),
        };
        Self {
            offers: offer.map(|vector| index.offers.compare(vector)),
            customers: served.map(|vector| index.customers.compare(vector)),
            nearest: Nearest::new(keep),
        }
    }

    /// Compares the rows of a block, except for one, and takes those that are near.
    fn take(&mut self, block: Block<'_>, except: Option<u32>) {
        let bar = self.nearest.bar;
        let roughly = match (&mut self.offers, &mut self.customers) {
            (Some(offers), Some(customers)) => {
                offers.go_to(block, bar);
                customers.go_to(block, bar);
                let mean = mean_of(&offers.roughly, &customers.roughly);
                if !may_be_below(&mean[..block.count()], bar) {
                    return;
                }
                mean
            }
            (Some(one), None) | (None, Some(one)) => {
                if !one.go_to(block, bar) {
                    return;
                }
                one.roughly
            }
            (None, None) => return,
        };
        for (place, roughly) in roughly[..block.count()].iter().enumerate() {
            let row = block.row(place);
            if may_be_below(&[*roughly], self.nearest.bar) && Some(row) != except {
                let exactly = |it: &Comparison<'_>| it.exactly(place, row);
                let offer = self.offers.as_ref().and_then(exactly);
                let served = self.customers.as_ref().and_then(exactly);
                self.nearest.take(mean_or_one(offer, served), row);
            }
        }
    }
}

/// The mean of two distances, or the only one present.
fn mean_or_one(offer: Option<f64>, customers: Option<f64>) -> f64 {
    match (offer, customers) {
        (Some(offer), Some(customers)) => (offer + customers) / 2.0,
        // If either of the two does not state whom it serves, only the offers are compared.
        (one, other) => one.or(other).unwrap_or(1.0),
    }
}

/// The same for a block, approximately.
fn mean_of(offers: &[f32; BLOCK], customers: &[f32; BLOCK]) -> [f32; BLOCK] {
    let mut mean = *offers;
    for (mean, customers) in mean.iter_mut().zip(customers) {
        if !customers.is_nan() {
            *mean = (*mean + customers) / 2.0;
        }
    }
    mean
}

/// The nearest rows so far. Rows come in ascending order, so of two rows at the same distance the first ranks higher.
struct Nearest {
    keep: usize,
    /// The nearest rows, and others added since the list was last cut.
    rows: Vec<(f64, u32)>,
    /// A row that is not nearer than this is not among the nearest.
    bar: f64,
}

impl Nearest {
    fn new(keep: usize) -> Self {
        let bar = match keep {
            0 => f64::NEG_INFINITY,
            _ => f64::INFINITY,
        };
        Self {
            keep,
            rows: Vec::new(),
            bar,
        }
    }

    fn take(&mut self, distance: f64, row: u32) {
        if distance < self.bar {
            self.rows.push((distance, row));
            if self.rows.len() >= self.keep.saturating_mul(2).max(1024) {
                self.cut();
            }
        }
    }

    fn cut(&mut self) {
        if self.rows.len() > self.keep {
            let (_, last, _) = self.rows.select_nth_unstable_by(self.keep - 1, nearer);
            self.bar = last.0;
            self.rows.truncate(self.keep);
        }
    }

    fn into_sorted(mut self) -> Vec<(f64, u32)> {
        self.cut();
        self.rows.sort_unstable_by(nearer);
        self.rows
    }
}

fn nearer(a: &(f64, u32), b: &(f64, u32)) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}
