//! The records of the server.

use axum::extract::{Request, State};
use axum::http::StatusCode;

use super::body::json_bytes;
use super::problem::{AdminProblem, ProblemBody};
use crate::control::{Control, SeedError};
use crate::data::Data;

/// Maximum number of bytes in a document: about 100,000 organizations.
const DATA_MAX: usize = 256 << 20;

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
/// The body is a data document, as `--data` reads it; `--data-schema` prints its JSON Schema. A reset goes back to it from
/// now on. API keys in it are added, and replace those with the same name; plans are removed.
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
/// The body is a data document. A record in it replaces the one with the same id, an API key the one with the same name,
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

async fn read(request: Request) -> Result<Data, AdminProblem> {
    let bytes = json_bytes(request, DATA_MAX).await?;
    let text = str::from_utf8(&bytes);
    let text = text.map_err(|_| AdminProblem::invalid("the body is not UTF-8"))?;
    Data::from_json(text).map_err(|error| AdminProblem::invalid(error.to_string()))
}
