//! Searches by meaning, lists a pipeline, adds an organization and waits until it is ready.
//!
//! ```sh
//! cargo run -p platform-examples --example quickstart
//! ```
//!
//! It runs on the reference server, started in this process, unless `PLATFORM_BASE_URL` and `PLATFORM_API_KEY` name a
//! deployment. There it adds nothing unless `PLATFORM_ADD_TO` is the id of a pipeline, because added items cannot be
//! removed. `PLATFORM_PIPELINE` is the id of the pipeline to list.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use platform_examples::{Outcome, Pipeline, Platform, arguments, count, counted, finish, fit, name_of, visible, wide};
use platform_sdk::types::{OrganizationSearchResult, PipelineItem, SortOrder};
use platform_sdk::{Client, Presence};

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await)
}

async fn run() -> Outcome {
    let [] = arguments("quickstart")?;
    let platform = Platform::connect().await?;
    writeln!(io::stdout(), "Using {}.", platform.name())?;
    let found = search(&platform.client).await?;
    for pipeline in platform.pipelines().await?.iter().take(1) {
        list(&platform.client, pipeline).await?;
    }
    match platform.pipeline_to_add_to().await? {
        Some(pipeline) => add(&platform.client, &pipeline, &found).await,
        None => Ok(writeln!(
            io::stdout(),
            "\nNothing was added, because additions cannot be undone.\n\
             To add, set PLATFORM_ADD_TO to the id of a pipeline."
        )?),
    }
}

/// Finds organizations by the meaning of a text, not by its words.
async fn search(client: &Client) -> Outcome<Vec<OrganizationSearchResult>> {
    let mut out = io::stdout();
    let description = "keeps fresh fish cold";
    let search = client
        .search_organizations_by_description()
        .description(description)
        .limit(5);
    let page = search.clone().send().await?;
    let all = counted(page.total_count, "organization");
    writeln!(out, "\nThe nearest of {all} to \"{description}\":")?;
    for organization in &page.results {
        let distance = organization.similarity.cosine_distance;
        let name = fit(&organization.name, wide(36));
        let place = fit(organization.headquarters.city.as_deref().unwrap_or("-"), wide(30));
        writeln!(out, "  {distance:.3}  {name}  {}", place.trim_end())?;
    }
    let countries = page.results.iter().map(|it| it.headquarters.country.as_ref());
    if let Some(country) = countries.flatten().next() {
        let filtered = search.countries(country.as_str()).send().await?;
        let (there, country) = (count(filtered.total_count), visible(country));
        let are = if filtered.total_count == 1 { "is" } else { "are" };
        writeln!(out, "{there} of them {are} in {country} (`countries={country}`).")?;
    }
    Ok(page.into_inner().results)
}

/// Lists the first items of a pipeline in the order of the answers to a question.
async fn list(client: &Client, pipeline: &Pipeline) -> Outcome {
    let mut out = io::stdout();
    let (id, items) = (pipeline.id, counted(pipeline.total_count, "item"));
    let Some(question) = pipeline.question_to_sort_by() else {
        writeln!(out, "\nPipeline {id}: {items}, and no answers yet")?;
        return Ok(());
    };
    let page = client
        .list_items()
        .pipeline_id(id)
        .sort_by(&question)
        .sort_order(SortOrder::Desc)
        .limit(5)
        .send()
        .await?;
    writeln!(out, "\nPipeline {id}: {items}, sorted by {}:", visible(&question))?;
    for item in &page.items {
        let answer = item.values.column(question.as_str())?.to_string();
        writeln!(out, "  {}  {}", fit(&answer, 5), name_of(item))?;
    }
    Ok(())
}

/// Adds the nearest organization that is not in the pipeline yet, and waits for the answers to its questions.
async fn add(client: &Client, pipeline: &Pipeline, found: &[OrganizationSearchResult]) -> Outcome {
    let (mut out, id) = (io::stdout(), pipeline.id);
    for organization in found {
        let name = visible(&organization.name);
        let ensured = client
            .ensure_organization()
            .pipeline_id(id)
            .organization_id(organization.organization_id)
            .send()
            .await?;
        if ensured.presence == Presence::AlreadyThere {
            writeln!(out, "\n{name} is already in pipeline {id}.")?;
            continue;
        }
        let item = ensured.item;
        let pending = counted(item.values.pending().count() as u64, "pending question");
        writeln!(out, "\nAdded {name} to pipeline {id}, with {pending}.")?;

        let started = Instant::now();
        let wait = client.wait_until_ready().item(&item);
        let item = wait.timeout(Duration::from_secs(60)).values().await?;
        let seconds = started.elapsed().as_secs_f64();
        writeln!(out, "Ready after {seconds:.1} s:")?;
        return show(&item);
    }
    Ok(writeln!(out, "\nAll of these are already in pipeline {id}.")?)
}

fn show(item: &PipelineItem) -> Outcome {
    for column in item.values.columns() {
        let (id, value) = (fit(&column.id().to_string(), wide(38)), column.to_string());
        let certainty = column.certainty_score;
        let certainty = certainty.map(|score| format!(" ({score} % certain)"));
        let value = match (value.is_empty(), &column.status) {
            (false, _) => value,
            (true, Some(status)) => status.to_string(),
            (true, None) => "-".to_owned(),
        };
        let certainty = certainty.unwrap_or_default();
        writeln!(io::stdout(), "  {id}  {}{certainty}", visible(&value))?;
    }
    Ok(())
}
