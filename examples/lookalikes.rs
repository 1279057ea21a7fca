//! Goes from one customer to a filtered short-list of similar organizations.
//!
//! ```sh
//! cargo run -p platform-examples --example lookalikes -- "makes corks for wine bottles" shortlist.csv
//! ```
//!
//! The first argument describes the customer, and the second is the file for the short-list, which `bulk_add` reads.
//! Both can be left out. It runs on the reference server, started in this process, unless `PLATFORM_BASE_URL` and
//! `PLATFORM_API_KEY` name a deployment. It only reads.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use platform_examples::{Outcome, Platform, arguments, count, counted, finish, fit, wide, wrap, write_organizations};
use platform_sdk::builder::SearchOrganizationsByOrganization;
use platform_sdk::chrono::Datelike;
use platform_sdk::types::{Address, OrganizationSearchResult, ProductSearchResult};
use platform_sdk::{Client, Filters};

/// The customer, if no argument describes it.
const CUSTOMER: &str = "makes corks for wine bottles";
/// A filter that leaves fewer organizations is not used.
const ENOUGH: i64 = 5;

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await)
}

async fn run() -> Outcome {
    let [description, file] = arguments("lookalikes \"description of the customer\" [shortlist.csv]")?;
    let description = description.as_deref().unwrap_or(CUSTOMER);
    let platform = Platform::connect().await?;
    let customer = find_customer(&platform.client, description).await?;
    let (mut out, place) = (io::stdout(), place(&customer.headquarters));
    let heading = format!("Customer: {}; {place}", customer.name);
    writeln!(out, "{}", wrap("", &heading))?;
    let about = customer.description.as_deref().unwrap_or_default();
    writeln!(out, "{}\n", wrap("  ", about))?;

    let search = platform.client.search_organizations_by_organization();
    let search = search.organization_id(customer.organization_id);
    let types = business_types(&platform.client, &customer).await?;
    let filters = narrow(&search, &customer, &types).await?;
    let shortlist = search.filters(&filters).limit(10).send().await?;
    writeln!(out, "\nThe short-list, with the number of people:\n")?;
    for organization in &shortlist.results {
        let distance = organization.similarity.cosine_distance;
        let name = fit(&organization.name, wide(30));
        let place = fit(&crate::place(&organization.headquarters), wide(28));
        let people = organization.metrics.employee_count;
        let people = people.map_or("-".to_owned(), count);
        writeln!(out, "  {distance:.3}  {name}  {place}  {people:>6}")?;
    }
    if let Some(path) = file {
        write_organizations(Path::new(&path), &shortlist.results)?;
        let rows = counted(shortlist.results.len() as u64, "row");
        writeln!(out, "\nWrote {rows} to {path}.")?;
    }
    Ok(())
}

/// Returns the organization that a text describes best. It stands for a customer that you have.
async fn find_customer(client: &Client, text: &str) -> Outcome<OrganizationSearchResult> {
    let search = client.search_organizations_by_description();
    let nearest = search.description(text).limit(1).send().await?;
    let nearest = nearest.into_inner().results.into_iter().next();
    Ok(nearest.ok_or("this deployment has no organizations")?)
}

/// Returns the business types of the customer: the categories of its products.
async fn business_types(client: &Client, customer: &OrganizationSearchResult) -> Outcome<BTreeSet<String>> {
    let Some(description) = &customer.description else {
        return Ok(BTreeSet::new());
    };
    let search = client.search_products_by_description();
    let products = search.description(description).limit(100).send().await?;
    let id = customer.organization_id;
    let is_own = |product: &&ProductSearchResult| product.organization.organization_id == id;
    let own = products.results.iter().filter(is_own);
    Ok(own.flat_map(|product| product.categories.clone()).collect())
}

/// Returns filters that describe the customer: its business types, size, age and country.
async fn narrow(
    search: &SearchOrganizationsByOrganization,
    customer: &OrganizationSearchResult,
    types: &BTreeSet<String>,
) -> Outcome<Filters> {
    let mut filters = Filters::new();
    let all = search.clone().limit(1).send().await?.total_count;
    show("similar organizations", all, "")?;
    if !types.is_empty() {
        let names = types.iter().cloned().collect::<Vec<_>>();
        let step = names.join(", ");
        let narrower = filters.clone().business_types(names);
        filters = add(search, filters, narrower, &step).await?;
    }
    if let Some(people) = customer.metrics.employee_count {
        let (least, most) = (people / 4, people.saturating_mul(4).min(i32::MAX.into()));
        let narrower = filters.clone().employee_count_min(least);
        let narrower = narrower.employee_count_max(most);
        let step = format!("{} to {} people", count(least), count(most));
        filters = add(search, filters, narrower, &step).await?;
    }
    if let Some(founded) = customer.metrics.founded_on {
        let year = founded.year() - 15;
        let narrower = filters.clone().founded_year_min(year);
        let step = format!("founded in {year} or later");
        filters = add(search, filters, narrower, &step).await?;
    }
    if let Some(country) = &customer.headquarters.country {
        let narrower = filters.clone().countries(country.as_str());
        let narrower = narrower.headquarters_only(false);
        let step = format!("with an office in {country}");
        filters = add(search, filters, narrower, &step).await?;
    }
    Ok(filters)
}

/// Returns the narrower filters if they leave enough organizations. Shows how many they leave.
async fn add(
    search: &SearchOrganizationsByOrganization,
    filters: Filters,
    narrower: Filters,
    step: &str,
) -> Outcome<Filters> {
    let page = search.clone().filters(&narrower).limit(1).send().await?;
    let is_enough = page.total_count >= ENOUGH;
    let note = if is_enough { "" } else { "  (too few: not used)" };
    show(step, page.total_count, note)?;
    Ok(if is_enough { narrower } else { filters })
}

fn show(step: &str, left: i64, note: &str) -> Outcome {
    let (step, left) = (fit(step, wide(44)), count(left));
    Ok(writeln!(io::stdout(), "  {step}  {left:>6}{note}")?)
}

fn place(address: &Address) -> String {
    let parts = [&address.city, &address.country_name];
    let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
    match parts.is_empty() {
        true => "place unknown".to_owned(),
        false => parts.join(", "),
    }
}
