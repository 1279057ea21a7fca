//! Values that an app converts from, compares and serializes.

use std::collections::HashSet;
use std::hash::Hash;

use platform_sdk::mock::{Server, examples};
use platform_sdk::paging::{Cursor, Drift};
use platform_sdk::types::{AddOrganizationRequest, ItemStatus, Organization, Product, Values};
use platform_sdk::wait::Stage;
use platform_sdk::{ApiKey, Client, ErrorClass, Outcome, Presence, RetryPolicy};
use serde_json::json;

#[test]
fn results_convert_into_the_records_that_they_extend() {
    let page = examples::organization_search_page::found();
    let result = page.results[0].clone();
    let organization = Organization::from(result.clone());
    let mut expected = serde_json::to_value(&result).unwrap();
    expected.as_object_mut().unwrap().remove("similarity");
    assert_eq!(serde_json::to_value(organization).unwrap(), expected);
    let page = examples::product_search_page::found();
    let result = page.results[0].clone();
    assert_eq!(Product::from(result.clone()).product_id, result.product_id);
}

#[test]
fn types_without_floats_are_keys_of_maps() {
    fn is_key<T: Eq + Hash>() {}
    is_key::<ItemStatus>();
    is_key::<Organization>();
    is_key::<Values>();
    is_key::<AddOrganizationRequest>();
    is_key::<RetryPolicy>();
    let cursor: Cursor = "w1.list_items.6c62272e07bb0142.1500.20000.88231".parse().unwrap();
    assert_eq!(HashSet::from([cursor.clone(), cursor]).len(), 1);
}

#[test]
fn values_are_collected_again() {
    let item = examples::pipeline_item::added();
    let again: Values = item.values.clone().into_iter().collect();
    assert_eq!(again, item.values);
    assert_eq!((&again).into_iter().count(), item.values.len());
}

#[test]
fn outcomes_serialize_as_words() {
    let written = json!([
        Outcome::MayHaveHappened,
        Presence::FoundAfterLostAnswer,
        Stage::DocumentIndexed,
        ErrorClass::RateLimited,
        Drift::Repeated { row: 3, id: 7 },
    ]);
    let expected = json!([
        "may_have_happened",
        "found_after_lost_answer",
        "document_indexed",
        "rate_limited",
        {"change": "repeated", "row": 3, "id": 7},
    ]);
    assert_eq!(written, expected);
}

#[test]
fn key_is_read_from_settings_and_an_invalid_one_is_not_repeated() {
    let text = "dev-full-access".to_owned();
    assert!(ApiKey::try_from(&text).is_ok());
    assert!(serde_json::from_value::<ApiKey>(json!(text)).is_ok());
    let error = serde_json::from_value::<ApiKey>(json!("SECRET KEY")).unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains("position 6") && !message.contains("SECRET"),
        "{message}"
    );
}

#[tokio::test]
async fn ids_convert_from_any_integer_and_unfit_ones_are_named() {
    let client = Client::builder().base_url("http://127.0.0.1:1");
    let client = client.api_key("dev-full-access").build().unwrap();
    let request = client.ensure_organization().pipeline_id(6_usize);
    let error = request.organization_id(u64::MAX).send().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "add_organization: `organization_id` does not fit `OrganizationId`: \
         out of range integral type conversion attempted; nothing was sent"
    );
    let wait = client.wait_until_ready().pipeline_id(6_u64);
    assert!(wait.pipeline_item_id(u64::MAX).progress().unwrap_err().is_invalid());
}

#[tokio::test]
async fn walk_is_taken_twice() {
    let server = Server::start().await;
    let client = server.client();
    let page = examples::item_page::of([examples::pipeline_item::added()]);
    let listing = server.when(client.list_items()).answer(page);
    let walk = client.list_items().pipeline_id(2).walk().page_size(10);
    assert_eq!(walk.clone().collect().await.unwrap().len(), 1);
    assert_eq!(walk.collect().await.unwrap().len(), 1);
    listing.assert_calls(2);
}
