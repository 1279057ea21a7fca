use std::time::Duration;

use platform_server_stub::control::{Delay, Fault, Operation};
use platform_server_stub::wire::ProblemCode;
use tokio::time::timeout;

use super::{ADD, INBOX, add, frozen, get, noon, send};

#[tokio::test]
async fn requests_are_recorded_with_how_they_relate_to_the_contract() {
    let emulator = frozen().await;
    add(&emulator, 1001).await;
    get(&emulator, &format!("{INBOX}?limit=0&page=2")).await;
    get(&emulator, "/api/v1/pipelines/6/item").await;
    get(&emulator, "/healthz").await;
    let [added, invalid, unknown] = &emulator.requests()[..] else {
        panic!("a probe is not recorded: {:#?}", emulator.requests());
    };
    assert_eq!((added.number, added.at, added.method.as_str()), (1, noon(), "POST"));
    assert_eq!((added.path.as_str(), added.query.as_deref()), (ADD, None));
    assert_eq!(added.body.as_deref(), Some(r#"{"organization_id": 1001}"#));
    assert_eq!(added.operation, Some(Operation::AddOrganization));
    let line = added.contract_line.unwrap();
    let contract = include_str!("../../../../openapi.yaml");
    let place = contract.lines().skip(line as usize - 1).take(2);
    assert!(place.collect::<String>().contains("add_organization"), "{line}");
    let response = added.response.as_ref().unwrap();
    assert_eq!((response.status, response.code), (201, None));
    assert_eq!(response.key.as_deref(), Some("emulator"));
    assert!(response.is_declared && !response.is_retryable);

    assert_eq!(invalid.query.as_deref(), Some("limit=0&page=2"));
    let response = invalid.response.as_ref().unwrap();
    assert_eq!(response.code, Some(ProblemCode::ValidationFailed));
    let [limit, page] = &response.violations[..] else {
        panic!("{:?}", response.violations);
    };
    assert!(limit.starts_with("query.limit must be"), "{limit}");
    assert!(page.starts_with("query.page "), "{page}");

    assert_eq!((unknown.operation, unknown.contract_line), (None, None));
    let response = unknown.response.as_ref().unwrap();
    assert_eq!((response.status, response.is_declared), (404, false));
    let listed = emulator.requests_for(Operation::ListItems);
    assert_eq!(listed, std::slice::from_ref(invalid));
    emulator.clear_requests();
    assert!(emulator.requests().is_empty());
}

#[tokio::test]
async fn body_of_a_request_that_is_not_carried_out_is_recorded() {
    let emulator = frozen().await;
    let fault = Fault::problem(ProblemCode::Unavailable).times(1);
    let id = emulator.add_fault(fault).await.unwrap();
    add(&emulator, 1001).await;
    let recorded = emulator.requests().pop().unwrap();
    assert_eq!(recorded.fault, Some(id));
    assert_eq!(recorded.body.as_deref(), Some(r#"{"organization_id": 1001}"#));
    let response = recorded.response.unwrap();
    assert_eq!((response.status, response.key), (503, None));
    assert!(response.is_declared && !response.is_retryable);
}

#[tokio::test]
async fn request_whose_client_left_has_no_response() {
    let emulator = frozen().await;
    let slow = Fault::delay(Delay::fixed(Duration::from_secs(3600)));
    emulator.add_fault(slow).await.unwrap();
    let left = timeout(Duration::from_millis(50), get(&emulator, INBOX)).await;
    assert!(left.is_err());
    while emulator.requests().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(emulator.requests()[0].response, None);
}

#[tokio::test]
async fn no_key_is_in_the_recorded_requests_wherever_it_was_sent() {
    let emulator = frozen().await;
    for key in ["dev-full-access", "live-secret"] {
        let encoded = key.replace('-', "%2D");
        for (line, body) in [
            (format!("GET /{key} HTTP/1.1"), String::new()),
            (format!("GET /{encoded} HTTP/1.1"), String::new()),
            (format!("GET {INBOX}?sort_by={key}&x={encoded} HTTP/1.1"), String::new()),
            (format!("GET {INBOX}?{key}=1 HTTP/1.1"), String::new()),
            (format!("POST {ADD} HTTP/1.1\r\nX-Request-Id: {key}"), String::new()),
            (
                format!("POST {ADD} HTTP/1.1\r\nContent-Type: application/json"),
                format!(r#"{{"{key}": 1}}"#),
            ),
        ] {
            send(&emulator, &format!("{line}\r\nAPI-Key: {key}"), &body)
                .await
                .unwrap();
        }
    }
    let recorded = emulator.requests();
    assert_eq!(recorded.len(), 12);
    let shown = format!("{recorded:?}{}", serde_json::to_string(&recorded).unwrap());
    assert!(shown.contains("***"));
    for secret in ["dev-full", "full-access", "live-secret", "dev%2D", "live%2D"] {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
}
