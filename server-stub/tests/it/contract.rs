//! The document of the running server agrees with `openapi.yaml`.

use assert_json_diff::{CompareMode, Config, assert_json_matches_no_panic};
use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt;
use platform_contract::{Contract, canonical};
use platform_server_stub::Server;
use platform_server_stub::wire::DOCUMENT_PATH;
use serde_json::{Value, json};
use tower::ServiceExt;

fn contract() -> Value {
    Contract::bundled().document().clone()
}

async fn served() -> Value {
    let request = Request::get(DOCUMENT_PATH).body(Body::empty()).unwrap();
    let response = Server::built_in().router().oneshot(request).await.unwrap();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&body).unwrap()
}

fn difference(contract: &Value, served: &Value) -> Option<String> {
    let exactly = Config::new(CompareMode::Strict);
    assert_json_matches_no_panic(&canonical(served).unwrap(), &canonical(contract).unwrap(), exactly).err()
}

#[tokio::test]
async fn served_document_equals_the_contract() {
    if let Some(difference) = difference(&contract(), &served().await) {
        panic!(
            "The served document (left) differs from openapi.yaml (right). The contract leads: mend the server, \
             unless it is the contract that is to change.\n{difference}"
        );
    }
}

/// Each change is one that a client would notice. The comparison must report every one.
#[tokio::test]
async fn comparison_notices_every_kind_of_change() {
    let served = served().await;
    let list = "/paths/~1api~1v1~1pipelines~1{pipeline_id}~1items/get";
    let limit = format!("{list}/parameters/2");
    let add = "/paths/~1api~1v1~1pipelines~1{pipeline_id}~1organizations/post";
    let schemas = "/components/schemas";
    let value = format!("{schemas}/ColumnValue/properties");
    let changes: &[(&str, String, &str, Option<Value>)] = &[
        ("a maximum", format!("{limit}/schema"), "maximum", Some(json!(999))),
        ("a minimum", format!("{limit}/schema"), "minimum", Some(json!(0))),
        ("a default", format!("{limit}/schema"), "default", Some(json!(50))),
        ("a format", format!("{limit}/schema"), "format", Some(json!("int64"))),
        ("a bound that goes", format!("{limit}/schema"), "maximum", None),
        (
            "a pattern",
            format!("{schemas}/CountryCode"),
            "pattern",
            Some(json!("^[A-Z]{3}$")),
        ),
        (
            "a length",
            format!("{schemas}/SearchText"),
            "maxLength",
            Some(json!(2001)),
        ),
        (
            "a list's size",
            "/components/parameters/Countries/schema".into(),
            "maxItems",
            Some(json!(51)),
        ),
        ("a parameter's name", limit.clone(), "name", Some(json!("page_size"))),
        ("a parameter's place", limit.clone(), "in", Some(json!("header"))),
        (
            "a parameter that is required",
            limit.clone(),
            "required",
            Some(json!(true)),
        ),
        (
            "a parameter's form",
            "/components/parameters/Countries".into(),
            "explode",
            Some(json!(false)),
        ),
        (
            "a parameter's type",
            format!("{limit}/schema"),
            "type",
            Some(json!("number")),
        ),
        ("a status that goes", format!("{list}/responses"), "404", None),
        (
            "a status that comes",
            format!("{list}/responses"),
            "410",
            Some(json!({"description": "Gone"})),
        ),
        (
            "a header that goes",
            "/components/responses/RateLimited/headers".into(),
            "Retry-After",
            None,
        ),
        (
            "a header that may be absent",
            "/components/headers/Retry-After".into(),
            "required",
            None,
        ),
        (
            "a header's schema",
            "/components/headers/Retry-After/schema".into(),
            "type",
            Some(json!("string")),
        ),
        (
            "a media type",
            "/components/responses/PipelineNotFound/content".into(),
            "application/json",
            None,
        ),
        (
            "a body that may be absent",
            format!("{add}/requestBody"),
            "required",
            Some(json!(false)),
        ),
        (
            "an object that opens",
            format!("{schemas}/AddOrganizationRequest"),
            "additionalProperties",
            None,
        ),
        (
            "a property that goes",
            format!("{schemas}/ItemStatus/properties"),
            "is_ready",
            None,
        ),
        (
            "a property that may be absent",
            format!("{schemas}/ItemStatus"),
            "required",
            Some(json!(["is_ready"])),
        ),
        (
            "a property's type",
            format!("{value}/sync_error"),
            "type",
            Some(json!("integer")),
        ),
        ("nullability that goes", format!("{value}/sync_error"), "nullable", None),
        (
            "nullability that comes",
            format!("{value}/references"),
            "nullable",
            Some(json!(true)),
        ),
        (
            "nullability of an object",
            format!("{schemas}/Similarity"),
            "nullable",
            Some(json!(true)),
        ),
        (
            "a value of an enum",
            format!("{schemas}/EntityType"),
            "enum",
            Some(json!(["organization", "person"])),
        ),
        (
            "a value of a nullable enum",
            format!("{schemas}/ExecutionStatus"),
            "enum",
            Some(json!(["pending", null])),
        ),
        (
            "an alternative",
            format!("{schemas}/ResultValue"),
            "anyOf",
            Some(json!([{"type": "string"}])),
        ),
        (
            "an item's schema",
            format!("{value}/references"),
            "items",
            Some(json!({"type": "string"})),
        ),
        ("an operationId", list.into(), "operationId", Some(json!("get_items"))),
        ("a tag", list.into(), "tags", Some(json!(["items"]))),
        (
            "an operation that needs no key",
            list.into(),
            "security",
            Some(json!([])),
        ),
        (
            "the key's header",
            "/components/securitySchemes/ApiKey".into(),
            "name",
            Some(json!("X-Api-Key")),
        ),
    ];
    assert_eq!(difference(&contract(), &served), None);
    for (change, place, member, value) in changes {
        let mut contract = contract();
        let node = contract
            .pointer_mut(place)
            .unwrap_or_else(|| panic!("{place} leads nowhere"));
        let members = node.as_object_mut().unwrap();
        let before = match value {
            Some(value) => members.insert((*member).to_owned(), value.clone()),
            None => members.remove(*member),
        };
        assert_ne!(before.as_ref(), value.as_ref(), "{change} is no change");
        assert!(difference(&contract, &served).is_some(), "{change} goes unnoticed");
    }
    let mut renamed = contract();
    let items = renamed["components"]["schemas"].as_object_mut().unwrap();
    let item = items.remove("ItemStatus").unwrap();
    items.insert("Readiness".to_owned(), item);
    let renamed = renamed
        .to_string()
        .replace("#/components/schemas/ItemStatus", "#/components/schemas/Readiness");
    let renamed = serde_json::from_str(&renamed).unwrap();
    assert!(
        difference(&renamed, &served).is_some(),
        "an object's name goes unnoticed"
    );
}

#[tokio::test]
async fn served_document_uses_each_of_its_schemas() {
    let served = served().await;
    let text = served.to_string();
    for name in served["components"]["schemas"].as_object().unwrap().keys() {
        assert!(text.contains(&format!("\"#/components/schemas/{name}\"")), "{name}");
    }
}
