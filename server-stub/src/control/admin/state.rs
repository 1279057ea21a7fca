//! The state of the server as a whole.

use axum::extract::State;
use axum::http::StatusCode;

use super::body::NoBody;
use super::problem::{AdminProblem, ProblemBody};
use crate::control::Control;

/// Reset to the initial state: items, time, plans, keys, quotas, faults and the recorded requests
#[utoipa::path(
    post,
    path = "/reset",
    tag = "state",
    responses((status = 204, description = "Done."), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn reset(State(control): State<Control>, NoBody: NoBody) -> Result<StatusCode, AdminProblem> {
    control.reset().await?;
    Ok(StatusCode::NO_CONTENT)
}
