//! Watches the questions of new items being answered, live.
//!
//! ```sh
//! cargo run -p platform-examples --example await_answers
//! ```
//!
//! It runs on the reference server, started in this process, unless `PLATFORM_BASE_URL` and `PLATFORM_API_KEY` name a
//! deployment. There it adds three organizations to the pipeline `PLATFORM_ADD_TO`; added items cannot be removed.
//! Without it, it watches items that already have pending questions.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use futures::future::try_join_all;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use platform_examples::{Outcome, Pipeline, Platform, arguments, counted, finish, fit, name_of, wide};
use platform_sdk::types::PipelineItem;
use platform_sdk::{Client, Column, ExecutionStatus, Presence};

/// Number of items to watch at once.
const WATCHED: usize = 3;
const GIVE_UP_AFTER: Duration = Duration::from_secs(120);

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await)
}

async fn run() -> Outcome {
    let [] = arguments("await_answers")?;
    let (platform, mut out) = (Platform::connect().await?, io::stdout());
    let (items, why_none) = match platform.pipeline_to_add_to().await? {
        Some(pipeline) => {
            let why_none = format!("Every organization found is already in pipeline {}.", pipeline.id);
            (add(&platform.client, &pipeline).await?, why_none)
        }
        None => {
            let why_none = "Nothing is pending. Set PLATFORM_ADD_TO to the id of a pipeline to add to;\n\
                added items cannot be removed.";
            (find_pending(&platform).await?, why_none.to_owned())
        }
    };
    if items.is_empty() {
        return Ok(writeln!(out, "{why_none}")?);
    }
    let (screen, started) = (MultiProgress::new(), Instant::now());
    let watches = items.into_iter().map(|(name, item)| {
        let bar = ProgressBar::new(item.values.questions().count() as u64);
        let bar = screen.add(bar).with_message(fit(&name, wide(28)));
        watch(&platform.client, item, name, started, &screen, bar)
    });
    let answers: usize = try_join_all(watches).await?.into_iter().sum();
    let seconds = started.elapsed().as_secs_f64();
    let answers = counted(answers as u64, "answer");
    Ok(writeln!(
        out,
        "\nAll items are ready after {seconds:.1} s, with {answers}."
    )?)
}

/// Adds organizations that are not in the pipeline yet.
async fn add(client: &Client, pipeline: &Pipeline) -> Outcome<Vec<(String, PipelineItem)>> {
    let search = client
        .search_organizations_by_description()
        .description("builds machines");
    let mut found = search.limit(100).walk().items()?;
    let mut added = Vec::new();
    while added.len() < WATCHED
        && let Some(organization) = found.next().await
    {
        let organization = organization?;
        let add = client.ensure_organization().pipeline_id(pipeline.id);
        let ensured = add.organization_id(organization.organization_id).send().await?;
        if ensured.presence != Presence::AlreadyThere {
            added.push((organization.name, ensured.item));
        }
    }
    if !added.is_empty() {
        let organizations = counted(added.len() as u64, "organization");
        writeln!(io::stdout(), "Added {organizations} to pipeline {}.\n", pipeline.id)?;
    }
    Ok(added)
}

/// Returns items that have pending questions.
async fn find_pending(platform: &Platform) -> Outcome<Vec<(String, PipelineItem)>> {
    let pipelines = platform.pipelines().await?;
    let items = pipelines.into_iter().flat_map(|pipeline| pipeline.sample);
    let pending = items.filter(|item| item.values.pending().next().is_some());
    Ok(pending.take(WATCHED).map(|item| (name_of(&item), item)).collect())
}

/// Polls an item until it is ready, and prints each answer when it arrives. Returns the number of answers.
async fn watch(
    client: &Client,
    item: PipelineItem,
    name: String,
    started: Instant,
    screen: &MultiProgress,
    bar: ProgressBar,
) -> Outcome<usize> {
    let template = format!("  {{msg}} {{bar:{}}} {{pos}} of {{len}}, {{elapsed}}", wide(20));
    bar.set_style(ProgressStyle::with_template(&template)?);
    let read = client.get_item_values().pipeline_id(item.pipeline_id);
    let read = read.pipeline_item_id(item.pipeline_item_id);
    let wait = client.wait_until_ready().item(&item).timeout(GIVE_UP_AFTER);
    let wait = wait.poll_every(Duration::from_millis(250), Duration::from_secs(5));
    let (mut progress, mut ended, mut answers) = (wait.progress()?, BTreeSet::new(), 0);
    while let Some(status) = progress.next().await {
        status?;
        let now = read.clone().send().await?;
        for column in now.values.questions() {
            let is_pending = column.status == Some(ExecutionStatus::Pending);
            if !is_pending && ended.insert(column.id().to_string()) {
                let line = describe(started, &name, &column);
                screen.suspend(|| writeln!(io::stdout(), "{line}"))?;
            }
        }
        bar.set_position(ended.len() as u64);
        answers = now.values.answered().count();
    }
    bar.finish_and_clear();
    Ok(answers)
}

fn describe(started: Instant, name: &str, column: &Column<'_>) -> String {
    let seconds = started.elapsed().as_secs_f64();
    let (name, question) = (fit(name, wide(24)), fit(&column.id().to_string(), 13));
    let answer = match (&column.status, column.certainty_score) {
        (Some(ExecutionStatus::Completed), Some(score)) => format!("{column} ({score} %)"),
        (Some(ExecutionStatus::Completed) | None, _) => column.to_string(),
        (Some(status), _) => status.to_string(),
    };
    format!(
        "  {seconds:>5.1} s  {name}  {question}  {}",
        fit(&answer, wide(28)).trim_end()
    )
}
