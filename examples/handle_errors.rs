//! Provokes every error and shows what an app should do about it.
//!
//! ```sh
//! cargo run -p platform-examples --example handle_errors
//! ```
//!
//! Errors that a read can cause come from the reference server, started in this process, or from the deployment that
//! `PLATFORM_BASE_URL` and `PLATFORM_API_KEY` name. A mock server returns the others. Nothing is changed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use platform_examples::{Outcome, Platform, arguments, finish, mocked_errors, wrap};
use platform_sdk::{Client, Error, ErrorClass, RetryPolicy};

/// Returns what to do about an error. An app decides by the class; the message is for people.
fn advice(error: &Error) -> &'static str {
    match error.class() {
        ErrorClass::Configuration => "Correct the setting that the message names.",
        ErrorClass::InvalidRequest => "Correct the request. Trying again does not help.",
        ErrorClass::Network if error.is_unknown_host() => "Check PLATFORM_BASE_URL.",
        ErrorClass::Network => "Try again later. The client has already retried if that was safe.",
        ErrorClass::Tls => "Check that the port speaks HTTPS, or add the root certificate.",
        ErrorClass::Timeout => "Try again later, or allow more time.",
        ErrorClass::RateLimited => "Wait for `retry_after`, then try again.",
        ErrorClass::Unauthenticated => "Check PLATFORM_API_KEY.",
        ErrorClass::KeyUnavailable => "Repair what provides the key; its error is the source.",
        ErrorClass::Denied => "Use a key with the permission that the message names.",
        ErrorClass::NotFound if !error.is_not_found() => "Check PLATFORM_BASE_URL.",
        ErrorClass::NotFound => "Use an id that a search or a list returned.",
        ErrorClass::Conflict => "Nothing to do: the organization is already in the pipeline.",
        ErrorClass::Server => "Try again later. Quote the request id when you ask for help.",
        ErrorClass::Redirect => "Set PLATFORM_BASE_URL to where the redirect leads.",
        ErrorClass::Undecodable => "Check what answers at this address, such as a login page.",
        ErrorClass::TooLarge => "Request fewer items at once, or raise `max_response_bytes`.",
        ErrorClass::CollectionChanged => "Resume from the cursor, or walk again.",
        ErrorClass::NotReady => "Wait longer. `not_ready` lists what is missing.",
        _ => "Log it and ask for help with the request id.",
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await)
}

async fn run() -> Outcome {
    let [] = arguments("handle_errors")?;
    let platform = Platform::connect().await?;
    let mut errors = provoke(&platform).await?;
    errors.extend(mocked_errors(&errors).await?);
    let classes: BTreeSet<_> = errors.iter().map(Error::class).collect();
    let mut advised: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
    for error in &errors {
        // Without the id of the request, equal errors are shown once.
        let text = error.to_string();
        let mut text = text.split(" (request ").next().unwrap_or_default().to_owned();
        if let Some(location) = error.redirect_location() {
            text += &format!(" (redirects to {location})");
        }
        let same = advised.entry((error.class(), advice(error))).or_default();
        same.insert(text);
    }
    let mut out = io::stdout();
    let count: usize = advised.values().map(BTreeSet::len).sum();
    for ((class, advice), errors) in advised {
        writeln!(out, "ErrorClass::{class:?}")?;
        for text in errors {
            writeln!(out, "{}", wrap("  ", &text))?;
        }
        writeln!(out, "{}\n", wrap("  → ", advice))?;
    }
    let classes = classes.len();
    writeln!(out, "{count} errors of {classes} classes and what to do.")?;
    Ok(())
}

/// Makes mistakes that only read.
async fn provoke(platform: &Platform) -> Outcome<Vec<Error>> {
    let (client, pipelines) = (&platform.client, platform.pipelines().await?);
    let unknown = (1_i64 << 53) - 1;
    let sorted = client.list_items().pipeline_id(pipelines[0].id);
    let column = format!("question.{unknown}");
    let list = async |client: &Client| client.list_items().pipeline_id(unknown).send().await.err();
    let by_text = client.search_organizations_by_description();
    let vault = || async { Err(io::Error::other("the vault is sealed")) };
    let locked = Client::builder().base_url(client.base_url());
    let locked = locked.api_key_provider(vault).build()?;
    let errors = [
        list(client).await,
        list(&client.with_api_key("a-wrong-key")?).await,
        list(&client.with_deadline(Duration::ZERO)).await,
        list(&locked).await,
        list(&to("http://127.0.0.1:1")?).await,
        list(&to("https://unknown.invalid")?).await,
        by_text.description(" ").send().await.err(),
        sorted.clone().sort_by("name").send().await.err(),
        sorted.sort_by(&column).send().await.err(),
        Client::builder().api_key("any").build().err(),
    ];
    Ok(errors.into_iter().flatten().collect())
}

fn to(base_url: &str) -> Result<Client, Error> {
    let client = Client::builder().base_url(base_url).api_key("any");
    client.retry_policy(RetryPolicy::never()).build()
}
