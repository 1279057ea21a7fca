//! Snapshots of the state.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;

use super::body::{NoBody, json_bytes};
use super::problem::{AdminProblem, ProblemBody};
use crate::control::{Control, Snapshot, SnapshotError};

/// Maximum number of bytes in a snapshot: about 100,000 items.
const SNAPSHOT_MAX: usize = 256 << 20;

impl From<SnapshotError> for AdminProblem {
    fn from(error: SnapshotError) -> Self {
        match error {
            SnapshotError::Store(error) => error.into(),
            SnapshotError::OtherData => Self::conflict(error.to_string()),
            _ => Self::invalid(error.to_string()),
        }
    }
}

/// Take a snapshot of the items, their work and the time
///
/// Store the body as a file, and send it as it is to restore the state.
#[utoipa::path(
    get,
    path = "/snapshot",
    tag = "state",
    responses(
        (status = 200, description = "The snapshot.", body = serde_json::Value),
        (status = "4XX", body = ProblemBody)
    )
)]
pub(super) async fn take_snapshot(
    State(control): State<Control>,
    NoBody: NoBody,
) -> Result<impl IntoResponse, AdminProblem> {
    let snapshot = control.snapshot().await?;
    Ok(([(CONTENT_TYPE, "application/json")], snapshot.to_json()))
}

/// Go back to a snapshot of the same data
///
/// It is checked in full before anything changes. Faults, plans, keys, quotas and recorded requests stay as they are.
#[utoipa::path(
    put,
    path = "/snapshot",
    tag = "state",
    request_body = serde_json::Value,
    responses((status = 204, description = "Done."), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn restore_snapshot(
    State(control): State<Control>,
    request: Request,
) -> Result<StatusCode, AdminProblem> {
    let json = json_bytes(request, SNAPSHOT_MAX).await?;
    control.restore(&Snapshot::from_json(&json)?).await?;
    Ok(StatusCode::NO_CONTENT)
}
