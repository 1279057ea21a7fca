//! Checks whether search by meaning finds what search by words cannot: the query for each company below uses no word of
//! the company's text.
//!
//! Each query wants one company, so its nDCG@10 is `1 / log2(1 + rank)`, and 0 beyond rank 10.
//!
//! With a query encoder, the table, the encoder and the full model are measured in one run:
//!
//! ```text
//! PLATFORM_STUB_QUERY_ENCODER=DIRECTORY \
//!   cargo test --release -p platform-embedding -p platform-server-stub -- --nocapture quality agreement
//! ```

#![expect(clippy::print_stdout, reason = "the figures are what the tests are run for")]

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use crate::{Aspect, QueryEncoder, embed};

/// Pairs of a search text for a company, and the company's own description.
const COMPANIES: &str = "\
craft beer producer with a pub | We brew small-batch ales and lagers in a restored tram depot and pour them in our own taproom.
accounting software for self-employed people | Invoicing and bookkeeping in the cloud for freelancers and sole traders.
robots for farming | Autonomous tractors that weed rows of vegetables without herbicide.
quality control for automotive manufacturing using cameras and AI | Machine vision inspects welds on car bodies and stops the line when a seam is faulty.
invisible braces | Our orthodontists straighten teeth with clear aligners, planned from a scan at home.
rent a camper van from private individuals | A marketplace where owners let their motorhomes to holidaymakers by the week.
temperature-controlled logistics | Refrigerated trucking and cold storage for meat, fish and vaccines across the Nordics.
solar energy for homeowners | We install rooftop photovoltaic panels and batteries on family houses.
wind power | Offshore turbines, their foundations and forty years of maintenance at sea.
cyber security awareness | A phishing simulator that trains employees to spot fraudulent mail.
ethical hacking services for financial institutions | Penetration testers who break into banks' networks by appointment.
biotech that develops RNA therapies for genetic diseases | Gene-silencing drugs against rare inherited disorders of the liver.
mobility aids for disabled people | Wheelchairs made of carbon fibre, measured to the body of each rider.
home care for seniors | Nurses visit elderly patients in their own apartments, day and night.
childcare and kindergarten | Bilingual nursery schools with gardens, open from six in the morning.
online tutoring for high school students | Live one-to-one lessons in mathematics for teenagers before their exams.
language services for legal documents | We translate patents and contracts between Japanese, Korean and German.
law firm for housing disputes | Litigators who stand up for tenants against their landlords.
microfinance for female entrepreneurs | Loans to market women in West Africa, repaid by mobile phone.
crop cover against bad weather for poor farmers | Parametric insurance pays smallholders when satellites see a drought.
point of sale for merchants on a smartphone | A card terminal in your pocket: shops take contactless payments with any handset.
recruiting agency for technical talent | Matches engineers with employers and runs the interviews for them.
global payroll and HR platform | Payslips, leave and holidays of staff in eighteen countries, on one screen.
sustainable sports footwear | Trail-running shoes with plates made of recycled fishing nets.
bespoke menswear for weddings | A tailor's workshop that cuts suits by hand for grooms.
natural vegan cosmetics | Lipsticks and creams without animal testing or petrochemicals.
pet hotel | Boarding kennel and grooming salon for dogs while you travel.
alternative protein for aquaculture | Feed made of insect larvae for salmon and shrimp hatcheries.
artisan bakery | Sourdough loaves and croissants, delivered to offices before nine.
cultivated meat startup | Steaks grown from cow cells in a steel tank, with no slaughter.
machinery for ceramics factories | Kilns and presses for brick and roof-tile works.
wooden building construction | Cross-laminated timber frames for houses of up to nine storeys.
office fit-out and coworking architecture | Interior designers who turn empty lofts into shared workplaces.
student housing real estate investor | We buy, renovate and let flats near university campuses.
urban micromobility sharing | Electric scooters parked on every corner, unlocked with a code.
EV infrastructure for heavy trucks | Chargers for lorries at motorway rest stops, up to one megawatt.
small launch vehicle company in aerospace | Rockets no taller than a bus that put nanosatellites into low orbit.
aerial inspection of power grid assets | Drones photograph pylons and cables so that no lineman has to climb.
smart monitoring for utilities that supply drinking water | Leak sensors and pressure loggers for municipal waterworks.
plastic recycling equipment | Shredders that sort bottles and wrappers by polymer, and granulate them.
event admission technology | Tickets, turnstiles and wristbands for festivals and stadiums.
video game developer | Independent studio of twelve that makes puzzle adventures for consoles.
orchestra for film scores and music production | Session musicians record your song's strings in a Budapest hall.
independent journalism and news media | Podcasts and long reads on foreign politics, paid for by subscribers.
programmatic out-of-home advertising | Billboards in underground stations, sold by the hour through an auction.
customer support automation for e-commerce | Chat agents that answer shoppers' questions about late parcels.
database infrastructure for artificial intelligence developers | Vector search and pipelines that keep embeddings fresh for language models.
semiconductor startup for optical computing | Photonic chips that multiply matrices with light in place of electrons.
adventure travel and mountain hiking tours | Guided treks to Himalayan base camps with local porters.
spa and wellness resort | A family hotel with thermal baths and mud cures in the Apennines.
mental health app for insomnia and stress | Meditation and breathing courses against sleeplessness, on your phone.
telemedicine for depression and anxiety | Psychiatrists by video within forty-eight hours, without a referral.";

/// A company's query and text.
fn companies() -> Vec<(&'static str, &'static str)> {
    COMPANIES
        .lines()
        .map(|line| line.split_once(" | ").expect("a line holds both"))
        .collect()
}

/// nDCG@10 over all queries, for a distance between a query and a company's text.
fn ndcg(distance: impl Fn(&str, &str) -> f64) -> f64 {
    let companies = companies();
    let gain = |(wanted, (query, _))| {
        let distances: Vec<f64> = companies.iter().map(|(_, text)| distance(query, text)).collect();
        // A tie counts as a loss, so an embedding that does not distinguish texts scores nothing.
        let rank = distances.iter().filter(|&&d| d <= distances[wanted]).count();
        if rank <= 10 {
            1.0 / ((1 + rank) as f64).log2()
        } else {
            0.0
        }
    };
    companies.iter().copied().enumerate().map(gain).sum::<f64>() / companies.len() as f64
}

/// The distinct words of a text, in lower case.
fn words(text: &str) -> HashSet<String> {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Search by words: the cosine distance of tf-idf vectors.
struct WordSearch {
    texts: usize,
    texts_with: HashMap<String, usize>,
}

impl WordSearch {
    fn new(texts: &[&str]) -> Self {
        let mut texts_with = HashMap::new();
        for word in texts.iter().flat_map(|text| words(text)) {
            *texts_with.entry(word).or_insert(0) += 1;
        }
        Self {
            texts: texts.len(),
            texts_with,
        }
    }

    /// The squared length of the vector that these words make.
    fn weight<'a>(&self, words: impl IntoIterator<Item = &'a String>) -> f64 {
        let rarity = |word| self.texts as f64 / (1 + self.texts_with.get(word).unwrap_or(&0)) as f64;
        words.into_iter().map(|word| rarity(word).ln().max(0.0).powi(2)).sum()
    }

    fn distance(&self, a: &str, b: &str) -> f64 {
        let (a, b) = (words(a), words(b));
        let lengths = (self.weight(&a) * self.weight(&b)).sqrt();
        if lengths > 0.0 {
            1.0 - self.weight(a.intersection(&b)) / lengths
        } else {
            1.0
        }
    }
}

#[test]
fn search_by_meaning_finds_what_search_by_words_does_not() {
    let texts: Vec<&str> = companies().into_iter().map(|(_, text)| text).collect();
    let by_words = WordSearch::new(&texts);
    let by_words = ndcg(|query, text| by_words.distance(query, text));
    let by_meaning = ndcg(|query, text| embed(query).distance(&embed(text)));
    println!("nDCG@10 of {} queries, table: {by_meaning:.4}", companies().len());
    assert!(
        by_words < 0.10,
        "the queries share too many words with the texts: {by_words:.3}"
    );
    assert!(by_meaning > 0.885, "the embedding has lost meaning: {by_meaning:.3}");
    if let Some(directory) = std::env::var_os("PLATFORM_STUB_QUERY_ENCODER") {
        measure(&QueryEncoder::open(directory.as_ref()).unwrap());
    }
}

/// Measures a query encoder, and the full model that it holds.
fn measure(encoder: &QueryEncoder) {
    let companies = companies();
    let started = Instant::now();
    let vectors = companies
        .iter()
        .map(|(query, _)| (*query, encoder.embed(query, Aspect::Offer)));
    let vectors: HashMap<_, _> = vectors.collect();
    let each = started.elapsed() / companies.len() as u32;
    let texts = companies.iter().flat_map(|(query, text)| [*query, *text]);
    let meanings: HashMap<_, _> = texts.map(|text| (text, encoder.meaning(text).unwrap())).collect();
    let by_encoder = ndcg(|query, text| vectors[query].distance(&embed(text)));
    let by_model = ndcg(|query, text| {
        let pairs = meanings[query].iter().zip(&meanings[text]);
        1.0 - pairs.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>()
    });
    println!("with the query encoder: {by_encoder:.4} ({each:.1?} a query)");
    println!("the full model: {by_model:.4}");
    assert!(by_encoder > 0.91, "the encoder: {by_encoder:.3}");
    assert!(by_model > 0.95, "the full model: {by_model:.3}");
}
