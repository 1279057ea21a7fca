//! Tests an app offline: with an emulator of the platform, without a socket, and with canned responses.
//!
//! ```sh
//! cargo run --release -p platform-examples --example test_an_app
//! ```
//!
//! In your own crate, make each function whose name begins with `test_` a `#[tokio::test]`.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use platform_sdk::mock::{self, Answer, examples};
use platform_sdk::{Client, OrganizationId, ProblemCode};
use platform_server_stub::control::{Fault, Operation};
use platform_server_stub::wire::ProblemCode as Code;
use platform_server_stub::{Emulator, Server};

/// App code: counts the items of a pipeline that have pending questions.
async fn unfinished(client: &Client, pipeline: i64) -> Result<usize, platform_sdk::Error> {
    let items = client
        .list_items()
        .pipeline_id(pipeline)
        .walk()
        .collect()
        .await?;
    let unfinished = items
        .iter()
        .filter(|item| item.values.pending().next().is_some());
    Ok(unfinished.count())
}

/// App code: adds an organization, and describes the outcome in words.
async fn add(client: &Client, organization: OrganizationId) -> String {
    let request = client.ensure_organization().pipeline_id(6);
    match request.organization_id(organization).send().await {
        Ok(ensured) => format!("item {}", ensured.item.pipeline_item_id),
        Err(error) if error.is_not_found() => "no such organization".to_owned(),
        Err(error) => format!("try again later: {error}"),
    }
}

/// Tests the app against the reference server, which follows the contract.
pub(crate) async fn test_new_item_is_unfinished() -> Result<(), Box<dyn Error>> {
    let client = Client::builder()
        .service(Server::built_in().router())
        .api_key("dev-full-access")
        .build()?;
    assert_eq!(unfinished(&client, 6).await?, 0);
    assert!(add(&client, 1001.into()).await.starts_with("item "));
    assert_eq!(unfinished(&client, 6).await?, 1);
    assert_eq!(add(&client, 999_999.into()).await, "no such organization");
    Ok(())
}

/// Tests the app against an emulator: on its own port, with a clock and faults that the test controls.
pub(crate) async fn test_item_is_finished_in_the_end() -> Result<(), Box<dyn Error>> {
    let noon = "2026-11-20T12:00:00Z".parse()?;
    let emulator = Emulator::builder().frozen_at(noon).start().await?;
    let client = Client::builder()
        .base_url(emulator.base_url())
        .api_key(emulator.api_key())
        .build()?;
    // The first attempt is answered 429; the client tries again.
    let busy = Fault::problem(Code::RateLimited).on(Operation::AddOrganization);
    emulator.add_fault(busy.times(1)).await?;
    assert!(add(&client, 1001.into()).await.starts_with("item "));
    assert_eq!(emulator.requests_for(Operation::AddOrganization).len(), 2);

    assert_eq!(unfinished(&client, 6).await?, 1);
    // All questions are answered, without waiting.
    emulator.clock().run_to_idle().await;
    assert_eq!(unfinished(&client, 6).await?, 0);
    emulator.stop().await;
    Ok(())
}

/// Tests how the app handles errors that are hard to provoke on a real server. Retries do not wait.
pub(crate) async fn test_bad_day_is_told() -> Result<(), Box<dyn Error>> {
    let server = mock::Server::start().await;
    let adding = server
        .when(server.client().add_organization().pipeline_id(6))
        .answers([Answer::problem(ProblemCode::Unavailable)]);
    let listing = server
        .when(server.client().list_items().pipeline_id(6))
        .answer(examples::item_page::past_the_end());

    let told = add(&server.client(), 1001.into()).await;
    assert!(told.starts_with("try again later: "), "{told}");
    // The addition may have happened, so the client looks for it before it retries.
    assert!(adding.calls() > 1 && listing.calls() > 0);
    Ok(())
}

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
    test_new_item_is_unfinished().await?;
    test_item_is_finished_in_the_end().await?;
    test_bad_day_is_told().await?;
    writeln!(io::stdout(), "all tests passed")?;
    Ok(())
}
