//! The faults that the server injects.

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::body::{JsonBody, NoBody};
use super::fault_body::FaultBody;
use super::problem::{AdminProblem, ProblemBody};
use crate::control::faults::{ActiveFault, FaultId};
use crate::control::{Control, Fault};

/// A fault that was added, and how often it was applied.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ActiveFaultBody {
    id: FaultId,
    /// Number of requests that it could have applied to.
    matched: u64,
    /// Number of requests that it was applied to.
    applied: u64,
    fault: FaultBody,
}

/// All faults.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FaultList {
    /// In the order in which they were added. The first that applies to a request wins.
    faults: Vec<ActiveFaultBody>,
}

impl From<&ActiveFault> for ActiveFaultBody {
    fn from(active: &ActiveFault) -> Self {
        Self {
            id: active.id,
            matched: active.matched,
            applied: active.applied,
            fault: FaultBody::from(&active.fault),
        }
    }
}

/// List the faults
#[utoipa::path(
    get,
    path = "/faults",
    tag = "faults",
    responses((status = 200, body = FaultList), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn list_faults(State(control): State<Control>) -> Json<FaultList> {
    let faults = control.active_faults();
    Json(FaultList {
        faults: faults.iter().map(ActiveFaultBody::from).collect(),
    })
}

/// Add a fault, which applies from now on
#[utoipa::path(
    post,
    path = "/faults",
    tag = "faults",
    request_body = FaultBody,
    responses((status = 201, body = ActiveFaultBody), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn add_fault(
    State(control): State<Control>,
    JsonBody(body): JsonBody<FaultBody>,
) -> Result<(StatusCode, Json<ActiveFaultBody>), AdminProblem> {
    let fault = Fault::try_from(body)?;
    let added = ActiveFault {
        id: control.add_fault(fault.clone()).await?,
        fault,
        matched: 0,
        applied: 0,
    };
    Ok((StatusCode::CREATED, Json((&added).into())))
}

/// Remove all faults
#[utoipa::path(
    delete,
    path = "/faults",
    tag = "faults",
    responses((status = 204, description = "Done."), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn clear_faults(State(control): State<Control>, NoBody: NoBody) -> StatusCode {
    control.clear_faults();
    StatusCode::NO_CONTENT
}

/// Read one fault
#[utoipa::path(
    get,
    path = "/faults/{id}",
    tag = "faults",
    params(("id" = FaultId, Path)),
    responses((status = 200, body = ActiveFaultBody), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn get_fault(
    State(control): State<Control>,
    id: Result<Path<FaultId>, PathRejection>,
) -> Result<Json<ActiveFaultBody>, AdminProblem> {
    let id = read_id(id)?;
    let faults = control.active_faults();
    let found = faults.iter().find(|active| active.id == id);
    Ok(Json(found.ok_or_else(|| no_fault(id))?.into()))
}

/// Remove one fault
#[utoipa::path(
    delete,
    path = "/faults/{id}",
    tag = "faults",
    params(("id" = FaultId, Path)),
    responses((status = 204, description = "Done."), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn remove_fault(
    State(control): State<Control>,
    id: Result<Path<FaultId>, PathRejection>,
    NoBody: NoBody,
) -> Result<StatusCode, AdminProblem> {
    let id = read_id(id)?;
    match control.remove_fault(id) {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(no_fault(id)),
    }
}

fn read_id(id: Result<Path<FaultId>, PathRejection>) -> Result<FaultId, AdminProblem> {
    let detail = "the id of a fault is a whole number; GET /__admin/faults lists them";
    id.map(|Path(id)| id).map_err(|_| AdminProblem::not_found(detail))
}

fn no_fault(id: FaultId) -> AdminProblem {
    AdminProblem::not_found(format!("there is no fault {id}; GET /__admin/faults lists them"))
}
