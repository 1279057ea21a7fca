//! Finds who already serves the customers that you want, with which products, where, and how large they are.
//!
//! ```sh
//! cargo run -p platform-examples --example ideal_customers -- "small wineries"
//! ```
//!
//! It runs on the reference server, started in this process, unless `PLATFORM_BASE_URL` and `PLATFORM_API_KEY` name a
//! deployment. It only reads.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;

use platform_examples::{Outcome, Platform, arguments, chart, counted, finish, fit, wide, wrap};
use platform_sdk::types::OrganizationSearchResult;

/// Number of organizations that the charts are about.
const NEAREST: i32 = 200;
/// Upper bounds of the sizes in the chart.
const SIZES: [(i64, &str); 4] = [
    (10, "up to 10 people"),
    (50, "11 to 50"),
    (250, "51 to 250"),
    (i64::MAX, "more than 250"),
];

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await)
}

async fn run() -> Outcome {
    let [customers] = arguments("ideal_customers \"the customers you want\"")?;
    let customers = customers.as_deref().unwrap_or("small wineries");
    let platform = Platform::connect().await?;
    let (client, mut out) = (&platform.client, io::stdout());

    // A walk fetches as many pages as the limit needs, several at once.
    let search = client.search_organizations_by_customer();
    let search = search.organization_customer(customers).limit(NEAREST);
    let total_count = search.clone().limit(1).send().await?.total_count;
    let nearest = search.walk().collect().await?;
    if nearest.is_empty() {
        return Err("no organization of this deployment has known customers".into());
    }
    let all = counted(total_count, "organization");
    let heading = format!("Of {all}, these serve \"{customers}\":");
    writeln!(out, "{}\n", wrap("", &heading))?;
    for organization in nearest.iter().take(6) {
        let distance = organization.similarity.cosine_distance;
        let name = fit(&organization.name, wide(36));
        let website = organization.contact.website_url.as_deref().unwrap_or("-");
        writeln!(out, "  {distance:.3}  {name}  {}", fit(website, wide(31)).trim_end())?;
    }

    writeln!(out, "\nProducts made for them:\n")?;
    let search = client.search_products_by_customer();
    let products = search.product_customer(customers).limit(5).send().await?;
    for product in &products.results {
        let name = fit(&product.name, wide(30));
        let vendor = fit(&product.organization.name, wide(24));
        let audience = product.target_audiences.join(", ");
        writeln!(out, "  {name}  {vendor}  {}", fit(&audience, wide(20)).trim_end())?;
    }
    if products.results.is_empty() {
        writeln!(out, "  none")?;
    }

    let country = |it: &OrganizationSearchResult| it.headquarters.country_name.clone();
    let countries = tally(nearest.iter().map(country));
    let mut countries: Vec<(String, usize)> = countries.into_iter().collect();
    countries.sort_by_key(|(_, organizations)| std::cmp::Reverse(*organizations));
    countries.truncate(6);
    writeln!(out, "\nWhere the nearest {} are:\n", nearest.len())?;
    writeln!(out, "{}", chart(&countries))?;

    let sizes = tally(nearest.iter().map(size));
    let order = SIZES.iter().map(|(_, name)| *name).chain(["unknown"]);
    let sizes = order.map(|name| (name, sizes.get(name).copied().unwrap_or(0)));
    writeln!(out, "\nHow large they are:\n")?;
    writeln!(out, "{}", chart(&sizes.collect::<Vec<_>>()))?;
    Ok(())
}

fn size(organization: &OrganizationSearchResult) -> Option<String> {
    let people = organization.metrics.employee_count?;
    let size = SIZES.iter().find(|(most, _)| people <= *most);
    size.map(|(_, name)| (*name).to_owned())
}

/// Counts how often each value occurs. A record may lack the value.
fn tally(values: impl Iterator<Item = Option<String>>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for value in values {
        *counts.entry(value.unwrap_or_else(|| "unknown".to_owned())).or_default() += 1;
    }
    counts
}
