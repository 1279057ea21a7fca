//! The namespaces of the server.

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::body::NoBody;
use super::origin::Origin;
use super::problem::{AdminProblem, ProblemBody};

/// All namespaces.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct NamespaceList {
    /// Their names, in order.
    namespaces: Vec<String>,
}

/// List the namespaces
#[utoipa::path(
    get,
    path = "/namespaces",
    tag = "namespaces",
    responses((status = 200, body = NamespaceList), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn list_namespaces(State(Origin(origin)): State<Origin>) -> Json<NamespaceList> {
    Json(NamespaceList {
        namespaces: origin.namespaces(),
    })
}

/// Remove a namespace and all that is in it
///
/// The next request that names it opens it again, as it was at the start.
#[utoipa::path(
    delete,
    path = "/namespaces/{name}",
    tag = "namespaces",
    params(("name" = String, Path)),
    responses((status = 204, description = "Done."), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn remove_namespace(
    State(Origin(origin)): State<Origin>,
    name: Result<Path<String>, PathRejection>,
    NoBody: NoBody,
) -> Result<StatusCode, AdminProblem> {
    match name.is_ok_and(|Path(name)| origin.remove_namespace(&name)) {
        true => Ok(StatusCode::NO_CONTENT),
        false => {
            let detail = "there is no such namespace; GET /__admin/namespaces lists them";
            Err(AdminProblem::not_found(detail))
        }
    }
}
