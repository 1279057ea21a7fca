//! Searches by meaning, lists and sorts a pipeline, adds an organization and waits until it is ready.
//!
//! ```sh
//! cargo run --release -p platform-examples --example quickstart
//! ```
//!
//! It runs on the reference server, started in this process, unless `PLATFORM_BASE_URL` and
//! `PLATFORM_API_KEY` name a deployment. There it discovers the pipelines and questions. It adds nothing unless
//! `PLATFORM_ADD_TO` is the id of a pipeline, because added items cannot be removed.
//! `PLATFORM_PIPELINE` is the id of the pipeline to list; the default is the first one that has items.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use platform_sdk::types::{ItemPage, OrganizationSearchResult, PipelineItem, SortOrder};
use platform_sdk::{Client, ExecutionStatus, FundingStage, Presence};
use platform_server_stub::Server;
use tokio::net::TcpListener;

/// The pipelines to try if none is named. The API has no operation that lists pipelines.
const FIRST_PIPELINES: std::ops::RangeInclusive<i64> = 1..=20;
/// The pipeline of the reference server that an organization is added to.
const INBOX: i64 = 6;

const GIVE_UP_AFTER: Duration = Duration::from_secs(60);

#[tokio::main]
async fn main() -> ExitCode {
    end(start().await, &mut io::stderr())
}

/// Returns the exit code, after printing an error with its causes.
pub(crate) fn end(outcome: Result<(), Box<dyn Error>>, out: &mut impl Write) -> ExitCode {
    let Err(error) = outcome else {
        return ExitCode::SUCCESS;
    };
    let mut message = format!("error: {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        message += &format!("\n  caused by: {cause}");
        source = cause.source();
    }
    // If standard error cannot be written, the message has nowhere to go.
    let _ = writeln!(out, "{message}");
    ExitCode::FAILURE
}

async fn start() -> Result<(), Box<dyn Error>> {
    let (client, add_to) = match std::env::var_os("PLATFORM_BASE_URL") {
        Some(_) => (Client::from_env()?, id("PLATFORM_ADD_TO")?),
        None => (reference_server().await?, Some(INBOX)),
    };
    let plan = Plan {
        pipeline: id("PLATFORM_PIPELINE")?,
        add_to,
    };
    run(&client, &plan, &mut io::stdout()).await
}

/// Reads the id of a pipeline from an environment variable.
fn id(variable: &str) -> Result<Option<i64>, Box<dyn Error>> {
    match std::env::var(variable) {
        Ok(id) => match id.parse() {
            Ok(id) => Ok(Some(id)),
            Err(_) => Err(format!("{variable} must be the id of a pipeline, such as 6").into()),
        },
        Err(_) => Ok(None),
    }
}

/// The pipelines to use.
pub(crate) struct Plan {
    /// The pipeline to list; `None` for the first one that has items.
    pub(crate) pipeline: Option<i64>,
    /// The pipeline to add an organization to.
    pub(crate) add_to: Option<i64>,
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

/// Runs all steps and reports to `out`.
pub(crate) async fn run(
    client: &Client,
    plan: &Plan,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    writeln!(out, "Platform at {}", client.base_url())?;
    let found = search_organizations(client, out).await?;
    search_products(client, out).await?;
    list_pipeline(client, plan.pipeline, out).await?;
    match plan.add_to {
        Some(pipeline) => add_organization(client, pipeline, &found, out).await,
        None => Ok(writeln!(
            out,
            "\nNothing is added, because that cannot be undone: set PLATFORM_ADD_TO to the id of a pipeline."
        )?),
    }
}

async fn search_organizations(
    client: &Client,
    out: &mut impl Write,
) -> Result<Vec<OrganizationSearchResult>, Box<dyn Error>> {
    let description = "keeps fresh fish cold on its way to the shops";
    let search = client
        .search_organizations_by_description()
        .description(description)
        .limit(5);
    writeln!(out, "\nOrganizations like \"{description}\"")?;
    let filtered = search
        .clone()
        .countries(["NO", "DK", "SE", "IS", "FI"])
        .headquarters_only(false)
        .employee_count_max(500);
    let mut page = filtered.send().await?;
    let mut which = "with an office in a Nordic country and at most 500 people";
    if page.results.is_empty() {
        writeln!(out, "  none {which}")?;
        page = search.send().await?;
        which = "in all";
    }
    if page.results.is_empty() {
        writeln!(out, "  none {which}: this deployment has no organizations")?;
        return Ok(Vec::new());
    }
    writeln!(out, "  {} {which}; the nearest:", page.total_count)?;
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
    let search = client
        .search_products_by_customer()
        .product_customer(customer)
        .limit(5);
    writeln!(out, "\nProducts for \"{customer}\"")?;
    let filtered = search.clone().funding_stages([
        FundingStage::Seed,
        FundingStage::SeriesA,
        FundingStage::SeriesB,
    ]);
    let mut page = filtered.send().await?;
    let mut which = "of organizations that last raised a seed, A or B round";
    if page.results.is_empty() {
        writeln!(out, "  none {which}")?;
        page = search.send().await?;
        which = "in all";
    }
    if page.results.is_empty() {
        writeln!(out, "  none {which}: this deployment has no products")?;
        return Ok(());
    }
    writeln!(out, "  {} {which}; the nearest:", page.total_count)?;
    for product in &page.results {
        let distance = product.similarity.cosine_distance;
        let vendor = &product.organization.name;
        let categories = product.categories.join(", ");
        writeln!(
            out,
            "  {distance:.3}  {} by {vendor} ({categories})",
            product.name
        )?;
    }
    Ok(())
}

async fn list_pipeline(
    client: &Client,
    named: Option<i64>,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let Some((pipeline, sample)) = find_pipeline(client, named).await? else {
        let (first, last) = (FIRST_PIPELINES.start(), FIRST_PIPELINES.end());
        writeln!(
            out,
            "\nNo pipeline with an id from {first} to {last} has items that this key may read; \
             set PLATFORM_PIPELINE to the id of one."
        )?;
        return Ok(());
    };
    let Some(question) = find_question(&sample.items) else {
        let count = sample.total_count;
        writeln!(
            out,
            "\nPipeline {pipeline}: {count} items, and no question with an answer to sort by"
        )?;
        return Ok(());
    };
    let page = client
        .list_items()
        .pipeline_id(pipeline)
        .sort_by(&question)
        .sort_order(SortOrder::Desc)
        .limit(5)
        .send()
        .await?;

    writeln!(out, "\nPipeline {pipeline}, sorted by {question}")?;
    writeln!(out, "  {} items; the highest:", page.total_count)?;
    for item in &page.items {
        let value = answer(item, &question);
        let name = answer(item, "organization.name");
        writeln!(out, "  item {}  {value:>4}  {name}", item.pipeline_item_id)?;
    }
    Ok(())
}

/// Returns the named pipeline, or the first one with items, and some of its items.
async fn find_pipeline(
    client: &Client,
    named: Option<i64>,
) -> Result<Option<(i64, ItemPage)>, Box<dyn Error>> {
    if let Some(pipeline) = named {
        let page = client.list_items().pipeline_id(pipeline).limit(50).send();
        return Ok(Some((pipeline, page.await?.into_inner())));
    }
    for pipeline in FIRST_PIPELINES {
        let page = client.list_items().pipeline_id(pipeline).limit(50).send();
        match page.await {
            Ok(page) if page.items.is_empty() => {}
            Ok(page) => return Ok(Some((pipeline, page.into_inner()))),
            Err(error) if error.is_not_found() || error.is_denied() => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}

/// Returns a question that some item has an answer to, preferring numeric answers.
fn find_question(items: &[PipelineItem]) -> Option<String> {
    let answered = || {
        let values = items.iter().flat_map(|item| item.values.iter());
        values.filter_map(|(column, value)| {
            let first = value.result.first()?;
            column.starts_with("question.").then_some((column, first))
        })
    };
    let numeric = answered().find(|(_, first)| first.as_f64().is_some());
    let question = numeric.or_else(|| answered().next());
    question.map(|(column, _)| column.to_string())
}

/// Adds the nearest organization that is not in the pipeline yet, and shows its answers.
async fn add_organization(
    client: &Client,
    pipeline: i64,
    found: &[OrganizationSearchResult],
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    for organization in found {
        let name = &organization.name;
        writeln!(out, "\nAdding {name} to pipeline {pipeline}")?;
        let added = client
            .ensure_organization()
            .pipeline_id(pipeline)
            .organization_id(organization.organization_id)
            .send()
            .await?;
        if added.presence == Presence::AlreadyThere {
            writeln!(out, "  it is there already")?;
            continue;
        }
        return show_answers(client, &added.item, out).await;
    }
    let why = match found.is_empty() {
        true => "Nothing is added: the search found no organization.".to_owned(),
        false => format!("All that was found is in pipeline {pipeline} already."),
    };
    Ok(writeln!(out, "\n{why}")?)
}

/// Waits until an item is ready, and shows its values.
async fn show_answers(
    client: &Client,
    item: &PipelineItem,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let is_pending = |status: &Option<ExecutionStatus>| *status == Some(ExecutionStatus::Pending);
    let values = item.values.values();
    let pending = values.filter(|value| is_pending(&value.status)).count();
    let id = item.pipeline_item_id;
    writeln!(out, "  item {id}, {pending} questions pending")?;

    let started = Instant::now();
    let wait = client.wait_until_ready().item(item).timeout(GIVE_UP_AFTER);
    let item = wait.values().await?;
    let seconds = started.elapsed().as_secs_f64();
    writeln!(out, "  ready after {seconds:.1} s")?;

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
    Ok(())
}

/// Returns the first value of a column, or a dash.
fn answer(item: &PipelineItem, column: &str) -> String {
    let first = item
        .values
        .get(column)
        .and_then(|value| value.result.first());
    first.map_or_else(|| "-".to_owned(), ToString::to_string)
}
