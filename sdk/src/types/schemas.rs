//! JSON Schemas of the handwritten types. Those of the other types are derived.
//!
//! A schema describes what a type accepts and produces. The schema of an open list names the known values but
//! accepts any text, so that a stored response of a later server version stays valid.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::{
    DateBound, DocumentId, EntityType, ExecutionStatus, FundingStage, OrganizationId, PersonId, PipelineId,
    PipelineItemId, ProblemCode, ProductId, QuestionId, ResultValue, SyncStatus, UnknownFields, ValueCategory,
};

macro_rules! schema {
    ($($name:ident: $schema:expr,)+) => {$(
        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn schema_id() -> Cow<'static, str> {
                concat!("platform_sdk::", stringify!($name)).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    )+};
}

schema! {
    OrganizationId: id("Identifies an organization."),
    ProductId: id("Identifies a product."),
    PipelineId: id("Identifies a pipeline."),
    PipelineItemId: id("Identifies an item among the items of all pipelines."),
    PersonId: id("Identifies a person."),
    DocumentId: id("Identifies a document."),
    QuestionId: id("Identifies a qualifying question of a pipeline."),
    EntityType: open(EntityType::KNOWN.iter().map(EntityType::as_str)),
    ExecutionStatus: open(ExecutionStatus::KNOWN.iter().map(ExecutionStatus::as_str)),
    SyncStatus: open(SyncStatus::KNOWN.iter().map(SyncStatus::as_str)),
    ValueCategory: open(ValueCategory::KNOWN.iter().map(ValueCategory::as_str)),
    FundingStage: open(FundingStage::KNOWN.iter().map(FundingStage::as_str)),
    ProblemCode: open(ProblemCode::KNOWN.iter().map(ProblemCode::as_str)),
    ResultValue: json_schema!({
        "description": "One extracted value: today text, a number, or yes or no.",
        "anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}, true],
    }),
    DateBound: json_schema!({
        "description": "A calendar date, `YYYY-MM-DD`.",
        "type": "string",
        "format": "date",
    }),
    UnknownFields: json_schema!({
        "description": "Fields that this version of the SDK does not know.",
        "type": "object",
        "additionalProperties": true,
    }),
}

fn id(description: &str) -> Schema {
    json_schema!({
        "description": description,
        "type": "integer",
        "format": "int64",
        "minimum": 1,
        // 2^53 − 1, the largest integer that every JSON reader reads exactly.
        "maximum": 9_007_199_254_740_991_i64,
    })
}

fn open(known: impl Iterator<Item = &'static str>) -> Schema {
    json_schema!({
        "anyOf": [
            {"type": "string", "enum": known.collect::<Vec<_>>()},
            {"description": "A value that this version of the SDK does not know.", "type": "string"},
        ],
    })
}
