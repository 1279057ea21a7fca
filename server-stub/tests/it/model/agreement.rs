//! How well search by meaning agrees with the full model that the table is distilled from.
//!
//! The records are those of the built-in data, whose texts the table is fitted to. Of the queries, only names of people
//! have rows made for them. The test therefore notices when search gets worse, but does not measure its quality over
//! other data.
//!
//! `agreement.json` holds queries, each with the ten records that the full model finds nearest. The script
//! `embedding/scripts/measure_embedding.py` writes it and documents where the queries come from. To print the
//! figures:
//!
//! ```text
//! cargo test -p platform-server-stub --test it -- agreement --nocapture
//! ```
//!
//! With `PLATFORM_STUB_QUERY_ENCODER=DIRECTORY` in the environment, it also measures that query encoder.

#![expect(clippy::print_stdout, reason = "the figures are what the test is run for")]

use platform_server_stub::embedding::QueryEncoder;
use platform_server_stub::model::filter::Filters;
use platform_server_stub::model::rejection::Rejection;
use platform_server_stub::model::search::Page;
use platform_server_stub::platform::Platform;
use serde::Deserialize;

use super::built_in;

const FIRST_TEN: Page = Page { skip: 0, limit: 10 };

/// The agreement that the built-in table reached, rounded down. The result is the same on each run and machine, so a
/// lower one comes from a change to the table, the tokenizer, the data or the queries.
const REACHED: f64 = 0.64;

/// The agreement that the query encoder reached with all-MiniLM-L6-v2, rounded down.
const REACHED_WITH_ENCODER: f64 = 0.85;

#[derive(Deserialize)]
struct Labelled {
    query: String,
    search: Search,
    /// Ids of the full model's ten nearest records.
    nearest: Vec<i64>,
}

#[derive(Deserialize, Clone, Copy)]
enum Search {
    #[serde(rename = "organizations by description")]
    OrganizationsByDescription,
    #[serde(rename = "organizations by customers")]
    OrganizationsByCustomers,
    #[serde(rename = "products by description")]
    ProductsByDescription,
    #[serde(rename = "products by customers")]
    ProductsByCustomers,
}

impl Search {
    /// Ids of the first ten results.
    async fn run(self, platform: &Platform, query: &str) -> Result<Vec<i64>, Rejection> {
        let filters = Filters::default();
        let (organizations, products) = match self {
            Self::OrganizationsByDescription => {
                let found = platform.search_organizations_by_description(query, &filters, FIRST_TEN);
                (found.await?.results, Vec::new())
            }
            Self::OrganizationsByCustomers => {
                let found = platform.search_organizations_by_customer(query, &filters, FIRST_TEN);
                (found.await?.results, Vec::new())
            }
            Self::ProductsByDescription => {
                let found = platform.search_products_by_description(query, &filters, FIRST_TEN);
                (Vec::new(), found.await?.results)
            }
            Self::ProductsByCustomers => {
                let found = platform.search_products_by_customer(query, &filters, FIRST_TEN);
                (Vec::new(), found.await?.results)
            }
        };
        let organizations = organizations.iter().map(|hit| hit.organization.organization_id.get());
        let products = products.iter().map(|hit| hit.product.product_id.get());
        Ok(organizations.chain(products).collect())
    }
}

/// The mean of some shares and its standard error.
fn mean(shares: &[f64]) -> (f64, f64) {
    let count = shares.len() as f64;
    let mean = shares.iter().sum::<f64>() / count;
    let variance = shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

/// Measures a platform, prints the figures, and returns the agreement over all queries.
async fn agreement(platform: &Platform, name: &str) -> f64 {
    let queries: Vec<Labelled> = serde_json::from_str(include_str!("agreement.json")).unwrap();
    let mut shares = Vec::new();
    let mut by_words: [Vec<f64>; 4] = Default::default();
    for Labelled { query, search, nearest } in queries {
        let found = search.run(platform, &query).await.unwrap();
        let shared = found.iter().filter(|id| nearest.contains(id)).count();
        let share = shared as f64 / nearest.len() as f64;
        shares.push(share);
        by_words[match query.split_whitespace().count() {
            1 => 0,
            2..=3 => 1,
            4..=10 => 2,
            _ => 3,
        }]
        .push(share);
    }
    let (reached, error) = mean(&shares);
    println!(
        "agreement of the first ten, {name}: {reached:.4} ± {error:.4} of {} queries",
        shares.len()
    );
    for (words, shares) in ["1 word", "2 or 3 words", "4 to 10 words", "more words"]
        .iter()
        .zip(&by_words)
    {
        let (reached, error) = mean(shares);
        println!("{words:>15}: {reached:.3} ± {error:.3} of {}", shares.len());
    }
    assert!(shares.len() >= 1000);
    reached
}

#[tokio::test]
async fn first_ten_results_agree_with_those_of_the_full_model() {
    let mut measured = vec![("table", built_in(), REACHED)];
    if let Some(directory) = std::env::var_os("PLATFORM_STUB_QUERY_ENCODER") {
        let encoder = QueryEncoder::open(directory.as_ref()).unwrap();
        let platform = built_in().with_query_encoder(encoder);
        measured.push(("query encoder", platform, REACHED_WITH_ENCODER));
    }
    for (name, platform, before) in measured {
        let reached = agreement(&platform, name).await;
        assert!(
            reached >= before,
            "{name}: agreement with the full model fell from {before} to {reached:.4}"
        );
    }
}
