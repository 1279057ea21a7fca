//! An import that is run again adds nothing twice.

use std::collections::BTreeSet;

use platform_sdk::Client;
use platform_server_stub::Server;

use crate::import;

#[tokio::test]
async fn import_adds_each_organization_once() {
    let client = Client::builder()
        .service(Server::built_in().router())
        .api_key("dev-full-access")
        .build()
        .unwrap();
    let mut runs = Vec::new();
    for presence in [" is in pipeline 6 as item ", " was in pipeline 6 as item "] {
        let mut out = Vec::new();
        import::run(&client, &mut out).await.unwrap();
        let shown = String::from_utf8(out).unwrap();
        let items: BTreeSet<String> = shown
            .lines()
            .map(|line| {
                assert!(line.contains(presence), "{shown}");
                assert!(line.ends_with(';'), "no answer in {line}");
                line.replace(presence, " ")
            })
            .collect();
        assert_eq!(items.len(), 20, "{shown}");
        runs.push(items);
    }
    assert_eq!(runs[0], runs[1]);
    let listed = client.list_items().pipeline_id(6).send().await.unwrap();
    assert_eq!(listed.total_count, 21);
}
