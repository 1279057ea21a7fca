//! Output of the example `quickstart`.

use std::sync::Arc;

use platform_sdk::Client;
use platform_server_stub::Server;
use platform_server_stub::data::Dataset;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::SystemClock;

use crate::quickstart::{self, Plan};

async fn run(client: &Client, pipeline: Option<i64>, add_to: Option<i64>) -> String {
    let mut out = Vec::new();
    let plan = Plan { pipeline, add_to };
    quickstart::run(client, &plan, &mut out).await.unwrap();
    String::from_utf8(out).unwrap()
}

/// Returns a client of a deployment with other data than the built-in data.
fn deployment(data: &str) -> Client {
    let data = Dataset::from_json(data).unwrap();
    let server = Server::new(Platform::in_memory(Arc::new(data), Arc::new(SystemClock)));
    let client = Client::builder().service(server.router());
    client.api_key("dev-full-access").build().unwrap()
}

/// Returns the lines under the heading that begins with `heading`.
fn section<'a>(shown: &'a str, heading: &str) -> Vec<&'a str> {
    let mut lines = shown.lines().skip_while(|line| !line.starts_with(heading));
    assert!(lines.next().is_some(), "no {heading:?} in\n{shown}");
    lines.take_while(|line| !line.is_empty()).collect()
}

#[tokio::test]
async fn quickstart_finds_lists_adds_and_waits() {
    let client = quickstart::reference_server().await.unwrap();
    let shown = run(&client, None, Some(6)).await;

    let organizations = section(&shown, "Organizations like");
    assert_eq!(organizations.len(), 1 + 5, "{shown}");
    let nearest = organizations[1..3].concat();
    assert!(nearest.contains("Fjordfrost, Bergen"), "{shown}");

    let products = section(&shown, "Products for");
    assert_eq!(products.len(), 1 + 5, "{shown}");

    // `  item 101270   134  Northmark SMR Components`
    let items = section(&shown, "Pipeline 1, sorted");
    let years = |line: &&str| -> u32 { line.split_whitespace().nth(2).unwrap().parse().unwrap() };
    let years: Vec<u32> = items[1..].iter().map(years).collect();
    assert_eq!(years.len(), 5, "{shown}");
    assert!(years.is_sorted_by(|a, b| a >= b), "{shown}");

    let added = section(&shown, "Adding ");
    assert!(added[0].ends_with(", 4 questions pending"), "{shown}");
    assert!(added[1].starts_with("  ready after "), "{shown}");
    let values = added[2..].join("\n");
    assert_eq!(values.matches("question.60").count(), 4, "{shown}");
    assert!(!values.contains("pending"), "{shown}");

    // The organization is in the pipeline now, so the next one is added.
    let again = run(&client, None, Some(6)).await;
    let there = again.matches("it is there already").count();
    assert_eq!(there, 1, "{again}");
    assert!(again.contains("  ready after "), "{again}");
}

#[tokio::test]
async fn quickstart_finds_what_another_deployment_has() {
    let client = deployment(
        r#"{
            "organizations": [{"organization_id": 70, "name": "Weaver", "description": "Weaves linen."}],
            "pipelines": [{
                "pipeline_id": 9, "name": "Mills",
                "questions": [{
                    "question_id": 44, "text": "Looms?", "answer_type": "text", "category": "llm",
                    "answer": {"field": "organization.name"}
                }],
                "items": [{"pipeline_item_id": 900, "organization_id": 70}]
            }, {"pipeline_id": 15, "name": "Inbox"}]
        }"#,
    );
    let shown = run(&client, None, None).await;
    let organizations = section(&shown, "Organizations like");
    assert!(
        organizations[0].starts_with("  none with an office in a Nordic country"),
        "{shown}"
    );
    assert!(organizations[2].contains("Weaver"), "{shown}");
    let products = section(&shown, "Products for");
    assert!(products[1].contains("has no products"), "{shown}");
    let items = section(&shown, "Pipeline 9, sorted by question.44");
    assert!(items[1].starts_with("  item 900  Weaver"), "{shown}");
    assert!(
        shown.contains("Nothing is added, because that cannot be undone"),
        "{shown}"
    );

    let shown = run(&client, Some(9), Some(15)).await;
    let added = section(&shown, "Adding Weaver to pipeline 15");
    assert!(added[1].starts_with("  ready after "), "{shown}");
    let shown = run(&client, Some(15), Some(15)).await;
    assert!(
        shown.contains("Pipeline 15: 1 items, and no question"),
        "{shown}"
    );
    assert!(
        shown.contains("All that was found is in pipeline 15 already."),
        "{shown}"
    );
}

#[tokio::test]
async fn quickstart_says_what_an_empty_deployment_lacks() {
    let shown = run(&deployment("{}"), None, Some(6)).await;
    for lacking in [
        "this deployment has no organizations",
        "this deployment has no products",
        "No pipeline with an id from 1 to 20 has items that this key may read; set PLATFORM_PIPELINE",
        "Nothing is added: the search found no organization.",
    ] {
        assert!(shown.contains(lacking), "{shown}");
    }
}
