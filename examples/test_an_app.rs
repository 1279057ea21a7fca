//! An app and its tests: offline, on an emulator of the platform with data of its own, and on canned responses.
//!
//! ```sh
//! cargo test -p platform-examples --example test_an_app
//! cargo run -p platform-examples --example test_an_app
//! ```
//!
//! The first command runs the tests at the end of this file. The second runs the app: on the reference server, started
//! in this process, unless `PLATFORM_BASE_URL` and `PLATFORM_API_KEY` name a deployment. It only reads.

use std::io::{self, Write};
use std::process::ExitCode;

use platform_examples::{Outcome, Platform, arguments, count, finish};
use platform_sdk::{Client, PipelineId};

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await)
}

async fn run() -> Outcome {
    let [] = arguments("test_an_app")?;
    let platform = Platform::connect().await?;
    for pipeline in platform.pipelines().await? {
        let unfinished = count_unfinished(&platform.client, pipeline.id).await?;
        let (id, items) = (pipeline.id, count(pipeline.total_count));
        let unfinished = count(unfinished as u64);
        writeln!(
            io::stdout(),
            "Pipeline {id}: {unfinished} of {items} items wait for answers."
        )?;
    }
    Ok(())
}

/// Counts the items of a pipeline that have pending questions.
async fn count_unfinished(client: &Client, pipeline: PipelineId) -> Result<usize, platform_sdk::Error> {
    let mut items = client.list_items().pipeline_id(pipeline).walk().items()?;
    let mut unfinished = 0;
    while let Some(item) = items.next().await {
        unfinished += usize::from(item?.values.pending().next().is_some());
    }
    Ok(unfinished)
}

/// Adds an organization, and describes the outcome in words.
#[cfg_attr(not(test), expect(dead_code, reason = "the app of this example only reads"))]
async fn add(client: &Client, pipeline: PipelineId, organization: i64) -> String {
    let request = client.ensure_organization().pipeline_id(pipeline);
    match request.organization_id(organization).send().await {
        Ok(ensured) => format!("item {}", ensured.item.pipeline_item_id),
        Err(error) if error.is_not_found() => "no such organization".to_owned(),
        Err(error) => format!("try again later: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use platform_sdk::mock::{self, Answer, examples};
    use platform_sdk::{Client, ProblemCode};
    use platform_server_stub::Emulator;
    use platform_server_stub::control::{Fault, Operation};
    use platform_server_stub::data::Dataset;
    use platform_server_stub::wire::ProblemCode as Code;

    use super::{add, count_unfinished};

    /// The data of the test, so that nothing it relies on is elsewhere.
    const DATA: &str = r#"{
        "organizations": [{"organization_id": 70, "name": "Weaver", "description": "Weaves linen."}],
        "pipelines": [{
            "pipeline_id": 9, "name": "Mills",
            "questions": [{"question_id": 44, "text": "How many looms?", "takes_seconds": 3600}]
        }]
    }"#;

    /// An emulator follows the contract, on a port of its own. The test controls its clock and its faults.
    #[tokio::test]
    async fn added_organization_waits_for_answers() {
        let data = Dataset::from_json(DATA).unwrap();
        let noon = "2026-11-20T12:00:00Z".parse().unwrap();
        let emulator = Emulator::builder().data(data).frozen_at(noon);
        let emulator = emulator.start().await.unwrap();
        let client = Client::builder()
            .base_url(emulator.base_url())
            .api_key(emulator.api_key());
        let client = client.build().unwrap();

        assert_eq!(count_unfinished(&client, 9.into()).await.unwrap(), 0);
        // The first attempt gets 429, so the client sends another.
        let busy = Fault::problem(Code::RateLimited).on(Operation::AddOrganization);
        emulator.add_fault(busy.times(1)).await.unwrap();
        assert!(add(&client, 9.into(), 70).await.starts_with("item "));
        assert_eq!(emulator.requests_for(Operation::AddOrganization).len(), 2);
        assert_eq!(count_unfinished(&client, 9.into()).await.unwrap(), 1);
        assert_eq!(add(&client, 9.into(), 71).await, "no such organization");

        // The question takes an hour, which the test does not wait for.
        emulator.clock().run_to_idle().await;
        assert_eq!(count_unfinished(&client, 9.into()).await.unwrap(), 0);
    }

    /// Canned responses show how the app handles what a server rarely does. Retries do not wait.
    #[tokio::test]
    async fn unavailable_service_is_reported_after_retries() {
        let server = mock::Server::start().await;
        let client = server.client();
        let adding = server
            .when(client.add_organization().pipeline_id(9))
            .answers([Answer::problem(ProblemCode::Unavailable)]);
        let listing = server
            .when(client.list_items().pipeline_id(9))
            .answer(examples::item_page::past_the_end());

        let outcome = add(&client, 9.into(), 70).await;
        assert!(outcome.starts_with("try again later: "), "{outcome}");
        // The addition may have happened, so the client looks for it before it retries.
        assert!(adding.calls() > 1 && listing.calls() > 0);
    }
}
