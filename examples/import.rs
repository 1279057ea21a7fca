//! Adds many organizations to a pipeline concurrently, waits until they are ready, and shows their answers.
//!
//! ```sh
//! cargo run --release -p platform-examples --example import
//! ```
//!
//! It runs on the reference server, started in this process, unless `PLATFORM_BASE_URL` and
//! `PLATFORM_API_KEY` name a deployment. It adds organizations there, and added items cannot be removed.
//! Another deployment has other pipelines, so change the constant below first.
//!
//! You can stop it and run it again: nothing is added twice.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use futures::StreamExt;
use futures::stream;
use platform_sdk::{Client, Ensured, OrganizationId, Presence};
use platform_server_stub::Server;
use tokio::net::TcpListener;

/// The pipeline that organizations are added to.
const INBOX: i64 = 6;
/// Number of concurrent imports.
const AT_ONCE: usize = 8;

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
    let client = match std::env::var_os("PLATFORM_BASE_URL") {
        Some(_) => Client::from_env()?,
        None => reference_server().await?,
    };
    run(&client, &mut io::stdout()).await
}

async fn reference_server() -> Result<Client, Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let base_url = format!("http://{}", listener.local_addr()?);
    tokio::spawn(Server::built_in().serve(listener, std::future::pending()));
    let client = Client::builder()
        .base_url(base_url)
        .api_key("dev-full-access");
    Ok(client.build()?)
}

/// Adds the twenty organizations most similar to a given one.
pub(crate) async fn run(client: &Client, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let alike = client
        .search_organizations_by_organization()
        .organization_id(1001)
        .limit(20)
        .walk()
        .collect()
        .await?;
    // One deadline for all of them, whatever the number of requests.
    let client = client.with_deadline(Duration::from_secs(10 * 60));
    let imports = alike
        .iter()
        .map(|organization| import(&client, organization.organization_id));
    let mut imports = stream::iter(imports).buffer_unordered(AT_ONCE);

    while let Some((organization, import)) = imports.next().await {
        match import {
            Ok(Ensured { item, presence, .. }) => {
                let what = match presence {
                    Presence::AlreadyThere => "was",
                    _ => "is",
                };
                let id = item.pipeline_item_id;
                write!(
                    out,
                    "{organization} {what} in pipeline {INBOX} as item {id}:"
                )?;
                for answer in item.values.answered() {
                    write!(out, " {}: {answer};", answer.id())?;
                }
                writeln!(out)?;
            }
            // The other imports continue. The error has the outcome of this one.
            Err(error) => writeln!(out, "{organization}: {error} ({:?})", error.outcome())?,
        }
    }
    Ok(())
}

async fn import(
    client: &Client,
    organization: OrganizationId,
) -> (OrganizationId, Result<Ensured, platform_sdk::Error>) {
    let import = client
        .add_organization_and_wait()
        .pipeline_id(INBOX)
        .organization_id(organization);
    (organization, import.send().await)
}
