use futures::future::join_all;
use platform_server_stub::Emulator;
use platform_server_stub::control::{Fault, NamespaceError, Operation};
use platform_server_stub::platform::clock::Clock;
use platform_server_stub::wire::ProblemCode;
use serde_json::{Value, json};

use super::admin::with_admin;
use super::{ADD, HttpResponse, INBOX, frozen, noon, send, send_as};

/// Sends a request in a namespace, named in the header.
async fn within(emulator: &Emulator, namespace: &str, request: &str, body: &Value) -> HttpResponse {
    let (method, path) = request.split_once(' ').unwrap();
    let key = emulator.api_key();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nAPI-Key: {key}\r\nEmulator-Namespace: {namespace}\r\n\
         Content-Type: application/json"
    );
    let body = match body {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    send_as(emulator, &request, &body).await.unwrap()
}

async fn count(emulator: &Emulator, namespace: &str) -> Value {
    let list = within(emulator, namespace, &format!("GET {INBOX}"), &Value::Null).await;
    list.body["total_count"].clone()
}

fn organization(id: u32) -> Value {
    json!({ "organization_id": id })
}

#[tokio::test]
async fn parallel_suites_share_a_process_without_seeing_each_other() {
    let emulator = with_admin().await;
    let suite = async |number: u32| {
        let name = format!("suite-{number}");
        for id in 0..number {
            let added = within(&emulator, &name, &format!("POST {ADD}"), &organization(1001 + id)).await;
            assert_eq!(added.status, 201, "{}", added.text);
        }
        let seconds = json!({ "seconds": number });
        let clock = within(&emulator, &name, "POST /__admin/clock/advance", &seconds).await;
        assert_eq!(clock.status, 200, "{}", clock.text);
    };
    join_all((0..8).map(suite)).await;
    for number in 0u32..8 {
        let name = format!("suite-{number}");
        assert_eq!(count(&emulator, &name).await, 1 + number);
        let namespace = emulator.namespace(&name).unwrap();
        let passed = namespace.clock().now() - noon();
        assert_eq!(passed.num_seconds(), i64::from(number));
        let additions = namespace.requests_for(Operation::AddOrganization);
        assert_eq!(additions.len(), number as usize);
        let clock = within(&emulator, &name, "GET /__admin/clock", &Value::Null).await;
        let now = clock.body["now"].as_str().unwrap().to_owned();
        assert_eq!(now.parse(), Ok(namespace.clock().now()));
    }
    assert_eq!(emulator.clock().now(), noon());
    assert!(emulator.requests().is_empty());
    assert_eq!(emulator.namespaces().len(), 8);
}

#[tokio::test]
async fn faults_keys_and_resets_stay_in_their_namespace() {
    let emulator = with_admin().await;
    let busy = Fault::problem(ProblemCode::Unavailable);
    let one = emulator.namespace("one").unwrap();
    one.add_fault(busy).await.unwrap();
    one.remove_key("full access");
    assert_eq!(
        within(&emulator, "one", &format!("GET {INBOX}"), &Value::Null)
            .await
            .status,
        503
    );
    assert_eq!(count(&emulator, "two").await, 1);
    within(&emulator, "two", &format!("POST {ADD}"), &organization(1001)).await;
    one.reset().await.unwrap();
    assert_eq!(count(&emulator, "one").await, 1);
    assert_eq!(count(&emulator, "two").await, 2);
    emulator.reset().await.unwrap();
    assert_eq!(count(&emulator, "two").await, 2);
}

#[tokio::test]
async fn key_can_name_the_namespace_where_headers_cannot_be_set() {
    let emulator = with_admin().await;
    for (key, added) in [
        ("suite-1:dev-full-access", 201),
        ("suite-1:dev-full-access", 409),
        ("suite-2:dev-full-access", 201),
        ("dev-full-access", 201),
        ("suite-1:dev-read-only", 403),
        ("suite-1:nobody", 401),
    ] {
        let request = format!("POST {ADD} HTTP/1.1\r\nAPI-Key: {key}\r\nContent-Type: application/json");
        let answer = send(&emulator, &request, r#"{"organization_id": 1001}"#).await.unwrap();
        assert_eq!(answer.status, added, "{key}: {}", answer.text);
    }
    assert_eq!(emulator.namespaces(), ["suite-1", "suite-2"]);
    let recorded = emulator.namespace("suite-1").unwrap().requests();
    let keys: Vec<_> = recorded
        .iter()
        .map(|it| it.response.as_ref().unwrap().key.as_deref())
        .collect();
    assert_eq!(
        keys,
        [Some("full access"), Some("full access"), Some("read only"), None]
    );
}

#[tokio::test]
async fn removed_namespace_starts_empty() {
    let emulator = with_admin().await;
    within(&emulator, "one", &format!("POST {ADD}"), &organization(1001)).await;
    let list = within(&emulator, "one", "GET /__admin/namespaces", &Value::Null).await;
    assert_eq!(list.body, json!({"namespaces": ["one"]}));
    let remove = "DELETE /__admin/namespaces/one";
    let request = format!("{remove} HTTP/1.1\r\nHost: localhost");
    assert_eq!(send_as(&emulator, &request, "").await.unwrap().status, 204);
    assert_eq!(send_as(&emulator, &request, "").await.unwrap().status, 404);
    assert_eq!(count(&emulator, "one").await, 1);
}

#[tokio::test]
async fn malformed_name_is_rejected_and_opens_nothing() {
    let emulator = with_admin().await;
    for name in ["", "a b", "a/b", &"a".repeat(65)] {
        let answer = within(&emulator, name, &format!("GET {INBOX}"), &Value::Null).await;
        assert_eq!(answer.code(), (400, "malformed_request"), "{name}");
        let detail = answer.body["detail"].as_str().unwrap();
        assert!(detail.contains("1 to 64 letters"), "{detail}");
        assert_eq!(emulator.namespace(name).err(), Some(NamespaceError::MalformedName));
    }
    assert!(emulator.namespaces().is_empty());
}

#[tokio::test]
async fn namespace_header_is_ignored_without_the_controls() {
    let emulator = frozen().await;
    within(&emulator, "one", &format!("POST {ADD}"), &organization(1001)).await;
    assert_eq!(count(&emulator, "two").await, 2);
    assert!(emulator.namespaces().is_empty());
}
