//! Unknown fields and values from a newer server: the SDK keeps them, and reports them on request.

use std::sync::{Arc, Mutex};

use platform_sdk::types::{
    AddOrganizationRequest, ItemPage, ItemStatus, OrganizationSearchPage, PipelineItem, Problem, ProductSearchPage,
};
use platform_sdk::{Client, Unknown, UnknownKind};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::canned::Canned;

fn example(name: &str) -> Value {
    crate::contract()["components"]["examples"][name]["value"].clone()
}

/// Adds a field to every object, except to the map `values`.
fn grow(node: &mut Value) {
    match node {
        Value::Array(items) => items.iter_mut().for_each(grow),
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                match value.as_object_mut() {
                    Some(columns) if name == "values" => columns.values_mut().for_each(grow),
                    _ => grow(value),
                }
            }
            fields.insert("later".to_owned(), json!({"amount": [1, 2.5, null], "": "NOK"}));
        }
        _ => {}
    }
}

fn assert_kept<T: DeserializeOwned + Serialize>(name: &str) {
    let mut later = example(name);
    grow(&mut later);
    let value: T = serde_json::from_value(later.clone()).unwrap();
    assert_eq!(serde_json::to_value(value).unwrap(), later, "{name}");
}

#[test]
fn fields_of_a_later_server_survive_a_round_trip() {
    assert_kept::<OrganizationSearchPage>("OrganizationsFound");
    assert_kept::<ProductSearchPage>("ProductsFound");
    assert_kept::<ItemPage>("FirstPageOfItems");
    assert_kept::<PipelineItem>("SyncedItem");
    assert_kept::<ItemStatus>("ReadyStatus");
    assert_kept::<Problem>("InvalidParameters");
}

#[test]
fn unknown_field_is_read_by_its_name() {
    let mut item = example("AnsweredItem");
    item["colour"] = json!("green");
    let item: PipelineItem = serde_json::from_value(item).unwrap();
    assert_eq!(item.unknown_fields.len(), 1);
    assert_eq!(item.unknown_fields.get("colour"), Some(&json!("green")));
    assert_eq!(item.unknown_fields.get("entity_type"), None);
    assert_eq!(format!("{:?}", item.unknown_fields), r#"{"colour": String("green")}"#);
    assert!(item.values["question.201"].unknown_fields.is_empty());
}

#[test]
fn request_takes_no_field_that_the_contract_does_not_have() {
    let request = json!({"organization_id": 1001, "note": "by hand"});
    let error = serde_json::from_value::<AddOrganizationRequest>(request).unwrap_err();
    assert!(error.to_string().starts_with("unknown field `note`"), "{error}");
}

/// Returns a client of `server`, and the unknown fields and values reported to it.
fn attentive(server: &Canned) -> (Client, Arc<Mutex<Vec<Unknown>>>) {
    let reported = Arc::new(Mutex::new(Vec::new()));
    let sink = reported.clone();
    let client = Client::builder()
        .base_url(server.base_url())
        .api_key("dev-full-access")
        .on_unknown(move |unknown| sink.lock().unwrap().push(unknown.clone()))
        .build()
        .unwrap();
    (client, reported)
}

fn lines(reported: &Mutex<Vec<Unknown>>) -> Vec<String> {
    reported.lock().unwrap().iter().map(Unknown::to_string).collect()
}

#[tokio::test]
async fn hook_reports_unknown_data_with_its_place() {
    let mut page = example("FirstPageOfItems");
    page["next page"] = json!(2);
    let item = &mut page["items"][0];
    item["entity_type"] = json!("vehicle");
    item["colour"] = json!("green");
    let answer = &mut item["values"]["question.201"];
    answer["status"] = json!("postponed");
    answer["result"] = json!(["Bergen", {"amount": 3}]);

    let server = Canned::new(200, &[], page.to_string()).await;
    let (client, reported) = attentive(&server);
    client.list_items().pipeline_id(2).send().await.unwrap();
    assert_eq!(
        lines(&reported),
        [
            "list_items: items[0].entity_type is `vehicle`, which is not a known value of EntityType",
            r#"list_items: items[0].values["question.201"].result[1] has a type that is not known for ResultValue"#,
            r#"list_items: items[0].values["question.201"].status is `postponed`, which is not a known value of ExecutionStatus"#,
            "list_items: items[0].colour is not a known field of PipelineItem",
            r#"list_items: ["next page"] is not a known field of ItemPage"#,
        ]
    );
    let reported = reported.lock().unwrap();
    assert_eq!(
        (reported[0].kind, &reported[0].value),
        (UnknownKind::Value, &json!("vehicle"))
    );
    assert_eq!(
        (reported[3].kind, &reported[3].value),
        (UnknownKind::Field, &json!("green"))
    );
    assert_eq!((reported[4].operation, reported[4].schema), ("list_items", "ItemPage"));
}

#[tokio::test]
async fn hook_reports_unknown_data_in_an_error() {
    let mut problem = example("InvalidParameters");
    problem["code"] = json!("moon_phase");
    problem["errors"][0]["hint"] = json!("wait");
    let server = Canned::new(422, &[], problem.to_string()).await;
    let (client, reported) = attentive(&server);
    client.list_items().pipeline_id(2).send().await.unwrap_err();
    assert_eq!(
        lines(&reported),
        [
            "list_items: code is `moon_phase`, which is not a known value of ProblemCode",
            "list_items: errors[0].hint is not a known field of FieldError",
        ]
    );
}

#[tokio::test]
async fn hook_reports_nothing_that_the_contract_has() {
    for name in ["FirstPageOfItems", "PastTheEndOfItems"] {
        let server = Canned::new(200, &[], example(name).to_string()).await;
        let (client, reported) = attentive(&server);
        client.list_items().pipeline_id(2).send().await.unwrap();
        assert_eq!(lines(&reported), [""; 0], "{name}");
    }
}
