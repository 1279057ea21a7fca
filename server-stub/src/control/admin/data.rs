//! The records of the server.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::body::{JsonBody, json_bytes};
use super::problem::{AdminProblem, ProblemBody};
use crate::control::{Control, SeedError};
use crate::data::{Data, Removal};
use crate::model::ids::{OrganizationId, PipelineId, PipelineItemId, ProductId};

/// Maximum number of bytes in a document: about 100,000 organizations.
const DATA_MAX: usize = 256 << 20;

/// The ids of records to remove; a list that is left out is empty.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RemovalBody {
    /// Organizations; their products and items are removed too.
    #[schema(value_type = Vec<i64>)]
    organizations: Vec<OrganizationId>,
    /// Products.
    #[schema(value_type = Vec<i64>)]
    products: Vec<ProductId>,
    /// Pipelines; their items are removed too.
    #[schema(value_type = Vec<i64>)]
    pipelines: Vec<PipelineId>,
    /// Items.
    #[schema(value_type = Vec<i64>)]
    items: Vec<PipelineItemId>,
}

impl From<RemovalBody> for Removal {
    fn from(body: RemovalBody) -> Self {
        let removal = body.organizations.into_iter().fold(Self::default(), Self::organization);
        let removal = body.products.into_iter().fold(removal, Self::product);
        let removal = body.pipelines.into_iter().fold(removal, Self::pipeline);
        body.items.into_iter().fold(removal, Self::item)
    }
}

impl From<SeedError> for AdminProblem {
    fn from(error: SeedError) -> Self {
        match error {
            SeedError::Data(_) => Self::invalid(error.to_string()),
            SeedError::Items(_) | SeedError::Key(_) | SeedError::Durable => Self::conflict(error.to_string()),
            SeedError::Store(error) => error.into(),
        }
    }
}

/// Replace all data
///
/// The body is a data document, as `--data` reads it; `--data-schema` prints its JSON Schema. A reset goes back to it
/// from now on. API keys in it are added, and replace those with the same name; plans are removed.
#[utoipa::path(
    put,
    path = "/data",
    tag = "data",
    request_body = serde_json::Value,
    responses((status = 204, description = "Done."), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn replace_data(State(control): State<Control>, request: Request) -> Result<StatusCode, AdminProblem> {
    control.seed(read(request).await?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Change or add some records
///
/// The body is a data document. A record in it replaces the one with the same id, a key the one with the same name,
/// and all others are added. Items that exist stay, except those in the document. A reset goes back to the changed data
/// from now on.
#[utoipa::path(
    patch,
    path = "/data",
    tag = "data",
    request_body = serde_json::Value,
    responses((status = 204, description = "Done."), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn change_data(State(control): State<Control>, request: Request) -> Result<StatusCode, AdminProblem> {
    control.change_records(read(request).await?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Remove some records
///
/// What cannot exist without them is removed too: products and items of an organization, and the items of a pipeline.
/// If one of the records does not exist, nothing is removed. A reset goes back to the remaining data from now on.
#[utoipa::path(
    post,
    path = "/data/remove",
    tag = "data",
    request_body = RemovalBody,
    responses((status = 204, description = "Done."), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn remove_data(
    State(control): State<Control>,
    JsonBody(body): JsonBody<RemovalBody>,
) -> Result<StatusCode, AdminProblem> {
    control.remove_records(body.into()).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn read(request: Request) -> Result<Data, AdminProblem> {
    let bytes = json_bytes(request, DATA_MAX).await?;
    let text = str::from_utf8(&bytes);
    let text = text.map_err(|_| AdminProblem::invalid("the body is not UTF-8"))?;
    Data::from_json(text).map_err(|error| AdminProblem::invalid(error.to_string()))
}
