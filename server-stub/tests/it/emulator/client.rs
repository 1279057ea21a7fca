//! The typed client of the controls, against a server that speaks HTTP.

use std::time::Duration;

use platform_emulator_client::{
    Action, Connection, Delay, EmulatorClient, Error, Fault, NewKey, Operation, PlannedOutcome, Policy, RateLimit,
    Removal, RequestFilter, Resource, Snapshot,
};
use platform_server_stub::Emulator;
use serde::Serialize;
use serde_json::{Value, json};

use super::admin::{admin, with_admin};
use super::{INBOX, add, get, items, noon, send};

fn client(emulator: &Emulator) -> EmulatorClient {
    EmulatorClient::new(emulator.base_url()).unwrap()
}

/// Checks that the client reads everything that the server sends.
async fn is_read_whole(emulator: &Emulator, path: &str, member: &str, read: &impl Serialize) {
    let sent = admin(emulator, &format!("GET {path}"), &Value::Null).await.body;
    let sent = if member.is_empty() { &sent } else { &sent[member] };
    assert_eq!(&serde_json::to_value(read).unwrap(), sent, "{path}");
}

#[tokio::test]
async fn every_operation_of_the_document_is_a_method() {
    let emulator = with_admin().await;
    let document = admin(&emulator, "GET /openapi.json", &Value::Null).await.body;
    let sources = concat!(
        include_str!("../../../client/src/clock.rs"),
        include_str!("../../../client/src/data.rs"),
        include_str!("../../../client/src/faults.rs"),
        include_str!("../../../client/src/keys.rs"),
        include_str!("../../../client/src/namespaces.rs"),
        include_str!("../../../client/src/processes.rs"),
        include_str!("../../../client/src/rate_limits.rs"),
        include_str!("../../../client/src/requests.rs"),
        include_str!("../../../client/src/state.rs"),
    );
    let paths = document["paths"].as_object().unwrap().values();
    let operations: Vec<_> = paths
        .flat_map(|path| path.as_object().unwrap().values())
        .map(|operation| operation["operationId"].as_str().unwrap())
        .collect();
    let missing: Vec<_> = operations
        .iter()
        .filter(|id| !sources.contains(&format!("pub async fn {id}(")))
        .collect();
    assert!(
        missing.is_empty(),
        "add methods for {missing:?} to platform-emulator-client"
    );
    assert_eq!(
        sources.matches("pub async fn ").count(),
        operations.len(),
        "a method without an operation"
    );
}

#[tokio::test]
async fn clock_is_read_and_moved() {
    let emulator = with_admin().await;
    let client = client(&emulator);
    add(&emulator, 1001).await;
    let clock = client.get_clock().await.unwrap();
    assert_eq!((clock.now, clock.is_frozen), (noon(), true));
    is_read_whole(&emulator, "/clock", "", &clock).await;
    let due = clock.next_due.unwrap();
    let clock = client.advance_clock(Duration::from_millis(250)).await.unwrap();
    assert_eq!((clock.now - noon()).num_milliseconds(), 250);
    assert!(clock.now < due);
    assert_eq!(client.run_clock_to_idle().await.unwrap().next_due, None);
    assert!(!client.resume_clock().await.unwrap().is_frozen);
    assert!(client.freeze_clock().await.unwrap().is_frozen);
}

#[tokio::test]
async fn every_kind_of_fault_is_added_and_read_back() {
    let emulator = with_admin().await;
    let client = client(&emulator);
    let second = Duration::from_secs(1);
    let faults = [
        Fault::problem("unavailable")
            .on(Operation::ListItems)
            .after(1)
            .times(1)
            .retry_after(second / 2),
        Fault::status(502).probability(0.5).times(0),
        Fault::connection(Connection::Reset)
            .delayed(Delay::fixed(second))
            .times(0),
        Fault::connection(Connection::CutBody).times(0),
        Fault::stale().times(0),
        Fault::delay(Delay::uniform(second, second * 2)).times(0),
        Fault::delay(Delay::lognormal(second, 0.5)).times(0),
    ];
    for fault in &faults {
        let added = client.add_fault(fault).await.unwrap();
        assert_eq!(&added.fault, fault);
        assert_eq!(client.get_fault(added.id).await.unwrap(), added);
    }
    let list = client.list_faults().await.unwrap();
    is_read_whole(&emulator, "/faults", "faults", &list).await;
    assert_eq!(get(&emulator, INBOX).await.status, 200);
    let failed = get(&emulator, INBOX).await;
    assert_eq!((failed.status, failed.header("retry-after")), (503, Some("1")));
    assert!(client.remove_fault(1).await.unwrap());
    assert!(!client.remove_fault(1).await.unwrap());
    let error = client.get_fault(1).await.unwrap_err();
    assert_eq!(error.to_string(), "there is no fault 1; GET /__admin/faults lists them");
    client.clear_faults().await.unwrap();
    assert_eq!(client.list_faults().await.unwrap(), []);
}

#[tokio::test]
async fn recorded_requests_are_listed_found_and_forgotten() {
    let emulator = with_admin().await;
    let client = client(&emulator);
    add(&emulator, 1001).await;
    get(&emulator, &format!("{INBOX}?limit=0")).await;
    let all = client.list_requests().await.unwrap();
    is_read_whole(&emulator, "/requests", "requests", &all).await;
    assert_eq!(all.iter().map(|request| request.number).collect::<Vec<_>>(), [1, 2]);
    let everything = RequestFilter {
        operation: Some(Operation::ListItems),
        method: Some("GET".to_owned()),
        path: Some(INBOX.to_owned()),
        status: Some(422),
        code: Some("validation_failed".to_owned()),
        key: Some("emulator".to_owned()),
        after_number: Some(1),
    };
    assert_eq!(client.find_requests(&everything).await.unwrap(), all[1..]);
    assert_eq!(client.find_requests(&RequestFilter::default()).await.unwrap(), all);
    client.clear_requests().await.unwrap();
    assert_eq!(client.list_requests().await.unwrap(), []);
}

#[tokio::test]
async fn processes_are_planned_and_happen() {
    let emulator = with_admin().await;
    let client = client(&emulator);
    let planned = [
        PlannedOutcome::answer("question.601", ["yes"])
            .with_certainty(80)
            .for_organization(1001)
            .in_pipeline(6),
        PlannedOutcome::no_answer("question.602").takes(Duration::from_secs(9)),
        PlannedOutcome::failure("question.603"),
        PlannedOutcome::skipped("question.604"),
        PlannedOutcome::sync_error("question.501", "The field is read-only."),
        PlannedOutcome::sync_success("question.502"),
    ];
    for process in &planned {
        assert_eq!(&client.plan_process(process).await.unwrap(), process);
    }
    let list = client.list_processes().await.unwrap();
    assert_eq!(list, planned);
    is_read_whole(&emulator, "/processes", "processes", &list).await;
    let item = add(&emulator, 1001).await.body["pipeline_item_id"].clone();
    client.run_clock_to_idle().await.unwrap();
    let values = get(&emulator, &format!("{INBOX}/{item}/values")).await.body["values"].clone();
    let answer = &values["question.601"];
    assert_eq!(
        (&answer["result"], &answer["certainty_score"]),
        (&json!(["yes"]), &json!(80))
    );
    let ends = ["602", "603", "604"].map(|id| values[format!("question.{id}")]["status"].clone());
    assert_eq!(ends, ["no_answer", "failed", "skipped"]);
    client.clear_processes().await.unwrap();
    assert_eq!(client.list_processes().await.unwrap(), []);
}

#[tokio::test]
async fn keys_policies_and_quotas_are_changed_and_explained() {
    let emulator = with_admin().await;
    let client = client(&emulator);
    let limit = RateLimit {
        requests: 1,
        window_seconds: 60,
    };
    let only_six = Policy {
        pipelines: Some(vec![6]),
        actions: Some(vec![Action::Read]),
        resources: Some(vec![Resource::CollectionItem]),
        ..Policy::allow()
    };
    let new = NewKey::new("reader-secret", "a reader/1")
        .policy(only_six.clone())
        .rate_limit(limit);
    assert!(!format!("{new:?} {client:?}").contains("reader-secret"));
    let key = client.put_key(&new).await.unwrap();
    assert_eq!(
        (key.name.as_str(), &key.policies[..], key.rate_limit),
        ("a reader/1", &[only_six.clone()][..], Some(limit))
    );
    let keys = client.list_keys().await.unwrap();
    assert_eq!(keys.last(), Some(&key));
    is_read_whole(&emulator, "/keys", "keys", &keys).await;

    let explained = client
        .explain_policies(&key.name, Action::Read, Resource::CollectionItem, Some(6))
        .await
        .unwrap();
    assert_eq!(
        (explained.is_allowed, explained.decided_by, explained.policy),
        (true, Some(0), Some(only_six))
    );
    let explained = client
        .explain_policies(&key.name, Action::Create, Resource::Product, None)
        .await
        .unwrap();
    assert_eq!(
        (explained.is_allowed, explained.decided_by, explained.policy),
        (false, None, None)
    );

    let read = format!("GET {INBOX} HTTP/1.1\r\nAPI-Key: reader-secret");
    let statuses = async || {
        let first = send(&emulator, &read, "").await.unwrap().status;
        (first, send(&emulator, &read, "").await.unwrap().status)
    };
    assert_eq!(statuses().await, (200, 429));
    let limits = client.list_rate_limits().await.unwrap();
    is_read_whole(&emulator, "/rate-limits", "", &limits).await;
    let used = limits.keys.iter().find(|used| used.key == key.name).unwrap();
    assert_eq!((used.used, used.rate_limit), (1, Some(limit)));
    client.reset_rate_limits().await.unwrap();
    assert_eq!(statuses().await, (200, 429));
    client.set_rate_limit(&key.name, None).await.unwrap();
    assert_eq!(statuses().await, (200, 200));
    client.set_default_rate_limit(Some(limit)).await.unwrap();
    assert_eq!(client.list_rate_limits().await.unwrap().default, Some(limit));
    client.set_default_rate_limit(None).await.unwrap();
    client.set_policies(&key.name, &[Policy::deny()]).await.unwrap();
    assert_eq!(statuses().await, (403, 403));
    assert!(client.remove_key(&key.name).await.unwrap());
    assert!(!client.remove_key(&key.name).await.unwrap());
    assert_eq!(statuses().await, (401, 401));
}

#[tokio::test]
async fn data_and_state_are_replaced_kept_and_restored() {
    let emulator = with_admin().await;
    let client = client(&emulator);
    add(&emulator, 1001).await;
    let snapshot = client.take_snapshot().await.unwrap();
    client.reset().await.unwrap();
    assert_eq!(items(&emulator).await, 1);
    let kept = Snapshot::from_json(snapshot.as_json()).unwrap();
    client.restore_snapshot(&kept).await.unwrap();
    assert_eq!(items(&emulator).await, 2);

    let removal = Removal {
        organizations: vec![1001],
        ..Removal::default()
    };
    client.remove_data(&removal).await.unwrap();
    assert_eq!(items(&emulator).await, 1);
    let error = client.remove_data(&removal).await.unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("organizations: there is no organization 1001"),
        "{error}"
    );
    let error = client.restore_snapshot(&kept).await.unwrap_err();
    assert!(
        matches!(&error, Error::Rejected { status, .. } if status.as_u16() == 409),
        "{error:?}"
    );

    let weaver = json!({"organizations": [{"organization_id": 1, "name": "Weaver", "description": "Weaves linen."}]});
    client.change_data(&weaver).await.unwrap();
    assert_eq!(get(&emulator, "/search/organizations/1/similar").await.status, 200);
    client.replace_data(&weaver).await.unwrap();
    assert_eq!(get(&emulator, "/search/organizations/1002/similar").await.status, 404);
}

#[tokio::test]
async fn namespace_is_a_world_of_its_own() {
    let emulator = with_admin().await;
    let client = client(&emulator);
    let suite = client.namespace("suite-1");
    suite.advance_clock(Duration::from_secs(60)).await.unwrap();
    assert_eq!(client.get_clock().await.unwrap().now, noon());
    assert_eq!(client.list_namespaces().await.unwrap(), ["suite-1"]);
    let key = suite.key("dev-full-access");
    send(&emulator, &format!("GET {INBOX} HTTP/1.1\r\nAPI-Key: {key}"), "")
        .await
        .unwrap();
    assert_eq!(suite.list_requests().await.unwrap().len(), 1);
    assert_eq!(client.list_requests().await.unwrap(), []);
    assert!(client.remove_namespace("suite-1").await.unwrap());
    assert!(!client.remove_namespace("suite-1").await.unwrap());
}

#[tokio::test]
async fn error_says_what_is_wrong_and_what_to_do() {
    let emulator = with_admin().await;
    let error = client(&emulator).add_fault(&Fault::status(99)).await.unwrap_err();
    assert_eq!(error.to_string(), "status: must be from 200 to 599");
    let without_controls = Emulator::start().await.unwrap();
    let error = client(&without_controls).get_clock().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server has no controls at this address (status 404 Not Found); start it with --admin"
    );
    let error = EmulatorClient::new("localhost:8080").unwrap_err();
    assert!(
        error.to_string().starts_with("the base URL is not an absolute URL"),
        "{error}"
    );
    let address = without_controls.base_url().to_owned();
    without_controls.stop().await;
    let error = EmulatorClient::new(&address).unwrap().reset().await.unwrap_err();
    assert!(matches!(error, Error::Connection(_)), "{error:?}");
}
