//! The time of the server.

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::body::{JsonBody, NoBody};
use super::problem::{AdminProblem, ProblemBody};
use crate::control::Control;
use crate::platform::clock::{Clock, VirtualClock};

/// The longest advance at once in seconds: 100 years.
const ADVANCE_MAX: f64 = 3_155_760_000.0;

/// The state of the clock.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ClockState {
    /// The time of the server.
    now: DateTime<Utc>,
    /// Whether the clock is frozen.
    is_frozen: bool,
    /// When the next background work is due; null if none is left.
    #[schema(required)]
    next_due: Option<DateTime<Utc>>,
}

/// How far to advance.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Advance {
    /// Seconds, from 0 to 3,155,760,000 (100 years); fractions are allowed.
    #[schema(minimum = 0, maximum = 3_155_760_000_i64)]
    seconds: f64,
}

impl ClockState {
    fn of(clock: &VirtualClock) -> Json<Self> {
        Json(Self {
            now: clock.now(),
            is_frozen: clock.is_frozen(),
            next_due: clock.next_due(),
        })
    }
}

/// Read the clock
#[utoipa::path(
    get,
    path = "/clock",
    tag = "clock",
    responses((status = 200, body = ClockState), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn get_clock(State(control): State<Control>) -> Json<ClockState> {
    ClockState::of(control.clock())
}

/// Freeze the clock
#[utoipa::path(
    post,
    path = "/clock/freeze",
    tag = "clock",
    responses((status = 200, body = ClockState), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn freeze_clock(State(control): State<Control>, NoBody: NoBody) -> Json<ClockState> {
    control.clock().freeze();
    ClockState::of(control.clock())
}

/// Resume the clock
#[utoipa::path(
    post,
    path = "/clock/resume",
    tag = "clock",
    responses((status = 200, body = ClockState), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn resume_clock(State(control): State<Control>, NoBody: NoBody) -> Json<ClockState> {
    control.clock().resume();
    ClockState::of(control.clock())
}

/// Advance the clock; responds when all due work is done
#[utoipa::path(
    post,
    path = "/clock/advance",
    tag = "clock",
    request_body = Advance,
    responses((status = 200, body = ClockState), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn advance_clock(
    State(control): State<Control>,
    JsonBody(Advance { seconds }): JsonBody<Advance>,
) -> Result<Json<ClockState>, AdminProblem> {
    if !(0.0..=ADVANCE_MAX).contains(&seconds) {
        let detail = format!("seconds: must be from 0 to {ADVANCE_MAX}; the time cannot go back");
        return Err(AdminProblem::invalid(detail));
    }
    let duration = std::time::Duration::from_secs_f64(seconds);
    control.clock().advance(duration).await;
    Ok(ClockState::of(control.clock()))
}

/// Advance the clock until no work is left
///
/// Stops after 100,000 moments at which work was done. `next_due` is then not null.
#[utoipa::path(
    post,
    path = "/clock/run-to-idle",
    tag = "clock",
    responses((status = 200, body = ClockState), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn run_clock_to_idle(State(control): State<Control>, NoBody: NoBody) -> Json<ClockState> {
    control.clock().run_to_idle().await;
    ClockState::of(control.clock())
}
