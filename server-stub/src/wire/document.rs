//! The OpenAPI document of the served operations. It is made from the same declarations that read the requests and
//! write the responses, and a test compares it with `openapi.yaml`.

use serde_json::{Value, json};
use utoipa::OpenApi;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme};

use super::answer::REQUIRED;
use super::ids::{OrganizationId, PipelineId, PipelineItemId, ProductId};
use super::parameter::SEARCH_TEXT_MAX;
use super::pipelines::add_organization::AddOrganizationRequest;
use super::pipelines::item::{ItemPage, ItemStatus, PipelineItem};
use super::pipelines::items;
use super::problem::ProblemBody;
use super::request_id::RequestId;
use super::search::filters;
use super::search::record::{OrganizationSearchPage, ProductSearchPage};

#[derive(OpenApi)]
#[openapi(components(schemas(
    AddOrganizationRequest,
    ItemPage,
    ItemStatus,
    OrganizationId,
    OrganizationSearchPage,
    PipelineId,
    PipelineItem,
    PipelineItemId,
    ProblemBody,
    ProductId,
    ProductSearchPage,
    RequestId,
)))]
struct Components;

/// The document before its operations.
pub(super) fn base() -> utoipa::openapi::OpenApi {
    let mut document = Components::openapi();
    document.info.title = "Organization and Product Search and Pipeline Items".to_owned();
    document.info.version = "1.0.0".to_owned();
    document.info.description = Some("What this server serves. The contract is openapi.yaml.".to_owned());
    let components = document.components.get_or_insert_default();
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let search_text = text()
        .min_length(Some(1))
        .max_length(Some(SEARCH_TEXT_MAX))
        .pattern(Some(r"\S"));
    let date = text().format(Some(utoipa::openapi::schema::SchemaFormat::KnownFormat(
        utoipa::openapi::schema::KnownFormat::Date,
    )));
    let scalars = [
        ("SearchText", search_text.build().into()),
        ("DateBound", date.build().into()),
    ];
    for (name, schema) in scalars.into_iter().chain(filters::schemas()).chain(items::schemas()) {
        components
            .schemas
            .insert(name.to_owned(), utoipa::openapi::RefOr::T(schema));
    }
    let scheme = SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new("API-Key")));
    components.security_schemes.insert("ApiKey".to_owned(), scheme.into());
    document.security = Some(vec![SecurityRequirement::new("ApiKey", Vec::<String>::new())]);
    document
}

/// Adds to the document what its library cannot express.
pub(super) fn complete(document: utoipa::openapi::OpenApi) -> Value {
    // A document made from declarations is always JSON. If it were not, the comparison would fail.
    let mut document = serde_json::to_value(document).unwrap_or_else(|error| json!({"error": error.to_string()}));
    restore_required(&mut document);
    take_request_id(&mut document);
    document
}

/// The envelope reads `X-Request-Id` from every request, whatever its operation.
fn take_request_id(document: &mut Value) {
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    let operations = paths.flat_map(|(_, path)| path.as_object_mut().into_iter().flatten());
    for (_, operation) in operations {
        if let Some(parameters) = operation["parameters"].as_array_mut() {
            parameters.push(json!({
                "name": "X-Request-Id",
                "in": "header",
                "required": false,
                "schema": {"$ref": "#/components/schemas/RequestId"},
            }));
        }
    }
}

fn restore_required(node: &mut Value) {
    match node {
        Value::Array(items) => items.iter_mut().for_each(restore_required),
        Value::Object(members) => {
            if let Some(required) = members.remove(REQUIRED) {
                members.insert("required".to_owned(), required);
            }
            members.values_mut().for_each(restore_required);
        }
        _ => {}
    }
}
