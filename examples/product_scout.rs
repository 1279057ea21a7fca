//! Finds products for a need, compares their prices, and finds alternatives to the best one.
//!
//! ```sh
//! cargo run -p platform-examples --example product_scout -- "packaging for wine bottles"
//! ```
//!
//! It runs on the reference server, started in this process, unless `PLATFORM_BASE_URL` and `PLATFORM_API_KEY` name a
//! deployment. It only reads.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;

use platform_examples::{Outcome, Platform, arguments, chart, count, counted, finish, fit, visible, wide, wrap};
use platform_sdk::types::{Pricing, ProductSearchResult};

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await)
}

async fn run() -> Outcome {
    let [need] = arguments("product_scout \"what is needed\"")?;
    let need = need.as_deref().unwrap_or("packaging for wine bottles");
    let platform = Platform::connect().await?;
    let (client, mut out) = (&platform.client, io::stdout());

    // A page holds at most 100 results. Their categories show which kinds of products answer the need.
    let search = client.search_products_by_description().description(need);
    let page = search.clone().limit(50).send().await?;
    let Some(best) = page.results.first() else {
        return Err("this deployment has no products".into());
    };
    let all = counted(page.total_count, "product");
    let heading = format!("The nearest of {all} to \"{need}\":");
    writeln!(out, "{}\n", wrap("", &heading))?;
    show(&page.results[..page.results.len().min(6)])?;

    let kinds = count_categories(&page.results);
    if let Some((category, _)) = kinds.first() {
        writeln!(out, "\nCategories of the nearest {}:\n", page.results.len())?;
        writeln!(out, "{}", chart(&kinds[..kinds.len().min(6)]))?;
        let filtered = search.business_types(category.as_str()).limit(3).send().await?;
        let (category, all) = (visible(category), count(filtered.total_count));
        writeln!(out, "\nOnly {category}, {all} in all:")?;
        for product in &filtered.results {
            describe(product)?;
        }
    }

    let alternatives = client
        .search_products_by_product()
        .product_id(best.product_id)
        .limit(5)
        .send()
        .await?;
    writeln!(out, "\nAlternatives to {}:\n", visible(&best.name))?;
    if alternatives.results.is_empty() {
        writeln!(out, "  none")?;
    }
    show(&alternatives.results)
}

/// Prints a line for each product: distance, name, vendor and price.
fn show(products: &[ProductSearchResult]) -> Outcome {
    for product in products {
        let distance = product.similarity.cosine_distance;
        let (name, vendor) = (fit(&product.name, wide(25)), fit(&product.organization.name, wide(20)));
        let price = fit(&price(&product.pricing), wide(20));
        writeln!(io::stdout(), "  {distance:.3}  {name}  {vendor}  {}", price.trim_end())?;
    }
    Ok(())
}

/// Prints what a product does and how its vendor positions it.
fn describe(product: &ProductSearchResult) -> Outcome {
    let mut out = io::stdout();
    let heading = format!("{}, by {}", product.name, product.organization.name);
    writeln!(out, "\n{}", wrap("  ", &heading))?;
    let features = Some(product.features.join(", ")).filter(|features| !features.is_empty());
    for (label, text) in [
        ("    What:      ", &product.description),
        ("    Advantage: ", &product.competitive_positioning),
        ("    Features:  ", &features),
    ] {
        if let Some(text) = text {
            writeln!(out, "{}", wrap(label, text))?;
        }
    }
    Ok(())
}

/// Returns the categories with the number of products in each, the most frequent first.
fn count_categories(products: &[ProductSearchResult]) -> Vec<(String, usize)> {
    let mut counts = BTreeMap::new();
    for category in products.iter().flat_map(|product| &product.categories) {
        *counts.entry(category.clone()).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, products)| std::cmp::Reverse(*products));
    counts
}

/// Returns the price in words. Each part of it may be unknown.
fn price(pricing: &Pricing) -> String {
    let Some(starts_at) = pricing.starts_at else {
        return pricing.model.as_deref().unwrap_or("price unknown").replace('_', " ");
    };
    let currency = pricing.currency.as_deref().unwrap_or_default();
    match pricing.billing_period.as_deref() {
        None | Some("once") => format!("{starts_at} {currency}"),
        Some(period) => format!("{starts_at} {currency} a {period}"),
    }
}
