//! Records prepared for search: their vectors in matrices, their facts in sets of rows.

use roaring::RoaringBitmap;

use super::facets::Facets;
use super::matrix::{BLOCK, Comparison, Matrix};
use crate::model::filter::Filters;
use crate::model::organization::Organization;
use crate::model::search::{Found, Meaning, Page};
use crate::model::vector::{DIMENSIONS, Vector};

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
    pub(super) fn push(&mut self, meaning: &Meaning, organization: &Organization) {
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
            (Sought::Customers(_), None) => Some(self.with_customers.clone()),
            (Sought::Customers(_), Some(rows)) => Some(rows & &self.with_customers),
            (_, admitted) => admitted,
        };
        let itself = match sought {
            Sought::Known(row, _) => Some(*row),
            Sought::Offer(_) | Sought::Customers(_) => None,
        };
        match admitted {
            Some(mut rows) => {
                if let Some(itself) = itself {
                    rows.remove(itself);
                }
                self.nearest(sought, rows.iter(), rows.len() as usize, page)
            }
            None => {
                let count = self.count as usize;
                match itself {
                    None => self.nearest(sought, 0..self.count, count, page),
                    Some(itself) => {
                        let rows = (0..itself).chain(itself + 1..self.count);
                        self.nearest(sought, rows, count - 1, page)
                    }
                }
            }
        }
    }

    fn nearest(
        &self,
        sought: &Sought<'_>,
        mut rows: impl Iterator<Item = u32>,
        total_count: usize,
        page: Page,
    ) -> Found<(f64, u32)> {
        let keep = page.skip.saturating_add(page.limit).min(total_count);
        let mut nearest = Nearest::new(keep);
        let mut offers = match sought {
            Sought::Offer(vector) => Some(self.offers.compare(vector)),
            Sought::Known(_, meaning) => Some(self.offers.compare(&meaning.offer)),
            Sought::Customers(_) => None,
        };
        let mut customers = match sought {
            Sought::Customers(vector) => Some(self.customers.compare(vector)),
            Sought::Known(_, meaning) => {
                let served = meaning.customers.as_ref();
                served.map(|vector| self.customers.compare(vector))
            }
            Sought::Offer(_) => None,
        };
        let mut block = Vec::with_capacity(BLOCK);
        loop {
            block.clear();
            block.extend(rows.by_ref().take(BLOCK));
            if block.is_empty() {
                break;
            }
            for comparison in offers.iter_mut().chain(&mut customers) {
                comparison.go_to(&block);
            }
            let roughly = roughly(offers.as_ref(), customers.as_ref());
            if !nearest.may_take_any(&roughly[..block.len()]) {
                continue;
            }
            for (place, row) in block.iter().copied().enumerate() {
                if nearest.may_take(roughly[place]) {
                    let exactly = |it: &Comparison<'_>| it.exactly(place, row);
                    let offer = offers.as_ref().and_then(exactly);
                    let served = customers.as_ref().and_then(exactly);
                    nearest.take(mean(offer, served), row);
                }
            }
        }
        Found {
            total_count,
            results: page.of(nearest.into_sorted()),
        }
    }
}

/// The mean of two distances, or the only one present.
fn mean(offer: Option<f64>, customers: Option<f64>) -> f64 {
    match (offer, customers) {
        (Some(offer), Some(customers)) => (offer + customers) / 2.0,
        // If either of the two does not state whom it serves, only the offers are compared.
        (one, other) => one.or(other).unwrap_or(1.0),
    }
}

/// The same for a block, approximately.
fn roughly(offers: Option<&Comparison<'_>>, customers: Option<&Comparison<'_>>) -> [f64; BLOCK] {
    match (offers, customers) {
        (Some(offers), Some(customers)) => {
            let mut mean = offers.roughly;
            for (mean, customers) in mean.iter_mut().zip(customers.roughly) {
                if !customers.is_nan() {
                    *mean = (*mean + customers) / 2.0;
                }
            }
            mean
        }
        (Some(one), None) | (None, Some(one)) => one.roughly,
        (None, None) => [1.0; BLOCK],
    }
}

/// The nearest rows so far. Rows come in ascending order, so of two rows at the same distance the first ranks higher.
struct Nearest {
    keep: usize,
    /// The nearest rows, and others added since the list was last cut.
    rows: Vec<(f64, u32)>,
    /// A row that is not nearer than this is not among the nearest.
    bar: f64,
}

/// An upper bound on the error of an approximate distance.
const ROUGH: f64 = 1e-9;

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

    /// Whether it may take any of a block. Most blocks have none, and this is known faster for all of them at once.
    fn may_take_any(&self, roughly: &[f64]) -> bool {
        let each = roughly.iter().map(|roughly| self.may_take(*roughly));
        each.fold(false, |any, one| any | one)
    }

    #[inline]
    fn may_take(&self, roughly: f64) -> bool {
        roughly < self.bar + ROUGH
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
