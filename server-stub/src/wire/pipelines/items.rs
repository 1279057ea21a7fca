//! Listing the items of a pipeline, and reading the values and the status of one.

use axum::extract::State;
use axum::response::Response;
use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

use super::item::{ItemPage, ItemStatus, PipelineItem, write_item, write_page};
use crate::model::ids::{MAX_ID, PipelineId, PipelineItemId};
use crate::model::policy::{Action, Resource};
use crate::model::sort::SortOrder;
use crate::platform::Platform;
use crate::wire::answer::Success;
use crate::wire::call::Call;
use crate::wire::json::{Json, json};
use crate::wire::page::read_page;
use crate::wire::parameter::{Integer, PathId, Reader, optional};
use crate::wire::problem::{FaultKind, Problem, ProblemCode};

pub(in crate::wire) const PIPELINE_ID: PathId = PathId {
    name: "pipeline_id",
    schema: "PipelineId",
};
const PIPELINE_ITEM_ID: PathId = PathId {
    name: "pipeline_item_id",
    schema: "PipelineItemId",
};
const SKIP: Integer = Integer {
    name: "skip",
    min: 0,
    max: MAX_ID,
    default: Some(0),
    format: "int64",
    schema: None,
};
const LIMIT: Integer = Integer {
    name: "limit",
    min: 1,
    max: 1000,
    default: Some(100),
    format: "int32",
    schema: None,
};
const SORT_BY: &str = "sort_by";
const SORT_ORDER: &str = "sort_order";

/// List the items of a pipeline
#[utoipa::path(
    get,
    path = "/api/v1/pipelines/{pipeline_id}/items",
    tag = "pipeline-items",
    params(Pipeline, Sorting),
    responses(Success<ItemPage, 200>, ListProblems)
)]
pub(in crate::wire) async fn list_items(State(platform): State<Platform>, call: Call) -> Result<Response, Problem> {
    call.authorize(&platform, Action::Read, Resource::CollectionItem, Some(PIPELINE_ID))?;
    let mut reader = call.reader();
    let pipeline_id = call.id::<PipelineId>(PIPELINE_ID, &mut reader);
    let page = read_page(&mut reader, SKIP, LIMIT);
    // It is checked later than the other parameters, because a malformed one has a separate code.
    let sort_by = reader.take_one(SORT_BY);
    let sort_order = read_sort_order(&mut reader);
    let (pipeline_id, page) = reader.finish(|| Some((pipeline_id?, page?)))?;
    let list = platform
        .list_items(pipeline_id, sort_by.as_deref(), sort_order, page)
        .await?;
    // Items are plain data, which can always be written.
    let page = write_page(pipeline_id, &list).await;
    Ok(json(page.map_err(|_| Problem::internal())?))
}

/// Read the values of an item
#[utoipa::path(
    get,
    path = "/api/v1/pipelines/{pipeline_id}/items/{pipeline_item_id}/values",
    tag = "pipeline-items",
    params(PipelineAndItem),
    responses(Success<PipelineItem, 200>, ItemProblems)
)]
pub(in crate::wire) async fn get_item_values(
    State(platform): State<Platform>,
    call: Call,
) -> Result<Response, Problem> {
    let (pipeline_id, pipeline_item_id) = item_of(&platform, &call)?;
    let item = platform.get_item_values(pipeline_id, pipeline_item_id).await?;
    let written = write_item(&item).map_err(|_| Problem::internal())?;
    Ok(json(written.to_vec()))
}

/// Read the readiness of an item
#[utoipa::path(
    get,
    path = "/api/v1/pipelines/{pipeline_id}/items/{pipeline_item_id}/status",
    tag = "pipeline-items",
    params(PipelineAndItem),
    responses(Success<ItemStatus, 200>, ItemProblems)
)]
pub(in crate::wire) async fn get_item_status(
    State(platform): State<Platform>,
    call: Call,
) -> Result<Json<ItemStatus>, Problem> {
    let (pipeline_id, pipeline_item_id) = item_of(&platform, &call)?;
    Ok(Json(
        platform.get_item_status(pipeline_id, pipeline_item_id).await?.into(),
    ))
}

fn item_of(platform: &Platform, call: &Call) -> Result<(PipelineId, PipelineItemId), Problem> {
    call.authorize(platform, Action::Read, Resource::CollectionItem, Some(PIPELINE_ID))?;
    let mut reader = call.reader();
    let pipeline_id = call.id(PIPELINE_ID, &mut reader);
    let pipeline_item_id = call.id(PIPELINE_ITEM_ID, &mut reader);
    reader.finish(|| Some((pipeline_id?, pipeline_item_id?)))
}

fn read_sort_order(reader: &mut Reader) -> SortOrder {
    match reader.take_one(SORT_ORDER).as_deref() {
        None | Some("asc") => SortOrder::Ascending,
        Some("desc") => SortOrder::Descending,
        Some(_) => {
            reader.fault(&["query", SORT_ORDER], "must be asc or desc", FaultKind::NotOneOf);
            SortOrder::Ascending
        }
    }
}

/// The named schemas that sorting adds to the document.
pub(in crate::wire) fn schemas() -> [(&'static str, Schema); 2] {
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let order = text().enum_values(Some(["asc", "desc"])).default(Some("asc".into()));
    let column = text().pattern(Some(r"^question\.[1-9][0-9]*$"));
    [
        ("SortOrder", order.build().into()),
        ("QuestionColumnId", column.build().into()),
    ]
}

struct Sorting;

impl IntoParams for Sorting {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![
            SKIP.describe(),
            LIMIT.describe(),
            optional(SORT_BY, "QuestionColumnId"),
            optional(SORT_ORDER, "SortOrder"),
        ]
    }
}

parameters!(pub(in crate::wire) Pipeline: PIPELINE_ID);
parameters!(PipelineAndItem: PIPELINE_ID, PIPELINE_ITEM_ID);
problems!(ListProblems: [
    ProblemCode::PipelineNotFound,
    ProblemCode::InvalidSortBy,
    ProblemCode::UnknownSortColumn,
]);
problems!(ItemProblems: [
    ProblemCode::PipelineNotFound,
    ProblemCode::ItemNotFound,
    ProblemCode::ItemNotInPipeline,
]);
