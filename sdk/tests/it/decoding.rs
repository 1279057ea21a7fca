//! Decoding of responses: every example in the contract, and what a later server may add.

use platform_sdk::types::{ItemPage, ItemStatus, OrganizationSearchPage, PipelineItem, ProductSearchPage};
use platform_sdk::{EntityType, ExecutionStatus, ResultValue};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::canned::Canned;

fn example(name: &str) -> Value {
    let value = &crate::contract()["components"]["examples"][name]["value"];
    assert!(value.is_object(), "the contract has no example {name}");
    value.clone()
}

fn assert_round_trip<T: DeserializeOwned + Serialize>(names: &[&str]) {
    for name in names {
        let value: T = serde_json::from_value(example(name)).unwrap();
        assert_eq!(serde_json::to_value(value).unwrap(), example(name), "{name}");
    }
}

#[test]
fn every_example_of_a_success_survives_a_round_trip() {
    assert_round_trip::<OrganizationSearchPage>(&["OrganizationsFound", "NothingFound"]);
    assert_round_trip::<ProductSearchPage>(&["ProductsFound", "NothingFound"]);
    assert_round_trip::<ItemPage>(&["FirstPageOfItems", "PastTheEndOfItems"]);
    assert_round_trip::<PipelineItem>(&["AnsweredItem", "SyncedItem", "AddedItem"]);
    assert_round_trip::<ItemStatus>(&["ReadyStatus", "InProgressStatus"]);
}

#[test]
fn time_without_an_offset_is_utc() {
    let mut item = example("SyncedItem");
    item["values"]["question.501"]["last_synced_at"] = json!("2026-11-02T09:30:00");
    let item: PipelineItem = serde_json::from_value(item).unwrap();
    let written = serde_json::to_value(&item).unwrap();
    let time = &written["values"]["question.501"]["last_synced_at"];
    assert_eq!(*time, json!("2026-11-02T09:30:00Z"));
}

#[test]
fn property_that_may_be_null_may_be_missing() {
    let mut found = example("OrganizationsFound");
    let result = found["results"][0].as_object_mut().unwrap();
    result.remove("logo_url");
    result["metrics"]["funding"].as_object_mut().unwrap().clear();
    let page: OrganizationSearchPage = serde_json::from_value(found).unwrap();
    assert_eq!(page.results[0].logo_url, None);
    assert_eq!(page.results[0].metrics.funding.last_round_stage, None);
}

#[test]
fn unknown_values_and_properties_are_not_errors() {
    let mut item = example("AnsweredItem");
    item["entity_type"] = json!("vehicle");
    item["colour"] = json!("green");
    let answer = &mut item["values"]["question.201"];
    answer["status"] = json!("postponed");
    answer["result"] = json!(["Bergen", 1.5, false, {"amount": 3}, null]);

    let item: PipelineItem = serde_json::from_value(item).unwrap();
    assert_eq!(item.entity_type, EntityType::from("vehicle"));
    let answer = &item.values["question.201"];
    assert_eq!(answer.status, Some(ExecutionStatus::from("postponed")));
    assert_eq!(answer.result[0].as_text(), Some("Bergen"));
    assert_eq!(answer.result[1].as_f64(), Some(1.5));
    assert_eq!(answer.result[2].as_yes_no(), Some(false));
    assert_eq!(answer.result[3], ResultValue::Other(json!({"amount": 3})));
    assert_eq!(answer.result[4], ResultValue::Other(Value::Null));
}

#[test]
fn number_is_kept_exactly() {
    let value: ResultValue = serde_json::from_str("9007199254740993").unwrap();
    assert_eq!(serde_json::to_string(&value).unwrap(), "9007199254740993");
    assert_eq!(value.to_string(), "9007199254740993");
}

#[tokio::test]
async fn status_and_headers_come_with_the_value() {
    let server = Canned::new(
        201,
        &[
            ("Location", "/api/v1/pipelines/2/items/200013/values"),
            ("X-Request-Id", "r-1"),
        ],
        example("AddedItem").to_string(),
    )
    .await;
    let client = server.client();
    let item = client
        .add_organization()
        .pipeline_id(2)
        .organization_id(1001)
        .send()
        .await
        .unwrap();
    assert_eq!(item.status(), 201);
    assert_eq!(item.headers()["location"], "/api/v1/pipelines/2/items/200013/values");
    assert_eq!(item.headers()["x-request-id"], "r-1");
    assert_eq!(item.into_inner().pipeline_item_id, 200_013.into());
}
