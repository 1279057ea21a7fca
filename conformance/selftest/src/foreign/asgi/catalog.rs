//! What the deployment with the habits of a Python framework finds: its organizations and their products, ranked by the
//! words that their texts have in common with what is asked for.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::data::{LISTED, TO_ADD};

/// The number of results of a search.
const PAGE: usize = 10;
/// The dimensions of a text.
const DIMENSIONS: usize = 64;
/// Every third organization has two products.
const OFFERS: u64 = 3;

const TRADES: [&str; 9] = [
    "payroll software with tax filing",
    "refrigerated transport of fresh fish",
    "solar panels and battery storage",
    "medical imaging devices",
    "insurance against crop failure",
    "steel bridges and towers",
    "language courses on a phone",
    "robots that pack parcels",
    "organic fertilizer from algae",
];
const AUDIENCES: [&str; 7] = [
    "small hotels and restaurants",
    "farmers and cooperatives",
    "hospitals and clinics",
    "city governments",
    "online shops",
    "schools and universities",
    "shipping companies",
];
const PLACES: [(&str, &str); 5] = [
    ("NO", "Bergen"),
    ("DE", "Hamburg"),
    ("KE", "Nairobi"),
    ("CL", "Valparaíso"),
    ("JP", "Osaka"),
];

/// How often a text has words, by their beginnings: a vector of length 1, or of 0 if it has none.
type Vector = [f64; DIMENSIONS];

/// A record that searches find, with the vectors of its texts.
struct Record {
    id: u64,
    does: Vector,
    is_for: Vector,
    whole: Vector,
    shown: Value,
}

impl Record {
    fn new(id: u64, does: &str, is_for: &str, shown: Value) -> Self {
        let whole = vector(&format!("{does} {is_for}"));
        let (does, is_for) = (vector(does), vector(is_for));
        Self {
            id,
            does,
            is_for,
            whole,
            shown,
        }
    }
}

/// Everything that is found.
pub(crate) struct Catalog {
    organizations: Vec<Record>,
    products: Vec<Record>,
}

/// What a search compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    Description,
    Customers,
}

impl Catalog {
    /// The one catalog: it never changes.
    pub(crate) fn get() -> &'static Self {
        static CATALOG: LazyLock<Catalog> = LazyLock::new(Catalog::new);
        &CATALOG
    }

    fn new() -> Self {
        let ids = || LISTED.chain(TO_ADD);
        let products = ids()
            .filter(|id| id.is_multiple_of(OFFERS))
            .flat_map(|id| [0, 1].map(|one| product(id, one)));
        Self {
            organizations: ids().map(organization).collect(),
            products: products.collect(),
        }
    }

    /// The records that are nearest to a text, with a score from 0 to 1.
    pub(crate) fn nearest(&self, products: bool, text: &str, by: By) -> Vec<Value> {
        let subject = vector(text);
        self.ranked(products, |record| match by {
            By::Description => cosine(&subject, &record.does),
            By::Customers => cosine(&subject, &record.is_for),
        })
    }

    /// The records that are nearest to a known one, if it is known.
    pub(crate) fn like(&self, products: bool, id: u64) -> Option<Vec<Value>> {
        let known = self.records(products).iter().find(|record| record.id == id)?;
        Some(self.ranked(products, |record| match record.id == id {
            true => f64::NEG_INFINITY,
            false => cosine(&known.whole, &record.whole),
        }))
    }

    fn records(&self, products: bool) -> &[Record] {
        match products {
            true => &self.products,
            false => &self.organizations,
        }
    }

    fn ranked(&self, products: bool, score: impl Fn(&Record) -> f64) -> Vec<Value> {
        let mut ranked: Vec<_> = self
            .records(products)
            .iter()
            .map(|record| (score(record), record))
            .collect();
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
        let shown = ranked.into_iter().take(PAGE).map(|(score, record)| {
            let mut shown = record.shown.clone();
            shown["score"] = json!(score);
            shown
        });
        shown.collect()
    }
}

fn of<T: Copy>(all: &[T], number: u64) -> T {
    all[usize::try_from(number).unwrap_or(0) % all.len()]
}

fn organization(id: u64) -> Record {
    let (trade, audience, (country, city)) = (of(&TRADES, id), of(&AUDIENCES, id / 2), of(&PLACES, id / 5));
    let does = format!("Firm {id} sells {trade} from {city} since {}", 1950 + id % 70);
    let is_for = format!("{audience}, and {}", of(&AUDIENCES, id / 3 + 1));
    let shown = json!({
        "id": id,
        "name": format!("Firm {id}"),
        "description": does,
        "domain": format!("firm-{id}.example"),
        "logo": format!("https://firm-{id}.example/logo.svg"),
        "employees": 4 + id * 37 % 900,
        "founded": 1950 + id % 70,
        "funding": {"rounds": id % 4, "total_usd": id % 4 * 250_000},
        "headquarters": {"country": country, "state": null, "city": city},
        "website": format!("https://firm-{id}.example"),
        "linkedin": null,
        "phone": format!("+47 {}", 22_000_000 + id),
        "clients": [audience],
    });
    Record::new(id, &does, &is_for, shown)
}

fn product(organization_id: u64, one: u64) -> Record {
    let offers = organization(organization_id);
    let number = organization_id + one * 4;
    let id = 70_000 + organization_id * 2 + one;
    let (trade, audience) = (of(&TRADES, number), of(&AUDIENCES, number / 2 + one * 3));
    let does = format!("Model {id}: {trade}, made in {}", of(&PLACES, number).1);
    let shown = json!({
        "id": id,
        "title": format!("Model {id}"),
        "description": does,
        "features": ["support", "updates"],
        "price": {"from": 10 + id % 90, "currency": "EUR"},
        "categories": [trade.split(' ').next()],
        "target_audiences": [audience],
        "revenue_models": ["subscription"],
        "positioning": "the affordable one",
        "company": offers.shown,
    });
    Record::new(id, &does, audience, shown)
}

fn vector(text: &str) -> Vector {
    let mut vector = [0.0; DIMENSIONS];
    let lower = text.to_lowercase();
    let words = lower
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| word.len() > 2);
    for word in words {
        let stem = word.chars().take(6);
        let place = stem.fold(7_usize, |hash, letter| (hash * 31 + letter as usize) % 99_991);
        vector[place % DIMENSIONS] += 1.0;
    }
    let length = cosine(&vector, &vector).sqrt();
    if length > 0.0 {
        vector.map(|count| count / length)
    } else {
        vector
    }
}

/// The cosine between two vectors of length 1.
fn cosine(one: &Vector, other: &Vector) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
