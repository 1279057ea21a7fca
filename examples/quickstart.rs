//! Searches by meaning, lists and sorts a pipeline, adds an organization and waits until it is ready.
//!
//! ```sh
//! cargo run --release -p platform-examples --example quickstart
//! ```
//!
//! It runs on the reference server, started in this process, unless `PLATFORM_BASE_URL` and
//! `PLATFORM_API_KEY` name a deployment. It adds an organization there, and what was added cannot be taken
//! out; the pipelines of another deployment are other ones, so change the constants below first.

use std::error::Error;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use platform_sdk::types::{OrganizationSearchResult, PipelineItem, SortOrder};
use platform_sdk::{Client, ExecutionStatus, FundingStage, Presence};
use platform_server_stub::Server;
use tokio::net::TcpListener;

/// The pipeline that is listed, and the question that it is sorted by.
const PROSPECTS: i64 = 1;
const FULL_YEARS: &str = "question.101";
/// The pipeline that an organization is added to.
const INBOX: i64 = 6;

const GIVE_UP_AFTER: Duration = Duration::from_secs(60);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = match std::env::var_os("PLATFORM_BASE_URL") {
        Some(_) => Client::from_env()?,
        None => reference_server().await?,
    };
    run(&client, &mut io::stdout()).await
}

/// Starts the reference server on a free port. It runs until the process ends.
pub(crate) async fn reference_server() -> Result<Client, Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let base_url = format!("http://{}", listener.local_addr()?);
    tokio::spawn(Server::built_in().serve(listener, std::future::pending()));
    Ok(Client::builder()
        .base_url(base_url)
        .api_key("dev-full-access")
        .build()?)
}

/// Does all of it, and tells `out`.
pub(crate) async fn run(client: &Client, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    writeln!(out, "Platform at {}", client.base_url())?;
    let found = search_organizations(client, out).await?;
    search_products(client, out).await?;
    list_pipeline(client, out).await?;
    add_organization(client, &found, out).await
}

async fn search_organizations(
    client: &Client,
    out: &mut impl Write,
) -> Result<Vec<OrganizationSearchResult>, Box<dyn Error>> {
    let description = "keeps fresh fish cold on its way to the shops";
    let page = client
        .search_organizations_by_description()
        .description(description)
        .countries(["NO", "DK", "SE", "IS", "FI"])
        .headquarters_only(false)
        .employee_count_max(500)
        .limit(5)
        .send()
        .await?;

    writeln!(out, "\nOrganizations like \"{description}\"")?;
    writeln!(
        out,
        "  {} with an office in a Nordic country and at most 500 people; the nearest:",
        page.total_count
    )?;
    for organization in &page.results {
        let distance = organization.similarity.cosine_distance;
        let people = organization.metrics.employee_count.unwrap_or_default();
        let city = organization.headquarters.city.as_deref().unwrap_or("-");
        writeln!(
            out,
            "  {distance:.3}  {people:>4} people  {}, {city}",
            organization.name
        )?;
    }
    Ok(page.into_inner().results)
}

async fn search_products(client: &Client, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let customer = "hospital pharmacies that send vaccines to remote clinics";
    let page = client
        .search_products_by_customer()
        .product_customer(customer)
        .funding_stages([
            FundingStage::Seed,
            FundingStage::SeriesA,
            FundingStage::SeriesB,
        ])
        .limit(5)
        .send()
        .await?;

    writeln!(out, "\nProducts for \"{customer}\"")?;
    writeln!(
        out,
        "  {} of organizations that last raised a seed, A or B round; the nearest:",
        page.total_count
    )?;
    for product in &page.results {
        let distance = product.similarity.cosine_distance;
        let vendor = product.organization.as_ref();
        let vendor = vendor.map_or("an unknown vendor", |vendor| &vendor.name);
        let categories = product.categories.join(", ");
        writeln!(
            out,
            "  {distance:.3}  {} by {vendor} ({categories})",
            product.name
        )?;
    }
    Ok(())
}

async fn list_pipeline(client: &Client, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let page = client
        .list_items()
        .pipeline_id(PROSPECTS)
        .sort_by(FULL_YEARS)
        .sort_order(SortOrder::Desc)
        .limit(5)
        .send()
        .await?;

    writeln!(
        out,
        "\nPipeline {PROSPECTS}, sorted by full years of existence"
    )?;
    writeln!(out, "  {} items; the oldest:", page.total_count)?;
    for item in &page.items {
        let years = answer(item, FULL_YEARS);
        let name = answer(item, "organization.name");
        writeln!(
            out,
            "  item {}  {years:>4} years  {name}",
            item.pipeline_item_id
        )?;
    }
    Ok(())
}

/// Adds the nearest organization that is not in the pipeline yet, and shows what became of its questions.
async fn add_organization(
    client: &Client,
    found: &[OrganizationSearchResult],
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    for organization in found {
        let name = &organization.name;
        writeln!(out, "\nAdding {name} to pipeline {INBOX}")?;
        let added = client
            .ensure_organization()
            .pipeline_id(INBOX)
            .organization_id(organization.organization_id)
            .send()
            .await?;
        let item = added.item;
        if added.presence == Presence::AlreadyThere {
            writeln!(out, "  it is there already")?;
            continue;
        }
        let pending = item
            .values
            .values()
            .filter(|value| value.status == Some(ExecutionStatus::Pending));
        writeln!(
            out,
            "  item {}, {} questions pending",
            item.pipeline_item_id,
            pending.count()
        )?;

        let started = Instant::now();
        let wait = client.wait_until_ready().item(&item).timeout(GIVE_UP_AFTER);
        let item = wait.values().await?;
        writeln!(
            out,
            "  ready after {:.1} s",
            started.elapsed().as_secs_f64()
        )?;

        for (column, value) in item.values.iter() {
            write!(out, "  {column:<36}  {}", answer(&item, column))?;
            if let Some(status) = &value.status {
                write!(out, " ({status}")?;
                if let Some(score) = value.certainty_score {
                    write!(out, ", {score} % certain")?;
                }
                write!(out, ")")?;
            }
            writeln!(out)?;
        }
        return Ok(());
    }
    writeln!(out, "\nAll that was found is in pipeline {INBOX} already.")?;
    Ok(())
}

/// The first value of a column, or a dash.
fn answer(item: &PipelineItem, column: &str) -> String {
    let first = item
        .values
        .get(column)
        .and_then(|value| value.result.first());
    first.map_or_else(|| "-".to_owned(), ToString::to_string)
}
