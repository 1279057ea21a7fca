//! What the deployment with the habits of a Java framework finds: companies and what they offer, at the distances of
//! the letters of their texts, three by three.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::data::{LISTED, TO_ADD};

const BUSINESSES: [&str; 8] = [
    "maintains wind turbines at sea",
    "tests drinking water for towns",
    "writes accounting software for bakeries",
    "grows mushrooms in old mines",
    "rents out electric cargo bikes",
    "translates patents for law firms",
    "repairs ship engines",
    "prints maps for hikers",
];
const BUYERS: [&str; 6] = [
    "utilities and grid operators",
    "municipal waterworks",
    "bakeries, cafés and caterers",
    "couriers and postal services",
    "inventors and their lawyers",
    "alpine clubs and outdoor shops",
];

/// The number of groups of letters that are told apart.
const GROUPS: usize = 61;

/// How often a text has groups of three letters, as a vector of length 1; different ones may count together.
type Trigrams = [f64; GROUPS];

struct Entry {
    id: u64,
    activity: Trigrams,
    buyers: Trigrams,
    json: Value,
}

/// The records of one kind.
pub(crate) struct Index(Vec<Entry>);

/// The companies, and what they offer.
pub(crate) static COMPANIES: LazyLock<Index> = LazyLock::new(|| Index(companies().map(company).collect()));
pub(crate) static OFFERS: LazyLock<Index> = LazyLock::new(|| {
    let offering = companies().filter(|id| id % 2 == 0);
    Index(offering.flat_map(|id| [offer(id, 1), offer(id, 2)]).collect())
});

fn companies() -> impl Iterator<Item = u64> {
    LISTED.chain(TO_ADD)
}

/// What a request compares with the records.
pub(crate) enum Subject<'a> {
    Activity(&'a str),
    Buyers(&'a str),
    Known(u64),
}

impl Index {
    /// A page of the records, nearest first, and the number of all. `None` if the known record does not exist.
    pub(crate) fn page(&self, subject: &Subject<'_>, number: usize, size: usize) -> Option<(Vec<Value>, usize)> {
        let mut ranked: Vec<(f64, &Entry)> = match subject {
            Subject::Activity(text) => {
                let asked = trigrams(text);
                self.0
                    .iter()
                    .map(|entry| (distance(&asked, &entry.activity), entry))
                    .collect()
            }
            Subject::Buyers(text) => {
                let asked = trigrams(text);
                self.0
                    .iter()
                    .map(|entry| (distance(&asked, &entry.buyers), entry))
                    .collect()
            }
            Subject::Known(id) => {
                let known = self.0.iter().find(|entry| entry.id == *id)?;
                let others = self.0.iter().filter(|entry| entry.id != *id);
                let both =
                    |entry: &Entry| distance(&known.activity, &entry.activity) + distance(&known.buyers, &entry.buyers);
                others.map(|entry| (both(entry) / 2.0, entry)).collect()
            }
        };
        ranked.sort_by(|one, other| one.0.total_cmp(&other.0));
        let shown = ranked.iter().skip(number * size).take(size).map(|(distance, entry)| {
            let mut json = entry.json.clone();
            json["match"] = json!({"cosineDistance": distance, "competitiveScore": entry.id % 10});
            json
        });
        Some((shown.collect(), ranked.len()))
    }
}

fn pick<'a>(texts: &[&'a str], number: u64) -> &'a str {
    texts[usize::try_from(number).unwrap_or(0) % texts.len()]
}

fn company(id: u64) -> Entry {
    let activity = format!("Company {id} {} since {}", pick(&BUSINESSES, id), 1980 + id % 40);
    let buyers = format!("{} in district {}", pick(&BUYERS, id / 3), id % 17);
    let json = json!({
        "company": {
            "id": id,
            "legalName": format!("Company {id}"),
            "description": activity,
            "webDomain": format!("company{id}.example"),
            "logoUrl": null,
            "buyers": buyers,
            "staff": {"employeeCount": 1 + id * 7 % 5000, "foundedOn": format!("{}-05-01", 1980 + id % 40)},
            "capital": {"raised": id % 9 * 100_000},
            "address": {"country": pick(&["SE", "PT", "CA"], id), "region": null},
            "contact": {"site": format!("https://company{id}.example"), "mail": null, "networks": []},
        },
    });
    Entry {
        id,
        activity: trigrams(&activity),
        buyers: trigrams(&buyers),
        json,
    }
}

fn offer(company_id: u64, number: u64) -> Entry {
    let id = company_id * 10 + number;
    let activity = format!("Offer {id} {}", pick(&BUSINESSES, company_id + 3 * number));
    let buyers = format!("{} of type {}", pick(&BUYERS, company_id / 2 + number), id % 13);
    let mut offering = company(company_id).json["company"].take();
    offering["employeesOfTheGroup"] = json!(9000);
    let json = json!({
        "productId": id,
        "productName": format!("Offer {id}"),
        "description": activity,
        "capabilities": [],
        "price": {"perMonth": 5 + id % 40},
        "tags": ["group"],
        "targetAudiences": [buyers],
        "revenueModels": ["licence"],
        "alternatives": null,
        "company": offering,
    });
    Entry {
        id,
        activity: trigrams(&activity),
        buyers: trigrams(&buyers),
        json,
    }
}

fn trigrams(text: &str) -> Trigrams {
    let letters: Vec<_> = format!("  {} ", text.to_lowercase())
        .chars()
        .map(|letter| letter as usize)
        .collect();
    let mut trigrams = [0.0; GROUPS];
    for window in letters.windows(3) {
        let place = (window[0] * 289 + window[1] * 17 + window[2]) % GROUPS;
        trigrams[place] += 1.0;
    }
    let length = product(&trigrams, &trigrams).sqrt();
    trigrams.map(|count| count / length)
}

fn distance(one: &Trigrams, other: &Trigrams) -> f64 {
    1.0 - product(one, other)
}

fn product(one: &Trigrams, other: &Trigrams) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
