//! Responses may be compressed. The size limit applies after decompression.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use platform_sdk::Client;
use serde_json::json;

use crate::canned::{Canned, KEY};

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

async fn compressed(status: u16, text: &[u8]) -> Canned {
    let headers = [("Content-Type", "application/json"), ("Content-Encoding", "gzip")];
    Canned::new(status, &headers, gzip(text)).await
}

#[tokio::test]
async fn compression_is_requested_and_decoded() {
    let page = json!({"pipeline_id": 1, "total_count": 7, "items": []}).to_string();
    let server = compressed(200, page.as_bytes()).await;
    let read = server.client().list_items().pipeline_id(1).send().await.unwrap();
    assert_eq!(read.total_count, 7);
    let offered = server.request().headers()["accept-encoding"]
        .to_str()
        .unwrap()
        .to_owned();
    assert!(offered.contains("gzip") && offered.contains("zstd"), "{offered}");
}

#[tokio::test]
async fn problem_is_read_from_a_compressed_response() {
    let problem = json!({"code": "pipeline_not_found", "detail": "There is no pipeline 9."});
    let server = compressed(404, problem.to_string().as_bytes()).await;
    let error = server.client().list_items().pipeline_id(9).send().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "list_items: 404 pipeline_not_found: There is no pipeline 9."
    );
}

#[tokio::test]
async fn size_limit_applies_to_the_decompressed_body() {
    // A megabyte of spaces compresses to a kilobyte.
    let blanks = vec![b' '; 1_000_000];
    let server = compressed(200, &blanks).await;
    let client = Client::builder().base_url(server.base_url()).api_key(KEY);
    let client = client.max_response_bytes(100_000).build().unwrap();
    let error = client.list_items().pipeline_id(1).send().await.unwrap_err();
    assert!(error.is_response_too_large(), "{error}");
}
