//! Charts the CRM sync of a pipeline, column by column, and lists what failed and why.
//!
//! ```sh
//! cargo run -p platform-examples --example crm_health
//! ```
//!
//! It runs on the reference server, started in this process, unless `PLATFORM_BASE_URL` and `PLATFORM_API_KEY` name a
//! deployment. `PLATFORM_PIPELINE` is the id of the pipeline; the default is the first with CRM sync. It only reads.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::process::ExitCode;

use platform_examples::{Outcome, Pipeline, Platform, arguments, counted, finish, fit, name_of, visible, wide, wrap};
use platform_sdk::SyncStatus;
use platform_sdk::types::PipelineItem;

/// Sync of one column: number of values in each state.
#[derive(Default)]
struct Health {
    synced: usize,
    pending: usize,
    failed: usize,
}

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await)
}

async fn run() -> Outcome {
    let [] = arguments("crm_health")?;
    let (platform, mut out) = (Platform::connect().await?, io::stdout());
    let pipelines = platform.pipelines().await?;
    let Some(pipeline) = pipelines.iter().find(|pipeline| has_sync(pipeline)) else {
        let ids: Vec<_> = pipelines.iter().map(|it| it.id.to_string()).collect();
        let none = format!(
            "No pipeline with CRM sync (tried {}). Set PLATFORM_PIPELINE to the id of one.",
            ids.join(", ")
        );
        return Ok(writeln!(out, "{}", wrap("", &none))?);
    };
    let list = platform.client.list_items().pipeline_id(pipeline.id);
    let items = list.walk().collect().await?;

    let mut columns: BTreeMap<String, Health> = BTreeMap::new();
    let mut failures: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let (mut providers, mut synced_at) = (BTreeSet::new(), Vec::new());
    for (item, column) in items
        .iter()
        .flat_map(|item| item.values.columns().map(move |it| (item, it)))
    {
        let Some(status) = &column.sync_status else {
            continue;
        };
        let health = columns.entry(column.id().to_string()).or_default();
        match status {
            SyncStatus::Success => health.synced += 1,
            SyncStatus::Error => health.failed += 1,
            _ => health.pending += 1,
        }
        let value = column.value();
        providers.extend(value.sync_provider.as_deref());
        synced_at.extend(value.last_synced_at);
        if let (SyncStatus::Error, Some(reason)) = (status, &value.sync_error) {
            let place = format!("{} ({})", name_of(item), column.id());
            failures.entry(reason).or_default().insert(place);
        }
    }

    let (id, provider) = (pipeline.id, providers.into_iter().collect::<Vec<_>>().join(", "));
    let (items, provider) = (counted(items.len() as u64, "item"), visible(&provider));
    writeln!(out, "Pipeline {id}: {items}, synced to {provider}\n")?;
    show(&columns)?;
    if let (Some(first), Some(last)) = (synced_at.iter().min(), synced_at.iter().max()) {
        let (first, last) = (first.format("%Y-%m-%d"), last.format("%Y-%m-%d"));
        writeln!(out, "  Values were last synced between {first} and {last}.")?;
    }
    explain(&failures)
}

fn has_sync(pipeline: &Pipeline) -> bool {
    let has_sync = |item: &PipelineItem| item.values.columns().any(|it| it.sync_status.is_some());
    pipeline.sample.iter().any(has_sync)
}

/// Prints a bar for each column: what is synced, what is pending, and what failed.
fn show(columns: &BTreeMap<String, Health>) -> Outcome {
    let (mut out, mut synced, mut total) = (io::stdout(), 0, 0);
    let all = |it: &Health| it.synced + it.pending + it.failed;
    let most = columns.values().map(all).max().unwrap_or(1);
    for (column, health) in columns {
        let part = |sign: &str, values: usize| sign.repeat((values * wide(28)).div_ceil(most));
        let bar = [
            part("█", health.synced),
            part("▒", health.pending),
            part("✗", health.failed),
        ];
        let (values, column) = (all(health), fit(column, wide(28)));
        writeln!(out, "  {column}  {:>5} of {values:<5}  {}", health.synced, bar.concat())?;
        (synced, total) = (synced + health.synced, total + values);
    }
    let percent = 100 * synced / total.max(1);
    writeln!(
        out,
        "\n  █ synced  ▒ pending  ✗ failed: {percent} % of {} synced",
        counted(total as u64, "value")
    )?;
    Ok(())
}

/// Prints each reason for a failure, with the items and columns that it concerns.
fn explain(failures: &BTreeMap<&str, BTreeSet<String>>) -> Outcome {
    let mut out = io::stdout();
    if failures.is_empty() {
        writeln!(out, "\nNothing failed.")?;
    }
    for (reason, items) in failures {
        let items: Vec<_> = items.iter().map(String::as_str).collect();
        writeln!(out, "\n{}\n{}", wrap("  ✗ ", reason), wrap("    ", &items.join(", ")))?;
    }
    Ok(())
}
