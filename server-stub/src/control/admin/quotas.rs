//! The quotas of keys.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::body::{JsonBody, NoBody};
use super::key_body::QuotaBody;
use super::problem::{AdminProblem, ProblemBody};
use crate::control::Control;
use crate::control::quota::KeyQuota;
use crate::model::policy::RateLimit;

/// The quotas of all keys.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct QuotaList {
    /// The quota of keys without their own quota; null without a limit.
    #[schema(required)]
    default: Option<QuotaBody>,
    keys: Vec<UsedQuota>,
}

/// The quota of a key, and how much of it is used.
#[derive(Debug, Serialize, ToSchema)]
struct UsedQuota {
    /// The name of the key.
    key: String,
    /// Its quota; null without a limit.
    #[schema(required)]
    rate_limit: Option<QuotaBody>,
    /// Number of requests in the current window, without those that got 429.
    used: u32,
    /// When the current window ends; null without one.
    #[schema(required)]
    ends: Option<DateTime<Utc>>,
}

/// The quota of keys without their own quota.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DefaultQuota {
    /// The quota; null for no limit.
    #[schema(required)]
    #[serde(deserialize_with = "Option::deserialize")]
    default: Option<QuotaBody>,
}

impl From<KeyQuota> for UsedQuota {
    fn from(quota: KeyQuota) -> Self {
        Self {
            key: quota.key,
            rate_limit: quota.limit.map(QuotaBody::from),
            used: quota.used,
            ends: quota.ends,
        }
    }
}

/// Read the quotas, and how much of each is used
#[utoipa::path(
    get,
    path = "/rate-limits",
    tag = "rate-limits",
    responses((status = 200, body = QuotaList), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn list_rate_limits(State(control): State<Control>) -> Json<QuotaList> {
    let quotas = control.quotas();
    Json(QuotaList {
        default: control.default_quota().map(QuotaBody::from),
        keys: quotas.into_iter().map(UsedQuota::from).collect(),
    })
}

/// Set the quota of keys without their own quota
#[utoipa::path(
    put,
    path = "/rate-limits",
    tag = "rate-limits",
    request_body = DefaultQuota,
    responses((status = 204, description = "Done."), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn set_default_rate_limit(
    State(control): State<Control>,
    JsonBody(DefaultQuota { default }): JsonBody<DefaultQuota>,
) -> Result<StatusCode, AdminProblem> {
    let limit = default.map(RateLimit::try_from).transpose()?;
    control.set_default_quota(limit);
    Ok(StatusCode::NO_CONTENT)
}

/// Reset the usage of every key
#[utoipa::path(
    post,
    path = "/rate-limits/reset",
    tag = "rate-limits",
    responses((status = 204, description = "Done."), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn reset_rate_limits(State(control): State<Control>, NoBody: NoBody) -> StatusCode {
    control.clear_quotas();
    StatusCode::NO_CONTENT
}
