//! Pipeline items, their values and their status as they go over the wire.

use std::collections::BTreeMap;

use axum::body::Body;
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Number;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{
    AnyOfBuilder, Array, ArrayBuilder, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type,
};
use utoipa::{PartialSchema, ToSchema};

use crate::model::item::ItemList;
use crate::model::pipeline as pipeline_model;
use crate::model::value as model;
use crate::model::{ids, item};
use crate::wire::chunks::Chunks;
use crate::wire::ids::{DocumentId, OrganizationId, PersonId, PipelineId, PipelineItemId};

// It is written by `write_page`; this type describes it.
/// One page of the items of a pipeline.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body in the document")]
pub(in crate::wire) struct ItemPage {
    pipeline_id: PipelineId,
    #[schema(value_type = i64, minimum = 0)]
    total_count: usize,
    #[schema(max_items = 1000)]
    items: Vec<PipelineItem>,
}

/// How many items are written at a time: about 0.1 ms of work.
const ITEMS_AT_ONCE: usize = 16;

/// Writes an [`ItemPage`], and yields to other requests while items are written for the first time.
pub(in crate::wire) async fn write_page(pipeline_id: ids::PipelineId, list: &ItemList) -> serde_json::Result<Body> {
    let mut items = Vec::with_capacity(list.items.len());
    let mut written = 0;
    for item in &list.items {
        if item.rendering.get().is_none() {
            written += 1;
            if written % ITEMS_AT_ONCE == 0 {
                tokio::task::yield_now().await;
            }
        }
        items.push(write_item(item)?);
    }
    let mut page = Chunks::default();
    let total_count = list.total_count;
    let head = format!(r#"{{"pipeline_id":{pipeline_id},"total_count":{total_count},"items":["#);
    page.write(head.as_bytes());
    for (place, item) in items.into_iter().enumerate() {
        if place > 0 {
            page.write(b",");
        }
        page.write(item);
    }
    page.write(b"]}");
    Ok(page.into_body())
}

/// An item as a [`PipelineItem`], which is written once and kept as long as the item does not change.
pub(in crate::wire) fn write_item(item: &item::Item) -> serde_json::Result<&[u8]> {
    match item.rendering.get() {
        Some(written) => Ok(written),
        None => {
            let written = serde_json::to_vec(&PipelineItem::from(item))?;
            Ok(item.rendering.keep(written))
        }
    }
}

/// A submitted document or an entity in a pipeline.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::wire) struct PipelineItem {
    pipeline_id: PipelineId,
    pipeline_item_id: PipelineItemId,
    entity_type: EntityType,
    #[schema(required)]
    organization_id: Option<OrganizationId>,
    #[schema(required)]
    person_id: Option<PersonId>,
    #[schema(required)]
    document_id: Option<DocumentId>,
    values: Values,
}

/// Column values keyed by column id.
#[derive(Debug, Serialize, ToSchema)]
struct Values(BTreeMap<String, ColumnValue>);

/// What an item is.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum EntityType {
    Organization,
    Person,
    Document,
}

/// The value of one column of an item.
#[derive(Debug, Serialize, ToSchema)]
struct ColumnValue {
    result: Vec<ResultValue>,
    category: ValueCategory,
    #[schema(required, value_type = Option<i32>, minimum = 0, maximum = 100)]
    certainty_score: Option<u8>,
    #[schema(required)]
    status: Option<ExecutionStatus>,
    #[schema(schema_with = references)]
    references: Vec<String>,
    #[schema(required)]
    sync_status: Option<SyncStatus>,
    #[schema(required)]
    sync_provider: Option<String>,
    #[schema(required)]
    last_synced_at: Option<DateTime<Utc>>,
    #[schema(required)]
    sync_error: Option<String>,
}

fn references() -> Array {
    let uri = ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::Custom("uri".to_owned())));
    ArrayBuilder::new().items(uri).build()
}

/// One extracted value.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum ResultValue {
    Text(String),
    Number(Number),
    YesNo(bool),
}

impl ToSchema for ResultValue {}

impl PartialSchema for ResultValue {
    fn schema() -> RefOr<Schema> {
        let known = [Type::String, Type::Number, Type::Boolean].map(SchemaType::from);
        // Other kinds may come.
        let alternatives = known.into_iter().chain([SchemaType::AnyValue]);
        let any_of = alternatives.fold(AnyOfBuilder::new(), |any_of, alternative| {
            any_of.item(ObjectBuilder::new().schema_type(alternative))
        });
        Schema::from(any_of.build()).into()
    }
}

/// Value source.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ValueCategory {
    PlatformData,
    Llm,
    LlmWebbrowsing,
    LlmVisualEngine,
    Formula,
}

/// Execution status of a question.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ExecutionStatus {
    Pending,
    Completed,
    NoAnswer,
    Failed,
    Skipped,
}

/// CRM sync status.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum SyncStatus {
    Success,
    Pending,
    Error,
}

/// Processing readiness of one item, with one boolean a stage.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::wire) struct ItemStatus {
    pipeline_id: PipelineId,
    pipeline_item_id: PipelineItemId,
    is_ready: bool,
    document_indexed: bool,
    custom_questions_answered: bool,
    platform_entity_data_ready: bool,
}

impl From<&item::Item> for PipelineItem {
    fn from(item: &item::Item) -> Self {
        let values = item
            .values
            .iter()
            .map(|(column, value)| (column.to_string(), value.into()))
            .collect();
        Self {
            pipeline_id: item.pipeline_id.into(),
            pipeline_item_id: item.pipeline_item_id.into(),
            entity_type: item.entity_type.into(),
            organization_id: item.organization_id.map(Into::into),
            person_id: item.person_id.map(Into::into),
            document_id: item.document_id.map(Into::into),
            values: Values(values),
        }
    }
}

impl From<pipeline_model::EntityType> for EntityType {
    fn from(entity_type: pipeline_model::EntityType) -> Self {
        match entity_type {
            pipeline_model::EntityType::Organization => Self::Organization,
            pipeline_model::EntityType::Person => Self::Person,
            pipeline_model::EntityType::Document => Self::Document,
        }
    }
}

impl From<&model::ColumnValue> for ColumnValue {
    fn from(value: &model::ColumnValue) -> Self {
        Self {
            result: value.result.iter().map(ResultValue::from).collect(),
            category: value.category.into(),
            certainty_score: value.certainty_score,
            status: value.status.map(Into::into),
            references: value.references.clone(),
            sync_status: value.sync_status.map(Into::into),
            sync_provider: value.sync_provider.clone(),
            last_synced_at: value.last_synced_at,
            sync_error: value.sync_error.clone(),
        }
    }
}

impl From<&model::Scalar> for ResultValue {
    fn from(scalar: &model::Scalar) -> Self {
        match scalar {
            model::Scalar::Text(text) => Self::Text(text.clone()),
            model::Scalar::Number(number) => Self::Number(number.clone()),
            model::Scalar::Boolean(yes) => Self::YesNo(*yes),
        }
    }
}

impl From<model::ValueCategory> for ValueCategory {
    fn from(category: model::ValueCategory) -> Self {
        match category {
            model::ValueCategory::PlatformData => Self::PlatformData,
            model::ValueCategory::Llm => Self::Llm,
            model::ValueCategory::LlmWebbrowsing => Self::LlmWebbrowsing,
            model::ValueCategory::LlmVisualEngine => Self::LlmVisualEngine,
            model::ValueCategory::Formula => Self::Formula,
        }
    }
}

impl From<model::ExecutionStatus> for ExecutionStatus {
    fn from(status: model::ExecutionStatus) -> Self {
        match status {
            model::ExecutionStatus::Pending => Self::Pending,
            model::ExecutionStatus::Completed => Self::Completed,
            model::ExecutionStatus::NoAnswer => Self::NoAnswer,
            model::ExecutionStatus::Failed => Self::Failed,
            model::ExecutionStatus::Skipped => Self::Skipped,
        }
    }
}

impl From<model::SyncStatus> for SyncStatus {
    fn from(status: model::SyncStatus) -> Self {
        match status {
            model::SyncStatus::Success => Self::Success,
            model::SyncStatus::Pending => Self::Pending,
            model::SyncStatus::Error => Self::Error,
        }
    }
}

impl From<item::ItemStatus> for ItemStatus {
    fn from(status: item::ItemStatus) -> Self {
        Self {
            pipeline_id: status.pipeline_id.into(),
            pipeline_item_id: status.pipeline_item_id.into(),
            is_ready: status.is_ready(),
            document_indexed: status.document_indexed,
            custom_questions_answered: status.custom_questions_answered,
            platform_entity_data_ready: status.platform_entity_data_ready,
        }
    }
}
