//! An example that fails ends with a readable message, not with the debug output of an error.

use std::error::Error;
use std::process::ExitCode;

use platform_sdk::{Client, RetryPolicy};
use platform_server_stub::Server;

use crate::quickstart::Plan;
use crate::{export, import, quickstart, test_an_app};

type Outcome = Result<(), Box<dyn Error>>;
type End = fn(Outcome, &mut Vec<u8>) -> ExitCode;

/// Returns the final message of each example when it uses this client.
async fn endings(client: &Client) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("items.jsonl");
    let plan = Plan {
        pipeline: None,
        add_to: None,
    };
    let listed = client.list_items().pipeline_id(1).send().await;
    let endings: [(End, Outcome); 4] = [
        (
            quickstart::end,
            quickstart::run(client, &plan, &mut Vec::new()).await,
        ),
        (
            export::end,
            export::export(client, &path, 1).await.map(drop),
        ),
        (import::end, import::run(client, &mut Vec::new()).await),
        (test_an_app::end, listed.map(drop).map_err(Into::into)),
    ];
    let told = endings.into_iter().map(|(end, outcome)| {
        let mut out = Vec::new();
        assert_eq!(end(outcome, &mut out), ExitCode::FAILURE);
        assert_eq!(end(Ok(()), &mut Vec::new()), ExitCode::SUCCESS);
        String::from_utf8(out).unwrap()
    });
    told.collect()
}

#[tokio::test]
async fn wrong_key_is_told_in_a_line() {
    let client = Client::builder()
        .service(Server::built_in().router())
        .api_key("not-a-key-of-this-server")
        .build()
        .unwrap();
    for ending in endings(&client).await {
        assert!(ending.starts_with("error: "), "{ending}");
        assert!(ending.contains("401 invalid_api_key: "), "{ending}");
        assert!(
            !ending.contains("not-a-key") && !ending.contains('{'),
            "{ending}"
        );
        assert_eq!(ending.lines().count(), 1, "{ending}");
    }
}

#[tokio::test]
async fn port_that_refuses_is_told_with_its_cause() {
    let client = Client::builder()
        .base_url("http://127.0.0.1:1")
        .api_key("dev-full-access")
        .retry_policy(RetryPolicy::never())
        .build()
        .unwrap();
    for ending in endings(&client).await {
        assert!(ending.starts_with("error: "), "{ending}");
        assert!(
            ending.contains(": no connection to 127.0.0.1:1\n  caused by: "),
            "{ending}"
        );
        assert!(ending.to_lowercase().contains("refused"), "{ending}");
    }
}
