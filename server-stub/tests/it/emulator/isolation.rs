use std::io::ErrorKind;
use std::time::Duration;

use futures::future::join_all;
use platform_server_stub::control::{Delay, Fault, Operation};
use platform_server_stub::data::Dataset;
use platform_server_stub::wire::ProblemCode;
use platform_server_stub::{Emulator, Limits};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{ADD, INBOX, add, frozen, get, items, noon, send};

#[tokio::test]
async fn twenty_emulators_in_one_process_do_not_see_each_other() {
    let emulators = join_all((0..20).map(|_| frozen())).await;
    for (index, emulator) in (0u32..).zip(&emulators) {
        // As many additions as its number, of the same organizations.
        for organization in 0..index {
            assert_eq!(add(emulator, 1001 + organization).await.status, 201);
        }
        emulator.clock().advance(Duration::from_secs(index.into())).await;
        if index == 7 {
            let busy = Fault::problem(ProblemCode::Unavailable).on(Operation::GetItemStatus);
            emulator.add_fault(busy).await.unwrap();
        }
    }
    for (index, emulator) in (0u32..).zip(&emulators) {
        assert_eq!(items(emulator).await, 1 + u64::from(index));
        let additions = emulator.requests_for(Operation::AddOrganization);
        assert_eq!(additions.len(), index as usize);
        assert_eq!(
            emulator.requests().last().unwrap().at - noon(),
            chrono::TimeDelta::seconds(index.into())
        );
        let status = get(emulator, "/api/v1/pipelines/2/items/200001/status").await;
        assert_eq!(status.status, if index == 7 { 503 } else { 200 });
    }
}

#[tokio::test]
async fn dropped_emulator_leaves_its_port_and_cuts_requests_in_flight() {
    let hour = Duration::from_secs(3600);
    let limits = Limits {
        drain: hour,
        ..Limits::default()
    };
    let emulator = Emulator::builder().limits(limits).start().await.unwrap();
    let slow = Fault::delay(Delay::fixed(hour));
    emulator.add_fault(slow).await.unwrap();
    let address = emulator.base_url().strip_prefix("http://").unwrap();
    let address = address.to_owned();
    let mut waiting = TcpStream::connect(&address).await.unwrap();
    let request = format!("GET {INBOX} HTTP/1.1\r\nHost: x\r\n\r\n");
    waiting.write_all(request.as_bytes()).await.unwrap();
    while emulator.requests().is_empty() {
        tokio::task::yield_now().await;
    }
    drop(emulator);
    let mut end = Vec::new();
    // The connection is closed, one way or the other.
    let closed = timeout(Duration::from_secs(60), waiting.read_to_end(&mut end)).await;
    assert!(closed.is_ok() && end.is_empty());
    assert!(TcpStream::connect(&address).await.is_err());
}

#[tokio::test]
async fn stop_lets_a_request_in_flight_finish() {
    let emulator = frozen().await;
    let address = emulator.base_url().strip_prefix("http://").unwrap().to_owned();
    let (body, key) = (r#"{"organization_id": 1001}"#, emulator.api_key());
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let head = format!(
        "POST {ADD} HTTP/1.1\r\nHost: x\r\nAPI-Key: {key}\r\nContent-Type: application/json\r\n\
         Expect: 100-continue\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    // The service reads the request now.
    let mut expected = *b"HTTP/1.1 100 Continue\r\n\r\n";
    stream.read_exact(&mut expected).await.unwrap();
    let stopped = tokio::spawn(emulator.stop());
    while TcpStream::connect(&address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    stream.write_all(body.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    stopped.await.unwrap();
}

#[tokio::test]
async fn emulator_has_the_data_and_the_keys_that_it_is_given() {
    let data = r#"{"organizations": [{"organization_id": 7, "name": "Weaver", "description": "Weaves linen."}],
                   "api_keys": [{"key": "of-the-data", "name": "data"}]}"#;
    let key = r#"{"key": "of-the-test", "name": "test", "policies": [{"effect": "allow"}]}"#;
    let emulator = Emulator::builder()
        .data(Dataset::from_json(data).unwrap())
        .key(serde_json::from_str(key).unwrap())
        .start()
        .await
        .unwrap();
    let search = "/search/organizations/similar?description=cloth";
    assert_eq!(get(&emulator, search).await.body["total_count"], 1);
    for (key, status) in [("of-the-data", 403), ("of-the-test", 200), ("dev-full-access", 401)] {
        let request = format!("GET {search} HTTP/1.1\r\nAPI-Key: {key}");
        assert_eq!(send(&emulator, &request, "").await.unwrap().status, status);
    }
}

#[tokio::test]
async fn two_keys_of_one_name_are_rejected() {
    let key = r#"{"key": "another", "name": "full access"}"#;
    let builder = Emulator::builder().key(serde_json::from_str(key).unwrap());
    let error = builder.start().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert_eq!(
        error.to_string(),
        "two keys are named `full access`; give each its own name"
    );
}
