//! Adds the organizations of a CSV file to a pipeline, each once, within the quota, and reports on every row.
//!
//! ```sh
//! cargo run --release -p platform-examples --example bulk_add -- organizations.csv
//! ```
//!
//! The file needs a column `organization_id`. The report is written next to it, as `organizations.csv.report.csv`.
//! You can stop it and run it again: nothing is added twice.
//!
//! It runs on the reference server, started in this process with a quota of 20 requests a second, unless
//! `PLATFORM_BASE_URL` and `PLATFORM_API_KEY` name a deployment; `PLATFORM_ADD_TO` is then the id of the pipeline.
//! Added items cannot be removed. On the reference server, it makes a file from a search if none is named.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::{StreamExt, stream};
use platform_examples::{Outcome, Platform, chart, finish, progress, write_organizations};
use platform_sdk::{Client, OrganizationId};
use platform_server_stub::Server;
use platform_server_stub::model::policy::RateLimit;

const QUOTA: RateLimit = RateLimit {
    requests: 20,
    window_seconds: 1,
};

/// A row of the file, and what became of it.
struct Row {
    line: String,
    text: String,
    organization: Option<OrganizationId>,
    outcome: String,
    detail: String,
}

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await)
}

async fn run() -> Outcome {
    let held_back = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&held_back);
    let server = || Server::built_in().with_rate_limit(QUOTA);
    let platform = Platform::connect_with(server, |builder| {
        builder.on_response(move |report| {
            let is_held_back = report.status().is_some_and(|status| status == 429);
            counter.fetch_add(is_held_back.into(), Ordering::Relaxed);
        })
    })
    .await?;
    let pipeline = platform.pipeline_to_add_to().await?;
    let why = "set PLATFORM_ADD_TO to the id of the pipeline; added items cannot be removed";
    let id = pipeline.ok_or(why)?.id;
    let path = match std::env::args().nth(1) {
        Some(path) => path,
        None if platform.is_local() => make_file(&platform.client).await?,
        None => return Err("name the file to read: bulk_add -- organizations.csv".into()),
    };

    let mut rows = read(&path).map_err(|error| format!("{path}: {error}"))?;
    let ids: Vec<_> = rows.iter().filter_map(|row| row.organization).collect();
    let (mut out, bar) = (io::stdout(), progress("organizations", ids.len() as u64));
    writeln!(out, "Adding {} organizations to pipeline {id}:\n", ids.len())?;
    // The pipeline is read once. Only what it lacks is added, at the pace that the quota allows.
    let add = platform.client.ensure_organizations().pipeline_id(id);
    let added = add.send(stream::iter(ids)).await?;
    let mut added: HashMap<_, _> = added.inspect(|_| bar.inc(1)).collect().await;
    bar.finish_and_clear();
    for row in &mut rows {
        match row.organization.and_then(|id| added.remove(&id)) {
            Some(Ok(presence)) => row.outcome = presence.to_string(),
            Some(Err(error)) => (row.outcome, row.detail) = ("failed".into(), error.to_string()),
            None => {}
        }
    }
    report(&path, &rows, held_back.load(Ordering::Relaxed))
}

/// Reads the file. A row that is not to be added has its outcome already.
fn read(path: &str) -> Outcome<Vec<Row>> {
    let mut file = csv::ReaderBuilder::new().flexible(true).from_path(path)?;
    let mut names = file.headers()?.iter();
    let column = names.position(|name| name.trim() == "organization_id");
    let column = column.ok_or("the first line names no column `organization_id`")?;
    let (mut rows, mut first_lines) = (Vec::new(), BTreeMap::new());
    for record in file.records() {
        let record = record?;
        let line = record.position().map_or(0, csv::Position::line).to_string();
        let text = record.get(column).unwrap_or_default().trim().to_owned();
        let organization: Option<OrganizationId> = text.parse().ok();
        let repeats = organization.and_then(|id| first_lines.insert(id, line.clone()));
        let (outcome, detail) = match (organization, &repeats) {
            (None, _) => ("invalid", "not the id of an organization".to_owned()),
            (_, Some(earlier)) => ("repeated", format!("as in line {earlier}")),
            (Some(_), None) => ("not reached", String::new()),
        };
        rows.push(Row {
            line,
            text,
            organization: organization.filter(|_| repeats.is_none()),
            outcome: outcome.to_owned(),
            detail,
        });
    }
    Ok(rows)
}

/// Writes the report and prints a summary. Fails if a row could not be added.
fn report(path: &str, rows: &[Row], held_back: usize) -> Outcome {
    let (mut out, report) = (io::stdout(), format!("{path}.report.csv"));
    let (mut file, mut outcomes) = (csv::Writer::from_path(&report)?, BTreeMap::new());
    file.write_record(["line", "organization_id", "outcome", "detail"])?;
    for row in rows {
        file.write_record([&row.line, &row.text, &row.outcome, &row.detail])?;
        *outcomes.entry(row.outcome.as_str()).or_insert(0) += 1;
    }
    file.flush()?;
    let outcomes: Vec<_> = outcomes.into_iter().collect();
    writeln!(out, "{}\n\nEvery row is in {report}.", chart(&outcomes))?;
    writeln!(
        out,
        "Requests that the quota held back, and the client sent again: {held_back}."
    )?;
    let added = |row: &&Row| !["failed", "invalid", "not reached"].contains(&&*row.outcome);
    match rows.len() - rows.iter().filter(added).count() {
        0 => Ok(()),
        rows => Err(format!("{rows} rows could not be added; the report has the reasons").into()),
    }
}

/// Writes a file with the organizations that a search finds, one of them twice.
async fn make_file(client: &Client) -> Outcome<String> {
    let search = client.search_organizations_by_description();
    let found = search.description("makes food").limit(60).send().await?;
    let path = std::env::temp_dir().join("organizations.csv");
    write_organizations(&path, found.results.iter().chain(found.results.first()))?;
    Ok(path.display().to_string())
}
