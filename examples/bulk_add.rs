//! Adds the organizations of a CSV file to a pipeline, each once, within the quota, and reports on every row.
//!
//! ```sh
//! cargo run -p platform-examples --example bulk_add -- organizations.csv
//! ```
//!
//! The file needs a column `organization_id`. The report is written next to it, as `organizations.csv.report.csv`, row
//! by row. You can interrupt it with Ctrl-C and run it again: nothing is added twice.
//!
//! It runs on the reference server, started in this process with a quota of 20 requests a second, unless
//! `PLATFORM_BASE_URL` and `PLATFORM_API_KEY` name a deployment; `PLATFORM_ADD_TO` is then the id of the pipeline.
//! Added items cannot be removed. On the reference server, it makes a file from a search if none is named.

use std::collections::HashMap;
use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::{StreamExt, stream};
use platform_examples::{Outcome, Platform, Rows, arguments, chart, counted, finish, progress, write_organizations};
use platform_sdk::{Client, OrganizationId};
use platform_server_stub::Server;
use platform_server_stub::model::policy::RateLimit;

const QUOTA: RateLimit = RateLimit {
    requests: 20,
    window_seconds: 1,
};

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await)
}

async fn run() -> Outcome {
    let [path] = arguments("bulk_add organizations.csv")?;
    let held_back = Arc::new(AtomicU64::new(0));
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
    let path = match path {
        Some(path) => path,
        None if platform.is_local() => make_file(&platform.client).await?,
        None => return Err("name the file to read: bulk_add -- organizations.csv".into()),
    };

    let mut rows = Rows::read(Path::new(&path), "organization_id")?;
    let (ids, mut places) = (check(&mut rows)?, HashMap::new());
    let organizations = counted(ids.len() as u64, "organization");
    writeln!(io::stdout(), "Adding {organizations} to pipeline {id}:\n")?;
    let bar = progress("organizations", ids.len() as u64);
    places.extend(ids.iter().map(|(place, organization)| (*organization, *place)));
    // The pipeline is read once. Only what it lacks is added, at the pace that the quota allows.
    let add = platform.client.ensure_organizations().pipeline_id(id);
    let added = add.send(stream::iter(ids.into_iter().map(|(_, id)| id))).await?;
    let interrupted = pin!(tokio::signal::ctrl_c());
    let mut added = added.take_until(interrupted);
    let mut stop: Option<Box<dyn Error>> = None;
    while let Some((organization, presence)) = added.next().await {
        let place = places[&organization];
        match presence {
            Ok(presence) => rows.set(place, &presence.to_string(), "")?,
            // Every other row would fail too.
            Err(error) if error.is_denied() || error.is_unauthenticated() => {
                stop = Some(error.into());
                break;
            }
            Err(error) => rows.set(place, "failed", &error.to_string())?,
        }
        bar.inc(1);
    }
    if added.take_result().is_some() {
        stop = Some("interrupted; run the command again to continue".into());
    }
    bar.finish_and_clear();
    summarize(rows, held_back.load(Ordering::Relaxed), stop)
}

/// Returns the organizations to add, each with the place of its row. The outcome of all other rows is known.
fn check(rows: &mut Rows) -> Outcome<Vec<(usize, OrganizationId)>> {
    let (mut to_add, mut lines) = (Vec::new(), HashMap::new());
    for place in 0..rows.len() {
        let (line, text) = rows.get(place);
        let organization: Option<OrganizationId> = text.parse().ok();
        match organization.filter(|id| id.get() > 0) {
            None => rows.set(place, "invalid", "not the id of an organization")?,
            Some(id) => match lines.get(&id) {
                Some(first) => rows.set(place, "repeated", &format!("as in line {first}"))?,
                None => {
                    lines.insert(id, line);
                    to_add.push((place, id));
                }
            },
        }
    }
    Ok(to_add)
}

/// Prints a summary. Fails if the run stopped early or a row could not be added.
fn summarize(rows: Rows, held_back: u64, stop: Option<Box<dyn Error>>) -> Outcome {
    let (mut out, report) = (io::stdout(), rows.report().display().to_string());
    let outcomes = rows.finish("not reached", "stopped before the response; run the command again")?;
    writeln!(out, "{}\n\nEvery row is in {report}.", chart(&outcomes))?;
    let requests = counted(held_back, "request");
    match held_back {
        0 => writeln!(out, "No request exceeded the quota.")?,
        1 => writeln!(out, "{requests} exceeded the quota and was sent again.")?,
        _ => writeln!(out, "{requests} exceeded the quota and were sent again.")?,
    }
    let is_failed = |(outcome, _): &&(String, usize)| ["failed", "invalid", "not reached"].contains(&&**outcome);
    match (stop, outcomes.iter().filter(is_failed).map(|(_, rows)| rows).sum()) {
        (Some(error), _) => Err(error),
        (None, 0) => Ok(()),
        (None, failed) => {
            let failed = counted(failed as u64, "row");
            Err(format!("{failed} could not be added; the report has the reasons").into())
        }
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
