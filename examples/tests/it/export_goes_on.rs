//! An interrupted export loses nothing and writes nothing twice.

use std::fs;
use std::io::Write;

use platform_sdk::Client;
use platform_sdk::types::PipelineItem;
use platform_server_stub::Server;

use crate::export::export;

#[tokio::test]
async fn export_goes_on_where_it_was_stopped() {
    let client = Client::builder()
        .service(Server::built_in().router())
        .api_key("dev-read-only")
        .build()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("items.jsonl");

    assert_eq!(export(&client, &path, 2).await.unwrap(), 399);
    // Stopped in the middle of a page: part of it is in the file, and the bookmark has not moved.
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"{\"pipeline_id\":1,\"pipel").unwrap();
    assert_eq!(export(&client, &path, usize::MAX).await.unwrap(), 881);

    let ids: Vec<i64> = fs::read_to_string(&path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<PipelineItem>(line).unwrap())
        .map(|item| item.pipeline_item_id.get())
        .collect();
    assert_eq!(ids.len(), 1280);
    assert!(ids.is_sorted_by(|one, next| one < next));
    assert!(!folder.path().join("items.bookmark").exists());
}
