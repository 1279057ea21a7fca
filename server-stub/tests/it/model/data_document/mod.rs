//! The data document: accepted documents.

mod rejected;

use platform_server_stub::data::{Data, DataError, Dataset};
use platform_server_stub::model::filter::Filters;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::SystemClock;
use serde_json::{Value, json};
use std::sync::Arc;

use super::ALL;

/// A small sound document.
fn sound() -> Value {
    json!({
        "organizations": [
            {"organization_id": 1, "name": "Weaver", "description": "Weaves linen.", "customer_base": "Sailors."},
            {"organization_id": 2, "name": "Dyer", "description": "Dyes linen."},
        ],
        "products": [
            {"product_id": 1, "organization_id": 1, "name": "Sail", "description": "A sail."},
            {"product_id": 2, "organization_id": 2, "name": "Dye", "description": "A blue dye."},
        ],
        "pipelines": [
            {
                "pipeline_id": 1,
                "name": "Prospects",
                "entity_data": ["organization.name"],
                "questions": [{"question_id": 1, "text": "City?"}],
                "crm_sync": {"provider": "hubspot"},
                "items": [{"pipeline_item_id": 1, "organization_id": 1}],
            },
            {"pipeline_id": 2, "name": "People", "entity_type": "person", "items": [{"pipeline_item_id": 2, "person_id": 1}]},
            {"pipeline_id": 3, "name": "Files", "entity_type": "document", "questions": [{"question_id": 1, "text": "Kind?"}],
             "items": [{"pipeline_item_id": 3, "document_id": 1, "document_indexed": false}]},
        ],
        "api_keys": [{"key": "sesame-opens", "name": "only"}],
    })
}

/// The sound document with the value at this pointer set.
fn with(pointer: &str, value: Value) -> Value {
    let mut document = sound();
    let (parent, last) = pointer.rsplit_once('/').unwrap();
    let parent = document.pointer_mut(parent).unwrap();
    match parent {
        Value::Array(entries) => entries.push(value),
        _ => parent[last] = value,
    }
    document
}

fn reject(document: &Value) -> DataError {
    Dataset::from_json(&document.to_string()).expect_err(&document.to_string())
}

#[test]
fn sound_document_and_empty_document_are_accepted() {
    Dataset::from_json(&sound().to_string()).unwrap();
    let empty = Dataset::from_json("{}").unwrap();
    assert_eq!(
        (
            empty.organizations().count(),
            empty.products().count(),
            empty.pipelines().count()
        ),
        (0, 0, 0)
    );
}

#[test]
fn built_in_keys_are_used_only_if_the_document_has_none() {
    let platform = |text: &str| Platform::in_memory(Arc::new(Dataset::from_json(text).unwrap()), Arc::new(SystemClock));
    assert!(platform("{}").authenticate(Some("dev-full-access")).is_ok());
    let own = platform(&sound().to_string());
    assert!(own.authenticate(Some("sesame-opens")).is_ok());
    assert!(own.authenticate(Some("dev-full-access")).is_err());
}

#[tokio::test]
async fn records_of_the_document_are_found() {
    let dataset = Arc::new(Dataset::from_json(&sound().to_string()).unwrap());
    let platform = Platform::in_memory(dataset, Arc::new(SystemClock));
    let products = platform
        .search_products_by_description("colour for cloth", &Filters::default(), ALL)
        .await
        .unwrap();
    assert_eq!(products.total_count, 2);
    assert_eq!(products.results[0].product.name, "Dye");
    assert_eq!(products.results[0].organization.name, "Dyer");
    let served = platform
        .search_organizations_by_customer("sailors", &Filters::default(), ALL)
        .await
        .unwrap();
    assert_eq!(served.total_count, 1);
}

#[test]
fn schema_accepts_what_the_server_accepts_and_rejects_what_it_cannot_read() {
    let schema = serde_json::to_value(Data::json_schema()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(validator.is_valid(&sound()));
    assert!(validator.is_valid(&json!({})));
    for broken in [
        with("/organizations/0/organization_id", json!(0)),
        with("/organizations/0/colour", json!("red")),
        with("/organizations/-", json!({"organization_id": 3, "name": "x"})),
        with("/organizations/0/headquarters", json!({"country": "France"})),
        with("/pipelines/0/entity_data", json!(["organization.colour"])),
        with("/pipelines/0/questions/0/takes_seconds", json!(-1)),
        with("/api_keys/0/key", json!("sesame opens")),
    ] {
        assert!(!validator.is_valid(&broken), "{broken}");
    }
}

#[test]
fn built_in_files_are_documents_of_the_schema() {
    let schema = serde_json::to_value(Data::json_schema()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let document = json!({
        "organizations": read(include_str!("../../../../assets/data/organizations.json")),
        "products": read(include_str!("../../../../assets/data/products.json")),
        "pipelines": read(include_str!("../../../../assets/data/pipelines.json")),
        "api_keys": read(include_str!("../../../../assets/data/api_keys.json")),
    });
    let faults: Vec<_> = validator
        .iter_errors(&document)
        .map(|error| error.to_string())
        .take(3)
        .collect();
    assert_eq!(faults, [""; 0]);
}

#[test]
fn byte_order_mark_is_ignored() {
    assert!(Dataset::from_json(&format!("\u{FEFF}{}", sound())).is_ok());
    assert!(Dataset::from_json(&format!("{}\u{FEFF}", sound())).is_err());
}
