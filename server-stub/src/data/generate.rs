//! Generates data sets of any size, the same on each machine and in each run.
//!
//! An organization is composed of the phrases of one industry, so that a search for that industry finds it. It depends
//! only on its id: larger data contains all organizations of smaller data.

use std::panic::resume_unwind;
use std::sync::LazyLock;
use std::thread::{self, ScopedJoinHandle};

use chrono::NaiveDate;
use serde::Deserialize;

use super::dataset::{Parts, Placed, sound};
use super::meaning::{Embedded, Meanings};
use super::read::read_json;
use super::{Data, Dataset, PipelineData, StatedItem};
use crate::model::ids::{OrganizationId, PipelineId, PipelineItemId, ProductId};
use crate::model::organization::{
    Address, CompanyMetrics, Contact, Funding, FundingStage, Organization, SocialProfiles,
};
use crate::model::product::{Pricing, Product};
use crate::model::search::Meaning;
use crate::store::{CatalogueBuilder, Packed};

/// Every organization whose id is a multiple of this has a product.
const PRODUCT_EVERY: i64 = 4;

/// The organization pipelines, each with a divisor: a pipeline contains every organization whose id is a multiple of
/// it.
const MEMBERS: [(i64, i64); 3] = [(1, 50), (2, 500), (5, 500)];

/// Records that are generated before they are added.
const AT_ONCE: i64 = 1 << 16;

/// The phrases of an industry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Industry {
    categories: Vec<String>,
    /// Endings of names.
    words: Vec<String>,
    /// What organizations do: `We build`.
    verbs: Vec<String>,
    /// What they do it with.
    things: Vec<String>,
    /// Sentences about how they do it.
    ways: Vec<String>,
    customers: Vec<String>,
    products: Vec<String>,
}

static INDUSTRIES: LazyLock<Vec<Industry>> =
    LazyLock::new(|| sound(read_json(include_str!("../../assets/data/industries.json"))));

const BEGINNINGS: [&str; 32] = [
    "Al", "Bar", "Bel", "Bran", "Cal", "Cor", "Dal", "Del", "El", "Fal", "Far", "Gal", "Gren", "Hal", "Har", "Kel",
    "Kor", "Lan", "Lor", "Mar", "Mel", "Nor", "Or", "Pel", "Ral", "Ros", "Sal", "Sten", "Tal", "Tor", "Val", "Wes",
];
const ENDINGS: [&str; 32] = [
    "ander", "aris", "beck", "berg", "bury", "by", "carn", "dale", "den", "dor", "eth", "field", "ford", "gate", "ham",
    "ia", "is", "ley", "lin", "mar", "mere", "mond", "ner", "o", "ora", "ric", "stad", "ton", "vale", "ven", "wick",
    "worth",
];
const STAGES: [FundingStage; 8] = [
    FundingStage::PreSeed,
    FundingStage::Seed,
    FundingStage::Angel,
    FundingStage::SeriesA,
    FundingStage::SeriesB,
    FundingStage::SeriesC,
    FundingStage::Grant,
    FundingStage::DebtFinancing,
];
const PRICING: [(&str, &str); 4] = [
    ("per_seat", "month"),
    ("per_unit", "unit"),
    ("quote", "once"),
    ("flat", "year"),
];
const REVENUE: [&str; 4] = ["subscription", "hardware_sale", "services", "licence"];

/// Pseudo-random numbers, the same whenever they are drawn for the same record.
struct Draw(u64);

impl Draw {
    fn of(kind: u64, id: i64) -> Self {
        Self(kind << 56 ^ id.unsigned_abs())
    }

    /// A number below `bound`, which is at least one.
    fn below(&mut self, bound: u64) -> u64 {
        // SplitMix64 by Steele, Lea and Flood.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }

    /// Two different entries.
    fn two<'a, T>(&mut self, of: &'a [T]) -> (&'a T, &'a T) {
        let first = self.below(of.len() as u64);
        let second = first + 1 + self.below(of.len() as u64 - 1);
        (&of[first as usize], &of[second as usize % of.len()])
    }

    /// Returns true in this percentage of cases.
    fn percent(&mut self, share: u64) -> bool {
        self.below(100) < share
    }

    /// A number that is as likely to have few digits as many.
    fn size(&mut self, doublings: u64) -> u64 {
        let size = 1 << self.below(doublings);
        size + self.below(size)
    }

    fn day(&mut self, from: u64, years: u64) -> Option<NaiveDate> {
        let year = i32::try_from(from + self.below(years)).ok()?;
        let (month, day) = (1 + self.below(12), 1 + self.below(28));
        NaiveDate::from_ymd_opt(year, month as u32, day as u32)
    }
}

impl Dataset {
    /// Generates this number of organizations, with products, pipelines and items in proportion, and the built-in keys.
    ///
    /// ```
    /// use platform_server_stub::data::Dataset;
    ///
    /// let data = Dataset::generated(1000);
    /// assert_eq!(data.organizations().count(), 1000);
    /// assert_eq!(data.products().count(), 250);
    /// ```
    pub fn generated(organizations: u32) -> Self {
        let count = i64::from(organizations);
        let built_in = Data::built_in();
        let places: Vec<_> = built_in
            .organizations
            .into_iter()
            .map(|organization| organization.headquarters)
            .filter(|place| place.country.is_some() && place.city.is_some())
            .collect();
        let mut builder = CatalogueBuilder::default();
        let of_organization = |id| {
            let organization = organization(id, &places)?;
            let meaning = Embedded.of_organization(&organization);
            Some((Packed::new(organization), meaning))
        };
        in_parallel(count, of_organization, |(organization, meaning)| {
            builder.add_organization(&organization, &meaning);
        });
        let of_product = |id| {
            let product = product(id)?;
            let meaning: Meaning = Embedded.of_product(&product);
            Some((Packed::new(product), meaning))
        };
        in_parallel(count / PRODUCT_EVERY, of_product, |(product, meaning)| {
            builder.add_product(&product, &meaning);
        });
        let mut pipelines = built_in.pipelines;
        for pipeline in &mut pipelines {
            pipeline.items.clear();
        }
        sound(Self::of_parts(Parts {
            builder,
            items: items(count, &pipelines),
            pipelines,
            api_keys: None,
        }))
    }
}

/// Makes the records with ids from 1 to `count`, and takes them in order.
fn in_parallel<T: Send>(count: i64, make: impl Fn(i64) -> Option<T> + Sync, mut take: impl FnMut(T)) {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = AT_ONCE / i64::try_from(threads).unwrap_or(1);
    let make = &make;
    for first in (1..=count).step_by(AT_ONCE as usize) {
        let last = count.min(first + AT_ONCE - 1);
        thread::scope(|scope| {
            let starts = (first..=last).step_by(share.max(1) as usize);
            let running: Vec<_> = starts
                .map(|start| {
                    let ids = start..=last.min(start + share.max(1) - 1);
                    scope.spawn(move || ids.filter_map(make).collect::<Vec<_>>())
                })
                .collect();
            for ended in running.into_iter().map(ScopedJoinHandle::join) {
                let made = ended.unwrap_or_else(|panic| resume_unwind(panic));
                made.into_iter().for_each(&mut take);
            }
        });
    }
}

/// The industry of an organization and of its product.
fn industry(id: i64) -> &'static Industry {
    Draw::of(1, id).one(&INDUSTRIES)
}

fn organization(id: i64, places: &[Address]) -> Option<Organization> {
    let industry = industry(id);
    let draw = &mut Draw::of(2, id);
    let root = format!("{}{}", draw.one(&BEGINNINGS), draw.one(&ENDINGS));
    let word = draw.one(&industry.words);
    let name = format!("{root} {word}");
    let domain = format!("{}-{id}.example", name.to_lowercase().replace([' ', '&'], "-"));
    let (first, second) = draw.two(&industry.things);
    let mut description = format!("{} {first}", draw.one(&industry.verbs));
    if draw.percent(60) {
        description.push_str(&format!(" and {second}"));
    }
    description.push_str(&format!(". {}.", draw.one(&industry.ways)));
    let (first, second) = draw.two(&industry.customers);
    let customer_base = match draw.below(10) {
        0 => None,
        1..=4 => Some(first.clone()),
        _ => Some(format!("{first} and {second}")),
    };
    let headquarters = address(draw, places);
    let offices = [2, 1, 1, 0, 0, 0, 0, 0][draw.below(8) as usize];
    let locations = (0..offices).map(|_| address(draw, places)).collect();
    let employee_count = draw.percent(90).then(|| draw.size(14));
    let founded_on = draw.percent(95).then(|| draw.day(1950, 75)).flatten();
    let has_social = draw.percent(40);
    let has_email = draw.percent(70);
    Some(Organization {
        organization_id: OrganizationId::new(id).ok()?,
        description,
        customer_base,
        logo_url: draw.percent(50).then(|| format!("https://{domain}/logo.svg")),
        metrics: CompanyMetrics {
            employee_count,
            founded_on,
            funding: funding(draw),
        },
        headquarters,
        locations,
        contact: Contact {
            website_url: Some(format!("https://{domain}")),
            email: has_email.then(|| format!("hello@{domain}")),
            phone: None,
            social: SocialProfiles {
                linkedin_url: has_social.then(|| format!("https://www.linkedin.com/company/{root}-{id}-example")),
                ..SocialProfiles::default()
            },
        },
        domain: Some(domain),
        name,
    })
}

fn address(draw: &mut Draw, places: &[Address]) -> Address {
    draw.one(places).clone()
}

fn funding(draw: &mut Draw) -> Funding {
    if !draw.percent(35) {
        return Funding::default();
    }
    let last_round_usd = 10_000 * draw.size(12);
    Funding {
        total_usd: Some(last_round_usd + 10_000 * draw.size(12)),
        last_round_stage: Some(*draw.one(&STAGES)),
        last_round_usd: Some(last_round_usd),
        last_round_on: draw.day(2012, 14),
    }
}

fn product(id: i64) -> Option<Product> {
    let of = id * PRODUCT_EVERY;
    let industry = industry(of);
    let draw = &mut Draw::of(3, id);
    let root = format!("{}{}", draw.one(&BEGINNINGS), draw.one(&ENDINGS));
    let kind = draw.one(&industry.products);
    let (first, second) = draw.two(&industry.customers);
    let (model, period) = draw.one(&PRICING);
    let things = draw.two(&industry.things);
    Some(Product {
        product_id: ProductId::new(id).ok()?,
        organization_id: OrganizationId::new(of).ok()?,
        name: format!("{root} {kind}"),
        description: format!("A {kind} for {}. {}.", first, draw.one(&industry.ways)),
        customer_base: draw.percent(85).then(|| format!("{first} and {second}")),
        features: vec![things.0.clone(), things.1.clone()],
        pricing: Pricing {
            model: Some((*model).to_owned()),
            starts_at: Some(draw.size(12) as f64),
            currency: Some(if draw.percent(50) { "EUR" } else { "USD" }.to_owned()),
            billing_period: Some((*period).to_owned()),
        },
        categories: industry.categories.clone(),
        target_audiences: vec![first.clone()],
        revenue_models: vec![(*draw.one(&REVENUE)).to_owned()],
        competitive_positioning: None,
    })
}

fn items(organizations: i64, pipelines: &[PipelineData]) -> Vec<Placed> {
    let mut items: Vec<Placed> = Vec::new();
    for (pipeline, every) in MEMBERS {
        let pipeline = pipelines
            .iter()
            .map(|it| it.pipeline_id)
            .find(|id| id.get() == pipeline);
        for of in (every..=organizations).step_by(every as usize) {
            let ids: Option<(PipelineId, _, _)> = pipeline.and_then(|pipeline| {
                let item = PipelineItemId::new(items.len() as i64 + 1).ok()?;
                Some((pipeline, item, OrganizationId::new(of).ok()?))
            });
            if let Some((pipeline_id, item, organization)) = ids {
                items.push(Placed {
                    place: format!("items[{}]", items.len()),
                    pipeline_id,
                    item: StatedItem::organization(item, organization),
                });
            }
        }
    }
    items
}
